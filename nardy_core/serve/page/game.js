// Playing against the engine: games and matches of both kinds, with cube, resignation and, if
// wanted, a word after each mistake.

import * as api from "./api.js";
import { SIDES } from "./app.js";
import { levelName } from "./figures.js";
import { merged } from "./analysis.js";
import { faces, throwDie } from "./dice.js";
import { $, h, segmented, select, signed } from "./dom.js";
import { rulesBoard, sideLow } from "./moving.js";
import { copy, isOver, mayDouble, passed, start, write } from "./position.js";
import { t } from "./words.js";

const STORE = "nardy-game";
const PACE = 550; // milliseconds a reader is left with the engine's dice
const MISTAKE = 0.02; // equity from which on the coach speaks

const wishes = { side: "random", length: 0, cube: true, coach: true };
let game = null; // {human, level, cube, coach, log, turns, over, asked}
let busy = false;
let run = 0; // grows with each game and jump, so that an old engine turn ends itself

const pause = (time) => new Promise((done) => setTimeout(done, time));
const throwDice = () => [throwDie(), throwDie()].sort((a, b) => b - a);

export const play = {
  board: rulesBoard,

  async enter(app) {
    if (!game) {
      try {
        const stored = JSON.parse(sessionStorage.getItem(STORE));
        if (stored?.id) {
          game = stored.game;
          app.below = game.human;
          await app.go(stored.id);
        }
      } catch { /* nothing to go on with */ }
    } else if (game.id) {
      await app.go(game.id);
    }
    render(app);
    if (game && !game.over) app.guard(proceed(app));
  },

  leave() {
    run += 1;
    busy = false;
  },

  mayMove(app) {
    if (!game || game.over) return t("game_over");
    return busy || app.position.turn !== game.human ? t("why_thinking") : "";
  },

  nameOf(app, player) {
    if (!game) return t(SIDES[player]);
    return `${t(player === game.human ? "you" : "engine")} · ${t(SIDES[player])}`;
  },

  status(app) {
    if (!game) return "";
    if (game.over) return game.over.words;
    const { position, turn } = app;
    const mine = position.turn === game.human;
    if (position.offer === "doubled") return mine ? t("thinking") : t("engine_doubles", { cube: 2 * position.cube });
    if (!mine || busy) return t("thinking");
    if (!position.dice) return t("your_turn");
    if (turn?.isPass) return t("no_play", { dice: position.dice.join("-") });
    return turn?.result ? turn.result.play : `${t("your_turn")}: ${position.dice.join("-")}`;
  },

  actions(app) {
    if (!game) return [];
    const button = (id, words, kind, onclick, disabled = false) => h(`button.${kind}`, { type: "button", id, onclick, disabled }, words);
    if (game.over) {
      return game.over.match ? [] : [button("next-game", t("next_game"), "primary", () => app.guard(act(app, () => nextGame(app))))];
    }
    const { position, turn } = app;
    if (position.offer === "doubled" && position.turn !== game.human) {
      return [button("drop", t("drop"), "plain", () => app.guard(act(app, () => settleDouble(app, false))), busy),
        button("take", t("take"), "primary", () => app.guard(act(app, () => settleDouble(app, true))), busy)];
    }
    if (busy) return [];
    // the engine could not be asked
    if (position.turn !== game.human) return [button("again", t("again"), "plain", () => app.guard(proceed(app)))];
    if (!position.dice) {
      return [
        mayDouble(position) && button("double", t("double_action"), "plain", () => play.double(app)),
        button("roll", t("roll"), "primary", () => play.roll(app)),
      ].filter(Boolean);
    }
    return [button("done", turn?.isPass ? t("pass_turn") : t("done"), "primary", () => play.done(app), !turn?.result)];
  },

  update: (app) => render(app),

  canBack: () => Boolean(game && !busy && game.turns.length > 1),

  /** Back to the decision before. */
  async back(app) {
    if (!play.canBack()) return;
    run += 1;
    game.turns.pop();
    const last = game.turns.at(-1);
    game.log.length = last.log;
    game.over = null;
    await app.go(last.id, { push: false });
    save(app);
    render(app);
  },

  roll(app) {
    if (!game || game.over || busy || app.position.turn !== game.human || app.position.dice || app.position.offer !== "none") return;
    app.guard(act(app, () => app.go(write(copy(app.position, { dice: throwDice() })), { push: false })));
  },

  async done(app) {
    const { turn, position } = app;
    if (!turn?.result || busy || position.turn !== game?.human) return;
    await app.guard(act(app, () => finishTurn(app, turn.result)));
  },

  /** Another position was put on the board: the game that was going on is over. */
  forget(app) {
    if (app.mode === play) leaveGame(app);
  },

  double: (app) => game && !busy && !game.over && app.position.turn === game.human && mayDouble(app.position) && app.guard(act(app, () => double(app))),
  cube: (app) => play.double(app),

  die(app) {
    if (!app.turn || app.turn.played.length || play.mayMove(app)) return;
    app.turn.first = 1 - app.turn.first;
    app.update();
  },
};

// ---- a game

/** One doing of the human at a time, however often a button is clicked. */
async function act(app, work) {
  if (busy) return;
  busy = true;
  const mine = run;
  try {
    await work();
  } finally {
    if (run === mine) {
      busy = false;
      save(app);
      app.update();
    }
  }
}

async function begin(app) {
  const human = wishes.side === "random" ? throwDie() % 2 : Number(wishes.side);
  const long = app.position.game === "long_nardy";
  game = { human, level: app.level, cube: wishes.cube && !long, coach: wishes.coach, log: [], turns: [], over: null };
  app.below = human;
  await newBoard(app, { scores: [0, 0], length: wishes.length, crawford: false });
}

async function newBoard(app, fields) {
  run += 1;
  const name = app.position.game;
  game.log = [];
  game.turns = [];
  game.over = null;
  let white;
  let black;
  do {
    white = throwDie();
    black = throwDie();
  } while (white === black);
  const starter = white > black ? 1 : 0;
  game.log.push({ kind: "opening", words: t("opening_roll", { white, black }) });
  // short nardy plays the two dice thrown; in long nardy the starter throws both anew
  const dice = name === "backgammon" ? [white, black].sort((a, b) => b - a) : null;
  const position = start(name, {
    ...fields, turn: starter, dice, beavers: false, maxCube: game.cube ? null : 1,
  });
  await app.go(write(position), { push: false });
  render(app);
  await proceed(app);
}

/** The engine's doings, until it is the human's turn to decide. */
async function proceed(app) {
  const mine = ++run;
  const stale = () => mine !== run;
  try {
    for (;;) {
      const { position } = app;
      if (isOver(position)) return await finish(app, position);
      const engineDecides = (position.turn !== game.human) !== (position.offer === "doubled");
      if (!engineDecides) {
        const last = game.turns.at(-1);
        if (last?.id !== app.id && !position.dice) game.turns.push({ id: app.id, log: game.log.length });
        else if (!last && position.dice) game.turns.push({ id: app.id, log: game.log.length });
        return undefined;
      }
      busy = true;
      app.update();
      if (position.offer === "doubled") {
        const found = await api.cube(app.id, game.level);
        if (stale()) return undefined;
        return await settleDouble(app, found.decision !== "drop");
      }
      if (!position.dice) {
        if (mayDouble(position)) {
          const found = await api.cube(app.id, game.level);
          if (stale()) return undefined;
          if (found.decision === "double") {
            log(1 - game.human, { kind: "words", words: t("log_double", { cube: 2 * position.cube }) });
            await app.go(write(copy(position, { offer: "doubled" })), { push: false });
            continue;
          }
        }
        await app.go(write(copy(position, { dice: throwDice() })), { push: false });
        if (stale()) return undefined;
      }
      const [found] = await Promise.all([api.moves(app.id, game.level), pause(PACE)]);
      if (stale()) return undefined;
      const [best] = found.candidates;
      log(position.turn, { kind: "play", dice: app.position.dice, play: best.play });
      app.say(`${t("engine")}: ${app.position.dice.join("-")}, ${best.play || t("log_none")}`);
      const moves = merged(best.steps.map(([from, to]) => ({
        side: SIDES[position.turn], from: from === 25 ? "bar" : String(from), to: to === 0 ? "off" : String(to),
      })));
      await app.go(best.result, { push: false, moves });
      if (stale()) return undefined;
    }
  } finally {
    if (!stale()) {
      busy = false;
      save(app);
      app.update();
    }
  }
}

async function finishTurn(app, made) {
  const { id, position } = app;
  const entry = log(position.turn, { kind: "play", dice: position.dice, play: made.play });
  if (game.coach && app.turn.plays.length > 1) app.guard(coach(app, id, made.play, entry));
  await app.go(made.result, { push: false });
  await proceed(app);
}

/** What the engine thinks of a play, beside it in the log. */
async function coach(app, id, played, entry) {
  const found = await api.moves(id, game.level);
  const candidate = found.candidates.find(({ play: words }) => words === played);
  if (!candidate) return;
  const lost = -candidate.difference;
  entry.mark = lost < 1e-6 ? "best" : lost < MISTAKE ? "fine" : lost < 0.08 ? "bad" : "blunder";
  entry.note = lost < 1e-6 ? t("good_play") : t("mistake", { value: signed(-lost, 3), play: found.candidates[0].play });
  save(app);
  render(app);
}

async function double(app) {
  log(game.human, { kind: "words", words: t("log_double", { cube: 2 * app.position.cube }) });
  await app.go(write(copy(app.position, { offer: "doubled" })), { push: false });
  await proceed(app);
}

async function settleDouble(app, take) {
  const { position } = app;
  const answering = 1 - position.turn;
  log(answering, { kind: "words", words: t(take ? "log_take" : "log_drop") });
  if (!take) return finishWith(app, position.turn, position.cube);
  await app.go(write(copy(position, { offer: "none", cube: 2 * position.cube, owner: answering })), { push: false });
  return proceed(app);
}

/** The board is played out: what it pays, the engine's rules say. */
async function finish(app, position) {
  const found = await api.evaluate(app.id, 0);
  let points = Math.round(Math.abs(found.equity.cubeless));
  if (position.jacoby && game.cube && position.owner === null) points = Math.min(points, 1);
  const winner = position.sides.findIndex((counts) => counts[0] === position.checkers);
  return finishWith(app, winner, points * position.cube);
}

function finishWith(app, winner, points) {
  const { position } = app;
  const scores = [...position.scores];
  scores[winner] += points;
  const won = winner === game.human;
  const match = position.length > 0 && scores[winner] >= position.length;
  const score = `${Math.min(scores[game.human], match ? Infinity : Infinity)}–${scores[1 - game.human]}`;
  game.over = {
    winner, points, scores, match, before: position.scores, crawford: position.crawford,
    words: match ? t(won ? "match_won" : "match_lost", { score }) : t(won ? "you_win" : "you_lose", { points }),
  };
  log(winner, { kind: "end", words: game.over.words });
  app.say(game.over.words);
  busy = false;
  save(app);
  app.update();
}

async function nextGame(app) {
  const { scores, before } = game.over;
  const { length } = app.position;
  // the Crawford game is the first after a side came within a point of the match
  const near = length && Math.max(...scores) === length - 1;
  const crawford = Boolean(near && Math.max(...before) < length - 1);
  await newBoard(app, { scores, length, crawford });
}

async function resign(app) {
  const { position } = app;
  const loser = game.human;
  const own = position.turn === loser ? position : passed(position);
  // what the position would pay if it ended as it stands
  const ended = copy(own, { dice: null, offer: "none", turn: loser });
  ended.sides[1 - loser] = ended.sides[1 - loser].map((_, n) => (n === 0 ? position.checkers : 0));
  let points = Math.round(Math.abs((await api.evaluate(write(ended), 0)).equity.cubeless));
  if (position.jacoby && game.cube && position.owner === null) points = Math.min(points, 1);
  points *= position.cube;
  if (!confirm(t("resign_sure", { points }))) return;
  run += 1;
  log(loser, { kind: "words", words: t("log_resign") });
  finishWith(app, 1 - loser, points);
}

function log(player, entry) {
  const made = { player, ...entry };
  game.log.push(made);
  return made;
}

function save(app) {
  if (!game) return;
  game.id = app.id;
  sessionStorage.setItem(STORE, JSON.stringify({ id: app.id, game }));
}

// ---- the panel

function render(app) {
  const panel = $("panel");
  document.body.dataset.game = game ? "on" : "none";
  if (!game) return panel.replaceChildren(newGameForm(app));
  const rows = h("ol.log", {}, game.log.map((entry) => h("li", { class: `by-${entry.player ?? "none"}` },
    entry.player !== undefined && h(`span.dot.${SIDES[entry.player]}`),
    entry.dice && faces(entry.dice),
    h("span.what", {}, entry.kind === "play" ? entry.play || t("log_none") : entry.words),
    entry.note && h(`span.note.${entry.mark}`, {}, entry.note))));
  panel.replaceChildren(
    h("div.game-head", {}, h("p.muted", {}, [
      app.position.length ? t("match_to", { length: app.position.length }) : t("money_game"),
      levelName(game.level)].join(" · "))),
    rows,
    h("div.row.game-foot", {},
      h("button.plain", { type: "button", id: "new-game", onclick: () => leaveGame(app) }, t("new_game")),
      !game.over && h("button.plain", { type: "button", id: "resign", onclick: () => app.guard(resign(app)), disabled: busy }, t("resign")),
      h("button.plain", { type: "button", id: "look-at", onclick: () => app.switchTo("analyse") }, t("look_at"))));
  rows.scrollTop = rows.scrollHeight;
  return undefined;
}

function leaveGame(app) {
  run += 1;
  busy = false;
  game = null;
  sessionStorage.removeItem(STORE);
  app.update();
}

function newGameForm(app) {
  const short = app.position?.game !== "long_nardy";
  const field = (words, control) => h("div.field", {}, h("span", {}, words), control);
  const levels = (app.info?.levels ?? [0]).map((level) => [level, levelName(level)]);
  const none = app.info && app.position && app.info.games[app.position.game] === null;
  return h("form.setup.new-game", { onsubmit: (event) => event.preventDefault() },
    h("h2", {}, t("new_game")),
    field(t("your_side"), segmented(t("your_side"), [["1", t("white")], ["0", t("black")], ["random", t("random_side")]], wishes.side, (side) => { wishes.side = side; })),
    field(t("level"), segmented(t("level"), levels, app.level, (level) => { app.level = level; })),
    field(t("match_length"), select(t("match_length"), [0, 1, 3, 5, 7, 9, 11, 15].map((n) => [String(n), n ? String(n) : t("money")]),
      String(wishes.length), (length) => { wishes.length = Number(length); })),
    short && h("label.check", {}, h("input", { type: "checkbox", id: "with-cube", checked: wishes.cube, onchange: (event) => { wishes.cube = event.target.checked; } }), " ", t("with_cube")),
    h("label.check", {}, h("input", { type: "checkbox", id: "with-coach", checked: wishes.coach, onchange: (event) => { wishes.coach = event.target.checked; } }), " ", t("coach")),
    none && h("p.error", {}, t("no_nets")),
    h("button.primary", { type: "button", id: "begin", disabled: Boolean(none), onclick: () => app.guard(act(app, () => begin(app))) }, t("begin")));
}
