"""Match equity tables: the chance to win a match from any score."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from nardy_core import score_worth
from nardy_core._border import _value
from nardy_core.checks import one_of, whole
from nardy_core.score_worth import Parts

DEFAULT = "kazaross-xg2"
NAMES = ("kazaross-xg2", "rockwell-kazaross", "woolsey", "g11")
MAX_NEEDS = _value.MET_SIZE  # points needed that a table reaches to

_MAX_FILE = 1 << 20  # bytes; the largest table anybody publishes has a tenth of that

# Continuing a table. One game of a long match, cube included, moves the score by 1, 2 or 8 points
# with these weights: fitted by least squares to the step from each score to the next ones in the
# outer part (16 to 25 points) of Kazaross-XG2, which they repeat to 0.0008 at worst and 0.0002 on
# average.
_STEPS = ((1, 0.662), (2, 0.277), (8, 0.061))
# Behind after the Crawford game the cube is at 2 at once: two points, or four with a gammon. This
# part of gammons gives the ratio of 0.6 a pair of points that the published rows show.
_GAMMONS_AFTER = 0.3
_GAMMONS_CRAWFORD = 0.26  # of the trailer's wins in the Crawford game itself

_POINTS = (1, 2, 3, -1, -2, -3)  # single game, gammon, backgammon, won and lost

Rows = list[list[float]]


def _continued_after(row: Sequence[float]) -> list[float]:
    """Trailer's chances needing 1 .. MAX_NEEDS with the Crawford game over."""
    out = list(row[:MAX_NEEDS])
    while len(out) < MAX_NEEDS:
        n = len(out)  # the next entry needs n + 1
        two, four = (out[n - k] if n >= k else 1.0 for k in (2, 4))
        value = ((1 - _GAMMONS_AFTER) * two + _GAMMONS_AFTER * four) / 2
        out.append(min(value, out[-1]) if out else 0.5)
    return out


def _continued_before(rows: Rows, after: tuple[list[float], list[float]]) -> Rows:
    """The square of chances up to MAX_NEEDS, by a fixed distribution of points a game."""
    size = min(len(rows), MAX_NEEDS)
    out = [[0.0] * MAX_NEEDS for _ in range(MAX_NEEDS)]
    for a in range(size):
        out[a][:size] = rows[a][:size]

    def chance(own: int, opp: int) -> float:
        if own <= 0:
            return 1.0
        return 0.0 if opp <= 0 else out[own - 1][opp - 1]

    def trailer(side: int, needs: int) -> float:
        return 1.0 if needs <= 0 else after[side][needs - 1]

    g = _GAMMONS_CRAWFORD
    for larger in range(size + 1, MAX_NEEDS + 1):
        for smaller in range(1, larger + 1):
            for own, opp in ((smaller, larger), (larger, smaller)):
                if own == 1 and opp > 1:
                    saved = (1 - g) * trailer(1, opp - 1) + g * trailer(1, opp - 2)
                    value = 1 - saved / 2
                elif opp == 1 and own > 1:
                    value = ((1 - g) * trailer(0, own - 1) + g * trailer(0, own - 2)) / 2
                else:
                    value = 0.0
                    for points, weight in _STEPS:
                        step = chance(own - points, opp) + chance(own, opp - points)
                        value += weight * step / 2
                # Where the published part ends there may be a step of its last digit.
                low = out[own - 1][opp - 2] if opp > 1 else 0.0
                high = out[own - 2][opp - 1] if own > 1 else 1.0
                out[own - 1][opp - 1] = max(low, min(high, value))
    return out


def _number(text: str | None) -> float:
    try:
        value = float(text or "")
    except ValueError:
        raise ValueError(f"{ascii((text or '').strip())[:40]} is not a number") from None
    if not 0 <= value <= 1:
        raise ValueError(f"{value} is not a chance between 0 and 1")
    return value


def _read_csv(text: str) -> tuple[dict[str, str], Rows, tuple[list[float], list[float]]]:
    info: dict[str, str] = {}
    parts: dict[str, Rows] = {"before": [], "after": []}
    part: Rows | None = None
    for line in filter(None, map(str.strip, text.splitlines())):
        if line in parts:
            part = parts[line]
        elif part is None:
            key, _, value = line.partition(",")
            info[key] = value
        else:
            part.append([_number(word) for word in line.split(",")])
    ends = parts["after"]
    if not ends:
        raise ValueError("no post-Crawford row")
    return info, parts["before"], (ends[0], ends[-1])


def _row(element: ElementTree.Element) -> list[float]:
    return [_number(cell.text) for cell in element.findall("me")]


def _read_xml(text: str) -> tuple[dict[str, str], Rows, tuple[list[float], list[float]]]:
    """GNU Backgammon's format. Its player 0 is the side the rows belong to."""
    if "<!ENTITY" in text:
        raise ValueError("entities are not read")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"not XML: {error}") from None
    before = root.find("pre-crawford-table")
    if root.tag != "met" or before is None:
        raise ValueError("not a match equity table of GNU Backgammon")
    ends = root.findall("post-crawford-table")
    for table in (before, *ends):
        kind = table.get("type", "explicit")
        if kind != "explicit":
            raise ValueError(
                f"table type {ascii(kind)[:20]}: computed tables are not read, explicit ones are"
            )
    rows = [_row(row) for row in before.findall("row")]
    sides: list[list[float] | None] = [None, None]
    for table in ends:
        row = table.find("row")
        player = table.get("player", "both")
        if row is None or player not in ("both", "0", "1"):
            raise ValueError(f"post-Crawford table of player {ascii(player)[:20]}")
        for side in (0, 1):
            if player in ("both", str(side)):
                sides[side] = _row(row)
    first = sides[0] or sides[1]
    second = sides[1] or sides[0]
    if first is None or second is None:
        raise ValueError("no post-Crawford row")
    info = {tag: (root.findtext(f"info/{tag}") or "").strip() for tag in ("name", "description")}
    return {"name": info["name"], "source": info["description"]}, rows, (first, second)


class MatchEquity:
    """A match equity table, continued to 64 points. Immutable.

    name, source : what it calls itself, and who made it
    length : points of the published part; above it this package's continuation begins
    symmetric : both players are equal; otherwise it belongs to one of them, see `swap`

    Made by `open`, `read` and `of_rows`. In all methods
    own, opp : points that the two sides still need, 1..64; answers are own's
    cube : value of the cube at which the game is played
    crawford : "before", "now" (no doubling in this game) or "over"
    max_cube : limit of the cube, None = none
    """

    __slots__ = ("_met", "length", "name", "source", "symmetric")

    def __init__(self, met: _value.Met, name: str, source: str, length: int, symmetric: bool):
        self._met = met
        self.name = name
        self.source = source
        self.length = length
        self.symmetric = symmetric

    @classmethod
    def open(cls, name: str | os.PathLike[str] = DEFAULT) -> MatchEquity:
        """A shipped table by name (`NAMES`), or a file: GNU Backgammon's XML, or our CSV.

        Raises ValueError in one line for an unknown name or a file that is not a table, OSError
        when it cannot be read.
        """
        if isinstance(name, str) and name in NAMES:
            return _shipped(name)
        path = Path(name)
        if isinstance(name, str) and not path.suffix:
            raise ValueError(
                f"match equity table: {ascii(name)[:40]} is neither a file nor one of "
                f"{', '.join(NAMES)}"
            )
        with path.open("rb") as file:
            data = file.read(_MAX_FILE + 1)
        if len(data) > _MAX_FILE:
            raise ValueError(f"match equity table: {path.name} is too large")
        text = data.decode("utf-8", "replace")
        return cls.read(text, path.stem)

    @classmethod
    def read(cls, text: str, name: str = "") -> MatchEquity:
        """The table in a text in one of the two formats; `name` if the text gives none."""
        try:
            reader = _read_xml if text.lstrip("\ufeff \t\r\n").startswith("<") else _read_csv
            info, rows, ends = reader(text.lstrip("\ufeff \t\r\n"))
            return cls.of_rows(rows, ends, info.get("name") or name, info.get("source", ""))
        except ValueError as error:
            raise ValueError(f"match equity table {ascii(name)[1:-1][:40]}: {error}") from None

    @classmethod
    def of_rows(
        cls, rows: Rows, ends: tuple[list[float], list[float]], name: str = "", source: str = ""
    ) -> MatchEquity:
        """A table from numbers, continued to MAX_NEEDS points; ValueError if they are none.

        name, source : what it is called, and who made it
        rows : [a - 1][b - 1] = own's chance needing a against b, the Crawford game to come
        ends : own's and opp's chances after it, [n - 1] = needing n against 1
        """
        size = len(rows)
        if size < 2 or any(len(row) != size for row in rows):
            raise ValueError(f"{size} pre-Crawford rows of {sorted({*map(len, rows)})} chances")
        if size > MAX_NEEDS:
            rows = [row[:MAX_NEEDS] for row in rows[:MAX_NEEDS]]
            size = MAX_NEEDS
        if min(map(len, ends)) < 2:
            raise ValueError("fewer than two post-Crawford chances")
        if abs(ends[0][0] + ends[1][0] - 1) > 1e-3:
            raise ValueError(f"needing a point each, {ends[0][0]} and {ends[1][0]} are not 1")
        after = (_continued_after(ends[0]), _continued_after(ends[1]))
        before = _continued_before(rows, after)
        symmetric = ends[0] == ends[1] and all(
            math.isclose(rows[a][b] + rows[b][a], 1, abs_tol=1e-9)
            for a in range(size)
            for b in range(a + 1)
        )
        return cls(_value.Met(before, list(after)), name, source, size, symmetric)

    def to_csv(self) -> str:
        """The published part as text that `read` reads."""
        size = range(1, self.length + 1)
        rows = [[self.mwc(own, opp) for opp in size] for own in size]
        ends = [[self.mwc(n, 1, post_crawford=True) for n in size],
                [1 - self.mwc(1, n, post_crawford=True) for n in size]]
        lines = [f"{key},{' '.join(value.split())}"
                 for key, value in (("name", self.name), ("source", self.source))]
        for word, part in (("before", rows), ("after", ends[: 1 if self.symmetric else 2])):
            lines += [word, *(",".join(f"{value:.6f}" for value in row) for row in part)]
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """All that makes the table, as plain JSON from which `from_dict` makes the same bits."""
        size, every = range(1, self.length + 1), range(1, MAX_NEEDS + 1)
        return {"name": self.name, "source": self.source, "digest": self.digest,
                "rows": [[self.mwc(own, opp) for opp in size] for own in size],
                "ends": [[side.mwc(n, 1, post_crawford=True) for n in every]
                         for side in (self, self.swap())]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MatchEquity:
        """The table whose `to_dict` gave the data; ValueError where it is none, or not the one it
        says."""
        try:
            first, second = data["ends"]
            made = cls.of_rows(data["rows"], (first, second), data["name"], data["source"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no match equity table: {error!r}") from None
        if made.digest != data.get("digest"):
            raise ValueError(f"match equity table {ascii(made.name)[1:-1][:40]}: its numbers are "
                             "not those it was saved with")
        return made

    def swap(self) -> MatchEquity:
        """The table as the other player sees it."""
        return MatchEquity(self._met.swap(), self.name, self.source, self.length, self.symmetric)

    def mwc(self, own: int, opp: int, *, post_crawford: bool = False) -> float:
        """Chance 0..1 of a side that needs `own` points against one that needs `opp`.

        0 points needed has won. Where one side needs 1 the next game is the Crawford game, unless
        `post_crawford` says that it has been played.
        """
        for word, needs in (("own", own), ("opp", opp)):
            whole(f"{word}, points needed", needs, 0, MAX_NEEDS)
        if own == opp == 0:
            raise ValueError("own, opp: both sides have won")
        return self._met.chance(own, opp, post_crawford)

    @property
    def digest(self) -> str:
        """Short hash of all its chances."""
        return self._met.digest()

    def stakes(
        self,
        own: int,
        opp: int,
        *,
        crawford: str = "before",
        points: Sequence[int] = _POINTS,
        max_cube: int | None = None,
    ) -> _value.Stakes:
        """What a game at this score is worth; see `nardy_core.cube`.

        crawford : "before", "now" (no doubling in this game) or "over"
        points : of each exclusive outcome class, wins first
        """
        one_of("crawford", crawford, _value.CRAWFORD)
        for word, needs in (("own", own), ("opp", opp)):
            whole(f"{word}, points needed", needs, 1, MAX_NEEDS)
        return _value.Stakes(
            points,
            max_cube=max_cube,
            met=self._met,
            own_needs=own,
            opp_needs=opp,
            crawford=crawford,
        )

    def emg(
        self, mwc: float, own: int, opp: int, *, cube: int = 1, crawford: str = "before"
    ) -> float:
        """Equity (equivalent to money) of `mwc`, a chance to win the match: +1 = winning this
        cube."""
        return self.stakes(own, opp, crawford=crawford).equity(cube, mwc)

    def mwc_of_emg(
        self, equity: float, own: int, opp: int, *, cube: int = 1, crawford: str = "before"
    ) -> float:
        """The chance to win the match that an `equity` stands for, the inverse of `emg`."""
        return self.stakes(own, opp, crawford=crawford).unequity(cube, equity)

    def take_points(
        self,
        own: int,
        opp: int,
        *,
        cube: int = 1,
        crawford: str = "before",
        win_gammons: Parts = 0.0,
        lose_gammons: Parts = 0.0,
    ) -> Mapping[str, float]:
        """Chances to win with which `own`, doubled from `cube` to twice that, may take.

        win_gammons, lose_gammons : the part of own's wins and losses that are gammons, or the parts
            that are gammons and backgammons

        "dead": the cube is never turned again, (pass - lose) / (win - lose); "live": it is turned
        at the best moments by both sides, so that own may redouble.
        """
        return score_worth.take_points(
            self.stakes(own, opp, crawford=crawford), _POINTS[:3], cube,
            score_worth.parts_of("win_gammons", win_gammons, 2),
            score_worth.parts_of("lose_gammons", lose_gammons, 2))

    def gammon_values(
        self, own: int, opp: int, *, cube: int = 1, crawford: str = "before"
    ) -> Mapping[str, float]:
        """What gammons and backgammons are worth beyond a single game, in units of the swing
        between winning and losing one; for money a gammon is 0.5 and a backgammon 1.

        Names: win_gammon, win_backgammon, lose_gammon, lose_backgammon, all for `own`.
        """
        return score_worth.gammon_values(
            "backgammon", self.stakes(own, opp, crawford=crawford), cube)

    def __repr__(self) -> str:
        return f"<MatchEquity {self.name}, {self.length} points>"


def opened(met: MatchEquity | str | os.PathLike[str] | None) -> MatchEquity:
    """The table that is meant: one, the name or file of one, None = the default."""
    return met if isinstance(met, MatchEquity) else MatchEquity.open(met or DEFAULT)


def shipped_or_own(met: MatchEquity | str) -> MatchEquity | str:
    """A shipped table by its name, any other, a file's too, as an object."""
    table = opened(met)
    return next((name for name in NAMES if _shipped(name).digest == table.digest), table)


@functools.cache
def _shipped(name: str) -> MatchEquity:
    text = resources.files("nardy_core").joinpath("data", "met", f"{name}.csv").read_text("utf-8")
    return MatchEquity.read(text, name)
