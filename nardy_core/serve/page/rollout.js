// A rollout as a job of the server: its table grows while it runs, and it can be stopped.

import * as api from "./api.js";
import { h, select, signed } from "./dom.js";
import { chanceBar, chanceLine, engineLine } from "./figures.js";
import { isOver } from "./position.js";
import { t } from "./words.js";

const LOOK = 250; // milliseconds between looks at a job
const SIZES = [144, 324, 1296, 5184, 20736, 82944];

const settings = { trials: 1296, top: 3, seed: 1 };
const jobs = new Map(); // by question: {id, asked, last, ended}
let watching = null;

export function stopWatching() {
  watching?.abort();
  watching = null;
}

export function rolloutView(app) {
  if (isOver(app.position)) return h("p.empty", {}, t("game_over"));
  if (app.info && app.info.games[app.position.game] === null) return h("p.empty", {}, t("no_nets"));
  const table = h("div.rollout");
  const begin = h("button.primary", { type: "button", id: "rollout-start" }, t("start_rollout"));
  const stop = h("button.danger", { type: "button", id: "rollout-stop", hidden: true }, t("stop"));
  const form = h("div.rollout-form", {},
    field(t("trials"), select(t("trials"), SIZES.map((n) => [String(n), n.toLocaleString("en").replace(",", "\u2009")]),
      String(settings.trials), (value) => { settings.trials = Number(value); })),
    app.position.dice && field(t("candidates"), select(t("candidates"), [1, 2, 3, 4, 5, 8, 12].map((n) => [String(n), String(n)]),
      String(settings.top), (value) => { settings.top = Number(value); })),
    field(t("seed"), h("input.number", {
      type: "number", min: 0, max: 999999, value: settings.seed, "aria-label": t("seed"),
      onchange: (event) => { settings.seed = Math.max(0, Math.floor(Number(event.target.value) || 0)); },
    })),
    begin, stop);
  const question = app.id;
  begin.onclick = () => app.guard(start(app, question, table, begin, stop));
  const known = jobs.get(question);
  if (known?.last) fill(table, known);
  if (known && !known.ended) watch(app, known, table, begin, stop);
  return [h("p.hint", {}, t("rollout_about")), form, table];
}

const field = (words, control) => h("label.field", {}, h("span", {}, words), control);

async function start(app, question, table, begin, stop) {
  const asked = { position: question, trials: settings.trials, seed: settings.seed };
  if (app.position.dice) asked.top = settings.top;
  begin.disabled = true;
  try {
    const job = await api.startRollout(asked);
    const known = { id: job.id, asked, last: null, ended: false };
    jobs.set(question, known);
    watch(app, known, table, begin, stop);
  } finally {
    begin.disabled = false;
  }
}

async function watch(app, job, table, begin, stop) {
  stopWatching();
  const watcher = (watching = new AbortController());
  const { signal } = watcher;
  begin.hidden = true;
  stop.hidden = false;
  stop.disabled = false;
  stop.onclick = () => {
    stop.disabled = true;
    app.guard(api.stopJob(job.id));
  };
  try {
    while (!signal.aborted) {
      const state = await api.job(job.id, { signal });
      job.last = state;
      job.ended = state.ended !== null;
      fill(table, job);
      if (job.ended) break;
      await new Promise((done) => setTimeout(done, LOOK));
    }
  } catch (error) {
    const words = app.wrong(error);
    if (words) table.replaceChildren(h("p.empty", { role: "alert" }, words));
  }
  if (signal.aborted) return;
  begin.hidden = false;
  stop.hidden = true;
}

function fill(table, job) {
  const { result, error } = job.last;
  if (error) return table.replaceChildren(h("p.empty", { role: "alert" }, error));
  if (!result) return table.replaceChildren(h("p.muted", {}, t("waiting")));
  const rows = result.candidates ?? [result];
  const reach = (row) => row.interval;
  let low = Math.min(...rows.map((row) => reach(row)[0]));
  let high = Math.max(...rows.map((row) => reach(row)[1]));
  const room = Math.max((high - low) * 0.06, 0.005);
  low -= room;
  high += room;
  const place = (value) => ((value - low) / (high - low)).toFixed(4);
  const best = rows[0];
  const done = Math.min(result.trials / job.asked.trials, 1);
  table.replaceChildren(
    h("div.progress", {
      role: "progressbar", "aria-valuemin": 0, "aria-valuemax": job.asked.trials, "aria-valuenow": result.trials,
      "aria-label": t("rollout"), style: { "--done": done.toFixed(4) },
    }),
    h("p.caption", {}, h("span", {}, job.ended
      ? t(result.complete ? "finished" : "stopped", { trials: result.trials, seconds: Math.max(job.last.ended - job.last.created, 0).toFixed(1) })
      : t("running", { trials: result.trials, target: job.asked.trials }))),
    h("ol.rollout-rows", {}, rows.map((row, index) => h("li", {},
      h("span.rank", {}, rows.length > 1 ? String(index + 1) : ""),
      h("span.play", {}, row.play === undefined ? t("this_position") : row.play || t("pass_turn")),
      h("span.equity", {}, signed(row.equity)),
      h("span.error", {}, `± ${row.standard_error.toFixed(4)}`),
      h("span.whisker", {
        "aria-hidden": "true",
        style: { "--low": place(reach(row)[0]), "--high": place(reach(row)[1]), "--mean": place(row.equity), "--best": place(best.equity) },
      }, h("span.range"), h("span.mean")),
      h("span.difference", {}, row === best || row.difference === undefined ? "" : `${signed(row.difference)} ± ${row.difference_error.toFixed(4)}`),
      chanceBar(row.probabilities), chanceLine(row.probabilities)))),
    h("div.scale", { "aria-hidden": "true" }, h("span", {}, signed(low, 3)), h("span", {}, signed(high, 3))),
    h("p.engine", {}, `${t("seed")} ${result.seed} · ${result.signature}`),
    engineLine(result.engine));
  return undefined;
}
