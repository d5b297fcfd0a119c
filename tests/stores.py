"""Races that are over soon, so that their rollouts are many chunks in little time, and stores of
their raw sums."""

import nardy_core as nd
from nardy_core.rollout import CHUNK, RolloutStore
from nardy_core.rollout_sums import run_chunks

RACE = nd.Position.parse("x=2:2,3:2,6:1,7:1 o=2:1,3:1,4:2,7:1,8:1 turn=x")
OTHER = nd.Position.parse("x=2:1,3:2,6:2,7:1 o=2:1,3:1,4:2,7:1,8:1 turn=x")
# With contact, walls and rules that are not the default's; cut off after a few turns.
LONG = nd.Position.parse(
    "w=24:3,20:3,19:2,18:2,16:2,15:1,9:2 b=24:5,20:2,19:2,17:3,9:3 turn=w "
    "scoring=federation wall_check=turn")


def kept(path, question):
    return {chunk: row.tobytes() for chunk, _, row in RolloutStore(path).rows(question)}


def filled(engine, path, position=RACE, **settings):
    """A store with 12 chunks of one question in some records: (store, question, result)."""
    handle = engine.rollout(position, trials=12 * CHUNK, **settings)
    rows = run_chunks(handle.question, engine.model(position), 0, 12)
    store = RolloutStore(path)
    for first, end in ((0, 3), (3, 4), (4, 9), (9, 12)):
        store.add(handle.question, first, rows[first:end], seconds=0.5)
    return store, handle.question, handle.wait()
