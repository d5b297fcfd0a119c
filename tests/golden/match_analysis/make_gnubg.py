"""Remake gnubg.sgf and gnubg.txt: a match that GNU Backgammon played against itself with noise, its
own 2-ply analysis of it, and the totals it prints for that.

    python tests/golden/match_analysis/make_gnubg.py

Of the candidates of a roll only the first two and the one that was played are kept, which changes
no total: GNU Backgammon prints them again after it has loaded the shortened file.
"""
import os
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
NOISE = {"Heron": (0.06, 0.08), "Plover": (0.04, 0.10)}  # of plays, of cube decisions


def gnubg(folder, *commands):
    script = Path(folder) / "commands"
    script.write_text("\n".join(commands) + "\n")
    program = "/usr/games/gnubg" if Path("/usr/games/gnubg").exists() else "gnubg"
    done = subprocess.run(
        [program, "-t", "-q", "-r", "-c", str(script)], cwd=folder, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "HOME": str(folder), "LANG": "C"})
    return done.stdout.decode("utf-8", "replace")


def played(folder):
    commands = ["set rng mersenne", "set seed 6", "set automatic game on", "set automatic roll on",
                "set automatic move on", "set automatic bearoff on", "set confirm new off",
                "set confirm save off", "new match 7"]
    for player, (name, noises) in enumerate(NOISE.items()):
        commands += [f"set player {player} name {name}", f"set player {player} gnubg"]
        for part, noise in zip(("chequer", "cubedecision"), noises, strict=True):
            setting = f"set player {player} {part} evaluation"
            commands += [f"{setting} plies 0", f"{setting} noise {noise}",
                         f"{setting} deterministic off"]
    commands += (["play"] * 140 + ["new game"]) * 12 + ['save match "match.sgf"']
    gnubg(folder, *commands)


def shortened(text):
    """The text with fewer candidates."""
    def few(match):
        index, *values = re.findall(r"\[([^\]]*)\]", match[0])
        kept = sorted({0, 1, int(index)} & set(range(len(values))))
        return f"A[{kept.index(int(index))}]" + "".join(f"[{values[n]}]" for n in kept)

    return re.sub(r"(?<=\])A(?:\[[^\]]*\])+", few, text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        played(folder)
        gnubg(folder, "set analysis chequerplay evaluation plies 2",
              "set analysis cubedecision evaluation plies 2", "set confirm save off",
              'load match "match.sgf"', "analyse match", 'save match "analysed.sgf"')
        text = (Path(folder) / "analysed.sgf").read_text()
        (HERE / "gnubg.sgf").write_text(shortened(text))
        told = gnubg(folder, f'load match "{HERE / "gnubg.sgf"}"', "show statistics match")
        begin = told.index("Chequerplay statistics")
        lines = [line.rstrip() for line in told[begin:].rstrip().splitlines()]
        (HERE / "gnubg.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
