"""Colours of the drawn board."""

from dataclasses import dataclass

FONT = "system-ui,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"


@dataclass(frozen=True)
class Theme:
    page: str
    ink: str  # words beside the board
    frame: str
    numbers: str  # point numbers, on the frame
    field: str
    tray: str
    points: tuple[str, str]
    checkers: tuple[str, str]  # fill of players 0 and 1
    rings: tuple[str, str]  # the turned groove of a checker
    edges: tuple[str, str]  # outline of a checker, a die
    digits: tuple[str, str]  # on a checker, a die
    cube: tuple[str, str]  # fill, digits
    accent: str
    halo: str  # around arrows
    line: str = ""  # outline of every part of the board


THEMES = {
    "light": Theme(
        page="#faf7f1",
        ink="#3d2f25",
        frame="#6b442c",
        numbers="#f1dfc4",
        field="#ecdcbd",
        tray="#573622",
        points=("#c08a5b", "#8f5638"),
        checkers=("#39302c", "#fdf8ec"),
        rings=("#544843", "#e6dac2"),
        edges=("#14100e", "#5c4a3d"),
        cube=("#fffdf7", "#3d2f25"),
        accent="#1f7a5c",
        digits=("#fbf3e4", "#3d2f25"),
        halo="#fdf8ec",
    ),
    "dark": Theme(
        page="#16191d",
        ink="#d9d4ca",
        frame="#3a2c24",
        numbers="#d8c5ab",
        field="#4d433b",
        tray="#2a201a",
        points=("#85664c", "#66442f"),
        checkers=("#1b1816", "#efe6d4"),
        rings=("#383230", "#d3c6ad"),
        edges=("#9c9184", "#2a231e"),
        cube=("#e9e2d5", "#2a231e"),
        accent="#5cc79f",
        digits=("#efe6d4", "#2a231e"),
        halo="#16191d",
    ),
    "print": Theme(
        page="#ffffff",
        ink="#000000",
        frame="#ffffff",
        numbers="#000000",
        field="#ffffff",
        tray="#ffffff",
        points=("#ffffff", "#d0d0d0"),
        checkers=("#333333", "#ffffff"),
        rings=("#333333", "#ffffff"),
        edges=("#000000", "#000000"),
        cube=("#ffffff", "#000000"),
        accent="#666666",
        digits=("#ffffff", "#000000"),
        halo="#ffffff",
        line="#000000",
    ),
}
