"""A position of either game as an immutable value."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nardy_core.checks import one_of, power_of_two, whole
from nardy_core.counts import OWED, across, board_error, counts_of, fill, planes_of
from nardy_core.game_facts import FACTS
from nardy_core.options import RULE_FIELDS, TABLE, Options, read_rule, rule_name

if TYPE_CHECKING:
    from nardy_core.play import Play

GAMES = tuple(FACTS)
OWNERS = ("centre", "own", "opp")
OFFERS = ("none", "doubled", "beavered", "raccooned")
MAX_SCORE = 32767  # what fifteen bits of a GNU match id hold
MAX_CUBE_LOG2 = 30  # far above any cube ever seen, and exact in every number the engine uses
_MAX_CUBE = 1 << MAX_CUBE_LOG2
MAX_CENTRED = 64  # highest cube that automatic doubles are taken to have made
BY_GAME = 0  # max_cube of a position that does not say: see `Position`
USUAL: Any = None  # jacoby and beavers of one that does not say

_STARTS: dict[str, tuple[str, int, dict[int, int]]] = {  # name: game, checkers, point: count
    "backgammon": ("backgammon", 15, {24: 2, 13: 5, 8: 3, 6: 5}),
    "nackgammon": ("backgammon", 15, {24: 2, 23: 2, 13: 4, 8: 3, 6: 4}),
    "hypergammon1": ("backgammon", 1, {24: 1}),
    "hypergammon2": ("backgammon", 2, {24: 1, 23: 1}),
    "hypergammon3": ("backgammon", 3, {24: 1, 23: 1, 22: 1}),
    "long_nardy": ("long_nardy", 15, {24: 15}),
}
START_NAMES = tuple(_STARTS)
_OF_STARTS = ("game", "own", "opp", "checkers")  # fields that the name settles


def _rules_across(rules: Options) -> Options:
    """The same rules when the other side is to move: the starter's turn is the second player's."""
    return Options(rules.game, {**rules, "second_player": not rules["second_player"]})


def money_rule(game: str, match_length: int, given: bool | None) -> bool:
    """Whether Jacoby's rule holds, or beavers are allowed: what was said, or what is usual."""
    if match_length:
        return False
    return game == "backgammon" if given is None else bool(given)


def most_resigned(rules: Options) -> int:
    """The most points (times the cube) that a resignation can be offered at: what the rules pay
    for the worst loss, or for a resignation, where that is more than the four of a home mars."""
    if rules.game != "long_nardy":
        return 4
    scoring, fixed = rules["scoring"], rules["resignation"]
    vector: tuple[int, ...] = scoring if isinstance(scoring, tuple) else ()  # named ones end at 4
    return max(4, *vector, fixed if isinstance(fixed, int) else 0)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Position:
    """Everything that is known before a decision: board, dice, cube, score, rules.

    Immutable and hashable; two positions are equal when all fields are. "own" is the side on roll,
    "opp" the other; each side's checkers are counted in ITS OWN numbers. A position with a cube
    offer pending still belongs to the side that will roll: the one that doubled.

    Fields
    ------
    game : "backgammon" or "long_nardy"
    own, opp : tuples of 26 counts; 0 = borne off, 1..24 = points, 25 = bar
    turn : which absolute player is on roll. 1 is XGID's bottom player, gnubg's player 1 (X), OGID's
        Black, White of long nardy; 0 is XGID's top player, gnubg's player 0 (O), OGID's White,
        Black of long nardy.
    dice : (higher, lower) or None before the roll
    cube : value of the cube before any offer now pending, a power of two up to 2^30; in the centre
        it is 1, or up to 64 in a money session (automatic doubles)
    cube_owner : "centre", "own" or "opp"
    offer : "none", "doubled" (by own), "beavered" (by opp), "raccooned" (by own again)
    resigned : 0, or the number of points (times the cube) at which the side that was to decide
        offers to resign; the other side is to answer
    score_own, score_opp : points won so far
    match_length : points to be won, 0 in a money session
    crawford : this is the Crawford game
    jacoby, beavers : rules of money play; always False in matches. Where not given (None): True in
        short nardy, False in long nardy
    max_cube : highest value the cube may reach; None = no limit, 1 = no cube in play. Where it is
        not given: no limit in short nardy, no cube in long nardy (ProNardy's rules have none)
        unless it has been turned or offered
    checkers : checkers a side, 15 except in hypergammon
    rules : `Options`; options that are not named keep their default

    A field that does not fit raises ValueError with one line that names it.
    """

    game: str
    own: tuple[int, ...]
    opp: tuple[int, ...]
    turn: int = dataclasses.field(default=1, kw_only=True)
    dice: tuple[int, int] | None = dataclasses.field(default=None, kw_only=True)
    cube: int = dataclasses.field(default=1, kw_only=True)
    cube_owner: str = dataclasses.field(default="centre", kw_only=True)
    offer: str = dataclasses.field(default="none", kw_only=True)
    resigned: int = dataclasses.field(default=0, kw_only=True)
    score_own: int = dataclasses.field(default=0, kw_only=True)
    score_opp: int = dataclasses.field(default=0, kw_only=True)
    match_length: int = dataclasses.field(default=0, kw_only=True)
    crawford: bool = dataclasses.field(default=False, kw_only=True)
    jacoby: bool = dataclasses.field(default=USUAL, kw_only=True)
    beavers: bool = dataclasses.field(default=USUAL, kw_only=True)
    max_cube: int | None = dataclasses.field(default=BY_GAME, kw_only=True)
    checkers: int = dataclasses.field(default=15, kw_only=True)
    rules: Options = dataclasses.field(default=Options("backgammon"), kw_only=True)

    def __post_init__(self) -> None:
        put = object.__setattr__
        one_of("game", self.game, GAMES)
        put(self, "checkers", whole("checkers", self.checkers, 1, 15))
        for side in ("own", "opp"):
            counts = tuple(getattr(self, side))
            if any(type(n) is not int for n in counts):
                counts = tuple(whole(side, n, -32768, 32767) for n in counts)
            put(self, side, counts)
        if not isinstance(self.rules, Options) or self.rules.game != self.game:
            put(self, "rules", Options(self.game, self.rules))
        error = board_error(self.game, self.own, self.opp, self.checkers, drawn=self.equalises)
        if error:
            raise ValueError(f"board: {error}")
        put(self, "turn", whole("turn", self.turn, 0, 1))
        if self.dice is not None:
            if len(self.dice) != 2:
                raise ValueError(f"dice: {len(self.dice)} numbers instead of two")
            dice = sorted((whole("dice", d, 1, 6) for d in self.dice), reverse=True)
            put(self, "dice", (dice[0], dice[1]))
        for name in ("score_own", "score_opp", "match_length"):
            put(self, name, whole(name, getattr(self, name), 0, MAX_SCORE))
        put(self, "resigned", whole("resigned", self.resigned, 0, most_resigned(self.rules)))
        put(self, "crawford", bool(self.crawford))
        for name in ("jacoby", "beavers"):
            put(self, name, money_rule(self.game, self.match_length, getattr(self, name)))
        self._check_score()
        self._check_cube()

    def _check_score(self) -> None:
        length = self.match_length
        if length:
            for name in ("score_own", "score_opp"):
                if getattr(self, name) >= length:
                    raise ValueError(f"{name}: {getattr(self, name)} ends a match to {length}")
        if self.crawford and (not length or length - 1 not in (self.score_own, self.score_opp)):
            raise ValueError("crawford: no side is one point short of winning a match")

    def _check_cube(self) -> None:
        object.__setattr__(self, "cube", power_of_two("cube", self.cube, _MAX_CUBE))
        one_of("cube_owner", self.cube_owner, OWNERS)
        one_of("offer", self.offer, OFFERS)
        if self.max_cube is not None and self.max_cube == BY_GAME:
            seen = self.cube != 1 or self.cube_owner != "centre" or self.offer != "none"
            limit = None if seen or FACTS[self.game].cube_usual else 1
            object.__setattr__(self, "max_cube", limit)
        if self.max_cube is not None:
            object.__setattr__(self, "max_cube", power_of_two("max_cube", self.max_cube, _MAX_CUBE))
            if self.cube > self.max_cube:
                raise ValueError(f"cube: {self.cube} is above the limit of {self.max_cube}")
        if self.crawford and (self.cube != 1 or self.cube_owner != "centre"):
            raise ValueError("crawford: the cube has been turned, but the Crawford game has none")
        if self.cube_owner == "centre" and self.cube > 1:
            self._check_automatic()
        if self.offer == "none":
            return
        if self.dice is not None:
            raise ValueError("offer: a cube offer comes before the roll, but dice are given")
        if self.cube_owner == "opp":
            raise ValueError("offer: the side on roll offers a cube that the other side owns")
        if self.crawford:
            raise ValueError("offer: there is no doubling in the Crawford game")
        if self.max_cube is not None and 2 * self.cube > self.max_cube:
            raise ValueError(f"offer: a cube of {self.cube} cannot go above {self.max_cube}")
        if self.offer != "doubled" and self.match_length:
            raise ValueError("offer: beavers are for money play only")

    def _check_automatic(self) -> None:
        """Without an owner the cube has been turned by automatic doubles only."""
        if self.match_length:
            raise ValueError(
                f"cube: {self.cube} in the centre of a match, which has no automatic doubles"
            )
        times = self.rules["automatic_doubles"]
        limit = min(1 << min(times, MAX_CUBE_LOG2), MAX_CENTRED) if times else MAX_CENTRED
        if self.cube > limit:
            raise ValueError(f"cube: {self.cube} in the centre, where automatic doubles end at "
                             f"{limit}")

    # Making positions

    @classmethod
    def start(cls, name: str = "backgammon", **options: Any) -> Position:
        """Start position by name (`START_NAMES`).

        Keywords are fields of a position (`match_length=7`) or rule options of the game
        (`no_hit_and_off=True`), by any of the names that text forms read (`cube="on"`).
        """
        one_of("start", name, _STARTS)
        game, checkers, points = _STARTS[name]
        side = fill(points, checkers)
        fields: dict[str, Any] = {}
        rules: dict[str, Any] = {}
        for key, value in options.items():
            if key in _OF_STARTS:
                raise ValueError(f"start: {key} comes with the name of a start position")
            if key == "rules":
                raise ValueError("start: rules are keywords of their own, such as "
                                 f"{next(iter(TABLE[game]))}=…; see nardy_core.rules.preset")
            name, where = key, fields
            if key != "cube" or isinstance(value, (str, bool)):  # else where the cube stands
                found = rule_name(game, key)
                if found is not None and found not in RULE_FIELDS:
                    name, value = read_rule(game, key, value)
                    where = rules
                elif found is not None and found != key:
                    name, value = read_rule(game, key, value)
            if name in where:
                raise ValueError(f"start: {name} twice")
            where[name] = value
        return cls._made(game, side, side, checkers=checkers, rules=rules, **fields)

    def _repr_svg_(self) -> str:
        """The board, for notebooks."""
        from nardy_core.render import board_svg

        return board_svg(self, size=480)

    @property
    def opens_unlike(self) -> bool:
        """Is the next roll a game's first, whose dice cannot be equal?

        Short nardy: each side throws one die, equal ones are thrown again, and the starter plays
        both. Long nardy throws two dice afresh for the first turn unless `opening=use_dice`.
        """
        if self.dice is not None or self.own != self.opp:
            return False
        starts = [fill(points, n) for game, n, points in _STARTS.values() if game == self.game]
        if self.own not in starts:
            return False
        return self.game == "backgammon" or self.rules["opening"] == "use_dice"

    @classmethod
    def _made(cls, game: str, own: Sequence[int], opp: Sequence[int], **fields: Any) -> Position:
        unknown = set(fields) - _FIELDS
        if unknown:
            raise ValueError(f"{ascii(min(unknown))[:40]} is neither a field nor a rule of {game}")
        return cls(game, tuple(own), tuple(opp), **fields)

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        strict: bool = True,
        dialect: str | None = None,
        checkers: int | None = None,
    ) -> Position:
        """Read a position in any known text form; see `nardy_core.ids` for the list.

        strict=False forgives what people paste: surrounding text, a missing prefix, missing
        trailing fields, contradictory flags. `dialect` ("fibs" or "fibs-gnubg") settles how a FIBS
        board is read; `checkers` is the number a side for forms that do not say (hypergammon).
        Raises ValueError in one line for everything that is not a position.
        """
        from nardy_core import ids

        return ids.parse(text, strict=strict, dialect=dialect, checkers=checkers)

    @classmethod
    def from_points(
        cls, points: Iterable[int], *, game: str = "backgammon", checkers: int = 15, **fields: Any
    ) -> Position:
        """From 26 numbers as the side on roll sees them.

        points[1..24]: positive = own checkers, negative = the other side's; points[25]: own bar;
        points[0]: the other side's bar (either sign). Checkers not on the board are borne off.
        `fields` are those of a position, by name.
        """
        numbers = [whole("points", n, -15, 15) for n in points]
        if len(numbers) != 26:
            raise ValueError(f"points: {len(numbers)} numbers instead of 26")
        if numbers[25] < 0:
            raise ValueError(f"points: {numbers[25]} on the own bar")
        one_of("game", game, GAMES)
        own = {n: numbers[n] for n in range(1, 26) if numbers[n] > 0}
        opp = {across(game, n): -numbers[n] for n in range(1, 25) if numbers[n] < 0}
        opp[25] = abs(numbers[0])
        error = board_error(game, fill(own, checkers), fill(opp, checkers), checkers,
                            drawn=game == "long_nardy")  # by its rules, which come with the fields
        if error:
            raise ValueError(f"points: {error}")
        return cls._made(
            game, fill(own, checkers), fill(opp, checkers), checkers=checkers, **fields
        )

    @classmethod
    def from_planes(cls, planes: Any, *, game: str = "backgammon", **fields: Any) -> Position:
        """From eight uint32 bit planes, the inverse of `board`; other `fields` as keywords."""
        array = np.asarray(planes)
        if array.shape != (8,) or array.dtype.kind not in "ui":
            raise ValueError(f"planes: expected 8 integers, got {array.dtype} {array.shape}")
        bits: list[int] = array.tolist()
        if game == "long_nardy":  # who is owed a last roll follows from the rules
            bits[0], bits[4] = (bits[at] & ~OWED for at in (0, 4))
        if min(bits) < 0 or max(bits) >= 1 << 26:
            raise ValueError("planes: bits outside slots 0..25")
        own, opp = counts_of(bits[:4]), counts_of(bits[4:])
        fields.setdefault("checkers", sum(own))
        return cls._made(game, own, opp, **fields)

    def with_(self, **changes: Any) -> Position:
        """This position with fields changed by name; `rules` may be given as a plain mapping.
        ValueError for changes to what is no field, and to values that do not fit."""
        unknown = set(changes) - _FIELDS - {"game", "own", "opp"}
        if unknown:
            raise ValueError(f"{ascii(min(unknown))[:40]} is not a field of a position")
        return dataclasses.replace(self, **changes)

    def _turned(self, **changes: Any) -> Position:
        """This position with fields changed to values that fit: nothing is looked at again."""
        made = object.__new__(Position)
        for name in _NAMES:
            value = changes[name] if name in changes else getattr(self, name)
            object.__setattr__(made, name, value)
        return made

    def swap(self) -> Position:
        """The same board with the other side on roll: no dice, no offer, cube and score turned."""
        return self._turned(
            own=self.opp,
            opp=self.own,
            turn=1 - self.turn,
            dice=None,
            offer="none",
            resigned=0,
            cube_owner={"own": "opp", "opp": "own"}.get(self.cube_owner, "centre"),
            rules=_rules_across(self.rules) if self.equalises else self.rules,
            score_own=self.score_opp,
            score_opp=self.score_own,
        )

    # Asking

    @property
    def variant(self) -> str:
        """ "long_nardy", "hypergammon1" .. "hypergammon3", or "backgammon"."""
        if self.game == "backgammon" and self.checkers <= 3:
            return f"hypergammon{self.checkers}"
        return self.game

    @property
    def pips(self) -> tuple[int, int]:
        """Pip counts (own, opp)."""
        own, opp = (sum(n * count for n, count in enumerate(side)) for side in (self.own, self.opp))
        return own, opp

    @property
    def equalises(self) -> bool:
        """By the rules (`last_roll=equalize`) the second player rolls once more when the starter
        has borne off everything. The side on roll is the second player if `second_player` is set;
        that turns with the turn."""
        # Only rules that are not the default's are in there; asked often.
        return "last_roll" in self.rules and bool(self.rules["last_roll"] == "equalize")

    @property
    def last_roll_due(self) -> bool:
        """The roll of the side to move is the last of the game: the starter has borne off
        everything, and the rules grant it."""
        return (self.equalises and bool(self.rules["second_player"])
                and self.opp[0] == self.checkers != self.own[0])

    @property
    def finished(self) -> bool:
        """One side has borne off everything, and no last roll is due."""
        return self.checkers in (self.own[0], self.opp[0]) and not self.last_roll_due

    @property
    def decider(self) -> str:
        """ "own" or "opp": whose decision it is, given the offers pending."""
        other = (self.offer in ("doubled", "raccooned")) != bool(self.resigned)
        return "opp" if other else "own"

    @property
    def board(self) -> np.ndarray:
        """Bit planes, uint32[8]: own planes 0..3, then opp planes 0..3.

        Bit s of plane k is bit k of the count on slot s. Bit 31 of a side's first plane says that
        it is owed a last roll (`equalises`).
        """
        planes = [*planes_of(self.own), *planes_of(self.opp)]
        if self.equalises:
            planes[0 if self.rules["second_player"] else 4] |= OWED
        return np.array(planes, dtype=np.uint32)

    @property
    def points(self) -> tuple[int, ...]:
        """26 numbers as `from_points` takes them; the other side's bar is negative."""
        view = [-self.opp[25], *self.own[1:]]
        for n in range(1, 25):
            view[n] -= self.opp[across(self.game, n)]
        return tuple(view)

    def id(self, form: str | None = None) -> str:
        """The position written in a text form; see `nardy_core.ids` for what each carries.

        "gnu" (position id:match id), "gnu-position", "gnu-match", "xgid", "ogid", "fibs",
        "fibs-gnubg" for backgammon; "ndid", "ln" for long nardy; "text" for both. None picks
        "xgid" or "ndid". ValueError when a value does not fit into the form.
        """
        from nardy_core import ids

        return ids.write(self, form)

    def legal_plays(self, dice: tuple[int, int] | None = None) -> list[Play]:
        """Distinct legal results of a roll (default: the position's own dice)."""
        from nardy_core.play import dice_of, legal_plays

        return legal_plays(self, dice_of(self, dice))

    def __repr__(self) -> str:
        return f"<Position {self.id('text')}>"

    def __str__(self) -> str:
        from nardy_core.render.text import board_text

        return board_text(self)


_NAMES = tuple(f.name for f in dataclasses.fields(Position))
_FIELDS = {*_NAMES} - {"game", "own", "opp"}
