"""Nets, tables and stores with any byte changed, and cut at any place: refused with a reason, or
never read as anything but what was written."""
from __future__ import annotations

import random

import numpy as np
import pytest
from random_nets import random_nets

from nardy_core import Position
from nardy_core._border._long_race import LongRace
from nardy_core._border._tables import BearoffOne, BearoffTwo
from nardy_core.errors import FileFormatError
from nardy_core.match import MatchEquity
from nardy_core.nets import open_net, save_net
from nardy_core.rollout_question import RolloutQuestion
from nardy_core.rollout_result import RolloutPlan
from nardy_core.rollout_store import RolloutStore

SAMPLES = 150  # places in the file, besides all of its first bytes
FRONT = 128  # bytes, with the container's header


def one(path):
    BearoffOne.build().save(path)


def two(path):
    BearoffTwo.build().save(path)


def race(path):
    LongRace.build(7).save(path)


def net(path):
    save_net(random_nets()["race"], path)


FILES = {"net": (net, open_net), "one": (one, BearoffOne.open), "two": (two, BearoffTwo.open),
         "race": (race, LongRace.open)}


@pytest.fixture(scope="module", params=FILES)
def whole(request, tmp_path_factory):
    """(path to write to, bytes of a whole file, what opens it)"""
    make, opens = FILES[request.param]
    path = tmp_path_factory.mktemp("whole") / request.param
    make(path)
    opens(path)
    return path, path.read_bytes(), opens


def refused(path, opens):
    with pytest.raises(FileFormatError) as caught:
        opens(path)
    message = str(caught.value)
    assert "\n" not in message and str(path) in message and len(message) > len(str(path)) + 2


def test_any_byte_changed(whole):
    path, data, opens = whole
    rng = random.Random(1)
    places = [*range(FRONT), *(rng.randrange(FRONT, len(data)) for _ in range(SAMPLES))]
    for at in places:
        bad = bytearray(data)
        bad[at] ^= 1 << rng.randrange(8) if at % 2 else 255
        path.write_bytes(bad)
        refused(path, opens)
    path.write_bytes(data)
    opens(path)


def test_cut_anywhere(whole):
    path, data, opens = whole
    rng = random.Random(2)
    for size in [*range(0, FRONT, 7), *(rng.randrange(len(data)) for _ in range(20)),
                 len(data) - 1]:
        path.write_bytes(data[:size])
        refused(path, opens)
    path.write_bytes(data + b"\0")
    refused(path, opens)
    path.write_bytes(data)


def test_files_of_another_kind(tmp_path):
    net(tmp_path / "a.net")
    for opens in (BearoffOne.open, BearoffTwo.open, LongRace.open):
        refused(tmp_path / "a.net", opens)
    one(tmp_path / "one")
    refused(tmp_path / "one", open_net)


def test_a_store_never_tells_other_sums(tmp_path):
    """Any byte changed: what is still told was written so, and the rest is missing."""
    position = Position.parse("x=6:2 o=6:2 turn=x")
    question = RolloutQuestion(position, None, RolloutPlan(), (("race", "0"),), ())
    path = tmp_path / "sums"
    store = RolloutStore(path)
    rows = np.arange(12.0 * question.length).reshape(12, -1)
    for first in range(0, 12, 3):
        store.add(question, first, rows[first:first + 3])
    data = path.read_bytes()
    rng, lost = random.Random(3), 0
    for at in [*range(40), *(rng.randrange(40, len(data)) for _ in range(SAMPLES))]:
        bad = bytearray(data)
        bad[at] ^= 1 << rng.randrange(8)
        path.write_bytes(bad)
        try:
            found = list(RolloutStore(path, create=False).rows(question))
        except FileFormatError as error:
            assert at < 16 and "\n" not in str(error)
            continue
        lost += 12 - len(found)
        for chunk, _, row in found:
            assert row.tobytes() == rows[chunk].tobytes()
    assert lost > 0


def test_arrays_that_are_no_boards(tmp_path):
    """No array makes the core read where it must not."""
    from nardy_core.evaluator import Evaluator

    nets = random_nets()
    evaluator = Evaluator("backgammon", {part: nets[part] for part in ("contact", "race")})
    table = LongRace.build(7)
    rng = np.random.default_rng(5)
    boards = [np.full(8, 0xFFFFFFFF, np.uint32), np.zeros(8, np.uint32),
              np.full(8, 1 << 31, np.uint32), np.full(8, 0x7E, np.uint32),
              *rng.integers(0, 1 << 32, (20, 8), np.uint32)]
    roll = np.ones((1, 2), np.uint32)
    for board in boards:
        many = board.reshape(1, 8)
        for call, *words in (
                (evaluator.evaluate, many), (evaluator.choose, board, (3, 1)),
                (evaluator.lookahead, board), (evaluator.evaluate_nply, board, 1),
                (evaluator.evaluate_many, many), (evaluator.choose_many, many, roll),
                (evaluator.bench_choose, many, roll), (table.outcomes, many),
                (table.rolls, board[:4])):
            with pytest.raises(ValueError):
                call(*words)
    start = Position.start().board.reshape(1, 8)
    for dice in ((0, 1), (7, 1), (1 << 31, 1)):
        with pytest.raises(ValueError):
            evaluator.bench_choose(start, np.array([dice], np.uint32))


def test_a_match_equity_table_of_other_numbers(tmp_path):
    """It has no checksum; what is read is a table, whose chances lie in order."""
    text = MatchEquity.open("woolsey").to_csv()
    rng, read = random.Random(4), 0
    for _ in range(SAMPLES):
        at = rng.randrange(len(text))
        bad = text[:at] + chr(rng.randrange(32, 127)) + text[at + 1:]
        try:
            table = MatchEquity.read(bad)
        except ValueError as error:
            assert "\n" not in str(error)
            continue
        read += 1
        chances = [table.mwc(3, n) for n in range(1, 12)]
        assert chances == sorted(chances) and chances[0] > 0 and chances[-1] < 1
    assert 0 < read < SAMPLES


def test_a_match_equity_table_at_odds_with_itself():
    """Where both need one point after the Crawford game, the two rows speak of the same game."""
    text = "before\n0.5,0.7\n0.3,0.5\nafter\n{},0.48\n0.5,0.49\n"
    assert MatchEquity.read(MatchEquity.read(text.format(0.5)).to_csv()).length == 2
    with pytest.raises(ValueError, match="needing a point each, 0.9 and 0.5 are not 1"):
        MatchEquity.read(text.format(0.9))
