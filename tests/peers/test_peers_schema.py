"""What is written as JSON is what the shipped schemas say, by the package jsonschema."""

import json
from pathlib import Path

import pytest

from nardy_core import formats
from nardy_core.match_analysis import analyse_match
from peers import rules

GOLDEN = Path(__file__).parents[1] / "golden"
MATCHES = ["jellyfish.mat", "galaxy.txt", "money.mat", "illegal.mat", "forfeit.txt",
           "long_nardy.mat", "analysed.sgf", "gnubg.txt", "hypergammon.mat"]


def validator(name):
    jsonschema = rules.peer("jsonschema", "jsonschema")
    schema = formats.schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", MATCHES)
def test_matches(name):
    match = formats.read(GOLDEN / "formats" / name)
    validator("match").validate(json.loads(formats.dumps(match, "json")))


@pytest.mark.parametrize("name", ["match_analysis/gnubg.sgf", "formats/analysed.sgf"])
def test_judged_matches(name):
    validator("analysis").validate(json.loads(json.dumps(
        analyse_match(GOLDEN / name, level="file").to_dict())))


def test_a_match_judged_by_the_engine():
    match = formats.read(GOLDEN / "formats" / "money.mat")
    found = analyse_match(match, level=0, cache=False)
    validator("analysis").validate(json.loads(json.dumps(found.to_dict())))


def test_what_is_wrong_is_refused():
    data = json.loads(formats.dumps(formats.read(GOLDEN / "formats" / "jellyfish.mat"), "json"))
    data["games"][0]["actions"][0]["player"] = 2
    assert not validator("match").is_valid(data)
    with pytest.raises(ValueError, match="schema: 'games' is not one of"):
        formats.schema("games")
