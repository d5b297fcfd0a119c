"""Text boards: read back by a parser written here, and compared with hand-checked files.

`tests/golden/render/*.txt` are text boards checked by eye against the position in their first line;
`python tests/test_render_text.py` writes them anew.
"""

import re
from pathlib import Path

import pytest
from boards import POSITIONS, RANDOM, by_player

from nardy_core.position import Position
from nardy_core.render import board_text, describe
from nardy_core.terms import _TERMS, LANGUAGES, term

GOLDEN = Path(__file__).parent / "golden" / "render"


def golden_text(name):
    pos = POSITIONS[name]
    plain = board_text(pos, unicode=False)
    other = board_text(pos, perspective=1 - pos.turn, lang="ru", names=("Анна", "Bo"))
    return f"{describe(pos)}\n\n{plain}\n\n{other}\n"


@pytest.mark.parametrize("name", POSITIONS)
def test_text_golden(name):
    assert golden_text(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_opening_is_the_board_players_know():
    body = [line[5:48] for line in board_text(POSITIONS["opening"], unicode=False).splitlines()]
    assert body == [
        "+13-14-15-16-17-18------19-20-21-22-23-24-+",
        "| X           O    |   | O              X |",
        "| X           O    |   | O              X |",
        "| X           O    |   | O                |",
        "| X                |   | O                |",
        "| X                |   | O                |",
        "|                  |   |                  |",
        "| O                |   | X                |",
        "| O                |   | X                |",
        "| O           X    |   | X                |",
        "| O           X    |   | X              O |",
        "| O           X    |   | X              O |",
        "+12-11-10--9--8--7-------6--5--4--3--2--1-+",
    ]


@pytest.mark.parametrize(("rules", "shown"), [
    ("start:long_nardy", False), ("start:long_nardy:cube=on", True),
    ("start:long_nardy:federation", True), ("start:long_nardy:federation,cube=off", False),
    ("start", True), ("start:backgammon:cube=off", False),
])
def test_a_cube_is_drawn_where_one_is_in_play(rules, shown):
    assert ("[1]" in board_text(Position.parse(rules))) == shown


def read_text(text):
    """Counts {player: {label on the board, "bar" or "off": count}} read back from a text board."""
    lines = text.splitlines()
    left = min(line.index(next(c for c in line if c in "+┌└")) for line in (lines[0], lines[-1]))
    found = {0: {}, 1: {}}

    def stack(column, rows):
        cells = [lines[row][column : column + 3].ljust(3) for row in rows]
        letters = [cell.strip() for cell in cells]
        sides = {letter for letter in letters if letter in ("X", "O")}
        if not sides:
            return None
        (side,) = sides
        high = letters[4] if letters[4].isdigit() else ""
        return "OX".index(side), int(high) if high else letters.count(side)

    for border, rows in ((lines[0], range(1, 6)), (lines[12], range(11, 6, -1))):
        for index in range(12):
            column = left + 1 + 3 * index + (5 if index > 5 else 0)
            label = int(re.sub(r"\D", "", border[column - 1 : column + 2]))
            there = stack(column, rows)
            if there:
                found[there[0]][label] = there[1]
        for column, where in ((left + 20, "bar"), (left - 3, "off"), (left + 43, "off")):
            there = stack(column, rows) if column >= 5 or column >= left - 3 >= 0 else None
            if there:
                found[there[0]][where] = there[1]
    return found


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("perspective", [None, 0, 1])
def test_text_shows_every_checker(unicode, perspective):
    for pos in RANDOM:
        found = read_text(board_text(pos, unicode=unicode, perspective=perspective))
        for player, counts in by_player(pos).items():
            expected = {"bar": counts[25], "off": counts[0]}
            for number in range(1, 25):
                # all numbers on a board are those of the side on roll
                shown = number
                if player != pos.turn:
                    back = 25 - number if pos.game == "backgammon" else (number + 11) % 24 + 1
                    shown = back
                expected[shown] = counts[number]
            assert found[player] == {k: v for k, v in expected.items() if v}, board_text(pos)


def test_text_ids_and_names():
    text = board_text(POSITIONS["opening"], ids=["XGID=…"], names=("A\nB\x1b[2J", " "))
    lines = text.splitlines()
    assert lines[0] == "XGID=…" and len(lines) == 14
    assert lines[1].endswith("O: A B [2J") and lines[-1].endswith("X: White")


def test_terms_are_complete():
    for key, words in _TERMS.items():
        assert len(words) == len(LANGUAGES) and all(words), key
        slots = [sorted(re.findall(r"{\w+}", text)) for text in words]
        assert slots[0] == slots[1] == slots[2], key
    assert term("koks", "uk") == "кокс"
    with pytest.raises(ValueError, match="unknown term"):
        term("nothing")


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for golden in POSITIONS:
        (GOLDEN / f"{golden}.txt").write_text(golden_text(golden), encoding="utf-8")
