"""Records built action by action."""
import pytest

from nardy_core import Position
from nardy_core.recorder import Recorder


def test_a_play_after_a_beaver_says_that_it_was_taken():
    for raccoon in (False, True):
        recorder = Recorder(Position.start(turn=0))
        recorder.double(0)
        recorder.double(1)
        if raccoon:
            recorder.double(0)
        recorder.play(0, (3, 1), [(8, 5, False), (6, 5, False)])
        kinds = [action.kind for action in recorder.actions]
        assert kinds == ["double", "beaver", *["raccoon"] * raccoon, "take", "play"]
        assert [a.player for a in recorder.actions if a.kind == "take"] == [int(raccoon)]
        owner = "opp" if raccoon else "own"  # of the side now on roll: player 1
        assert recorder.position.cube == (8 if raccoon else 4)
        assert recorder.position.cube_owner == {"opp": "own", "own": "own"}[owner]


@pytest.mark.parametrize(("fields", "points"), [
    ({"jacoby": False}, 4), ({}, 1), ({"rules": {"scoring": (2, 3, 4, 5)}}, 2),
    ({"cube": 4, "cube_owner": "opp"}, 16),
    ({"cube": 4, "cube_owner": "opp", "rules": {"stake_cap": 10}}, 10),
    ({"cube": 4, "cube_owner": "opp", "rules": {"stake_cap": 10}, "match_length": 99}, 16),
    ({"cube": 2, "rules": {"automatic_doubles": 1}}, 2),
], ids=str)
def test_home_mars_counts_single_until_somebody_has_doubled(fields, points):
    """Jacoby's rule in long nardy: an automatic double is nobody's. And no game of a session pays
    more than its cap."""
    recorder = Recorder(Position.parse("w=2:1 b=6:15 turn=w jacoby=on cube=on").with_(**fields))
    recorder.play(1, (3, 2), [(2, 0, False)])
    game = recorder.finish()
    assert (game.winner, game.points, game.how) == (1, points, "played out")


def test_who_resigned_has_lost():
    recorder = Recorder(Position.start(turn=1))
    recorder.play(1, (3, 1), [(8, 5, False), (6, 5, False)])
    recorder.resign(0, 2)
    game = recorder.finish()
    assert (game.winner, game.points, game.how) == (1, 2, "resignation")
