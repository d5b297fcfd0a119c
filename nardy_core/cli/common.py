"""What the commands share: arguments, positions, output, progress."""
from __future__ import annotations

import argparse
import csv
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from nardy_core.terms import LANGUAGES

if TYPE_CHECKING:
    from nardy_core.engine import Engine
    from nardy_core.position import Position

OK, SOME_FAILED, INPUT, IO, ENGINE, INTERRUPTED = 0, 1, 2, 3, 4, 130
MOST_LINE = 1 << 20  # characters of one position, with the plays asked about
FORMATS = ("text", "json", "jsonl", "csv")

Commands = Any  # what add_subparsers gives


def complain(message: str) -> None:
    """One line on stderr."""
    print(f"nardy: {message}", file=sys.stderr, flush=True)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {' '.join(message.split())}", file=sys.stderr)
        raise SystemExit(INPUT)


# ---- arguments ------------------------------------------------------------------------------


def command(
    commands: Commands, name: str, help_: str, run: Callable[[argparse.Namespace], int], *,
    position: bool = True, formats: bool = True,
) -> argparse.ArgumentParser:
    """A sub-command with the arguments that all of its kind have."""
    made: argparse.ArgumentParser = commands.add_parser(name, help=help_, description=help_)
    made.set_defaults(run=run)
    if position:
        position_argument(made)
    if formats:
        made.add_argument("--format", choices=FORMATS, default="text",
                          help="of the answer: text for people (default), the others for programs")
        made.add_argument("--lang", choices=LANGUAGES, default="en", help="of text output")
    return made


def position_argument(made: argparse.ArgumentParser, **more: Any) -> None:
    made.add_argument(
        "position", metavar="POS", **more,
        help="an id (XGID, GNU, OGID, FIBS board, NDID, text), start, start:long_nardy, "
             "start:long_nardy:NAME, or - for one on each line of stdin")
    made.add_argument(
        "--rules", metavar="NAME",
        help="play the positions by this rule set, whatever they say: of long nardy pronardy, "
             "federation, masters, hrapgame, wikipedia; rules may follow: masters,cube=on")


def position_of(args: argparse.Namespace, text: str) -> Position:
    """The position of a text, under the rule set asked for."""
    from nardy_core import rules
    from nardy_core.position import Position

    position = Position.parse(text)
    return rules.under(position, args.rules) if args.rules else position


def engine_arguments(made: argparse.ArgumentParser) -> None:
    made.add_argument("--nets", metavar="DIR", help="folder with net files, instead of the shipped")
    made.add_argument("--long-race", action="store_true", help="races of long nardy from the table "
                      "of `nardy db build long-race`")
    made.add_argument("--threads", type=at_least_one, metavar="N", help="default: all processors")


def engine_of(args: argparse.Namespace) -> Engine:
    from nardy_core.engine import Engine

    return Engine(args.nets, threads=args.threads, kernels=getattr(args, "kernels", None),
                  long_race=getattr(args, "long_race", False), plan=getattr(args, "filter", None))


def level(text: str) -> int | str:
    """A number of plies or the name of a roller; whether there is such a level is the engine's to
    say."""
    from nardy_core.levels import ROLLERS, level_of

    found = level_of(text)
    if isinstance(found, str) and found not in ROLLERS:
        raise argparse.ArgumentTypeError(
            f"{ascii(text)[:40]} is neither a whole number from 0 on nor {', '.join(ROLLERS)}")
    return found


def level_argument(made: argparse.ArgumentParser, use: str = "") -> None:
    """`--level`, and `--ply` for those who think in plies."""
    made.add_argument(
        "--level", "--ply", dest="level", type=level, default=0, metavar="LEVEL",
        help=f"how far to look{use}: plies, 0 = the static nets (default) to 4, or roller, "
             "roller+, roller++: truncated rollouts")


def filter_argument(made: argparse.ArgumentParser) -> None:
    """`--filter`, where plays are searched: what a position is worth does not depend on it."""
    made.add_argument(
        "--filter", type=move_filter, metavar="NAME",
        help="which plays of a roll are looked at a ply deeper: tiny, narrow, normal (default), "
             "large, huge")


def move_filter(text: str) -> str:
    from nardy_core.filters import FILTERS

    if text not in FILTERS:
        raise argparse.ArgumentTypeError(f"{ascii(text)[:40]} is not one of {', '.join(FILTERS)}")
    return text


def met_argument(made: argparse.ArgumentParser) -> None:
    made.add_argument("--met", metavar="NAME|FILE",
                      help="match equity table: kazaross-xg2 (default), rockwell-kazaross, "
                           "woolsey, g11, or a file (XML of GNU Backgammon, CSV)")


def at_least_one(text: str) -> int:
    return whole_number(text, 1, 10**15 - 1)


def number(text: str) -> int:
    return whole_number(text, 0, 10**20 - 1)


def trials(text: str) -> int:
    from nardy_core.rollout_result import MOST_TRIALS

    return whole_number(text, 1, MOST_TRIALS)


def trials_or_none(text: str) -> int:
    return trials(text) if text.strip("0") else number(text)


def whole_number(text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(
            f"{ascii(text)[:40]} is not a whole number from {low} on")
    digits = text.lstrip("0") or "0"
    value = int(digits) if len(digits) <= len(str(high)) else high + 1
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"{ascii(text)[:40]} is not in {low}..{high}")
    return value


def above_zero(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{ascii(text)[:40]} is not a number above 0")
    return value


def dice(text: str) -> tuple[int, int]:
    digits = [c for c in text if c not in ",-: "]
    if len(digits) != 2 or not all(c in "123456" for c in digits):
        raise argparse.ArgumentTypeError(f"{ascii(text)[:40]} is not a roll like 31")
    return int(digits[0]), int(digits[1])


def roll_of(args: argparse.Namespace, position: Position) -> tuple[int, int]:
    roll: tuple[int, int] | None = args.dice or position.dice
    if roll is None:
        raise ValueError("dice: the position has no roll, give --dice")
    return roll


# ---- output ---------------------------------------------------------------------------------

Row = Mapping[str, object]


class Output:
    """Answers in one of the formats, each written as soon as it is there.

    many : answers to several positions are expected: JSON becomes an array
    columns : of CSV, where answers may have some of them only; None = those of the first answer
    """

    def __init__(
        self, format_: str, schema: str, many: bool, columns: Iterable[str] | None = None
    ) -> None:
        self.format, self.schema, self.many = format_, f"nardy.{schema}/1", many
        self._count = 0
        self._columns = list(columns) if columns else None
        self._header: list[str] | None = None

    def add(self, data: Mapping[str, Any], text: str, rows: Sequence[Row]) -> None:
        """One answer: as a document, as text, and as rows of a table."""
        out = sys.stdout
        if self.format == "text":
            out.write(("\n" if self._count and "\n" in text else "") + text + "\n")
        elif self.format == "csv":
            for row in rows:
                if self._header is None:
                    self._header = self._columns or list(row)
                    csv.writer(out, lineterminator="\n").writerow(self._header)
                if not self._columns and self._header != list(row):
                    raise ValueError("csv: other columns than the first answer has, as of another "
                                     "game; --format jsonl takes all")
                csv.DictWriter(out, self._header, lineterminator="\n").writerow(row)
        else:
            document = {"schema": self.schema, **data}
            if self.format == "jsonl":
                out.write(json.dumps(document, ensure_ascii=False) + "\n")
            else:
                opening = ("[\n" if self._count == 0 else ",\n") if self.many else ""
                out.write(opening + json.dumps(document, indent=2, ensure_ascii=False))
        self._count += 1
        out.flush()

    def close(self) -> None:
        if self.format == "json":
            if self.many:
                sys.stdout.write("[]\n" if self._count == 0 else "\n]\n")
            elif self._count:
                sys.stdout.write("\n")
            sys.stdout.flush()


def lines_of(file: TextIO, name: str) -> Iterator[str]:
    """The lines of a file as they come, a pipe's, too; ValueError for one that does not end."""
    for number in itertools.count(1):
        line = file.readline(MOST_LINE + 1)
        if len(line) > MOST_LINE:
            raise ValueError(f"{name} line {number}: more than {MOST_LINE} characters")
        if not line:
            return
        yield line


def positions(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """(where it stands, text) of each position asked about."""
    if args.position != "-":
        yield "", args.position
        return
    for line, text in enumerate(lines_of(sys.stdin, "stdin"), 1):
        if text.strip() and not text.startswith("#"):
            yield f"line {line}: ", text.strip()


def each(
    args: argparse.Namespace, schema: str, work: Callable[[Position, Output], None]
) -> int:
    """Do the work for each position. Of many, those that are wrong are reported and passed over."""
    many = args.position == "-"
    out = Output(args.format, schema, many)
    failed = False
    try:
        for where, text in positions(args):
            try:
                work(position_of(args, text), out)
            except ValueError as error:
                if not many:
                    raise
                complain(where + " ".join(str(error).split()))
                failed = True
    finally:
        out.close()
    return SOME_FAILED if failed else OK
