"""Analysis of short nardy (backgammon) and long nardy.

>>> import nardy_core as nd
>>> position = nd.Position.parse("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
>>> nd.Engine().analyse(position).best.play.notation
'8/5 6/5'

Names are imported when they are first used, so that `import nardy_core` costs next to nothing.
"""
from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nardy_core._version import __version__

if TYPE_CHECKING:
    from nardy_core import formats, tables
    from nardy_core.analysis import Analysis, Candidate, EngineInfo, Evaluation
    from nardy_core.cube import CubeDecision, CubeEfficiency, CubeLine
    from nardy_core.engine import Engine
    from nardy_core.evaluator import Net
    from nardy_core.match import MatchEquity
    from nardy_core.match_analysis import Definitions, MatchAnalysis, analyse_match
    from nardy_core.match_record import Action, Decision, GameRecord, MatchRecord, PositionRecord
    from nardy_core.notation import format_play, match_play, parse_play
    from nardy_core.options import Options
    from nardy_core.play import Play, legal_plays, legal_sequences, perft
    from nardy_core.position import Position
    from nardy_core.rollout import RolloutEntry, RolloutHandle, RolloutPlan, RolloutResult

__all__ = [
    "Action", "Analysis", "Candidate", "CubeDecision", "CubeEfficiency", "CubeLine", "Decision",
    "Definitions", "Engine", "EngineInfo", "Evaluation", "GameRecord", "MatchAnalysis",
    "MatchEquity", "MatchRecord", "Net", "Options", "Play", "Position", "PositionRecord",
    "RolloutEntry", "RolloutHandle", "RolloutPlan", "RolloutResult", "__version__",
    "analyse_match", "format_play", "formats", "legal_plays", "legal_sequences", "match_play",
    "parse_play", "perft", "tables",
]

_HOMES = {
    "analysis": ("Analysis", "Candidate", "EngineInfo", "Evaluation"),
    "cube": ("CubeDecision", "CubeEfficiency", "CubeLine"),
    "engine": ("Engine",),
    "evaluator": ("Net",),
    "match": ("MatchEquity",),
    "match_analysis": ("Definitions", "MatchAnalysis", "analyse_match"),
    "match_record": ("Action", "Decision", "GameRecord", "MatchRecord", "PositionRecord"),
    "notation": ("format_play", "match_play", "parse_play"),
    "options": ("Options",),
    "play": ("Play", "legal_plays", "legal_sequences", "perft"),
    "position": ("Position",),
    "rollout": ("RolloutEntry", "RolloutHandle", "RolloutPlan", "RolloutResult"),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(import_module(f"nardy_core.{_MODULE_OF[name]}"), name)
    elif name in __all__:
        value = import_module(f"nardy_core.{name}")
    else:
        raise AttributeError(f"module 'nardy_core' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
