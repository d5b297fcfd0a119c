"""FIBS boards, plain and as GNU Backgammon writes them to an external player.

`board:` and 52 fields. Both dialects hold the same squares; they differ in whose name and score
comes first.

| field | plain | gnubg |
|---|---|---|
| 1, 2, 4, 5 | "you", then the opponent | player 0, player 1; with a double pending 1, 0 |
| 3 | match length, 9999 = unlimited | match length, 0 = money |
| 6..31 | bar, points 1..24, bar; sign times field 41 = owner (+ "you") | + player 1, - player 0 |
| 32 | sign of the side on roll, 0 = over | the same; with a double pending the doubler |
| 33..36 | dice of "you", of the opponent | the dice twice |
| 37..40 | cube, may "you" double, may the opponent, double pending | likewise for players 1 and 0 |
| 41..44 | colour, direction, places of home and bar | 1, -1, 0, 25 |
| 45, 46 | borne off: "you", the opponent | player 1, player 0 |
| 47..50 | on the bar, twice; can move; forced | zeros |
| 51, 52 | Crawford game is past; redoubles | after Crawford; not the Crawford game |

"You" is turn 1, and so is gnubg's player 1. Which dialect a line is in is guessed: fields 41..44,
47..50 must be gnubg's constants, 51 and 52 flags, the length not 9999 and the first name not "You";
then the dice decide (twice: gnubg; once: plain), and without dice field 52 (1: gnubg; 0: plain,
unless one side is one point short, as it is in gnubg's Crawford game). The line that gnubg's own
`show board` prints after `set output rawboard on` looks like its external one but has player 1
first: read it with dialect="fibs".

In a Crawford game plain boards have both "may double" flags 0. gnubg reads both 0 without a double
pending as a double pending, and so do we in its dialect.
"""

from __future__ import annotations

from nardy_core.checks import shown
from nardy_core.ids._read import (
    by_player,
    check_board,
    no_beaver,
    no_resignation,
    number,
    place,
)
from nardy_core.position import MAX_CUBE_LOG2, MAX_SCORE, Position

_UNLIMITED = 9999


def write_plain(position: Position, names: tuple[str, str] = ("You", "Opponent")) -> str:
    """One line; `names` are those of turn 1 and turn 0."""
    line = _common(position)
    _, scores, _ = by_player(position)
    dice = position.dice or (0, 0)
    if position.crawford:
        line[38] = line[39] = 0
    line[1:6] = [*map(_clean, names), position.match_length or _UNLIMITED, scores[1], scores[0]]
    line[33:37] = (*dice, 0, 0) if position.turn else (0, 0, *dice)
    line[47:49] = line[31], -int(line[6])
    length = position.match_length
    line[51] = int(length > 0 and not position.crawford and length - 1 in scores)
    return ":".join(map(str, line))


def write_gnubg(position: Position, names: tuple[str, str] = ("X", "O")) -> str:
    """One line; `names` are those of turn 1 (gnubg's player 1) and turn 0."""
    line = _common(position)
    _, scores, _ = by_player(position)
    first = 1 if position.offer == "doubled" else 0
    line[1:6] = [
        _clean(names[1 - first]),
        _clean(names[first]),
        position.match_length,
        scores[first],
        scores[1 - first],
    ]
    line[33:37] = (position.dice or (0, 0)) * 2
    length = position.match_length
    line[51] = int(length > 0 and not position.crawford and length - 1 in scores)
    line[52] = int(not position.crawford)
    return ":".join(map(str, line))


def _clean(name: str) -> str:
    return "".join(c if " " < c <= "~" and c != ":" else "_" for c in name)[:32] or "_"


def _common(position: Position) -> list[int | str]:
    """All fields that both dialects write alike; the rest is 0."""
    no_beaver("FIBS board", position)
    no_resignation("FIBS board", position)
    (zero, one), _, owner = by_player(position)
    line: list[int | str] = ["board", *[0] * 52]
    for point in range(1, 26):
        if one[point]:
            line[6 + point] = one[point]
        if zero[point]:
            line[31 - point] = -zero[point]
    line[32] = 2 * position.turn - 1
    line[37:41] = (
        position.cube,
        int(owner != 0),
        int(owner != 1),
        int(position.offer == "doubled"),
    )
    line[41:47] = 1, -1, 0, 25, one[0], zero[0]
    return line


def read(text: str, strict: bool, dialect: str | None) -> Position:
    fields = text.split(":")
    if len(fields) != 53:
        raise ValueError(f"FIBS board: {len(fields) - 1} fields instead of 52 in {shown(text)}")
    top = max(1 << 31, MAX_SCORE)
    f = [0, 0, 0, *(_integer(n, fields[n], top) for n in range(3, 53))]
    gnubg = _is_gnubg(fields[1], f) if dialect is None else dialect == "fibs-gnubg"
    one, zero, checkers = _sides(f)
    colour = f[41]
    if f[32] not in (-1, 0, 1):
        raise ValueError(f"FIBS board field 32 (turn): {f[32]} is not -1, 0 or 1")
    turn = int(f[32] == colour)
    if f[32] == 0:  # over: nobody is on roll, so say the loser is
        turn = int(one[0] != checkers)
    doubled = f[40] != 0
    length = 0 if f[3] == _UNLIMITED else f[3]
    scores = (f[5], f[4])
    if gnubg and not doubled:
        scores = (f[4], f[5])
    short = length > 0 and length - 1 in scores
    crawford, owner = False, None
    may = (f[38] != 0, f[39] != 0)
    if gnubg:
        crawford = short and f[52] == 0 and f[51] == 0
        doubled = doubled or may == (False, False)
    else:
        crawford = short and may == (False, False) and f[37] == 1 and not doubled and not f[51]
    if may[0] != may[1]:
        owner = 1 if may[0] else 0
    if doubled and owner == 1 - turn:
        raise ValueError("FIBS board field 40: a beaver pending is not supported")
    if crawford and doubled:
        raise ValueError("FIBS board field 40: a double in the Crawford game")
    return place(
        "FIBS board",
        "backgammon",
        (zero, one),
        turn,
        scores,
        owner,
        strict=strict,
        dice=_dice(f, turn),
        cube=f[37],
        offer="doubled" if doubled else "none",
        match_length=length,
        crawford=crawford,
        checkers=checkers,
    )


def _integer(n: int, text: str, top: int) -> int:
    where = f"FIBS board field {n}"
    if n != 37:
        return number(where, text, -top, top)
    if not (text.isdigit() and len(text) <= MAX_CUBE_LOG2 // 3):
        raise ValueError(f"{where} (cube): {shown(text)}")
    return int(text)


def _is_gnubg(name: str, f: list[int]) -> bool:
    constant = f[41:45] == [1, -1, 0, 25] and f[47:51] == [0, 0, 0, 0]
    if not constant or f[51] not in (0, 1) or f[52] not in (0, 1):
        return False
    if f[3] == _UNLIMITED or name == "You":
        return False
    if any(f[33:37]):
        return f[33:35] == f[35:37]
    return f[52] == 1 or (f[51] == 0 and f[3] > 0 and f[3] - 1 in f[4:6])


def _sides(f: list[int]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Counts of "you" and of the opponent in their own numbers, and the checkers a side."""
    colour, direction = f[41], f[42]
    if colour not in (-1, 1) or direction not in (-1, 1):
        raise ValueError(f"FIBS board fields 41, 42: colour {colour}, direction {direction}")
    you, opponent = [0] * 26, [0] * 26
    for place_ in range(26):
        own = place_ if direction == -1 else 25 - place_
        count = f[6 + place_] * colour
        if count > 0:
            you[own] = count
        elif count < 0:
            opponent[25 - own] = -count
    if you[0] or opponent[0]:
        raise ValueError("FIBS board fields 6, 31: a checker on the other side's bar")
    if not you[25] and not opponent[25] and 0 <= f[47] <= 15 and 0 <= f[48] <= 15:
        you[25], opponent[25] = f[47], f[48]
    you[0], opponent[0] = f[45], f[46]
    checkers = sum(you)
    if not 1 <= checkers <= 15:
        raise ValueError(f"FIBS board: {checkers} checkers for the first side, borne off included")
    check_board(
        "FIBS board",
        "backgammon",
        tuple(you),
        tuple(opponent),
        checkers,
        ("the positive side", "the negative side"),
    )
    return tuple(you), tuple(opponent), checkers


def _dice(f: list[int], turn: int) -> tuple[int, int] | None:
    pairs = (f[33:35], f[35:37]) if turn else (f[35:37], f[33:35])
    for a, b in pairs:
        if a or b:
            return a, b
    return None
