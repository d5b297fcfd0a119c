"""Draws GAME.svg from counts.jsonl: instructions of each function against its first count.

    python benchmarks/history/plot.py

Only lines of the tools of the last one are drawn: other compilers count otherwise.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import chart  # noqa: E402 (lies in the folder above)

SHOWN = {"choose": "0-ply choice", "ply1": "1-ply choice", "ply2": "2-ply choice",
         "generate": "generator", "playing_net": "playing net", "rollout": "rollout"}


def drawn(lines: list[dict], game: str) -> str:
    lines = [line for line in lines if line["tools"] == lines[-1]["tools"]]
    series = {}
    for part, name in SHOWN.items():
        counts = [(i, line["counts"][f"{game}_{part}"]) for i, line in enumerate(lines)
                  if f"{game}_{part}" in line["counts"]]
        if counts:
            series[name] = [(i, 100 * count / counts[0][1]) for i, count in counts]
    return chart.svg(f"Instructions, {game.replace('_', ' ')}, per cent of the first count",
                     "", "%", series,
                     names={i: line["date"][5:] for i, line in enumerate(lines)})


def main() -> None:
    lines = [json.loads(line) for line in (HERE / "counts.jsonl").read_text().splitlines()]
    for game in ("backgammon", "long_nardy"):
        (HERE / f"{game}.svg").write_text(drawn(lines, game))


if __name__ == "__main__":
    main()
