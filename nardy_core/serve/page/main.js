// The page's beginning: what was chosen before, the frame's buttons, keys, the address.

import * as api from "./api.js";
import { analyse } from "./analysis.js";
import { App } from "./app.js";
import { $, h } from "./dom.js";
import { play } from "./game.js";
import { start, write } from "./position.js";
import { setup } from "./setup.js";
import { LANGUAGES, language, setLanguage, t } from "./words.js";

const app = new App({ analyse, setup, play });
let typed = ""; // the first digit of a roll
const stored = (key) => localStorage.getItem(`nardy-${key}`);
const store = (key, value) => localStorage.setItem(`nardy-${key}`, value);

// ---- words and looks

function translate() {
  document.documentElement.lang = language();
  document.title = t("title");
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-label]")) {
    const words = t(element.dataset.label);
    element.setAttribute("aria-label", words);
    if (element.matches("button")) element.title = words;
  }
  $("board").setAttribute("role", "group");
  $("board").setAttribute("aria-label", `${t("board")}. ${t("board_help")}`);
  press("languages", "lang", language());
}

function press(group, key, value) {
  for (const button of document.querySelectorAll(`#${group} button`)) {
    button.setAttribute("aria-pressed", String(button.dataset[key] === value));
  }
}

async function speak(code) {
  setLanguage(code);
  store("language", code);
  translate();
  if (!app.mode) return;
  await app.mode.enter(app);
  app.update();
  await app.draw();
}

function dress(choice) {
  app.themeChoice = choice;
  store("theme", choice);
  press("themes", "themeChoice", choice);
  app.retheme();
}

const redraw = () => app.guard(app.draw().then(() => app.update()));

function flip() {
  app.below = 1 - app.below;
  redraw();
}

function mirror(on) {
  app.mirrored = on;
  $("mirrored").checked = on;
  store("mirrored", on ? "1" : "");
  redraw();
}

// ---- the frame's buttons

function wire() {
  $("flip").onclick = flip;
  $("undo").onclick = () => app.guard(app.back());
  $("redo").onclick = () => app.guard(app.forward());
  $("mirrored").onchange = (event) => mirror(event.target.checked);
  $("help-open").onclick = showHelp;
  for (const button of document.querySelectorAll("#languages button")) {
    button.onclick = () => app.guard(speak(button.dataset.lang));
  }
  for (const button of document.querySelectorAll("#themes button")) {
    button.onclick = () => dress(button.dataset.themeChoice);
  }
  for (const button of document.querySelectorAll("#modes button")) {
    button.onclick = () => app.guard(app.switchTo(button.dataset.mode));
  }
  for (const button of document.querySelectorAll("#games button")) {
    button.onclick = () => {
      if (app.position?.game === button.dataset.game) return;
      play.forget(app);
      app.guard(app.go(write(start(button.dataset.game)), { seat: "mover" }));
    };
  }
  $("form").onchange = () => {
    app.form = $("form").value;
    app.update();
  };
  $("idline").onsubmit = (event) => {
    event.preventDefault();
    openId($("id").value);
  };
  $("id").addEventListener("paste", () => setTimeout(() => openId($("id").value)));
  $("id").onfocus = () => $("id").select();
  $("id").onblur = () => app.position && app.update();
  $("copy-id").onclick = () => copyText(app.ids[$("form").value]);
  $("copy-link").onclick = () => copyText(location.href);
  addEventListener("keydown", onKey);
  addEventListener("hashchange", () => {
    if (location.hash.slice(1) !== app.hash) app.guard(app.go(decodeURIComponent(location.hash.slice(1)), { seat: "mover" }));
  });
}

async function openId(text) {
  if (!text.trim()) return;
  const error = $("id-error");
  error.hidden = true;
  try {
    play.forget(app);
    $("id").blur();
    await app.go(text, { seat: "mover" });
  } catch (problem) {
    $("id").value = text;
    error.textContent = app.wrong(problem);
    error.hidden = false;
  }
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    app.toast(t("copied"));
  } catch {
    app.toast(t("not_copied"));
  }
}

// ---- keys

const KEYS = {
  r: () => app.mode.roll?.(app),
  Enter: () => app.mode.done?.(app),
  u: () => app.guard(app.back()),
  Backspace: () => app.guard(app.back()),
  ArrowLeft: () => app.guard(app.back()),
  ArrowRight: () => app.guard(app.forward()),
  ArrowDown: () => app.mode.list?.(app, 1),
  ArrowUp: () => app.mode.list?.(app, -1),
  d: () => app.mode.double?.(app),
  f: flip,
  m: () => mirror(!app.mirrored),
  a: () => app.guard(app.switchTo("analyse")),
  s: () => app.guard(app.switchTo("setup")),
  p: () => app.guard(app.switchTo("play")),
  "?": showHelp,
};

const SHOWN = [
  [["R"], "key_roll"], [["1–6", "1–6"], "key_digits"], [["Enter"], "key_done"], [["←", "→"], "key_undo"],
  [["↑", "↓"], "key_list"], [["Tab", "← ↑ → ↓", "Enter"], "key_board"], [["D"], "key_double"],
  [["F", "M"], "key_flip"], [["A", "S", "P"], "key_modes"], [["?"], "key_help"],
];

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event;
  if (target.closest("input:not([type=checkbox]), select, textarea, dialog, [popover]")) return;
  if (event.key === "Enter" && target.closest("button, a, summary")) return;
  if (/^[1-6]$/.test(event.key) && app.mode.digits) {
    event.preventDefault();
    if (typed) app.mode.digits(app, [Number(typed), Number(event.key)].sort((a, b) => b - a));
    typed = typed ? "" : event.key;
    return;
  }
  typed = "";
  const doing = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!doing) return;
  event.preventDefault();
  doing();
}

function showHelp() {
  const dialog = $("help");
  dialog.replaceChildren(
    h("h2", { id: "help-title" }, t("keys_title")),
    h("dl.keys", {}, SHOWN.map(([keys, words]) => [
      h("dt", {}, keys.map((key) => h("kbd", {}, key))), h("dd", {}, t(words))])),
    h("p.muted", {}, t("help_board")),
    h("button.primary", { type: "button", autofocus: true, onclick: () => dialog.close() }, t("close")));
  dialog.showModal();
}

// ---- beginning

async function begin() {
  const address = new URL(location.href);
  api.setToken(address.searchParams.get("token"));
  if (address.searchParams.has("token")) {
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
  const spoken = stored("language") ?? navigator.languages.map((code) => code.slice(0, 2)).find((code) => LANGUAGES.includes(code));
  setLanguage(spoken ?? "en");
  translate();
  dress(stored("theme") ?? "auto");
  app.mirrored = stored("mirrored") === "1";
  $("mirrored").checked = app.mirrored;
  wire();
  await connect();
}

async function connect() {
  try {
    app.info = await api.info();
  } catch (error) {
    $("panel").replaceChildren(error.status === 401 ? tokenForm() : h("div.setup", {},
      h("p.empty", { role: "alert" }, app.wrong(error)),
      h("button.plain", { type: "button", onclick: connect }, t("again"))));
    return;
  }
  app.level = app.info.levels.includes(app.info.level) ? app.info.level : app.info.levels[0];
  const given = decodeURIComponent(location.hash.slice(1));
  await app.switchTo("analyse");
  let shown;
  if (given) shown = await app.guard(app.go(given, { seat: "mover", push: false }));
  if (shown === undefined) await app.guard(app.go(write(start("backgammon")), { push: false }));
  document.body.dataset.ready = "1";
}

function tokenForm() {
  const field = h("input.number", { type: "password", id: "token", autocomplete: "off", "aria-label": t("token") });
  return h("form.setup", {
    onsubmit: (event) => {
      event.preventDefault();
      api.setToken(field.value);
      connect();
    },
  }, h("p.hint", {}, t("token_about")), field, h("button.primary", {}, t("begin")));
}

begin();
