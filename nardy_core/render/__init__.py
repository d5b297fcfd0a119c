"""Pictures of positions: `board_text`, `board_svg`, and `describe` in words."""

from nardy_core.render.describe import describe
from nardy_core.render.svg import board_svg
from nardy_core.render.text import board_text

__all__ = ["board_svg", "board_text", "describe"]
