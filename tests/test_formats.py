"""Match files: round trips, converting and what it drops, the command, junk."""

import contextlib
import dataclasses
import random
import time

import pytest
from fuzz.mutate import mutated
from match_files import GOLDEN, GOOD, ends, read

from nardy_core import formats
from nardy_core.formats import dumps
from nardy_core.match_record import MatchRecord

# ---- records ----------------------------------------------------------------------------------


def test_positions_before_each_decision():
    match = read("money.mat")
    steps = list(match.games[0].decisions(rolls=True))
    assert [d.action.kind for d in steps] == [
        "play", "double", "beaver", "take", "play", "no_double", "play", "play", "double", "drop"]
    offers = [d.position.offer for d in steps]
    assert offers == ["none", "none", "doubled", "beavered", *["none"] * 5, "doubled"]
    assert all(d.position.turn == d.action.player for d in steps if d.action.dice)
    assert steps[-1].position.cube == 4 and steps[5].position.cube_owner == "own"
    # Each position is the result of the decision before it.
    for now, after in zip(steps, steps[1:], strict=False):
        if now.action.kind == "play":
            assert sorted(after.position.own) == sorted(after.position.own)
            assert after.position.opp[0] >= now.position.own[0]


@pytest.mark.parametrize("path", GOOD, ids=lambda p: p.name)
@pytest.mark.parametrize("form", ["mat", "json", "sgf"])
def test_round_trips(path, form):
    match = formats.read(path)
    if form == "sgf" and match.game == "long_nardy":
        with pytest.raises(ValueError, match="backgammon only"):
            dumps(match, form)
        return
    back = formats.read(dumps(match, form))
    if form == "json":
        assert back == match
    elif form == "sgf":  # which has no limit of the cube
        assert [(g.actions, g.winner, g.points, g.how, g.score, g.crawford) for g in back.games] \
            == [(g.actions, g.winner, g.points, g.how, g.score, g.crawford) for g in match.games]
        assert back.players == match.players and back.start == match.start
        assert dumps(back, form) == dumps(match, form)
    else:
        assert back.bare() == match.bare() and back.tags == match.tags and back.date == match.date
        assert dumps(back, form) == dumps(match, form)


def test_csv_has_a_row_for_each_decision(tmp_path):
    match = formats.convert(GOLDEN / "studio.txt", tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert len(lines) == 1 + sum(len(g.actions) for g in match.games)
    assert lines[0].startswith("game,number,player,name,score,opponent_score,match_length")
    assert lines[1].startswith("1,1,1,Juniper,0,0,7,0,167,167,XGID=-b----E-C---eE---c-e----B-:0:0")


def test_ids_of_a_match_are_the_positions_before_its_decisions():
    match = read("studio.txt")
    found = [r.position for r in formats.read(dumps(match, "ids"))]
    assert len(found) == sum(len(g.actions) for g in match.games)
    played = [d.position for _, d in match.decisions()]
    assert [(p.own, p.opp, p.dice, p.score_own, p.cube, p.offer) for p in found] \
        == [(p.own, p.opp, p.dice, p.score_own, p.cube, p.offer) for p in played]


def test_writers_refuse_what_they_cannot_hold(tmp_path):
    match = read("jellyfish.mat")
    with pytest.raises(ValueError, match="ends with none of"):
        formats.write(match, tmp_path / "match.doc")
    assert not list(tmp_path.iterdir())
    strange = dataclasses.replace(match.games[0], start=match.games[0].start.with_(
        cube=2, cube_owner="own"))
    with pytest.raises(ValueError, match="game 1: a .mat file cannot hold"):
        dumps(dataclasses.replace(match, games=(strange,)), "mat")


def test_names_that_would_break_the_columns():
    match = dataclasses.replace(read("jellyfish.mat"), players=("A :  1   B : 2", 'x"]\n y'))
    back = formats.read(dumps(match, "mat"))
    assert back.games == match.games and back.players == ("A ; 1 B ; 2", "x'' y")


# ---- converting ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "form", "lost"), [
    ("analysed.sgf", "json", []),
    ("analysed.sgf", "sgf", []),
    ("jellyfish.mat", "mat", []),
    ("galaxy.txt", "mat", []),
    ("xg.txt", "json", []),
    ("xg.txt", "ids", ["the names of the players as they are", "the analysis of 2 positions"]),
    ("galaxy.txt", "sgf", ["the limit of the cube", "the tags Match ID, Unrated"]),
])
def test_what_is_left_out_is_named(name, form, lost):
    assert formats.dropped(read(name), form) == lost


def test_analysis_is_left_out_of_a_mat():
    found = formats.dropped(read("analysed.sgf"), "mat")
    assert any(text.startswith("the analysis of ") for text in found)
    assert any(text.startswith("GNU Backgammon's statistics") for text in found)


def test_one_match_in_four_formats():
    """The same games, scores and decisions from .mat, .sgf, .json and text of both columns."""
    match = read("studio.txt")
    plain = dataclasses.replace(match, tags=(), max_cube=None)
    for form in ("mat", "sgf", "json"):
        back = formats.read(dumps(plain, form))
        assert back.bare() == plain.bare()
        assert ([(n, d.position, d.action.kind, d.action.steps) for n, d in
                 back.decisions(rolls=True)]
                == [(n, d.position, d.action.kind, d.action.steps) for n, d in
                    plain.decisions(rolls=True)])


def test_convert_says_what_it_drops(tmp_path, capsys):
    from nardy_core.cli import main

    assert main(["convert", str(GOLDEN / "analysed.sgf"), str(tmp_path / "out.mat")]) == 0
    assert "left out, for which mat has no place: the analysis of" in capsys.readouterr().err
    assert main(["convert", str(GOLDEN / "analysed.sgf"), str(tmp_path / "out.txt"),
                 "--form", "xgtext"]) == 0
    assert "all but the decisions" in capsys.readouterr().err
    assert (tmp_path / "out.txt").read_text().startswith("XGID=")


# ---- the command ------------------------------------------------------------------------------


def test_convert_command(tmp_path, capsys):
    from nardy_core.cli import main

    out = tmp_path / "out.json"
    assert main(["convert", str(GOLDEN / "studio.txt"), str(out)]) == 0
    assert formats.read(out) == read("studio.txt")
    assert capsys.readouterr() == ("", "")

    assert main(["convert", str(GOLDEN / "illegal.mat"), str(out)]) == 0
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 7
    assert errors[0] == ("nardy: warning: game 1, action 1, Heron: 3-1: 8/5 6/4: "
                         "illegal play: a number that was not thrown")


def test_convert_command_and_bad_files(tmp_path, capsys):
    from nardy_core.cli import main

    bad, out = str(GOLDEN / "cut.mat"), tmp_path / "out.mat"
    assert main(["convert", bad, str(out)]) == 2 and not out.exists()
    assert capsys.readouterr().err == "nardy: cut.mat line 14: play: no checker to move on 9\n"
    assert main(["convert", "--partial", bad, str(out)]) == 1
    ids, some = tmp_path / "some.ids", tmp_path / "some.json"
    ids.write_text((GOLDEN / "positions.ids").read_text().rstrip() + "\nno position\n")
    assert main(["convert", str(ids), str(some)]) == 2 and not some.exists()
    assert main(["convert", "--partial", str(ids), str(some)]) == 1
    assert len(formats.read(some)) == len(formats.read(GOLDEN / "positions.ids"))
    assert ends(formats.read(out)) == [((0, 0), 0, 1, "drop")]
    assert main(["convert", str(GOLDEN / "illegal.mat"), str(out), "--strict"]) == 2
    assert main(["convert", str(tmp_path / "none.mat"), str(out)]) == 3
    assert main(["convert", str(GOLDEN / "galaxy.txt"), str(tmp_path / "out.pdf")]) == 2
    capsys.readouterr()


# ---- junk -------------------------------------------------------------------------------------

def shortened(path):
    """The start of a sample: enough to hold every kind of line, little enough to be quick."""
    return path.read_bytes()[:900]


@pytest.mark.parametrize("data", [
    b"\n" * 2_000_000,
    b" " * 2_000_000,
    b"(;GM[6]" * 100_000,
    b"(;GM[6]A" + b"[" * 2_000_000,
    b"(;GM[6]C[" + b"\\" * 1_000_001,
    b'{"schema": "nardy.match/1", "players": ' + b"[" * 500_000,
    b"5 point match\n" + b"Game 1\n" * 20_000,
    b"5 point match\nGame 1\n" + b" " * 400 + b"x" * 400 + b": 1\n",
    b"5 point match\nGame 1\n" + b"a:1  " * 190 + b"\n",
    b"5 point match\nGame 1\n A : 0    B : 0\n" + b"  1) 11:\n" * 30_000,
    b"XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10\n +13-\n" + b":=+0.1," * 200_000,
    b"XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10\n +13-\n"
    + (b"a:=+0.1," * 31 + b"\n") * 1000 + (b"1. " + b"a  " * 80 + b"\n") * 1000,
    b" Position-ID: 4HPwATDgc/ABMA    Match-ID: cAmgAAAAAAAA\n" * 5000,
    b"start\n" * 20_000 + b"stop",
], ids=lambda data: repr(data[:24]))
def test_junk_is_refused_in_time(data):
    begun = time.process_time()
    with contextlib.suppress(ValueError):
        formats.read(data)
    assert time.process_time() - begun < 5


def test_mutated_files_raise_valueerror_or_nothing():
    rng = random.Random(20240203)
    samples = [shortened(path) for path in sorted(GOLDEN.iterdir()) if path.suffix != ".py"]
    read_well = 0
    for _ in range(3000):
        data = mutated(rng, rng.choice(samples))
        try:
            record = formats.read(data)
        except ValueError as error:
            assert "\n" not in str(error) and str(error).isprintable(), str(error)
            partial = getattr(error, "partial", None)
            if partial:
                dumps(partial, "json")
        else:
            read_well += 1
            if isinstance(record, MatchRecord):
                assert formats.read(dumps(record, "json")) == record
    assert 300 < read_well < 2900, read_well  # the mutations neither all miss nor all destroy
