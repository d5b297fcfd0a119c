"""What is fuzzed in Python: everything that reads what others have written.

A target takes bytes and returns whether they made sense. Anything but a ValueError of one printable
line, or what a protocol answers instead, is a finding; so is a reading that does not survive being
written and read again. The C core's own readers have targets in src_c/tests/fuzz_*.c.
"""
from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import struct
import sys
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]  # where run.py has not put them

from fuzz.mutate import mutated  # noqa: E402 (this and the next: found by the line above)
from fuzz.protocols import check_gnubg, check_http, check_socket, check_ubgi  # noqa: E402
from fuzz.target import Target, in_time, one_line, seeds  # noqa: E402
from nardy_core import Position, formats, ids, rollout_store  # noqa: E402
from nardy_core.errors import NardyError  # noqa: E402
from nardy_core.match import MatchEquity  # noqa: E402
from nardy_core.match_analysis import store as judgements  # noqa: E402
from nardy_core.match_analysis.whole import is_whole  # noqa: E402
from nardy_core.match_record import MatchRecord  # noqa: E402
from nardy_core.notation import format_play, parse_play  # noqa: E402
from nardy_core.rollout_batch import read_items  # noqa: E402
from nardy_core.rollout_question import RolloutQuestion  # noqa: E402
from nardy_core.rollout_store import RolloutStore  # noqa: E402
from nardy_core.tables_play import _read as read_saved  # noqa: E402

# ---- text: positions, plays, tables, lists of positions -----------------------------------------


def check_ids(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    return _position(text, True) | _position(text, False) | _play(text)


def _position(text: str, strict: bool) -> bool:
    try:
        position = Position.parse(text, strict=strict)
    except ValueError as error:
        one_line(str(error))
        return False
    assert Position.parse(position.id("text")) == position
    for form in ids.FORMS:
        try:
            written = position.id(form)
        except ValueError as error:
            one_line(str(error))
            continue
        if form == "gnu-match":
            continue
        dialect = form if form.startswith("fibs") else None
        back = Position.parse(written, dialect=dialect, checkers=position.checkers)
        assert (back.own, back.opp) == (position.own, position.opp), form
        assert back.id(form) == written, form
    return True


def _play(text: str) -> bool:
    try:
        steps = parse_play(text)
    except ValueError as error:
        one_line(str(error))
        return False
    written = format_play(steps)
    assert format_play(parse_play(written)) == written
    return True


def check_met(data: bytes) -> bool:
    try:
        table = MatchEquity.read(data.decode("utf-8", "replace"))
    except ValueError as error:
        one_line(str(error))
        return False
    assert 0 <= table.swap().mwc(1, 2) <= 1
    assert MatchEquity.read(table.to_csv()).length == table.length
    return True


def check_items(data: bytes) -> bool:
    """A file of questions for rollouts."""
    errors = [item.error for item in read_items(data.decode("utf-8", "replace").split("\n"))]
    for error in errors:
        if error is not None:
            assert isinstance(error, (ValueError, RecursionError)), repr(error)
            one_line(str(error))
    return not any(errors)


# ---- match files --------------------------------------------------------------------------------


def check_formats(data: bytes) -> bool:
    with in_time():
        try:
            record = formats.read(data)
        except ValueError as error:
            one_line(str(error))
            record, well = getattr(error, "partial", None) or [], False
        else:
            well = True
        if record or well:
            assert formats.read(formats.dumps(record, "json")) == record
        if isinstance(record, MatchRecord):
            for game in record.games:
                assert game.final is not None and list(game.decisions(rolls=True)) is not None
            formats.dumps(record, "csv")
    return well


def format_samples() -> list[bytes]:
    """Those of golden/formats, with an .ogxm among them where gammonview is at hand."""
    golden = HERE.parent / "golden" / "formats"
    found = [path.read_bytes() for path in sorted(golden.iterdir()) if path.suffix != ".py"]
    record = formats.read(golden / "jellyfish.mat")
    found.append(formats.dumps(record, "json"))
    with contextlib.suppress(ValueError, RuntimeError):
        found.append(formats.dumps(record, "ogxm"))
    return found


def mutate_format(rng: random.Random, data: bytes) -> bytes:
    """Mostly the beginning, which is quicker. Of a .xg file the records, not what they are packed
    into."""
    if data.startswith(b"RGMH"):
        begin = 8232 + int.from_bytes(data[20:24], "little")
        with contextlib.suppress(zlib.error):  # where an earlier change was to what they lie in
            records = zlib.decompress(data[begin:])
            return data[:begin] + zlib.compress(mutated(rng, records), 1)
    if rng.random() < 0.9 and not data.startswith(b"OGXM"):
        data = data[:rng.choice((300, 600, 900))]
    return mutated(rng, data)


# ---- binary: nets, stores -----------------------------------------------------------------------


@functools.cache
def _folder() -> Path:
    holder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    _holders.append(holder)
    return Path(holder.name)


_holders: list[tempfile.TemporaryDirectory[str]] = []


def check_net(data: bytes) -> bool:
    from nardy_core.nets import open_net

    path = _folder() / "a.net"
    path.write_bytes(data)
    try:
        net = open_net(path)
    except ValueError as error:
        one_line(str(error))
        return False
    assert net.info["outcomes"] in range(2, 9)
    return True


def net_samples() -> list[bytes]:
    from random_nets import random_nets

    from nardy_core.nets import save_net

    path = _folder() / "sample.net"
    save_net(random_nets()["race"], path)
    return [path.read_bytes(), path.read_bytes()[:300]]


@functools.cache
def _question() -> RolloutQuestion:
    from nardy_core.rollout_result import RolloutPlan

    position = Position.parse("x=6:2 o=6:2 turn=x")
    return RolloutQuestion(position, None, RolloutPlan(), (("race", "0"),), ())


def check_store(data: bytes) -> bool:
    """Whatever a store holds can be asked for, and it can be written to."""
    path = _folder() / "store"
    path.write_bytes(data)
    question = _question()
    try:
        store = RolloutStore(path)
        for asked in store.questions():
            store.extent(asked)
            with contextlib.suppress(ValueError):
                RolloutQuestion.from_dict(asked)
        store.unlike(question)
        for total in store.totals(question):
            assert total.row.shape == (question.length,) and isinstance(total.reason, str)
            assert all(x is None or isinstance(x, float) for x in (total.se, total.jsd))
        rows = list(store.rows(question))
        before = len(rows)
        last = rows[-1][0] + 1 if rows else 0
        if last < 1 << 40:
            import numpy as np

            store.add(question, last, np.zeros((1, question.length)))
            assert len(list(RolloutStore(path).rows(question))) == before + 1
    except (ValueError, NardyError) as error:
        one_line(str(error))
        return False
    return bool(store.questions())


def store_samples() -> list[bytes]:
    import numpy as np

    question, path = _question(), _folder() / "made"
    path.unlink(missing_ok=True)
    store = RolloutStore(path)
    rows = np.arange(3.0 * question.length).reshape(3, -1)
    store.add(question, 0, rows, seconds=1.5)
    store.add(question, 3, rows[:1])
    store.add_total(question, rollout_store.Total(4, 0.01, None, "trials", rows.sum(axis=0)))
    return [path.read_bytes()]


def mutate_store(rng: random.Random, data: bytes) -> bytes:
    """Half of the time the contents of records, packed again under right checksums."""
    if rng.random() < 0.5:
        return mutated(rng, data)
    at, out = 16, [data[:16]]
    while at + 20 <= len(data):
        kind, length = struct.unpack_from("<IQ", data, at + 4)
        content = data[at + 20:at + 20 + length]
        at += 20 + length + 8
        if rng.random() < 0.5:
            head = bytearray(content[:64])
            for _ in range(rng.randrange(4) if head else 0):
                head[rng.randrange(len(head))] = rng.choice((0, 1, 255, rng.randrange(256)))
            content = bytes(head) + content[64:]
            content = mutated(rng, content) if rng.random() < 0.5 else content
        if rng.random() < 0.1:
            kind = rng.randrange(5)
        out.append(rollout_store._record(kind, content))
    return b"".join(out)


# ---- what an earlier run has kept ---------------------------------------------------------------


SAVED = {"table": "openings", "start": "start", "level": 0}


def check_saved(data: bytes) -> bool:
    """A table's file, which the next run goes on from."""
    path = _folder() / "saved"
    path.write_bytes(data)
    try:
        found = read_saved(path, SAVED)
    except (ValueError, NardyError) as error:
        one_line(str(error))
        return False
    assert read_saved(path, SAVED) == found
    assert all(row[0] == rank for rows in found.values() for rank, row in enumerate(rows, 1))
    return bool(found)


def saved_samples() -> list[bytes]:
    lines: list[dict] = [SAVED]
    lines += [{"task": task, "rows": [[1, "8/5 6/5", 0.1657, 0.0, 2, None],
                                      [2, "24/23 13/10", -0.0035, -0.1692, "roller", 0.01]]}
              for task in ("31", "21")]
    return ["".join(json.dumps(line) + "\n" for line in lines).encode()]


@functools.cache
def _decisions():
    match = formats.read(HERE.parent / "golden" / "formats" / "jellyfish.mat")
    found = list(match.games[0].decisions(rolls=True))
    return [next(d for d in found if d.action.kind == kind) for kind in ("play", "no_double")]


def check_judgement(data: bytes) -> bool:
    """A kept answer: it is what its decision needs, or as good as none."""
    judgements._answer(data)
    answer = judgements._answer(zlib.compress(data, 1))
    if answer is None:
        return False
    fit = [is_whole(decision, answer) for decision in _decisions()]
    return any(fit)


def judgement_samples() -> list[bytes]:
    chances = {"level": "0-ply", "plies": 0, "probabilities": [0.5, 0.1, 0.0, 0.5, 0.1, 0.0]}
    candidate = {"equity": 0.1, "cubeless": 0.1, "play": "8/5 6/5", "steps": [[8, 5], [6, 5]],
                 **chances}
    play = {"luck": 0.01, "choices": 2, "candidates": [candidate, candidate], "played": 1,
            "counts": True}
    cube = {"cube": {"no_double": 0.1, "cubeless": 0.1, "double_take": 0.2, "double_pass": 1.0,
                     "beaver": None, **chances}}
    return [json.dumps(answer).encode() for answer in (play, cube)]


def check_job(data: bytes) -> bool:
    """A job that an earlier server has left in a file."""
    from nardy_core.serve.http.jobs import Job

    try:
        job = Job.load(json.loads(data))
    except (ValueError, TypeError, RecursionError) as error:
        assert str(error)
        return False
    json.dumps(job.to_dict())
    return True


def met_samples() -> list[bytes]:
    folder = HERE.parents[1] / "nardy_core" / "data" / "met"
    return [(folder / "woolsey.csv").read_bytes(), *seeds("met")]


TARGETS = {
    "ids": Target(check_ids, lambda: seeds("ids")),
    "items": Target(check_items, lambda: seeds("items")),
    "met": Target(check_met, met_samples),
    "formats": Target(check_formats, format_samples, mutate_format),
    "net": Target(check_net, net_samples),
    "store": Target(check_store, store_samples, mutate_store),
    "gnubg": Target(check_gnubg, lambda: seeds("gnubg")),
    "ubgi": Target(check_ubgi, lambda: seeds("ubgi")),
    "http": Target(check_http, lambda: seeds("http")),
    "socket": Target(check_socket, lambda: seeds("socket")),
    "job": Target(check_job, lambda: seeds("job")),
    "saved": Target(check_saved, saved_samples),
    "judgement": Target(check_judgement, judgement_samples),
}
