"""Evaluations and ranked plays, with nets of random weights: everything but strength."""
from __future__ import annotations

import json
import os
import signal
import threading
import time
from itertools import combinations_with_replacement
from xml.etree import ElementTree

import numpy as np
import pytest
from random_nets import random_nets

import nardy_core as nd
from nardy_core.boards import planes_of
from nardy_core.engine import MAX_LEVEL
from nardy_core.errors import Cancelled, FileFormatError, UnsupportedError
from nardy_core.evaluator import Plan, Stop, default_points, kernel_sets
from nardy_core.nets import load_nets, open_net, save_net

ROLLS = list(combinations_with_replacement(range(1, 7), 2))
GAME = "backgammon"
ALL = (0, 0.0)
EVERYTHING = Plan(promote=[ALL] * 4, tree_select=[ALL] * 4, tree_promote=[ALL] * 4)
OPENING = nd.Position.parse("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
MIDDLE = nd.Position.parse("XGID=-a-B--C-BA--cD--Ac-e----b-:0:0:1:00:0:0:0:0:10")


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({GAME: random_nets()}, threads=2)


@pytest.fixture(scope="module")
def plain():
    """Without preselection, so that every number can be computed again by hand."""
    nets = random_nets()
    return nd.Engine({GAME: {"contact": nets["contact"], "race": nets["race"]}}, threads=1)


@pytest.fixture(scope="module")
def walk():
    """Positions of random games."""
    rng, position, found = np.random.default_rng(5), nd.Position.start(), []
    while len(found) < 120:
        found.append(position)
        plays = position.legal_plays(tuple(rng.integers(1, 7, 2).tolist()))
        position = plays[rng.integers(len(plays))].result
        if position.finished:
            position = nd.Position.start()
    return found


# ---- evaluations ------------------------------------------------------------------------------


def test_probabilities_and_equity(engine, walk):
    for position in walk[::10]:
        found = engine.evaluate(position)
        p = found.probabilities
        assert list(p) == list(engine.outcome_names(GAME)) and sum(p.values()) == pytest.approx(1)
        assert found.equity == pytest.approx(
            sum(a * b for a, b in zip(p.values(), default_points(GAME), strict=True)))
        five = found.nested
        assert five["win"] == pytest.approx(found.win) and five["win"] >= five["win_gammon"]
        # The customary sum over the nested five is the same equity.
        assert found.equity == pytest.approx(
            2 * five["win"] - 1 + five["win_gammon"] + five["win_backgammon"]
            - five["lose_gammon"] - five["lose_backgammon"], abs=1e-6)
        other = found.flip()
        assert other.equity == -found.equity and other.side == "opp" and other.flip() == found
        assert other.win == pytest.approx(1 - found.win)
        assert json.loads(json.dumps(found.to_dict()))["level"] == 0
        assert hash(found) == hash(engine.evaluate(position))


def test_finished_games_are_known(engine):
    over = nd.Position.from_points([0, *[0] * 5, -1, *[0] * 18, 0], checkers=15)
    for level in (0, 1):
        assert engine.evaluate(over, level).probabilities["win_single"] == 1
        assert engine.evaluate(over.swap(), level).equity == -1


def test_level_1_is_the_mean_over_rolls(plain, walk):
    for position in walk[3::40]:
        total = 0.0
        for roll in ROLLS:
            weight = 1 if roll[0] == roll[1] else 2
            total += weight * plain.analyse(position, roll, cubeful=False).best.equity
        found = plain.evaluate(position, 1, plan=EVERYTHING)
        assert found.equity == pytest.approx(total / 36, abs=2e-6)


def test_bear_off_is_exact(engine):
    """One checker each on the ace point: whoever rolls wins."""
    ace = nd.Position.from_points([0, 1, *[0] * 22, -1, 0])
    assert engine.evaluate(ace).win == 1
    # Own checkers on 5 and 6 against the ace point: 1 - 19/36 is all but known from tables of
    # rolls that bear off two checkers at once: 66 55 44 33 (4) and 65 (2).
    two = nd.Position.from_points([0, 0, 0, 0, 0, 1, 1, *[0] * 17, -1, 0])
    assert engine.evaluate(two).win == pytest.approx(6 / 36, abs=1e-6)


def test_says_what_it_used(engine):
    info = engine.info(GAME)
    assert dict(info.nets).keys() == {"contact", "race", "small"}
    assert all(len(short) == 8 for _, short in info.nets)
    assert engine.evaluate(OPENING).engine == info and info.version == nd.__version__
    assert "contact" in str(info) and json.dumps(info.to_dict())


# ---- many boards ------------------------------------------------------------------------------


def test_layouts_agree(engine, walk):
    expected = np.array([list(engine.evaluate(p).probabilities.values()) for p in walk], np.float32)
    planes = np.stack([p.board for p in walk])
    points = np.array([p.points for p in walk], dtype=np.int8)
    ids = [p.id("gnu") if n % 2 else p.id("xgid") for n, p in enumerate(walk)]
    for boards in (walk, planes, points, points.astype(np.int64), ids, iter(walk)):
        assert (engine.evaluate_many(boards) == expected).all()
    assert engine.evaluate_many(planes[0]).shape == (1, 6)
    assert engine.evaluate_many([]).shape == (0, 6)
    long = nd.Position.start("long_nardy")
    game, there, _ = planes_of(np.array([long.points], np.int8), "long_nardy")
    assert game == "long_nardy" and (there[0] == long.board).all()


# White may fill 19 only where the wall rule lets him; T1 of the perft tables: bear-offs at choice.
WALLS = "w=24:9,21:1,18:1,17:1,16:1,15:1,14:1 b=24:10,22:1,20:1,19:1,18:1,17:1 turn=w "
OFF = "w=6:2,5:2,4:1,2:2,1:1 b=24:7,20:8 turn=w "


@pytest.mark.parametrize(("level", "text", "rule"), [
    (1, WALLS, "wall_rule=free"), (2, WALLS, "wall_check=turn"), (1, WALLS, "head_limit=none"),
    (1, OFF, "bearoff_forced=on"), ("roller", OFF, "bearoff_forced=on"),
    (0, "w=1:1 b=1:1 turn=w ", "last_roll=equalize"),
])
def test_many_positions_each_by_its_own_rules(level, text, rule):
    """Those of one batch differ in nothing but a rule that changes what may be played, and each has
    the value it has alone."""
    engine = nd.Engine({"long_nardy": random_nets("long_nardy")}, threads=2)
    plain, other = nd.Position.parse(text), nd.Position.parse(text + rule)
    batch = [plain, other, plain.swap(), other, plain]
    rows = engine.evaluate_many(batch, level=level)
    for position, row in zip(batch, rows, strict=True):
        alone = engine.evaluate(position, level, cubeful=False)
        assert (np.float32(tuple(alone.probabilities.values())) == row).all()
    assert (rows[0] == rows[4]).all() and (rows[1] == rows[3]).all()
    assert (rows[0] != rows[1]).any()
    if level != "roller":
        boards = np.stack([position.board for position in (other, other)])
        assert (engine.evaluate_many(boards, level=level, rules=other.rules) == rows[1]).all()


def test_rules_are_those_of_arrays_alone(engine):
    long = nd.Position.start("long_nardy")
    for call in (lambda: engine.evaluate_many([long], rules=long.rules),
                 lambda: engine.evaluate_many(long.board, game=GAME, rules=long.rules)):
        with pytest.raises(ValueError, match="^rules: "):
            call()


def test_wrong_boards_are_named(engine):
    good = np.stack([OPENING.board] * 3)
    bad = good.copy()
    bad[2, 0] |= 1 << 30
    many = np.array([OPENING.points] * 3)
    many[1, 24] = 9
    for boards, text in [
        (bad, r"boards\[2\]"), (many, r"boards\[1\]"), (["start", "junk"], r"boards\[1\]"),
        (np.zeros((2, 7), np.uint32), "expected integers"), (good.astype(float), "float64"),
        (-good.astype(np.int64), "negative"), ([OPENING, nd.Position.start("long_nardy")], "among"),
        ([nd.Position.start("hypergammon3")], "3 checkers"),
        (np.full((1, 26), 16), r"boards\[0\]"), (np.full((1, 26), -1), r"boards\[0\]"),
    ]:
        with pytest.raises(ValueError, match=text):
            engine.evaluate_many(boards)
    with pytest.raises(ValueError, match="game"):
        engine.evaluate_many(good, game="chess")


def test_same_bits_on_any_threads_and_kernels(walk):
    nets, boards = random_nets(), np.stack([p.board for p in walk] * 20)
    first = nd.Engine({GAME: nets}, threads=1, kernels=kernel_sets()[0])
    expected = first.evaluate_many(boards)
    few = first.evaluate_many(boards[:24], level=1)
    for threads, kernels in [(2, None), (3, None), *((1, name) for name in kernel_sets())]:
        other = nd.Engine({GAME: nets}, threads=threads, kernels=kernels)
        assert (other.evaluate_many(boards) == expected).all()
        assert (other.evaluate_many(boards[:24], level=1) == few).all()


def test_one_engine_for_many_threads(engine, walk):
    expected = [engine.evaluate(p, 1).equity for p in walk[:8]]
    fresh, found = nd.Engine({GAME: random_nets()}), {}
    threads = [threading.Thread(target=lambda i=i: found.update(
        {i: [fresh.evaluate(p, 1).equity for p in walk[:8]]})) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(4)] == [expected] * 4


# ---- ranked plays -----------------------------------------------------------------------------


def test_level_0_ranks_all(engine, walk):
    for position in walk[::15]:
        found = engine.analyse(position, (6, 4), cubeful=False)
        equities = [c.equity for c in found.candidates]
        assert equities == sorted(equities, reverse=True) and len(equities) == found.total
        assert {c.play for c in found.candidates} == set(position.legal_plays((6, 4)))
        for c in found.candidates[:3]:
            assert c.equity == pytest.approx(-engine.evaluate(c.result).equity, abs=1e-6)
            assert c.difference == pytest.approx(c.equity - found.best.equity, abs=1e-6)
        assert found.best.difference == 0


def test_deeper_levels_put_what_they_searched_first(engine, walk):
    for position in walk[5::40]:
        for roll in ((5, 2), (3, 3)):
            static = {c.play: c.equity
                      for c in engine.analyse(position, roll, cubeful=False).candidates}
            for level in (1, 2):
                found = engine.analyse(position, roll, level=level, cubeful=False)
                levels = [c.level for c in found.candidates]
                assert levels[0] == level and levels == sorted(levels, reverse=True)
                assert {c.play for c in found.candidates} == set(static)
                for c in found.candidates:
                    assert c.difference == c.equity - found.best.equity <= 1e-6
                    if c.level == 0:
                        assert c.equity == static[c.play]
                for k in range(1, level + 1):
                    group = [c for c in found.candidates if c.level == k]
                    equities = [c.equity for c in group]
                    assert equities == sorted(equities, reverse=True)
                    for c in group[:2]:
                        assert c.equity == -engine.evaluate(c.result, k).equity


def test_every_level_answers(engine):
    race = nd.Position.from_points(
        [0, 2, 2, 2, 3, 2, 2, 2, *[0] * 9, -1, -2, -2, -2, -2, -2, -2, -2, 0])
    narrow = Plan(promote=[(2, 0.05)] * 4, tree_select=[(1, 0.0)] * 4)
    for level in range(MAX_LEVEL + 1):
        found = engine.analyse(race, (3, 1), level=level, plan=narrow)
        assert found.best.level == level == engine.evaluate(race, level, plan=narrow).level
        assert abs(sum(found.best.probabilities.values()) - 1) < 1e-5


def test_filters_say_what_is_searched(engine):
    found = engine.analyse(OPENING, level=2, plan=Plan(promote=[(3, 9.0), (2, 9.0)]))
    levels = [c.level for c in found.candidates]
    # Who was left behind is searched after all where it is ahead of those that were.
    assert levels[:2] == [2, 2] and set(levels) == {2, 1, 0}
    everything = engine.analyse(OPENING, level=1, plan=EVERYTHING)
    assert {c.level for c in everything.candidates} == {1}


def test_included_plays_are_at_the_level(engine):
    plain = engine.analyse(OPENING, level=1, cubeful=False)
    worst = plain.candidates[-1].play
    found = engine.analyse(OPENING, level=1, top=1, include=[worst, plain.best.play],
                           cubeful=False)
    assert [c.play for c in found.candidates] == [plain.best.play, worst]
    assert [c.level for c in found.candidates] == [1, 1]
    assert found.candidates[1].equity == -engine.evaluate(worst.result, 1).equity
    again = engine.analyse(OPENING, level=1, top=1, include=[worst.notation], cubeful=False)
    assert again.candidates == found.candidates
    with pytest.raises(ValueError, match="another position"):
        engine.analyse(OPENING, include=[MIDDLE.legal_plays((3, 1))[0]])


def test_many_decisions_are_each_one(engine, walk):
    rolls = [(1 + n % 6, 1 + n // 6 % 6) for n in range(len(walk))]
    mixed = [p.with_(rules={"no_hit_and_off": True}) if n % 3 else p for n, p in enumerate(walk)]
    for level, top in [(0, None), (0, 1), (1, 3)]:
        found = engine.analyse_many(mixed, rolls, level=level, top=top)
        for position, roll, one in zip(mixed, rolls, found, strict=True):
            assert one == engine.analyse(position, roll, level=level, top=top)
    one = nd.Engine({GAME: random_nets()}, threads=1)
    few, of_few = walk[:6], rolls[:6]
    assert one.analyse_many(few, of_few, level=2) == engine.analyse_many(few, of_few, level=2)
    assert engine.analyse_many([]) == []
    with pytest.raises(ValueError, match="2 rolls for 6"):
        engine.analyse_many(few, rolls[:2])
    with pytest.raises(ValueError, match="no roll"):
        engine.analyse_many([MIDDLE])


# ---- ended before the end ---------------------------------------------------------------------


WIDE = Plan(promote=[ALL] * 4, tree_select=[ALL] * 4, tree_promote=[ALL] * 4, cache=0)
LONG = {  # each would take minutes
    "evaluate": lambda e, stop: e.evaluate(MIDDLE, 4, plan=WIDE, stop=stop),
    "evaluate_many": lambda e, stop: e.evaluate_many([MIDDLE] * 3, level=4, plan=WIDE, stop=stop),
    "analyse": lambda e, stop: e.analyse(OPENING, level=4, plan=WIDE, stop=stop),
    "analyse_many": lambda e, stop: e.analyse_many([OPENING] * 3, level=4, plan=WIDE, stop=stop),
    "cube": lambda e, stop: e.cube(MIDDLE, 4, plan=WIDE, stop=stop),
}


@pytest.mark.parametrize("kind", LONG)
def test_a_flag_ends_a_search(engine, kind):
    stop, ended = Stop(), threading.Event()

    def work():
        with pytest.raises(Cancelled):
            LONG[kind](engine, stop)
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert not ended.wait(0.1)
    stop.set()
    assert ended.wait(20)
    thread.join()
    assert engine.evaluate(MIDDLE, 1).level == 1  # scratch is not left stopped


@pytest.mark.parametrize("kind", LONG)
def test_the_keyboard_ends_a_search(engine, kind):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            LONG[kind](engine, None)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.process_time() - begun < 20
    for thread in threading.enumerate():
        if thread.name == "search":
            thread.join(20)
            assert not thread.is_alive()


def test_top_are_all_at_the_level(engine):
    found = engine.analyse(OPENING, level=1, top=12)
    assert [c.level for c in found.candidates] == [1] * 12 and found.total == 16
    assert len(engine.analyse(OPENING, top=3).candidates) == 3
    assert len(engine.analyse(OPENING, top=99).candidates) == 16


def test_analysis_shows_itself(engine):
    found = engine.analyse(OPENING, level=1)
    lines = str(found).splitlines()
    assert len(lines) == 17 and found.best.play.notation in lines[1] and "1-ply" in lines[1]
    assert found.text("ru", board=True).count("\n") > 25 and "ход" in found.text("ru")
    html = found._repr_html_()
    svg = html[: html.index("<table>")]
    assert ElementTree.fromstring(svg).tag.endswith("svg") and html.count("<tr>") == 17
    data = json.loads(json.dumps(found.to_dict()))
    assert data["candidates"][0].keys() >= {
        "play", "result", "equity", "difference", "level", "probabilities"}
    assert repr(found.best) in repr(found)


def test_a_pass_is_a_candidate(engine):
    shut = nd.Position.from_points([0, 0, *[0] * 17, *[-2] * 6, 1])
    found = engine.analyse(shut, (6, 6), level=1)
    assert found.total == 1 and found.best.play.is_pass and found.best.level == 1
    assert "no legal play" in str(found)


# ---- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "text"), [
    (lambda e: e.evaluate(OPENING, 7), "level"),
    (lambda e: e.analyse(OPENING, top=0), "top"),
    (lambda e: e.analyse(MIDDLE), "dice"),
    (lambda e: e.analyse(MIDDLE, (1, 2, 3)), "dice"),
    (lambda e: e.evaluate(nd.Position.start("hypergammon2")), "2 checkers"),
    (lambda e: nd.Engine(threads=0), "threads"),
    (lambda e: nd.Engine(kernels="none"), "kernels"),
], ids=str)
def test_bad_arguments(engine, call, text):
    with pytest.raises(ValueError, match=text):
        call(engine)


def test_kernels_of_the_environment(monkeypatch):
    monkeypatch.setenv("NARDY_KERNELS", kernel_sets()[0])
    assert nd.Engine().kernels == kernel_sets()[0]
    monkeypatch.setenv("NARDY_KERNELS", "mmx")
    with pytest.raises(ValueError, match="'mmx'"):
        nd.Engine()


# ---- net files --------------------------------------------------------------------------------


def test_net_files(tmp_path, engine):
    nets = random_nets()
    for part, net in nets.items():
        save_net(net, tmp_path / f"{GAME}-{part}.net")
    assert open_net(tmp_path / f"{GAME}-race.net").payload() == nets["race"].payload()
    stored = nd.Engine(tmp_path)
    assert stored.evaluate(MIDDLE, 1) == engine.evaluate(MIDDLE, 1)
    bare = tmp_path / "bare"
    bare.mkdir()
    for part, net in nets.items():
        (bare / f"{part}.net").write_bytes(net.payload())
    assert nd.Engine(bare).evaluate(MIDDLE) == engine.evaluate(MIDDLE)


def test_damaged_and_missing_nets(tmp_path):
    path = tmp_path / f"{GAME}-contact.net"
    save_net(random_nets()["contact"], path)
    with pytest.raises(UnsupportedError, match="race"):
        nd.Engine(tmp_path).evaluate(OPENING)
    whole = path.read_bytes()
    for at in (0, 60, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        with pytest.raises(FileFormatError, match="contact"):
            open_net(path)
    path.write_bytes(whole[:-1])
    with pytest.raises(FileFormatError):
        open_net(path)
    with pytest.raises(OSError, match="none"):
        open_net(tmp_path / "none.net")
    with pytest.raises(ValueError, match="contact of the nets given: is no contact net of long"):
        load_nets("long_nardy", {"long_nardy": random_nets()})
    with pytest.raises(UnsupportedError, match="no contact net"):
        load_nets(GAME, {})


def test_what_is_no_net_file(tmp_path):
    """Neither a device that never ends, nor a pipe nobody writes into, nor a huge file is read."""
    pipe, huge, text = tmp_path / "pipe", tmp_path / "huge.net", tmp_path / "text.net"
    os.mkfifo(pipe)
    with huge.open("wb") as file:
        file.truncate(1 << 40)
    text.write_text("hello, world: no net at all, and long enough for its header\n" * 3)
    for path, says in (("/dev/zero", "not a regular file"), (pipe, "not a regular file"),
                       (huge, "more than 64 MiB"), (text, "not a file of the expected kind")):
        with pytest.raises(FileFormatError) as raised:
            open_net(path)
        assert str(raised.value).startswith(f"{path}: ") and says in str(raised.value)
    with pytest.raises(IsADirectoryError):
        open_net(tmp_path)


def test_a_net_of_another_part_is_refused(tmp_path):
    nets = random_nets()
    for part, other in (("contact", "race"), ("race", "contact"), ("small", "race")):
        with pytest.raises(ValueError, match=f"is no {part} net of {GAME}, but one on .*-{other}-"):
            load_nets(GAME, {GAME: {**nets, part: nets[other]}})
        for name, net in {**nets, part: nets[other]}.items():
            save_net(net, tmp_path / f"{GAME}-{name}.net")
        with pytest.raises(ValueError, match=f"{GAME}-{part}.net: is no {part} net"):
            load_nets(GAME, tmp_path)
