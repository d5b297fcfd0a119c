"""Move filters by name: which plays of a roll a search looks at again, one ply deeper.

The names are those that users of GNU Backgammon know; the widths are our own. A filter (keep,
within) lets the `keep` best pass that are within so much equity of the best. The first stands for
those at 0 plies that go on to 1, the next for those at 1 that go on to 2, and so on; contact and
races apart, because the static nets err less in races. Inside the tree all look equally far.

What they cost and what they miss: benchmarks/filters.py and benchmarks/strength.md.
"""
from __future__ import annotations

from nardy_core.checks import one_of
from nardy_core.evaluator import Plan

Filter = tuple[int, float]

USUAL = "normal"  # what a search has that is not told

WIDTHS: dict[str, dict[str, tuple[Filter, ...]]] = {
    "tiny": {"contact": ((3, 0.06), (2, 0.04), (2, 0.02), (2, 0.02)),
             "race": ((2, 0.02), (2, 0.01), (2, 0.01), (2, 0.01))},
    "narrow": {"contact": ((5, 0.10), (3, 0.06), (2, 0.04), (2, 0.03)),
               "race": ((4, 0.06), (2, 0.04), (2, 0.02), (2, 0.02))},
    "normal": {"contact": ((8, 0.16), (5, 0.12), (3, 0.06), (2, 0.04)),
               "race": ((8, 0.16), (5, 0.12), (3, 0.06), (2, 0.04))},
    "large": {"contact": ((12, 0.24), (8, 0.20), (5, 0.12), (3, 0.08)),
              "race": ((10, 0.20), (6, 0.16), (4, 0.08), (3, 0.06))},
    "huge": {"contact": ((24, 0.44), (16, 0.36), (10, 0.24), (6, 0.16)),
             "race": ((16, 0.32), (10, 0.24), (6, 0.16), (4, 0.12))},
}

FILTERS = {
    name: Plan(promote=[dict(zip(widths, filters, strict=True))
                        for filters in zip(*widths.values(), strict=True)])
    for name, widths in WIDTHS.items()}


def filter_of(name: str | None) -> str | None:
    """The name, None for the usual filter. ValueError for an unknown one."""
    if name is not None:
        one_of("plan", name, FILTERS)
    return None if name == USUAL else name


def plan_of(plan: Plan | str | None) -> Plan | None:
    """The plan of a name, or the plan itself. ValueError for an unknown name."""
    if not isinstance(plan, str):
        return plan
    filter_of(plan)
    return FILTERS[plan]
