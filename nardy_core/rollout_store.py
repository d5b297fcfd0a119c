"""Raw sums of rollouts on disk: a file that any number of processes append to.

Format, version 1. All numbers are little-endian. The file begins with 16 bytes: `NARDYSUM`, the
version as uint32, and a uint32 that is 0. Records follow, one after the other:

    bytes    4   `\\xA5REC`
             4   kind, uint32
             8   n = length of the content, uint64
             4   CRC-32 of the 16 bytes before it, uint32
             n   content
             8   BLAKE2b digest (8 bytes) of everything in the record before it

    kind 1   a question: JSON (UTF-8, sorted keys, no blanks) as RolloutQuestion.to_dict gives it.
             Its key, the 16-byte BLAKE2b digest of the content, names it below.
    kind 2   rows: key (16 bytes), first chunk uint64, subjects uint64, seconds they took float64,
             chunks m uint32, numbers in a row k uint32, then m rows of k float64: the raw sums of
             chunks first .. first + m - 1. Where bit i of subjects is 0, candidate i was not
             rolled out and its sums are 0.
    kind 3   a total: key (16 bytes), chunks uint64, length j of a JSON text uint32, numbers k
             uint32, the text, then k float64: rows 0 .. chunks - 1 added in this order. The text
             has `se` and `jsd`, the rules that did not stop the rollout before, and `reason`.

Kinds unknown to a reader are passed over. Rows that are there twice are the same. A record that
does not hold together is passed over, too: reading goes on at the next one that does, and what is
missing is computed again. Whoever appends holds a lock on the file and first cuts off what a writer
that died has left behind the last whole record.
"""
from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import struct
import sys
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from nardy_core._border.errors import FileFormatError
from nardy_core.rollout_question import RolloutQuestion, unlike
from nardy_core.rollout_sums import Floats

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MAGIC, VERSION = b"NARDYSUM", 1
SYNC_SECONDS = 1.0  # a power failure loses what was appended later than that before it
_HEADER = struct.Struct("<8sII")
NOTHING_YET = _HEADER.size  # bytes of a file that holds no record, however it was cut off
_MARK, _RECORD, _CRC, _DIGEST = b"\xa5REC", struct.Struct("<4sIQ"), struct.Struct("<I"), 8
_HEAD = _RECORD.size + _CRC.size
_QUESTION, _ROWS, _TOTAL = 1, 2, 3
_ROWS_HEAD, _TOTAL_HEAD = struct.Struct("<16sQQdII"), struct.Struct("<16sQII")
_KEY = 16
_WINDOW = 1 << 20  # bytes looked through at a time for the next whole record


class Total(NamedTuple):
    """Rows 0 .. done - 1 added up, `row`, with the rules `se` and `jsd` that did not stop the
    rollout before, and the `reason` of its end; see kind 3 of the format."""

    done: int
    se: float | None
    jsd: float | None
    reason: str
    row: Floats


class _Rows(NamedTuple):
    first: int
    active: int
    chunks: int
    length: int
    seconds: float
    at: int  # of the numbers in the file


class RolloutStore:
    """The raw sums of any number of rollouts in one file, made where it is missing.

    Any number of stores, in any processes, may be about the same file. All methods may be called
    from any thread. Raises FileFormatError (a ValueError) for a file that is none of these, OSError
    for what cannot be read or written.

    create : False = the file must exist; it is not written to then before the first `add`
    single : it is to hold one question only
    damaged : bytes that had to be passed over
    """

    def __init__(
        self, path: str | os.PathLike[str], *, create: bool = True, single: bool = False
    ) -> None:
        self.path, self.single = os.fspath(path), single
        self.damaged = 0
        self._questions: dict[bytes, dict[str, Any]] = {}
        self._rows: dict[bytes, list[_Rows]] = {}
        self._totals: dict[bytes, list[tuple[Mapping[str, Any], _Rows]]] = {}
        self._end = 0  # of the last whole record
        self._synced = time.monotonic()
        self._lock = threading.RLock()
        if create:
            self._make()
        self.refresh()

    def _make(self) -> None:
        head = _HEADER.pack(MAGIC, VERSION, 0)
        with open(self.path, "a+b", buffering=0) as file, _locked(file):
            if file.seek(0, os.SEEK_END) < len(head):
                file.seek(0)
                if not head.startswith(_read(file, len(head))):
                    raise self._fault("no store of rollouts")
                file.truncate(0)
                _write(file, head)

    # ---- what is there --------------------------------------------------------------------------

    def questions(self) -> list[dict[str, Any]]:
        """The questions as `RolloutQuestion.to_dict` gives them, in the order they came."""
        with self._lock:
            return list(self._questions.values())

    def __contains__(self, question: RolloutQuestion) -> bool:
        return question.key in self._questions

    def unlike(self, question: RolloutQuestion) -> str:
        """What keeps a question from those that are there: the first setting or net in which it
        differs from them, with both values, "" where nothing does. Questions of one game must
        agree in all that does not come with the position; `single` asks for everything."""
        asked = question.to_dict()
        with self._lock:
            if question.key in self._questions:
                return ""
            there = next((q for q in self._questions.values()
                          if self.single or q.get("game") == asked["game"]), asked)
        return unlike(there, asked, None if self.single else question.shared)

    def rows(self, question: RolloutQuestion) -> Iterator[tuple[int, int, Floats]]:
        """(chunk number, active, raw sums) of each chunk that is there, in rising order; see
        `rollout_sums.run_chunks`. Raises FileFormatError where a chunk is there twice with unlike
        sums: one of them is wrong."""
        with self._lock:
            pieces = sorted(piece for piece in self._rows.get(question.key, ())
                            if piece.length == question.length)
        waiting: dict[int, tuple[int, Floats]] = {}
        for piece in pieces:
            for c in [c for c in waiting if c < piece.first]:  # no later piece has these
                yield c, *waiting.pop(c)
            for c, row in enumerate(self._numbers(piece), piece.first):
                active, there = waiting.get(c, (0, row))
                if active == piece.active and there.tobytes() != row.tobytes():
                    raise self._fault(f"chunk {c} is there twice with unlike sums")
                if active.bit_count() < piece.active.bit_count():
                    waiting[c] = piece.active, row
            waiting = dict(sorted(waiting.items()))
        for c, found in waiting.items():
            yield c, *found

    def extent(self, question: Mapping[str, Any]) -> tuple[int, float]:
        """How many chunks of a question, one of `questions`, are there, singly or in a total, and
        the seconds that the single ones took."""
        with self._lock:
            key = next((key for key, q in self._questions.items() if q == question), b"")
            pieces = list(self._rows.get(key, ()))
            return self._chunks(key), sum(piece.seconds for piece in pieces)

    def chunks(self, question: RolloutQuestion, end: float = math.inf) -> int:
        """How many chunks of a question are there, singly or in a total, of numbers below `end`."""
        with self._lock:
            return self._chunks(question.key, end)

    def _chunks(self, key: bytes, end: float = math.inf) -> int:
        added = max((place.first for _, place in self._totals.get(key, ())), default=0)
        single = {c for piece in self._rows.get(key, ())
                  for c in range(max(piece.first, added), piece.first + piece.chunks) if c < end}
        return int(min(added, end)) + len(single)

    def totals(self, question: RolloutQuestion) -> list[Total]:
        """The totals of a question that are there, in the order they came."""
        with self._lock:
            kept = list(self._totals.get(question.key, ()))
        return [Total(place.first, text.get("se"), text.get("jsd"), str(text.get("reason")),
                      self._numbers(place)[0])
                for text, place in kept if place.length == question.length]

    def _numbers(self, place: _Rows) -> Floats:
        with open(self.path, "rb", buffering=0) as file:
            file.seek(place.at)
            data = _read(file, 8 * place.chunks * place.length)
        if len(data) < 8 * place.chunks * place.length:
            raise self._fault("became shorter")
        return np.frombuffer(data, dtype="<f8").astype(np.float64).reshape(place.chunks, -1)

    # ---- appending ------------------------------------------------------------------------------

    def add(
        self, question: RolloutQuestion, first: int, rows: Floats, active: int | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Append the raw sums of chunks first, first + 1, …: `rows`, float64 (m, question.length).
        `active` as for `rollout_sums.run_chunks`; `seconds` is what they took. On an error, a full
        disk say, the file is as it was before."""
        if rows.ndim != 2 or rows.shape[1] != question.length:
            raise ValueError("rows that do not fit the question")
        head = _ROWS_HEAD.pack(
            question.key, first, question.all if active is None else active, seconds, *rows.shape)
        self._append(question, _ROWS, head + rows.astype("<f8").tobytes())

    def add_total(self, question: RolloutQuestion, total: Total) -> None:
        """Append a total."""
        if total.row.shape != (question.length,):
            raise ValueError("a total that does not fit the question")
        text = json.dumps({"se": total.se, "jsd": total.jsd, "reason": total.reason}).encode()
        head = _TOTAL_HEAD.pack(question.key, total.done, len(text), question.length)
        self._append(question, _TOTAL, head + text + total.row.astype("<f8").tobytes())

    def merge(self, other: RolloutStore) -> int:
        """Append what the `other` store has and this one lacks; the number of chunks that came.
        ValueError where a question differs from those here in settings or nets."""
        came = 0
        for data in other.questions():
            question = RolloutQuestion.from_dict(data)
            if difference := self.unlike(question):
                raise ValueError(f"{os.fsdecode(other.path)} is another rollout than "
                                 f"{os.fsdecode(self.path)}: {difference}")
            mine = {c: (active, row) for c, active, row in self.rows(question)}
            lacking: list[tuple[int, int, Floats]] = []
            for c, active, row in other.rows(question):
                there, same = mine.get(c, (0, row))
                if there == active and same.tobytes() != row.tobytes():
                    raise self._fault(f"chunk {c} of {data['position']} has other sums than in "
                                      f"{other.path}")
                if there & active == active:
                    continue
                if lacking and (lacking[-1][:2] != (c - 1, active)
                                or len(lacking) >= question.piece):
                    self._add_list(question, lacking)
                    lacking = []
                lacking.append((c, active, row))
                came += 1
            if lacking:
                self._add_list(question, lacking)
            known = [_same(total) for total in self.totals(question)]
            before = self.chunks(question)
            for total in other.totals(question):
                if _same(total) not in known:
                    self.add_total(question, total)
            came += self.chunks(question) - before
        return came

    def _add_list(self, question: RolloutQuestion, rows: list[tuple[int, int, Floats]]) -> None:
        first, active, _ = rows[0]
        self.add(question, first, np.stack([row for _, _, row in rows]), active)

    def _append(self, question: RolloutQuestion, kind: int, content: bytes) -> None:
        with self._lock, open(self.path, "a+b", buffering=0) as file, _locked(file):
            self._refresh(file)
            file.truncate(self._end)
            data = _record(kind, content)
            if question.key not in self._questions:
                data = _record(_QUESTION, question.text.encode()) + data
            try:
                _write(file, data)
            except BaseException as error:
                with contextlib.suppress(OSError):
                    file.truncate(self._end)
                if isinstance(error, OSError):  # say which file
                    raise OSError(error.errno, error.strerror, self.path) from None
                raise
            self._refresh(file)
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(file.fileno())
                self._synced = time.monotonic()

    # ---- reading --------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read what others have appended."""
        with self._lock, open(self.path, "rb", buffering=0) as file:
            self._refresh(file)

    def _refresh(self, file: BinaryIO) -> None:
        size = file.seek(0, os.SEEK_END)
        if size < self._end:
            raise self._fault("became shorter")
        at = self._end or self._begin(file)
        while at < size:
            after = self._take(file, at, size)
            if after:
                at = self._end = after
                continue
            after = self._next(file, at + 1, size)
            if not after:
                break  # what another is still writing, or has left when it died
            self.damaged += after - at
            at = after

    def _begin(self, file: BinaryIO) -> int:
        file.seek(0)
        head = _read(file, _HEADER.size)
        if len(head) < _HEADER.size or not head.startswith(MAGIC):
            raise self._fault("no store of rollouts")
        _, version, _ = _HEADER.unpack(head)
        if version != VERSION:
            raise self._fault(f"a store of version {version}, this program knows {VERSION}")
        self._end = _HEADER.size
        return self._end

    def _whole(self, file: BinaryIO, at: int, size: int) -> tuple[int, int] | None:
        """(kind, length of the content) of a record that holds together."""
        if at + _HEAD + _DIGEST > size:
            return None
        file.seek(at)
        head = _read(file, _HEAD)
        _, kind, length = _RECORD.unpack(head[:_RECORD.size])
        if not _is_head(head):
            return None
        if at + _HEAD + length + _DIGEST > size:
            return None
        digest = hashlib.blake2b(head, digest_size=_DIGEST)
        left = length
        while left > 0:
            part = _read(file, min(left, _WINDOW))
            if not part:
                return None
            digest.update(part)
            left -= len(part)
        return (kind, length) if _read(file, _DIGEST) == digest.digest() else None

    def _take(self, file: BinaryIO, at: int, size: int) -> int:
        """Note what the record at a place holds; the place behind it, 0 where there is no record
        that holds together."""
        found = self._whole(file, at, size)
        if not found:
            return 0
        kind, length = found
        inside = at + _HEAD
        file.seek(inside)
        if kind == _QUESTION:
            content = _read(file, length)
            if data := _json(content):
                self._questions[hashlib.blake2b(content, digest_size=_KEY).digest()] = data
        elif kind == _ROWS and length >= _ROWS_HEAD.size:
            key, first, active, seconds, m, k = _ROWS_HEAD.unpack(_read(file, _ROWS_HEAD.size))
            if m and k and length == _ROWS_HEAD.size + 8 * m * k:
                place = _Rows(first, active, m, k, seconds, inside + _ROWS_HEAD.size)
                self._rows.setdefault(key, []).append(place)
        elif kind == _TOTAL and length >= _TOTAL_HEAD.size:
            key, done, j, k = _TOTAL_HEAD.unpack(_read(file, _TOTAL_HEAD.size))
            if length == _TOTAL_HEAD.size + j + 8 * k and (text := _json(_read(file, j))):
                place = _Rows(done, 0, 1, k, 0.0, inside + _TOTAL_HEAD.size + j)
                self._totals.setdefault(key, []).append((text, place))
        return inside + length + _DIGEST

    def _next(self, file: BinaryIO, at: int, size: int) -> int:
        """The place of the next record that holds together, 0 where there is none."""
        while at + _HEAD <= size:
            file.seek(at)
            window = _read(file, _WINDOW)
            found = window.find(_MARK)
            while 0 <= found <= len(window) - _HEAD:
                if _is_head(window[found:found + _HEAD]) and self._whole(file, at + found, size):
                    return at + found
                found = window.find(_MARK, found + 1)
            at += max(len(window) - _HEAD + 1, 1)
        return 0

    def _fault(self, text: str) -> FileFormatError:
        return FileFormatError(f"{os.fsdecode(self.path)}: {text}")


def _record(kind: int, content: bytes) -> bytes:
    head = _RECORD.pack(_MARK, kind, len(content))
    data = head + _CRC.pack(zlib.crc32(head)) + content
    return data + hashlib.blake2b(data, digest_size=_DIGEST).digest()


def _is_head(head: bytes) -> bool:
    mark = head.startswith(_MARK)
    return mark and head[_RECORD.size:] == _CRC.pack(zlib.crc32(head[:_RECORD.size]))


def _json(content: bytes) -> dict[str, Any]:
    """What a JSON text holds, nothing where it is no JSON object."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _same(total: Total) -> tuple[object, ...]:
    return (*total[:-1], total.row.tobytes())


def _read(file: BinaryIO, length: int) -> bytes:
    """So many bytes, or all that are left."""
    parts = []
    while length > 0:
        part = file.read(length)
        if not part:
            break
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _write(file: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view):]


@contextlib.contextmanager
def _locked(file: BinaryIO) -> Iterator[None]:
    """No other process, and no other store of this one, appends meanwhile."""
    if sys.platform == "win32":
        place = 1 << 62  # behind everything: others may read
        while True:
            file.seek(place)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                break
            except OSError as error:  # tries for ten seconds
                if error.errno != errno.EDEADLOCK:
                    raise
        try:
            yield
        finally:
            file.seek(place)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
