"""Bear-off by exact tables: both sides wholly in their home, no contact left."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from nardy_core import cache
from nardy_core._border import _rules, _tables
from nardy_core._border._long_race import LongRace
from nardy_core.checks import one_of
from nardy_core.game_facts import FACTS
from nardy_core.position import Position
from nardy_core.table import Table, table_of

# Pips of a mean roll: what a position without waste would need for each of its mean rolls.
PIPS_A_ROLL = 49 / 6

VERDICTS = ("ND/T", "ND/beaver", "D/T", "D/T=P", "D/P", "OD/T", "OD/P")
_SAME = 1e-9  # equities closer than this are equal but for rounding

# Raised when a file's content changes, so that a newer package never reads an older file.
_ONE_FILE, _TWO_FILE = "bearoff_one_1.ndb", "bearoff_two_1.ndb"
_LONG_RACE_FILE = "long_race_1.ndb"


@dataclasses.dataclass(frozen=True, slots=True)
class Tables:
    """Opened tables. Immutable; any number of threads may ask at once."""

    one: _tables.BearoffOne
    two: _tables.BearoffTwo


def load() -> Tables:
    """Opens the tables of the cache, or builds them there; `bearoff_tables()` does so only once."""
    store = cache.Store("bear-off tables")
    return Tables(
        store.get(_ONE_FILE, _tables.BearoffOne.open, _tables.BearoffOne.build),
        store.get(_TWO_FILE, _tables.BearoffTwo.open, _tables.BearoffTwo.build),
    )


def build_long_race(points: int = 12) -> Path:
    """Compute the race table of long nardy on the points 1..`points` and keep it in the cache, for
    `Engine(long_race=True)`. All 12 take 500 MB there, 2 GB of memory and a minute or more."""
    path = cache.directory() / _LONG_RACE_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    cache.say(f"building the race table of long nardy, {points} points …")
    LongRace.build(points).save(path)
    return path


def long_race(path: str | os.PathLike[str] | None = None) -> LongRace:
    """The race table of long nardy from a file or the cache. FileNotFoundError where none is."""
    file = Path(path) if path is not None else cache.directory() / _LONG_RACE_FILE
    if not file.is_file():
        raise FileNotFoundError(f"{file}: no such table; `nardy db build long-race` makes it")
    return LongRace.open(file)


def files() -> list[tuple[str, Path, Callable[[Path], object]]]:
    """(name, file in the cache, what opens it and verifies its checksum) of each table."""
    folder = cache.directory()
    return [
        ("one-sided", folder / _ONE_FILE, _tables.BearoffOne.open),
        ("two-sided", folder / _TWO_FILE, _tables.BearoffTwo.open),
        ("long-race", folder / _LONG_RACE_FILE, LongRace.open),
    ]


class _Shared:
    """One immutable set of tables a process, made when first asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: Tables | None = None

    def get(self) -> Tables:
        with self._lock:
            if self._tables is None:
                self._tables = load()
            return self._tables


_shared = _Shared()


def bearoff_tables() -> Tables:
    """The process's bear-off tables, opened or built on first use (a fraction of a second)."""
    return _shared.get()


@dataclasses.dataclass(frozen=True, slots=True)
class Rolls:
    """Number of rolls one side needs when it plays each to minimise the mean.

    probabilities : [n] = probability of exactly n rolls
    mean, deviation : of that number
    """

    probabilities: tuple[float, ...]
    mean: float
    deviation: float

    @property
    def epc(self) -> float:
        """Effective pip count: mean rolls times the 8.1667 pips of a mean roll."""
        return PIPS_A_ROLL * self.mean


@dataclasses.dataclass(frozen=True, slots=True)
class Equities:
    """Exact money equities of rolling now for the side on roll, in units of the present cube.

    cubeless : without a cube
    own, centred, opponent : by who may double next, with best play and cube action by both sides
    """

    cubeless: float
    own: float
    centred: float
    opponent: float

    @property
    def double_take(self) -> float:
        """Equity after double and take: the other side then owns a cube of two."""
        return 2 * self.opponent

    def no_double(self, owner: str = "centre") -> float:
        """Equity of rolling now with the cube where `owner` says: "own", "centre" or "opp"."""
        values = {"centre": self.centred, "own": self.own, "opp": self.opponent}
        one_of("owner", owner, values)
        return values[owner]

    def action(self, owner: str = "centre") -> str:
        """Best cube action, one of VERDICTS: ND no double, D double, OD either; T take, P pass,
        T=P either, beaver. The `owner` of the cube must be "own" or "centre"."""
        if owner == "opp":
            raise ValueError("owner: the side on roll cannot double a cube that opp owns")
        no_double, take = self.no_double(owner), self.double_take
        gain = min(take, 1.0) - no_double
        if gain < -_SAME:
            return "ND/beaver" if take < -_SAME else "ND/T"
        double = "OD" if gain <= _SAME else "D"
        if double == "D" and abs(take - 1) <= _SAME:
            return "D/T=P"
        return f"{double}/P" if take > 1 else f"{double}/T"


@dataclasses.dataclass(frozen=True, slots=True)
class Bearoff:
    """What the tables know about a bear-off, for the side on roll.

    own, opp : rolls each side needs; opp is None when it was not given
    probabilities : outcome classes of the game by name; exact where `equities` is known, elsewhere
        of each side playing for itself alone (about 0.001 off, 0.015 at most). None without opp.
    equities : exact money equities where each side has at most six checkers, else None
    """

    own: Rolls
    opp: Rolls | None
    probabilities: Mapping[str, float] | None
    equities: Equities | None

    def table(self) -> Table:
        """The same as columns, one row: own_mean, own_deviation, own_epc and the same of opp; win
        (chance of the side on roll); equity_cubeless, equity_own, equity_centred, equity_opponent,
        equity_double_take and action (cube in the centre). None for what is not known."""
        row: dict[str, Any] = {}
        for name, side in (("own", self.own), ("opp", self.opp)):
            for word in ("mean", "deviation", "epc"):
                row[f"{name}_{word}"] = None if side is None else getattr(side, word)
        chances, exact = self.probabilities, self.equities
        row["win"] = None
        if chances is not None:
            row["win"] = sum(p for name, p in chances.items() if name.startswith("win"))
        for name in ("cubeless", "own", "centred", "opponent", "double_take"):
            row[f"equity_{name}"] = None if exact is None else getattr(exact, name)
        row["action"] = None if exact is None else exact.action()
        return table_of(tuple(row), [tuple(row.values())])


def _home(name: str, side: str | Sequence[int]) -> list[int]:
    """Counts of points 1..6 from six digits or six numbers."""
    if isinstance(side, str) and not (side.isascii() and side.isdigit()):
        raise ValueError(f"{name}: {ascii(side)[:40]} is not six digits, checkers on points 1 to 6")
    counts = [int(n) for n in side]
    if len(counts) != 6:
        raise ValueError(f"{name}: {len(counts)} counts instead of six for points 1 to 6")
    if min(counts) < 0 or sum(counts) > 15:
        raise ValueError(f"{name}: {counts} is not 0 to 15 checkers on points 1 to 6")
    return counts


def unknown_rule(position: Position) -> str | None:
    """The rule of a position that the bear-off tables do not know, if there is one."""
    if position.rules.get("bearoff_forced"):
        return "bearoff_forced"
    return "last_roll=equalize" if position.equalises else None


def _homes(position: Position) -> tuple[list[int], list[int]]:
    for name, side in (("own", position.own), ("opp", position.opp)):
        if any(side[7:]):
            raise ValueError(f"bear-off: {name} has checkers outside points 1 to 6")
        if position.checkers != 15 and not side[0]:
            raise ValueError("bear-off: the tables know the gammons of fifteen checkers only")
    rule = unknown_rule(position)
    if rule is not None:
        raise ValueError(f"bear-off: the tables do not know the rule {rule}")
    return list(position.own[1:7]), list(position.opp[1:7])


def _rolls(one: _tables.BearoffOne, index: int) -> Rolls:
    mean, deviation = one.moments(index)
    return Rolls(tuple(one.rolls(index).tolist()), mean, deviation)


def bearoff(
    own: Position | str | Sequence[int], opp: str | Sequence[int] | None = None, *,
    game: str | None = None,
) -> Bearoff:
    """Rolls, outcome probabilities and exact equities of a bear-off.

    Parameters
    ----------
    own : a `Position` before the roll with all checkers of both sides on points 1..6 or off, or
        the side on roll as six counts for points 1..6: "222222" or (2, 2, 2, 2, 2, 2)
    opp : the other side's six counts when `own` is counts; None asks about one side only
    game : whose classes the outcomes of counts have, None = short nardy's. Sides at home play
        alike in both games, and six checkers or fewer can lose a single game at most; a whole side
        that has nothing off loses a gammon, in long nardy home mars.

    Raises ValueError for anything else. Opens the tables on first use.

    >>> from nardy_core.tables import bearoff
    >>> answer = bearoff("111111", "111111")
    >>> f"{answer.own.mean:.3f} rolls, EPC {answer.own.epc:.2f}, {answer.equities.action()}"
    '3.464 rolls, EPC 28.29, D/T'
    """
    if game is not None:
        one_of("game", game, FACTS)
    if isinstance(own, Position):
        if opp is not None:
            raise ValueError("opp: a position has both sides already")
        if game not in (None, own.game):
            raise ValueError(f"game: {game}, but the position is one of {own.game}")
        game = own.game
        sides = [*_homes(own)]
    else:
        sides = [_home("own", own)] if opp is None else [_home("own", own), _home("opp", opp)]
    if not any(map(any, sides)):
        raise ValueError("bear-off: no checkers are left")

    known = bearoff_tables()
    indices = _tables.index_of_counts(sides).tolist()
    own_rolls, *opp_rolls = [_rolls(known.one, index) for index in indices]
    if not opp_rolls:
        return Bearoff(own_rolls, None, None, None)

    x, y = indices
    win, win_gammon, _, lose, lose_gammon, _ = known.one.outcomes([x], [y])[0].tolist()
    equities = None
    if max(x, y) < _tables.TWO_POSITIONS:
        equities = Equities(*known.two.equities([x], [y])[0].tolist())
        win = (1 + equities.cubeless) / 2
        lose = 1 - win
    game = game or "backgammon"
    names = _rules.outcome_names(game)
    found = dict.fromkeys(names, 0.0)
    losses, whole = len(names) // 2, FACTS[game].none_off
    found[names[0]], found[names[whole]] = win, win_gammon
    found[names[losses]], found[names[losses + whole]] = lose, lose_gammon
    return Bearoff(own_rolls, opp_rolls[0], MappingProxyType(found), equities)
