// Setting a position up: checkers go anywhere, everything else is in the form.

import { SIDES, placeName } from "./app.js";
import { chooser } from "./dice.js";
import { $, h, segmented, select } from "./dom.js";
import { label, lying, ownPlace, sideLow } from "./moving.js";
import { BAR, OFF, across, copy, isStart, side, start, usualMoneyRule, write } from "./position.js";
import { t } from "./words.js";

let brush = "move";
let picked = null; // a spot, for those who click or use keys

export const setup = {
  enter(app) {
    brush = "move";
    picked = null;
    if (app.turn?.played.length) app.turn.replace([]);
    app.turn = null;
    return app.draw();
  },

  leave(app) {
    picked = null;
    // the roll of the position is to be played again
    if (app.position?.dice) return app.guard(app.go(app.id, { push: false }));
    return undefined;
  },

  status: () => t("setup_status"),
  actions: (app) => [h("button.primary", { type: "button", id: "finish-setup", onclick: () => app.switchTo("analyse") }, t("analyse"))],
  update: (app) => fillForm(app),
  digits: (app, dice) => change(app, { dice }),

  board: {
    grab(app, spot) {
      const found = lying(app.position, spot);
      return found ? SIDES[found.player] : null;
    },
    targets: () => [],
    drop: (app, from, to) => move(app, from, to),
    click(app, spot) {
      if (brush !== "move") return add(app, spot, brush === "white" ? 1 : 0);
      if (picked) {
        const from = picked;
        picked = null;
        app.board.select(null);
        return from.place === spot.place && from.owner === spot.owner ? undefined : move(app, from, spot);
      }
      if (lying(app.position, spot)) {
        picked = spot;
        app.board.select(spot);
      }
      return undefined;
    },
    movable: (app, spot) => Boolean(lying(app.position, spot)),
    label: (app, spot) => label(app.position, spot, false),
    own: (app, spot, name) => ownPlace(app.position, spot, name),
  },
};

/** A spot in a player's own numbers; null where it is the other side's bar or tray. */
function ownNumber(position, spot, player) {
  if (spot.owner && spot.owner !== SIDES[player]) return null;
  if (spot.place === "bar") return BAR;
  if (spot.place === "off") return OFF;
  const number = Number(spot.place);
  return player === position.turn ? number : across(position.game, number);
}

function move(app, from, to) {
  const { position } = app;
  const found = lying(position, from);
  if (!found) return undefined;
  const { player } = found;
  const source = ownNumber(position, from, player);
  let target = ownNumber(position, to, player);
  if (target === null) target = to.place === "bar" ? BAR : OFF; // either tray, either bar will do
  if (source === target) return undefined;
  const standing = target !== BAR && target !== OFF && lying(position, to);
  if (standing && standing.player !== player) return app.toast(t("why_held"));
  const next = copy(position);
  next.sides[player][source] -= 1;
  next.sides[player][target] += 1;
  return apply(app, next);
}

function add(app, spot, player) {
  const { position } = app;
  const target = ownNumber(position, spot, player);
  if (target === null || target === OFF) return undefined;
  const standing = target !== BAR && lying(position, spot);
  if (standing && standing.player !== player) return app.toast(t("why_held"));
  if (!position.sides[player][OFF]) return app.toast(t("why_no_spare", { side_low: sideLow(player) }));
  const next = copy(position);
  next.sides[player][OFF] -= 1;
  next.sides[player][target] += 1;
  return apply(app, next);
}

function apply(app, next) {
  if (next.sides.every((counts) => counts[OFF] === next.checkers)) return app.toast(t("why_last"));
  return go(app, next);
}

const change = (app, changes) => go(app, copy(app.position, changes));

async function go(app, next) {
  const error = $("setup-error");
  try {
    if (next.offer !== "none") next.offer = "none";
    await app.go(write(next));
    app.turn = null; // while setting up nothing is played
    if (error) error.hidden = true;
  } catch (problem) {
    const words = app.wrong(problem);
    fillForm(app);
    const shown = $("setup-error");
    shown.textContent = words;
    shown.hidden = !words;
  }
}

function fillForm(app) {
  const { position } = app;
  const focused = document.activeElement?.id;
  const players = (none) => [[1, t("white")], ...(none ? [[null, t("centre")]] : []), [0, t("black")]];
  const whole = (id, words, value, most, put) => h("input.number", {
    id, type: "number", min: 0, max: most, value, "aria-label": words, inputMode: "numeric",
    onchange: (event) => put(Math.min(Math.max(0, Math.floor(Number(event.target.value) || 0)), most)),
  });
  const check = (id, words, value, put) => h("label.check", {},
    h("input", { id, type: "checkbox", checked: value, onchange: (event) => put(event.target.checked) }), " ", words);
  const short = position.game === "backgammon";
  const cubes = ["none", ..."0123456789".split("").map((n) => String(2 ** n))];
  $("panel").replaceChildren(h("form.setup", { onsubmit: (event) => event.preventDefault() },
    h("div.row", {},
      h("button.plain", {
        type: "button", id: "setup-start",
        onclick: () => {
          const fresh = start(position.game);
          return go(app, copy(position, { sides: fresh.sides, checkers: 15, dice: null }));
        },
      }, t("start_position")),
      h("button.plain", { type: "button", id: "setup-clear", onclick: () => go(app, cleared(position)) }, t("clear"))),
    h("p.hint", {}, t("setup_help")),
    line(t("add_checkers"), segmented(t("add_checkers"), [
      ["move", t("brush_move")], ["white", t("brush_white")], ["black", t("brush_black")]], brush, (value) => {
      brush = value;
      picked = null;
      app.board.select(null);
    })),
    line(t("side_on_roll"), segmented(t("side_on_roll"), players(false), position.turn, (turn) => go(app, withTurn(position, turn)))),
    h("details.dice-field", { open: false },
      h("summary", {}, t("dice"), h("span.mono", {}, position.dice ? position.dice.join("-") : t("no_dice"))),
      chooser((dice) => change(app, { dice })),
      h("button.plain", { type: "button", onclick: () => change(app, { dice: null }) }, t("no_dice"))),
    h("div.row", {},
      line(t("match_length"), whole("match-length", t("match_length"), position.length, 999, (length) =>
        change(app, {
          length, crawford: false, jacoby: !length && usualMoneyRule(position.game),
          beavers: !length && usualMoneyRule(position.game), scores: length ? position.scores.map((score) => Math.min(score, length - 1)) : [0, 0],
        })), t("zero_money")),
      position.length > 0 && line(t("score"), h("span.scores", {},
        ...[1, 0].map((player) => whole(`score-${player}`, `${t("score")}, ${t(SIDES[player])}`, position.scores[player], 999, (score) => {
          const scores = [...position.scores];
          scores[player] = score;
          return change(app, { scores, crawford: false });
        }))))),
    position.length > 0 && check("crawford", t("crawford_game"), position.crawford, (crawford) =>
      change(app, crawford ? { crawford, cube: 1, owner: null } : { crawford })),
    h("div.row", {},
      line(t("cube_value"), select(t("cube_value"), cubes.map((value) => [value, value === "none" ? t("no_cube") : value]),
        position.maxCube === 1 ? "none" : String(position.cube), (value) => change(app, value === "none"
          ? { maxCube: 1, cube: 1, owner: null }
          : turned(position, Number(value))))),
      position.maxCube !== 1 && line(t("cube_owner"), segmented(t("cube_owner"), players(true), position.owner, (owner) =>
        change(app, owner === null ? { owner, cube: 1 } : { owner })))),
    (short || position.maxCube !== 1) && !position.length && h("div.row", {},
      check("jacoby", t("jacoby"), position.jacoby, (jacoby) => change(app, { jacoby })),
      check("beavers", t("beavers"), position.beavers, (beavers) => change(app, { beavers }))),
    !short && line(t("rule_set"), ruleSets(app)),
    h("p.error", { id: "setup-error", role: "alert", hidden: true }),
  ));
  if (focused) document.getElementById(focused)?.focus();
}

const line = (words, control, note) => h("div.field", {}, h("span", {}, words), control, note && h("small", {}, note));

/** A cube that has been turned is somebody's. */
const turned = (position, cube) => ({
  cube, maxCube: position.maxCube === 1 ? null : position.maxCube,
  owner: cube === 1 ? null : position.owner ?? position.turn,
});

/** One checker of each side stays: a board without any is no position. */
function cleared(position) {
  return copy(position, { sides: position.sides.map(() => side({ 1: 1 }, position.checkers)), dice: null });
}

/** The other side on roll: checkers, cube and score stay whose they are. */
const withTurn = (position, turn) => copy(position, { turn, dice: null });

/** Sets of rules of long nardy that have a name on the server. */
function ruleSets(app) {
  const { position } = app;
  const presets = app.info?.rules?.presets?.long_nardy ?? {};
  const plain = (values) => Object.fromEntries(Object.entries(values).filter(([name]) => name !== "max_cube")
    .map(([name, value]) => [name, String(value)]));
  const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
  const current = Object.keys(presets).find((name) => same(plain(presets[name]), position.rules)) ?? "";
  const choices = [...(current ? [] : [["", t("own_rules")]]), ...Object.keys(presets).map((name) => [name, name])];
  return select(t("rule_set"), choices, current, (name) => name && change(app, {
    rules: plain(presets[name]), maxCube: presets[name].max_cube ?? null,
    ...(presets[name].max_cube === 1 ? { cube: 1, owner: null } : {}),
  }));
}
