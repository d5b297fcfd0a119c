"""The twins themselves: against the perft tables and against positions worked out by hand."""

import random
from pathlib import Path

import pytest
from perft import tables
from sides import side as counts
from twin import backgammon, long_nardy, long_nardy_positions
from twin.long_nardy import Options, parse, text

SLOW = 60_000  # the twin counts about 100 000 results a second
GOLDEN = Path(__file__).parent / "golden" / "long_nardy_first_turns.txt"


def own(position, side):
    counts = long_nardy.counts(position, side)
    return {point: n for point, n in enumerate(counts) if n}


@pytest.mark.parametrize(
    "row",
    tables.load("backgammon") + tables.load("long_nardy"),
    ids=lambda row: f"{row.game} {row.name} {row.option_text}",
)
def test_perft_tables(row):
    twin = tables.twin_of(row.game)
    assert len(row.counts) >= 2
    for depth, count in enumerate(row.counts, 1):
        if count <= SLOW:
            assert twin.perft(row.position, depth, row.options) == count
    found = tuple(len(twin.results(row.position, *roll, row.options)) for roll in twin.ROLLS)
    assert found == row.per_roll and sum(found) == row.counts[0]
    assert (
        tuple(twin.dice_played(row.position, *roll, row.options) for roll in twin.ROLLS) == row.dice
    )


def test_opening_with_the_drawn_dice():
    """Without doubles in the first turn; the second player throws anything."""
    rolls = [(a, b) for a, b in long_nardy.ROLLS if a != b]
    found = [long_nardy.perft(long_nardy.start(), depth, rolls=rolls) for depth in (1, 2, 3)]
    assert found == [15, 330, 22228]


# First turns of long nardy


def first_turns():
    """Lines "first|second ; the other side's checkers ; roll ; exception ; own points of the
    checkers that left the head, by alternatives ; dice played"."""
    for line in GOLDEN.read_text().splitlines():
        if line and not line.startswith("#"):
            who, other, roll, exception, points, dice = (part.strip() for part in line.split(";"))
            yield who, other, tuple(map(int, roll.split("-"))), exception, points, int(dice)


def off_head(position, side):
    return tuple(
        sorted(
            (point for point, n in own(position, side).items() for _ in range(n) if point != 24),
            reverse=True,
        )
    )


@pytest.mark.parametrize("who, other, roll, exception, points, dice", list(first_turns()))
def test_first_turns(who, other, roll, exception, points, dice):
    options = Options(head_exception=exception)
    left = [int(n) for n in other.split(",") if n != "-"]
    others = ",".join(
        [f"24:{15 - len(left)}"] + [f"{n}:{left.count(n)}" for n in sorted(set(left), reverse=True)]
    )
    for side in (0, 1):  # the rules are the same for both colours
        names = ("w=24:15 b=" + others, "w=" + others + " b=24:15")
        position = parse(f"{names[side]} turn={'wb'[side]}")
        found = {off_head(result, side) for result in long_nardy.results(position, *roll, options)}
        assert found == {tuple(map(int, one.split(","))) for one in points.split("or")}
        assert long_nardy.dice_played(position, *roll, options) == dice


def test_first_turn_table_is_complete():
    """Every roll of the first player, and every roll of the second against each of his results;
    outside the listed exceptions the second player's turn is the first player's."""
    golden = list(first_turns())
    first = {roll: (points, dice) for who, _, roll, _, points, dice in golden if who == "first"}
    assert len(first) == 21
    listed = {
        (other, roll, exception) for who, other, roll, exception, _, _ in golden if who == "second"
    }
    for exception in ("fixed_346", "blocked", "head_only"):
        options = Options(head_exception=exception)
        different = set()
        for roll in long_nardy.ROLLS:
            for reply_to in long_nardy.results(long_nardy.start(), *roll, options):
                other = ",".join(map(str, off_head(reply_to, 0)))
                position = long_nardy.swap(reply_to)
                for reply in long_nardy.ROLLS:
                    found = {
                        off_head(result, 1)
                        for result in long_nardy.results(position, *reply, options)
                    }
                    free = {
                        off_head(result, 0)
                        for result in long_nardy.results(long_nardy.start(), *reply, options)
                    }
                    assert long_nardy.dice_played(position, *reply, options) > 0
                    if found != free:
                        different.add((other, (reply[1], reply[0]), exception))
        assert different == {key for key in listed if key[2] == exception}


# Walls, the head, bearing off: why steps are refused

WALL = "w=24:9,21:1,18:1,17:1,16:1,15:1,14:1 b=24:10,22:1,20:1,19:1,18:1,17:1 turn=w"


@pytest.mark.parametrize(
    "position, dice, play, reason",
    [
        ("w=24:15 b=24:15 turn=w", (6, 5), [(24, 6), (24, 5)], "head"),
        ("w=24:15 b=24:15 turn=w", (3, 3), [(24, 3), (24, 3), (24, 3)], "head"),
        ("w=24:15 b=24:15 turn=w", (6, 6), [(24, 6), (18, 6)], "occupied"),  # the other head
        ("w=24:15 b=24:15 turn=w", (6, 5), [(24, 6), (12, 5)], "no checker"),
        ("w=24:15 b=24:15 turn=w", (6, 5), [(24, 6), (18, 6)], "die not rolled"),
        ("w=24:15 b=24:15 turn=w", (6, 5), [(24, 6)], "more dice can be played"),
        ("w=24:15 b=24:15 turn=w", (6, 5), [(24, 5), (19, 6)], None),
        ("w=4:1,24:14 b=24:15 turn=b", (6, 2), [(24, 2)], "larger die"),
        ("w=4:1,24:14 b=24:15 turn=b", (6, 2), [(24, 6)], None),
        (WALL, (5, 1), [(24, 5)], "wall"),  # 19 to 14
        ("w=6:3,2:1 b=24:15 turn=w", (5, 1), [(2, 5)], "overpay"),
        ("w=7:1,6:3 b=24:15 turn=w", (6, 5), [(6, 6)], "not all home"),
        ("w=7:1,6:3 b=24:15 turn=w", (6, 5), [(7, 5), (6, 6)], None),
    ],
)
def test_reasons(position, dice, play, reason):
    assert long_nardy.explain(parse(position), *dice, play) == reason


def test_bearing_off_from_the_next_turn():
    position = parse("w=7:1,6:3 b=24:15 turn=w")
    options = Options(bearoff_from="next_turn")
    assert long_nardy.explain(position, 6, 5, [(7, 5), (6, 6)], options) == "not all home"


def test_forced_bearing_off():
    position = parse("w=6:2,3:2 b=6:15 turn=w")
    forced = Options(bearoff_forced=True)
    assert long_nardy.explain(position, 3, 1, [(6, 3), (6, 1)], forced) == "bear-off forced"
    assert long_nardy.explain(position, 3, 1, [(6, 3), (6, 1)]) is None
    assert long_nardy.explain(position, 3, 1, [(3, 3), (6, 1)], forced) is None


def completed(white, black, source, die, **options):
    """Is White's step refused because of a wall?"""
    position = parse(f"w={white} b={black} turn=w")
    for roll in ((die, other) for other in range(1, 7)):
        if long_nardy.explain(position, *roll, [(source, die)], Options(**options)) == "wall":
            return True
    return False


def test_wall_geometry():
    five = "17:1,16:1,15:1,14:1,13:1,20:1,24:9"  # White 18 completes 18 .. 13, Black 6 .. 1
    assert completed(five, "24:15", 20, 2)
    # A wall on the whole home of the other side: nobody can be ahead of it.
    assert completed(five, "24:8,11:7", 20, 2)
    # One point back, with a checker on Black 1 ahead of Black 2 .. 7.
    back = "18:1,17:1,16:1,15:1,14:1,24:9,20:1"
    assert completed(back, "24:15", 20, 1)
    assert not completed(back, "24:14,1:1", 20, 1)
    assert completed(back, "24:14,9:1", 20, 1)  # behind it
    # Ahead is along the other side's path: White 24 .. 21 with 2, 1 is Black 12 .. 9 and 14, 13.
    straddle = "24:9,23:1,22:1,21:1,8:1,1:1"
    assert completed(straddle, "24:15", 8, 6)
    assert not completed(straddle, "24:14,8:1", 8, 6)
    assert completed(straddle, "24:14,15:1", 8, 6)
    # Six in a row over the other side's own exit and head (Black 3 .. 1 and 24 .. 22) is no wall.
    ring = "15:1,14:1,13:1,11:1,10:1,18:5,16:5"
    assert long_nardy.walls(parse("w=15:1,14:1,13:1,12:1,11:1,10:9 b=20:15")[0], 0) == []
    assert not completed(ring, "20:15", 18, 6)


def test_wall_rules():
    back = "18:1,17:1,16:1,15:1,14:1,24:9,20:1"
    ahead = "24:14,1:1"
    low = "13:1,12:1,11:1,10:1,9:1,15:1,24:9"  # 14 completes Black 2 and 1, 24 ..: no wall
    assert completed(back, ahead, 20, 1, wall_rule="never")
    assert not completed(back, "24:15", 20, 1, wall_rule="free")
    assert not completed(back, ahead, 20, 1, wall_rule="enemy_home")
    assert not completed(low, "20:15", 15, 1, wall_rule="never")
    # Ahead of the wall, yet not in the home: White 9 .. 4 is Black 21 .. 16, Black waits on 10.
    far = "9:1,8:1,6:1,5:1,4:1,12:1,24:9"
    assert not completed(far, "23:14,10:1", 12, 5)
    assert completed(far, "23:14,10:1", 12, 5, wall_rule="enemy_home")
    assert not completed(far, "23:14,6:1", 12, 5, wall_rule="enemy_home")
    # A wall that leaves the enemy a step somewhere, or none at all.
    assert not completed(far, "23:14,10:1", 12, 5, wall_rule="mobility")
    assert completed(far, "22:15", 12, 5, wall_rule="mobility")
    assert not completed(far, "23:15", 12, 5, wall_rule="mobility")


def test_wall_in_passing():
    """After each step the wall is refused; at the end of the turn only where it stands."""
    position = parse(
        "w=24:4,23:1,22:1,21:1,20:2,19:1,18:2,17:1,10:1,9:1 "
        "b=24:6,17:2,16:2,15:2,14:1,13:1,1:1 turn=b"
    )
    turn = Options(wall_check="turn")
    assert [long_nardy.dice_played(position, 6, 3, o) for o in (Options(), turn)] == [1, 2]
    assert [len(long_nardy.results(position, 6, 3, o)) for o in (Options(), turn)] == [2, 1]
    assert long_nardy.explain(position, 6, 3, [(24, 6), (18, 3)], turn) is None
    assert long_nardy.explain(position, 6, 3, [(24, 6), (18, 3)]) == "wall"


def test_a_wall_can_cost_the_whole_turn():
    """6-6: the only free point is the one that would complete a wall before all of Black."""
    position = parse("w=19:1,18:6,17:2,16:2,15:2,14:2 b=24:7,23:2,22:2,21:2,20:2 turn=w")
    assert long_nardy.results(position, 6, 6) == {position}
    assert long_nardy.explain(position, 6, 6, [(19, 6)]) == "wall"
    assert long_nardy.dice_played(position, 6, 6, Options(wall_rule="free")) == 3


# Streams of positions


def test_the_streams_meet_the_rules_of_long_nardy():
    counts = dict.fromkeys(["wall", "wall check", "head", "larger die", "pass", "bear-off"], 0)
    for source in long_nardy_positions.SOURCES:
        rng = random.Random(f"long {source}")
        for position, (d1, d2) in long_nardy_positions.sample(source, rng, 120):
            assert parse(text(position)) == position
            assert min(position[1]) >= 0
            results = long_nardy.results(position, d1, d2)
            counts["pass"] += long_nardy.dice_played(position, d1, d2) == 0
            for name, options in (
                ("wall", Options(wall_rule="free")),
                ("wall check", Options(wall_check="turn")),
                ("head", Options(head_limit=None)),
                ("larger die", Options(larger_die=False)),
                ("bear-off", Options(bearoff_from="next_turn")),
            ):
                counts[name] += results != long_nardy.results(position, d1, d2, options)
    assert min(counts.values()) >= 1, counts


# The end of a game


@pytest.mark.parametrize(
    "loser, category",
    [
        ("24:1,6:13", "oin"),  # one off comes first, wherever the others are
        ("24:1,6:14", "koks"),
        ("19:1,6:14", "koks"),
        ("6:15", "home mars"),
        ("1:15", "home mars"),
        ("18:1,6:14", "mars"),
        ("7:1,6:14", "mars"),
        ("24:15", "koks"),
    ],
)
def test_categories_and_points(loser, category):
    kind = long_nardy.CATEGORIES.index(category)
    for side, position in enumerate((f"w= b={loser}", f"w={loser} b=")):
        position = parse(position)
        assert long_nardy.outcome(position) == (side, kind)
        sign = long_nardy.SIGN[side]
        assert (
            long_nardy.points(position)
            == sign * [1, 2, 4, 3][["oin", "mars", "home mars", "koks"].index(category)]
        )
        assert long_nardy.points(position, "federation") == sign * (1 if category == "oin" else 2)
        assert long_nardy.points(position, (10, 20, 30, 40)) == sign * (10, 20, 30, 40)[kind]
        # Resigning in a position costs what losing in it would.
        assert long_nardy.resignation(position, 1 - side) == abs(long_nardy.points(position))
        assert long_nardy.resignation(position, 1 - side, resign=2) == 2


def test_resigning_at_the_start():
    assert long_nardy.resignation(long_nardy.start(), 0) == 3
    assert long_nardy.resignation(long_nardy.start(), 1, resign="single_if_off_else_mars") == 2


def test_last_roll():
    finished = parse("w= b=2:1 turn=b")
    assert long_nardy.last_roll_due(finished, 0, "equalize")
    assert not long_nardy.last_roll_due(finished, 1, "equalize")
    assert not long_nardy.last_roll_due(finished, 0, "none")
    assert long_nardy.points(parse("w= b="), last_roll="equalize") == 0


# Short nardy by hand


def test_opening_3_1():
    results = backgammon.results(backgammon.start(), 3, 1)
    assert len(results) == 16
    assert (counts(p24=2, p13=5, p8=2, p6=4, p5=2), backgammon.start()[1]) in results


def test_the_hitter_stays_in():
    """Two checkers on 4 and 2 after the hit on 2: with the option only the other one goes off."""
    position = counts(off=12, p4=2, p1=1), counts(p23=1, p6=14)
    option = backgammon.Options(no_hit_and_off=True)
    hit_and_off = [(4, 2), (2, 2), (4, 2), (2, 2)]
    with pytest.raises(ValueError, match="2 with a 2"):
        backgammon.replay(position, hit_and_off, option)
    assert backgammon.replay(position, hit_and_off)[0] == counts(off=14, p1=1)
    # The second checker that comes to 2 did not hit: one of the two may go.
    second = [(4, 2), (4, 2), (2, 2)]
    assert backgammon.replay(position, second, option)[0] == counts(off=13, p2=1, p1=1)
    with pytest.raises(ValueError, match="2 with a 2"):
        backgammon.replay(position, [*second, (2, 2)], option)


def test_gnu_ids():
    assert backgammon.from_gnu_id("4HPwATDgc/ABMA") == backgammon.start()
    for row in tables.load("backgammon"):
        assert backgammon.to_gnu_id(row.position) == row.position_text
