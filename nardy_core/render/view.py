"""A position as the reader of a board sees it: who sits below, what lies on each of the 24 places.

Places are the own numbers of the player who sits below: 13..24 along the top from left to right,
12..1 along the bottom, so his head or back checkers are at the top right and his home at the
bottom right. The other player's numbers follow from the game: mirrored in backgammon, shifted by
half the ring in long nardy. Point numbers shown to the reader are those of the side on roll.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nardy_core.counts import across
from nardy_core.position import Position
from nardy_core.terms import term

OFF, BAR = 0, 25
PLAYERS = ("black", "white")  # players 0 and 1: O and X of text boards


def clean(text: str) -> str:
    """`text` on one line and without characters that XML or a terminal would choke on."""
    return re.sub(r"[\x00-\x20\x7f-\xa0\ud800-\udfff\ufffe\uffff]+", " ", text).strip()


@dataclass(frozen=True)
class View:
    """What both kinds of board draw; players are 0 and 1, `counts[player]` in his own numbers."""

    game: str
    variant: str
    mover: int
    bottom: int
    counts: tuple[tuple[int, ...], tuple[int, ...]]
    names: tuple[str, str]
    dice: tuple[int, int] | None
    cube: int  # before any offer now pending
    cube_owner: int | None  # a player, or None for the centre
    cube_shown: bool  # it lies on the table
    offered: int  # the value a pending offer would give the cube, or 0
    resigned: tuple[int, int] | None  # (player who offers to resign, points)
    scores: tuple[int, int]
    match_length: int  # 0 is a money game
    conditions: tuple[str, ...]  # of "crawford", "jacoby", "beavers"
    lang: str

    @property
    def top(self) -> int:
        return 1 - self.bottom

    @property
    def is_long(self) -> bool:
        return self.game == "long_nardy"

    def pips(self, player: int) -> int:
        return sum(number * count for number, count in enumerate(self.counts[player]))

    def place(self, player: int, number: int) -> int:
        """The place 1..24 of the player's own point `number`."""
        return number if player == self.bottom else across(self.game, number)

    def label(self, place: int) -> int:
        """The number to show at a place: the own number of the side on roll."""
        return place if self.mover == self.bottom else across(self.game, place)

    def on_place(self, place: int) -> tuple[int, int] | None:
        """(player, count) of the checkers on a place, or None for an empty one."""
        for player in (self.bottom, self.top):
            number = place if player == self.bottom else across(self.game, place)
            if self.counts[player][number]:
                return player, self.counts[player][number]
        return None

    def match_words(self, *left_out: str) -> str:
        """ "match to 7, Crawford" or "money game, Jacoby" in the reader's language.

        Nothing for a game of long nardy that is neither part of a match nor played with a cube.
        """
        if self.is_long and not (self.match_length or self.cube_shown):
            return ""
        lang = self.lang
        if self.match_length:
            head = term("match_to", lang, length=self.match_length)
        else:
            head = term("money_game", lang)
        words = (term(word, lang) for word in self.conditions if word not in left_out)
        return ", ".join([head, *words])


def view_of(
    position: Position,
    perspective: int | None = None,
    names: Sequence[str] | None = None,
    lang: str = "en",
) -> View:
    """The view of `position` with player `perspective` (0 or 1; None: the side on roll) below.

    `names` are those of players 0 and 1; without them they are Black and White. Raises ValueError
    for an unknown perspective or language.
    """
    if perspective not in (None, 0, 1):
        raise ValueError(f"perspective: {perspective!r} is not 0, 1 or None (the side on roll)")
    shown = (term(PLAYERS[0], lang), term(PLAYERS[1], lang))
    if names is not None:
        if len(names) != 2:
            raise ValueError(f"names: {len(names)} instead of two")
        shown = (clean(names[0]) or shown[0], clean(names[1]) or shown[1])
    mover = position.turn
    owners = {"own": mover, "opp": 1 - mover, "centre": None}
    conditions = ("crawford", "jacoby", "beavers")
    step = {"none": 0, "doubled": 2, "beavered": 4, "raccooned": 8}[position.offer]
    resigned = None
    if position.resigned:
        # an offer to resign is answered by the side that was not to decide
        resigned = (1 - mover if position.decider == "own" else mover, position.resigned)
    return View(
        game=position.game,
        variant=position.variant,
        mover=mover,
        bottom=mover if perspective is None else perspective,
        counts=(position.own, position.opp) if mover == 0 else (position.opp, position.own),
        names=shown,
        dice=position.dice,
        cube=position.cube,
        cube_owner=owners[position.cube_owner],
        cube_shown=_has_cube(position),
        offered=position.cube * step,
        resigned=resigned,
        scores=_by_player(mover, position.score_own, position.score_opp),
        match_length=position.match_length,
        conditions=tuple(word for word in conditions if getattr(position, word)),
        lang=lang,
    )


def _by_player(mover: int, own: int, opp: int) -> tuple[int, int]:
    return (own, opp) if mover == 0 else (opp, own)


def _has_cube(position: Position) -> bool:
    """Whether one is in play."""
    return not position.crawford and position.max_cube != 1
