"""Positions and chances that tests of cube decisions begin with."""
from __future__ import annotations

from nardy_core.position import Position

START = Position.start()
PLAIN = START.with_(jacoby=False, beavers=False)


def chances(p, win=(1.0, 0.0, 0.0), lose=(1.0, 0.0, 0.0)):
    """Six exclusive chances from p and how wins and losses split."""
    return [p * part for part in win] + [(1 - p) * part for part in lose]
