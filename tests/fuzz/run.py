"""Runs fuzz targets for as long as one likes.

    python tests/fuzz/run.py TARGET [COUNT] [SEED]       mutations of the samples, always the same
    python tests/fuzz/run.py --guided TARGET [OPTIONS]   guided by coverage: pip install atheris;
                                                         libFuzzer's options, -runs=1000000
    python tests/fuzz/run.py --again TARGET FILE         one finding again

A finding is left in found.TARGET in the working directory. tests/fuzz/README.md has the targets and
what they have seen. On Unix one input may take SECONDS of processor time, and the process MEMORY
beyond what it had before the first: more is a finding.
"""
from __future__ import annotations

import contextlib
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]


SECONDS, MEMORY = 10.0, 1 << 30


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Memory of the process is limited from here on; `timed` limits an input's time."""
    try:
        import resource
        import signal
    except ImportError:  # no Unix
        yield
        return

    def too_slow(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} s for one input")

    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    before, before_signal = resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(
        signal.SIGVTALRM)
    signal.signal(signal.SIGVTALRM, too_slow)
    if pages:
        resource.setrlimit(
            resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGVTALRM, before_signal)


@contextlib.contextmanager
def timed() -> Iterator[None]:
    import signal

    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def mutations(name: str, count: int, seed: int) -> tuple[int, float]:
    """(inputs that made sense, seconds of the slowest) of so many mutations."""
    from fuzz.targets import TARGETS

    target = TARGETS[name]
    samples = target.samples()
    for sample in samples:
        target.check(sample)
    with bounded():
        return _mutations(name, target, samples, count, random.Random(seed), seed)


def _mutations(
    name: str, target: Any, samples: list[bytes], count: int, rng: random.Random, seed: int
) -> tuple[int, float]:
    well, slowest = 0, 0.0
    for n in range(count):
        data = target.mutate(rng, rng.choice(samples))
        begun = time.process_time()
        try:
            with timed():
                well += target.check(data)
        except BaseException:
            Path(f"found.{name}").write_bytes(data)
            print(f"{name}: mutation {n} of seed {seed} failed; it is in found.{name}",
                  file=sys.stderr)
            raise
        slowest = max(slowest, time.process_time() - begun)
        if n % 10_000 == 9_999:
            print(f"{name}: {n + 1} mutations, {well} made sense", flush=True)
    return well, slowest


def guided(name: str, options: list[str]) -> None:
    import atheris

    with atheris.instrument_imports(include=["nardy_core"]):
        from fuzz.targets import TARGETS

        target = TARGETS[name]
        samples = target.samples()
        for sample in samples:
            target.check(sample)  # what is imported only when asked is seen as well

    def one_input(data: bytes) -> None:
        target.check(data)

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        """Half of the time as where nothing guides, past checksums and into what is packed."""
        rng = random.Random(seed)
        if rng.random() < 0.5:
            return atheris.Mutate(data, longest)
        return target.mutate(rng, data)[:longest]

    with tempfile.TemporaryDirectory() as corpus:
        for k, sample in enumerate(samples):
            (Path(corpus) / f"seed{k}").write_bytes(sample)
        longest = max(4096, *(2 * len(sample) for sample in samples))
        limits = [f"-max_len={longest}", "-len_control=100", "-timeout=30",
                  f"-artifact_prefix=found.{name}."]
        atheris.Setup([sys.argv[0], *limits, *options, corpus], one_input, custom_mutator=mutate)
        atheris.Fuzz()


def main(words: list[str]) -> None:
    if words[:1] == ["--guided"]:
        guided(words[1], words[2:])
    elif words[:1] == ["--again"]:
        from fuzz.targets import TARGETS

        print(TARGETS[words[1]].check(Path(words[2]).read_bytes()))
    else:
        name, count, seed = (words + ["100000", "1"][len(words) - 1:])[:3]
        well, slowest = mutations(name, int(count), int(seed))
        print(f"{name}: {count} mutations of seed {seed}, {well} made sense, "
              f"slowest {slowest:.2f} s, no failure")


if __name__ == "__main__":
    main(sys.argv[1:])
