// The state of the page and what every mode shares: the position on the board, its history, the
// address that restores it, and the frame around the board.

import * as api from "./api.js";
import { Board } from "./board.js";
import { $, h } from "./dom.js";
import { isOver, parse, pips, write } from "./position.js";
import { Turn } from "./turn.js";
import { language, t } from "./words.js";

export const SIDES = ["black", "white"]; // names of players 0 and 1
const dark = matchMedia("(prefers-color-scheme: dark)");
const PICTURES = 120; // kept

export class App {
  constructor(modes) {
    this.modes = modes;
    this.mode = null;
    this.position = null; // as of position.js
    this.id = ""; // its text form: carries everything
    this.ids = {}; // all forms
    this.turn = null; // the turn being played, once there are dice
    this.info = null; // of the server
    this.below = 1; // the player who sits below
    this.mirrored = false;
    this.themeChoice = "auto";
    this.level = 0;
    this.past = [];
    this.future = [];
    this.ticket = 0;
    this.drawing = 0;
    this.pictures = new Map();
    this.board = new Board($("board"), {
      grab: (spot) => this.mode.board.grab(this, spot),
      targets: (spot) => this.mode.board.targets(this, spot),
      drop: (from, to) => this.mode.board.drop(this, from, to),
      click: (spot) => this.mode.board.click(this, spot),
      acts: () => !this.turn?.complete || !this.mode.done,
      movable: (spot) => this.mode.board.movable(this, spot),
      label: (spot) => this.mode.board.label(this, spot),
      own: (spot, side) => this.mode.board.own(this, spot, side),
      die: (value) => this.mode.die?.(this, value),
      cube: () => this.mode.cube?.(this),
    });
    dark.addEventListener("change", () => this.retheme());
    this.pressed = false;
    addEventListener("pointerdown", () => { this.pressed = true; }, true);
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => setTimeout(() => this.#released()), true);
    }
  }

  get theme() {
    return this.themeChoice === "auto" ? (dark.matches ? "dark" : "light") : this.themeChoice;
  }

  retheme() {
    document.documentElement.dataset.theme = this.theme;
    if (this.position) this.guard(this.draw());
  }

  // ---- positions

  /**
   * Show a position given in any form. moves: checkers that travel there; seat: "mover" turns the
   * board to the side on roll. Answers false if something newer came in between.
   */
  async go(given, { push = true, moves = [], seat = null } = {}) {
    const ticket = ++this.ticket;
    const found = await api.convert(given, language());
    const position = parse(found.ids.text);
    const playing = position.dice && !isOver(position) && position.offer === "none";
    const legal = playing ? await api.legal(found.ids.text) : null;
    if (ticket !== this.ticket) return false;
    if (push && this.id && this.id !== found.ids.text) {
      this.past.push(this.id);
      this.future = [];
    }
    Object.assign(this, {
      position, id: found.ids.text, ids: found.ids,
      turn: legal ? new Turn(position, legal) : null,
    });
    if (seat === "mover") this.below = position.turn;
    this.hash = hashOf(found, position);
    history.replaceState(null, "", `#${this.hash}`);
    await this.draw(moves);
    if (ticket !== this.ticket) return false;
    this.update();
    return true;
  }

  /** Steps through the history, one after the other however fast they are asked for. */
  back() {
    return this.#inTurn(() => this.#back());
  }

  forward() {
    return this.#inTurn(async () => {
      if (this.future.length && !this.mode.back) await this.#jump(this.future, this.past);
    });
  }

  #inTurn(work) {
    const before = this.stepping ?? Promise.resolve();
    this.stepping = before.catch(() => {}).then(work);
    return this.stepping;
  }

  async #back() {
    if (this.turn?.played.length) {
      const [from, to] = this.turn.undo();
      await this.stepped([{ side: SIDES[this.position.turn], from: placeName(to), to: placeName(from) }]);
    } else if (this.mode.back) {
      await this.mode.back(this);
    } else if (this.past.length) {
      await this.#jump(this.past, this.future);
    }
  }

  async #jump(from, to) {
    const here = this.id;
    if (!await this.go(from.at(-1), { push: false })) return;
    from.pop();
    to.push(here);
    this.update();
  }

  /** The board after steps of the turn were played or taken back. */
  async stepped(moves = []) {
    this.update();
    await this.draw(moves);
    this.update();
  }

  // ---- the picture

  async draw(moves = []) {
    const ticket = ++this.drawing; // of pictures asked for, the last one is shown
    const shown = this.turn?.played.length ? write(this.turn.board) : this.id;
    const text = await this.picture(shown);
    if (ticket !== this.drawing) return;
    this.board.host.dataset.position = shown;
    await Promise.all([this.board.draw(text, moves), this.#marks()]);
  }

  #marks() {
    if (this.turn) this.board.dice(diceUsed(this.turn), this.turn.complete ? null : this.turn.first);
  }

  /** Arrows of a play over a position, until `preview(null)`. */
  async preview(shown) {
    if (!shown) return this.draw();
    const ticket = ++this.drawing;
    const text = await this.picture(shown.position, shown.play);
    if (ticket !== this.drawing) return undefined;
    this.board.host.dataset.position = shown.position;
    return this.board.draw(text);
  }

  async picture(position, play) {
    const asked = {
      position, theme: this.theme, lang: language(), mirrored: this.mirrored,
      perspective: this.below, captions: false, places: true,
    };
    if (play) asked.play = play;
    const key = JSON.stringify(asked);
    let found = this.pictures.get(key);
    if (!found) {
      found = api.diagram(asked);
      this.pictures.set(key, found);
      found.catch(() => this.pictures.delete(key));
      if (this.pictures.size > PICTURES) this.pictures.delete(this.pictures.keys().next().value);
    }
    return found;
  }

  // ---- the frame

  async switchTo(name) {
    if (this.mode === this.modes[name]) return;
    this.mode?.leave?.(this);
    this.mode = this.modes[name];
    document.body.dataset.mode = name;
    for (const button of document.querySelectorAll("#modes button")) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === name));
    }
    $("panel").replaceChildren();
    await this.mode.enter(this);
    if (this.position) this.update();
  }

  /** Bring the frame and the panel up to date; what is being clicked stays until it is. */
  update() {
    if (this.pressed) {
      this.postponed = true;
      return;
    }
    for (const [place, player] of [["top", 1 - this.below], ["bottom", this.below]]) {
      $(`seat-${place}`).replaceChildren(...this.#seat(player));
    }
    $("status").textContent = this.mode.status(this);
    const focused = document.activeElement?.id;
    $("actions").replaceChildren(...this.mode.actions(this));
    if (focused && document.activeElement === document.body) $(focused)?.focus();
    const steps = Boolean(this.turn?.played.length);
    $("undo").disabled = !steps && !(this.mode.canBack ? this.mode.canBack(this) : this.past.length);
    $("redo").disabled = Boolean(this.mode.back) || !this.future.length;
    for (const button of document.querySelectorAll("#games button")) {
      button.setAttribute("aria-pressed", String(button.dataset.game === this.position.game));
    }
    this.#idLine();
    this.#marks();
    this.board.relabel();
    this.mode.update(this);
  }

  #released() {
    this.pressed = false;
    if (!this.postponed) return;
    this.postponed = false;
    this.update();
  }

  #seat(player) {
    const { position } = this;
    const board = this.turn?.board ?? position;
    const rolls = !isOver(position) && position.turn === player;
    const score = position.length ? `${position.scores[player]}/${position.length}` :
      (position.scores.some(Boolean) ? String(position.scores[player]) : "");
    return [
      h(`span.dot.${SIDES[player]}${rolls ? ".rolls" : ""}`),
      h("span.name", {}, this.mode.nameOf?.(this, player) ?? t(SIDES[player])),
      score && h("span.score", {}, score),
      position.crawford && h("span.note", {}, t("crawford")),
      h("span.pips", {}, h("span", {}, t("pips")), h("b", {}, String(pips(board, player)))),
    ].filter(Boolean);
  }

  #idLine() {
    const forms = $("form");
    const wanted = this.ids[this.form] ? this.form : Object.keys(this.ids).find((f) => ["xgid", "ndid"].includes(f)) ?? "text";
    const names = Object.keys(this.ids);
    if (forms.dataset.names !== names.join()) {
      forms.replaceChildren(...names.map((name) => h("option", { value: name }, FORM_NAMES[name] ?? name)));
      forms.dataset.names = names.join();
    }
    forms.value = wanted;
    if (document.activeElement !== $("id")) $("id").value = this.ids[wanted];
    $("id-error").hidden = true;
  }

  // ---- messages

  toast(words) {
    const box = $("toast");
    clearTimeout(this.toasting);
    box.textContent = words;
    box.classList.add("shown");
    this.toasting = setTimeout(() => box.classList.remove("shown"), 2500 + 40 * words.length);
  }

  /** For a screen reader only. */
  say(words) {
    $("live").textContent = words;
  }

  /** What went wrong, in one line. */
  wrong(error) {
    if (error.name === "AbortError") return "";
    if (error instanceof api.ApiError) return error.code === "unreachable" ? t("unreachable") : error.message;
    throw error;
  }

  /** Wait for work that was asked for by a click; failures are told. */
  async guard(work) {
    try {
      return await work;
    } catch (error) {
      const words = this.wrong(error);
      if (words) this.toast(words);
      return undefined;
    }
  }
}

const FORM_NAMES = {
  gnu: "GNU", "gnu-position": "GNU position", "gnu-match": "GNU match", xgid: "XGID", ogid: "OGID",
  fibs: "FIBS", "fibs-gnubg": "FIBS (gnubg)", ndid: "NDID", ln: "LN", text: "Text",
};

/** The shortest form that keeps everything, for the address. */
function hashOf(found, position) {
  const rare = position.game === "backgammon" &&
    (Object.keys(position.rules).length || position.checkers !== 15 || position.resign);
  return rare ? encodeURIComponent(found.ids.text) : found.position;
}

export const placeName = (number) => (number === 0 ? "off" : number === 25 ? "bar" : String(number));

/** For the two dice drawn: was all of each played? */
function diceUsed(turn) {
  const { used } = turn;
  return used.length === 4 ? [used[1], used[3]] : used;
}
