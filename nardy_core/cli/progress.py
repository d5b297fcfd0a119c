"""Jobs while they run: a table or a bar on a terminal, or JSON lines for programs; on stderr."""
from __future__ import annotations

import argparse
import json
import math
import sys
import time
from typing import TYPE_CHECKING, Any

from nardy_core.terms import term

if TYPE_CHECKING:
    from nardy_core.rollout import RolloutEntry, RolloutResult
    from nardy_core.rollout_batch import Item

KINDS = ("auto", "json", "none")
SCHEMA = "nardy.rollout-progress/1"
MATCH_SCHEMA = "nardy.analyse-progress/1"
HEADINGS = ("equity", "interval", "best", "trials_of")  # terms


def progress_argument(made: argparse.ArgumentParser) -> None:
    made.add_argument("--progress", choices=KINDS, default="auto",
                      help="on stderr: auto = on a terminal, for people; json = one object a line")
    made.add_argument("--quiet", dest="progress", action="store_const", const="none",
                      help="the same as --progress none")


def _kind(kind: str) -> str:
    """Where nobody looks, nothing is shown unless asked for."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    return "none" if kind == "auto" and not terminal else kind


class Progress:
    """Called with results as they come.

    kind : "auto" = a table where stderr is a terminal, "json" = one object a line, "none"
    lang : of the table
    """

    def __init__(self, kind: str = "auto", lang: str = "en") -> None:
        self._lang, self._kind = lang, _kind(kind)
        self._begun = time.monotonic()
        self._first: int | None = None  # trials at the first call
        self._lines = 0
        self._live: Any = None

    def __call__(self, result: RolloutResult) -> None:
        if self._kind == "json":
            _say(self.document(result))
        elif self._kind == "auto":
            self._show(result)

    def close(self) -> None:
        """Take the table away."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        elif self._lines:
            sys.stderr.write(f"\x1b[{self._lines}F\x1b[J")
            sys.stderr.flush()
        self._lines = 0

    # ---- what is said ---------------------------------------------------------------------------

    def _pace(self, result: RolloutResult) -> tuple[float, float] | tuple[None, None]:
        """Trials of all candidates a second, and seconds left; nothing at the first call, which
        has nothing to compare with."""
        if self._first is None:  # may have been kept by a job: tells nothing of the pace
            self._first, self._begun = result.trials, time.monotonic()
        seconds = time.monotonic() - self._begun
        made = result.trials - (self._first or 0)
        if made <= 0 or seconds <= 0:
            return None, None
        rate = made / seconds
        left = (result.plan.trials - result.trials) / rate
        if result.plan.se:  # errors fall with the square root
            wanted = result.trials * (max(e.standard_error for e in result.entries)
                                      / result.plan.se) ** 2
            left = min(left, max(wanted - result.trials, 0) / rate)
        if result.plan.max_time:
            left = min(left, max(result.plan.max_time - seconds, 0))
        return rate * len(result.entries), max(left, 0.0)

    def document(self, result: RolloutResult) -> dict[str, Any]:
        """One object of the JSON lines."""
        rate, left = self._pace(result)
        return {"schema": SCHEMA, "position": result.position.id(),
                "trials": result.trials, "of": result.plan.trials,
                "trials_per_second": None if rate is None else round(rate, 1),
                "seconds_left": None if left is None else round(left, 1),
                "candidates": [{
                    "name": _key(e), "equity": round(e.equity, 6),
                    "standard_error": round(e.standard_error, 6),
                    "interval": [round(x, 6) for x in e.interval],
                    "best_chance": round(e.best_chance, 4), "trials": e.trials}
                    for e in result.entries]}

    def _rows(self, result: RolloutResult) -> list[tuple[str, ...]]:
        return [(_name(e, self._lang), f"{e.equity:+.4f}", "{:+.4f} .. {:+.4f}".format(*e.interval),
                 f"{100 * e.best_chance:.1f} %", str(e.trials)) for e in result.entries]

    def _closing(self, result: RolloutResult) -> str:
        rate, left = self._pace(result)
        share = 100 * min(result.trials / result.plan.trials, 1)
        words = [term("progress", self._lang, share=f"{share:.0f}", count=result.plan.trials)]
        if rate is not None and left is not None:
            words += [term("trials_per_second", self._lang, rate=f"{rate:.0f}"),
                      term("time_left", self._lang, time=_duration(left))]
        return ", ".join(words)

    def _headings(self) -> tuple[str, ...]:
        return "", *(term(key, self._lang) for key in HEADINGS)

    # ---- how it is shown ------------------------------------------------------------------------

    def _show(self, result: RolloutResult) -> None:
        try:
            self._show_rich(result)
        except ImportError:
            self._show_plain(result)

    def _show_rich(self, result: RolloutResult) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.table import Table

        table = Table(*self._headings(), caption=self._closing(result), box=None, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        for row in self._rows(result):
            table.add_row(*row)
        if self._live is None:
            self._live = Live(console=Console(file=sys.stderr), auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(table, refresh=True)

    def _show_plain(self, result: RolloutResult) -> None:
        rows = [self._headings(), *self._rows(result)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  ".join([row[0].ljust(widths[0]),
                            *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
                 for row in rows]
        lines.append(self._closing(result))
        up = f"\x1b[{self._lines}F" if self._lines else ""
        sys.stderr.write(up + "".join(f"{line}\x1b[K\n" for line in lines))
        sys.stderr.flush()
        self._lines = len(lines)


class BatchProgress:
    """The same for a batch: a count of answers on a terminal; as JSON lines what is known of the
    items at work, and each answer or error, with how many there are so far."""

    def __init__(self, kind: str = "auto") -> None:
        self._kind = _kind(kind)
        self._items: dict[int, Progress] = {}  # at work, by number
        self._answered = self._failed = 0

    def __call__(self, item: Item, result: RolloutResult) -> None:
        """Of an item at work. May be called by another thread than the rest."""
        if self._kind == "json":
            self._tell(item, self._of(item, result))

    def answer(self, item: Item, result: RolloutResult | None, error: Exception | None) -> None:
        """An item is done, or failed."""
        self._answered += 1
        self._failed += result is None
        if self._kind == "auto":
            sys.stderr.write(f"\r{self._answered} answered, {self._failed} failed \x1b[K")
            sys.stderr.flush()
        elif self._kind == "json":
            self._tell(item, self._of(item, result) if result else
                       {"schema": SCHEMA, "error": " ".join(str(error).split())})
            self._items.pop(item.number, None)

    def close(self) -> None:
        """Take the count away."""
        if self._kind == "auto" and self._answered:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _of(self, item: Item, result: RolloutResult) -> dict[str, Any]:
        return self._items.setdefault(item.number, Progress("json")).document(result)

    def _tell(self, item: Item, document: dict[str, Any]) -> None:
        name = {"item": item.number, **({"id": item.name} if item.name else {})}
        _say({**document, **name, "answered": self._answered, "failed": self._failed})


class MatchProgress:
    """Decisions of a match that are judged: a bar on a terminal, or JSON lines."""

    WIDTH = 30

    def __init__(self, name: str, kind: str = "auto") -> None:
        self._name, self._kind = name, _kind(kind)
        self._begun, self._first = time.monotonic(), -1

    def __call__(self, done: int, total: int) -> None:
        if self._kind == "none" or not total:
            return
        if self._first < 0:  # some may have been kept: they tell nothing of the pace
            self._first = done
        new = done - self._first
        left = (time.monotonic() - self._begun) * (total - done) / new if new else None
        if self._kind == "json":
            _say({"schema": MATCH_SCHEMA, "file": self._name, "decisions": done, "of": total,
                  "seconds_left": None if left is None else round(left, 1)})
            return
        bar = "#" * (self.WIDTH * done // total)
        sys.stderr.write(f"\r{self._name} [{bar:<{self.WIDTH}}] {done} of {total} decisions  "
                         f"{left or 0:.0f} s left \x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        """Take the bar away."""
        if self._kind == "auto":
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _say(document: dict[str, Any]) -> None:
    sys.stderr.write(json.dumps(document) + "\n")  # in one piece: others may write there, too
    sys.stderr.flush()


def _key(entry: RolloutEntry) -> str:
    """What programs know it by."""
    if entry.play:
        return entry.play.notation or "pass"
    return (entry.line or "position").replace("_", " ")


def _name(entry: RolloutEntry, lang: str) -> str:
    if entry.play:
        return entry.play.notation or term("pass_turn", lang)
    return term(entry.line or "the_position", lang)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(math.ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
