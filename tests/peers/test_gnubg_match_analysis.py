"""GNU Backgammon loads what we judged and counts what we count; we count what it judged."""

import dataclasses
from pathlib import Path

import pytest
from test_match_analysis import gnubg_rows, same, told

from nardy_core import formats
from nardy_core.match_analysis import Definitions, analyse_match
from peers.test_peers_formats import gnubg, told_by

GOLDEN = Path(__file__).parents[1] / "golden" / "formats"
BY_GNUBG = Definitions(rating="gnubg", sizes="gnubg")


def statistics(output):
    begin = output.index("Chequerplay statistics")
    return told(output[begin:])


def compare(found, printed, points):
    """The tallies of a match against printed statistics. Money is printed in other words and other
    units: chances are shown in percent, points as they are."""
    compared = 0
    for player in (0, 1):
        for section, rows in gnubg_rows(found.players[player]).items():
            for label, values in rows.items():
                if points and ("(MWC)" in label or "result" in label):
                    label = label.replace("(MWC)", "(Points)")
                    if len(values) != 1 or "result" in label:
                        values = [*values[:-1], values[-1] / 100]
                for value, number in zip(values, printed[section][label][player], strict=False):
                    assert same(value, number), (player, section, label, value, number)
                    compared += 1
    return compared


@pytest.mark.parametrize(("name", "games", "plies"), [
    ("jellyfish.mat", 9, 0), ("money.mat", 9, 0), ("jellyfish.mat", 1, 2)])
def test_gnubg_s_own_analysis(tmp_path, name, games, plies):
    """gnubg judges a match here and now; our definitions on its numbers give its totals."""
    match = formats.read(GOLDEN / name)
    formats.write(dataclasses.replace(match, games=match.games[:games]), tmp_path / "a.mat")
    output = gnubg(tmp_path, 'import mat "a.mat"',
                   f"set analysis chequerplay evaluation plies {plies}",
                   f"set analysis cubedecision evaluation plies {plies}",
                   "analyse match", 'save match "a.sgf"',
                   "new session", 'load match "a.sgf"', "show statistics match")
    found = analyse_match(tmp_path / "a.sgf", level="file", definitions=BY_GNUBG)
    levels = {d.level for d in found.decisions if d.kind == "play" and d.choices > 1}
    assert f"{plies}-ply" in levels
    assert compare(found, statistics(output), points=name == "money.mat") > 60


def test_gnubg_keeps_our_judgements(tmp_path):
    """Our analysis as .sgf, loaded by gnubg: it counts the same losses, luck and score."""
    match = formats.read(GOLDEN / "studio.txt")
    found = analyse_match(match, level=1, cache=False, definitions=BY_GNUBG)
    formats.write(found.annotated(), tmp_path / "ours.sgf")
    output = gnubg(tmp_path, 'load match "ours.sgf"', 'save match "back.sgf"',
                   "show statistics match")
    # gnubg counts what the file says, to six digits: so do we, and each is what we judged, below.
    # It judges no forced play of which the file has no candidates, and nothing else differs.
    written = analyse_match(tmp_path / "ours.sgf", level="file", definitions=BY_GNUBG)
    assert compare(written, statistics(output), points=False) > 60
    games = told_by(tmp_path, "back.sgf")
    assert [(g.score, g.winner, g.points) for g in games] == [
        (g.score, g.winner, g.points) for g in match.games]
    back = analyse_match(tmp_path / "back.sgf", level="file", definitions=BY_GNUBG)
    ours, theirs = found.decisions, back.decisions
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert (mine.kind, mine.done, mine.best) == (other.kind, other.done, other.best)
        assert other.lost == pytest.approx(mine.lost, abs=2e-5), mine
        assert other.luck == pytest.approx(mine.luck, abs=2e-5)
    assert dataclasses.replace(back.record, source="").players == match.players
