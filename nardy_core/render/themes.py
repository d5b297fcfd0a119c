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
    fault: str  # arrows of a play that was wrong
    line: str = ""  # outline of every part of the board


THEMES = {
    "light": Theme(
        page="#f7f4ee",
        ink="#33291f",
        frame="#5a4334",
        numbers="#e5d4bb",
        field="#e9dec9",
        tray="#493528",
        points=("#cbab84", "#a5714f"),
        checkers=("#2f2a29", "#fbf7ee"),
        rings=("#4b4442", "#e2d7c3"),
        edges=("#171413", "#6d5a49"),
        cube=("#fbf7ee", "#33291f"),
        accent="#1d7358",
        digits=("#f4ede0", "#33291f"),
        halo="#fbf7ee",
        fault="#c2402f",
    ),
    "dark": Theme(
        page="#141618",
        ink="#dcd6cb",
        frame="#2d2621",
        numbers="#b3a48f",
        field="#48403a",
        tray="#211b17",
        points=("#75604e", "#5d4433"),
        checkers=("#191716", "#ece3d2"),
        rings=("#35302d", "#d0c4ae"),
        edges=("#a3978a", "#221d19"),
        cube=("#ddd4c4", "#221d19"),
        accent="#63c8a2",
        digits=("#ece3d2", "#221d19"),
        halo="#141618",
        fault="#ef7d6b",
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
        fault="#b0b0b0",
        line="#000000",
    ),
}
