"""Match equity tables of GNU Backgammon's own files (Debian's gnubg-data), and what it makes of
those that are formulas."""

import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nardy_core.match import MatchEquity
from peers.test_peers_formats import program

FOLDER = Path("/usr/share/gnubg/met")
SHIPPED = {"Kazaross-XG2": "kazaross-xg2", "Rockwell-Kazaross": "rockwell-kazaross",
           "woolsey": "woolsey", "g11": "g11"}
FORMULAS = {"zadeh", "mec"}
ASK = """
import gnubg, json
found = {}
for name in ("zadeh", "mec", "Kazaross-XG2"):
    gnubg.command('set matchequitytable "%s/%s.xml"' % (FOLDER, name))
    found[name] = gnubg.met(9)
open(OUT, "w").write(json.dumps(found))
"""


def missing(what):
    if os.environ.get("NARDY_REQUIRE_PEERS"):
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is not here (Debian: gnubg, gnubg-data)")


@pytest.fixture(scope="module")
def files():
    if not FOLDER.is_dir():
        missing(str(FOLDER))
    return {path.stem: path for path in sorted(FOLDER.glob("*.xml")) if path.stem != "catalog"}


@pytest.fixture(scope="module")
def shown(files, tmp_path_factory):
    """Its tables of nine points by name: chances before and in the Crawford game, and after it."""
    gnubg = program()
    folder = tmp_path_factory.mktemp("met")
    (folder / "ask.py").write_text(f"FOLDER, OUT = {str(FOLDER)!r}, {str(folder / 'out')!r}\n{ASK}")
    subprocess.run(
        [gnubg, "-t", "-q", "-r", "-p", str(folder / "ask.py")], stdin=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder)}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, check=True, timeout=120)
    return json.loads((folder / "out").read_text())


def test_all_files_are_read_or_refused_in_a_line(files):
    assert {*SHIPPED, *FORMULAS} <= {*files}
    for name, path in files.items():
        text = path.read_text(encoding="utf-8", errors="replace")
        if name in FORMULAS:
            with pytest.raises(ValueError, match=f"table type '{name[:3]}.*computed") as caught:
                MatchEquity.open(path)
            assert "\n" not in str(caught.value)
            continue
        table = MatchEquity.open(path)
        cells = [float(cell.text) for cell in ElementTree.fromstring(text).iter("me")]
        rows = [table.mwc(own, opp) for own in range(1, table.length + 1)
                for opp in range(1, table.length + 1)]
        assert rows == pytest.approx(cells[: len(rows)], abs=1e-12), name
        for n, after in enumerate(cells[len(rows):][: table.length], 1):
            assert table.mwc(n, 1, post_crawford=True) == pytest.approx(after, abs=1e-12)


def test_shipped_tables_are_those_of_the_files(files):
    for stem, name in SHIPPED.items():
        ours, theirs = MatchEquity.open(name), MatchEquity.open(files[stem])
        for own in range(1, theirs.length + 1):
            for opp in range(1, theirs.length + 1):
                assert ours.mwc(own, opp) == pytest.approx(theirs.mwc(own, opp), abs=1e-6), name
            assert ours.mwc(own, 1, post_crawford=True) == pytest.approx(
                theirs.mwc(own, 1, post_crawford=True), abs=1e-6)


def test_it_has_no_table_of_zadehs_formula(shown):
    """Why there is none here: what it shows for zadeh.xml is up to the Crawford game what it shows
    for mec.xml, and no rate of gammons makes it: who needs two against one wins a match of even
    games with (1 + g) / 4, and who needs three with at least half of 48.5 %."""
    (zadeh, after, _), (mec, other, _) = shown["zadeh"], shown["mec"]
    assert zadeh == mec and after != other
    assert zadeh != shown["Kazaross-XG2"][0]
    gammons = 4 * zadeh[1][0] - 1
    assert 0.28 < gammons < 0.3
    assert zadeh[2][0] < after[1] / 2 - 0.01
    # After the Crawford game it is the formula: a quarter gammons, two free drops.
    wanted = [0.5]
    for n in range(2, 10):
        wins = 1.0 if n <= 4 else wanted[n - 5]
        chance = 0.25 * 0.5 * wins + 0.75 * 0.5 * (1.0 if n <= 2 else wanted[n - 3])
        wanted.append(chance - {2: 0.015, 4: 0.004}.get(n, 0.0))
    assert after == pytest.approx(wanted, abs=1e-6)
