"""Match equity tables: published numbers, continuation, files, conversions."""

import csv
import itertools
import random
from pathlib import Path

import pytest

from nardy_core import match
from nardy_core.match import MatchEquity

GOLDEN = Path(__file__).parent / "golden"


def rows(name):
    lines = (GOLDEN / name).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@pytest.mark.parametrize("row", rows("met.csv"), ids=lambda row: row["met"])
def test_published_numbers(row):
    table = MatchEquity.open(row.pop("met"))
    for score, chance in row.items():
        if score.startswith("p"):
            found = table.mwc(int(score[1:]), 1, post_crawford=True)
        else:
            found = table.mwc(*map(int, score.split(",")))
        digits = len(chance.partition(".")[2])
        assert round(100 * found, digits) == float(chance), score


@pytest.mark.parametrize("row", rows("take_points.csv"), ids=lambda r: r["taker"] + r["doubler"])
def test_dead_take_points(row):
    found = MatchEquity.open().take_points(int(row["taker"]), int(row["doubler"]))
    assert 100 * found["dead"] == pytest.approx(float(row["take"]), abs=0.0051)
    assert found["live"] <= found["dead"] + 1e-9


def test_live_take_points_are_exact():
    """Two away each the cube at 2 is dead. Four away each own may turn it to 4 for the match, which
    opp passes from own's chance after 2 points on: that times the dead take point is the live."""
    table = MatchEquity.open()
    found = table.take_points(2, 2)
    assert found["live"] == pytest.approx(found["dead"], abs=1e-14)
    found = table.take_points(4, 4)
    assert found["live"] == pytest.approx(found["dead"] * table.mwc(2, 4), abs=1e-14)


@pytest.mark.parametrize("name", match.NAMES)
def test_consistent_to_64(name):
    table = MatchEquity.open(name)
    other = table.swap()
    assert table.symmetric and table.source
    for a, b in itertools.product(range(1, 65), repeat=2):
        chance = table.mwc(a, b)
        assert chance + table.mwc(b, a) == pytest.approx(1, abs=1e-12)
        assert chance <= table.mwc(a - 1, b)  # one point fewer to go is never worse
        assert chance == pytest.approx(other.mwc(a, b), abs=1e-12)
    for n in range(2, 65):
        trailer = table.mwc(n, 1, post_crawford=True)
        assert 0 < trailer <= table.mwc(n - 1, 1, post_crawford=True)
        assert table.mwc(1, n, post_crawford=True) == 1 - trailer
    assert table.mwc(0, 5) == 1 and table.mwc(5, 0) == 0


def test_continuation_repeats_what_was_published():
    """A table cut to 12 points continues to within a third of a per cent of its own next ones."""
    whole = MatchEquity.open()
    text = ["before"]
    text += [",".join(repr(whole.mwc(a, b)) for b in range(1, 13)) for a in range(1, 13)]
    text += ["after", ",".join(repr(whole.mwc(n, 1, post_crawford=True)) for n in range(1, 13))]
    cut = MatchEquity.read("\n".join(text))
    assert cut.length == 12
    for a, b in itertools.product(range(1, 26), repeat=2):
        assert cut.mwc(a, b) == pytest.approx(whole.mwc(a, b), abs=0.0035)


def test_equity_and_chance_both_ways():
    table = MatchEquity.open()
    for a, b, cube in itertools.product((1, 2, 5, 9), (1, 3, 8), (1, 2, 4)):
        crawford = "now" if 1 in (a, b) and cube == 1 else "over" if 1 in (a, b) else "before"
        stakes = table.stakes(a, b, crawford=crawford)
        assert stakes.equity(cube, stakes.value(cube)) == pytest.approx(1)
        assert stakes.equity(cube, stakes.value(-cube)) == pytest.approx(-1)
        mwc = table.mwc_of_emg(0.3, a, b, cube=cube, crawford=crawford)
        assert table.emg(mwc, a, b, cube=cube, crawford=crawford) == pytest.approx(0.3)


def test_value_of_a_game_by_the_score():
    """Pre-Crawford, into the Crawford game, out of it, and over the end of the match."""
    table = MatchEquity.open()
    before = table.stakes(4, 3)
    assert before.value(1) == table.mwc(3, 3)
    assert before.value(-2) == table.mwc(4, 1)
    assert before.value(4) == before.value(100) == 1 and before.value(-3) == 0
    now = table.stakes(4, 1, crawford="now")
    assert now.value(2) == table.mwc(2, 1, post_crawford=True)
    over = table.stakes(1, 6, crawford="over")
    assert over.value(-4) == table.mwc(1, 2, post_crawford=True)


def test_gammon_values():
    table = MatchEquity.open()
    values = table.gammon_values(3, 5, cube=2)
    e = table.mwc
    swing = e(1, 5) - e(3, 3)
    assert values["win_gammon"] == pytest.approx((1 - e(1, 5)) / swing)
    assert values["lose_gammon"] == pytest.approx((e(3, 3) - e(3, 1)) / swing)
    assert values["lose_backgammon"] == pytest.approx(e(3, 3) / swing)
    # At double match point a gammon is worth nothing.
    assert table.gammon_values(1, 1, crawford="over")["win_gammon"] == 0


def xml(before, after, *, kind="explicit", player="both"):
    cells = "".join(
        "<row>" + "".join(f"<me>{value}</me>" for value in row) + "</row>" for row in before
    )
    ends = "".join(f"<me> {value}\n</me>" for value in after)
    return (
        '<?xml version = "1.0"?>\n<!DOCTYPE met PUBLIC "-//X//Y//EN" "met.dtd">\n<met><info>'
        "<name>Sample &amp; Co</name><description>by nobody</description></info>"
        f'<pre-crawford-table type="{kind}">{cells}</pre-crawford-table>'
        f'<post-crawford-table player="{player}"><row>{ends}</row></post-crawford-table></met>'
    )


SAMPLE = ([[0.5, 0.7, 0.8], [0.3, 0.5, 0.61], [0.2, 0.39, 0.5]], [0.5, 0.49, 0.32])


def test_gnubg_xml(tmp_path):
    path = tmp_path / "sample.xml"
    path.write_text(xml(*SAMPLE))
    table = MatchEquity.open(path)
    assert (table.name, table.source, table.length) == ("Sample & Co", "by nobody", 3)
    assert table.symmetric and table.mwc(2, 3) == 0.61
    assert table.mwc(3, 1, post_crawford=True) == 0.32
    skewed = MatchEquity.read(xml([[0.6, 0.8], [0.4, 0.6]], [0.5, 0.4]))
    assert not skewed.symmetric
    assert skewed.swap().mwc(1, 2) == 1 - skewed.mwc(2, 1) == 0.6


def test_a_skewed_table_with_both_players_rows():
    text = xml([[0.6, 0.8], [0.4, 0.6]], [0.6, 0.45], player="0").replace(
        "</met>",
        '<post-crawford-table player="1"><row><me>.4</me><me>.3</me></row>'
        "</post-crawford-table></met>",
    )
    table = MatchEquity.read(text)
    assert table.mwc(2, 1, post_crawford=True) == 0.45
    assert table.mwc(1, 2, post_crawford=True) == 0.7


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<met>", "not XML"),
        ("<nonsense/>", "not a match equity table"),
        (xml(*SAMPLE, kind="zadeh"), "zadeh.*computed"),
        (xml(*SAMPLE, kind="mec"), "mec.*computed"),
        (xml(*SAMPLE, player="7"), "player '7'"),
        (xml([[0.5, 0.7], [0.3]], [0.5, 0.4]), "2 pre-Crawford rows"),
        (xml([[0.5]], [0.5, 0.4]), "1 pre-Crawford rows"),
        (xml([[0.5, 1.7], [0.3, 0.5]], [0.5, 0.4]), "1.7 is not a chance"),
        (xml([[0.5, "nan"], [0.3, 0.5]], [0.5, 0.4]), "nan is not a chance"),
        (xml([[0.5, "x"], [0.3, 0.5]], [0.5, 0.4]), "'x' is not a number"),
        (xml([[0.5, 0.4], [0.3, 0.5]], [0.5, 0.4]), "range"),  # worse against a longer way
        (xml([[0.5, 0.7], [0.3, 0.5]], []), "no post-Crawford row|fewer than two"),
        (xml(*SAMPLE).replace("<met>", "<!ENTITY a 'b'><met>"), "entities"),
        ("before\n1,2\n", "not a chance|pre-Crawford"),
        ("", "no post-Crawford row"),
        ("\0\1\2", "no post-Crawford row"),
    ],
)
def test_junk_is_refused_in_one_line(text, complaint):
    with pytest.raises(ValueError, match=complaint) as caught:
        MatchEquity.read(text, "sample")
    assert "\n" not in str(caught.value)


def test_damaged_files_are_refused_or_read():
    """Random damage: a table or one ValueError, nothing else."""
    rng = random.Random(5)
    whole = xml(*SAMPLE)
    outcomes = set()
    for _ in range(400):
        data = list(whole)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(20)] = rng.choice(["", "<", "9", "\0", "<row>", "0.5"])
        try:
            MatchEquity.read("".join(data))
            outcomes.add("read")
        except ValueError as error:
            assert "\n" not in str(error)
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_errors_of_arguments(tmp_path):
    for name in ("nobody", tmp_path / "none.xml"):
        with pytest.raises((ValueError, OSError)):
            MatchEquity.open(name)
    table = MatchEquity.open()
    for call in (
        lambda: table.mwc(65, 1),
        lambda: table.mwc(0, 0),
        lambda: table.stakes(0, 3),
        lambda: table.stakes(3, 4, crawford="now"),
        lambda: table.stakes(3, 1, crawford="later"),
        lambda: table.take_points(3, 3, win_gammons=2),
    ):
        with pytest.raises(ValueError):
            call()
