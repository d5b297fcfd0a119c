"""Decisions as rows of a table, one for each play and cube action.

Columns: game (from 1), number (from 1 within the game), player (0 or 1), name, score and opponent's
score, match length, Crawford, pips and opponent's pips, position (XGID or NDID, with dice or
offer), kind, dice, decision (the play as text or the kind), legal, warning, and of foreign analysis
equity of what was done, equity of the best, and the loss (empty where there is none).
"""
from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from nardy_core.match_record import MatchRecord, scores

COLUMNS = (
    "game", "number", "player", "name", "score", "opponent_score", "match_length", "crawford",
    "pips", "opponent_pips", "position", "kind", "dice", "decision", "legal", "warning",
    "equity", "best_equity", "loss",
)


def write(record: MatchRecord) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(record))
    return out.getvalue()


def rows(record: MatchRecord, *, rolls: bool = False) -> Iterator[dict[str, Any]]:
    """The rows as mappings; rolls=True adds the decisions not to double."""
    for number, game in enumerate(record.games, 1):
        for at, decision in enumerate(game.decisions(rolls=rolls), 1):
            position, action = decision.position, decision.action
            points, pips = scores(position), position.pips
            if action.player != position.turn:
                pips = pips[::-1]
            try:
                text = position.id()
            except ValueError:  # what the short form cannot hold, the long one can
                text = position.id("text")
            yield {
                "game": number, "number": at, "player": action.player,
                "name": record.players[action.player], "score": points[action.player],
                "opponent_score": points[1 - action.player],
                "match_length": position.match_length, "crawford": int(position.crawford),
                "pips": pips[0], "opponent_pips": pips[1], "position": text, "kind": action.kind,
                "dice": "{}{}".format(*action.dice) if action.dice else "",
                "decision": action.notation or "pass" if action.kind == "play" else action.kind,
                "legal": int(action.legal), "warning": action.warning, **_worth(action.analysis),
            }


def _worth(analysis: Mapping[str, Any] | None) -> dict[str, float | str]:
    candidates = (analysis or {}).get("candidates") or []
    played = (analysis or {}).get("played")
    equities = [c.get("equity") for c in candidates]
    if not equities or any(not isinstance(e, (int, float)) for e in equities):
        return {"equity": "", "best_equity": "", "loss": ""}
    best = max(equities)
    if not isinstance(played, int) or not 0 <= played < len(equities):
        return {"equity": "", "best_equity": best, "loss": ""}
    worth = equities[played]
    return {"equity": worth, "best_equity": best, "loss": round(best - worth, 6)}
