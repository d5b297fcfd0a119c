// A position as the page holds it: read from and written to the one-line text form of the ids.
// Players are 0 (o of backgammon, Black of long nardy) and 1 (x, White); each side's 26 counts are
// in its own numbers: 0 = borne off, 25 = bar.

const LETTERS = { backgammon: ["o", "x"], long_nardy: ["b", "w"] };
export const OFF = 0;
export const BAR = 25;

const STARTS = {
  backgammon: { 24: 2, 13: 5, 8: 3, 6: 5 },
  nackgammon: { 24: 2, 23: 2, 13: 4, 8: 3, 6: 4 },
  long_nardy: { 24: 15 },
};

const gameOf = (start) => (start === "long_nardy" ? "long_nardy" : "backgammon");

/** The other side's number for a point 1..24; its own inverse. */
export function across(game, point) {
  if (game === "backgammon") return 25 - point;
  return point > 12 ? point - 12 : point + 12;
}

export function side(points, checkers = 15) {
  const counts = new Array(26).fill(0);
  for (const [point, count] of Object.entries(points)) counts[point] = count;
  counts[OFF] = checkers - counts.reduce((sum, count) => sum + count, 0);
  return counts;
}

/** The largest cube unless a position says otherwise: by its usual rules long nardy has none. */
const usualLimit = (game) => (game === "long_nardy" ? 1 : null);

/** Whether Jacoby's rule holds and beavers are allowed, for money, unless a position says so. */
export const usualMoneyRule = (game) => game === "backgammon";

/** A start position; `fields` are those of `parse`. */
export function start(name, fields = {}) {
  const game = gameOf(name);
  return {
    game, sides: [side(STARTS[name]), side(STARTS[name])], turn: 1, dice: null, cube: 1, owner: null,
    offer: "none", resign: 0, scores: [0, 0], length: 0, crawford: false,
    jacoby: usualMoneyRule(game), beavers: usualMoneyRule(game), maxCube: usualLimit(game), checkers: 15, rules: {}, ...fields,
  };
}

export const isStart = (position, name) =>
  position.sides.every((counts) => String(counts) === String(side(STARTS[name])));

export function parse(text) {
  const tokens = {};
  for (const token of text.trim().split(/\s+/)) {
    const [key, ...value] = token.split("=");
    tokens[key] = value.length ? value.join("=") : "on";
  }
  const game = "x" in tokens ? "backgammon" : "long_nardy";
  const letters = LETTERS[game];
  const take = (key, otherwise) => {
    const value = tokens[key] ?? otherwise;
    delete tokens[key];
    return value;
  };
  const checkers = Number(take("checkers", 15));
  const sides = letters.map((letter) => {
    const points = {};
    for (const entry of take(letter, "").split(",").filter(Boolean)) {
      const [point, count] = entry.split(":");
      points[point === "bar" ? BAR : Number(point)] = Number(count);
    }
    return side(points, checkers);
  });
  const turn = letters.indexOf(take("turn"));
  const dice = take("dice", null);
  const [cube, owner] = take("cube", "1").split(":");
  const [, one, zero, length] = /^(\d+)-(\d+)(?:\/(\d+))?$/.exec(take("score", "0-0"));
  const limit = take("maxcube", null);
  const money = !Number(length ?? 0); // whose rules matches do not have
  const usual = usualMoneyRule(game) ? "on" : "off";
  return {
    game, sides, turn, checkers,
    dice: dice ? [...dice].map(Number) : null,
    cube: Number(cube),
    owner: owner === undefined ? null : letters.indexOf(owner),
    offer: take("offer", "none"),
    resign: Number(take("resign", 0)),
    scores: [Number(zero), Number(one)],
    length: Number(length ?? 0),
    crawford: take("crawford", "off") === "on",
    jacoby: take("jacoby", usual) === "on" && money,
    beavers: take("beavers", usual) === "on" && money,
    maxCube: limit === null ? usualLimit(game) : limit === "none" ? null : Number(limit),
    rules: tokens,
  };
}

export function write(position) {
  const letters = LETTERS[position.game];
  const list = (counts) => {
    const found = [];
    for (let point = BAR; point > OFF; point--) {
      if (counts[point]) found.push(`${point === BAR ? "bar" : point}:${counts[point]}`);
    }
    return found.join(",");
  };
  const tokens = [1, 0].map((player) => `${letters[player]}=${list(position.sides[player])}`);
  tokens.push(`turn=${letters[position.turn]}`);
  if (position.dice) tokens.push(`dice=${position.dice.join("")}`);
  if (position.cube !== 1 || position.owner !== null) {
    tokens.push(`cube=${position.cube}${position.owner === null ? "" : `:${letters[position.owner]}`}`);
  }
  if (position.offer !== "none") tokens.push(`offer=${position.offer}`);
  if (position.resign) tokens.push(`resign=${position.resign}`);
  const [zero, one] = position.scores;
  if (position.length || zero || one) {
    tokens.push(`score=${one}-${zero}${position.length ? `/${position.length}` : ""}`);
  }
  if (position.crawford) tokens.push("crawford");
  if (!position.length) {
    for (const name of ["jacoby", "beavers"]) {
      if (position[name] !== usualMoneyRule(position.game)) tokens.push(`${name}=${position[name] ? "on" : "off"}`);
    }
  }
  if (position.maxCube !== usualLimit(position.game)) tokens.push(`maxcube=${position.maxCube ?? "none"}`);
  if (position.checkers !== 15) tokens.push(`checkers=${position.checkers}`);
  for (const [name, value] of Object.entries(position.rules)) tokens.push(`${name}=${value}`);
  return tokens.join(" ");
}

export const copy = (position, changes = {}) => ({
  ...position, sides: position.sides.map((counts) => [...counts]), ...changes,
});

export const pips = (position, player) =>
  position.sides[player].reduce((sum, count, point) => sum + count * point, 0);

export const isOver = (position) =>
  position.sides.some((counts) => counts[OFF] === position.checkers);

/** May the side on roll turn the cube now? */
export function mayDouble(position) {
  const free = position.owner === null || position.owner === position.turn;
  const room = position.maxCube === null || position.cube * 2 <= position.maxCube;
  const dead = position.length && position.scores[position.turn] + position.cube >= position.length;
  return free && room && !dead && !position.crawford && !position.dice &&
    position.offer === "none" && !isOver(position);
}

/** {player, count} of the checkers on a place in the numbers of the side on roll, or null. */
export function standing(position, place) {
  const { turn } = position;
  if (position.sides[turn][place]) return { player: turn, count: position.sides[turn][place] };
  const count = position.sides[1 - turn][across(position.game, place)];
  return count ? { player: 1 - turn, count } : null;
}

/** The position after steps [from, to, hit] of the side on roll, which stays on roll. */
export function stepped(position, steps) {
  const next = copy(position);
  const own = next.sides[next.turn];
  const other = next.sides[1 - next.turn];
  for (const [from, to, hit] of steps) {
    own[from] -= 1;
    own[to] += 1;
    if (hit) {
      other[across(next.game, to)] -= 1;
      other[BAR] += 1;
    }
  }
  return next;
}

/** The same with the turn passed: no dice, no offer. */
export const passed = (position) => copy(position, { turn: 1 - position.turn, dice: null, offer: "none" });

export const boardKey = (position) => position.sides.map((counts) => counts.join(",")).join("/");
