"""Matches judged: every decision, every roll, and the sums over them.

>>> import nardy_core as nd
>>> found = nd.analyse_match("tests/golden/match_analysis/gnubg.sgf", level="file")
>>> [round(player.rate("pr"), 2) for player in found.players]
[26.34, 14.26]

`definitions` says what the figures mean, `levels` how closely decisions are looked at.
"""
from nardy_core.match_analysis.definitions import RATES, SIZES, Definitions, Rate, Sizes
from nardy_core.match_analysis.files import write
from nardy_core.match_analysis.judged import Judged, judge
from nardy_core.match_analysis.levels import LEVELS, Level
from nardy_core.match_analysis.result import MatchAnalysis
from nardy_core.match_analysis.run import analyse_match
from nardy_core.match_analysis.several import PlayerRow, TeamResult, players_of, team_match
from nardy_core.match_analysis.tally import Loss, Rating, Tally

__all__ = [
    "LEVELS", "RATES", "SIZES", "Definitions", "Judged", "Level", "Loss", "MatchAnalysis",
    "PlayerRow", "Rate", "Rating", "Sizes", "Tally", "TeamResult", "analyse_match", "judge",
    "players_of", "team_match", "write",
]
