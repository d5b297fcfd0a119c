"""Match and position files: recognising them by what they hold, reading, writing, converting.

>>> from nardy_core import formats
>>> match = formats.read("tests/golden/formats/jellyfish.mat")  # a MatchRecord
>>> match.players, match.score
(('Maple', 'Juniper'), (3, 2))
>>> formats.write(match, "match.sgf")  # by the name's ending
>>> formats.read("match.sgf").games == match.games
True
>>> positions = formats.read("tests/golden/formats/xg.txt")  # a list of PositionRecord
>>> [record.position.dice for record in positions]
[(3, 1), None]

| form | read | written | holds |
|---|---|---|---|
| "mat" | yes | `.mat` `.txt` | a match: all dialects of two-column text |
| "sgf" | yes | `.sgf` | a match with GNU Backgammon's analysis |
| "json" | yes | `.json` | everything |
| "csv" | | `.csv` | rows of decisions |
| "gnubgtext" | yes | | a game with its analysis, as text exported by GNU Backgammon |
| "xgtext" | yes | `.txt` on request | positions with their analysis, as text exported by XG |
| "bgblitz" | yes | | the same, exported by BGBlitz |
| "ids" | yes | `.ids` | positions (a match's decisions), one id on a line; `#` begins a comment |
| "xg", "bgf" | yes | | eXtreme Gammon's `.xg` and `.xgp`, BGBlitz's `.bgf` |
| "ogxm" | yes | `.ogxm` | a match with analysis |

The last two rows need the extra: `pip install "nardy_core[formats]"`.

A file that cannot be read raises `MatchFileError`, a ValueError of one line with the place; its
`partial` holds the games before that place. A play against the rules is kept with a warning;
`strict=True` refuses it, and everything else that is odd.

Analysis by other programs is plain data on `Action.analysis` and `PositionRecord.analysis`, all
keys optional, equities and probabilities for the player who decides:

    {"program": "GNU Backgammon 1.08.003",
     "candidates": [{"play": "8/5 6/5", "equity": 0.15, "level": "2-ply", "plies": 2,
                     "probabilities": [win, win_gammon, win_backgammon, lose_gammon,
                                       lose_backgammon], ...}],
     "played": 0,                   # index of the candidate that was played
     "counts": True,                # False where the program's rating passes the play over
     "cube": {"no_double": …, "double_take": …, "double_pass": …, "level": …,
              "unit": "equity" or "mwc", "probabilities": [...]},
     "resign": {"play_on": …,       # equity of playing on, for the player who resigned, or
                "lost": …,          # what he gave away; negative: what accepting it gave away
                "level": …},
     "luck": 0.05}

The probabilities are nested: a backgammon counts as a gammon and a gammon as a win, too. Plies are
those of the program that wrote them.
"""
from __future__ import annotations

import contextlib
import json
import os
import re
from importlib import resources
from pathlib import Path
from typing import Any

from nardy_core.checks import one_of, shown
from nardy_core.files import write_bytes
from nardy_core.formats import (
    csv_rows,
    extra,
    gnubg_text,
    json_form,
    mat,
    mat_write,
    positions,
    sgf,
    xg_write,
)
from nardy_core.formats.dropped import between
from nardy_core.formats.errors import MatchFileError
from nardy_core.match_record import MatchRecord, PositionRecord

__all__ = ["MatchFileError", "convert", "detect", "dropped", "dumps", "read", "schema", "warnings",
           "write", "writes"]

MAX_BYTES = 64 << 20  # of a file
MAX_TEXT = 16 << 20  # of a text file

_KATAKANA = re.compile(rb"(?:\x83[\x40-\x96]|\x81\x5b){3}")  # three in a row, in Shift JIS

Records = MatchRecord | list[PositionRecord]

_ENDINGS = {
    ".mat": "mat", ".txt": "mat", ".sgf": "sgf", ".json": "json", ".csv": "csv",
    ".ids": "ids", ".ogxm": "ogxm", ".gvab": "ogxm",
}


def read(
    source: str | bytes | os.PathLike[str], *, strict: bool = False, form: str | None = None,
    name: str | None = None,
) -> Records:
    """The match or the positions in a file.

    source : a path, the bytes of a file, or its text (a str with more than one line, or one that is
        no file's name)
    form : of the table above; None = by what the file holds
    name : what errors call the file
    strict : refuse plays against the rules, and everything else that is odd

    Raises MatchFileError for what is no such file, OSError for what cannot be read.
    """
    data, called = _load(source)
    name = name or called
    if form is None:
        form = detect(data, name)
    if form in ("xg", "bgf", "ogxm"):
        return extra.read(data, form, name, strict=strict)
    text = _decode(data, name)
    if form == "mat":
        return mat.read(text, name, strict=strict)
    if form == "sgf":
        return sgf.read(text, name, strict=strict)
    if form == "gnubgtext":
        return gnubg_text.read(text, name, strict=strict)
    if form == "json":
        return json_form.read(text, name)
    if form == "xgtext":
        return positions.read_xg(text, name)
    if form == "bgblitz":
        return positions.read_bgblitz(text, name)
    if form == "ids":
        return positions.read_ids(text, name)
    raise MatchFileError(f"{name}: the form {shown(form)} cannot be read")


def detect(data: bytes, name: str = "file") -> str:
    """The form of a file's content, `data`; errors call it `name`. ValueError if it is none that
    can be read."""
    if form := extra.detect(data):
        return form
    text = _decode(data[:65_536], name)
    head = text.lstrip()[:4096]
    if head.startswith("{") and '"nardy.' in head:
        return "json"
    if sgf.looks_like(text):
        return "sgf"
    if mat.looks_like(text):
        return "mat"
    if gnubg_text.looks_like(text):
        return "gnubgtext"
    if positions.looks_like_bgblitz(text):
        return "bgblitz"
    if positions.looks_like_xg(text):
        return "xgtext"
    if positions.looks_like_ids(text):
        return "ids"
    raise MatchFileError(f"{name}: not a match or position file of a known form")


def write(record: Records, path: str | os.PathLike[str], form: str | None = None) -> None:
    """Write a match or positions; the form follows from the name's ending."""
    write_bytes(path, dumps(record, form or writes(path)))


def writes(path: str | os.PathLike[str]) -> str:
    """The form in which a file of that name is written."""
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        raise ValueError(
            f"output: {shown(os.fspath(path))} ends with none of {', '.join(_ENDINGS)}")
    return _ENDINGS[ending]


def dumps(record: Records, form: str) -> bytes:
    """A match or positions in a form, as the bytes of a file."""
    if form == "json":
        return json_form.write(record).encode("utf-8", "replace")
    if form == "xgtext":
        return xg_write.write(record).encode("utf-8", "replace")
    if form == "ids":
        return positions.write_ids(_positions(record)).encode("ascii", "replace")
    if not isinstance(record, MatchRecord):
        raise ValueError(f"positions cannot be written as {form}, use json, xgtext or ids")
    if form == "ogxm":
        return extra.write_ogxm(record)
    if form == "mat":
        text = mat_write.write(record)
    elif form == "sgf":
        text = sgf.write(record)
    elif form == "csv":
        text = csv_rows.write(record)
    else:
        raise ValueError(f"output: {shown(form)} is not a form that can be written")
    return text.encode("utf-8", "replace")


def _positions(record: Records) -> list[PositionRecord]:
    """The positions of a match before each of its decisions."""
    if not isinstance(record, MatchRecord):
        return record
    return [PositionRecord(position=d.position) for _, d in record.decisions()]


def dropped(record: Records, form: str) -> list[str]:
    """What writing the record in a form leaves out, in words; [] where everything is kept. It is
    found by writing, reading back and comparing. ValueError where the form cannot hold it."""
    data = dumps(record, form)
    if isinstance(record, MatchRecord) and form in ("csv", "xgtext", "ids"):
        return ["all but the positions" if form == "ids" else "all but the decisions"]
    try:
        back = read(data, form=form)
    except MatchFileError as error:
        return [f"all after a place where it cannot be read again: {error}"]
    return between(record, back)


def convert(
    source: str | bytes | os.PathLike[str], target: str | os.PathLike[str], *, strict: bool = False
) -> Records:
    """Read one file, write another; returns what was read.

    source, strict : as for `read`
    target : file name, by whose ending the form is chosen
    """
    form = writes(target)
    record = read(source, strict=strict)
    write(record, target, form)
    return record


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema by name of what is written as JSON: "match" (nardy.match/1) or "analysis"
    (nardy.analysis/1, see `nardy_core.match_analysis`)."""
    one_of("schema", name, ("match", "analysis"))
    path = resources.files("nardy_core").joinpath("data", "schema", f"{name}.json")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def warnings(record: Records) -> list[str]:
    """Everything odd that was found while reading, each with its place in the match."""
    if not isinstance(record, MatchRecord):
        return []
    found = list(record.warnings)
    for number, game in enumerate(record.games, 1):
        found += [f"game {number}: {text}" for text in game.warnings]
        found += [
            f"game {number}, action {at}, {record.players[action.player] or 'player'}: "
            f"{action}: {action.warning}"
            for at, action in enumerate(game.actions, 1) if action.warning]
    return found


# ---- bytes and text --------------------------------------------------------------------------


def _load(source: str | bytes | os.PathLike[str]) -> tuple[bytes, str]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        data, name = bytes(source), "file"
    elif isinstance(source, str) and ("\n" in source or "\r" in source or not _is_file(source)):
        if _looks_like_a_path(source):
            raise FileNotFoundError(2, "No such file or directory", source)
        data, name = source.encode("utf-8", "surrogatepass"), "text"
    else:
        path = Path(source)
        if path.stat().st_size > MAX_BYTES:
            raise MatchFileError(f"{path.name}: more than {MAX_BYTES >> 20} MiB")
        with path.open("rb") as file:
            data, name = file.read(MAX_BYTES + 1), path.name
    if len(data) > MAX_BYTES:
        raise MatchFileError(f"{name}: more than {MAX_BYTES >> 20} MiB")
    return data, name


def _is_file(text: str) -> bool:
    try:
        return len(text) < 4096 and Path(text).is_file()
    except (OSError, ValueError):
        return False


def _looks_like_a_path(text: str) -> bool:
    """One line that ends like a file's name: who writes that means a file."""
    one_line = len(text) < 4096 and "\n" not in text and "\r" not in text
    return one_line and Path(text).suffix.lower() in {*_ENDINGS, ".xg", ".xgp", ".bgf"}


def _decode(data: bytes, name: str) -> str:
    if len(data) > MAX_TEXT:
        raise MatchFileError(f"{name}: more than {MAX_TEXT >> 20} MiB of text")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        if _KATAKANA.search(data):  # of a Japanese system
            with contextlib.suppress(UnicodeDecodeError):
                return data.decode("cp932")
        return data.decode("cp1252", "replace")
