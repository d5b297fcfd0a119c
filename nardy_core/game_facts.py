"""What differs between the games above their rules and boards, as plain data.

Whoever needs to know looks it up here by the name of the game, so that nobody asks which it is. The
rules a game can have are in `options`; `Options.get` gives None for one that it does not have.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType


@dataclasses.dataclass(frozen=True, slots=True)
class GameFacts:
    """Of one game.

    cube_usual : games are played with a cube unless it is said that they are not; outside matches
        plays are ranked with it in play
    nested : its chances are customarily five numbers, each counting the better classes in
    met_from_rules : its match equity follows from its rules, who begins, and whether there is a
        cube; else a published table stands for it
    long_race : its races can have the table of `nardy db build long-race`
    race_pips : the most of a side in the table of races by pip count
    none_off : class of a win, counted from the single one, against a side that is home with none
        off
    gammons : the classes above a single win whose parts and values its cube tables show
    parts : columns for the parts of the wins, then of the losses, that are of these classes
    """

    cube_usual: bool
    nested: bool
    met_from_rules: bool
    long_race: bool
    race_pips: int
    none_off: int
    gammons: tuple[str, ...]
    parts: tuple[str, ...]


FACTS: Mapping[str, GameFacts] = MappingProxyType({
    "backgammon": GameFacts(
        cube_usual=True, nested=True, met_from_rules=False, long_race=False,
        race_pips=200, none_off=1,
        gammons=("gammon",), parts=("win_gammons", "lose_gammons")),
    # Hardly ever played with a cube. In a race nobody is further back than 12 points.
    "long_nardy": GameFacts(
        cube_usual=False, nested=False, met_from_rules=True, long_race=True,
        race_pips=180, none_off=3,
        gammons=("mars", "koks", "home_mars"),
        parts=("mars_won", "koks_won", "home_mars_won",
               "mars_lost", "koks_lost", "home_mars_lost")),
})
