"""Cube decisions in words, in every language of `nardy_core.terms`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nardy_core.analysis import align
from nardy_core.terms import capital, term

Windows = Mapping[str, float | None]

_ANSWERS = {"T": "take", "P": "drop", "T=P": "take_or_pass", "beaver": "beaver"}
# Points of a decision by who owns the cube, in the order in which the chances to win rise.
_POINTS = {
    "centre": ("take", "beaver", "initial", "redouble", "cash", "too_good_centre"),
    "own": ("redouble", "cash", "too_good_own"),
    "opp": ("take",),
}


def verdict(action: str, reason: str, redouble: bool, lang: str = "en") -> str:
    """A decision in words, as in "Double, take" or "No redouble: dead cube".

    action, reason : as in `CubeDecision`
    redouble : the side on roll owns the cube
    """
    double = "redouble" if redouble else "double"
    advice, _, answer = action.partition("/")
    if reason in ("unavailable", "no_cube"):
        return capital(term(reason, lang))
    if reason:
        return f"{capital(term(f'no_{double}', lang))}: {term(reason, lang)}"
    too_good = "too_good_redouble" if redouble else "too_good"
    keys = {"D": double, "ND": f"no_{double}", "OD": f"optional_{double}", "TG": too_good}
    return f"{capital(term(keys[advice], lang))}, {term(_ANSWERS[answer], lang)}"


def wrong(share: float, answer: str, lang: str = "en") -> str:
    """How often the opponent must err for a double to be right; arguments as in `CubeDecision`."""
    key = "right_if_takes" if answer == "take" else "right_if_passes"
    percent = 100 * share
    return term(key, lang, share=f"{percent:.1f} %" if percent >= 0.05 else "< 0.1 %")


def points(
    owner: str, win: float, windows: Windows, dead: Windows, live: Windows, lang: str = "en"
) -> list[str]:
    """The chances to win at which the decision changes, by the cube model and in its two limits:
    a line each, and the doubling window above them. No line where there is no such point.

    owner : of the cube
    win : own's chance to win
    windows, dead, live : as in `CubeDecision`
    """
    rows = [["", term("model", lang), term("dead", lang), term("live", lang)]]
    for name in _POINTS[owner]:
        values = [limit[name] for limit in (windows, dead, live)]
        if values[0] is not None:
            rows.append([term(f"point_{name.removesuffix('_own').removesuffix('_centre')}", lang),
                         *map(_percent, values)])
        if values[0] is not None and name == "cash":
            rows.append([term("point_opp_take", lang),
                         *(_percent(None if value is None else 1 - value) for value in values)])
    if len(rows) == 1:
        return []
    lines = align(rows, left=(0,))
    low, high = windows["redouble" if owner == "own" else "initial"], windows["cash"]
    if owner != "opp" and low is not None and high is not None and low <= high:
        lines.insert(0, term("doubling_window", lang, low=_percent(low), high=_percent(high),
                             win=_percent(win)))
    return lines


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f} %"


def labelled(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Labels and what they name, one below the other; `width` = of the labels at least."""
    width = max(width, *(len(label) + 1 for label, _ in rows))
    return [f"{label:<{width}}{row}" for label, row in rows]
