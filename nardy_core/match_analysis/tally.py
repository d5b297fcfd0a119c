"""Sums over judged decisions: what a player lost, how, and what the dice gave."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from nardy_core.cube_inputs import met_of, needs_of
from nardy_core.match import MAX_NEEDS, MatchEquity
from nardy_core.match_analysis import resignations
from nardy_core.match_analysis.definitions import LUCK, Definitions, Rate, luck_name
from nardy_core.match_analysis.judged import Judged
from nardy_core.match_long import LongMatchEquity
from nardy_core.match_record import GameRecord, MatchRecord

FAULTS = ("missed double", "missed cash", "wrong double", "too good", "wrong take", "wrong pass",
          "wrong beaver", "missed beaver", *resignations.FAULTS)


@dataclasses.dataclass(frozen=True, slots=True)
class Loss:
    """Errors added up.

    count : how many
    lost, cost : equity lost, and chance to win the match or, for money, points
    """

    count: int = 0
    lost: float = 0.0
    cost: float = 0.0

    def __add__(self, other: Loss) -> Loss:
        return Loss(self.count + other.count, self.lost + other.lost, self.cost + other.cost)

    def add(self, decision: Judged) -> Loss:
        """With one more decision that is judged."""
        return Loss(self.count + 1, self.lost + (decision.lost or 0.0),
                    self.cost + (decision.cost or 0.0))

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, as the command line prints them in JSON."""
        return {"count": self.count, "lost": round(self.lost, 6), "cost": round(self.cost, 6)}


@dataclasses.dataclass(frozen=True, slots=True)
class Rating:
    """A rating as it adds up: `factor` times the weighted equity `lost`, over a number of
    `decisions`."""

    lost: float = 0.0
    decisions: int = 0
    factor: float = 1.0

    @property
    def value(self) -> float | None:
        """None without a decision that counts."""
        return self.factor * self.lost / self.decisions if self.decisions else None

    def __add__(self, other: Rating) -> Rating:
        return Rating(self.lost + other.lost, self.decisions + other.decisions, self.factor)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What one player did. Tallies of several games or matches add up.

    moves : plays, forced ones and dances included; `unforced` of them had a choice
    plays, cubes : decisions that were judged with what they cost together; forced plays are none
    doubles, takes, passes, beavers : how often
    sizes : errors by name of size, plays and cubes together; `play_sizes` and `cube_sizes` apart
    resignations : one's own and accepted ones that were judged, with what they cost together; in
        no rating and in no other sum
    faults : wrong cube actions by kind, see `Judged.fault`, and wrong resignations of a size that
        has a name
    unjudged : plays with a choice, and cube actions, that no judgement is known of
    rolls, luck, luck_cost : throws whose luck is known, and its sums; `lucky` counts them by name
    opponent_luck_cost : the same sum of the other player's throws
    result : won less lost, in matches as a change of the chance to win, in money as points
    ratings, play_ratings, cube_ratings : Rating by its name, of all decisions, of plays, of cubes
    cost_unit : "mwc" or "points", of every `cost`
    """

    moves: int = 0
    unforced: int = 0
    plays: Loss = Loss()
    cubes: Loss = Loss()
    resignations: Loss = Loss()
    doubles: int = 0
    takes: int = 0
    passes: int = 0
    beavers: int = 0
    sizes: Mapping[str, Loss] = dataclasses.field(default_factory=dict)
    play_sizes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    cube_sizes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    faults: Mapping[str, Loss] = dataclasses.field(default_factory=dict)
    unjudged: int = 0
    rolls: int = 0
    luck: float = 0.0
    luck_cost: float = 0.0
    opponent_luck_cost: float = 0.0
    lucky: Mapping[str, int] = dataclasses.field(default_factory=dict)
    result: float = 0.0
    ratings: Mapping[str, Rating] = dataclasses.field(default_factory=dict)
    play_ratings: Mapping[str, Rating] = dataclasses.field(default_factory=dict)
    cube_ratings: Mapping[str, Rating] = dataclasses.field(default_factory=dict)
    cost_unit: str = ""

    @property
    def lost(self) -> float:
        """Equity lost by all errors."""
        return self.plays.lost + self.cubes.lost

    @property
    def cost(self) -> float:
        """Chance to win the match, or points, lost by all errors."""
        return self.plays.cost + self.cubes.cost

    @property
    def luck_adjusted(self) -> float:
        """The result with the luck of both sides taken out."""
        return self.result - self.luck_cost + self.opponent_luck_cost

    def rate(self, name: str) -> float | None:
        """The rating of that name; None where no decision counts."""
        return self.ratings[name].value if name in self.ratings else None

    def __add__(self, other: Tally) -> Tally:
        values: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            mine, others = getattr(self, field.name), getattr(other, field.name)
            if field.name == "cost_unit":
                same = mine == others or not mine or not others
                values[field.name] = (mine or others) if same else "mixed"
            elif isinstance(mine, Mapping):
                values[field.name] = {
                    key: mine[key] + others[key] if key in mine and key in others
                    else mine.get(key, others.get(key)) for key in [*mine, *(
                        key for key in others if key not in mine)]}
            else:
                values[field.name] = mine + others
        return Tally(**values)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; ratings by name at the top level."""
        luck_rate = 1000 * self.luck / self.moves if self.moves else None
        return {
            **{name: _round(rating.value) for name, rating in self.ratings.items()},
            "decisions": {name: rating.decisions for name, rating in self.ratings.items()},
            "plays": {name: _round(rating.value) for name, rating in self.play_ratings.items()},
            "cubes": {name: _round(rating.value) for name, rating in self.cube_ratings.items()},
            "emg_lost": _round(self.lost), "cost": _round(self.cost), "cost_unit": self.cost_unit,
            "moves": self.moves, "unforced": self.unforced, "unjudged": self.unjudged,
            "play_errors": self.plays.to_dict(), "cube_errors": self.cubes.to_dict(),
            "doubles": self.doubles, "takes": self.takes, "passes": self.passes,
            "beavers": self.beavers, "resignations": self.resignations.to_dict(),
            "sizes": {name: loss.to_dict() for name, loss in self.sizes.items()},
            "play_sizes": dict(self.play_sizes), "cube_sizes": dict(self.cube_sizes),
            "faults": {name: loss.to_dict() for name, loss in self.faults.items()},
            "rolls": self.rolls, "luck": _round(self.luck), "luck_cost": _round(self.luck_cost),
            "luck_rate": _round(luck_rate), "lucky": dict(self.lucky),
            "result": _round(self.result),
            "luck_adjusted_result": _round(self.luck_adjusted) if self.rolls else None,
        }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def tally(
    record: MatchRecord, judged: Iterable[Judged], player: int, definitions: Definitions,
    games: Iterable[int] | None = None, met: MatchEquity | str | None = None,
) -> Tally:
    """The player's sums over the games (by index; None = all)."""
    chosen = set(range(len(record.games)) if games is None else games)
    all_of = [d for d in judged if d.game in chosen]
    mine = [d for d in all_of if d.player == player]
    limits = definitions.limits
    plays, cubes, resigned = Loss(), Loss(), Loss()
    sizes = dict.fromkeys(limits.names, Loss())
    play_sizes, cube_sizes = (dict.fromkeys(limits.names, 0) for _ in range(2))
    faults = dict.fromkeys(FAULTS, Loss())
    for decision in mine:
        if decision.lost is None:
            continue
        if decision.is_resignation:
            resigned = resigned.add(decision)
            if limits.of(decision.lost):
                faults[decision.fault] = faults[decision.fault].add(decision)
            continue
        if decision.is_cube:
            cubes = cubes.add(decision)
            if decision.fault:
                faults[decision.fault] = faults[decision.fault].add(decision)
        elif not decision.forced:
            plays = plays.add(decision)
        if size := limits.of(decision.lost):
            sizes[size] = sizes[size].add(decision)
            (cube_sizes if decision.is_cube else play_sizes)[size] += 1
    rolls = [d for d in mine if d.luck is not None]
    lucky = {name: sum(luck_name(d.luck or 0.0) == name for d in rolls) for name, _ in LUCK}
    kinds = [d.kind for d in mine]
    one_point = record.length == 1
    moves = sum(d.kind == "play" for d in all_of)
    return Tally(
        moves=kinds.count("play"), unforced=sum(d.counts_as_play("unforced") for d in mine),
        plays=plays, cubes=cubes, resignations=resigned,
        doubles=kinds.count("double"), takes=kinds.count("take"), passes=kinds.count("drop"),
        beavers=kinds.count("beaver"), sizes=sizes,
        play_sizes=play_sizes, cube_sizes=cube_sizes, faults=faults,
        unjudged=sum(d.lost is None and d.kind != "roll" and not d.is_resignation for d in mine),
        rolls=len(rolls), luck=sum(d.luck or 0.0 for d in rolls),
        luck_cost=sum(d.luck_cost or 0.0 for d in rolls),
        opponent_luck_cost=sum(d.luck_cost or 0.0 for d in all_of if d.player != player),
        lucky=lucky,
        result=sum(result(record, n, player, met) for n in sorted(chosen)),
        ratings={name: _rating(rate, mine, moves, one_point, "")
                 for name, rate in definitions.rates.items()},
        play_ratings={name: _rating(rate, mine, moves, one_point, "play")
                      for name, rate in definitions.rates.items()},
        cube_ratings={name: _rating(rate, mine, moves, one_point, "cube")
                      for name, rate in definitions.rates.items()},
        cost_unit="mwc" if record.length else "points")


def _rating(
    rate: Rate, mine: list[Judged], moves_of_both: int, one_point: bool, part: str
) -> Rating:
    """The rate over the judged decisions; part "play" or "cube" for one kind alone."""
    counted, lost = 0, 0.0
    for decision in mine:
        if decision.lost is None or decision.is_resignation or (
                part and (part == "cube") != decision.is_cube):
            continue
        if not decision.forced:
            lost += decision.lost
        counted += decision.counts_as_play(rate.plays) or decision.counts_as_cube(rate.cubes)
    if rate.per == "moves of both":
        counted = moves_of_both
    return Rating(lost * (rate.one_point if one_point else 1.0), counted, rate.factor)


# ---- results ---------------------------------------------------------------------------------


def result(
    record: MatchRecord, game: int, player: int, met: MatchEquity | str | None = None
) -> float:
    """What a game brought the player: points, or the change of the chance to win the match. 0 while
    nobody has won it."""
    played = record.games[game]
    if played.winner is None:
        return 0.0
    sign = 1 if played.winner == player else -1
    if not record.length:
        return float(sign * played.points)
    before, after = chances(record, played, played.winner, met)
    return sign * (after - before)


def chances(
    record: MatchRecord, game: GameRecord, player: int, met: MatchEquity | str | None = None
) -> tuple[float, float]:
    """The player's chances to win the match before and after a game that somebody won."""
    start = game.start if game.start.turn == player else game.start.swap()
    table = met_of(start, met)
    own, opp = needs_of(start)
    over = 1 in (own, opp) and not start.crawford
    before = _chance(table, own, opp, over)
    if game.winner == player:
        own = max(own - game.points, 0)
    elif game.winner is not None:
        opp = max(opp - game.points, 0)
    return before, _chance(table, own, opp, over or start.crawford or not record.crawford)


def _chance(table: MatchEquity | LongMatchEquity, own: int, opp: int, over: bool) -> float:
    if max(own, opp) > MAX_NEEDS:
        return 0.5  # beyond every table
    return table.mwc(own, opp, post_crawford=over and 1 in (own, opp))


