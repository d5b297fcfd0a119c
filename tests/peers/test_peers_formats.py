"""Match files as other programs read them: GNU Backgammon itself, and gammonview's codec."""

import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from nardy_core import formats
from nardy_core.formats import MatchFileError, dumps
from nardy_core.match_record import MatchRecord
from peers import rules

GOLDEN = Path(__file__).parents[1] / "golden" / "formats"
BACKGAMMON = ["jellyfish.mat", "galaxy.txt", "studio.txt", "crawford.mat", "illegal.mat",
              "hypergammon.mat", "money.mat"]


def program():
    """Where gnubg is. Missing, it fails or skips like any peer."""
    found = shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games")
    if not found:
        message = "gnubg is missing, so it was not asked (Debian: gnubg)"
        if os.environ.get("NARDY_REQUIRE_PEERS") == "1":
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    return found


def gnubg(folder, *commands):
    """Run commands in a fresh gnubg, in the folder."""
    script = folder / "commands"
    script.write_text("\n".join([
        "set automatic game off", "set automatic roll off", "set automatic move off",
        "set automatic bearoff off", "set confirm new off", "set confirm save off", *commands, ""]))
    done = subprocess.run(
        [program(), "-t", "-q", "-r", "-c", str(script)], cwd=folder, timeout=120, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "HOME": str(folder), "LANG": "C"})
    return done.stdout.decode("utf-8", "replace")


class Told:
    """A game as gnubg saved it, read without our readers: score, result, actions as letters."""

    def __init__(self, text):
        self.score = tuple(int(re.search(rf"\[{key}:(\d+)\]", text)[1]) for key in ("ws", "bs"))
        result = re.search(r"RE\[([WB])\+(\d+)R?\]", text)
        self.winner = "WB".index(result[1]) if result else None
        self.points = int(result[2]) if result else 0
        self.actions = re.findall(r";([WB])\[([^\]]*)\]", text)


def told_by(folder, name):
    text = (folder / name).read_text(encoding="utf-8")
    return [Told(game) for game in re.split(r"(?m)^(?=\(;)", text) if game.strip()]


POINTS = "zabcdefghijklmnopqrstuvwxy"  # off, player 0's points from the ace point on, bar


def letters(action):
    """The action as gnubg writes it."""
    if action.kind in ("beaver", "raccoon"):
        return "double"
    if action.kind != "play":
        return action.kind
    slots = [n for a, b, _ in action.steps for n in (a, b)]
    if action.player == 1:
        slots = [n if n in (0, 25) else 25 - n for n in slots]
    return "{}{}".format(*action.dice) + "".join(POINTS[n] for n in slots)


def in_order(value):
    """A play as its dice, the points it leaves and those it comes to, stops between left out."""
    if not value[:1].isdigit():
        return value
    left, come = Counter(value[2::2]), Counter(value[3::2])
    return sorted(value[:2]), left - come, come - left


def compare(match, told, forbidden_passes=True):
    """forbidden_passes=False: gnubg drops from a .mat a roll not played that could have been."""
    assert len(told) == len(match.games)
    for ours, theirs in zip(match.games, told, strict=True):
        assert (ours.score, ours.winner, ours.points) == (
            theirs.score, theirs.winner, theirs.points)
        mine = [("WB"[a.player], in_order(letters(a))) for a in ours.actions
                if a.kind not in ("resign", "roll")
                and (forbidden_passes or a.legal or a.steps or a.kind != "play")]
        assert mine == [(who, in_order(value)) for who, value in theirs.actions]


@pytest.mark.parametrize("form", ["mat", "sgf"])
def test_gnubg_reads_what_we_write(tmp_path, form):
    """Every sample is read, written and loaded by gnubg, which must tell the same games."""
    commands = []
    for name in BACKGAMMON:
        match = formats.read(GOLDEN / name)
        written = tmp_path / f"{name}.{form}"
        written.write_bytes(dumps(match, form))
        load = "import mat" if form == "mat" else "load match"
        commands += [f'{load} "{written}"', f'save match "{tmp_path / name}.back"']
    output = gnubg(tmp_path, *commands)
    for name in BACKGAMMON:
        assert (tmp_path / f"{name}.back").exists(), output
        compare(formats.read(GOLDEN / name), told_by(tmp_path, f"{name}.back"), form == "sgf")


def test_gnubg_reads_the_dialects_as_we_do(tmp_path):
    """The samples themselves, as far as gnubg knows the dialect."""
    names = ["jellyfish.mat", "galaxy.txt", "studio.txt", "hypergammon.mat"]
    output = gnubg(tmp_path, *(
        line for name in names
        for line in (f'import mat "{GOLDEN / name}"', f'save match "{tmp_path / name}.back"')))
    for name in names:
        assert (tmp_path / f"{name}.back").exists(), output
        compare(formats.read(GOLDEN / name), told_by(tmp_path, f"{name}.back"))


def test_gnubg_keeps_the_analysis_we_write(tmp_path):
    written = tmp_path / "analysed.sgf"
    written.write_bytes(dumps(formats.read(GOLDEN / "analysed.sgf"), "sgf"))
    output = gnubg(tmp_path, f'load match "{written}"', f'save match "{tmp_path / "back"}"')
    assert (tmp_path / "back").exists(), output
    back = (tmp_path / "back").read_text()
    for word in ("A", "DA", "BM"):
        values = [v.split("]")[0] for v in (GOLDEN / "analysed.sgf").read_text().split(f"{word}[")]
        assert values[1:] == [v.split("]")[0] for v in back.split(f"{word}[")][1:], word
    ours = formats.read(back)
    analysis = [a.analysis for g in ours.games for a in g.actions if a.analysis]
    assert analysis == [a.analysis for g in formats.read(GOLDEN / "analysed.sgf").games
                        for a in g.actions if a.analysis]


# ---- gammonview ----------------------------------------------------------------------------------


@pytest.fixture
def codec():
    return rules.peer("gvformat", "gammonview")


def turned(match):
    """The match with the players exchanged."""
    from dataclasses import replace

    def other(action):
        return replace(action, player=1 - action.player)

    built = []
    for game in match.games:
        built.append(replace(
            game, start=game.start.with_(turn=1 - game.start.turn),
            actions=tuple(map(other, game.actions)),
            winner=None if game.winner is None else 1 - game.winner))
    return replace(match, players=match.players[::-1], games=tuple(built))


@pytest.mark.parametrize("name", ["jellyfish.mat", "galaxy.txt", "studio.txt", "crawford.mat"])
def test_ogxm_round_trip(codec, name):
    match = formats.read(GOLDEN / name)
    data = dumps(match, "ogxm")
    assert formats.detect(data) == "ogxm"
    back = formats.read(data)
    if back.players != match.players:
        back = turned(back)
    assert (back.players, back.length, back.score) == (match.players, match.length, match.score)
    for ours, theirs in zip(match.games, back.games, strict=True):
        assert ours.actions == theirs.actions
        assert (ours.score, ours.winner, ours.points, ours.how, ours.crawford) == (
            theirs.score, theirs.winner, theirs.points, theirs.how, theirs.crawford)


@pytest.mark.parametrize("data", [
    b"RGMH", b"RGMH" + bytes(9000), b"OGXM", b"OGXM" + bytes(100),
    b'{"format":"BGF"}\n\x1f\x8b', b'{"format":"BGF"}\n:)\n\x00' + b"\xfa\x80a" * 50_000])
def test_broken_files_are_valueerrors(codec, data):
    with pytest.raises(MatchFileError, match=r"^file: not a sound \.\w+ file: "):
        formats.read(data)


def xg_file(length, names, games):
    """An .xg file: header, and packed records. games: (score, moves), a move being (board before,
    board after, first player's, dice, pairs of points, cube code)."""
    import struct
    import zlib

    def record(kind, **fields):
        data = bytearray(2560)
        data[8] = kind
        for at, (form, *values) in fields.items():
            struct.pack_into(form, data, int(at[1:]), *values)
        return bytes(data)

    out = [record(0, _9=("B", len(names[0])), _10=(f"{len(names[0])}s", names[0].encode()),
                  _50=("B", len(names[1])), _51=(f"{len(names[1])}s", names[1].encode()),
                  _92=("<i", length), _100=("B", 1), _128=("<d", 45000.5), _612=("<i", 10))]
    for score, moves, winner, points in games:
        out.append(record(1, _12=("<2i", *score)))
        for before, after, first, dice, pairs, cube in moves:
            pairs = [*(n - 1 for n in pairs), *[-1] * (8 - len(pairs))]
            out.append(record(3, _9=("26b", *before), _35=("26b", *after),
                              _64=("<i", 1 if first else -1), _68=("8b", *pairs),
                              _100=("<2i", *dice), _108=("<i", cube), _120=("<i", 1),
                              _192=("26b", *after), _1024=("8b", *pairs), _1280=("<h", 2),
                              _1408=("<7f", 0, 0.1, 0.4, 0.6, 0.2, 0.01, 0.25)))
        out.append(record(4, _24=("<i", winner), _28=("<i", points)))
    out.append(record(5))
    return b"RGMH" + bytes(8228) + zlib.compress(b"".join(out))


XG_START = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]


def moved(board, *changes):
    after = list(board)
    for point, by in changes:
        after[point] += by
    return after


def test_xg_match(codec):
    first = moved(XG_START, (8, -1), (6, -1), (5, 2))
    second = moved(first, (1, 1), (12, 1), (7, -1), (15, -1))
    data = xg_file(7, ("Heron", "Plover"), [
        ((2, 4), [(XG_START, first, True, (3, 1), [8, 5, 6, 5], 0),
                  (first, second, False, (6, 3), [24, 18, 13, 10], 0)], 1, 2)])
    match = formats.read(data)
    assert (match.players, match.length, match.max_cube) == (("Heron", "Plover"), 7, 1024)
    game, = match.games
    assert game.score == (2, 4)
    assert [str(a) for a in game.actions[:2]] == ["3-1: 8/5 6/5", "6-3: 24/18 13/10"]
    assert game.actions[0].analysis["candidates"][0]["probabilities"] == pytest.approx(
        [0.6, 0.2, 0.01, 0.1, 0.0])
    assert game.actions[0].analysis["candidates"][0]["level"] == "3ply"


def test_a_damaged_limit_of_the_cube_takes_no_memory(codec):
    import struct
    import zlib

    data = xg_file(7, ("Heron", "Plover"), [((0, 0), [], 1, 1)])
    records = bytearray(zlib.decompress(data[8232:]))
    struct.pack_into("<i", records, 612, 1_900_000_000)
    with pytest.raises(ValueError, match="limit is 2 to the power of 1900000000"):
        formats.read(data[:8232] + zlib.compress(bytes(records)))


def test_xg_position(codec):
    board = [-1, 0, 2, 2, 2, 2, 2, 3, *[0] * 10, -2, -2, -2, -2, -2, -2, 1, 1]
    board[19] = -4
    move = (board, board, False, (2, 1), [], -1)
    data = xg_file(5, ("Heron", "Plover"), [((1, 2), [move], 0, 0)])
    record, = formats.read(data)
    expected = {25: 1, 7: 2, 6: 4, 5: 2, 4: 2, 3: 2, 2: 2}
    assert record.players == ("Plover", "Heron")
    position = record.position
    assert position.turn == 0 and position.dice == (2, 1)
    assert {n: c for n, c in enumerate(position.own) if c and n} == expected
    assert (position.cube, position.cube_owner, position.match_length) == (2, "own", 5)
    assert (position.score_own, position.score_opp) == (2, 1)
    assert position.opp[25] == 1 and position.opp[24] == 1 and position.opp[7] == 3


def smile(value):
    """A value as Smile writes it, without back references."""
    if value is None or value is True or value is False:
        return {None: b"\x21", False: b"\x22", True: b"\x23"}[value]
    if isinstance(value, int):
        zigzag = (value << 1) ^ (value >> 31) if value >= 0 else (-value << 1) - 1
        if zigzag < 32:
            return bytes([0xC0 + zigzag])
        groups = [zigzag & 0x3F | 0x80]
        zigzag >>= 6
        while zigzag:
            groups.append(zigzag & 0x7F)
            zigzag >>= 7
        return b"\x24" + bytes(reversed(groups))
    if isinstance(value, str):
        return bytes([0x3F + len(value)]) + value.encode() if value else b"\x20"
    if isinstance(value, list):
        return b"\xf8" + b"".join(map(smile, value)) + b"\xf9"
    return b"\xfa" + b"".join(
        bytes([0x7F + len(key)]) + key.encode() + smile(item) for key, item in value.items()
    ) + b"\xfb"


def test_bgf_match(codec):
    import gzip

    # Positive is green; the numbers are red's.
    points = [2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2, 0, 0]
    moves = [
        {"player": -1, "from": [8, 6, -1, -1], "to": [5, 5, -1, -1], "red": 3, "green": 1},
        {"player": 1, "from": [24, 13, -1, -1], "to": [18, 10, -1, -1], "red": 6, "green": 3},
    ]
    game = {"scoreGreen": 0, "scoreRed": 0, "isCrawford": False, "wonPoints": 1,
            "wasResignation": True, "initial": {"points": points, "cube": 1, "cubeOwner": 0},
            "moves": moves}
    content = {"nameGreen": "Heron", "nameRed": "Plover", "matchlen": 5, "useCrawford": True,
               "finalGreen": 1, "finalRed": 0, "games": [game]}
    body = b":)\n\x00" + smile(content)
    for packed in (body, gzip.compress(body)):
        match = formats.read(b'{"format":"BGF","version":"1"}\n' + packed)
        assert (match.players, match.length, match.source) == (("Heron", "Plover"), 5, "bgf")
        played, = match.games
        assert [str(a) for a in played.actions[:2]] == ["3-1: 8/5 6/5", "6-3: 24/18 13/10"]
        assert [a.player for a in played.actions[:2]] == [0, 1]


def test_what_unpacks_to_too_much_is_refused(codec, monkeypatch):
    import zlib

    from nardy_core.formats import extra

    monkeypatch.setattr(extra, "MAX_UNPACKED", 1 << 20)
    packed = zlib.compress(bytes(2 << 20))
    for data in (b"RGMH" + bytes(8228) + packed, b'{"format":"BGF"}\n' + packed):
        with pytest.raises(MatchFileError, match="unpacks to more than 1 MiB"):
            formats.read(data)


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "gvformat", None)
    for data in (b"RGMH", b"OGXM", b'{"format":"BGF"}\n\x1f\x8b'):
        with pytest.raises(MatchFileError, match=r'^file: .*pip install "nardy_core\[formats\]"$'):
            formats.read(data)
    match = formats.read(GOLDEN / "jellyfish.mat")
    assert isinstance(match, MatchRecord)
    with pytest.raises(ValueError, match="needs a further package"):
        dumps(match, "ogxm")
