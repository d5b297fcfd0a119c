"""Look-ahead with the cube in play by plain recursion over positions: slow, obvious, every play of
every roll looked at. Only the values at its leaves, `leaf`, come from elsewhere."""

import itertools

ROLLS = list(itertools.combinations_with_replacement(range(1, 7), 2))


def other(position, value):
    """A value of the other side."""
    return 1 - value if position.match_length else -value


def finished(position, stakes):
    """Value of a finished game to the side on roll: it has lost, or has just won."""
    won = not any(position.own[1:])
    left = position.opp if won else position.own
    points = 1
    if not left[0]:
        far = any(left[19:26])  # backgammon: home or bar of the winner; long nardy: start quarter
        points = 3 if far else 2
        if position.game == "long_nardy" and not any(left[7:]):
            points = 4
    if stakes["jacoby"] and position.cube_owner == "centre":
        points = 1
    return stakes["value"](position, (points if won else -points) * position.cube)


def rolled(position, plies, stakes, leaf):
    """What rolling now is worth to the side on roll."""
    if position.finished:
        return finished(position, stakes)
    if plies == 0:
        return leaf(position)
    total = 0.0
    for roll in ROLLS:
        best = max(other(position, decided(play.result, plies - 1, stakes, leaf))
                   for play in position.legal_plays(roll))
        total += best if roll[0] == roll[1] else 2 * best
    return total / 36


def lines(position, plies, stakes, leaf):
    """Values by name of what the side on roll may do before it rolls."""
    cube = position.cube
    found = {"no_double": rolled(position, plies, stakes, leaf)}
    if position.cube_owner == "opp" or position.crawford or 2 * cube > stakes["max_cube"]:
        return found

    def turned(times):
        there = position.with_(cube=cube * 2**times, cube_owner="opp")
        return rolled(there, plies, stakes, leaf)

    found["pass"] = stakes["value"](position, cube)
    found["take"] = turned(1)
    if stakes["beavers"] >= 1 and 4 * cube <= stakes["max_cube"]:
        found["beaver"], found["beaver_pass"] = turned(2), stakes["value"](position, -2 * cube)
        if stakes["beavers"] >= 2 and 8 * cube <= stakes["max_cube"]:
            found["raccoon"] = turned(3)
            found["raccoon_pass"] = stakes["value"](position, 4 * cube)
    return found


def decided(position, plies, stakes, leaf):
    """Value to the side on roll when both sides do the best with the cube before it rolls."""
    if position.finished:
        return finished(position, stakes)
    found = lines(position, plies, stakes, leaf)
    if "take" not in found:
        return found["no_double"]
    answers = [found["take"], found["pass"]]
    if "beaver" in found:
        beavered = [found["beaver"], found["beaver_pass"]]
        if "raccoon" in found:
            beavered.append(min(found["raccoon"], found["raccoon_pass"]))
        answers.append(max(beavered))
    return max(found["no_double"], min(answers))
