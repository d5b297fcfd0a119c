"""Columns by name: the form in which tables are handed out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

from nardy_core.terms import column


class Table(dict[str, list[Any]]):
    """Columns of equal length by name; None where there is no such value."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """One mapping a row."""
        for values in zip(*self.values(), strict=True):
            yield dict(zip(self, values, strict=True))

    def to_pandas(self) -> Any:
        """As a pandas DataFrame; needs pandas."""
        return import_module("pandas").DataFrame(dict(self))

    def __str__(self) -> str:
        return self.text()

    def text(self, lang: str = "en") -> str:
        """The rows below headings in a language of `nardy_core.terms`; in English those are the
        columns' names."""
        lines = [[column(name, lang) for name in self],
                 *(list(map(_word, row.values())) for row in self.rows())]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(f"{word:>{width}}" for word, width in zip(line, widths, strict=True))
            for line in lines
        )


def _word(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "-" if value is None else str(value)


def table_of(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """A table from rows in the order of `names`."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return Table(zip(names, map(list, columns), strict=True))
