"""Instructions of fixed work (`make count`) against the committed baseline.

    python benchmarks/count.py                compares; ends with 1 if a count is over 2 % above it
    python benchmarks/count.py --write "WHY"  makes the counts of now the baseline, and history

Counts are the same on every run but depend on the compiler, the C library and valgrind, so the
baseline has an entry for each such set of tools. Where there is none for the tools at hand nothing
is compared, and that is said; it is no failure. A change that costs instructions on purpose runs
--write: the reason stands in the baseline, and as a line in history/counts.jsonl, which
`python benchmarks/history/plot.py` draws. Needs make, a C compiler and valgrind.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "baseline.json"
HISTORY = HERE / "history" / "counts.jsonl"
ALLOWED = 1.02  # times the baseline

LINE = re.compile(r"(\w+) +(\d+) instructions +([\d.]+) a (\w+) \((\w+)\)")


def said(*command: str) -> str:
    """The first line of what a program says of itself."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]


def tools(kernels: str) -> dict[str, str]:
    return {"machine": platform.machine(), "compiler": said("cc", "--version"),
            "libc": " ".join(platform.libc_ver()), "valgrind": said("valgrind", "--version"),
            "kernels": kernels}


def read(text: str) -> tuple[dict[str, float], str]:
    """(instructions a unit by name, kernel set) of what `make count` prints."""
    found = [LINE.fullmatch(line) for line in text.splitlines() if line.strip()]
    sets = {match[5] for match in found if match}
    if not found or not all(found) or len(sets) != 1:
        raise SystemExit(f"make count printed something else:\n{text}")
    return {match[1]: float(match[3]) for match in found if match}, sets.pop()


def faults(counts: dict[str, float], baseline: dict[str, float]) -> list[str]:
    """What is wrong with these counts, a line each."""
    found = [f"{name}: has no baseline" for name in counts.keys() - baseline.keys()]
    found += [f"{name}: in the baseline, but not counted"
              for name in baseline.keys() - counts.keys()]
    found += [f"{name}: {counts[name]:,.1f} instructions, {counts[name] / old - 1:+.1%} against "
              f"{old:,.1f}"
              for name, old in baseline.items() if counts.get(name, 0) > ALLOWED * old]
    return sorted(found)


def entry_for(wanted: dict[str, str], entries: list[dict]) -> dict | None:
    return next((entry for entry in entries if entry["tools"] == wanted), None)


def write(why: str, counts: dict[str, float], made_with: dict[str, str]) -> None:
    entries = json.loads(BASELINE.read_text()) if BASELINE.exists() else []
    entries = [entry for entry in entries if entry["tools"] != made_with]
    entries.append({"tools": made_with, "why": why, "counts": counts})
    BASELINE.write_text(json.dumps(entries, indent=1) + "\n")
    line = {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "why": why,
            "tools": made_with, "counts": counts}
    with HISTORY.open("a") as file:
        file.write(json.dumps(line) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", metavar="WHY", help="a new baseline, and why it may change")
    parser.add_argument("--required", action="store_true",
                        help="fail where there is no baseline for the tools at hand")
    arguments = parser.parse_args()
    if arguments.write is not None and not arguments.write.strip():
        raise SystemExit("--write: say why")
    for program in ("make", "cc", "valgrind"):
        if not shutil.which(program):
            raise SystemExit(f"counting needs {program}")
    ran = subprocess.run(["make", "-s", "-C", HERE.parent / "src_c", "count"],
                         stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"make count failed: {ran.stdout}")
    counts, kernels = read(ran.stdout)
    made_with = tools(kernels)
    if arguments.write is not None:
        write(arguments.write.strip(), counts, made_with)
        print(f"{len(counts)} counts are the baseline now")
        return 0
    entry = entry_for(made_with, json.loads(BASELINE.read_text()))
    if entry is None:
        print("*** NOTHING COMPARED: no baseline for these tools ***")
        for name, what in made_with.items():
            print(f"    {name}: {what}")
        return int(arguments.required)
    for name, count in counts.items():
        old = entry["counts"].get(name)
        print(f"{name:24} {count:14,.1f}" + (f"  {count / old - 1:+.2%}" if old else ""))
    wrong = faults(counts, entry["counts"])
    if wrong:
        print("\nmore instructions than the baseline allows:", *wrong, sep="\n  ")
        print('if that is meant: python benchmarks/count.py --write "WHY", and commit both files')
        return 1
    print(f"{len(counts)} counts, none over {ALLOWED - 1:.0%} above the baseline")
    return 0


if __name__ == "__main__":
    sys.exit(main())
