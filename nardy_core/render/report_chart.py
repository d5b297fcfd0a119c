"""The course of a match as a curve: the chance of the first player to win it, or points."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from nardy_core.match_analysis.result import MatchAnalysis
from nardy_core.match_analysis.text import names_of
from nardy_core.render.svg import num

WIDTH, HEIGHT = 1040, 270
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 30, 30  # margins


def curve_svg(
    analysis: MatchAnalysis, links: Mapping[tuple[int, int], tuple[str, str, str]]
) -> str:
    """The curve as SVG that takes its colours from the page.

    links : for (game, number) of an error: (name of its anchor, class of its dot, words)
    """
    points = analysis.curve()
    if len(points) < 2:
        return ""
    match = bool(analysis.record.length)
    low, high = (0.0, 1.0) if match else _range([value for *_, value in points])
    middle = 0.5 if match else 0.0
    step = (WIDTH - LEFT - RIGHT) / (len(points) - 1)

    def x(n: float) -> float:
        return LEFT + n * step

    def y(value: float) -> float:
        return TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = []
    for value in (0.0, 0.25, 0.5, 0.75, 1.0) if match else _ticks(low, high):
        dash = "" if value == middle else ' stroke-dasharray="2 5"'
        parts.append(f'<path d="M{LEFT} {num(y(value))}H{WIDTH - RIGHT}" '
                     f'stroke="var(--line)"{dash}/>')
        label = f"{100 * value:.0f}%" if match else f"{value:+g}"
        parts.append(f'<text x="{LEFT - 8}" y="{num(y(value) + 4)}" text-anchor="end">{label}'
                     "</text>")
    parts += _games(analysis, points, x)
    line = "".join(f"{'L' if n else 'M'}{num(x(n))} {num(y(value))}"
                   for n, (_, _, value) in enumerate(points))
    base = num(y(middle))
    area = f"{line}L{num(x(len(points) - 1))} {base}L{LEFT} {base}z"
    half = y(middle)
    parts += [
        f'<clipPath id="up"><rect x="0" y="0" width="{WIDTH}" height="{num(half)}"/></clipPath>',
        f'<clipPath id="down"><rect x="0" y="{num(half)}" width="{WIDTH}" '
        f'height="{num(HEIGHT - half)}"/></clipPath>',
        f'<path d="{area}" fill="var(--tint-one)" clip-path="url(#up)"/>',
        f'<path d="{area}" fill="var(--tint-two)" clip-path="url(#down)"/>']
    for side, hue in (("up", "one"), ("down", "two")):
        parts.append(f'<path d="{line}" fill="none" stroke="var(--{hue})" stroke-width="2" '
                     f'stroke-linejoin="round" clip-path="url(#{side})"/>')
    for n, (game, number, value) in enumerate(points):
        # Of a roll with a cube decision before it, the play comes last and bears the dot.
        last = n + 1 == len(points) or points[n + 1][:2] != (game, number)
        if last and (game, number) in links:
            anchor, hue, words = links[game, number]
            radius = 5 if hue == "fault" else 3.5
            parts.append(
                f'<a href="#{anchor}"><circle cx="{num(x(n))}" cy="{num(y(value))}" r="{radius}" '
                f'fill="var(--{hue})" stroke="var(--card)"><title>{escape(words)}</title>'
                "</circle></a>")
    first, second = names_of(analysis.record)
    parts.append(f'<text class="name" x="{LEFT + 8}" y="{TOP + 16}" style="fill:var(--one)">'
                 f"{escape(first)}</text>")
    parts.append(f'<text class="name" x="{LEFT + 8}" y="{HEIGHT - BOTTOM - 8}" '
                 f'style="fill:var(--two)">{escape(second)}</text>')
    return (f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>')


def _games(
    analysis: MatchAnalysis, points: Sequence[tuple[int, int, float]], at: Callable[[float], float]
) -> list[str]:
    """Where each game begins: a line, its number, and the score."""
    begins: dict[int, int] = {}
    for n, (game, _, _) in enumerate(points):
        begins.setdefault(game, n)
    begins_at = sorted(begins.items())
    parts = []
    for k, (game, n) in enumerate(begins_at):
        end = begins_at[k + 1][1] if k + 1 < len(begins_at) else len(points) - 1
        if n:
            parts.append(f'<path d="M{num(at(n))} {TOP}V{HEIGHT - BOTTOM}" stroke="var(--line)"/>')
        score = analysis.record.games[game].score
        room = at(end) - at(n)
        words = f"{game + 1}" if room < 60 else f"{game + 1}:  {score[0]}–{score[1]}"
        if room > 14:
            parts.append(f'<text x="{num(at(n) + 4)}" y="{HEIGHT - 9}">{words}</text>')
    return parts


def _range(values: Sequence[float]) -> tuple[float, float]:
    reach = max(1.0, *(abs(v) for v in values)) * 1.05
    return -reach, reach


def _ticks(low: float, high: float) -> list[float]:
    step = next((s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500) if (high - low) / s <= 9), 1000)
    top = int(high // step)
    return [float(step * n) for n in range(-top, top + 1)]
