"""The syntax of SGF: games as sequences of nodes, nodes as properties with values.

Of variations the first is followed. Nothing here knows what a property means.
"""
from __future__ import annotations

import re

from nardy_core.formats.errors import MatchFileError

MAX_DEPTH = 1000
MAX_GAMES = 10_000
MAX_NODES = 1_000_000  # of a file

Node = dict[str, list[str]]

_IDENT = re.compile(r"[A-Za-z]{1,32}")
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_SPACE = re.compile(r"\s+")


class GameTree:
    """The main line of one game; `lines` are the line numbers of its nodes."""

    __slots__ = ("lines", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.lines: list[int] = []


def parse(text: str, name: str) -> tuple[list[GameTree], MatchFileError | None]:
    """The games, and the error that ended the reading, if any; the last game may be cut by it."""
    return _Parser(text, name).parse()


class _Parser:
    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.games: list[GameTree] = []
        self._counted_to, self._line = 0, 1

    def line(self, at: int) -> int:
        self._line += self.text.count("\n", self._counted_to, at)
        self._counted_to = at
        return self._line

    def error(self, at: int, what: str) -> MatchFileError:
        return MatchFileError(f"{self.name} line {self.line(at)}: {what}")

    def parse(self) -> tuple[list[GameTree], MatchFileError | None]:
        text, at, size = self.text, 0, len(self.text)
        # For each open parenthesis: whether its nodes count, and whether it has had a variation.
        stack: list[list[bool]] = []
        node: Node | None = None
        nodes = 0
        while at < size:
            char = text[at]
            if char == "(":
                if not stack:
                    if len(self.games) >= MAX_GAMES:
                        return self.games, self.error(at, f"more than {MAX_GAMES} games")
                    self.games.append(GameTree())
                    counts = True
                else:
                    counts = stack[-1][0] and not stack[-1][1]
                    stack[-1][1] = True
                if len(stack) >= MAX_DEPTH:
                    return self.games, self.error(at, "variations nested too deeply")
                stack.append([counts, False])
                at += 1
            elif char == ")":
                if not stack:
                    return self.games, self.error(at, "a ) without its (")
                stack.pop()
                node = None
                at += 1
            elif not stack:
                if not char.isspace() and self.games and char != "\x00":
                    return self.games, self.error(at, "text after the end of a game")
                at += 1
            elif char == ";":
                node = {}
                nodes += 1
                if nodes > MAX_NODES:
                    return self.games, self.error(at, f"more than {MAX_NODES} nodes")
                if stack[-1][0]:
                    self.games[-1].nodes.append(node)
                    self.games[-1].lines.append(self.line(at))
                at += 1
            elif char.isspace():
                at += 1
            else:
                ident = _IDENT.match(text, at)
                if not ident or node is None:
                    return self.games, self.error(at, f"{ascii(text[at:at + 10])} is no property")
                # Lower-case letters of old files do not count.
                key = "".join(c for c in ident[0] if c.isupper())
                values = node.setdefault(key, [])
                at = ident.end()
                found = False
                while True:
                    space = _SPACE.match(text, at)
                    at = space.end() if space else at
                    value = _VALUE.match(text, at)
                    if not value:
                        break
                    found = True
                    values.append(_ESCAPE.sub(_unescaped, value[1]) if "\\" in value[1]
                                  else value[1])
                    at = value.end()
                if not found or at < size and text[at] == "[":
                    return self.games, self.error(at, f"the value of {key[:8]} does not end")
        if stack:
            return self.games, self.error(size, "the file ends within a game")
        return self.games, None


def _unescaped(match: re.Match[str]) -> str:
    return "" if match[1][0] in "\r\n" else match[1]


def escaped(text: str) -> str:
    """Text as a property's value, brackets included."""
    return "[" + re.sub(r"([\]\\])", r"\\\1", text) + "]"
