// The drawn board: shows the server's SVG and turns pointers and keys into places. It knows where
// checkers lie, nothing of rules: what may move and where is asked of the hooks.

const SVG = "http://www.w3.org/2000/svg";
const CLICK = 6; // pixels a pointer may wander in a click
const reduced = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * hooks, all about {place, owner}: place is a point in the numbers of the side on roll, or "bar" or
 * "off" with the owner ("white" or "black") of what lies there:
 *   grab(spot) -> side of the checker that may be lifted there, or null (and says why)
 *   targets(spot) -> spots where it may go, to be lit
 *   drop(from, to), click(spot), die(value, index), cube()
 *   acts(spot) -> whether Enter means that spot, or else is left to the page
 *   label(spot) -> words for a screen reader
 */
export class Board {
  constructor(host, hooks) {
    this.host = host;
    this.hooks = hooks;
    this.svg = null;
    this.focused = "13:";
    host.addEventListener("pointerdown", (event) => this.#down(event));
    host.addEventListener("keydown", (event) => this.#key(event));
    // a finger on a checker moves it, anywhere else the page; `touch-action` is deaf inside an SVG
    host.addEventListener("touchstart", (event) => {
      if (event.target.closest(".movable") && event.cancelable) event.preventDefault();
    }, { passive: false });
  }

  /** Show an SVG document; `moves` are checkers {side, from, to} that travel into their places. */
  async draw(text, moves = []) {
    this.drag?.cancel();
    const before = moves.length && !reduced.matches ? this.#departures(moves) : [];
    const had = this.host.contains(document.activeElement) && document.activeElement !== this.host;
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    if (parsed.nodeName !== "svg") throw new Error("not a picture");
    const svg = document.importNode(parsed, true);
    svg.setAttribute("role", "group");
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    this.host.replaceChildren(svg);
    this.svg = svg;
    this.places = [...svg.querySelectorAll("[data-place]")];
    for (const rect of this.places) {
      rect.setAttribute("role", "button");
      rect.setAttribute("tabindex", "-1");
    }
    (this.#rect(this.focused) ?? this.places[0])?.setAttribute("tabindex", "0");
    if (had) this.#rect(this.focused)?.focus({ preventScroll: true });
    svg.querySelectorAll("[data-die]").forEach((die, index) => {
      die.addEventListener("click", () => this.hooks.die(Number(die.dataset.die), index));
    });
    svg.querySelector("[data-cube]")?.addEventListener("click", () => this.hooks.cube());
    this.relabel();
    await this.#travel(before);
  }

  /** Say anew what lies where, and which checkers may be lifted. */
  relabel() {
    for (const rect of this.places ?? []) {
      rect.setAttribute("aria-label", this.hooks.label(spotOf(rect)));
      rect.classList.toggle("movable", this.hooks.movable(spotOf(rect)));
    }
  }

  /** Dim dice that were played, mark the one a click plays. */
  dice(used, first) {
    this.svg?.querySelectorAll("[data-die]").forEach((die, index) => {
      die.classList.toggle("used", used[index] ?? false);
      die.classList.toggle("first", first === index);
    });
  }

  select(spot) {
    this.light(spot ? this.hooks.targets(spot) : []);
    for (const rect of this.places) {
      rect.classList.toggle("picked", Boolean(spot) && keyOf(spotOf(rect)) === keyOf(spot));
    }
  }

  light(spots) {
    const lit = new Set(spots.map(keyOf));
    for (const rect of this.places) rect.classList.toggle("target", lit.has(keyOf(spotOf(rect))));
  }

  #rect(key) {
    return this.places.find((rect) => keyOf(spotOf(rect)) === key);
  }

  // ---- pointers

  #down(event) {
    const rect = event.target.closest?.("[data-place]");
    if (!rect || event.button !== 0 || this.drag) return;
    const from = spotOf(rect);
    const origin = { x: event.clientX, y: event.clientY };
    let ghost = null;
    let side = null;
    let over = null;

    const move = (now) => {
      if (now.pointerId !== event.pointerId) return;
      const far = Math.hypot(now.clientX - origin.x, now.clientY - origin.y);
      if (!ghost) {
        if (far < CLICK) return;
        side = this.hooks.grab(from);
        if (!side) return end();
        ghost = this.#lift(from, side);
        this.light(this.hooks.targets(from));
        this.host.classList.add("dragging");
      }
      const at = this.#point(now);
      ghost.setAttribute("transform", `translate(${at.x} ${at.y})`);
      const under = this.#under(now);
      if (under !== over) {
        over?.classList.remove("over");
        under?.classList.add("over");
        over = under;
      }
    };
    const up = (now) => {
      if (now.pointerId !== event.pointerId) return;
      const dragged = ghost !== null;
      const target = dragged ? this.#under(now) : null;
      end();
      if (!dragged) {
        if (Math.hypot(now.clientX - origin.x, now.clientY - origin.y) < CLICK) {
          this.focused = keyOf(from);
          this.hooks.click(from);
        }
      } else if (target && target !== rect) {
        this.hooks.drop(from, spotOf(target));
      }
    };
    const cancel = (now) => {
      if (!now || now.pointerId === event.pointerId) end();
    };
    const escape = (now) => {
      if (now.key === "Escape") end();
    };
    const end = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", cancel);
      removeEventListener("keydown", escape, true);
      ghost?.restore();
      ghost = null;
      over?.classList.remove("over");
      this.light([]);
      this.host.classList.remove("dragging");
      this.drag = null;
    };
    this.drag = { cancel: end };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", cancel);
    addEventListener("keydown", escape, true);
  }

  /** A checker under the pointer in place of the topmost one of a stack. */
  #lift(spot, side) {
    const group = this.#stack(side, spot);
    const discs = group ? [...group.querySelectorAll("circle, rect")] : [];
    const taken = Number(group?.dataset.count) > discs.length ? null : discs.at(-1);
    const sample = this.svg.querySelector(`[data-side="${side}"]`);
    const ghost = document.createElementNS(SVG, "g");
    ghost.setAttribute("class", "ghost");
    for (const name of ["fill", "stroke", "stroke-width"]) {
      const painted = this.svg.querySelector(`[data-side="${side}"]:not([data-point])`) ?? sample;
      if (painted?.hasAttribute(name)) ghost.setAttribute(name, painted.getAttribute(name));
    }
    const disc = document.createElementNS(SVG, "circle");
    disc.setAttribute("r", "20");
    ghost.append(disc);
    this.svg.append(ghost);
    taken?.setAttribute("visibility", "hidden");
    ghost.restore = () => {
      ghost.remove();
      taken?.removeAttribute("visibility");
    };
    return ghost;
  }

  #point(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(this.svg.getScreenCTM().inverse());
    return { x: x.toFixed(1), y: y.toFixed(1) };
  }

  #under(event) {
    return document.elementsFromPoint(event.clientX, event.clientY)
      .find((element) => element.dataset?.place && this.svg.contains(element)) ?? null;
  }

  // ---- keys

  #key(event) {
    const rect = event.target.closest?.("[data-place]");
    if (!rect || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = (of) => ({
      x: Number(of.getAttribute("x")), y: Number(of.getAttribute("y")),
    });
    const at = box(rect);
    const step = {
      ArrowLeft: (to) => (to.y === at.y && to.x < at.x ? at.x - to.x : Infinity),
      ArrowRight: (to) => (to.y === at.y && to.x > at.x ? to.x - at.x : Infinity),
      ArrowUp: (to) => (to.y < at.y ? Math.abs(to.x - at.x) : Infinity),
      ArrowDown: (to) => (to.y > at.y ? Math.abs(to.x - at.x) : Infinity),
    }[event.key];
    if (step) {
      const ways = this.places.map((other) => [step(box(other)), other]).filter(([far]) => far < Infinity);
      ways.sort((a, b) => a[0] - b[0]);
      if (ways.length) {
        rect.setAttribute("tabindex", "-1");
        const [[, next]] = ways;
        next.setAttribute("tabindex", "0");
        next.focus();
        this.focused = keyOf(spotOf(next));
      }
    } else if (event.key === " " || (event.key === "Enter" && this.hooks.acts(spotOf(rect)))) {
      this.focused = keyOf(spotOf(rect));
      this.hooks.click(spotOf(rect));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- travelling checkers

  #stack(side, spot) {
    const point = spot.point ?? this.hooks.own(spot, side);
    if (point === "off") {
      return this.svg.querySelector(`[data-side="${side}"][data-point="off"]`);
    }
    return this.svg.querySelector(`[data-side="${side}"] > [data-point="${point}"]`);
  }

  /** Where the checkers of `moves` lie now: [{side, to, x, y}]. */
  #departures(moves) {
    const taken = new Map();
    const found = [];
    for (const { side, from, to } of moves) {
      const group = this.svg && this.#stack(side, { point: String(from) });
      if (!group) continue;
      const discs = [...group.querySelectorAll("circle, rect")];
      const n = taken.get(group) ?? 0;
      taken.set(group, n + 1);
      const disc = discs.at(-1 - Math.min(n, discs.length - 1));
      found.push({ side, to, ...centre(disc) });
    }
    return found;
  }

  async #travel(departures) {
    const landed = new Map();
    const ends = [];
    for (const { side, to, x, y } of departures.reverse()) {
      const group = this.#stack(side, { point: String(to) });
      if (!group) continue;
      const discs = [...group.querySelectorAll("circle, rect")];
      const n = landed.get(group) ?? 0;
      landed.set(group, n + 1);
      const disc = discs.at(-1 - Math.min(n, discs.length - 1));
      const end = centre(disc);
      group.parentNode.append(group); // above the stacks it passes
      const flight = disc.animate(
        [{ transform: `translate(${x - end.x}px, ${y - end.y}px)` }, { transform: "none" }],
        { duration: Math.min(180 + Math.hypot(x - end.x, y - end.y) * 0.35, 420), easing: "cubic-bezier(.3,.1,.2,1)" },
      );
      ends.push(flight.finished);
    }
    await Promise.allSettled(ends);
  }
}

function centre(disc) {
  if (disc.nodeName === "circle") return { x: disc.cx.baseVal.value, y: disc.cy.baseVal.value };
  return {
    x: disc.x.baseVal.value + disc.width.baseVal.value / 2,
    y: disc.y.baseVal.value + disc.height.baseVal.value / 2,
  };
}

const spotOf = (rect) => ({ place: rect.dataset.place, owner: rect.dataset.owner ?? "" });
const keyOf = (spot) => `${spot.place}:${spot.owner ?? ""}`;
