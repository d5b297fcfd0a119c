// Analysis: the ranked plays of a roll, the cube, what each roll is worth, rollouts.

import * as api from "./api.js";
import { SIDES } from "./app.js";
import { chooser, faces, throwDie } from "./dice.js";
import { $, h, segmented, signed } from "./dom.js";
import { chanceBar, chanceLine, engineLine, levelName, tone } from "./figures.js";
import { cubeView } from "./cube.js";
import { rulesBoard, sideLow } from "./moving.js";
import { copy, isOver, isStart, write } from "./position.js";
import { rolloutView, stopWatching } from "./rollout.js";
import { t } from "./words.js";

const TABS = ["plays", "cube", "rolls", "rollout"];

let tab = "plays";
let asking = null; // AbortController of the calls for the panel
let shownFor = ""; // what the panel shows now
let body = null;

export const analyse = {
  board: rulesBoard,

  enter(app) {
    shownFor = "";
    body = h("div.panel-body", { role: "tabpanel", tabIndex: -1, id: "tab-body" });
    $("panel").replaceChildren(
      h("div.tabs", { role: "tablist" }, TABS.map((name) =>
        h("button", {
          type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "tab-body",
          "aria-selected": String(name === tab), onclick: () => show(app, name),
          onkeydown: (event) => {
            const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (!way) return;
            event.preventDefault();
            event.stopPropagation();
            const next = TABS[(TABS.indexOf(name) + way + TABS.length) % TABS.length];
            show(app, next);
            $(`tab-${next}`).focus();
          },
        }, t(name)))),
      h("div.level", { id: "levels" }),
      body,
    );
  },

  leave() {
    asking?.abort();
    stopWatching();
  },

  mayMove: () => "",

  status(app) {
    const { position, turn } = app;
    if (isOver(position)) return t("game_over");
    const side = t(SIDES[position.turn]);
    const side_low = sideLow(position.turn);
    if (position.offer !== "none") return t("offered", { side, cube: 2 * position.cube });
    if (!position.dice) return t("on_roll", { side, side_low });
    const dice = position.dice.join("-");
    if (turn?.isPass) return t("no_play", { dice });
    if (turn?.result) return turn.result.play;
    return t("to_play", { side, dice });
  },

  actions(app) {
    const { position, turn } = app;
    if (isOver(position) || position.offer !== "none") return [];
    const choose = h("button.plain", { type: "button", id: "choose-dice", onclick: () => openChooser(app) }, t("dice"));
    if (!position.dice) {
      return [choose, h("button.primary", { type: "button", id: "roll", onclick: () => analyse.roll(app) }, t("roll"))];
    }
    return [choose, h("button.primary", {
      type: "button", id: "done", disabled: !turn?.result, onclick: () => analyse.done(app),
    }, turn?.isPass ? t("pass_turn") : t("done"))];
  },

  update(app) {
    const asked = JSON.stringify([tab, app.id, app.level, app.theme]);
    const key = asked + (document.documentElement.lang);
    if (key !== shownFor) {
      shownFor = key;
      refresh(app);
    }
    mark(app);
  },

  roll(app) {
    if (app.position.dice || isOver(app.position)) return;
    let dice;
    do dice = [throwDie(), throwDie()];
    while (dice[0] === dice[1] && opensUnlike(app.position));
    setDice(app, dice);
  },

  async done(app) {
    const { turn, position } = app;
    if (!turn?.result) return;
    await app.guard(app.go(turn.result.result));
    app.say(`${t(SIDES[position.turn])}: ${turn.result.play || t("log_none")}`);
  },

  digits: (app, dice) => setDice(app, dice),

  die(app) {
    if (!app.turn || app.turn.played.length) return;
    app.turn.first = 1 - app.turn.first;
    app.update();
  },

  cube: (app) => show(app, "cube"),

  list(app, way) {
    const buttons = [...body.querySelectorAll(".candidate")];
    const at = buttons.indexOf(document.activeElement);
    buttons[Math.max(0, Math.min(buttons.length - 1, at + way))]?.focus();
  },
};

const opensUnlike = (position) => position.game === "backgammon"
  ? isStart(position, "backgammon") || isStart(position, "nackgammon")
  : isStart(position, "long_nardy") && position.rules.opening === "use_dice";

function setDice(app, dice) {
  const sorted = dice && [...dice].sort((a, b) => b - a);
  if (app.position.offer !== "none") return undefined;
  if (sorted && tab !== "rollout") tab = "plays";
  pressTab();
  return app.guard(app.go(write(copy(app.position, { dice: sorted }))));
}

function openChooser(app) {
  const sheet = $("dice-chooser");
  sheet.replaceChildren(
    chooser((dice) => {
      sheet.hidePopover();
      setDice(app, dice);
    }),
    app.position.dice && h("button.plain", {
      type: "button", onclick: () => {
        sheet.hidePopover();
        setDice(app, null);
      },
    }, t("no_dice")) || "",
  );
  sheet.showPopover();
  sheet.querySelector("button")?.focus();
}

function show(app, name) {
  tab = name;
  pressTab();
  app.update();
}

function pressTab() {
  for (const name of TABS) $(`tab-${name}`)?.setAttribute("aria-selected", String(name === tab));
}

// ---- what the panel shows

async function refresh(app) {
  asking?.abort();
  stopWatching();
  asking = new AbortController();
  const { signal } = asking;
  body.setAttribute("aria-labelledby", `tab-${tab}`);
  $("levels").replaceChildren(...levels(app));
  body.classList.add("stale");
  try {
    const views = { plays: playsView, cube: cubeTab, rolls: rollsView, rollout: rolloutView };
    const found = await views[tab](app, signal);
    if (signal.aborted) return;
    body.replaceChildren(...[found].flat());
    mark(app);
  } catch (error) {
    const words = app.wrong(error);
    if (!words || signal.aborted) return;
    body.replaceChildren(h("p.empty", { role: "alert" }, words),
      h("button.plain", { type: "button", onclick: () => refresh(app) }, t("again")));
  } finally {
    if (!signal.aborted) body.classList.remove("stale");
  }
}

function levels(app) {
  const choices = (app.info?.levels ?? [0]).map((level) => [level, levelName(level)]);
  if (tab === "rollout") return [];
  return [segmented(t("level"), choices, app.level, (level) => {
    app.level = level;
    app.update();
  })];
}

/** The play made on the board, in the list. */
function mark(app) {
  const play = app.turn?.played.length ? app.turn.result?.play : undefined;
  for (const button of body?.querySelectorAll(".candidate") ?? []) {
    const made = play !== undefined && button.dataset.play === play;
    button.classList.toggle("made", made);
    if (made) button.scrollIntoView({ block: "nearest" });
  }
}

async function playsView(app, signal) {
  const { position } = app;
  if (isOver(position) || position.offer !== "none") return cubeTab(app, signal);
  if (!position.dice) {
    return [h("p.hint", {}, t("choose_roll_for_plays")), chooser((dice) => setDice(app, dice), !opensUnlike(position))];
  }
  if (app.info && app.info.games[position.game] === null) return h("p.empty", {}, t("no_nets"));
  const found = await api.moves(app.id, app.level, { signal });
  const best = found.candidates[0];
  return [
    h("p.caption", {}, h("span.mono", {}, position.dice.join("-")), h("span", {}, t("n_plays", { count: found.plays }))),
    h("ol.candidates", {}, found.candidates.map((candidate, index) => candidateRow(app, candidate, index, best, found.level))),
    engineLine(found.engine),
  ];
}

function candidateRow(app, candidate, index, best, level) {
  const words = candidate.play || t("pass_turn");
  const button = h("button.candidate", {
    type: "button", data: { play: candidate.play },
    onclick: () => playCandidate(app, candidate),
    onmouseenter: () => app.guard(app.preview({ position: app.id, play: candidate.play })),
    onmouseleave: () => app.guard(app.preview(null)),
    onfocus: () => button.matches(":focus-visible") && app.guard(app.preview({ position: app.id, play: candidate.play })),
    onblur: () => app.guard(app.preview(null)),
  },
  h("span.rank", {}, String(index + 1)),
  h("span.play", {}, words),
  h("span.made-mark", {}, t("yours")),
  h("span.equity", {}, signed(candidate.equity)),
  h("span.ply", { class: candidate.level === level ? "ply" : "ply lower" }, levelName(candidate.level)),
  chanceBar(candidate.probabilities),
  h("span.difference", {}, candidate === best ? "" : signed(candidate.difference)),
  chanceLine(candidate.probabilities));
  return h("li", {}, button);
}

async function playCandidate(app, candidate) {
  const { position } = app;
  const begun = app.turn?.played.length;
  const moves = begun ? [] : candidate.steps.map(([from, to]) => ({
    side: SIDES[position.turn], from: from === 25 ? "bar" : String(from), to: to === 0 ? "off" : String(to),
  }));
  await app.guard(app.go(candidate.result, { moves: merged(moves) }));
  app.say(`${t(SIDES[position.turn])}: ${candidate.play || t("log_none")}`);
}

/** Steps of one checker as one flight. */
export function merged(moves) {
  const found = [];
  for (const move of moves) {
    const before = found.find((other) => other.to === move.from && !other.joined);
    if (before) before.to = move.to;
    else found.push({ ...move });
  }
  return found;
}

async function cubeTab(app, signal) {
  if (isOver(app.position)) return h("p.empty", {}, t("game_over"));
  if (app.info && app.info.games[app.position.game] === null) return h("p.empty", {}, t("no_nets"));
  return cubeView(app, signal);
}

async function rollsView(app, signal) {
  const { position } = app;
  if (isOver(position)) return h("p.empty", {}, t("game_over"));
  if (app.info && app.info.games[position.game] === null) return h("p.empty", {}, t("no_nets"));
  const bare = write(copy(position, { dice: null, offer: "none" }));
  const found = await api.rolls(bare, typeof app.level === "number" ? Math.min(app.level, 3) : 2, { signal });
  const most = Math.max(...found.rolls.map((roll) => Math.abs(roll.difference)), 1e-9);
  const order = [...found.rolls].sort((a, b) => b.equity - a.equity);
  const unlike = opensUnlike(position);
  const detail = h("div.roll-detail", { "aria-live": "off" });
  const tell = (roll) => detail.replaceChildren(
    h("div.roll-head", {}, faces(roll.dice), h("span.equity", {}, signed(roll.equity))),
    h("p.play", {}, roll.play || t("log_none")),
    h("p.muted", {}, t("against_average", { value: signed(roll.difference) })));
  const summary = () => detail.replaceChildren(
    h("dl.summary", {},
      h("dt", {}, t("average")), h("dd", {}, signed(found.equity)),
      h("dt", {}, t("best_roll")), h("dd", {}, order[0].dice.join("-"), " ", h("span.muted", {}, signed(order[0].equity, 3))),
      h("dt", {}, t("worst_roll")), h("dd", {}, order.at(-1).dice.join("-"), " ", h("span.muted", {}, signed(order.at(-1).equity, 3)))));
  summary();
  const cells = found.rolls.map((roll) => h("button.cell", {
    type: "button", disabled: unlike && roll.dice[0] === roll.dice[1],
    "aria-label": `${roll.dice.join("-")}: ${roll.play || t("log_none")}, ${signed(roll.equity)}`,
    style: { "--row": roll.dice[0], "--column": roll.dice[1], "--tint": (Math.abs(roll.difference) / most).toFixed(3) },
    data: { tone: tone(roll.difference) },
    onclick: () => setDice(app, roll.dice),
    onmouseenter: () => enterRoll(roll), onmouseleave: leaveRoll, onfocus: () => enterRoll(roll), onblur: leaveRoll,
  }, h("span.label", {}, roll.dice.join("-")), h("span.value", {}, signed(roll.equity, 2))));
  function enterRoll(roll) {
    tell(roll);
    if (roll.play) {
      app.guard(app.preview({ position: write(copy(position, { dice: roll.dice, offer: "none" })), play: roll.play }));
    }
  }
  function leaveRoll() {
    summary();
    app.guard(app.preview(null));
  }
  return [h("div.rolls-map", {}, cells, detail),
    h("p.muted", {}, levelName(found.level)), engineLine(found.engine)];
}
