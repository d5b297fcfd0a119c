// Playing checkers on the board, the same in analysis and in a game: which may move, where to, and
// in words why not. A mode that lets its board be played says who may with `mayMove(app)`.

import * as api from "./api.js";
import { SIDES, placeName } from "./app.js";
import { BAR, OFF, across, standing } from "./position.js";
import { has, t } from "./words.js";

const numberOf = (spot) => (spot.place === "bar" ? BAR : spot.place === "off" ? OFF : Number(spot.place));

/** {player, count} of the checkers on a spot. */
export function lying(position, spot) {
  if (spot.owner) {
    const player = SIDES.indexOf(spot.owner);
    const count = position.sides[player][numberOf(spot)];
    return count ? { player, count } : null;
  }
  return standing(position, Number(spot.place));
}

/** A spot's place in the numbers of a side, as the picture names its stacks. */
export function ownPlace(position, spot, side) {
  if (spot.owner) return spot.owner === side ? spot.place : "";
  const player = SIDES.indexOf(side);
  const number = Number(spot.place);
  return String(player === position.turn ? number : across(position.game, number));
}

export function label(position, spot, movable) {
  const side = spot.owner && t(spot.owner);
  const where = spot.place === "bar" ? t("a_bar", { side }) :
    spot.place === "off" ? t("a_tray", { side }) : t("a_point", { point: spot.place });
  const found = lying(position, spot);
  const what = found ? t("a_count", { side: t(SIDES[found.player]), count: found.count }) : t("a_empty");
  return [where, what, movable && t("a_movable")].filter(Boolean).join(", ");
}

export const sideLow = (player) => t(SIDES[player]).toLowerCase();

/** The board's hooks for modes that play by the rules. */
export const rulesBoard = {
  /** The mover's number of a spot that holds checkers of his, or null after saying why not. */
  source(app, spot) {
    const board = app.turn?.board ?? app.position;
    const found = lying(board, spot);
    if (!found || spot.place === "off") return null;
    const barred = app.mode.mayMove(app);
    if (barred) return void app.toast(barred);
    if (found.player !== app.position.turn) {
      return void app.toast(t("why_not_yours", { side_low: sideLow(app.position.turn) }));
    }
    if (!app.turn) return void app.toast(t("why_no_dice"));
    if (app.turn.complete && !app.turn.isPass) return void app.toast(t("why_complete"));
    return numberOf(spot);
  },

  grab(app, spot) {
    return rulesBoard.source(app, spot) ? SIDES[app.position.turn] : null;
  },

  targets(app, spot) {
    if (!app.turn) return [];
    return [...app.turn.reach(numberOf(spot)).keys()].map((number) => ({
      place: placeName(number), owner: number === OFF ? SIDES[app.position.turn] : "",
    }));
  },

  async drop(app, from, to) {
    const side = SIDES[app.position.turn];
    if (to.place === "bar") return app.toast(t("why_bar"));
    if (to.place === "off" && to.owner !== side) return app.toast(t("why_their_tray"));
    const source = numberOf(from);
    const target = numberOf(to);
    const steps = app.turn.reach(source).get(target);
    if (!steps) return app.guard(explain(app, source, target));
    app.turn.play(steps);
    return app.guard(app.stepped());
  },

  async click(app, spot) {
    const source = rulesBoard.source(app, spot);
    if (!source) return undefined;
    const steps = app.turn.click(source);
    if (!steps.length) {
      const die = app.turn.dice[app.turn.used.indexOf(false)] ?? app.position.dice[0];
      return app.guard(explain(app, source, Math.max(source - die, OFF)));
    }
    app.turn.play(steps);
    const moves = steps.map(([from, to]) => ({
      side: SIDES[app.position.turn], from: placeName(from), to: placeName(to),
    }));
    return app.guard(app.stepped(moves));
  },

  movable(app, spot) {
    if (!app.turn || app.mode.mayMove(app)) return false;
    const found = lying(app.turn.board, spot);
    return found?.player === app.position.turn && app.turn.sources.has(numberOf(spot));
  },

  label(app, spot) {
    return label(app.turn?.board ?? app.position, spot, rulesBoard.movable(app, spot));
  },

  own(app, spot, side) {
    return ownPlace(app.position, spot, side);
  },
};

/** Say why a checker may not go from one place to another. */
async function explain(app, from, to) {
  if (to >= from) return app.toast(t("why_backwards"));
  const played = app.turn.played.map(([a, b]) => [a, b]);
  const left = app.turn.dice.filter((_, n) => !app.turn.used[n]);
  for (const way of ways(left, from, to)) {
    const before = [...played];
    for (const step of way) {
      const told = await api.why(app.id, before, step);
      if (!told.legal) {
        const key = `why ${told.reason}`;
        return app.toast(has(key) ? t(key) : t("why_other", { reason: told.message }));
      }
      before.push(step);
    }
  }
  return app.toast(t("why die not rolled"));
}

/** Ways to split a move into steps of the dice left, single steps first. */
function ways(left, from, to) {
  const single = [[[from, to]]];
  const exact = left.includes(from - to);
  if (exact || (to === OFF && left.some((die) => die > from))) return single;
  const found = [];
  const chains = left[0] === left[1] ? [left] : [left, [...left].reverse()];
  for (const dice of chains) {
    const way = [];
    let at = from;
    for (const die of dice) {
      const next = Math.max(at - die, OFF);
      way.push([at, next]);
      at = next;
      if (at <= to) break;
    }
    if (at === to && way.length > 1) found.push(way);
  }
  return found.length || from - to > 6 ? found : single;
}
