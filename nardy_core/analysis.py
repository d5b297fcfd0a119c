"""What the engine answers: evaluations of positions and ranked plays."""
from __future__ import annotations

import dataclasses
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from html import escape
from typing import Any

from nardy_core import rules
from nardy_core.evaluator import outcomes_of
from nardy_core.game_facts import FACTS
from nardy_core.levels import Level, level_name
from nardy_core.play import Play
from nardy_core.position import Position
from nardy_core.terms import term

DIGITS = 6  # decimals of probabilities and equities in dictionaries


@dataclasses.dataclass(frozen=True, slots=True)
class EngineInfo:
    """What an answer was made with.

    version, game : of this package, and the game that the answer is about
    nets : (part, short content hash) of each net, so that answers can be told apart
    tables : names of the exact tables in use
    plan : the move filter of its searches, where it is not "normal"
    """

    version: str
    game: str
    nets: tuple[tuple[str, str], ...]
    tables: tuple[str, ...] = ()
    plan: str | None = None

    def __str__(self) -> str:
        nets = ", ".join(f"{part} {short}" for part, short in self.nets)
        plan = f", {self.plan} filter" if self.plan else ""
        return f"nardy_core {self.version}, {self.game} ({nets}){plan}"

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
        return {"name": "nardy_core", "version": self.version, "game": self.game,
                "nets": dict(self.nets), "tables": list(self.tables),
                **({"filter": self.plan} if self.plan else {})}


class Numbers(Mapping[str, float]):
    """Immutable mapping of outcome names to numbers, in the order of the rules."""

    __slots__ = ("_names", "_values")

    def __init__(self, names: Sequence[str], values: Sequence[float]) -> None:
        self._names = tuple(names)
        self._values = tuple(float(v) for v in values)

    def __getitem__(self, name: str) -> float:
        try:
            return self._values[self._names.index(name)]
        except ValueError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    # Views of a dictionary are faster than those that ask for each name.
    def items(self) -> ItemsView[str, float]:
        return dict(zip(self._names, self._values, strict=True)).items()

    def values(self) -> ValuesView[float]:
        return dict(zip(self._names, self._values, strict=True)).values()

    def __hash__(self) -> int:
        return hash((self._names, self._values))

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{n!r}: {v:.4f}" for n, v in self.items()) + "}"

    def to_dict(self) -> dict[str, float]:
        """A plain dictionary, rounded to six decimals."""
        return {name: round(value, DIGITS) for name, value in self.items()}


def nested_of(game: str, probabilities: Mapping[str, float]) -> Numbers | None:
    """The cumulative five of backgammon, where a gammon counts as a win, too; None elsewhere."""
    if not FACTS[game].nested:
        return None
    single, gammon, backgammon, _, lost_gammon, lost_backgammon = probabilities.values()
    return Numbers(
        ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon"),
        (single + gammon + backgammon, gammon + backgammon, backgammon,
         lost_gammon + lost_backgammon, lost_backgammon))


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """The chances of one side and what they are worth.

    side : whose chances: "own" = the side on roll of `position`, "opp" = the other
    probabilities : mapping of the game's exclusive outcome classes; they add up to 1
    equity : cubeless money equity in points, the dot product with what the rules of the position
        pay for each class
    level : plies of look-ahead, counted as gnubg does: 0 = the static net; or the name of a roller
    engine : nets and tables that were used
    cubeful : equity with the best cube action from here on, in units of the present cube
        (equivalent to money in a match); None where it was not asked for
    mwc : the same as a chance to win the match; None for money
    trials, standard_error : of a roller: games, and the standard error of `cubeful`, or of `equity`
        where that was not asked for
    """

    position: Position
    side: str
    probabilities: Numbers
    equity: float
    level: Level
    engine: EngineInfo
    cubeful: float | None = None
    mwc: float | None = None
    trials: int = 0
    standard_error: float | None = None

    @property
    def nested(self) -> Numbers | None:
        """The customary five of backgammon: win, win_gammon, win_backgammon, lose_gammon,
        lose_backgammon, where a gammon counts as a win, too. None in long nardy."""
        return nested_of(self.position.game, self.probabilities)

    @property
    def win(self) -> float:
        """Chance to win at all."""
        values = list(self.probabilities.values())
        return sum(values[: len(values) // 2])

    @property
    def draw(self) -> float | None:
        """Chance of a draw by the last roll, the part that the classes leave; None where the rules
        have no draws."""
        return draw_of(self.position, self.probabilities)

    def flip(self) -> Evaluation:
        """The same seen by the other side."""
        values = list(self.probabilities.values())
        half = len(values) // 2
        return dataclasses.replace(
            self, side="opp" if self.side == "own" else "own", equity=-self.equity,
            cubeful=None if self.cubeful is None else -self.cubeful,
            mwc=None if self.mwc is None else 1 - self.mwc,
            probabilities=Numbers(tuple(self.probabilities), values[half:] + values[:half]))

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
        nested = self.nested
        out: dict[str, Any] = {
            "position": self.position.id(), "side": self.side, "level": self.level,
            "probabilities": self.probabilities.to_dict()}
        if nested:
            out["nested"] = nested.to_dict()
        cubeful = None if self.cubeful is None else round(self.cubeful, DIGITS)
        if self.draw is not None:
            out["draw"] = round(self.draw, DIGITS)
            if self._limits():
                out["nets_see_last_roll"] = False
        out["equity"] = {"cubeless": round(self.equity, DIGITS), "cubeful": cubeful}
        if self.mwc is not None:
            out["mwc"] = round(self.mwc, DIGITS)
        out.update(self.rolled)
        out["engine"] = self.engine.to_dict()
        return out

    @property
    def rolled(self) -> dict[str, Any]:
        """Trials and standard error of a roller; {} where none was asked."""
        if self.standard_error is None:
            return {}
        return {"trials": self.trials, "standard_error": round(self.standard_error, DIGITS)}

    def __repr__(self) -> str:
        return f"<Evaluation {level_name(self.level)} {self.equity:+.4f} {self.probabilities!r}>"

    def __str__(self) -> str:
        return self.text()

    def text(self, lang: str = "en") -> str:
        """One line of chances in percent and the equity."""
        parts = [f"{label} {100 * value:.2f}%" for label, value in
                 zip(headings(self.position, lang), chances(self), strict=True)]
        head = f"{level_name(self.level)}  {term('equity', lang)} {self.equity:+.4f}"
        return "\n".join([f"{head}  " + "  ".join(parts), *self._limits(lang)])

    def _limits(self, lang: str = "en") -> list[str]:
        return limits([self.position], self.engine.tables, lang)


def made(
    position: Position, side: str, values: Sequence[float], level: Level, engine: EngineInfo
) -> Evaluation:
    """An Evaluation from class probabilities in the order of the rules."""
    numbers = Numbers(outcomes_of(position.game), values)
    equity = 0.0
    for value, points in zip(numbers.values(), rules.points(position.rules), strict=True):
        equity += value * points
    return Evaluation(position, side, numbers, equity, level, engine)


def draw_of(position: Position, probabilities: Mapping[str, float]) -> float | None:
    """Chance of a draw; None where the rules have none."""
    return max(1 - sum(probabilities.values()), 0.0) if position.equalises else None


def limits(positions: Iterable[Position], tables: Sequence[str] = (), lang: str = "en"
           ) -> list[str]:
    """Lines that say what the nets leave out of the worth of positions; `tables` are those of the
    EngineInfo, in which no net has a part."""
    owed = any(p.equalises and not _in_tables(p, tables) for p in positions)
    return [term("nets_and_last_roll", lang)] if owed else []


def _in_tables(position: Position, tables: Sequence[str]) -> bool:
    """Exact tables, or a look at the last roll, answer here and from here on."""
    if position.last_roll_due or position.finished:
        return True
    far = max(point for side in (position.own, position.opp)
              for point, count in enumerate(side) if count)
    reach = [6 if name == "bear-off" else int(name.removeprefix("long race ")) for name in tables]
    return far <= max(reach, default=0)


def headings(position: Position, lang: str = "en") -> list[str]:
    """Column titles that go with `chances`."""
    if FACTS[position.game].nested:
        gammon, backgammon = term("gammon", lang), term("backgammon_result", lang)
        return [term("win", lang), f"+{gammon}", f"+{backgammon}", f"-{gammon}", f"-{backgammon}"]
    words = [term(key, lang) for key in ("oin", "mars", "koks", "home_mars")]
    drawn = [term("draw", lang)] if position.equalises else []
    return [f"+{word}" for word in words] + [f"-{word}" for word in words] + drawn


def chances(evaluation: Evaluation) -> list[float]:
    """The numbers people expect to see: backgammon's nested five, long nardy's classes."""
    drawn = [] if evaluation.draw is None else [evaluation.draw]
    return [*(evaluation.nested or evaluation.probabilities).values(), *drawn]


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Candidate:
    """A play with its worth to the mover, at the level it was judged at.

    evaluation : the mover's chances, with cubeful equity where that is what plays are ranked by
    play : the play
    difference : its equity less that of the best candidate, never positive; it compares like with
        like only where both are at the same level
    """

    play: Play
    evaluation: Evaluation
    difference: float

    @property
    def result(self) -> Position:
        """The position after the play, the other side on roll."""
        return self.play.result

    @property
    def equity(self) -> float:
        """What plays are ranked by: cubeful equity (in units of the cube, equivalent to money in a
        match), or cubeless equity where the cube was left out."""
        cubeful = self.evaluation.cubeful
        return self.evaluation.equity if cubeful is None else cubeful

    @property
    def cubeless(self) -> float:
        """Cubeless equity for money."""
        return self.evaluation.equity

    @property
    def mwc(self) -> float | None:
        """Chance to win the match; None for money, and where the cube was left out."""
        return self.evaluation.mwc

    @property
    def level(self) -> Level:
        """Plies of look-ahead it was judged with, or the name of a roller."""
        return self.evaluation.level

    @property
    def probabilities(self) -> Numbers:
        """The mover's chances by exclusive outcome class, as in Evaluation."""
        return self.evaluation.probabilities

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
        out = {"play": self.play.notation, "result": self.result.id(),
               "equity": round(self.equity, DIGITS), "difference": round(self.difference, DIGITS),
               "cubeless": round(self.cubeless, DIGITS),
               "level": self.level, **self.evaluation.rolled,
               "probabilities": self.probabilities.to_dict()}
        if self.mwc is not None:
            out["mwc"] = round(self.mwc, DIGITS)
        if self.evaluation.draw is not None:
            out["draw"] = round(self.evaluation.draw, DIGITS)
        if nested := self.evaluation.nested:
            out["nested"] = nested.to_dict()
        return out

    def __repr__(self) -> str:
        return (f"<Candidate {self.play} {level_name(self.level)} {self.equity:+.4f} "
                f"{self.difference:+.4f}>")


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Analysis:
    """The plays of a roll, best first.

    The best candidate is always judged at the level asked for, and nothing at any level has a
    higher equity. Candidates that were not looked at so deeply come after all that were, whatever
    their equity, and carry the level they have.

    position, dice, level : what was asked
    candidates : the plays with their worth to the side on roll
    total : how many distinct plays there are, listed or not
    engine : nets and tables that were used
    cubeful : they are ranked with the cube in play
    """

    position: Position
    dice: tuple[int, int]
    level: Level
    candidates: tuple[Candidate, ...]
    total: int
    engine: EngineInfo
    cubeful: bool = False

    @property
    def best(self) -> Candidate:
        """The first of the candidates."""
        return self.candidates[0]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
        return {"position": self.position.id(), "dice": list(self.dice), "level": self.level,
                "plays": self.total, "cubeful": self.cubeful,
                "candidates": [c.to_dict() for c in self.candidates],
                "engine": self.engine.to_dict()}

    def rows(self, lang: str = "en") -> list[list[str]]:
        """The table as text: a heading, then one row a candidate."""
        head = ["", term("play", lang), term("equity", lang), "", "", *headings(
            self.position, lang)]
        rows = [head]
        for number, c in enumerate(self.candidates, 1):
            name = c.play.notation or term("pass_turn", lang)
            behind = f"({c.difference:+.4f})" if number > 1 else ""
            rows.append([f"{number}.", name, f"{c.equity:+.4f}", behind, level_name(c.level),
                         *(f"{100 * p:.2f}" for p in chances(c.evaluation))])
        return rows

    def text(self, lang: str = "en", *, board: bool = False) -> str:
        """The table of candidates, below the board if asked."""
        lines = [*align(self.rows(lang), left=(1, 4)),
                 *limits((c.result for c in self.candidates), self.engine.tables, lang)]
        if board:
            from nardy_core.render import board_text

            shown = self.position.with_(dice=self.dice, offer="none")
            lines = [*board_text(shown, lang=lang).splitlines(), "", *lines]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return (f"<Analysis {self.dice[0]}-{self.dice[1]} {level_name(self.level)}: "
                f"{self.best!r}>")

    def _repr_html_(self) -> str:
        from nardy_core.render import board_svg

        shown = self.position.with_(dice=self.dice, offer="none")
        head, *rows = self.rows()
        cells = "".join(f"<th>{escape(word)}</th>" for word in head)
        body = "".join("<tr>" + "".join(f"<td>{escape(word)}</td>" for word in row) + "</tr>"
                       for row in rows)
        return (board_svg(shown, size=480, arrows=self.best.play)
                + f"<table><tr>{cells}</tr>{body}</table>")


def rounded(value: Any) -> Any:
    """Numbers to DIGITS decimals, at any depth of dictionaries."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return round(value, DIGITS) if isinstance(value, float) else value


def align(rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> list[str]:
    """Rows as lines with columns of equal width, numbers to the right, `left` to the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(f"{word:<{width}}" if i in left else f"{word:>{width}}"
                      for i, (word, width) in enumerate(zip(row, widths, strict=True))).rstrip()
            for row in rows]
