"""Judged matches: the bookkeeping against GNU Backgammon's own totals, definitions, figures."""

import dataclasses
import re
from pathlib import Path

import pytest

from nardy_core import formats
from nardy_core.match_analysis import (
    SIZES,
    Definitions,
    Judged,
    Rate,
    Sizes,
    analyse_match,
    judge,
)
from nardy_core.match_record import Action
from nardy_core.position import Position

GOLDEN = Path(__file__).parent / "golden" / "match_analysis"
FORMATS = Path(__file__).parent / "golden" / "formats"


@pytest.fixture(scope="module")
def by_gnubg():
    """A match with the analysis of GNU Backgammon 2-ply, judged by its numbers."""
    return analyse_match(GOLDEN / "gnubg.sgf", level="file",
                         definitions=Definitions(rating="gnubg", sizes="gnubg"))


# ---- GNU Backgammon's numbers give GNU Backgammon's totals --------------------------------------


def told(text=None):
    """{section: {label: (numbers of player 0, numbers of player 1)}} of printed statistics; each
    number with how many decimals it has."""
    found, section = {}, ""
    for line in (text or (GOLDEN / "gnubg.txt").read_text()).splitlines():
        if line.endswith("statistics"):
            section = line.split()[0]
        elif line[:1].strip() and len(line) > 41:
            found.setdefault(section, {})[line[:41].strip()] = tuple(
                [(float(n), len(n.partition(".")[2])) for n in
                 re.findall(r"[-+]?\d+(?:\.\d+)?", part)] for part in (line[41:65], line[65:]))
    return found


def same(value, printed):
    number, digits = printed
    single = 3e-7 * abs(value)  # gnubg adds up in single precision
    return abs(value - number) <= 0.51 * 10**-digits + single


def gnubg_rows(t):
    """What GNU Backgammon prints, from a tally: {section: {label: numbers}}."""
    both = t.cost * 100, t.plays.cost * 100, t.cubes.cost * 100
    counted = {name: rating.decisions for name, rating in t.cube_ratings.items()}
    faults = {
        "Missed doubles below CP (EMG (MWC))": "missed double",
        "Missed doubles above CP (EMG (MWC))": "missed cash",
        "Wrong doubles below DP (EMG (MWC))": "wrong double",
        "Wrong doubles above TG (EMG (MWC))": "too good",
        "Wrong takes (EMG (MWC))": "wrong take",
        "Wrong passes (EMG (MWC))": "wrong pass",
    }
    sizes = t.play_sizes
    marked = sum(sizes.values())
    return {
        "Chequerplay": {
            "Total moves": [t.moves], "Unforced moves": [t.unforced],
            "Unmarked moves": [t.moves - marked],
            "Moves marked doubtful": [sizes["doubtful"]], "Moves marked bad": [sizes["bad"]],
            "Moves marked very bad": [sizes["very bad"]],
            "Error total EMG (MWC)": [-t.plays.lost, -both[1]],
            "Error rate mEMG (MWC)": [-t.play_ratings["gnubg"].value, -both[1] / t.unforced]},
        "Luck": {
            "Rolls marked very lucky": [t.lucky["very lucky"]],
            "Rolls marked lucky": [t.lucky["lucky"]],
            "Rolls marked unlucky": [t.lucky["unlucky"]],
            "Rolls marked very unlucky": [t.lucky["very unlucky"]],
            "Luck total EMG (MWC)": [t.luck, 100 * t.luck_cost],
            "Luck rate mEMG (MWC)": [1000 * t.luck / t.moves, 100 * t.luck_cost / t.moves]},
        "Cube": {
            "Total cube decisions": [t.cubes.count],
            "Close or actual cube decisions": [counted["gnubg"]],
            "Doubles": [t.doubles], "Takes": [t.takes], "Passes": [t.passes],
            **{label: [t.faults[f].count, *([-t.faults[f].lost, -100 * t.faults[f].cost]
                                            if t.faults[f].count else [])]
               for label, f in faults.items()},
            "Error total EMG (MWC)": [-t.cubes.lost, -both[2]],
            "Error rate mEMG (MWC)": [-t.cube_ratings["gnubg"].value,
                                      -both[2] / counted["gnubg"]]},
        "Overall": {
            "Error total EMG (MWC)": [-t.lost, -both[0]],
            "Error rate mEMG (MWC)": [-t.rate("gnubg"), -both[0] / t.ratings["gnubg"].decisions],
            "Snowie error rate": [-t.rate("snowie")],
            "Actual result": [100 * t.result],
            "Luck adjusted result": [100 * t.luck_adjusted]},
    }


@pytest.mark.parametrize("player", [0, 1])
def test_gnubg_numbers_give_gnubg_totals(by_gnubg, player):
    printed = told()
    assert {"Chequerplay", "Luck", "Cube", "Overall"} <= set(printed)
    compared = 0
    for section, rows in gnubg_rows(by_gnubg.players[player]).items():
        for label, values in rows.items():
            numbers = printed[section][label][player]
            assert len(numbers) >= len(values), (section, label, numbers)
            for value, number in zip(values, numbers, strict=False):
                assert same(value, number), (section, label, value, number)
                compared += 1
    assert compared > 40


def test_a_wrong_bookkeeping_would_be_seen(by_gnubg):
    """The comparison fails for a total that is off by one in the last printed digit."""
    printed = told()["Chequerplay"]["Error total EMG (MWC)"][0][0]
    lost = by_gnubg.players[0].plays.lost
    assert same(-lost, printed) and not same(-lost + 0.001, printed)


def test_games_add_up_to_the_match(by_gnubg):
    for player in (0, 1):
        whole, parts = by_gnubg.players[player], [g[player] for g in by_gnubg.games]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        assert (total.moves, total.plays.count, total.cubes.count) == (
            whole.moves, whole.plays.count, whole.cubes.count)
        assert total.lost == pytest.approx(whole.lost)
        assert total.rate("snowie") == pytest.approx(whole.rate("snowie"))
        assert total.luck_adjusted == pytest.approx(whole.luck_adjusted)
        assert {k: v.count for k, v in total.sizes.items()} == {
            k: v.count for k, v in whole.sizes.items()}


# ---- definitions -------------------------------------------------------------------------------


def cube_decision(kind, stay, take, drop=1.0, **more):
    position = Position.start("backgammon", match_length=7)
    if kind in ("take", "drop"):
        position = position.with_(offer="doubled")
    return Judged(0, 1, kind, 0, position, Action(kind=kind, player=0), kind,
                  cube=(stay, take, drop), lost=0.0, **more)


@pytest.mark.parametrize(("stay", "take", "xg", "gnubg"), [
    (0.30, 0.20, True, True),
    (0.30, 0.101, True, False),  # 0.2 and 0.16 behind
    (0.30, 0.099, False, False),
    (-0.01, -0.10, False, True),  # XG counts nobody who is behind
    (0.60, 0.70, True, True),
    (0.60, 0.6005, False, True),  # either will do
    (1.05, 1.40, True, True),  # too good, 0.05 better than cashing
    (1.25, 1.40, False, False),  # far too good
])
def test_decisions_to_roll_that_count(stay, take, xg, gnubg):
    decision = cube_decision("no_double", stay, take)
    assert decision.counts_as_cube("xg") is xg
    assert decision.counts_as_cube("gnubg") is gnubg
    assert decision.counts_as_cube("all") and not decision.counts_as_cube("actual")
    assert all(cube_decision("double", stay, take).counts_as_cube(rule)
               for rule in ("xg", "gnubg", "all", "actual"))


def test_plays_that_count():
    position = Position.start("backgammon", dice=(3, 1))
    play = Judged(0, 0, "play", 1, position, Action(kind="play", player=1, dice=(3, 1)), "8/5 6/5",
                  lost=0.0, choices=16)
    forced = dataclasses.replace(play, choices=1)
    equal = dataclasses.replace(play, equal=True)
    rules = ("all", "unforced", "unequal")
    assert [play.counts_as_play(r) for r in rules] == [True, True, True]
    assert [forced.counts_as_play(r) for r in rules] == [True, False, False]
    assert [equal.counts_as_play(r) for r in rules] == [True, True, False]
    assert forced.forced and forced.trivial and equal.trivial and not play.trivial


@pytest.mark.parametrize(("name", "loss", "size"), [
    ("xg", 0.0199, ""), ("xg", 0.02, "error"), ("xg", 0.0799, "error"), ("xg", 0.08, "blunder"),
    ("gnubg", 0.03, ""), ("gnubg", 0.031, "doubtful"), ("gnubg", 0.06, "doubtful"),
    ("gnubg", 0.061, "bad"), ("gnubg", 0.13, "very bad"),
])
def test_sizes(name, loss, size):
    assert SIZES[name].of(loss) == size


def test_pr_by_hand():
    """Two errors of 0.1 and 0.06 in four decisions that count: 0.16 x 500 / 4 = 20; the forced play
    and the cube far away do not count. In a match to one point it is half as much again."""
    match = formats.read(FORMATS / "jellyfish.mat")
    opening = match.games[0].start

    def play(lost, choices):
        position = opening.with_(dice=(3, 1))
        action = Action(kind="play", player=0, dice=(3, 1))
        return Judged(0, 0, "play", 0, position, action, "", lost=lost, choices=choices)

    decisions = (play(0.1, 5), play(0.0, 5), play(0.0, 1), cube_decision("no_double", -0.4, -0.9),
                 dataclasses.replace(cube_decision("no_double", 0.5, 0.56), lost=0.06),
                 cube_decision("take", 0.5, 0.6))
    from nardy_core.match_analysis.tally import tally

    found = tally(match, decisions, 0, Definitions())
    assert found.rate("pr") == pytest.approx(20)
    assert found.ratings["pr"].decisions == 4
    # 0.16 x 1000 over two plays with a choice and two cubes: all but the one far away
    assert found.rate("gnubg") == pytest.approx(40)
    assert found.rate("snowie") == pytest.approx(0.16 * 1000 / 3)
    short = dataclasses.replace(match, length=1, games=match.games[:0])
    assert tally(short, decisions, 0, Definitions(), ()).rate("pr") is None
    one = [dataclasses.replace(d, game=0) for d in decisions]
    single = tally(dataclasses.replace(match, length=1, games=()), one, 0, Definitions(), [])
    assert single.lost == 0


def test_definitions_of_ones_own():
    mine = Definitions(rates={"mine": Rate(10, plays="all", cubes="actual")}, rating="mine",
                       sizes=Sizes((("slip", 0.01),)))
    found = analyse_match(GOLDEN / "gnubg.sgf", level="file", definitions=mine)
    first = found.players[0]
    counted = first.moves + first.doubles + first.takes + first.passes
    assert first.rate("mine") == pytest.approx(10 * first.lost / counted)
    assert set(first.sizes) == {"slip"} and first.sizes["slip"].count > 60
    assert "mine" in found.to_dict()["definitions"]["rates"]


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Definitions(rating="elo"), "rating: 'elo' is not one of pr, gnubg, snowie"),
    (lambda: Definitions(sizes="huge"), "sizes: 'huge' is not one of xg, gnubg"),
    (lambda: Sizes((("a", 0.2), ("b", 0.1))), "sizes: the limits of errors do not rise"),
    (lambda: Rate(500, plays="some"), "rate: plays: 'some' is not one of all, unforced, unequal"),
    (lambda: Rate(-1), "rate: factor -1 is not above 0"),
])
def test_definitions_that_are_none(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# ---- judging -----------------------------------------------------------------------------------


def test_take_and_pass_are_judged_by_the_doubler_s_numbers(by_gnubg):
    """The pass of the first game: GNU Backgammon has 0.293 for it, the double itself was right."""
    dropped = next(d for d in by_gnubg.decisions if d.kind == "drop")
    assert (dropped.done, dropped.best, dropped.fault) == ("pass", "take", "wrong pass")
    assert dropped.lost == pytest.approx(0.2929, abs=1e-4)
    assert dropped.equity == -1.0
    double = next(d for d in by_gnubg.decisions if d.kind == "double")
    assert double.cube == dropped.cube


def test_the_curve_begins_even_and_ends_decided(by_gnubg):
    curve = by_gnubg.curve()
    assert abs(curve[0][2] - 0.5) < 0.01 and curve[-1][2] < 0.01
    assert all(0 <= chance <= 1 for _, _, chance in curve)


def test_errors_are_sorted_by_what_they_cost(by_gnubg):
    errors = by_gnubg.errors()
    costs = [e.cost for e in errors]
    assert costs == sorted(costs, reverse=True)
    printed = told()["Chequerplay"]
    marked = sum(printed[f"Moves marked {size}"][player][0][0]
                 for size in ("doubtful", "bad", "very bad") for player in (0, 1))
    assert sum(e.kind == "play" for e in errors) == marked
    assert all(e.lost > 0.12 for e in by_gnubg.errors("very bad"))
    assert {e.player for e in by_gnubg.errors(player=1)} == {1}


def test_file_without_analysis():
    with pytest.raises(ValueError, match="galaxy.txt: no analysis in it"):
        analyse_match(FORMATS / "galaxy.txt", level="file")


def test_illegal_plays_are_not_judged():
    match = formats.read(FORMATS / "illegal.mat")
    illegal = [d for d in judge(match) if not d.action.legal and d.kind == "play"]
    assert len(illegal) == 6
    assert all(d.reason == "illegal" and d.lost is None for d in illegal)


def test_plain_data_and_rows(by_gnubg):
    data = by_gnubg.to_dict()
    assert data["schema"] == "nardy.analysis/1"
    rows = list(by_gnubg.rows())
    assert len(rows) == len(data["decisions"]) == len(by_gnubg.decisions)
    lost = sum(row["lost"] or 0 for row in rows if row["player"] == 0)
    assert lost == pytest.approx(by_gnubg.players[0].lost, abs=1e-4)
    assert data["players"][1]["name"] == "Plover"
    frame = by_gnubg.to_pandas()
    assert list(frame.columns) == list(rows[0]) and len(frame) == len(rows)


@pytest.mark.parametrize("lang", ["en", "ru", "uk"])
def test_text(by_gnubg, lang):
    text = by_gnubg.text(lang, errors=3)
    assert "52.67" in text and "28.52" in text and "-57.74%" in text
    assert len(text.splitlines()[-3:]) == 3 and "16/9" in text
