"""Plays as text: writing steps, reading what people and programs write, finding the play meant.

A step is (from, to, hit) in the mover's numbers: 25 = bar, 0 = off. A play is a sequence of steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from nardy_core.checks import one_of
from nardy_core.counts import across, board_error
from nardy_core.position import Position

if TYPE_CHECKING:
    from nardy_core.play import Play

Step = tuple[int, int, bool]

STYLES = ("canonical", "gnubg", "ubgi")
MAX_LENGTH = 256
MAX_STEPS = 16  # written moves; four are played, but a match file may hold an illegal play

_PASSES = {
    "",
    "-",
    "--",
    "pass",
    "no move",
    "no play",
    "cannot move",
    "can't move",
    "dance",
    "dances",
    "(no move)",
    "(no play)",
    "????",
}


def format_play(steps: Iterable[Step], style: str = "canonical") -> str:
    """A play as text; "" for a pass.

    steps : (from, to, hit) of each die, in the mover's numbers: 25 = bar, 0 = off
    style : one of

    "canonical": hops of one checker joined (`24/18`), with the points between that it hits on
    (`24/20*/18`), equal moves counted (`6/5(2)`), from high to low, `bar`, `off`, `*` after a hit.
    "gnubg": the same words in GNU Backgammon's order, which looks at the first hop only
    (`24/21 24/23`, where canonical has `24/23 24/21`). "ubgi": every step on its own, no `*` and
    no `(2)`.
    """
    one_of("style", style, STYLES)
    ordered = sorted(steps, key=lambda s: (-s[0], -s[1], not s[2]))
    if style == "ubgi":
        return " ".join(f"{_name(source)}/{_name(target)}" for source, target, _ in ordered)
    ways: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    hits: set[tuple[int, int]] = set()
    for path, hit in _chains(ordered):
        ends = path[0], path[-1]
        ways.setdefault(ends, []).append(path)
        if hit:
            hits.add(ends)
    words = []
    for ends in sorted(ways, reverse=True) if style == "canonical" else ways:
        path = ways[ends][0]  # the first of equal moves is the one that hit
        points = [_name(path[0]), *(f"{_name(n)}*" for n in path[1:-1]), _name(path[-1])]
        repeat = f"({len(ways[ends])})" if len(ways[ends]) > 1 else ""
        words.append("/".join(points) + ("*" if ends in hits else "") + repeat)
    return " ".join(words)


def _name(slot: int) -> str:
    return {25: "bar", 0: "off"}.get(slot, str(slot))


def _chains(steps: Sequence[Step]) -> list[tuple[tuple[int, ...], bool]]:
    """Steps joined into ways of single checkers: points named (start, hits between, end), end hit.

    `steps` run from high to low, so a step can only go on from one that came before it. The first
    checker on a point, which is the one that hit there, goes on first, and furthest where steps are
    hops joined before: `3/2*/off 2/1` stays as it is.
    """
    paths: list[list[int]] = []
    hits: list[bool] = []
    for k, (source, target, hit) in enumerate(steps):
        further = any(s == source and t < target for s, t, _ in steps[k + 1:])
        for n, path in enumerate(paths):
            if path[-1] == source and not (hits[n] and further):
                if not hits[n]:
                    path.pop()
                path.append(target)
                hits[n] = hit
                break
        else:
            paths.append([source, target])
            hits.append(hit)
    return list(zip(map(tuple, paths), hits, strict=True))


_POINT = r"(?:bar|off|[0-9]{1,2})"
_MOVE = re.compile(rf"({_POINT}\*?(?:[/\-]{_POINT}\*?)+)(?:\(([1-9])\)|\(?x([1-9])\)?)?", re.ASCII)
_PAIRS = re.compile(rf"{_POINT}(?: {_POINT})+", re.ASCII)


def parse_play(text: str) -> list[Step]:
    """Steps of a play's text as written, in the order written; [] for a pass.

    Read are `8/5 6/5`, `24/18/13`, `bar/20*`, `25/20`, `6/off`, `6/0`, `6/5(2)`, `6/5(x2)`,
    `6/5*/3`, `8-5`, commas, capitals, and bare pairs `8 5 6 5`. A move over several dice stays one
    step (`24/13`), since only the position tells how it went. ValueError for anything else.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"play: {len(text)} characters, more than {MAX_LENGTH}")
    plain = " ".join(text.replace(",", " ").lower().split())
    plain = re.sub(r" ?([/*]) ?(?=[/*(x]|$)| ?(/) ?", lambda m: m[1] or m[2], plain)
    plain = re.sub(r" \(", "(", plain) if not plain.startswith("(") else plain
    if plain in _PASSES:
        return []
    if _PAIRS.fullmatch(plain):
        slots = plain.split()
        if len(slots) % 2:
            raise ValueError(f"play: an odd number of points in {_shown(text)}")
        plain = " ".join(f"{a}/{b}" for a, b in zip(slots[::2], slots[1::2], strict=True))
    steps: list[Step] = []
    for word in plain.split():
        found = _MOVE.fullmatch(word)
        if not found:
            raise ValueError(f"play: {_shown(word)} is not a move like 8/5")
        steps += _written(found[1], word) * int(found[2] or found[3] or 1)
        if len(steps) > MAX_STEPS:
            raise ValueError(f"play: more than {MAX_STEPS} steps in {_shown(text)}")
    return steps


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:37] + "...")


def _written(way: str, word: str) -> list[Step]:
    points = re.split(r"[/\-]", way)
    names = [p.rstrip("*") for p in points]
    slots = [{"bar": 25, "off": 0}[name] if name.isalpha() else int(name) for name in names]
    if points[0].endswith("*"):
        raise ValueError(f"play: a hit on the starting point in {_shown(word)}")
    for source, target in pairwise(slots):
        if not 25 >= source > target >= 0:
            raise ValueError(f"play: {source}/{target} in {_shown(word)} does not go down")
    hits = [p.endswith("*") for p in points]
    if hits[-1] and slots[-1] == 0:
        raise ValueError(f"play: a hit off the board in {_shown(word)}")
    return list(zip(slots[:-1], slots[1:], hits[1:], strict=True))


def play_steps(position: Position, steps: Iterable[Step]) -> Position:
    """The position after the steps as they stand, legal or not, with the other side on roll.

    The order of the steps does not matter. A blot that a step lands on is hit whether or not the
    step says so. ValueError when a step starts from an empty point or lands on a point that the
    other side holds.
    """
    own, opp = list(position.own), list(position.opp)
    for source, target, _ in sorted(steps, reverse=True):
        if own[source] == 0:
            raise ValueError(f"play: no checker to move on {_name(source)}")
        own[source] -= 1
        own[target] += 1
        if position.game == "backgammon" and 1 <= target <= 24:
            there = across(position.game, target)
            if opp[there] == 1:
                opp[there] -= 1
                opp[25] += 1
    error = board_error(position.game, own, opp, position.checkers, drawn=position.equalises)
    if error:
        raise ValueError(f"play: {error}")
    return position.with_(own=own, opp=opp, dice=None, offer="none", resigned=0).swap()


def match_play(position: Position, dice: tuple[int, int], text: str) -> Play:
    """The legal play that `text` means, found by the position it leads to.

    A move over several dice may be written without its stops; when two legal ways then differ only
    in a blot hit in passing, the one is meant that hits what the text names and nothing else.
    ValueError if no legal play fits, or several do.
    """
    steps = parse_play(text)
    plays = position.legal_plays(dice)
    after = play_steps(position, steps)
    fitting = [p for p in plays if p.result.opp == after.opp]
    exact = [p for p in fitting if p.result.own == after.own]
    if exact or all(source - target in dice for source, target, _ in steps):
        fitting = exact
    if len(fitting) == 1:
        return fitting[0]
    roll = f"{dice[0]}-{dice[1]}"
    if not fitting:
        raise ValueError(f"play: {_shown(text)} is not legal with {roll}")
    raise ValueError(f"play: {_shown(text)} with {roll} may mean {len(fitting)} plays")
