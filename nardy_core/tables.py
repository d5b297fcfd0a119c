"""Tables of known values."""

from nardy_core.bearoff import Bearoff, Equities, Rolls, bearoff
from nardy_core.bearoff import tables as bearoff_tables

__all__ = ["Bearoff", "Equities", "Rolls", "bearoff", "bearoff_tables"]
