"""Records built action by action."""
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
