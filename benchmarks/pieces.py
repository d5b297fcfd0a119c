"""What chunks and pieces of rollouts cost: the table of nardy_core/docs/long-rollouts.md.

    python benchmarks/pieces.py            CPU seconds of one core; with `distributed`, of Dask, too
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import tempfile
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import nardy_core as nd
from nardy_core import rollout_question
from nardy_core.rollout import CHUNK, RolloutPlan, RolloutStore
from nardy_core.rollout_batch import Item
from nardy_core.rollout_begin import open_account

START, LONG = nd.Position.start(), nd.Position.start("long_nardy")
RACE = nd.Position.parse("x=13:3,8:5,6:5,4:2 o=8:5,6:5,4:5 turn=x")
SHORT = nd.Position.parse("x=2:2,3:2,6:1,7:1 o=2:1,3:1,4:2,7:1,8:1 turn=x")
ROLL = START.with_(dice=(3, 1))
QUESTIONS = [
    ("opening, to the end", START, {}),
    ("3-1, five plays, to the end", ROLL, {}),
    ("3-1, five plays, truncated at 11", ROLL, {"truncate": 11}),
    ("opening, plain", START, {"variance_reduction": False}),
    ("cube decision, opening", START, {"cubeful": True}),
    ("race", RACE, {}),
    ("1-ply plays, truncated at 4", START, {"level": 1, "truncate": 4}),
    ("2-ply plays, truncated at 2", START, {"level": 2, "truncate": 2}),
    ("long nardy, to the end", LONG, {}),
]


def chunk(engine, position, settings, chunks=2):
    engine.rollout(position, trials=CHUNK, **settings).wait()
    begun = time.process_time()
    handle = engine.rollout(position, trials=chunks * CHUNK, seed=3, **settings)
    handle.wait()
    return (time.process_time() - begun) / chunks, handle.question.piece


def handing_out(engine, executor, pieces=200):
    """CPU seconds of this process for a piece of next to no work."""
    engine.rollout(SHORT, trials=4 * CHUNK, executor=executor).wait()
    begun = time.process_time()
    engine.rollout(SHORT, trials=pieces * CHUNK, executor=executor).wait()
    return (time.process_time() - begun) / pieces


def store_costs(engine, records=1000):
    """CPU seconds to append a piece, bytes of a chunk, bytes a second to open and to merge."""
    question = open_account(engine, ROLL, None, RolloutPlan()).question
    with tempfile.TemporaryDirectory() as folder:
        store = RolloutStore(os.path.join(folder, "x.sums"))
        rows = np.random.default_rng(1).random((question.piece, question.length))
        begun = time.process_time()
        for record in range(records):
            store.add(question, record * question.piece, rows)
        added, size = time.process_time() - begun, os.path.getsize(store.path)
        begun = time.process_time()
        RolloutStore(store.path)
        opened = time.process_time() - begun
        begun = time.process_time()
        RolloutStore(os.path.join(folder, "all.sums")).merge(store)
        merged = time.process_time() - begun
    return added / records, size / (records * question.piece), size / opened, size / merged


def held(engine, top, few=50, many=550):
    """Bytes that an answered item of a batch keeps to its end, of Python and numpy."""
    found = []
    for count in (few, many):
        races = (nd.Position.parse(f"x=2:{1 + n % 6},3:{1 + n // 6 % 6},8:1,9:1 "
                                   f"o=2:{1 + n // 36 % 6},3:{1 + n // 216 % 6},9:1 turn=x")
                 for n in range(count))
        asked = (Item(number, position=position, dice=(2, 1) if top > 1 else None)
                 for number, position in enumerate(races, 1))
        tracemalloc.start()
        for _ in engine.rollout_many(asked, trials=CHUNK, truncate=1, top=top):
            held = tracemalloc.get_traced_memory()[0]  # that of the last one counts
        tracemalloc.stop()
        found.append(held)
    return (found[1] - found[0]) / (many - few)


def main():
    engine = nd.Engine(threads=1)
    for name, position, settings in QUESTIONS:
        seconds, piece = chunk(engine, position, settings)
        print(f"{name:34} chunk {1e3 * seconds:7.1f} ms   piece {piece:4} chunks, "
              f"{piece * seconds:.2f} s", flush=True)
    added, size, opened, merged = store_costs(engine)
    print(f"store: append {1e3 * added:.3f} ms, {size:.0f} bytes a chunk, opened at "
          f"{opened / 1e6:.0f} MB/s, merged at {merged / 1e6:.0f} MB/s", flush=True)
    held(engine, 5)  # what only the first batch takes
    print("batch: " + ", ".join(f"{held(engine, top) / 1e3:.1f} kB an item of {top} plays"
                                for top in (1, 5)) + " are held to its end", flush=True)
    rollout_question.PIECE_SECONDS = 1e-9  # a chunk each
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        print(f"process pool: {1e3 * handing_out(engine, pool):.2f} ms a piece", flush=True)
    if importlib.util.find_spec("distributed"):
        from distributed import LocalCluster

        from nardy_core.cluster import Cluster

        with LocalCluster(1, threads_per_worker=1, dashboard_address=None) as local, \
                Cluster(local.scheduler_address) as cluster:
            print(f"Dask: {1e3 * handing_out(engine, cluster):.2f} ms a piece", flush=True)


if __name__ == "__main__":
    main()
