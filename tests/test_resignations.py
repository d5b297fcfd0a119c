"""Resignations: what was given up against what the position was worth, by hand and by tables."""

import dataclasses

import pytest

from nardy_core import Engine, formats
from nardy_core.counts import fill
from nardy_core.match import MatchEquity
from nardy_core.match_analysis import analyse_match, judge
from nardy_core.match_record import Action, GameRecord, MatchRecord
from nardy_core.position import Position


@pytest.fixture(scope="module")
def engine():
    return Engine(threads=1)


def match_of(start, *actions, points, length=0, score=(0, 0)):
    """A match of one game that ends with the last of the actions, a resignation."""
    loser = actions[-1].player
    game = GameRecord(start=start, actions=actions, winner=1 - loser, points=points,
                      how="resignation")
    return MatchRecord(players=("Heron", "Plover"), length=length, games=(game,))


def resigns(player, points=1, **analysis):
    return Action(kind="resign", player=player, points=points,
                  analysis={"resign": analysis, "program": "hand"} if analysis else None)


@pytest.mark.parametrize(("points", "play_on", "lost", "accepted"), [
    (1, -0.4, 0.6, 0.0), (1, -1.0, 0.0, 0.0), (1, -1.6, 0.0, 0.6),
    (2, -1.6, 0.4, 0.0), (3, 1.0, 4.0, 0.0)])
def test_money_by_hand(points, play_on, lost, accepted):
    for resigner in (0, 1):
        start = Position.start(turn=0)  # one resigns on roll, one is waiting
        record = match_of(start, resigns(resigner, points, play_on=play_on), points=points)
        first, second = judge(record)
        assert (first.kind, first.player, first.equity) == ("resign", resigner, -points)
        assert (second.kind, second.player, second.equity) == ("accept", 1 - resigner, points)
        assert (first.lost, second.lost) == pytest.approx((lost, accepted))
        assert (first.cost, second.cost) == pytest.approx((lost, accepted))
        assert first.best == ("play_on" if lost else "resign")
        assert second.best == ("play_on" if accepted else "accept")
        assert first.fault == ("resigned too much" if lost else "")
        assert second.fault == ("accepted too little" if accepted else "")
        assert first.worth == -points and first.trivial and not first.is_cube


def test_the_cube_multiplies_what_is_given_up():
    start = Position.start(turn=0, jacoby=False).with_(cube=4, cube_owner="own")
    first, _ = judge(match_of(start, resigns(1, 2, play_on=-1.5), points=8))
    assert first.equity == -2 and first.lost == 0.5  # in units of the cube
    assert first.cost == pytest.approx(2.0) and first.worth == -8


def test_what_a_file_says_was_lost():
    first, second = judge(match_of(Position.start(turn=0), resigns(0, 1, lost=-0.25), points=1))
    assert (first.lost, second.lost) == (0, 0.25)


def test_a_match_by_its_equity_table():
    """At 3-2 to 5 a gammon resigned loses the match to the side that needs two points."""
    table = MatchEquity.open()
    start = Position.start(turn=0, match_length=5, score_own=2, score_opp=3)
    record = match_of(start, resigns(0, 2, play_on=0.0), points=2, length=5)
    first, second = judge(record)
    assert first.worth == pytest.approx(0.0) and second.worth == pytest.approx(1.0)
    won, lost = table.mwc(2, 2), table.mwc(3, 1)
    even = (won + lost) / 2  # where an equity of 0 lies, by definition
    assert first.cost == pytest.approx(even) and second.lost == 0
    assert first.lost == pytest.approx(even / ((won - lost) / 2))


def test_no_rating_counts_them():
    start = Position.start(turn=0)
    play = Action(kind="play", player=0, dice=(3, 1), steps=((8, 5, False), (6, 5, False)))
    plain = match_of(start, play, resigns(1, 1, play_on=0.9), points=1)
    found = analyse_match(plain, level="file")
    assert [d.kind for d in found.decisions][-2:] == ["resign", "accept"]
    for player, wrong in ((0, 0.0), (1, 1.9)):
        tally = found.players[player]
        assert tally.resignations.count == 1
        assert tally.resignations.lost == pytest.approx(wrong)
        assert tally.lost == tally.cost == 0 and not any(s.count for s in tally.sizes.values())
        assert tally.ratings["pr"].lost == 0 and tally.ratings["gnubg"].decisions == 0
        assert tally.faults["resigned too much"].count == (player == 1)
    assert found.errors() == []
    (wrong,) = found.resignations()
    assert wrong.player == 1 and wrong.lost == pytest.approx(1.9)
    assert "resigned too much" in found.text() and "Resignations" in found.text()


def bear_off(own, opp, **options):
    """Money without a cube: `own` is on roll, player 0."""
    sides = [fill(side, 15) for side in (own, opp)]
    return Position("backgammon", *sides, turn=0, jacoby=False, max_cube=1, **options)


def judged_by(engine, *args, **options):
    record = match_of(*args, **options)
    record = dataclasses.replace(record, max_cube=1, jacoby=False)
    found = analyse_match(record, level=0, engine=engine, cache=False)
    return [d for d in found.decisions if d.is_resignation]


def test_the_engine_by_tables(engine):
    """Two checkers on the six-point against one on the ace-point: four rolls of 36 bear both off,
    and nobody has a gammon to lose."""
    start = bear_off({6: 2}, {1: 1})
    first, second = judged_by(engine, start, resigns(0), points=1)
    wins = 4 / 36  # 3-3, 4-4, 5-5 and 6-6
    assert first.best_equity == pytest.approx(2 * wins - 1, abs=1e-4)
    assert first.lost == pytest.approx(2 * wins, abs=1e-4) and second.lost == 0
    # The side that waits resigns, which loses to those rolls alone.
    first, second = judged_by(engine, start, resigns(1), points=1)
    assert first.best_equity == pytest.approx(1 - 2 * wins, abs=1e-4)


def test_a_throw_that_was_not_played_counts(engine):
    start = bear_off({6: 2}, {1: 1})
    for dice, worth in (((2, 1), -1.0), ((6, 6), 1.0)):
        throw = Action(kind="roll", player=0, dice=dice)
        for resigner, sign in ((0, 1), (1, -1)):
            first, _ = judged_by(engine, start, throw, resigns(resigner), points=1)
            assert first.position.dice == dice
            assert first.best_equity == pytest.approx(max(-1.0, sign * worth), abs=1e-4)
            assert first.lost == pytest.approx(max(0.0, sign * worth + 1), abs=1e-4)


def test_without_points_nothing_is_judged(engine):
    record = match_of(bear_off({6: 2}, {1: 1}), resigns(0, 0), points=1)
    found = analyse_match(dataclasses.replace(record, max_cube=1, jacoby=False), level=0,
                          engine=engine, cache=False)
    assert [d.reason for d in found.decisions if d.is_resignation] == ["not analysed"] * 2
    assert found.resignations()[0].lost is None
    assert [t.unjudged for t in found.players] == [0, 0]


def test_costly_ones_are_looked_at_closer(engine):
    from nardy_core.match_analysis.levels import Level

    record = match_of(Position.start(turn=0), resigns(0), points=1)
    for costly, level in ((0.5, "1-ply"), (1.5, "0-ply")):
        found = analyse_match(record, level=Level("two", 0, 1, costly=costly), engine=engine,
                              cache=False)
        assert found.decisions[0].level == level and 0.8 < found.decisions[0].lost < 1.2


def test_they_are_kept_in_files(engine):
    """In JSON whole, in .ogxm as the two errors; what has no place for them says so."""
    record = match_of(Position.start(turn=0), Action(
        kind="play", player=0, dice=(3, 1), steps=((8, 5, False), (6, 5, False))),
        resigns(1), points=1)
    found = analyse_match(record, level=0, engine=engine, cache=False)
    told = found.annotated()
    assert told.games[0].actions[-1].analysis["resign"]["plies"] == 0
    assert formats.read(formats.dumps(told, "json")) == told
    assert "the analysis of 1 actions" in " ".join(formats.dropped(told, "sgf"))
    pytest.importorskip("gvformat")
    back = analyse_match(formats.read(formats.dumps(told, "ogxm")), level="file")
    ours, theirs = ([d for d in f.decisions if d.is_resignation] for f in (found, back))
    assert [d.lost for d in theirs] == pytest.approx([d.lost for d in ours], abs=2e-4)


@pytest.mark.parametrize(("lang", "words"), [
    ("en", "resigned too much"), ("ru", "сдано слишком дорого"), ("uk", "здано задорого")])
def test_the_report_shows_wrong_ones(lang, words):
    """One with a board apart from the errors; a right one in the games alone."""
    start = Position.start(turn=0)
    wrong, right = (analyse_match(match_of(start, resigns(1, 1, play_on=worth), points=1),
                                  level="file").html(lang) for worth in (0.4, -1.0))
    assert words in wrong and 'id="r1"' in wrong and 'href="#r1"' in wrong
    assert "+0.400" in wrong and "-1.400" in wrong
    assert words not in right and 'id="r1"' not in right
