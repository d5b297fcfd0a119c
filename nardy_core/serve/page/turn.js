// A turn as it is being played: which steps are open, how far one checker may go, what was played.

import { boardKey, stepped } from "./position.js";

export class Turn {
  /**
   * position : with dice, before the turn
   * legal : {plays: [{play, steps, result}], sequences: [[[from, to, hit], …], …]} of the roll
   */
  constructor(position, legal) {
    this.position = position;
    this.plays = legal.plays;
    this.sequences = legal.sequences;
    this.played = [];
    this.first = 0; // which of the dice a click plays
    this.byBoard = new Map(this.plays.map((play) => [boardKey(stepped(position, play.steps)), play]));
  }

  get dice() {
    const [a, b] = this.position.dice;
    return a === b ? [a, a, a, a] : [a, b];
  }

  /** The sequences that begin with what was played. */
  open(played = this.played) {
    return this.sequences.filter((sequence) =>
      played.every((step, n) => sequence[n] && sequence[n][0] === step[0] && sequence[n][1] === step[1]));
  }

  /** Steps that may come next. */
  next(played = this.played) {
    const found = new Map();
    for (const sequence of this.open(played)) {
      const step = sequence[played.length];
      if (step) found.set(`${step[0]}/${step[1]}`, step);
    }
    return [...found.values()];
  }

  /** Map of place to the steps that take one checker from `source` there, fewest steps first. */
  reach(source) {
    const found = new Map();
    let ways = [{ at: source, steps: [] }];
    while (ways.length) {
      const further = [];
      for (const { at, steps } of ways) {
        const after = [...this.played, ...steps];
        const next = this.next(after).filter((step) => step[0] === at);
        // of two ways to the same place the one with the die chosen first is kept
        next.sort((a, b) => this.#rank(a) - this.#rank(b));
        for (const step of next) {
          const way = [...steps, step];
          if (!found.has(step[1])) found.set(step[1], way);
          if (step[1] > 0) further.push({ at: step[1], steps: way });
        }
      }
      ways = further;
    }
    return found;
  }

  #rank([from, to]) {
    return from - to === this.position.dice[this.first] ? 0 : 1;
  }

  /** The steps a click on `source` plays: one die, the chosen one if it can be. */
  click(source) {
    const steps = this.next().filter((step) => step[0] === source);
    steps.sort((a, b) => this.#rank(a) - this.#rank(b));
    return steps.slice(0, 1);
  }

  get sources() {
    return new Set(this.next().map((step) => step[0]));
  }

  play(steps) {
    this.played.push(...steps);
  }

  undo() {
    return this.played.pop();
  }

  /** Play all of `steps` instead of what was played. */
  replace(steps) {
    this.played = [...steps];
  }

  get complete() {
    return this.next().length === 0;
  }

  get isPass() {
    return this.sequences.length === 0;
  }

  /** The board now, the same side still on roll. */
  get board() {
    return stepped(this.position, this.played);
  }

  /** The play that has been made, once it is complete. */
  get result() {
    return this.complete ? this.byBoard.get(boardKey(this.board)) ?? null : null;
  }

  /** For each of `dice`: has it been played? A bear-off may have used a larger die. */
  get used() {
    const { dice } = this;
    const used = dice.map(() => false);
    for (const [from, to] of this.played) {
      const way = from - to;
      const fits = (exact) => dice.findIndex((die, n) => !used[n] && (exact ? die === way : die > way));
      let n = fits(true);
      if (n < 0) n = fits(false);
      if (n >= 0) used[n] = true;
    }
    return used;
  }
}
