"""Reading and writing perft tables.

One position a line, fields between semicolons: name; position; options; counts of depth 1, 2 …;
distinct results of each roll 11 12 .. 16 22 .. 66; dice played with each roll. Options are
`name=value` of the twin's, `-` for none; `checkers=n` says how many a side has. Positions are GNU
ids in short nardy and the text form in long nardy.
"""

import ast
from pathlib import Path
from typing import NamedTuple

from twin import backgammon, long_nardy

HERE = Path(__file__).parent


class Row(NamedTuple):
    game: str
    name: str
    position_text: str
    option_text: str
    position: tuple
    options: object
    counts: tuple = ()
    per_roll: tuple = ()
    dice: tuple = ()


def twin_of(game):
    return {"backgammon": backgammon, "long_nardy": long_nardy}[game]


def value(text):
    """A number, True, False or None; anything else is a word."""
    try:
        return ast.literal_eval(text)
    except ValueError:
        return text


def parse(game, line):
    fields = [field.strip() for field in line.split(";")] + [""] * 3
    name, position_text, option_text = fields[:3]
    named = (
        {}
        if option_text == "-"
        else {key: value(text) for key, text in (part.split("=") for part in option_text.split())}
    )
    if game == "backgammon":
        position = backgammon.from_gnu_id(position_text, named.pop("checkers", 15))
    else:
        position = long_nardy.parse(position_text)
    numbers = [tuple(map(int, field.split())) for field in fields[3:6]]
    return Row(
        game, name, position_text, option_text, position, twin_of(game).Options(**named), *numbers
    )


def show(row):
    numbers = (" ".join(map(str, n)) for n in (row.counts, row.per_roll, row.dice))
    return "; ".join((row.name, row.position_text, row.option_text, *numbers))


def load(game):
    lines = (HERE / f"{game}.perft").read_text().splitlines()
    return [parse(game, line) for line in lines if line and not line.startswith("#")]
