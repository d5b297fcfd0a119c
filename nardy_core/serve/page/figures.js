// How figures are shown: outcome chances of both games, levels, what an answer was made with.

import { h, percent } from "./dom.js";
import { t } from "./words.js";

/** Exclusive classes, wins first: [{key, words, value, won, weight}]. */
export function classes(probabilities) {
  const names = Object.keys(probabilities);
  const half = names.length / 2;
  return names.map((name, n) => ({
    name, value: Math.max(probabilities[name], 0), won: n < half, weight: n % half,
  }));
}

/** Wins from the left, losses from the right, the weightier the darker. */
export function chanceBar(probabilities) {
  const found = classes(probabilities);
  const won = found.filter((part) => part.won);
  const lost = found.filter((part) => !part.won);
  return h("span.chances", { "aria-hidden": "true" }, [...won.reverse(), ...lost].map((part) =>
    h("span", {
      data: { won: part.won ? "1" : "0", weight: String(part.weight) },
      style: { "--share": part.value.toFixed(5) },
    })));
}

/** "Win 55.4 · g 17.1 · bg 0.7": a gammon counts as a win, too; long nardy's classes add up. */
export function chanceLine(probabilities) {
  const found = classes(probabilities);
  const nested = "win_gammon" in probabilities;
  const half = (won) => {
    const parts = found.filter((part) => part.won === won);
    const sum = (some) => some.reduce((total, part) => total + part.value, 0);
    const figures = [[t(won ? "win" : "lose"), sum(parts)], ...(nested
      ? [[t("s_gammon"), sum(parts.slice(1))], [t("s_backgammon"), sum(parts.slice(2))]]
      : parts.map((part) => [t(shortOf(part.name)), part.value]))];
    return h("span.half", {}, figures.map(([words, value]) => h("span", {}, `${words} ${percent(value)}`)));
  };
  return h("span.figures", { class: nested ? "figures" : "figures two" }, half(true), half(false));
}

/** The word for a class of long nardy, won or lost. */
const shortOf = (name) => (name.endsWith("home_mars") ? "s_home_mars" : name.replace(/^.*_/, ""));

export const tone = (value) => (value > 1e-9 ? "good" : value < -1e-9 ? "bad" : "even");

export const levelName = (level) => (typeof level === "number" ? t("ply", { n: level }) : String(level));

export const engineLine = (engine) => (engine ? h("p.engine", {}, [
  `${engine.name} ${engine.version}`,
  ...Object.entries(engine.nets ?? {}).map(([part, hash]) => `${part} ${hash}`),
  ...(engine.tables ?? []),
].join(" · ")) : "");
