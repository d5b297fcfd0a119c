"""What an engine evaluates with: nets and exact tables put together for one game and its rules."""
from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from nardy_core._version import __version__
from nardy_core.analysis import EngineInfo
from nardy_core.evaluator import Evaluator, Net
from nardy_core.game_facts import FACTS
from nardy_core.options import PLAY_OPTIONS

if TYPE_CHECKING:
    from nardy_core._border._long_race import LongRace

KEEP, WITHIN = 8, 0.16  # candidates of a roll in a rollout that the playing net sees
# Results of each roll that its luck is estimated from: 12 and 4 in contact take longer to an error,
# in a race more than one changes none.
SIFT = {"contact": 8, "race": 1}
# The same inside a look-ahead, where the sieve leaves them to the small net: 2-ply values move by
# one thousandth of a point (rms), in 0.8 of the time. Plays of long nardy in contact are too many
# and too alike: there 32 of them moved values by two.
SIFT_AHEAD = {"backgammon": {"contact": 16, "race": 16}, "long_nardy": {"race": 16}}


@dataclasses.dataclass(frozen=True)
class Model:
    """Immutable evaluators of one game under one set of playing rules.

    static : the playing nets, nothing preselected
    search : the same with the small net, for plays at 0-ply
    nets : (part, net) of each net in use
    """

    static: Evaluator
    search: Evaluator
    info: EngineInfo
    points: tuple[int, ...]
    nets: tuple[tuple[str, Net], ...]
    make: Callable[..., Evaluator]

    @cached_property
    def ahead(self) -> Evaluator:
        """For look-ahead: `search` with a sieve before the small net, wherever all rolls are looked
        at. Only made when asked for, since it takes a while to fit (0.07 s)."""
        nets = dict(self.nets)
        if "small" not in nets:
            return self.search
        return self.make({"contact": nets["contact"], "race": nets["race"]},
                         small={"contact": nets["small"]}, keep=KEEP, within=WITHIN,
                         sift=SIFT_AHEAD[self.info.game])

    def at(self, *levels: int) -> Evaluator:
        """What searches at so many plies."""
        return self.ahead if any(levels) else self.search

    @cached_property
    def luck(self) -> Evaluator:
        """For variance reduction, where anything would do without bias: of each roll's results a
        sieve leaves SIFT, the small net chooses one, and the playing net values that."""
        nets = dict(self.nets)
        if "small" not in nets:
            return self.static
        return self.make({"contact": nets["contact"], "race": nets["race"]},
                         small={"contact": nets["small"]}, keep=1, within=0.0, sift=SIFT)


def model_of(
    game: str, codes: tuple[int, ...], points: tuple[int, ...], nets: Mapping[str, Net], *,
    kernels: str, long_race: bool | str | os.PathLike[str] = False, plan: str | None = None,
) -> Model:
    """The evaluators of a game.

    codes : of the playing rules, `Options.codes`; points : of each outcome class, `rules.points`
    kernels, long_race, plan : as for `Engine`
    """
    hashes = tuple((part, net.info["hash"][:8]) for part, net in nets.items())
    table = None
    if not codes[PLAY_OPTIONS.index("bearoff_forced")]:  # a rule the table does not know
        from nardy_core.bearoff import bearoff_tables

        table = bearoff_tables().one
    race = _race_table(game, codes, long_race)
    info = EngineInfo(__version__, game, hashes, (
        *(("bear-off",) if table else ()), *((f"long race {race.points}",) if race else ())), plan)
    make = partial(Evaluator, game, bearoff=table, race=race, options=codes, points=points,
                   kernels=kernels)
    static = make({"contact": nets["contact"], "race": nets["race"]})
    search = static
    if "small" in nets:
        search = make({"contact": nets["contact"], "race": nets["race"]},
                      small={"contact": nets["small"]}, keep=KEEP, within=WITHIN)
    return Model(static, search, info, points, tuple(nets.items()), make)


def _race_table(
    game: str, codes: tuple[int, ...], wanted: bool | str | os.PathLike[str]
) -> LongRace | None:
    """The race table, where it is wanted and knows the rules of bearing off."""
    odd = any(codes[PLAY_OPTIONS.index(name)] for name in ("bearoff_forced", "bearoff_from"))
    if wanted is False or not FACTS[game].long_race or odd:
        return None
    from nardy_core.bearoff import long_race

    return long_race(None if wanted is True else wanted)
