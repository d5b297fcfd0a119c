"""Random positions of both games for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from nardy_core.counts import across, fill
from nardy_core.options import TABLE
from nardy_core.position import Position


@st.composite
def sides(draw, game="backgammon", checkers=15):
    """Two sides' counts: any split of the points, any number borne off, bars in backgammon."""
    taken = draw(st.lists(st.sampled_from(["own", "opp", "none"]), min_size=24, max_size=24))
    slots = {
        "own": [n for n in range(1, 25) if taken[n - 1] == "own"],
        "opp": [across(game, n) for n in range(1, 25) if taken[n - 1] == "opp"],
    }
    made = []
    for side in ("own", "opp"):
        allowed = slots[side] + ([25] if game == "backgammon" else [])
        least = 1 if made and made[0][0] == checkers and allowed else 0
        chosen = (
            draw(st.lists(st.sampled_from(allowed), min_size=least, max_size=checkers))
            if allowed
            else []
        )
        made.append(fill({n: chosen.count(n) for n in set(chosen)}, checkers))
    if made[0][0] == made[1][0] == checkers:
        made[0] = fill({1: checkers}, checkers)
    return tuple(made)


@st.composite
def rule_options(draw, game):
    chosen = {}
    for name, domain in TABLE[game].items():
        values = [v for v in domain if v not in (int, tuple)]
        if int in domain:
            values += [1, 10, 32767]
        if tuple in domain:
            values += [(1, 2, 3, 4), (1, 10, 100, 32767)]
        chosen[name] = draw(st.sampled_from(values))
    return chosen


@st.composite
def positions(draw, games=("backgammon", "long_nardy")):
    """A position with everything it may carry."""
    game = draw(st.sampled_from(games))
    checkers = draw(st.sampled_from([15, 15, 15, 3, 2, 1])) if game == "backgammon" else 15
    own, opp = draw(sides(game, checkers))
    length = draw(st.sampled_from([0, 0, 1, 5, 7, 32767]))
    top = length - 1 if length else 32767
    scores = [draw(st.one_of(st.integers(0, top), st.just(top if length else 0))) for _ in "ab"]
    short = length > 0 and length - 1 in scores
    crawford = short and draw(st.booleans())
    max_cube = draw(st.sampled_from([None, None, 1, 64, 2**20]))
    rules = draw(rule_options(game))
    cube, owner = 1, "centre"
    if not crawford:
        owner = draw(st.sampled_from(["centre", "own", "opp"]))
        top = 12 if max_cube is None else max_cube.bit_length() - 1
        if owner == "centre":  # nobody has doubled it: automatic doubles, for money
            times = rules.get("automatic_doubles")
            top = 0 if length else min(top, times or 6, 6)
        cube = 2 ** draw(st.integers(0, top))
    offers = ["none"]
    if owner != "opp" and not crawford and (max_cube is None or 2 * cube <= max_cube):
        offers += ["doubled"] if length else ["doubled", "beavered", "raccooned"]
    offer = draw(st.sampled_from(offers))
    die = st.integers(1, 6)
    return Position(
        game,
        own,
        opp,
        turn=draw(st.integers(0, 1)),
        cube=cube,
        cube_owner=owner,
        offer=offer,
        dice=draw(st.none() | st.tuples(die, die)) if offer == "none" else None,
        resigned=draw(st.sampled_from([0, 0, 0, 1, 2, 3])),
        score_own=scores[0],
        score_opp=scores[1],
        match_length=length,
        crawford=crawford,
        jacoby=draw(st.booleans()),
        beavers=draw(st.booleans()),
        max_cube=max_cube,
        checkers=checkers,
        rules=rules,
    )
