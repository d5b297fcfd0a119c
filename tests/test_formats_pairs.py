"""Every sample in every form: read back, it is the same, or what differs is named."""

import dataclasses
import re

import pytest
from match_files import GOLDEN

from nardy_core import formats
from nardy_core.formats import MatchFileError, dumps
from nardy_core.match_record import MatchRecord

SAMPLES = [path for path in sorted(GOLDEN.iterdir()) if path.suffix != ".py"]

# What a difference between a record and what is read back has to be called, by the field.
NAMES = {
    ".players": "names of the players", ".tags": "the tags", ".max_cube": "limit of the cube",
    ".games[].tags": "statistics", ".games[].actions[].comment": "comments",
    ".games[].actions#": "actions", ".games[].actions[].analysis": "",
    "[].players": "names of the players", "[].analysis": ""}


def differences(one, two, path=""):
    """(field, first, second) wherever two records differ, field by field."""
    if isinstance(one, (tuple, list)) and one and dataclasses.is_dataclass(one[0]):
        if len(one) != len(two):
            yield f"{path}#", len(one), len(two)
        for a, b in zip(one, two, strict=False):
            yield from differences(a, b, f"{path}[]")
    elif dataclasses.is_dataclass(one) and type(one) is type(two) and not hasattr(one, "pips"):
        for field in dataclasses.fields(one):
            yield from differences(
                getattr(one, field.name), getattr(two, field.name), f"{path}.{field.name}")
    elif one != two:
        yield path, one, two


def figures(analysis):
    """Figures of an analysis: equities and chances of the candidates, luck."""
    found = analysis or {}
    out = [found.get("luck", 0.0)]
    for candidate in found.get("candidates") or ():
        out += [candidate["equity"], *(candidate.get("probabilities") or ())]
    return out


@pytest.mark.parametrize("form", ["mat", "sgf", "json", "ogxm", "xgtext", "ids", "csv"])
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_form_into_every_other(path, form):
    """Every sample in every form: refused, or the same when it is read back, or what differs is
    named."""
    if form == "ogxm":
        pytest.importorskip("gvformat")
    try:
        record = formats.read(path)
    except MatchFileError as error:
        record = error.partial
    match = isinstance(record, MatchRecord)
    try:
        data = dumps(record, form)
    except ValueError as error:
        assert "\n" not in str(error)
        with pytest.raises(ValueError, match=re.escape(str(error))):
            formats.dropped(record, form)
        return
    said = formats.dropped(record, form)
    if form == "csv" or (match and form in ("xgtext", "ids")):
        assert said in (["all but the decisions"], ["all but the positions"])
        return
    back = formats.read(data)
    told = " ".join(said)
    for field, mine, theirs in differences(record, back):
        if field in (".source", ".warnings", ".games[].warnings"):
            continue  # of the file that was read, not of the match
        if field == ".games[].start":
            if mine.crawford != theirs.crawford:
                assert "the Crawford game" in told
            else:
                assert mine.max_cube != theirs.max_cube and "limit of the cube" in told
        elif field == "[].players" and not any(mine):
            continue  # without names they are called Player 1 and Player 2
        elif field.endswith(".analysis"):
            # What is not said to be gone is there, to three decimals.
            if not any(words in told for words in ("the analysis of", "candidates", "chances")):
                assert figures(theirs) == pytest.approx(figures(mine), abs=6e-4)
        else:
            assert NAMES[field] in told, (field, mine, theirs, said)
    if not said:
        assert match is False or back.bare() == record.bare()
