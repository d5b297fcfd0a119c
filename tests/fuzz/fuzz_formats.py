"""Mutated match files, for longer runs than the tests have time for.

    PYTHONPATH=.:tests python tests/fuzz/fuzz_formats.py [COUNT] [SEED] [FILE ...]

The seeds are the samples in golden/formats, and with the extra `[formats]` one of them as .ogxm;
more files may be named. A mutation fails when a reader raises anything but a ValueError of one
printable line, takes longer than five seconds, or when a record that was read does not survive
being written as JSON and read again.

Of a .xg file the records are mutated, not what they are packed into.

Long runs without failure, at most 0.21 s a mutation and 67 MB: 50,000 mutations (seed 8) of the
samples; 50,000 (12,500 of seed 811, 18,750 of 813 and of 814) with large .xg and .ogxm files among
them, once what they had found was mended: a limit of the cube of 2 to the power of 1.9 billion.
"""

import random
import sys
import time
import zlib
from pathlib import Path

from test_formats import GOLDEN, mutated

from nardy_core import formats
from nardy_core.match_record import MatchRecord


def samples(more):
    found = [path.read_bytes() for path in sorted(GOLDEN.iterdir()) if path.suffix != ".py"]
    found.append(formats.dumps(formats.read(GOLDEN / "jellyfish.mat"), "json"))
    try:
        found.append(formats.dumps(formats.read(GOLDEN / "jellyfish.mat"), "ogxm"))
    except ValueError as error:
        print(f"without .ogxm: {error}")
    return found + [Path(name).read_bytes() for name in more]


def repacked(rng, data):
    begin = 8232 + int.from_bytes(data[20:24], "little")
    records = zlib.decompress(data[begin:])
    return data[:begin] + zlib.compress(mutated(rng, records), 1)


def check(data):
    """True if the data could be read."""
    begun = time.process_time()
    try:
        record = formats.read(data)
    except ValueError as error:
        assert "\n" not in str(error) and str(error).isprintable(), repr(str(error))
        record = getattr(error, "partial", None) or []
        well = False
    else:
        well = True
    assert time.process_time() - begun < 5, "too slow"
    if record or well:
        assert formats.read(formats.dumps(record, "json")) == record
    if isinstance(record, MatchRecord):
        for game in record.games:
            assert game.final is not None and list(game.decisions(rolls=True)) is not None
        formats.dumps(record, "csv")
    return well


def main():
    count, seed = (int(word) for word in (sys.argv[1:3] + ["50000", "1"][len(sys.argv) - 1:])[:2])
    rng = random.Random(seed)
    seeds = samples(sys.argv[3:])
    well = slowest = 0
    for n in range(count):
        data = rng.choice(seeds)
        # Mostly the beginning, which is quicker.
        if rng.random() < 0.9 and data[:4] not in (b"RGMH", b"OGXM"):
            data = data[:rng.choice((300, 600, 900))]
        data = repacked(rng, data) if data.startswith(b"RGMH") else mutated(rng, data)
        begun = time.process_time()
        try:
            well += check(data)
        except BaseException:
            Path("fuzz_formats.failed").write_bytes(data)
            print(f"mutation {n} of seed {seed} failed; it is in fuzz_formats.failed")
            raise
        if n % 5000 == 4999:
            print(f"{n + 1} mutations, {well} read well", flush=True)
        slowest = max(slowest, time.process_time() - begun)
    print(f"{count} mutations, {well} read well, slowest {slowest:.2f} s, no failure")


if __name__ == "__main__":
    main()
