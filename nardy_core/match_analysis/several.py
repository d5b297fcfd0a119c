"""Several matches together: a table of players, and team matches by boards won."""
from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any

from nardy_core.analysis import align
from nardy_core.match_analysis.result import MatchAnalysis
from nardy_core.match_analysis.tally import Tally
from nardy_core.match_analysis.text import cost, names_of, number
from nardy_core.match_analysis.words import known, word


@dataclasses.dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player over all matches that bear the name: how many, how many won, and their `tally`."""

    name: str
    matches: int
    won: int
    tally: Tally

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
        return {"name": self.name, "matches": self.matches, "won": self.won,
                **self.tally.to_dict()}


def winner_of(analysis: MatchAnalysis) -> int | None:
    """Who won the match; in a money session, and in a match that was not finished, who is ahead;
    None if nobody is."""
    record = analysis.record
    if record.winner is not None:
        return record.winner
    first, second = record.score
    return None if first == second else int(second > first)


def players_of(analyses: Sequence[MatchAnalysis]) -> list[PlayerRow]:
    """One row for each name, the best rating first. All must have the same definitions."""
    rows: dict[str, PlayerRow] = {}
    for analysis in analyses:
        for player, name in enumerate(names_of(analysis.record)):
            won = int(winner_of(analysis) == player)
            row, tally = rows.get(name), analysis.players[player]
            if row is None:
                rows[name] = PlayerRow(name, 1, won, tally)
            else:
                rows[name] = PlayerRow(name, row.matches + 1, row.won + won, row.tally + tally)
    rating = analyses[0].definitions.rating if analyses else "pr"

    def order(row: PlayerRow) -> tuple[bool, float, str]:
        rate = row.tally.rate(rating)
        return rate is None, rate or 0.0, row.name

    return sorted(rows.values(), key=order)


def table(analyses: Sequence[MatchAnalysis], lang: str = "en") -> str:
    """The rows as text, the rating of the definitions first."""
    definitions = analyses[0].definitions
    rates = sorted(definitions.rates, key=lambda name: name != definitions.rating)
    names = definitions.limits.names
    head = [word("player", lang), word("matches", lang), word("won", lang),
            *(word(rate, lang) if known(rate) else rate for rate in rates),
            word("lost", lang), *(word(f"size_{n}", lang) if known(f"size_{n}") else n
                                  for n in names), word("luck", lang), word("adjusted", lang)]
    rows = [head]
    for row in players_of(analyses):
        t = row.tally
        adjusted = "–" if t.cost_unit == "mixed" or not t.rolls else cost(
            t.luck_adjusted, t.cost_unit, sign=True)
        rows.append([
            row.name, str(row.matches), str(row.won), *(number(t.rate(rate)) for rate in rates),
            f"{t.lost:.3f}", *(str(t.sizes[n].count) for n in names), f"{t.luck:+.3f}", adjusted])
    return "\n".join(align(rows, left=(0,)))


# ---- team matches ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class TeamResult:
    """A team match on several boards.

    sides : names of the players of the two sides
    boards : for each match which side won it, 0 or 1, None if nobody
    """

    sides: tuple[tuple[str, ...], tuple[str, ...]]
    boards: tuple[int | None, ...]

    @property
    def score(self) -> tuple[int, int]:
        """Boards won by either side."""
        return self.boards.count(0), self.boards.count(1)

    @property
    def winner(self) -> int | None:
        """The side that won more boards; None if neither did."""
        own, opp = self.score
        return None if own == opp else int(opp > own)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
        return {"sides": [list(side) for side in self.sides], "boards": list(self.boards),
                "score": list(self.score), "winner": self.winner}

    def text(self, lang: str = "en") -> str:
        """Who won the team match, in one line."""
        own, opp = self.score
        if self.winner is None:
            return word("team_level", lang, own=own, opp=opp)
        name = ", ".join(self.sides[self.winner])
        best, least = max(own, opp), min(own, opp)
        return word("team_won", lang, name=name, own=best, opp=least)


def team_match(
    analyses: Sequence[MatchAnalysis], side: Collection[str] | None = None
) -> TeamResult:
    """Who won a team match, each match being a board.

    side : names of the players of one side; None = the players 0 of all matches. ValueError if a
        board has none or two of them.
    """
    sides: tuple[dict[str, None], dict[str, None]] = ({}, {})
    boards: list[int | None] = []
    for analysis in analyses:
        names = names_of(analysis.record)
        at = 0
        if side is not None:
            of_side = [name in side for name in names]
            if sum(of_side) != 1:
                raise ValueError(f"team: {analysis.name or 'a match'} of {ascii(names[0])} and "
                                 f"{ascii(names[1])} does not have one player of the side")
            at = of_side.index(True)
        sides[0][names[at]] = sides[1][names[1 - at]] = None
        won = winner_of(analysis)
        boards.append(None if won is None else int(won != at))
    return TeamResult((tuple(sides[0]), tuple(sides[1])), tuple(boards))
