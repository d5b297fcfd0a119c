"""Positions that benchmarks ask about."""

from nardy_core import Position, bench


def middle_game(engine, game, size=200):
    """Positions with dice of games at level 0, moves 6 to 34."""
    found, place, move = [], Position.start(game), 0
    for roll in bench.rolls(20 * size):
        if place.finished:
            place, move = Position.start(game), 0
        if 5 < move < 35:
            found.append(place.with_(dice=roll))
            if len(found) == size:
                break
        place, move = engine.analyse(place, roll, top=1).best.result, move + 1
    return found
