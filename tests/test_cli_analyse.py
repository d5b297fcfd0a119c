"""`nardy analyse`: what it prints and writes, several files, bad files, exit codes."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from nardy_core.cli import main
from nardy_core.match_analysis.several import team_match

GOLDEN = Path(__file__).parent / "golden"
GNUBG = GOLDEN / "match_analysis" / "gnubg.sgf"
FORMATS = GOLDEN / "formats"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Bear-off tables are shared, judgements are not."""
    from nardy_core.bearoff import bearoff_tables
    from nardy_core.match_analysis import store

    bearoff_tables()
    monkeypatch.setattr(store, "directory", lambda: tmp_path / "cache")


def run(capsys, *args):
    code = main(["analyse", *map(str, args)])
    out, err = capsys.readouterr()
    # GNU Backgammon called two games the Crawford game, which is said of its file each time.
    lines = [line for line in err.splitlines() if "game 5: called the Crawford game" not in line]
    return code, out, "".join(f"{line}\n" for line in lines)


def test_text(capsys):
    code, out, err = run(capsys, GNUBG, "--level", "file", "--errors", 2)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "Heron 3 – 7 Plover, match to 7"
    assert any(line.split() == ["Snowie", "error", "rate", "24.15", "12.74"] for line in lines)
    assert lines[-1].split()[:3] == ["3.48", "Heron", "21:"]


@pytest.mark.parametrize(("lang", "words"), [
    ("ru", ("грубые ошибки", "результат без удачи")),
    ("uk", ("грубі помилки", "результат без удачі"))])
def test_languages(capsys, lang, words):
    _, out, _ = run(capsys, GNUBG, "--level", "file", "--lang", lang)
    assert all(word in out for word in words)


def test_json_has_the_keys_that_others_rely_on(capsys):
    code, out, _ = run(capsys, FORMATS / "jellyfish.mat", "--level", 0, "--format", "json")
    data = json.loads(out)
    assert code == 0 and data["schema"] == "nardy.analysis/1" and data["level"] == "0"
    assert data["engine"]["name"] == "nardy_core" and data["engine"]["nets"]
    for player in data["players"]:
        assert {"pr", "gnubg", "snowie", "luck", "emg_lost", "cost", "sizes", "faults",
                "luck_adjusted_result", "name"} <= set(player)
    kinds = {d["kind"] for d in data["decisions"]}
    assert {"play", "no_double", "double", "drop"} <= kinds
    play = next(d for d in data["decisions"] if d["kind"] == "play" and not d["forced"])
    assert {"candidates", "done", "best", "lost", "level", "choices"} <= set(play)


def test_rows(capsys):
    _, out, _ = run(capsys, GNUBG, "--level", "file", "--format", "csv", "--sizes", "gnubg")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert sum(row["size"] == "very bad" and row["kind"] == "play" for row in rows) == 29
    _, out, _ = run(capsys, GNUBG, "--level", "file", "--format", "jsonl")
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == len(rows) and {d["schema"] for d in lines} == {"nardy.decision/1"}


def test_limits_of_ones_own(capsys):
    _, out, _ = run(capsys, GNUBG, "--level", "file", "--sizes", "0.05,0.2", "--format", "json")
    sizes = json.loads(out)["definitions"]["sizes"]
    assert sizes == {"limits": {"error": 0.05, "blunder": 0.2}, "inclusive": True}


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv", ".html", ".apkg", ".sgf", ".txt",
                                    ".mat"])
def test_out(capsys, tmp_path, ending):
    target = tmp_path / f"out{ending}"
    code, _, err = run(capsys, GNUBG, "--level", "file", "--out", target)
    lost = {".mat": ["the analysis of ", "game 5: the score, or whether it is the Crawford game"],
            ".txt": ["all but the decisions"]}.get(ending, [])
    assert code == 0 and len(err.splitlines()) == len(lost)
    for line, words in zip(err.splitlines(), lost, strict=True):
        assert f"warning: left out, for which {target} has no place: {words}" in line
    data = target.read_bytes()
    assert len(data) > 3000
    begins = {".json": b'{\n "schema": "nardy.analysis/1"', ".html": b"<!DOCTYPE html>",
              ".apkg": b"PK", ".sgf": b"(;FF[4]GM[6]", ".txt": b"XGID=-b----E-C"}.get(ending, b"")
    assert data.startswith(begins)


def test_what_a_rollout_found_is_left_out_of_sgf_with_a_warning(capsys, tmp_path):
    """SGF of GNU Backgammon has no word for our rollouts; candidates and cube actions both."""
    import dataclasses

    from nardy_core import formats
    from nardy_core.match_analysis import files

    judged = _judged()

    def rolled(d):
        analysis = dict(d.analysis)
        for key in ("candidates", "cube"):
            if key in analysis:
                items = analysis[key] if key == "candidates" else [analysis[key]]
                items = [{k: v for k, v in c.items() if k not in ("plies", "text")}
                         | {"level": "roller"} for c in items]
                analysis[key] = items if key == "candidates" else items[0]
        return dataclasses.replace(d, analysis=analysis)

    some = dataclasses.replace(
        judged, decisions=tuple(rolled(d) if n < 40 else d
                                for n, d in enumerate(judged.decisions)))
    lost = files.dropped(some, tmp_path / "out.sgf")
    assert files.dropped(judged, tmp_path / "out.sgf") == []
    told = {text.split(" ", 1)[1]: int(text.split()[0]) for text in lost if text[0].isdigit()}
    assert set(told) == {"candidates", "cube decisions"}
    bare = [text for text in lost if text.startswith("the analysis of ")]  # with nothing left
    gone = sum(int(text.split()[3]) for text in bare)
    files.write(some, tmp_path / "out.sgf")

    def held(path):
        actions = [a.analysis or {} for g in formats.read(path).games for a in g.actions]
        return (sum(len(a.get("candidates", ())) for a in actions),
                sum("cube" in a for a in actions))

    files.write(judged, tmp_path / "all.sgf")
    before, after = held(tmp_path / "all.sgf"), held(tmp_path / "out.sgf")
    assert told["candidates"] == before[0] - after[0] > 0
    assert told["cube decisions"] + gone == before[1] - after[1] > gone


def test_parquet(capsys, tmp_path):
    from peers import rules

    rules.peer("pyarrow", "pyarrow")
    import pandas

    code, _, _ = run(capsys, GNUBG, "--level", "file", "--out", tmp_path / "out.parquet")
    frame = pandas.read_parquet(tmp_path / "out.parquet")
    assert code == 0 and frame.groupby("name")["lost"].sum().round(3).to_dict() == {
        "Heron": 8.164, "Plover": 4.307}


def test_several_files_make_a_table(capsys):
    code, out, _ = run(capsys, GNUBG, GNUBG, "--level", "file", "--rating", "gnubg")
    assert code == 0
    head, first, second = out.strip().splitlines()[-3:]
    assert head.split()[:3] == ["player", "matches", "won"]
    assert first.split()[:4] == ["Plover", "2", "2", "28.52"]
    assert second.split()[:4] == ["Heron", "2", "0", "52.67"]


def test_team_match(capsys):
    code, out, _ = run(capsys, GNUBG, GNUBG, "--level", "file", "--team", "Heron")
    assert code == 0 and out.strip().endswith("Team match: Plover wins 2–0")
    with pytest.raises(ValueError, match="does not have one player of the side"):
        team_match([_judged()], {"Nobody"})
    _, out, _ = run(capsys, GNUBG, "--level", "file", "--team", "--format", "json")
    assert json.loads(out)["team"] == {
        "sides": [["Heron"], ["Plover"]], "boards": [1], "score": [0, 1], "winner": 1}


def _judged():
    from nardy_core.match_analysis import analyse_match

    return analyse_match(GNUBG, level="file")


def test_the_good_games_before_a_bad_place(capsys):
    code, out, err = run(capsys, FORMATS / "cut.mat", "--level", 0, "--format", "json")
    assert code == 1
    assert err.startswith("nardy: cut.mat line 14: play: no checker to move on 9")
    data = json.loads(out)
    assert len(data["games"]) == 1 and data["error"].startswith("cut.mat line 14")


def test_a_bad_file_among_good_ones(capsys, tmp_path):
    bad = tmp_path / "bad.mat"
    bad.write_text("nothing")
    code, out, err = run(capsys, GNUBG, bad, tmp_path / "none.mat", "--level", "file")
    assert code == 1 and "Heron" in out
    assert [line.split(":")[1:3] for line in err.splitlines()] == [
        [" bad.mat", " not a match or position file of a known form"],
        [f" {tmp_path / 'none.mat'}", " No such file or directory"]]


@pytest.mark.parametrize(("args", "code", "message"), [
    ((FORMATS / "xg.txt",), 2, "xg.txt: positions, not a match"),
    ((FORMATS / "galaxy.txt", "--level", "file"), 2, "galaxy.txt: no analysis in it"),
    ((FORMATS / "none.mat",), 3, "none.mat: No such file or directory"),
    ((GNUBG, "--level", "file", "--out", "x.doc"), 2, "'x.doc' ends with none of .json"),
    ((GNUBG, "--level", "file", "--rating", "elo"), 2, "rating: 'elo' is not one of pr"),
    ((GNUBG, "--level", "file", "--sizes", "1,x"), 2, "sizes: '1,x' is not limits like"),
    ((GNUBG, GNUBG, "--html", "x.html"), 2, "html: a report is of one match, not 2"),
    ((FORMATS / "illegal.mat", "--strict"), 2, "illegal.mat line 5: illegal play: a number"),
    ((GNUBG, "--met", "none"), 2, "match equity table: 'none' is neither a file"),
])
def test_errors(capsys, args, code, message):
    found, out, err = run(capsys, *args)
    assert found == code and out == ""
    assert message in err and len(err.splitlines()) == 1


def test_warnings_name_the_play(capsys):
    code, _, err = run(capsys, FORMATS / "illegal.mat", "--level", 0, "--quiet")
    assert code == 0
    assert "illegal.mat: warning: game 1, action 1, " in err
    assert "illegal play: a number that was not thrown" in err


def test_progress_as_json_lines(capsys):
    words = (FORMATS / "illegal.mat", "--level", 0, "--no-cache", "--progress", "json")
    code, _, err = run(capsys, *words)
    lines = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    assert code == 0 and lines
    assert {(line["schema"], line["file"]) for line in lines} == {
        ("nardy.analyse-progress/1", "illegal.mat")}
    done = [line["decisions"] for line in lines]
    assert done == sorted(done) and done[-1] == lines[-1]["of"] > 0
    assert not any(line.startswith("{") for line in run(capsys, *words, "--quiet")[2].splitlines())


def test_interrupted_and_gone_on(tmp_path):
    """Ctrl-C ends the command with 130 and keeps what was judged."""
    import os
    import signal
    import time

    env = {**os.environ, "NARDY_CACHE": str(tmp_path)}
    command = [sys.executable, "-m", "nardy_core", "analyse", str(FORMATS / "studio.txt"),
               "--level", "3", "--threads", "1"]
    started = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    base = tmp_path / "judgements.sqlite"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not base.exists() or _rows(base) < 5):
        time.sleep(0.2)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130, err
    assert b"the same command goes on from there" in err and not out
    assert _rows(base) >= 5


def _rows(base):
    import sqlite3

    try:
        with sqlite3.connect(base, timeout=5) as found:
            return found.execute("SELECT count(*) FROM answers").fetchone()[0]
    except sqlite3.Error:
        return 0
