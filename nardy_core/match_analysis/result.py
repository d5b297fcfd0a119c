"""A match with a judgement of every decision."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nardy_core.checks import one_of
from nardy_core.cube_inputs import met_of
from nardy_core.match import MatchEquity
from nardy_core.match_analysis.definitions import SIZES, Definitions, luck_name
from nardy_core.match_analysis.judged import Judged, text_id
from nardy_core.match_analysis.tally import Tally, tally
from nardy_core.match_record import MatchRecord, scores

if TYPE_CHECKING:
    from nardy_core.match_record import Action

SCHEMA = "nardy.analysis/1"

_GNUBG = SIZES["gnubg"]
_MARKS = {"doubtful": ("DO", ""), "bad": ("BM", "1"), "very bad": ("BM", "2")}  # in SGF

Program = Mapping[str, Any]  # what judged: name, version, level and what else it says of itself


@dataclasses.dataclass(frozen=True, repr=False)
class MatchAnalysis:
    """What became of a match: made by `analyse_match`.

    record : the match as it was read
    decisions : every decision in order, see `Judged`
    foreign : the same decisions held against the analysis the file brought along; empty if none
    level : name of the level, "file" for the file's own analysis
    engine : what judged: name, version, nets, or the program that the file names
    definitions : what the figures mean
    met : match equity table, None for money and for the default one of long nardy
    name : of the file
    complete : False if it was stopped before every decision was judged
    error : why the games after the last could not be read, "" if all were
    """

    record: MatchRecord
    decisions: tuple[Judged, ...]
    foreign: tuple[Judged, ...] = ()
    level: str = "file"
    engine: Program = dataclasses.field(default_factory=dict)
    definitions: Definitions = Definitions()
    met: MatchEquity | None = None
    name: str = ""
    complete: bool = True
    error: str = ""

    @cached_property
    def players(self) -> tuple[Tally, Tally]:
        """Sums over the match for players 0 and 1."""
        return self._tallies(self.decisions)

    @cached_property
    def games(self) -> tuple[tuple[Tally, Tally], ...]:
        """The same for each game."""
        return tuple(self._tallies(self.decisions, (n,)) for n in range(len(self.record.games)))

    @cached_property
    def foreign_players(self) -> tuple[Tally, Tally] | None:
        """The sums over the file's own analysis, by the same definitions; None without one."""
        return self._tallies(self.foreign) if self.foreign else None

    def _tallies(
        self, decisions: tuple[Judged, ...], games: tuple[int, ...] | None = None
    ) -> tuple[Tally, Tally]:
        first, second = (
            tally(self.record, decisions, player, self.definitions, games, self.met)
            for player in (0, 1))
        return first, second

    def errors(self, size: str = "", player: int | None = None) -> list[Judged]:
        """The errors of at least a size (a name of the definitions' sizes; "" = the smallest that
        has one), the costliest first; of one player or of both. Resignations are none of them, see
        `resignations`."""
        limits = self.definitions.limits
        if size:
            one_of("size", size, limits.names)
        least = limits.names.index(size) if size else 0
        found = [d for d in self.decisions if d.lost is not None and limits.of(d.lost)
                 and not d.is_resignation and limits.names.index(limits.of(d.lost)) >= least
                 and player in (None, d.player)]
        return sorted(found, key=lambda d: (-_weight(d), d.game, d.number))

    def resignations(self) -> list[Judged]:
        """Each resignation of the match, held against whoever was wrong: the player who resigned,
        or the one who accepted; the player who resigned if nobody was or nobody knows."""
        found: dict[tuple[int, int], Judged] = {}
        for d in self.decisions:
            if d.is_resignation and (d.kind == "resign" or d.lost):
                found[d.game, d.number] = d
        return list(found.values())

    def curve(self) -> list[tuple[int, int, float]]:
        """(game, number of the action, chance of player 0 to win the match) after each decision
        that is known; in money the points of the score and what the game is worth to him."""
        out: list[tuple[int, int, float]] = []
        for decision in self.decisions:
            if decision.worth is None or decision.kind == "accept":  # said by "resign" already
                continue
            worth = decision.worth
            if decision.player == 1:
                worth = 1 - worth if self.record.length else -worth
            if not self.record.length:
                own, opp = self.record.games[decision.game].score
                worth += own - opp
            out.append((decision.game, decision.number, worth))
        return out

    def annotated(self) -> MatchRecord:
        """The record with these judgements as its analysis, for files in other formats: .sgf,
        .ogxm, .json and text as XG writes it."""
        by_place: dict[tuple[int, int], dict[str, Any]] = {}
        for d in self.decisions:
            if d.analysis:
                place = by_place.setdefault((d.game, d.number), {})
                place.update(d.analysis)
                marks = dict(place.get("marks") or {})
                marked = d.kind != "no_double" and not d.is_resignation
                if marked and (mark := _MARKS.get(_GNUBG.of(d.lost or 0.0))):
                    marks.update([mark])
                if d.luck is not None and (name := luck_name(d.luck)):
                    # good for White or for Black, once or twice
                    lucky = d.player if d.luck > 0 else 1 - d.player
                    marks["GB" if lucky else "GW"] = "2" if name.startswith("very") else "1"
                if marks:
                    place["marks"] = marks
        games = []
        for n, game in enumerate(self.record.games):
            actions: list[Action] = []
            for number, action in enumerate(game.actions):
                found = by_place.get((n, number))
                actions.append(dataclasses.replace(action, analysis=found or None))
            tags = tuple(tag for tag in game.tags if tag[0] != "GS")  # sums of another analysis
            games.append(dataclasses.replace(game, actions=tuple(actions), tags=tags))
        return dataclasses.replace(self.record, games=tuple(games))

    # ---- plain data ----

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data with the schema "nardy.analysis/1"."""
        record = self.record
        out: dict[str, Any] = {
            "schema": SCHEMA, "file": self.name, "engine": dict(self.engine),
            "level": self.level, "met": self.met_name or None,
            "complete": self.complete, "error": self.error or None,
            "match": {
                "players": list(record.players), "length": record.length, "start": record.start,
                "crawford": record.crawford, "jacoby": record.jacoby, "date": record.date,
                "score": list(record.score), "winner": record.winner, "source": record.source,
                "tags": [list(tag) for tag in record.tags]},
            "definitions": self.definitions.to_dict(),
            "players": [self._player(self.players, p) for p in (0, 1)],
            "games": [
                {"game": n + 1, "score": list(game.score), "crawford": game.crawford,
                 "winner": game.winner, "points": game.points, "how": game.how,
                 "players": [self._player(self.games[n], p) for p in (0, 1)]}
                for n, game in enumerate(record.games)],
            "decisions": [self._decision(n, d) for n, d in enumerate(self.decisions)],
        }
        if self.foreign_players:
            out["foreign"] = {
                "program": self.program,
                "players": [self._player(self.foreign_players, p) for p in (0, 1)]}
        return out

    @property
    def met_name(self) -> str:
        """What the match equity table is called, "" for money."""
        if not self.record.length or not self.record.games:
            return ""
        return met_of(self.record.games[0].start, self.met).name

    @property
    def program(self) -> str:
        """Who made the analysis that the file brought along, "" if the file does not say."""
        return next((str(d.analysis["program"]) for d in self.foreign
                     if d.analysis.get("program")), "")

    def _player(self, tallies: tuple[Tally, Tally], player: int) -> dict[str, Any]:
        return {"player": player, "name": self.record.players[player],
                **tallies[player].to_dict()}

    def _decision(self, n: int, decision: Judged) -> dict[str, Any]:
        from nardy_core.formats.json_form import plain

        out = decision.to_dict()
        out["size"] = self.definitions.limits.of(decision.lost or 0.0)
        if decision.kind == "play":
            out["candidates"] = plain(decision.analysis.get("candidates") or [])
        if self.foreign:
            other = self.foreign[n]
            out["foreign"] = None if other.lost is None else {
                "best": other.best, "lost": round(other.lost, 6), "level": other.level,
                "luck": None if other.luck is None else round(other.luck, 6)}
        return out

    def rows(self) -> Iterator[dict[str, Any]]:
        """One flat row for each decision, for tables and data frames."""
        record = self.record
        for n, d in enumerate(self.decisions):
            points, pips = scores(d.position), d.position.pips
            if d.player != d.position.turn:
                pips = pips[::-1]
            row = {
                "file": self.name, "game": d.game + 1, "number": d.number + 1,
                "player": d.player, "name": record.players[d.player],
                "score": points[d.player], "opponent_score": points[1 - d.player],
                "match_length": record.length, "crawford": int(d.position.crawford),
                "cube": d.position.cube, "pips": pips[0], "opponent_pips": pips[1],
                "position": text_id(d.position), "kind": d.kind,
                "dice": "{}{}".format(*d.action.dice) if d.action.dice else "",
                "done": d.done, "best": d.best, "lost": _six(d.lost), "cost": _six(d.cost),
                "size": self.definitions.limits.of(d.lost or 0.0), "fault": d.fault,
                "equity": _six(d.equity), "best_equity": _six(d.best_equity), "level": d.level,
                "choices": d.choices, "forced": int(d.forced), "trivial": int(d.trivial),
                "luck": _six(d.luck), "luck_cost": _six(d.luck_cost),
                "legal": int(d.action.legal), "warning": d.action.warning}
            if self.foreign:
                other = self.foreign[n]
                row |= {"foreign_best": other.best, "foreign_lost": _six(other.lost),
                        "foreign_luck": _six(other.luck)}
            yield row

    def to_pandas(self) -> Any:
        """The rows as a data frame. RuntimeError if pandas is missing."""
        return frame(self.rows())

    # ---- for people ----

    def text(self, lang: str = "en", *, errors: int = 10) -> str:
        """The figures side by side, and the costliest errors."""
        from nardy_core.match_analysis.text import summary

        return summary(self, lang, errors)

    def html(self, lang: str = "en", *, theme: str = "auto") -> str:
        """The report as one self-contained page; see `nardy_core.render.report`. `theme` is
        "light", "dark", or "auto", which follows the reader's screen."""
        from nardy_core.render.report import report_html

        return report_html(self, lang=lang, theme=theme)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        first, second = self.players
        rating = self.definitions.rating
        rates = ", ".join(f"{name or '?'} {_shown(t.rate(rating))}" for name, t in
                          zip(self.record.players, (first, second), strict=True))
        return f"<MatchAnalysis {len(self.record.games)} games, {rating}: {rates}>"


def _weight(decision: Judged) -> float:
    """What an error cost: chances or points, or the equity where these are not known."""
    return decision.cost if decision.cost is not None else decision.lost or 0.0


def _six(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def frame(rows: Iterable[dict[str, Any]]) -> Any:
    """Rows as a data frame. RuntimeError in one line if pandas is missing."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise RuntimeError('pandas is missing: pip install "nardy_core[tables]"') from None
    return pandas.DataFrame(list(rows))
