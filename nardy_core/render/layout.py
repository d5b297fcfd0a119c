"""Where everything lies on the drawn board, in units of a drawing 716 wide and 600 high."""

from __future__ import annotations

from nardy_core.counts import across
from nardy_core.render.view import BAR, OFF, View

WIDTH, HEIGHT = 716, 600
BOARD = (8, 42, 700, 516)  # outer frame: x, y, width, height
LEFT, TOP, RIGHT, BOTTOM = 82, 72, 634, 528  # the playing field
MIDDLE_X, MIDDLE_Y = 358, 300
POINT, BAR_WIDTH, TRAY_WIDTH = 42, 48, 52
POINT_HEIGHT = 198
RADIUS, PITCH = 19, 39  # of a checker; from one checker of a stack to the next
STACK, BAR_STACK = 5, 4  # checkers drawn before a number takes over
SLAB, SLAB_PITCH = 11, 13.4  # a borne-off checker seen from its edge
CUBE, DIE = 40, 40


class Layout:
    """The coordinates of one view, mirrored or not."""

    def __init__(self, view: View, mirrored: bool) -> None:
        self.view = view
        self.mirrored = mirrored

    def flip(self, x: float) -> float:
        return WIDTH - x if self.mirrored else x

    def column(self, place: int) -> float:
        """The x of the middle of a place."""
        index = place - 13 if place > 12 else 12 - place
        x = LEFT + POINT * (index + 0.5) + (BAR_WIDTH if index > 5 else 0)
        return self.flip(x)

    def on_place(self, place: int, slot: int) -> tuple[float, float]:
        """The centre of checker `slot` (0 = at the edge) on a place."""
        reach = 20 + PITCH * min(slot, STACK - 1)
        return self.column(place), TOP + reach if place > 12 else BOTTOM - reach

    def on_bar(self, player: int, slot: int) -> tuple[float, float]:
        """Each side's bar checkers lie in its own half, from the middle outwards."""
        reach = 48 + PITCH * min(slot, BAR_STACK - 1)
        return MIDDLE_X, MIDDLE_Y + (reach if player == self.view.bottom else -reach)

    def tray(self, player: int) -> float:
        """The x of a side's bear-off tray: at the far end of its path."""
        left = self.view.is_long and player == self.view.top
        return self.flip((LEFT - 36) if left else (RIGHT + 36))

    def in_tray(self, player: int, slot: int) -> tuple[float, float]:
        """The centre of borne-off checker `slot`."""
        reach = 10 + SLAB_PITCH * slot
        return self.tray(player), BOTTOM - reach if player == self.view.bottom else TOP + reach

    def checker(self, player: int, number: int, slot: int) -> tuple[float, float]:
        """The centre of checker `slot` of a side on its own point `number`, the bar or off."""
        if number == BAR:
            return self.on_bar(player, slot)
        if number == OFF:
            return self.in_tray(player, slot)
        return self.on_place(self.view.place(player, number), slot)

    def cube(self) -> tuple[float, float]:
        """Backgammon keeps the cube in the left tray; in long nardy the bar is free for it.

        A cube that is offered lies before the side that offers it, where its dice would be.
        """
        if self.view.offered:
            return self.table(), MIDDLE_Y
        x = MIDDLE_X if self.view.is_long else self.flip(LEFT - 36)
        y = {None: MIDDLE_Y, self.view.top: TOP + 28, self.view.bottom: BOTTOM - 28}
        return x, y[self.view.cube_owner]

    def table(self) -> float:
        """The x of the place to the right of the side on roll, seen from its seat."""
        below = self.view.mover == self.view.bottom
        return self.flip(RIGHT - 3 * POINT if below else LEFT + 3 * POINT)

    def dice(self) -> list[tuple[float, float]]:
        return [(self.table() - 26, MIDDLE_Y), (self.table() + 26, MIDDLE_Y)]

    def opponent_on(self, number: int) -> int:
        """Opposing checkers on the mover's own point `number`."""
        view = self.view
        if number in (OFF, BAR):
            return 0
        return view.counts[1 - view.mover][across(view.game, number)]
