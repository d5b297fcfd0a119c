"""Judgements kept on disk, so that a decision is never judged twice at the same level."""
from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import zlib
from collections.abc import Mapping
from typing import Any

from nardy_core.cache import directory, say

NAME = "judgements.sqlite"
FORM = 2  # of what is kept; another one is made afresh
MAX_ROWS = 500_000
MAX_TEXT = 1 << 20  # bytes of one answer, far more than any has

Plain = Mapping[str, Any]


def key_of(*parts: object) -> bytes:
    """A key of everything that an answer depends on."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).digest()[:16]


class Judgements:
    """A table of answers by key in the cache directory. Never fails: where it cannot read or
    write, it says so once on stderr and remembers nothing.

    Any number of processes may use it; what is put is on disk after `flush`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[bytes, bytes]] = []
        self._base: sqlite3.Connection | None = None
        try:
            folder = directory()
            folder.mkdir(parents=True, exist_ok=True)
            base = sqlite3.connect(folder / NAME, timeout=5, check_same_thread=False)
            base.execute("PRAGMA journal_mode=WAL")
            base.execute("PRAGMA synchronous=NORMAL")
            if base.execute("PRAGMA user_version").fetchone()[0] != FORM:
                base.execute("DROP TABLE IF EXISTS answers")
                base.execute(f"PRAGMA user_version={FORM}")
            base.execute("CREATE TABLE IF NOT EXISTS answers "
                         "(key BLOB PRIMARY KEY, answer BLOB NOT NULL) WITHOUT ROWID")
            base.commit()
            self._base = base
        except (OSError, RuntimeError, sqlite3.Error) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        say(f"judgements not kept: {error}")
        self._base, self._waiting = None, []

    def get(self, key: bytes) -> Plain | None:
        """The answer that was put, of whatever form: `whole.is_whole` knows which that has to be.
        None where there is none, or a damaged one."""
        with self._lock:
            if self._base is None:
                return None
            try:
                row = self._base.execute(
                    "SELECT answer FROM answers WHERE key=?", (key,)).fetchone()
            except (sqlite3.Error, OverflowError) as error:
                self._give_up(error)
                return None
        return _answer(row[0]) if row else None

    def put(self, key: bytes, answer: Plain) -> None:
        data = zlib.compress(json.dumps(answer).encode())
        with self._lock:
            if self._base is not None:
                self._waiting.append((key, data))

    def flush(self) -> None:
        """Write what was put."""
        with self._lock:
            if self._base is None or not self._waiting:
                return
            try:
                with self._base:
                    self._base.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)",
                                           self._waiting)
                    count = self._base.execute("SELECT count(*) FROM answers").fetchone()[0]
                    if count > MAX_ROWS:  # keys are hashes, so these are any
                        self._base.execute(
                            "DELETE FROM answers WHERE key IN "
                            "(SELECT key FROM answers ORDER BY key LIMIT ?)", (count // 2,))
                self._waiting = []
            except sqlite3.Error as error:
                self._give_up(error)

    def close(self) -> None:
        self.flush()
        with self._lock:
            if self._base is not None:
                self._base.close()
                self._base = None


def _answer(data: Any) -> Plain | None:
    try:
        found = json.loads(zlib.decompressobj().decompress(data, MAX_TEXT))
    except (zlib.error, ValueError, TypeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
