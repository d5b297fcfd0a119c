"""The sample files of matches and positions, and what tests read off them."""

from pathlib import Path

from nardy_core import formats

GOLDEN = Path(__file__).parent / "golden" / "formats"
POSITIONS = ("xg.txt", "xg_japanese.txt", "bgblitz.txt", "positions.ids", "transcript.txt")
GOOD = sorted(p for p in GOLDEN.iterdir() if p.suffix in (".mat", ".txt", ".sgf")
              and p.name not in ("cut.mat", "setup.sgf", "gnubg.txt", *POSITIONS))


def read(name, **options):
    return formats.read(GOLDEN / name, **options)


def ends(match):
    return [(g.score, g.winner, g.points, g.how) for g in match.games]
