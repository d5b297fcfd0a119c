// Dice: faces, the chooser of rolls, and throws.

import { h } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const FACES = {
  1: [[0, 0]],
  2: [[-1, 1], [1, -1]],
  3: [[-1, 1], [0, 0], [1, -1]],
  4: [[-1, -1], [-1, 1], [1, -1], [1, 1]],
  5: [[-1, -1], [-1, 1], [0, 0], [1, -1], [1, 1]],
  6: [[-1, -1], [-1, 0], [-1, 1], [1, -1], [1, 0], [1, 1]],
};

/** One die as a small picture without a name of its own. */
function face(value) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "-10 -10 20 20");
  svg.setAttribute("class", "die");
  svg.setAttribute("aria-hidden", "true");
  const body = document.createElementNS(SVG, "rect");
  for (const [name, size] of [["x", -9], ["y", -9], ["width", 18], ["height", 18], ["rx", 4.5]]) {
    body.setAttribute(name, size);
  }
  const dots = document.createElementNS(SVG, "path");
  dots.setAttribute("d", FACES[value].map(([x, y]) => `M${5 * x} ${5 * y}h0`).join(""));
  svg.append(body, dots);
  return svg;
}

export const faces = (dice) => h("span.faces", {}, dice.map(face));

/** An even number 1..6 from the browser's own source of chance. */
export function throwDie() {
  const [byte] = crypto.getRandomValues(new Uint8Array(1));
  return byte < 252 ? 1 + (byte % 6) : throwDie();
}

const ROLLS = [];
for (let high = 1; high <= 6; high++) {
  for (let low = 1; low <= high; low++) ROLLS.push([high, low]);
}

/** Buttons for the 21 rolls as a triangle; `doubles` false greys the equal ones out. */
export function chooser(onpick, doubles = true) {
  return h("div.rolls-grid", {}, ROLLS.map(([high, low]) =>
    h("button.roll", {
      type: "button", "aria-label": `${high}-${low}`, disabled: !doubles && high === low,
      style: { "--row": high, "--column": low }, onclick: () => onpick([high, low]),
    }, faces([high, low]))));
}
