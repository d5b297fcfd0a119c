"""What a rollout is about: everything that its raw sums depend on, in a form that travels."""
from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_core._border._rollout import CHUNK, METHOD, row_length
from nardy_core._border._value import Stakes
from nardy_core.checks import printable
from nardy_core.cube_inputs import met_of, stakes_of
from nardy_core.evaluator import phases_of, swapped
from nardy_core.match import MatchEquity
from nardy_core.match_long import LongMatchEquity
from nardy_core.notation import match_play
from nardy_core.play import Play
from nardy_core.position import OWNERS, Position
from nardy_core.rollout_result import LINES, RolloutPlan

# A piece, the work that is handed out and kept at once, is to take so many seconds where a ply of a
# trial costs what it does on a common machine.
PIECE_SECONDS = 1.0
PLY_SECONDS = {True: 45e-6, False: 5e-6}  # with and without variance reduction
LEVEL_SECONDS = (0.0, 0.6e-3, 5.5e-3, 40e-3, 0.3)  # more for look-ahead of so many plies
# Of a race, and how much longer trials are: tables end those of races early.
PIPS_A_PLY, CONTACT, LONGER = 8.17, 3, {True: 1.3, False: 0.5}
SHOWN, AROUND = 80, 12  # characters of a value in a message; of what both have, beside the rest


def unlike(
    there: Mapping[str, Any], asked: Mapping[str, Any], names: Iterable[str] | None = None,
    within: str = "",
) -> str:
    """The first entry in which two dictionaries of questions differ, with both values, "" where
    nothing does; `names` = the entries that count. In an entry with entries of its own, such as
    efficiencies, it is one of these that is named."""
    for name in dict.fromkeys([*asked, *there]) if names is None else names:
        old, new = there.get(name), asked.get(name)
        if old == new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            return unlike(old, new, within=f"{within}{name}.")
        old, new = _apart(old, new)
        return f"{within}{name} is {old}, asked is {new}"
    return ""


def _apart(one: Any, other: Any) -> tuple[str, str]:
    """Two unlike values as texts of one line that differ, too. Of long ones what both begin and end
    with is left out."""
    texts = str(one), str(other)
    if texts[0] == texts[1]:  # the number 1 and the word "1"
        texts = repr(one), repr(other)
    texts = printable(texts[0]), printable(texts[1])
    if max(map(len, texts)) <= SHOWN:
        return texts
    begin = len(os.path.commonprefix(texts))
    end = len(os.path.commonprefix([text[begin:][::-1] for text in texts]))
    begin = _words(texts[0][:begin])
    end = _words(texts[0][len(texts[0]) - end:][::-1])
    return _part(texts[0], begin, end), _part(texts[1], begin, end)


def _words(common: str) -> int:
    """How many of the characters that two texts share to leave out: not the word that they differ
    in, unless it is long."""
    if len(common) <= AROUND:
        return 0
    space = common.rfind(" ", len(common) - 2 * AROUND)
    return space + 1 if space >= 0 else len(common) - AROUND


def _part(text: str, begin: int, end: int) -> str:
    shown = text[begin:len(text) - end]
    cut = len(shown) > SHOWN
    return ("…" if begin else "") + shown[:SHOWN] + ("…" if end or cut else "")


@dataclasses.dataclass(frozen=True)
class RolloutQuestion:
    """The raw sums of chunk number c are a pure function of this and of c.

    plays : the candidates; None = the position itself is rolled out
    settings : of the plan, those that raw sums depend on
    nets : (part, content hash) of each net; tables : names of the exact tables
    """

    position: Position
    plays: tuple[Play, ...] | None
    settings: RolloutPlan
    nets: tuple[tuple[str, str], ...]
    tables: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", self.settings.without_stops())
        if self.settings.cubeful and self.position.offer != "none":
            raise ValueError("rollout: a double is offered; roll out the position before it")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON. Two questions are equal when their dictionaries are."""
        met = self.match_equity
        return {"game": self.position.game, "method": METHOD, **self.settings.plain(),
                "efficiencies": self.settings.efficiencies,
                "met_hash": met.digest if met else None,
                "nets": dict(self.nets), "tables": list(self.tables),
                "position": self.position.id("text"),
                "dice": list(self.plays[0].dice) if self.plays else None,
                "plays": [play.notation for play in self.plays or ()]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RolloutQuestion:
        """The question of a dictionary; ValueError where it is none that this version knows."""
        try:
            if data["method"] != METHOD:
                raise ValueError(f"its method is {data['method']}, this version's {METHOD}")
            position = Position.parse(data["position"])
            plays = None
            if data["dice"]:
                first, second = data["dice"]
                plays = tuple(match_play(position, (first, second), play)
                              for play in data["plays"])
            made = cls(position, plays, RolloutPlan.of_plain(data), tuple(data["nets"].items()),
                       tuple(data["tables"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no question of a rollout: {error!r}") from None
        if other := unlike(data, made.to_dict()):
            raise ValueError(f"a question of a rollout that this version reads otherwise: {other}")
        return made

    @property
    def shared(self) -> tuple[str, ...]:
        """Names in the dictionary of what the questions of one job have in common: settings and
        nets, not what comes with the position."""
        return ("method", *(name for name in self.settings.settings() if name != "opening"),
                "efficiencies", "nets")

    @cached_property
    def text(self) -> str:
        """The dictionary as JSON that is the same for equal questions."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))

    @cached_property
    def key(self) -> bytes:
        """16 bytes that name the question."""
        return hashlib.blake2b(self.text.encode(), digest_size=16).digest()

    @cached_property
    def lines(self) -> tuple[str, ...] | None:
        """Those of the cube decision that is asked about; None where it is none."""
        position = self.position
        if not self.settings.cubeful or self.plays is not None or position.cube_owner == "opp":
            return None
        limit = position.max_cube
        if position.crawford or (limit is not None and 2 * position.cube > limit):
            return None
        return LINES

    @cached_property
    def boards(self) -> npt.NDArray[np.uint32]:
        """What is rolled out (n, 8). Results of a roll are rolled out for the side that is then on
        roll: the other one."""
        if self.plays is None:
            return np.repeat(self.position.board[np.newaxis], len(self.lines or "."), axis=0)
        return swapped(np.stack([play.board for play in self.plays]))

    @cached_property
    def match_equity(self) -> MatchEquity | LongMatchEquity | None:
        """The table that is played by, where the cube and a match are."""
        if not (self.settings.cubeful and self.position.match_length):
            return None
        return met_of(self.position, self.settings.met)

    @cached_property
    def stakes(self) -> Stakes | None:
        """What the side on roll of the boards plays for; None without a cube."""
        if not self.settings.cubeful:
            return None
        asked = self.position if self.plays is None else self.plays[0].result
        return stakes_of(asked, self.settings.met)

    @cached_property
    def cubes(self) -> list[tuple[int, int, bool]]:
        """Of each board: value, owner as its side on roll sees it (0 centre, 1 own, 2 opp), and
        whether that side has decided already and rolls."""
        if self.plays is not None:
            return [(play.result.cube, OWNERS.index(play.result.cube_owner), False)
                    for play in self.plays]
        cube = self.position.cube
        found = [(cube, OWNERS.index(self.position.cube_owner), True)]
        return [*found, (2 * cube, OWNERS.index("opp"), True)] if self.lines else found

    @property
    def all(self) -> int:
        """The bits of all subjects, the positions rolled out: bit i for subject i."""
        return (1 << len(self.boards)) - 1

    @property
    def length(self) -> int:
        """Numbers in the raw sums of a chunk."""
        return row_length(len(self.boards))

    @cached_property
    def piece(self) -> int:
        """Chunks that are handed out at once: a function of the question alone, so that all who
        work on it cut it alike. Sums do not depend on it."""
        position, plan = self.position, self.settings
        pips = sum(n * count for side in (position.own, position.opp)
                   for n, count in enumerate(side))
        contact = bool(phases_of(position.game, position.board[np.newaxis])[0] == CONTACT)
        plies = max(LONGER[contact] * pips / PIPS_A_PLY, 2.0)
        if plan.truncate:
            plies = min(plies, plan.truncate)
        early = plies if plan.late is None else min(plies, plan.late)
        seconds = (plies * PLY_SECONDS[plan.variance_reduction]
                   + early * LEVEL_SECONDS[max(plan.level, plan.cube_level)]
                   + (plies - early) * LEVEL_SECONDS[max(plan.late_level, plan.late_cube_level)])
        return max(round(PIECE_SECONDS / (seconds * CHUNK * len(self.boards))), 1)
