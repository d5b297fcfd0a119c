"""Writing judged matches: as data, as a table, as a report, as cards, and in match formats."""
from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nardy_core.files import write_text
from nardy_core.match_analysis.result import MatchAnalysis, frame

TABLES = (".json", ".jsonl", ".csv", ".parquet")  # may hold several matches
PAGES = (".html", ".apkg")


def check(path: str | os.PathLike[str]) -> str:
    """The ending of a name that can be written. ValueError for another."""
    ending = Path(path).suffix.lower()
    if ending not in (*TABLES, *PAGES):
        from nardy_core import formats

        try:
            formats.writes(path)
        except ValueError:
            raise ValueError(
                f"output: {ascii(os.fspath(path))[:60]} ends with none of "
                f"{', '.join((*TABLES, *PAGES))}, .sgf, .mat, .txt, .ogxm") from None
    return ending


def write(
    analyses: MatchAnalysis | Sequence[MatchAnalysis], path: str | os.PathLike[str],
    lang: str = "en",
) -> None:
    """Write one match or several; the form follows from the name's ending.

    .json, .jsonl (a line a decision), .csv, .parquet (both a row a decision; the last needs pandas
    with pyarrow), .html, .apkg (cards of the errors for Anki, needs genanki), and for one match
    alone .sgf, .mat, .txt (text as XG writes it), .ogxm with the judgements as their analysis.
    """
    ending = check(path)
    many = [analyses] if isinstance(analyses, MatchAnalysis) else list(analyses)
    target = Path(path)
    if ending == ".parquet":
        _parquet(many, target)
    elif ending == ".apkg":
        from nardy_core.render.quiz import cards, write_apkg

        write_apkg([card for a in many for card in cards(a, lang)], target)
    elif ending in _TEXT:
        write_text(target, _TEXT[ending](many))
    elif len(many) != 1:
        raise ValueError(f"output: {ending} holds one match, not {len(many)}")
    elif ending == ".html":
        write_text(target, many[0].html(lang))
    else:
        from nardy_core import formats

        formats.write(many[0].annotated(), target, _form(ending))


def dropped(
    analyses: MatchAnalysis | Sequence[MatchAnalysis], path: str | os.PathLike[str]
) -> list[str]:
    """What writing to that path leaves out, in words; [] where everything is kept."""
    ending = check(path)
    if ending in (*TABLES, *PAGES):
        return []
    from nardy_core import formats

    many = [analyses] if isinstance(analyses, MatchAnalysis) else analyses
    return [text for a in many for text in formats.dropped(a.annotated(), _form(ending))]


def _form(ending: str) -> str:
    """The form of match file that a name with this ending gets."""
    from nardy_core import formats

    return "xgtext" if ending == ".txt" else formats.writes(f"match{ending}")


def json_text(analyses: Sequence[MatchAnalysis]) -> str:
    """One document, or an array of several."""
    data = [a.to_dict() for a in analyses]
    return json.dumps(data[0] if len(data) == 1 else data, indent=1, ensure_ascii=False) + "\n"


def jsonl_text(analyses: Sequence[MatchAnalysis]) -> str:
    """A line for each decision."""
    out = []
    for analysis in analyses:
        document = analysis.to_dict()
        for decision in document["decisions"]:
            out.append(json.dumps(
                {"schema": "nardy.decision/1", "file": analysis.name,
                 "engine": document["engine"], "level": analysis.level, **decision},
                ensure_ascii=False))
    return "".join(line + "\n" for line in out)


def csv_text(analyses: Sequence[MatchAnalysis]) -> str:
    """A row for each decision."""
    rows = [row for analysis in analyses for row in analysis.rows()]
    columns: dict[str, Any] = dict.fromkeys(name for row in rows for name in row)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _parquet(analyses: Sequence[MatchAnalysis], path: Path) -> None:
    made = frame(row for analysis in analyses for row in analysis.rows())
    try:
        made.to_parquet(path, index=False)
    except ImportError:
        raise RuntimeError(
            'pyarrow is missing: pip install "nardy_core[tables]"') from None


_TEXT: dict[str, Callable[[Sequence[MatchAnalysis]], str]] = {
    ".json": json_text, ".jsonl": jsonl_text, ".csv": csv_text}
