"""`nardy cube` and `nardy table`."""

from __future__ import annotations

import csv
import io
import itertools
import json

import pytest
from random_nets import keep_random_nets

from nardy_core import Engine, Position, cube, tables, tables_race
from nardy_core.match import MatchEquity

RACE = "x=2:2,3:2,6:1,7:1 o=2:1,3:1,4:2,7:1,8:1 turn=x"
BEAROFF = "x=1:1,2:1,3:1,4:1,5:1,6:1 o=1:1,2:1,3:1,4:1,5:1,6:1 turn=x"
MATCH = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:5:0:7:10"


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    return keep_random_nets(tmp_path_factory.mktemp("nets"))


def test_engine_puts_its_chances_into_the_model(nets):
    engine = Engine(nets, threads=1)
    for text, level in ((RACE, 0), (RACE, 1), (MATCH, 0)):
        position = Position.parse(text)
        found = engine.cube(position, level)
        chances = engine.evaluate(position, level)
        assert found.level == level and found.engine == chances.engine
        if level == 0:
            plain = cube.decide(position, chances.probabilities)
            assert found.verdict == plain.verdict and found.lines.keys() == plain.lines.keys()
            for name, line in plain.lines.items():
                assert found.lines[name].equity == pytest.approx(line.equity, abs=1e-6)
        assert chances.cubeful == pytest.approx(found.best, abs=1e-9)
        assert chances.mwc == pytest.approx(found.best_mwc, abs=1e-9)
        for owner, other in engine.cube_owners(position, level).items():
            assert other == engine.cube(position.with_(cube_owner=owner), level)
    exact = engine.cube(Position.parse(BEAROFF))
    assert exact.exact and exact.level is None and exact.verdict == "Double, take"
    other = engine.cube(Position.parse(MATCH), met="woolsey", efficiency=0.5)
    assert (other.met, other.efficiency) == ("Woolsey", 0.5)
    with pytest.raises(ValueError, match="70 points"):
        engine.cube(Position.start(match_length=70))
    assert engine.evaluate(Position.start(match_length=70)).cubeful is None


def test_cube(nardy, nets):
    code, out, _ = nardy("cube", MATCH, "--nets", nets, "--format", "json", "--ply", 1)
    data = json.loads(out)
    assert code == 0 and data["schema"] == "nardy.cube/1" and data["level"] == 1
    wanted = Engine(nets).cube(Position.parse(MATCH), 1)
    for name in ("no_double", "double_take", "double_pass", "take_point"):
        assert data[name] == round(getattr(wanted, name), 6)
    assert data["verdict"] == wanted.verdict and data["met"] == "Kazaross-XG2"
    assert data["mwc"]["no_double"] == round(wanted.mwc["no_double"], 6)
    code, out, _ = nardy("cube", MATCH, "--nets", nets)
    assert code == 0 and wanted.verdict.split(",")[0] in out and "4 away v 2 away" in out


def test_cube_for_all_owners(nardy, nets):
    code, out, _ = nardy("cube", BEAROFF, "--nets", nets, "--owners", "--format", "json")
    owners = json.loads(out)["owners"]
    assert code == 0 and list(owners) == ["centre", "own", "opp"]
    found = [owners[owner]["no_double"] for owner in owners]
    assert found == pytest.approx([0.602250, 0.636770, 0.351133], abs=1e-6)
    assert owners["opp"]["double_take"] is None
    code, out, _ = nardy("cube", BEAROFF, "--nets", nets, "--owners", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["owner"] for row in rows] == ["centre", "own", "opp"]
    assert rows[1]["verdict"] == "Redouble, take"
    for lang, heads in (("en", ("in the centre", "own", "the opponent's")),
                        ("ru", ("в центре", "свой", "соперника"))):
        code, out, _ = nardy("cube", BEAROFF, "--nets", nets, "--owners", "--lang", lang)
        blocks = out.split("\n\n")
        assert code == 0 and len(blocks) == 3
        for block, head, value in zip(blocks, heads, found, strict=True):
            assert head in block.splitlines()[0] and f"{value:+.4f}" in block


def test_lines_after_a_beaver_are_shown_where_there_would_be_one(nardy, nets):
    """Checkers on the six point and the ace against one on the ace: 15 rolls of 36 win."""
    behind = "x=1:1,6:1 o=1:1 turn=x"
    beavers = ("double, beaver", "beaver, drop")
    raccoons = ("raccoon, take", "raccoon, drop")
    for rules, shown, hidden in (
        ("raccoons=on", beavers + raccoons, ()), ("", beavers, raccoons),
        ("beavers=off", (), beavers + raccoons),
    ):
        more = ("--rules", rules) if rules else ()
        code, out, _ = nardy("cube", behind, "--nets", nets, *more)
        assert code == 0
        assert all(line in out for line in shown) and not any(line in out for line in hidden)
        assert ("No double, beaver" in out) == bool(shown)
    code, out, _ = nardy("cube", BEAROFF, "--nets", nets)  # nobody would beaver this
    assert code == 0 and not any(line in out for line in beavers)


def test_cube_without_exact_values(nardy, nets):
    words = ("cube", BEAROFF, "--nets", nets, "--format", "json")
    exact, model = (json.loads(nardy(*words, *more)[1]) for more in ((), ("--no-exact",)))
    assert exact["exact"] and not model["exact"]
    assert exact["no_double"] == 0.60225 != model["no_double"]
    assert model["no_double"] == pytest.approx(0.6, abs=0.1)


def test_cube_of_many_positions(nardy, nets):
    code, out, err = nardy(
        "cube", "-", "--nets", nets, "--format", "jsonl", stdin=f"{RACE}\nnonsense\n{MATCH}\n")
    assert code == 1 and len(out.splitlines()) == 2 and "line 2" in err


@pytest.mark.parametrize("words", [
    ("cube", MATCH, "--efficiency", "1.5"),
    ("cube", MATCH, "--met", "nobody"),
    ("cube", MATCH, "--ply", "99"),
    ("table", "met", "--length", "65"),
    ("table", "take-points", "--win-gammons", "0.1", "0.2"),
    ("table", "cube", "--race", "--jacoby"),
    ("table", "cube", "--pips", "50"),
    ("table", "cube", "--race", "--pips", "1"),
    ("table", "gammon-values", "--cube", "3"),
    ("table", "take-points", "--cube", "6"),
    ("table", "gammon-values", "--length", "65"),
    ("table", "bearoff", "12345"),
    ("table",),
])
def test_wrong_words_are_refused_in_one_line(nardy, nets, words):
    more = ("--nets", nets) if words[0] == "cube" else ()
    code, out, err = nardy(*words, *more)
    assert code == 2 and out == "" and err.count("\n") == 1 and "Traceback" not in err


def test_tables(nardy):
    code, out, _ = nardy("table", "met", "--length", 7, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0 and len(rows) == 49
    assert {(r["own"], r["opp"]): r["mwc"] for r in rows}["5", "7"] == "0.62638"
    code, out, _ = nardy("table", "take-points", "--met", "woolsey", "--format", "json")
    data = json.loads(out)
    assert data["met"] == "Woolsey" and data["table"] == "take-points"
    two = next(row for row in data["rows"] if row["own"] == row["opp"] == 2)
    assert two["take_dead"] == 0.3
    code, out, _ = nardy("table", "cube", "--win-gammons", 0.2, "--lose-gammons", 0)
    assert code == 0 and "take_live" in out and "0.1852" in out  # 0.5 / 2.7
    code, out, _ = nardy("table", "bearoff", "111111", "111111", "--format", "json")
    row = json.loads(out)["rows"][0]
    assert row["win"] == pytest.approx(0.700572, abs=1e-6) and row["action"] == "D/T"


def test_take_points_of_every_score():
    table = tables.take_points(length=9)
    rows = list(table.rows())
    assert {(row["own"], row["opp"]) for row in rows} == {
        (a, b) for a in range(1, 10) for b in range(2, 10)}
    for row in rows:
        assert 0 <= row["take_live"] <= row["take_dead"] + 1e-9 <= 1
        assert row["win_gammon"] >= 0 and row["lose_gammon"] >= 0
    assert "take_dead" in str(table).splitlines()[0]


def test_gammon_values_of_every_score_and_cube(nardy):
    """From the table's own chances, worked out again; in the command's three forms."""
    table = tables.gammon_values("woolsey", length=5)
    rows = list(table.rows())
    e = MatchEquity.open("woolsey").mwc
    for row in rows:
        a, b, n, over = row["own"], row["opp"], row["cube"], row["crawford"] != "before"

        def won(points, a=a, b=b, over=over):
            """Own's chance after so many points, won or (below 0) lost."""
            own, opp = max(a - max(points, 0), 0), max(b - max(-points, 0), 0)
            return e(own, opp, post_crawford=over)

        swing = won(n) - won(-n)
        for verb, sign in (("win", 1), ("lose", -1)):
            for kind, times in (("gammon", 2), ("backgammon", 3)):
                wanted = sign * (won(sign * times * n) - won(sign * n)) / swing
                assert row[f"{verb}_{kind}"] == pytest.approx(wanted, abs=1e-12)
    games = {(row["cube"], row["own"], row["opp"], row["crawford"]) for row in rows}
    assert len(games) == len(rows) == 4 * 25 + 8  # the Crawford game with a cube of 1
    assert {row["cube"] for row in rows} == {1, 2, 4, 8}
    assert {(n, a, b) for n, a, b, _ in games} == set(
        itertools.product((1, 2, 4, 8), range(1, 6), range(1, 6)))
    assert [row["crawford"] for row in rows if (row["cube"], row["own"], row["opp"]) == (1, 4, 1)
            ] == ["now", "over"]

    words = ("table", "gammon-values", "--met", "woolsey", "--length", 5)
    code, out, _ = nardy(*words, "--format", "json")
    data = json.loads(out)
    assert code == 0 and data["table"] == "gammon-values" and data["met"] == "Woolsey"
    assert [{**row} for row in data["rows"]] == [
        {name: round(v, 6) if isinstance(v, float) else v for name, v in row.items()}
        for row in rows]
    code, out, _ = nardy(*words, "--cube", 4, 2, "--format", "csv")
    assert [row["cube"] for row in csv.DictReader(io.StringIO(out))] == ["4"] * 25 + ["2"] * 25
    code, out, _ = nardy(*words, "--cube", 1)
    assert code == 0 and "Crawford game" in out and len(out.splitlines()) == 25 + 8 + 1


def test_windows_of_races():
    """Walter Trice's rule for long races: the last take is a tenth and one pip behind; redouble two
    pips before that, double three. And the old one for 100 pips: 8, 9, 12 per cent."""
    for row in tables.race_windows().rows():
        pips = row["pips"]
        last_take = pips + pips // 10 + 1
        assert abs(row["cash"] - 1 - last_take) <= 1
        assert abs(row["redouble"] - (last_take - 2)) <= 2
        assert abs(row["double"] - (last_take - 3)) <= 2
        if pips == 100:
            assert (row["double"], row["redouble"], row["cash"]) == (108, 109, 112)
        assert 0.7 < row["win_double"] < row["win_redouble"] < row["win_cash"] < 0.8


def test_passes_of_races_of_any_length():
    """Every length that the table knows, to the pip next to it: up to 120 pips by Trice's rule,
    from 90 on by Danny Kleinman's, who passes from (D + 4)^2 = 1.2 (S - 4) on, D pips behind and S
    in all."""
    table = tables.race_windows(range(66, 201))
    assert table["pips"] == list(range(66, 201))
    for pips, cash in zip(table["pips"], table["cash"], strict=True):
        behind = next(d for d in range(60) if (d + 4) ** 2 >= 1.2 * (2 * pips + d - 4))
        assert pips < 90 or abs(cash - (pips + behind)) <= 1
        assert pips > 120 or abs(cash - (pips + pips // 10 + 2)) <= 1
    for name in ("double", "redouble", "cash"):
        steps = [b - a for a, b in itertools.pairwise(table[name])]
        assert set(steps) <= {0, 1, 2} and sum(steps) > 134
    for name in ("win_double", "win_redouble", "win_cash"):  # a longer race is more volatile
        assert table[name] == sorted(table[name])


@pytest.mark.parametrize("pips", [[65], [100, 201], []])
def test_races_that_are_too_short_or_too_long(pips):
    said = r"^pips: (65|201) is not in 66\.\.200$|^pips: none given$"
    with pytest.raises(ValueError, match=said):
        tables.race_windows(pips)


def test_race_of_few_pips_by_hand():
    values = tables_race._race_values(12)
    # Own needs 3, opp needs anything: every throw has at least three pips.
    assert values["cubeless"][3, 3] == 1
    # Own needs 4: 2-1 alone leaves one pip, and then opp with 3 left has won.
    for owner in ("cubeless", "own", "centre", "opp"):
        assert values[owner][4, 3] == pytest.approx(1 - 2 * 2 / 36)
    # The other way round opp, with 4 left, wins unless it throws 2-1: then own's next throw wins.
    assert values["cubeless"][3, 4] == 1


def test_race_of_real_positions():
    """The chances by pip count against those of an arranged bear-off from the table."""
    side = "001257"
    pips = sum((i + 1) * int(n) for i, n in enumerate(side))
    found = tables.bearoff(side, side).probabilities
    win = found["win_single"] + found["win_gammon"]
    assert tables_race._race_win(pips, pips) == pytest.approx(win, abs=0.02)
