"""Line charts as SVG, for the figures of this folder; the standard library alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 680, 400
LEFT, RIGHT, TOP, BOTTOM = 72, 216, 36, 48
COLOURS = ("#1b6ca8", "#c8553d", "#3c8d53", "#7d4fa3", "#a07a12", "#0f8b8d", "#b03a75", "#5b6770")
STYLE = """text{font:12px sans-serif;fill:#222}.title{font-size:14px;font-weight:bold}
.grid{stroke:#ccc;stroke-width:1}.line{fill:none;stroke-width:2}rect{fill:#fff}
@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}rect{fill:#1b1b1b}}"""

Points = Sequence[tuple[float, float]]


def ticks(low: float, high: float, log: bool) -> list[float]:
    """Round numbers from low to high: 1, 2, 5 times powers of ten."""
    if log:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = (1, 2, 5) if high / low < 300 else (1,)
        return [step * 10.0**power for power in powers for step in steps
                if low <= step * 10.0**power * 1.0001 and step * 10.0**power <= high * 1.0001]
    raw = (high - low) / 6 or 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(n * power for n in (1, 2, 5, 10) if n * power >= raw)
    return [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def number(value: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g}"


class _Axis:
    def __init__(self, values: Sequence[float], log: bool, start: float, end: float) -> None:
        low, high = min(values), max(values)
        if not log:
            low = min(low, 0.0) if low < 0.4 * high else low
            high += (high == low)
        elif low == high:
            low, high = low / 2, high * 2
        self.log, self.low, self.high, self.start, self.end = log, low, high, start, end
        self.ticks = ticks(low, high, log)

    def at(self, value: float) -> float:
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)


def svg(title: str, x: str, y: str, lines: Mapping[str, Points], *, log_x: bool = False,
        log_y: bool = False, names: Mapping[float, str] | None = None) -> str:
    """A chart of (x, y) points by the name of their line; `names` stand in place of x numbers."""
    points = [point for line in lines.values() for point in line]
    across = _Axis([p[0] for p in points], log_x, LEFT, WIDTH - RIGHT)
    up = _Axis([p[1] for p in points], log_y, HEIGHT - BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
           f"<title>{escape(title)}</title><style>{STYLE}</style>",
           f'<rect width="{WIDTH}" height="{HEIGHT}"/>',
           f'<text class="title" x="{LEFT}" y="20">{escape(title)}</text>']
    for value in names or across.ticks:
        label = names[value] if names else number(value)
        out.append(f'<line class="grid" x1="{across.at(value):.1f}" x2="{across.at(value):.1f}" '
                   f'y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
                   f'<text x="{across.at(value):.1f}" y="{HEIGHT - BOTTOM + 16}" '
                   f'text-anchor="middle">{escape(label)}</text>')
    for value in up.ticks:
        out.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" '
                   f'y1="{up.at(value):.1f}" y2="{up.at(value):.1f}"/>'
                   f'<text x="{LEFT - 6}" y="{up.at(value) + 4:.1f}" text-anchor="end">'
                   f"{number(value)}</text>")
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 10}" '
               f'text-anchor="middle">{escape(x)}</text>'
               f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" '
               f'text-anchor="middle">{escape(y)}</text>')
    ends = spread([up.at(line[-1][1]) for line in lines.values()])
    for i, ((name, line), end) in enumerate(zip(lines.items(), ends, strict=True)):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{across.at(a):.1f},{up.at(b):.1f}" for a, b in line)
        out.append(f'<polyline class="line" stroke="{colour}" points="{path}"/>')
        out += [f'<circle cx="{across.at(a):.1f}" cy="{up.at(b):.1f}" r="3" fill="{colour}"/>'
                for a, b in line]
        out.append(f'<text x="{WIDTH - RIGHT + 10}" y="{end + 4:.1f}" style="fill:{colour}">'
                   f"{escape(name)}</text>")
    return "\n".join([*out, "</svg>\n"])


def spread(wanted: Sequence[float], gap: float = 14) -> list[float]:
    """The places nearest to those wanted, at least `gap` apart, in the same order of height."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    placed = [0.0] * len(wanted)
    last = -math.inf
    for i in order:
        placed[i] = last = max(wanted[i], last + gap)
    beyond = max(placed, default=0) - (HEIGHT - 8)
    for i in reversed(order) if beyond > 0 else ():
        placed[i] = min(placed[i], HEIGHT - 8 - gap * (len(order) - 1 - order.index(i)))
    return placed
