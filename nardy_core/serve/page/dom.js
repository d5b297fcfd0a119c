// Small helpers for the page: making elements, icons, numbers.

/** An element: h("button.primary", {onclick, hidden, title}, "text", child, …). */
export function h(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key === "style") for (const [name_, v] of Object.entries(value)) element.style.setProperty(name_, v);
    else if (key in element && key !== "list" && key !== "form") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** "+0.1641" with a true minus. */
export function signed(value, digits = 4) {
  if (value === null || value === undefined) return "";
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

export const percent = (value, digits = 1) => (100 * value).toFixed(digits);

/** A group of buttons of which one is pressed. choices: [[value, words], …] */
export function segmented(label, choices, value, onpick) {
  const buttons = choices.map(([choice, words]) =>
    h("button", {
      type: "button", "aria-pressed": String(choice === value), data: { value: String(choice) },
      onclick: () => {
        for (const other of buttons) other.setAttribute("aria-pressed", String(other.dataset.value === String(choice)));
        onpick(choice);
      },
    }, words));
  return h("div.seg", { role: "group", "aria-label": label }, buttons);
}

export function select(label, choices, value, onpick) {
  const list = h("select", { "aria-label": label, onchange: () => onpick(list.value) },
    choices.map(([choice, words]) => h("option", { value: choice }, words)));
  list.value = value;
  return list;
}
