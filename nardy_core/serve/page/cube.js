// The cube decision of the side on roll: verdict, equities, and the chances at which it would change.

import * as api from "./api.js";
import { h, percent, signed } from "./dom.js";
import { chanceBar, chanceLine, engineLine, levelName } from "./figures.js";
import { copy, write } from "./position.js";
import { t } from "./words.js";

const BAR = 340; // pixels the bar of windows has at least
const LETTER = 7.5;

function verdict(action, own) {
  const [double, answer] = action.split("/");
  const first = t(double === "-" ? "v_none" : `v_${double}${own ? "_own" : ""}`);
  return double === "-" || !answer ? first : `${first}, ${t(`a_${answer}`)}`;
}

export async function cubeView(app, signal) {
  const { position } = app;
  if (position.maxCube === 1) return chancesView(app, signal);
  const asked = write(copy(position, { dice: null }));
  const found = await api.cube(asked, app.level, { signal });
  const own = position.owner === position.turn;
  const lines = [
    [own ? "no_redouble" : "no_double", found.no_double, "no_double"],
    [own ? "redouble_take" : "double_take", found.double_take, "double_take"],
    [own ? "redouble_pass" : "double_pass", found.double_pass, "double_pass"],
  ].filter(([, value]) => value !== null);
  if (found.action.endsWith("beaver")) lines.splice(2, 0, ["double_beaver", found.beaver, "beaver"]);
  // what the best cube action by both sides comes to
  const doubled = Math.min(...[found.double_take, found.double_pass, found.beaver].filter((value) => value !== null));
  const best = lines.length > 1 ? Math.max(found.no_double, doubled) : found.no_double;
  const win = Object.entries(found.probabilities).slice(0, Object.keys(found.probabilities).length / 2)
    .reduce((sum, [, value]) => sum + value, 0);
  return [
    position.dice && h("p.caption", {}, t("before_roll")),
    h("div.verdict", {},
      h("p.words", {}, verdict(found.action, own)),
      h("p.muted", {}, found.exact ? t("exact") : levelName(found.level))),
    h("table.lines", {}, h("tbody", {}, lines.map(([words, value, name]) => h("tr", {
      class: Math.abs(value - best) < 1e-7 ? "best" : "",
    },
    h("th", { scope: "row" }, t(words)),
    found.mwc && h("td.muted", {}, found.mwc[name] === undefined ? "" : `${percent(found.mwc[name], 2)} %`),
    h("td", {}, signed(value)),
    h("td", { class: value < best ? "difference lost" : "difference" }, Math.abs(value - best) < 1e-7 ? "" : signed(value - best)))))),
    windowsBar(found, win),
    h("div.whole", {}, chanceBar(found.probabilities), chanceLine(found.probabilities)),
    found.wrong_share !== null && found.wrong_share !== undefined && h("p.muted", {},
      t(found.wrong_answer === "pass" || found.wrong_answer === "drop" ? "wrong_pass" : "wrong_take", { share: percent(found.wrong_share) })),
    engineLine(found.engine),
  ].filter(Boolean);
}

/** Without a cube: the chances before the roll. */
async function chancesView(app, signal) {
  const found = await api.evaluate(app.id, app.level, { signal });
  return [
    h("p.hint", {}, t("no_cube_game")),
    app.position.dice && h("p.caption", {}, t("before_roll")),
    h("div.verdict", {}, h("p.words", {}, signed(found.equity.cubeless)),
      h("p.muted", {}, `${t("equity")}, ${levelName(found.level)}`)),
    h("div.whole", {}, chanceBar(found.probabilities), chanceLine(found.probabilities)),
    engineLine(found.engine),
  ].filter(Boolean);
}

/** From 0 to 100 % of games won: where one does what, and where we are. */
function windowsBar(found, win) {
  const marks = [
    ["double_point", found.double_point], ["cash_point", found.cash_point], ["too_good_point", found.too_good_point],
  ];
  if (marks.every(([, value]) => value === null)) return null;
  const zones = [];
  let from = 0;
  let name = "w_no";
  for (const [to, next] of [[found.double_point, "w_double"], [found.cash_point, "w_cash"], [found.too_good_point, "w_good"]]) {
    if (to === null || to === undefined) continue;
    const end = Math.min(Math.max(to, from), 1);
    zones.push({ name, from, to: end });
    from = end;
    name = next;
  }
  zones.push({ name, from, to: 1 });
  const facts = [
    ["take_point", found.take_point], ...marks,
  ].filter(([, value]) => value !== null && value !== undefined);
  return h("section.windows", {},
    h("h3", {}, t("windows")),
    h("div.windows-bar", { "aria-hidden": "true" },
      zones.filter((zone) => zone.to - zone.from > 1e-6).map((zone) => h("span.zone", {
        data: { zone: zone.name }, style: { "--from": zone.from.toFixed(4), "--to": zone.to.toFixed(4) },
      }, (zone.to - zone.from) * BAR > LETTER * t(zone.name).length ? t(zone.name) : "")),
      h("span.now", { style: { "--at": win.toFixed(4) } }, h("span", {}, t("w_now", { value: percent(win) })))),
    h("dl.facts", {}, facts.map(([key, value]) => h("div", {}, h("dt", {}, t(key)), h("dd", {}, `${percent(value)} %`)))));
}
