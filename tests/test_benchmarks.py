"""The benchmarks' own logic: what counts as dearer, and that committed figures are of one piece."""

import importlib.util
import json
import random
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from random_nets import keep_random_nets

from nardy_core.position import Position

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "benchmarks"


def module(path):
    spec = importlib.util.spec_from_file_location(f"benchmarks_{path.stem}", path)
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found  # where dataclasses look for it
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def count():
    return module(BENCHMARKS / "count.py")


@pytest.fixture(scope="module")
def chart():
    return module(BENCHMARKS / "chart.py")


# ---- counts ------------------------------------------------------------------------------------


def test_output_of_make_count_is_read(count):
    text = ("backgammon_fill               1419445 instructions      709.7 a board (avx2)\n"
            "board_hash                      60015 instructions       30.0 a board (avx2)\n")
    assert count.read(text) == ({"backgammon_fill": 709.7, "board_hash": 30.0}, "avx2")


@pytest.mark.parametrize("text", [
    "", "valgrind: no such file\n",
    "a 1 instructions 1.0 a x (avx2)\nb 1 instructions 1.0 a x (sse2)"])
def test_other_output_ends_the_run(count, text):
    with pytest.raises(SystemExit, match="something else"):
        count.read(text)


@pytest.mark.parametrize(("now", "complaint"), [
    ({"a": 100.0, "b": 10.0}, None),
    ({"a": 102.0, "b": 5.0}, None),  # two per cent more, and half
    ({"a": 102.1, "b": 10.0}, "a: 102.1 instructions, +2.1%"),
    ({"a": 100.0}, "b: in the baseline, but not counted"),
    ({"a": 100.0, "b": 10.0, "c": 1.0}, "c: has no baseline"),
])
def test_more_than_two_per_cent_is_a_fault(count, now, complaint):
    found = count.faults(now, {"a": 100.0, "b": 10.0})
    assert len(found) == (complaint is not None)
    assert complaint is None or found[0].startswith(complaint)


def run(count, monkeypatch, counts, tools, arguments=()):
    lines = "".join(f"{name} 1 instructions {each:.1f} a unit (avx2)\n"
                    for name, each in counts.items())

    class Ran:
        returncode, stdout = 0, lines

    monkeypatch.setattr(count.subprocess, "run", lambda *a, **k: Ran)
    monkeypatch.setattr(count.shutil, "which", lambda name: name)
    monkeypatch.setattr(count, "tools", lambda kernels: tools)
    monkeypatch.setattr(sys, "argv", ["count.py", *arguments])
    return count.main()


def test_a_dearer_function_fails_and_a_reason_mends_it(count, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(count, "BASELINE", tmp_path / "baseline.json")
    monkeypatch.setattr(count, "HISTORY", tmp_path / "counts.jsonl")
    tools = {"compiler": "cc 1"}
    assert run(count, monkeypatch, {"a": 100, "b": 10}, tools, ["--write", "first"]) == 0
    assert run(count, monkeypatch, {"a": 101, "b": 10}, tools) == 0
    assert run(count, monkeypatch, {"a": 103, "b": 10}, tools) == 1
    assert "a: 103.0 instructions, +3.0%" in capsys.readouterr().out
    assert run(count, monkeypatch, {"a": 103, "b": 10}, tools, ["--write", "dearer"]) == 0
    assert run(count, monkeypatch, {"a": 103, "b": 10}, tools) == 0
    lines = [json.loads(line) for line in (tmp_path / "counts.jsonl").read_text().splitlines()]
    assert [line["why"] for line in lines] == ["first", "dearer"]
    with pytest.raises(SystemExit, match="say why"):
        run(count, monkeypatch, {"a": 103, "b": 10}, tools, ["--write", " "])


def test_other_tools_are_not_compared_and_that_is_said(count, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(count, "BASELINE", tmp_path / "baseline.json")
    monkeypatch.setattr(count, "HISTORY", tmp_path / "counts.jsonl")
    run(count, monkeypatch, {"a": 100}, {"compiler": "cc 1"}, ["--write", "first"])
    assert run(count, monkeypatch, {"a": 900}, {"compiler": "cc 2"}) == 0
    told = capsys.readouterr().out
    assert "NOTHING COMPARED" in told and "compiler: cc 2" in told


def test_the_baseline_is_the_end_of_history(count):
    """A commit that changes the baseline says why: the reason is a line of history, too."""
    history = [json.loads(line) for line in count.HISTORY.read_text().splitlines()]
    for entry in json.loads(count.BASELINE.read_text()):
        assert entry["why"].strip()
        last = [line for line in history if line["tools"] == entry["tools"]][-1]
        assert (last["why"], last["counts"]) == (entry["why"], entry["counts"])


def test_the_baseline_has_the_functions_that_are_counted(count):
    source = (ROOT / "src_c" / "tests" / "count.c").read_text()
    names = re.findall(r'^    \{"(\w+)", "\w+", counted_', source, re.M)
    assert len(names) > 15
    for entry in json.loads(count.BASELINE.read_text()):
        assert list(entry["counts"]) == names


@pytest.mark.parametrize("game", ["backgammon", "long_nardy"])
def test_plots_are_those_of_history(game):
    plot = module(BENCHMARKS / "history" / "plot.py")
    lines = [json.loads(line)
             for line in (BENCHMARKS / "history" / "counts.jsonl").read_text().splitlines()]
    assert (BENCHMARKS / "history" / f"{game}.svg").read_text() == plot.drawn(lines, game)


# ---- charts ------------------------------------------------------------------------------------


def test_ticks(chart):
    assert chart.ticks(1, 100, True) == [1, 2, 5, 10, 20, 50, 100]
    assert chart.ticks(0.5, 5000, True) == [1, 10, 100, 1000]
    assert chart.ticks(0, 10, False) == [0, 2, 4, 6, 8, 10]


def test_points_lie_where_their_numbers_say(chart):
    drawn = chart.svg("t", "x", "y", {"one": [(1, 10), (10, 20), (100, 30)]}, log_x=True)
    (x0, y0), (x1, y1), (x2, y2) = [
        tuple(map(float, pair)) for pair in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', drawn)]
    assert (x0, x2) == (chart.LEFT, chart.WIDTH - chart.RIGHT)
    assert x1 == pytest.approx((x0 + x2) / 2, abs=0.1)  # a factor of ten each
    assert y2 == chart.TOP and y0 > y1 > y2
    assert y1 == pytest.approx((y0 + y2) / 2, abs=0.1)


def test_names_of_lines_do_not_overlap(chart):
    placed = chart.spread([100, 101, 102, 50])
    assert placed == [100, 114, 128, 50]


# ---- peers -------------------------------------------------------------------------------------


def test_the_readme_quotes_the_table_of_peers():
    table = (BENCHMARKS / "peers" / "table.md").read_text()
    readme = (ROOT / "README.md").read_text()
    assert f"<!-- peers -->\n{table}<!-- end of peers -->\n" in readme
    assert table.count("\n") >= 8


def test_tables_go_into_their_places(tmp_path):
    page = module(BENCHMARKS / "page.py")
    file = tmp_path / "x.md"
    file.write_text("a\n<!-- one -->\nold\n<!-- end of one -->\nb\n")
    page.fill(file, "one", page.table(["", "s"], [["x", "1"], ["y", "2"]]))
    assert file.read_text() == ("a\n<!-- one -->\n|  | s |\n|---|---|\n| x | 1 |\n| y | 2 |\n"
                                "<!-- end of one -->\nb\n")
    with pytest.raises(SystemExit, match="no place for two"):
        page.fill(file, "two", "")


def test_the_page_of_rollouts_has_a_place_for_each_table(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    text = (BENCHMARKS / "rollouts.md").read_text()
    for name in (*module(BENCHMARKS / "rollouts.py").PARTS, "peers"):
        before, begin, rest = text.partition(f"<!-- {name} -->\n")
        assert begin and "|---|" in rest.partition(f"<!-- end of {name} -->\n")[0], name


# ---- scale -------------------------------------------------------------------------------------


def test_the_page_of_scale_is_made_of_the_figures_kept(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    scale = module(BENCHMARKS / "scale.py")
    kept = json.loads((BENCHMARKS / "scale" / "figures.json").read_text())
    assert list(scale.CURVES) == sorted(kept["curves"], key=list(scale.CURVES).index)
    assert (BENCHMARKS / "scale.md").read_text() == scale.page(kept)
    for name, curve in kept["curves"].items():
        assert (BENCHMARKS / "scale" / f"{name}.svg").read_text() == scale.drawn(name, curve)


# ---- the ladder --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    """Three players of long nardy, the weakest first: none, nets that nobody has trained, and the
    nets in use."""
    folder = tmp_path_factory.mktemp("states") / "00-untrained"
    return ["random", keep_random_nets(folder, "long_nardy"), "shipped"]


def test_each_state_meets_all_before_it(states):
    ladder = module(BENCHMARKS / "ladder.py")
    rows = list(ladder.ladder(states, "long_nardy", 6, 4, seed=5))
    assert [(row.newer, row.older, row.pairs) for row in rows] == [
        (states[1], states[0], 6), (states[2], states[1], 6), (states[2], states[0], 4)]
    assert all(row.upwards and row.wins > 0.8 for row in rows[1:])
    near = list(ladder.ladder(states, "long_nardy", 6, 0, seed=5))
    assert near == rows[:2]  # no pairs with the earlier ones, and the same dice


def test_a_ladder_that_goes_down_is_a_fault(states, capsys):
    ladder = module(BENCHMARKS / "ladder.py")
    assert ladder.main(["random", "shipped", "--pairs", "6"]) == 0
    assert ladder.main(["shipped", states[1], "--pairs", "6"]) == 1
    assert "00-untrained" in capsys.readouterr().out.splitlines()[1]
    # A step upwards does not make up for what was lost before it.
    assert ladder.main(["shipped", "random", states[1], "--pairs", "6", "--earlier", "6"]) == 1


# ---- cube decisions judged ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def judge():
    return module(BENCHMARKS / "cube.py")


@pytest.mark.parametrize(("said", "cost"), [
    ((0.5, 0.8, 1.0), (0.0, 0.0)),  # double, take, as by the rollout
    ((0.9, 0.8, 1.0), (0.1, 0.0)),  # no double: 0.6 in place of 0.7
    ((0.5, 1.2, 1.0), (0.0, 0.3)),  # double, but a pass: 1 paid in place of 0.7
    ((1.1, 1.2, 1.0), (0.1, 0.3)),  # too good
])
def test_what_a_cube_decision_costs(judge, said, cost):
    row = {"no_double": "0.6", "double_take": "0.7"}
    assert judge.errors(row, *said) == pytest.approx(cost)
    passed = {"no_double": "0.9", "double_take": "1.5"}
    assert judge.errors(passed, 0.7, 0.9, 1.0) == pytest.approx((0.0, 0.5))  # a wrong take
    assert judge.errors(passed, 1.2, 1.4, 1.0) == pytest.approx((0.1, 0.0))  # played on


@pytest.mark.parametrize(("stay", "take", "settled"), [
    ((0.50, 0.01), (0.70, 0.02), True),
    ((0.65, 0.01), (0.70, 0.02), False),  # to double or not
    ((0.50, 0.01), (0.95, 0.02), False),  # to take or not
    ((0.97, 0.02), (1.30, 0.02), False),  # a pass, but perhaps too good
    ((0.90, 0.02), (1.30, 0.02), True),
])
def test_a_settled_cube_decision(judge, stay, take, settled):
    entries = [SimpleNamespace(line=line, equity=equity, standard_error=error)
               for line, (equity, error) in (("no_double", stay), ("double_take", take))]
    assert judge.clear(SimpleNamespace(entries=entries)) == settled


def test_the_fit_finds_the_efficiency_that_made_the_values(judge):
    """Values at x = 0.7 between the limits, with noise of known size."""
    rng = random.Random(7)
    samples = []
    for _ in range(2000):
        dead, error = rng.uniform(-1, 1), rng.uniform(0.005, 0.02)
        live = dead + rng.uniform(-0.5, 0.5)
        samples.append((dead, live, dead + 0.7 * (live - dead) + rng.gauss(0, error), error))
    x, error = judge.slope(samples)
    assert 0.0005 < error < 0.005 and abs(x - 0.7) < 4 * error


def test_no_judged_position_was_fitted_to(judge):
    rows = judge.read(judge.FIT)
    fitted, judged = ({row["position"].split(":")[0] for row in judge.read(path)}
                      for path in (judge.FIT, judge.SET))
    assert len({row["position"] for row in rows}) == len(rows) == 297
    assert judged and not fitted & judged


def test_the_judged_positions_are_of_one_piece(judge):
    """All 300 with what was rolled out, 200 of them for money, and how at the top of the file."""
    rows = judge.read(judge.SET)
    head = judge.SET.read_text().splitlines()[0]
    assert head.startswith("# python benchmarks/cube.py; nardy_core") and "contact" in head
    positions = [Position.parse(row["position"]) for row in rows]
    assert len({row["position"] for row in rows}) == len(rows) == 300
    assert sum(not position.match_length for position in positions) == 200
    for row in rows:
        assert int(row["trials"]) >= 72 and int(row["trials"]) % 36 == 0
        assert float(row["no_double_error"]) < 0.1 and float(row["double_take_error"]) < 0.15
