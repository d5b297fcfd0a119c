// How figures are shown: outcome chances of both games, levels, what an answer was made with.

import { h, percent } from "./dom.js";
import { t } from "./words.js";

/** Exclusive classes, wins first: [{key, words, value, won, weight}]. */
export function classes(probabilities) {
  const names = Object.keys(probabilities);
  const half = names.length / 2;
  return names.map((name, n) => ({
    name, value: Math.max(probabilities[name], 0), won: n < half, weight: n % half,
    words: t(wordOf(name)),
  }));
}

const wordOf = (name) => {
  for (const [ending, word] of [
    ["home_mars", "home_mars"], ["mars", "mars"], ["koks", "koks"], ["oin", "oin"],
  ]) if (name.endsWith(ending)) return word;
  return name;
};

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

/** "55.4 · 17.1 · 0.7 | 44.6 · 11.7 · 0.5": backgammon nests its gammons as players expect. */
export function chanceLine(probabilities) {
  const found = classes(probabilities);
  const nested = "win_gammon" in probabilities;
  const half = (won) => {
    const parts = found.filter((part) => part.won === won);
    const figures = parts.map((part, n) => {
      const value = nested ? parts.slice(n).reduce((sum, other) => sum + other.value, 0) : part.value;
      return { words: n === 0 && nested ? t(won ? "win" : "lose") : part.words, value };
    });
    if (!nested) {
      const all = parts.reduce((sum, part) => sum + part.value, 0);
      figures.unshift({ words: t(won ? "win" : "lose"), value: all });
    }
    return h("span.half", { data: { won: won ? "1" : "0" } }, figures.map(({ words, value }, n) =>
      h("span", { title: words }, n > 0 && h("span.hidden", {}, words), n === 0 && h("span.lead", {}, words), " ", percent(value))));
  };
  return h("span.figures", {}, half(true), half(false));
}

export const tone = (value) => (value > 1e-9 ? "good" : value < -1e-9 ? "bad" : "even");

export const levelName = (level) => (typeof level === "number" ? t("ply", { n: level }) : String(level));

export const engineLine = (engine) => (engine ? h("p.engine", {}, [
  `${engine.name} ${engine.version}`,
  ...Object.entries(engine.nets ?? {}).map(([part, hash]) => `${part} ${hash}`),
  ...(engine.tables ?? []),
].join(" · ")) : "");
