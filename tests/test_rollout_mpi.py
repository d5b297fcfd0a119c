"""Rollouts by mpi4py.futures: one manager and two workers give the bits of the serial rollout."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from documents import DOCS, blocks
from random_nets import random_nets

import nardy_core as nd

HERE = Path(__file__).resolve().parent
PROGRAM = """\
from mpi4py.futures import MPIPoolExecutor
from random_nets import random_nets

import nardy_core as nd
from nardy_core import rollout_question

rollout_question.PIECE_SECONDS = 0.01  # pieces of a chunk or two
if __name__ == "__main__":
    engine = nd.Engine({"backgammon": random_nets()}, threads=1)
    with MPIPoolExecutor() as pool:
        pool.bootup()
        handle = engine.rollout(nd.Position.start(dice=(3, 1)), top=2, trials=432, truncate=3,
                                executor=pool, store="x.sums")
        found, workers = handle.wait(), pool.num_workers
    print(workers, found.trials, found.signature)
"""


def mpiexec():
    """The program that starts processes: of this environment, else of the system."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")
    if not found or not importlib.util.find_spec("mpi4py"):
        if os.environ.get("NARDY_REQUIRE_PEERS"):
            pytest.fail("mpi4py or mpiexec is not installed")
        pytest.skip("needs mpi4py and mpiexec: pip install mpi4py mpich")
    return found


def test_same_bits_by_mpi(tmp_path):
    """Nets are of no file: they travel to the workers."""
    command = mpiexec()
    serial = nd.Engine({"backgammon": random_nets()}, threads=1).rollout(
        nd.Position.start(dice=(3, 1)), top=2, trials=432, truncate=3).wait()
    said = by_three(command, PROGRAM, tmp_path)
    assert said.split() == ["2", "432", serial.signature]
    assert nd.rollout.RolloutStore(tmp_path / "x.sums").damaged == 0


def test_the_program_of_the_page(tmp_path):
    """As it stands in long-rollouts.md, and once more, going on from what it kept."""
    command = mpiexec()
    page = (DOCS / "long-rollouts.md").read_text()
    [program] = [b.text for b in blocks(page) if b.language == "python" and not b.is_run]
    serial = nd.Engine(threads=1).rollout(
        nd.Position.start(dice=(3, 1)), top=2, truncate=7, trials=1296).wait()
    for _ in range(2):
        assert by_three(command, program, tmp_path) == f"{serial}\n"
    store = nd.rollout.RolloutStore(tmp_path / "night.sums")
    assert [store.extent(question)[0] for question in store.questions()] == [36]


def by_three(command, program, folder):
    """What the program says, run by a manager and two workers."""
    (folder / "program.py").write_text(program)
    paths = [str(HERE.parent), str(HERE), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths),
                   "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    run = subprocess.run(
        [command, "-n", "3", sys.executable, "-m", "mpi4py.futures", "program.py"],
        env=environment, cwd=folder, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    return run.stdout
