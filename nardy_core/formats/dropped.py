"""What a form of file has no place for."""
from __future__ import annotations

from collections.abc import Sequence

from nardy_core.formats import sgf
from nardy_core.match_record import MatchRecord, PositionRecord


def dropped(record: MatchRecord | Sequence[PositionRecord], form: str) -> list[str]:
    """What writing the record in a form leaves out, in words; [] where everything is kept."""
    if form == "json":
        return []
    if not isinstance(record, MatchRecord):
        return _of_positions(record, form)
    actions = [a for g in record.games for a in g.actions]
    analysed = [a.analysis for a in actions if a.analysis]
    comments = sum(bool(a.comment) for a in actions) + sum(bool(g.comment) for g in record.games)
    if form in ("csv", "xgtext", "ids"):
        return ["all but the decisions" if form != "ids" else "all but the positions"]
    out = []
    if form == "mat":
        out += [f"the analysis of {len(analysed)} actions"] if analysed else []
        out += [f"{comments + bool(record.comment)} comments"] if comments else []
        out += _statistics(record)
    elif form == "sgf":
        lost = sum(_no_level(a.get("candidates") or []) for a in analysed)
        out += [f"{lost} candidates whose level is no number of plies"] if lost else []
        lost = sum(_no_level([a.get("cube") or {"plies": 0}]) for a in analysed)
        out += [f"{lost} cube decisions whose level is no number of plies"] if lost else []
        lost = sum("resign" in a for a in analysed)
        out += [f"the analysis of {lost} resignations"] if lost else []
        tags = [name for name, _ in record.tags if name not in sgf.TAGS.values()]
        out += [f"the tags {', '.join(tags)}"[:120]] if tags else []
        out += ["the limit of the cube"] if record.max_cube is not None else []
        out += ["the rule options"] if record.rules else []
    elif form == "ogxm":
        out += [f"{comments} comments"] if comments else []
        out += ["the rule options"] if record.rules else []
        out += _statistics(record)
    return out


def _of_positions(records: Sequence[PositionRecord], form: str) -> list[str]:
    analysed = sum(bool(r.analysis) for r in records)
    if form == "ids" and analysed:
        return [f"the analysis of {analysed} positions"]
    return []


def _statistics(record: MatchRecord) -> list[str]:
    kept = sum(name == "GS" for g in record.games for name, _ in g.tags)
    return [f"GNU Backgammon's statistics of {kept} games"] if kept else []


def _no_level(candidates: Sequence[object]) -> int:
    return sum(isinstance(c, dict) and "plies" not in c and not c.get("text") for c in candidates)
