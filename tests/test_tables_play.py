"""Tables that ask the engine: openings, replies, what each roll is worth, cube action by score."""

from __future__ import annotations

import csv
import io
import json

import pytest
from random_nets import keep_random_nets, random_nets

from nardy_core import Engine, Position, cube, tables
from nardy_core.play import ROLLS, UNLIKE
from nardy_core.tables_score import grid

RACE = "x=2:2,3:2,6:1,7:1 o=2:1,3:1,4:2,7:1,8:1 turn=x"
BEAROFF = "x=1:1,2:1,4:1 o=1:1,2:1,3:1 turn=x"


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    return keep_random_nets(tmp_path_factory.mktemp("nets"))


@pytest.fixture(scope="module")
def engine(nets):
    return Engine(nets, threads=1)


# ---- plays --------------------------------------------------------------------------------------


def test_openings_are_what_the_engine_ranks(engine):
    table = tables.openings(engine, top=2)
    rows = list(table.rows())
    assert [row["dice"] for row in rows[::2]] == [f"{a}{b}" for a, b in UNLIKE]
    assert len(rows) == 30 and [row["rank"] for row in rows] == [1, 2] * 15
    for row in rows:
        found = engine.analyse(Position.start(), tuple(map(int, row["dice"])), top=2)
        candidate = found.candidates[row["rank"] - 1]
        assert row["play"] == candidate.play.notation
        assert row["equity"] == round(candidate.equity, 6) and row["standard_error"] is None
    long_like = tables.openings(engine, start=Position.start().with_(cube=2), top=1)
    assert len(long_like["dice"]) == 15  # an automatic double does not change who begins


def test_replies(engine):
    table = tables.replies(engine, plays={"31": "8/5 6/5", "21": "13/11 6/5"})
    rows = list(table.rows())
    assert len(rows) == 42 and {row["opening"] for row in rows} == {"31", "21"}
    after = {
        "31": next(p for p in Position.start().legal_plays((3, 1)) if p.notation == "8/5 6/5"),
        "21": next(p for p in Position.start().legal_plays((2, 1)) if p.notation == "13/11 6/5"),
    }
    for row in rows:
        play = after[row["opening"]]
        assert row["opening_play"] == play.notation
        best = engine.analyse(play.result, tuple(map(int, row["dice"]))).best
        assert row["play"] == best.play.notation and row["equity"] == round(best.equity, 6)
    everything = tables.replies(engine)
    assert len(everything["dice"]) == 15 * 21
    with pytest.raises(ValueError, match="dice: '71'"):
        tables.replies(engine, plays={"71": "8/1"})


def test_rollouts_of_openings(engine):
    race = Position.parse(RACE)
    table = tables.openings(engine, start=race, top=2, trials=36, seed=5)
    assert len(set(table["dice"])) == 21  # no start position: doubles can be thrown
    row = next(table.rows())
    found = engine.rollout(
        race, tuple(map(int, row["dice"])), top=2, trials=36, seed=5, cubeful=True).wait()
    assert row["equity"] == round(found.entries[0].equity, 6)
    assert row["standard_error"] == round(found.entries[0].standard_error, 6)


def test_a_table_goes_on_from_its_file(engine, tmp_path):
    """Cut anywhere, the file gives the same table, and only what is missing is done again."""
    file = tmp_path / "openings.jsonl"
    whole = tables.openings(engine, top=1, save=file)
    data = file.read_bytes()
    for cut in (0, 5, data.index(b"\n") + 1, len(data) // 2, len(data) - 1, len(data)):
        file.write_bytes(data[:cut])
        done = []
        again = tables.openings(
            engine, top=1, save=file, progress=lambda n, total, done=done: done.append((n, total)))
        assert again == whole == tables.openings(engine, top=1)
        assert file.read_bytes() == data and done[-1] == (15, 15)


def test_files_of_other_tables_are_refused(engine, tmp_path):
    file = tmp_path / "openings.jsonl"
    tables.openings(engine, top=1, save=file)
    data = file.read_bytes()
    with pytest.raises(ValueError, match="made with other settings: top is 1, asked is 2"):
        tables.openings(engine, top=2, save=file)
    others = Engine({"backgammon": random_nets(seed=2)})
    with pytest.raises(ValueError, match=r"made with other settings: engine\.nets\.contact is"):
        tables.openings(others, top=1, save=file)
    for junk in (b"hello", b"hello\n", b"[1]\n[2]\n", b"\xff\xfe\n", b'{"a": 1}\n',
                 data.splitlines()[0] + b'\n{"task": 5}\n', data.splitlines()[0] + b"\n7\n"):
        file.write_bytes(junk)
        with pytest.raises(ValueError, match="openings.jsonl: it "):
            tables.openings(engine, top=1, save=file)
        assert file.read_bytes() == junk  # nothing of it was lost


def test_damaged_rows_are_refused(nardy, nets, tmp_path):
    """Each of these would leave a roll out, or end as an error that names no file."""
    file = tmp_path / "openings.jsonl"
    words = ("table", "openings", "--top", 1, "--nets", nets, "--save", file)
    assert nardy(*words)[0] == 0
    head, first, *rest = file.read_bytes().split(b"\n")
    line = json.loads(first)
    row = line["rows"][0]
    bad_rows = [{}, [], None, 7, "rows", [[]], [row[:-1]], [[*row, 1]], [row, row], [{}], [None]]
    for at, values in enumerate(([2, 1.0, None], [None, 5], [None, "0", float("nan"), True],
                                 [None, float("inf")], [1.5, [], True], ["0", -float("inf")])):
        bad_rows += [[[*row[:at], value, *row[at + 1:]]] for value in values]
    bad = [json.dumps({**line, "rows": rows}).encode() for rows in bad_rows]
    bad += [b"{}", b"[]", b'"x"', b'{"task": 3, "rows": []}']
    for text in bad:
        file.write_bytes(b"\n".join([head, text, *rest]))
        code, out, err = nardy(*words)
        assert (code, out) == (3, ""), text
        assert err.startswith(f"nardy: {file}: it is damaged in line 2, ") and err.count("\n") == 1
    for whole in (b"[" * 100_000 + b"\n", head + b"\n" + b"[" * 100_000 + b"\n"):
        file.write_bytes(whole)
        assert nardy(*words) == (3, "", f"nardy: {file}: it is not a table's file\n")
    assert nardy(*words[:-1], "/dev/zero") == (3, "", "nardy: /dev/zero: not a regular file\n")


def test_rolls(engine):
    position = Position.parse(RACE)
    table = tables.rolls(position, engine)
    rows = list(table.rows())
    assert {row["dice"] for row in rows} == {f"{a}{b}" for a, b in ROLLS}
    assert sum(row["ways"] for row in rows) == 36
    assert table["equity"] == sorted(table["equity"], reverse=True)
    assert sum(row["ways"] * row["luck"] for row in rows) == pytest.approx(0, abs=1e-9)
    # What all rolls are worth on average is rolling, one ply deeper.
    mean = sum(row["ways"] * row["equity"] for row in rows) / 36
    assert mean == pytest.approx(engine.cube(position, 1).no_double, abs=2e-5)
    start = tables.rolls(Position.start(), engine)
    assert sum(start["ways"]) == 30 and len(start["dice"]) == 15
    with pytest.raises(ValueError, match="over"):
        tables.rolls(position.with_(own=(15, *[0] * 25)), engine)


# ---- cube action by score -----------------------------------------------------------------------


def test_cube_by_score(engine):
    position = Position.parse(RACE)
    table = tables.cube_by_score(position, engine=engine, length=5)
    chances = engine.evaluate(position).probabilities
    assert len(table["own"]) == 25 and not any(table["exact"])
    for row in table.rows():
        here = position.with_(
            match_length=5, score_own=5 - row["own"], score_opp=5 - row["opp"])
        wanted = cube.decide(here, chances)
        assert (row["action"], row["verdict"]) == (wanted.action, wanted.verdict)
        assert row["double_take"] == wanted.double_take
        assert row["mwc_no_double"] == wanted.mwc["no_double"]
    text = grid(table).splitlines()
    assert text[0].split() == ["own\\opp", "1", "2", "3", "4", "5"] and len(text) == 6
    assert text[3].split()[5] == table["action"][14]  # own 3, opp 5
    frame = pytest.importorskip("pandas") and table.to_pandas()
    assert list(frame.columns) == list(table) and len(frame) == 25


def test_cube_by_score_with_look_ahead(engine):
    """Each score is searched for itself: what plays lead to a cube hangs on the score."""
    position = Position.parse(RACE)
    table = tables.cube_by_score(position, engine=engine, level=1, length=4)
    for row in table.rows():
        wanted = engine.cube(position.with_(
            match_length=4, score_own=4 - row["own"], score_opp=4 - row["opp"]), 1)
        assert (row["action"], row["no_double"], row["double_take"]) == (
            wanted.action, wanted.no_double, wanted.double_take)
    static = tables.cube_by_score(position, engine=engine, length=4)
    assert static["no_double"] != table["no_double"]


def test_cube_by_score_of_bearoffs():
    small = tables.cube_by_score(Position.parse(BEAROFF), length=3)
    assert all(small["exact"])
    wanted = cube.decide(Position.parse(BEAROFF).with_(match_length=3, score_own=1))
    row = next(r for r in small.rows() if (r["own"], r["opp"]) == (2, 3))
    assert row["mwc_double_take"] == wanted.mwc["double_take"]
    assert not any(tables.cube_by_score(
        Position.parse(BEAROFF), [0.7, 0, 0, 0.3, 0, 0], length=3, exact=False)["exact"])
    assert cube.exact_cells(Position.start()) == 0


def test_cube_by_score_of_an_owned_cube_and_errors():
    even = [0.5, 0, 0, 0.5, 0, 0]
    owned = Position.start(cube=2, cube_owner="opp")
    assert set(tables.cube_by_score(owned, even, length=3)["action"]) == {"-"}
    for wrong, words in (
        ({"length": 65}, "length: 65"), ({"length": 0}, "length: 0"),
        ({"position": Position.start(cube=2)}, "automatic doubles are for money"),
    ):
        with pytest.raises(ValueError, match=words):
            tables.cube_by_score(**{"position": Position.start(), "probabilities": even, **wrong})


# ---- the command --------------------------------------------------------------------------------


def test_commands(nardy, nets, tmp_path):
    words = ("--nets", nets, "--threads", 1)
    code, out, _ = nardy("table", "rolls", RACE, *words, "--format", "json")
    data = json.loads(out)
    assert code == 0 and data["table"] == "rolls" and len(data["rows"]) == 21
    assert data["engine"]["game"] == "backgammon"
    code, out, _ = nardy("table", "scores", RACE, *words, "--length", 3)
    assert code == 0 and out.splitlines()[0].split() == ["own\\opp", "1", "2", "3"]
    code, out, _ = nardy("table", "scores", RACE, *words, "--length", 3, "--format", "csv")
    assert len(list(csv.DictReader(io.StringIO(out)))) == 9
    save = tmp_path / "replies.jsonl"
    code, first, _ = nardy("table", "replies", "--plays", "31 8/5 6/5", "--save", save, *words)
    assert code == 0 and len(first.splitlines()) == 22 and len(save.read_text().splitlines()) == 22
    assert nardy("table", "replies", "--plays", "31 8/5 6/5", "--save", save, *words)[1] == first
    code, out, _ = nardy("table", "openings", "--top", 1, *words, "--format", "jsonl")
    assert code == 0 and len(json.loads(out)["rows"]) == 15


@pytest.mark.parametrize(("words", "code"), [
    (("table", "replies", "--plays", "31 8/5"), 2),
    (("table", "replies", "--plays", "31 8/5 6/5, 13 8/5 6/5"), 2),
    (("table", "replies", "--plays", "31"), 2),
    (("table", "scores", "start", "--length", "65"), 2),
    (("table", "openings", "--start", "nothing"), 2),
    (("table", "openings", "--save", "/nowhere/at/all"), 3),
    (("table", "rolls", "start", "--ply", "77"), 2),
])
def test_wrong_words_are_refused_in_one_line(nardy, nets, words, code):
    found, out, err = nardy(*words, "--nets", nets)
    assert (found, out) == (code, "") and err.count("\n") == 1 and "Traceback" not in err
