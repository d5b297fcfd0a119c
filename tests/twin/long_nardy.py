"""Long nardy, written a second time: slow, short and plain.

Nothing here is shared with the engine. There is one ring of 24 absolute points for both sides.
White walks 24, 23 .. 1, Black 12, 11 .. 1, 24, 23 .. 13; place i of a path is the player's own
point 24 - i. A position is (ring, off, turn): ring[p] is the number of checkers on absolute point p
(ring[0] unused), White's positive and Black's negative; off = (White's, Black's) borne off;
turn = 0 White, 1 Black. A step is (own source point, die); a play is a tuple of steps in order.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

PATHS = (tuple(range(24, 0, -1)), tuple(range(12, 0, -1)) + tuple(range(24, 12, -1)))
PLACE = tuple({point: place for place, point in enumerate(path)} for path in PATHS)
SIGN = (1, -1)
CHECKERS = 15
ROLLS = [(a, b) for a in range(1, 7) for b in range(a, 7)]  # 11 12 .. 16 22 .. 66

CATEGORIES = ["oin", "mars", "koks", "home mars"]
SCORING = {
    "pronardy": (1, 2, 3, 4),
    "federation": (1, 2, 2, 2),
    "masters": (1, 2, 2, 3),
}


@dataclass(frozen=True)
class Options:
    head_limit: int | None = 1
    head_exception: str = "fixed_346"  # blocked, head_only, any_double, none
    head_exception_scope: str = "each"  # starter
    second_player: bool = False  # the side to move did not start the game
    wall_rule: str = "ahead"  # enemy_home, never, free, mobility
    wall_check: str = "step"  # turn
    larger_die: bool = True
    bearoff_from: str = "same_turn"  # next_turn
    bearoff_forced: bool = False


DEFAULT = Options()


# Positions and their text: "w=24:14,4:1 b=24:15 turn=b", own points of each side.


def parse(text):
    ring, off = [0] * 25, [CHECKERS, CHECKERS]
    fields = dict(part.split("=") for part in text.split())
    for side, name in enumerate("wb"):
        for own, count in re.findall(r"(\d+):(\d+)", fields[name]):
            point = PATHS[side][24 - int(own)]
            if ring[point]:
                raise ValueError(f"absolute point {point} is given twice in {text!r}")
            ring[point] = SIGN[side] * int(count)
            off[side] -= int(count)
    if min(off) < 0:
        raise ValueError(f"more than 15 checkers in {text!r}")
    return tuple(ring), tuple(off), "wb".index(fields.get("turn", "w"))


def text(position):
    ring, _, turn = position
    sides = []
    for side, path in enumerate(PATHS):
        counts = [(24 - place, SIGN[side] * ring[point]) for place, point in enumerate(path)]
        sides.append(",".join(f"{own}:{n}" for own, n in counts if n > 0))
    return f"w={sides[0]} b={sides[1]} turn={'wb'[turn]}"


def start():
    return parse("w=24:15 b=24:15 turn=w")


def swap(position):
    ring, off, turn = position
    return ring, off, 1 - turn


def counts(position, side):
    """26 counts in the side's own numbers: [0] off, [1]..[24] points, [25] always 0."""
    ring, off, _ = position
    own = [off[side]] + [0] * 25
    for place, point in enumerate(PATHS[side]):
        own[24 - place] = max(0, SIGN[side] * ring[point])
    return own


def from_counts(mine, theirs, turn=0):
    """Inverse of `counts` for the side to move and the other one."""
    ring, off = [0] * 25, [0, 0]
    for side, own in ((turn, mine), (1 - turn, theirs)):
        off[side] = own[0]
        for place, point in enumerate(PATHS[side]):
            if own[24 - place]:
                ring[point] = SIGN[side] * own[24 - place]
    return tuple(ring), tuple(off), turn


# The head


def head_allowance(position, d1, d2, options):
    """How many checkers may leave the head in this turn."""
    ring, _, turn = position
    path, sign = PATHS[turn], SIGN[turn]
    if options.head_limit is None:
        return CHECKERS
    first_turn = ring[path[0]] == sign * CHECKERS
    if options.head_exception_scope == "starter":
        # Nobody passes his first turn: the second player finds the other head touched.
        other_head = ring[PATHS[1 - turn][0]] * -sign == CHECKERS
        first_turn = first_turn and other_head and not options.second_player
    if not first_turn or d1 != d2:
        return options.head_limit
    # How a lone checker running from the head with this double is stopped.
    stop = None
    for place in (d1, 2 * d1, 3 * d1, 4 * d1):
        if place >= 24:
            stop = "end"
        elif ring[path[place]] * sign < 0:
            stop = "head" if path[place] == PATHS[1 - turn][0] else "field"
        if stop:
            break
    extra = {
        "none": False,
        "any_double": True,
        "fixed_346": d1 in (3, 4, 6),
        "blocked": stop is not None,
        "head_only": d1 in (3, 4, 6) and stop == "head",
    }[options.head_exception]
    return options.head_limit + extra


# Walls


def walls(ring, side):
    """First places (on the opponent's path) of all runs of six points held by `side`."""
    held = [ring[point] * SIGN[side] > 0 for point in PATHS[1 - side]]
    return [i for i in range(19) if all(held[i : i + 6])]


def wall_allowed(position, first, side, rule):
    """May `side` have the wall on places first .. first + 5 of the opponent's path?"""
    ring, off, _ = position
    enemy, path = 1 - side, PATHS[1 - side]

    def enemy_from(place):
        return off[enemy] > 0 or any(ring[point] * SIGN[enemy] > 0 for point in path[place:])

    if rule == "free":
        return True
    if rule == "never":
        return False
    if rule == "ahead":
        return enemy_from(first + 6)
    if rule == "enemy_home":
        return enemy_from(18)
    if rule == "mobility":  # the enemy could step with some die, his own walls not asked
        free = Options(wall_rule="free")
        seen = ring, off, enemy
        return any(
            True
            for die in range(1, 7)
            for _ in steps((ring, off, 0), enemy, die, 1, all_home(seen), free)
        )
    raise ValueError(f"wall rule {rule!r}")


# Steps


def all_home(position):
    ring, _, turn = position
    return not any(ring[point] * SIGN[turn] > 0 for point in PATHS[turn][:18])


def refusal(state, turn, source, die, allowance, home_before, options):
    """Why the step is illegal, None if it is legal. A state is (ring, off, left the head)."""
    ring, off, left = state
    path, sign = PATHS[turn], SIGN[turn]
    place = 24 - source
    target = place + die
    if ring[path[place]] * sign <= 0:
        return "no checker"
    if place == 0 and left >= allowance:
        return "head"
    if target >= 24:
        if not all_home((ring, off, turn)):
            return "not all home"
        if options.bearoff_from == "next_turn" and not home_before:
            return "not all home"
        if target > 24 and any(ring[point] * sign > 0 for point in path[18:place]):
            return "overpay"
        return None
    if ring[path[target]] * sign < 0:
        return "occupied"
    if options.bearoff_forced and any(
        refusal(state, turn, n, die, allowance, home_before, options) is None
        for n in range(1, die + 1)
    ):
        return "bear-off forced"
    if options.wall_check == "step":
        after = moved(state, turn, source, die)
        seen = PLACE[1 - turn][path[target]]
        for first in walls(after[0], turn):
            if first <= seen <= first + 5 and not wall_allowed(
                (*after[:2], turn), first, turn, options.wall_rule
            ):
                return "wall"
    return None


def moved(state, turn, source, die):
    ring, off, left = list(state[0]), list(state[1]), state[2]
    place = 24 - source
    ring[PATHS[turn][place]] -= SIGN[turn]
    if place + die < 24:
        ring[PATHS[turn][place + die]] += SIGN[turn]
    else:
        off[turn] += 1
    return tuple(ring), tuple(off), left + (place == 0)


def steps(state, turn, die, allowance, home_before, options):
    """All legal single steps: (own source point, next state)."""
    for source in range(24, 0, -1):
        if refusal(state, turn, source, die, allowance, home_before, options) is None:
            yield source, moved(state, turn, source, die)


# Turns


def layers(position, order, allowance, options, with_steps):
    """What can be reached with the first 0, 1, 2 … dice of `order`, as sets of (steps, state)."""
    ring, off, turn = position
    home_before = all_home(position)
    layer = {((), (ring, off, 0))}
    found = [layer]
    for die in order:
        layer = {
            ((*played, (source, die)) if with_steps else (), after)
            for played, state in layer
            if state[1][turn] < CHECKERS
            for source, after in steps(state, turn, die, allowance, home_before, options)
        }
        found.append(layer)
    if options.wall_check == "turn":  # a play may end only where no new wall is illegal
        old = walls(ring, turn)
        found[1:] = [
            {
                (played, state)
                for played, state in layer
                if all(
                    first in old or wall_allowed((*state[:2], turn), first, turn, options.wall_rule)
                    for first in walls(state[0], turn)
                )
            }
            for layer in found[1:]
        ]
    return found


def legal(position, d1, d2, options=DEFAULT, with_steps=False):
    """(dice played, set of (steps, state)): as many dice as possible; of two dice of which only one
    can be played, the larger."""
    orders = [(d1,) * 4] if d1 == d2 else [(max(d1, d2), min(d1, d2)), (min(d1, d2), max(d1, d2))]
    allowance = head_allowance(position, d1, d2, options)
    found = [layers(position, order, allowance, options, with_steps) for order in orders]
    most = max(k for order in found for k, layer in enumerate(order) if layer)
    if most == 1 and options.larger_die:  # the order that starts with the larger die comes first
        return 1, next(order[1] for order in found if order[1])
    return most, set().union(*(order[most] for order in found))


@lru_cache(maxsize=1 << 15)
def results(position, d1, d2, options=DEFAULT):
    """Distinct positions after the roll, `turn` still the side that played."""
    turn = position[2]
    return frozenset((*state[:2], turn) for _, state in legal(position, d1, d2, options)[1])


def dice_played(position, d1, d2, options=DEFAULT):
    return legal(position, d1, d2, options)[0]


def sequences(position, d1, d2, options=DEFAULT):
    """All legal plays as ordered steps, with the position each leads to."""
    turn = position[2]
    return {
        played: (*state[:2], turn) for played, state in legal(position, d1, d2, options, True)[1]
    }


def explain(position, d1, d2, play, options=DEFAULT):
    """Why the ordered play is illegal, None if it is legal."""
    ring, off, turn = position
    allowance = head_allowance(position, d1, d2, options)
    state, dice = (ring, off, 0), [d1] * 4 if d1 == d2 else [d1, d2]
    for source, die in play:
        if die not in dice:
            return "die not rolled"
        dice.remove(die)
        reason = refusal(state, turn, source, die, allowance, all_home(position), options)
        if reason:
            return reason
        state = moved(state, turn, source, die)
    most, found = legal(position, d1, d2, options, True)
    if len(play) < most:
        return "more dice can be played"
    if tuple(play) in {played for played, _ in found}:
        return None
    return "wall" if len(play) > most or options.wall_check == "turn" else "larger die"


# The end of a game


def category(position, loser):
    """Index into CATEGORIES by where the loser's checkers stand."""
    ring, off, _ = position
    mine = [place for place, point in enumerate(PATHS[loser]) if ring[point] * SIGN[loser] > 0]
    if off[loser]:
        return 0
    if any(place < 6 for place in mine):
        return 2
    return 3 if all(place >= 18 for place in mine) else 1


def outcome(position):
    """(winner, category) of a finished game, None while it goes on."""
    for winner in (0, 1):
        if position[1][winner] == CHECKERS:
            return winner, category(position, 1 - winner)
    return None


def last_roll_due(position, starter, last_roll):
    """With "equalize": has the starter just finished, so that the other side gets one roll more?"""
    return last_roll == "equalize" and position[1][starter] == CHECKERS


def points(position, scoring="pronardy", last_roll="none"):
    """Points White wins (Black's negative) in a finished game; `scoring` a name or four numbers.
    With "equalize" a game in which both have finished is a draw."""
    if last_roll == "equalize" and position[1] == (CHECKERS, CHECKERS):
        return 0
    winner, kind = outcome(position)
    return SIGN[winner] * SCORING.get(scoring, scoring)[kind]


def resignation(position, side, scoring="pronardy", resign="position"):
    """Points the resigning side loses: by "position", "single_if_off_else_mars" or a number."""
    table = SCORING.get(scoring, scoring)
    if resign == "position":
        return table[category(position, side)]
    if resign == "single_if_off_else_mars":
        return table[0] if position[1][side] else table[1]
    return resign


def perft(position, depth, options=DEFAULT, rolls=ROLLS):
    """Distinct results counted over the rolls, unweighted, `depth` turns deep (`rolls` is for the
    first turn; later ones have all 21)."""
    if depth == 0 or outcome(position) is not None:
        return 1
    if depth == 1:
        return sum(len(results(position, *roll, options)) for roll in rolls)
    return sum(
        perft(swap(result), depth - 1, options)
        for roll in rolls
        for result in results(position, *roll, options)
    )
