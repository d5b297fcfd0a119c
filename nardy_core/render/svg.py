"""The board as one self-contained SVG: no style sheet, no script, no reference outside itself.

Flat wood, player 1 light and player 0 dark; coordinates are those of `layout.py`. Presentation
attributes only, so that a board set into a page neither takes over the page's styles nor leaks its
own. Every `circle` is a checker: other round things are drawn as paths.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

from nardy_core.checks import one_of
from nardy_core.notation import format_play
from nardy_core.position import Position
from nardy_core.render.arrows import Arrow, play_arrows
from nardy_core.render.describe import description, headline, offers
from nardy_core.render.layout import (
    BAR_STACK,
    BAR_WIDTH,
    BOARD,
    BOTTOM,
    CUBE,
    DIE,
    HEIGHT,
    LEFT,
    MIDDLE_X,
    MIDDLE_Y,
    POINT,
    POINT_HEIGHT,
    RADIUS,
    RIGHT,
    SLAB,
    STACK,
    TOP,
    TRAY_WIDTH,
    WIDTH,
    Layout,
)
from nardy_core.render.themes import FONT, THEMES, Theme
from nardy_core.render.view import BAR, OFF, PLAYERS, View, view_of
from nardy_core.terms import term

NAME_LENGTH = 22  # longer names are cut
LETTER = 10.5  # width to reckon with for a letter beside the board

# where the pips of a die lie, in thirds of its face
_FACES = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def num(value: float) -> str:
    """A coordinate with at most one decimal, as short as it gets."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")


def board_svg(
    position: Position,
    *,
    size: int = 720,
    theme: str = "light",
    mirrored: bool = False,
    perspective: int | None = None,
    arrows: Any = None,
    fault: Any = None,
    dice: bool = True,
    cube: bool = True,
    pips: bool = True,
    labels: bool = True,
    captions: bool = True,
    places: bool = False,
    lang: str = "en",
    names: Sequence[str] | None = None,
    id_prefix: str | None = None,
) -> str:
    """The position as an SVG document, `size` pixels wide; the same input gives the same bytes.

    theme : "light", "dark" or "print" (black on white)
    mirrored : home boards on the left
    perspective : the player (0 or 1) who sits below, None for the side on roll
    arrows : a play drawn on the position before it: an object with `.steps`, or a sequence of steps
        (from, to) or (from, to, hit) in the mover's own numbers, 25 = bar, 0 = off
    fault : another play, drawn below that one in the colour of errors
    dice, cube, pips, labels : parts to draw; labels are the point numbers of the side on roll
    captions : names, scores, pip counts and offers beside the board; without them the picture is
        the board itself, 700 : 516
    places : over the checkers, below dice and cube, an unpainted rectangle for each place that can
        hold checkers, for programs that let a reader point at it: `data-place` is the point in the
        numbers of the side on roll, or "bar" or "off" with the `data-owner` of its checkers
    lang : "en", "ru" or "uk", for captions, title and description
    names : of players 0 and 1, instead of Black and White
    id_prefix : start of every id in the document; by default taken from the content, so that only
        boards equal to the last byte share ids

    Raises ValueError for an unknown theme, language or perspective, a size that is not positive,
    and arrows that start where the mover has no checker.
    """
    one_of("theme", theme, THEMES)
    if size <= 0:
        raise ValueError(f"size {size}: must be positive")
    view = view_of(position, perspective, names, lang)
    layout = Layout(view, mirrored)
    play = play_arrows(layout, getattr(arrows, "steps", arrows)) if arrows is not None else []
    wrong = play_arrows(layout, getattr(fault, "steps", fault)) if fault is not None else []
    if id_prefix is None:
        content = repr(
            (view, play, size, theme, mirrored, dice, cube, pips, labels, captions, places)
        )
        content += repr(wrong) if wrong else ""
        id_prefix = "n" + hashlib.sha256(content.encode()).hexdigest()[:8]
    painter = _Painter(view, layout, THEMES[theme], escape(id_prefix, {'"': "&quot;"}))
    parts = painter.board()
    if labels:
        parts += painter.numbers()
    parts += painter.checkers()
    if places:
        parts += painter.places()
    if cube and view.cube_shown:
        parts += painter.cube()
    if dice and view.dice:
        parts += painter.dice(view.dice)
    if wrong:
        parts += painter.arrows(wrong, THEMES[theme].fault)
    if play:
        parts += painter.arrows(play, THEMES[theme].accent)
    if captions:
        parts += painter.captions(pips)
    words = description(view)
    if play:
        steps = [(arrow.source, arrow.target, arrow.hit) for arrow in play]
        words += f" {term('play', lang).capitalize()}: {format_play(steps)}."
    box = (0, 0, WIDTH, HEIGHT) if captions else BOARD
    return painter.document(size, box, headline(view), words, parts)


class _Painter:
    """Paints the parts of one board; each method answers a list of elements."""

    def __init__(self, view: View, layout: Layout, theme: Theme, prefix: str) -> None:
        self.view = view
        self.layout = layout
        self.theme = theme
        self.prefix = prefix

    def document(
        self, size: int, box: tuple[int, int, int, int], title: str, words: str, parts: list[str]
    ) -> str:
        prefix, height = self.prefix, round(size * box[3] / box[2])
        return "\n".join(
            [
                (
                    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(map(str, box))}" '
                    f'width="{size}" height="{height}" role="img" xml:lang="{self.view.lang}" '
                    f'aria-labelledby="{prefix}t {prefix}d" font-family="{FONT}" '
                    'text-anchor="middle">'
                ),
                f'<title id="{prefix}t">{escape(title)}</title>',
                f'<desc id="{prefix}d">{escape(words)}</desc>',
                *self.gradients(),
                *parts,
                "</svg>",
                "",
            ]
        )

    def gradients(self) -> list[str]:
        """One a side: a disc with a groove, which keeps each checker a single circle."""
        theme, stops = self.theme, []
        for player in (0, 1):
            fill, ring = theme.checkers[player], theme.rings[player]
            if fill == ring:
                continue
            parts = ((".58", fill), (".62", ring), (".74", ring), (".78", fill))
            inner = "".join(f'<stop offset="{at}" stop-color="{hue}"/>' for at, hue in parts)
            stops.append(f'<radialGradient id="{self.prefix}{player}">{inner}</radialGradient>')
        return ["<defs>", *stops, "</defs>"] if stops else []

    def checker_fill(self, player: int) -> str:
        theme = self.theme
        flat = theme.checkers[player] == theme.rings[player]
        return theme.checkers[player] if flat else f"url(#{self.prefix}{player})"

    def board(self) -> list[str]:
        theme, (x, y, width, height) = self.theme, BOARD
        edge = f' stroke="{theme.line}"' if theme.line else ""
        field_width = (RIGHT - LEFT - BAR_WIDTH) // 2
        trays = []
        for centre in (LEFT - 36, RIGHT + 36):
            left = centre - TRAY_WIDTH // 2
            trays.append(f"M{left} {TOP}h{TRAY_WIDTH}V{BOTTOM}h-{TRAY_WIDTH}z")
        shades: tuple[list[str], list[str]] = ([], [])
        for place in range(1, 25):
            x0 = num(self.layout.column(place) - POINT / 2)
            base, tip = (TOP, POINT_HEIGHT) if place > 12 else (BOTTOM, -POINT_HEIGHT)
            half = POINT // 2
            shades[place % 2].append(f"M{x0} {base}l{half} {tip} {half} {-tip}z")
        return [
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="{theme.page}"/>',
            (
                f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="10" '
                f'fill="{theme.frame}"{edge}/>'
            ),
            f'<path d="{"".join(trays)}" fill="{theme.tray}"{edge}/>',
            (
                f'<path d="M{LEFT} {TOP}h{field_width}V{BOTTOM}H{LEFT}z'
                f'M{RIGHT} {TOP}h-{field_width}V{BOTTOM}H{RIGHT}z" fill="{theme.field}"{edge}/>'
            ),
            *(
                f'<path d="{"".join(shade)}" fill="{fill}"{edge}/>'
                for shade, fill in zip(shades, theme.points, strict=True)
            ),
        ]

    def numbers(self) -> list[str]:
        """Point numbers of the side on roll on the frame; borne-off counts at the trays."""
        marks = []
        for place in range(1, 25):
            y = TOP - 9 if place > 12 else BOTTOM + 21
            label = self.view.label(place)
            marks.append(f'<text x="{num(self.layout.column(place))}" y="{y}">{label}</text>')
        return [f'<g fill="{self.theme.numbers}" font-size="16">', "".join(marks), "</g>"]

    def checkers(self) -> list[str]:
        theme, out = self.theme, []
        for player in (0, 1):
            stacks, digits = [], []
            for number in range(BAR, OFF, -1):
                count = self.view.counts[player][number]
                if not count:
                    continue
                most = BAR_STACK if number == BAR else STACK
                discs = ""
                for slot in range(min(count, most)):
                    x, y = self.layout.checker(player, number, slot)
                    discs += f'<circle cx="{num(x)}" cy="{num(y)}" r="{RADIUS}"/>'
                where = "bar" if number == BAR else number
                stacks.append(f'<g data-point="{where}" data-count="{count}">{discs}</g>')
                if count > most:
                    digits.append(f'<text x="{num(x)}" y="{num(y + 7)}">{count}</text>')
            edge, fill = theme.edges[player], self.checker_fill(player)
            out.append(
                f'<g data-side="{PLAYERS[player]}" fill="{fill}" stroke="{edge}" '
                'stroke-width="1.5">'
            )
            out += stacks
            out.append("</g>")
            if digits:
                ink = theme.digits[player]
                out.append(
                    f'<g fill="{ink}" font-size="21" font-weight="700">{"".join(digits)}</g>'
                )
            out += self.borne_off(player)
        return out

    def borne_off(self, player: int) -> list[str]:
        count, theme = self.view.counts[player][OFF], self.theme
        if not count:
            return []
        width = TRAY_WIDTH - 10
        slabs = ""
        for slot in range(count):
            x, y = self.layout.in_tray(player, slot)
            slabs += (
                f'<rect x="{num(x - width / 2)}" y="{num(y - SLAB / 2)}" '
                f'width="{width}" height="{SLAB}" rx="3"/>'
            )
        x, y = self.layout.in_tray(player, 0)
        y = BOTTOM + 21 if y > MIDDLE_Y else TOP - 9
        return [
            (
                f'<g data-side="{PLAYERS[player]}" data-point="off" data-count="{count}" '
                f'fill="{theme.checkers[player]}" stroke="{theme.edges[player]}">{slabs}</g>'
            ),
            (
                f'<text x="{num(x)}" y="{y}" font-size="18" font-weight="700" '
                f'fill="{theme.numbers}">{count}</text>'
            ),
        ]

    def cube(self) -> list[str]:
        x, y = self.layout.cube()
        value, theme = self.view.offered or self.view.cube, self.theme
        # a cube that nobody has turned lies with its 64 up
        shown = 64 if value == 1 else value
        owner = "centre" if self.view.cube_owner is None else PLAYERS[self.view.cube_owner]
        size = {1: 26, 2: 22, 3: 17}.get(len(str(shown)), 13)
        return [
            (
                f'<g data-cube="{value}" data-owner="{owner}">'
                f'<rect x="{num(x - CUBE / 2)}" y="{num(y - CUBE / 2)}" width="{CUBE}" '
                f'height="{CUBE}" rx="7" fill="{theme.cube[0]}" stroke="{theme.cube[1]}"/>'
                f'<text x="{num(x)}" y="{num(y + size * 0.36)}" font-size="{size}" '
                f'font-weight="700" fill="{theme.cube[1]}">{shown}</text></g>'
            )
        ]

    def dice(self, dice: tuple[int, int]) -> list[str]:
        mover, theme, faces = self.view.mover, self.theme, ""
        for value, (x, y) in zip(dice, self.layout.dice(), strict=True):
            dots = "".join(f"M{num(x + 11 * a)} {num(y + 11 * b)}h0" for a, b in _FACES[value])
            faces += (
                f'<g data-die="{value}"><rect x="{num(x - DIE / 2)}" y="{num(y - DIE / 2)}" '
                f'width="{DIE}" height="{DIE}" rx="8"/>'
                f'<path d="{dots}" stroke="{theme.digits[mover]}" stroke-width="8" '
                'stroke-linecap="round"/></g>'
            )
        return [
            (
                f'<g data-dice="{dice[0]}-{dice[1]}" fill="{theme.checkers[mover]}" '
                f'stroke="{theme.edges[mover]}">{faces}</g>'
            )
        ]

    def places(self) -> list[str]:
        """What a pointer can hit: a column for each point, halves of the bar, the trays in use."""
        view, half = self.view, MIDDLE_Y - TOP
        spots = [
            (f'data-place="{view.label(place)}"', self.layout.column(place), POINT, place > 12)
            for place in range(1, 25)
        ]
        for player in (0, 1):
            owner = f'data-owner="{PLAYERS[player]}"'
            upper = player == view.top
            if not view.is_long:
                # checkers on the bar lie in their own half of it
                spots.append((f'data-place="bar" {owner}', MIDDLE_X, BAR_WIDTH, upper))
            spots.append((f'data-place="off" {owner}', self.layout.tray(player), TRAY_WIDTH, upper))
        rects = "".join(
            f'<rect {name} x="{num(x - width / 2)}" y="{TOP if upper else MIDDLE_Y}" '
            f'width="{width}" height="{half}"/>'
            for name, x, width, upper in spots
        )
        return [f'<g fill="none" pointer-events="all">{rects}</g>']

    def arrows(self, play: list[Arrow], hue: str) -> list[str]:
        """One shape a step; a checker that is hit gets a ring."""
        theme, shapes, rings = self.theme, [], ""
        for step in play:
            path = ""
            for command, points in step.outline():
                path += command + ("4 4 0 0 1 " if command == "A" else "")
                path += " ".join(f"{num(x)} {num(y)}" for x, y in points)
            source = "bar" if step.source == BAR else step.source
            target = "off" if step.target == OFF else step.target
            hit = ' data-hit="1"' if step.hit else ""
            shapes.append(f'<path data-from="{source}" data-to="{target}"{hit} d="{path}z"/>')
            if step.hit:
                x, y = step.tip
                turn = f"a{RADIUS} {RADIUS} 0 0 1"
                rings += f"M{num(x - RADIUS)} {num(y)}{turn} {2 * RADIUS} 0{turn} {-2 * RADIUS} 0z"
        if rings:
            ring = f'<path d="{rings}" fill="none" stroke="{hue}" stroke-width="4"/>'
            shapes.insert(0, ring)
        return [
            (
                f'<g fill="{hue}" stroke="{theme.halo}" stroke-width="1.5" '
                'stroke-linejoin="round">'
            ),
            *shapes,
            "</g>",
        ]

    def captions(self, pips: bool) -> list[str]:
        """Beside the board: names, scores and pip counts, each side's at its edge."""
        view, theme, out = self.view, self.theme, []
        left, right = 44, 702  # where words begin and end
        for player in (view.bottom, view.top):
            y = 22 if player == view.top else 579
            on_roll = player == view.mover
            edge, width = (theme.accent, 4) if on_roll else (theme.edges[player], 1.5)
            out.append(
                f'<rect x="14" y="{y - 9}" width="18" height="18" rx="9" '
                f'fill="{theme.checkers[player]}" stroke="{edge}" stroke-width="{width}"/>'
            )
            weight = ' font-weight="700"'
            x = left
            if view.match_length:
                score = str(view.scores[player])
                out.append(f'<text x="{x}" y="{y + 7}" text-anchor="start"{weight}>{score}</text>')
                x += 11 * len(score) + 15
            name = view.names[player]
            if len(name) > NAME_LENGTH:
                name = name[: NAME_LENGTH - 1] + "…"
            out.append(
                f'<text x="{x}" y="{y + 7}" text-anchor="start"{weight if on_roll else ""}>'
                f"{escape(name)}</text>"
            )
            count = f"{term('pips', view.lang)} {view.pips(player)}" if pips else ""
            if count:
                out.append(f'<text x="{right}" y="{y + 7}" text-anchor="end">{count}</text>')
        # offers pending or the match, in the room that the upper side's words leave
        words = ", ".join(offers(view)) or view.match_words("beavers")
        if words:
            low, high = x + LETTER * len(name), right - LETTER * len(count)
            size = max(10, min(16, int((high - low) / (0.6 * len(words) + 1))))
            middle = num((low + high) / 2)
            out.append(f'<text x="{middle}" y="28" font-size="{size}">{escape(words)}</text>')
        return [f'<g fill="{theme.ink}" font-size="19">', *out, "</g>"]
