"""Matches as text in two columns (.mat, .txt): what Jellyfish began and everybody writes.

Dialects differ in tags (`; [Site "..."]`), `Bar`/`25`, `Off`/`0`, `(2)`, `*`, how a dance is
written (`Cannot Move`, `????`, nothing), where `Wins 2 points` stands, and whether it stands at
all. All of them are read. The winner of a game is who the board, the drop or the next score says,
then who `Losses` and `Wins` stand under.

Long nardy has the tag `; [Variation "LongNardy"]`, each side's own numbers from 24 down to 1, and
the rule options that are not the default in `; [Rules "scoring=federation"]`. `; [Forfeit "2"]`
names a game that was forfeited.
"""
from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from nardy_core.checks import shown
from nardy_core.formats.errors import MatchFileError
from nardy_core.game_facts import FACTS
from nardy_core.match_record import GameRecord, MatchRecord
from nardy_core.notation import parse_play
from nardy_core.options import RULE_FIELDS, Options, read_rules
from nardy_core.position import USUAL
from nardy_core.recorder import Recorder
from nardy_core.rules import preset

MAX_GAMES = 10_000
MAX_LINE = 1000
MONEY = 9999  # lengths from here on stand for a session without end
# Tags that the record has fields for; all others are kept as they are.
FIELDS = {"player 1", "player 2", "variation", "crawford", "jacoby", "beaver", "cubelimit",
          "eventdate", "rules", "forfeit"}

_TAG = re.compile(r';?\s*\[\s*([^"\]]{1,64}?)\s*"([^"]*)"\s*\]\s*$')
_LENGTH = re.compile(r"\s*(-?\d{1,9})\s*-?\s*points?\s+match\b", re.ASCII | re.IGNORECASE)
_MONEY = re.compile(r"\s*(?:money|unlimited)\s+(?:game|session|match)\b", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+(\d{1,6})\s*$", re.ASCII | re.IGNORECASE)
_SCORE = re.compile(r"(\S.*?)\s*:\s*(\d{1,6})\s{2,}(\S.*?)\s*:\s*(\d{1,6})$", re.ASCII)
_MOVE = re.compile(r"\s*(\d{1,5})\)", re.ASCII)
_ENTRY = re.compile(
    r"(?<![\d/*(])([1-6])-?([1-6])\s?:|\b(?P<word>(?:re)?doubles?|beavers?|raccoons?|takes?|accepts?"
    r"|drops?|pass(?:es)|rejects?|resign(?:s|ed)?(?: game)?|forfeits?|wins?|los(?:s?es|t))\b",
    re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_UNKNOWN = re.compile(r"[?\s.]*")

_KINDS = {
    "double": "double", "redouble": "double", "beaver": "double", "raccoon": "double",
    "take": "take", "accept": "take", "drop": "drop", "passe": "drop", "pass": "drop",
    "reject": "drop", "forfeit": "lose",
}

STARTS = {
    "backgammon": "backgammon", "nackgammon": "nackgammon", "hypergammon": "hypergammon3",
    "1-chequer hypergammon": "hypergammon1", "2-chequer hypergammon": "hypergammon2",
    "3-chequer hypergammon": "hypergammon3", "hypergammon1": "hypergammon1",
    "hypergammon2": "hypergammon2", "hypergammon3": "hypergammon3", "longnardy": "long_nardy",
}


@dataclasses.dataclass(slots=True)
class _Entry:
    line: int
    player: int
    kind: str  # "roll", "double", "take", "drop", "resign", "lose", "win"
    dice: tuple[int, int] = (0, 0)
    text: str = ""
    points: int | None = None


@dataclasses.dataclass(slots=True)
class _Game:
    line: int
    number: int
    score: tuple[int, int] | None = None
    right: int = 32  # the column in which the second player's name begins
    swapped: bool = False
    ended: bool = False
    entries: list[_Entry] = dataclasses.field(default_factory=list)


def looks_like(text: str) -> bool:
    """The text has the headings of a match."""
    head = text[:20_000]
    return bool(
        re.search(r"^[ \t]*-?\d{1,9} *-? *points? +match\b", head, re.M | re.I)
        or re.search(r"^[ \t]*(money|unlimited) +(game|session|match)\b", head, re.M | re.I)
        or (re.search(r"^[ \t]*Game +\d{1,6}[ \t\r]*$", head, re.M | re.I)
            and re.search(r"^[ \t]*\d{1,5}\)", head, re.M)))


def read(text: str, name: str = "match", *, strict: bool = False) -> MatchRecord:
    """The match in the text. MatchFileError names the line of what cannot be read."""
    return _Reader(name, strict).read(text)


class _Reader:
    def __init__(self, name: str, strict: bool) -> None:
        self.name, self.strict = name, strict
        self.tags: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self.warnings: list[str] = []
        self.length: int | None = None
        self.names: tuple[str, str] | None = None
        self.games: list[_Game] = []
        self.fields: dict[str, str] = {}
        self.at: dict[str, int] = {}  # lines of the tags
        self.line = 1  # that a fault of the match itself is in
        self.record = MatchRecord(players=("", ""))

    def read(self, text: str) -> MatchRecord:
        bad: MatchFileError | None = None
        try:
            for number, line in enumerate(text.splitlines(), 1):
                self._line(number, line)
            if not self.games and self.length is None:
                raise self._error(1, "no match in it")
        except MatchFileError as error:
            bad = error
            if self.games:
                self.games.pop()  # the game with the bad line
        self.fields = {key.lower(): value for key, value in reversed(self.tags)}
        self._build()
        if bad:
            raise MatchFileError(str(bad), self.record)
        return self.record

    def _error(self, line: int, what: str) -> MatchFileError:
        return MatchFileError(f"{self.name} line {line}: {what}")

    # ---- lines to entries ----

    def _line(self, number: int, line: str) -> None:
        if len(line) > MAX_LINE:
            raise self._error(number, f"{len(line)} characters, more than {MAX_LINE}")
        line = line.expandtabs().lstrip("\ufeff")
        if not line.strip():
            return
        if tag := _TAG.match(line.strip()):
            self.tags.append((tag[1], tag[2]))
            self.at.setdefault(tag[1].lower(), number)
        elif line.lstrip().startswith(";"):
            self.comments.append(line.strip("; "))
        elif (found := _LENGTH.match(line)) or _MONEY.match(line):
            if self.length is None:
                length = int(found[1]) if found else 0
                if length < 0:
                    raise self._error(number, f"a match to {length} points")
                self.length = 0 if length >= MONEY else length
        elif found := _GAME.match(line):
            if len(self.games) >= MAX_GAMES:
                raise self._error(number, f"more than {MAX_GAMES} games")
            self.games.append(_Game(number, int(found[1])))
        elif not self.games:
            self.comments.append(line.strip())
        else:
            self._game_line(number, line, self.games[-1])

    def _game_line(self, number: int, line: str, game: _Game) -> None:
        if move := _MOVE.match(line):
            if len(game.entries) > 2 * MAX_GAMES:
                raise self._error(number, "too long a game")
            self._entries(number, line, move.end(), game)
        elif game.score is None and (found := _SCORE.match(line.strip())):
            names = (found[1], found[3])
            if self.names is None:
                self.names = names
            game.swapped = names == self.names[::-1] and names != self.names
            game.score = int(found[2]), int(found[4])
            if game.swapped:
                game.score = game.score[::-1]
            game.right = found.start(3) + len(line) - len(line.lstrip())
        elif re.match(r"\s*(wins?|los(?:s?es|t)|resign)", line, re.IGNORECASE):
            self._entries(number, line, 0, game)
        elif game.ended:
            said = f"{shown(line.strip())} is neither a game nor a comment"
            if self.strict:
                raise self._error(number, said)
            self.warnings.append(f"line {number}: {said}")
            self.comments.append(line.strip())
        else:
            raise self._error(number, f"{shown(line.strip())} is not understood")

    def _entries(self, number: int, line: str, begin: int, game: _Game) -> None:
        found = list(_ENTRY.finditer(line, begin))
        # "pass" and the like inside the text of a play are no entries of their own.
        if not found:
            rest = line[begin:].strip()
            if rest and not _UNKNOWN.fullmatch(rest) and rest.lower() != "cannot move":
                raise self._error(number, f"{shown(rest)} is neither a roll nor a cube action")
            return
        if line[begin:found[0].start()].strip():
            raise self._error(number, f"{shown(line[begin:found[0].start()].strip())} "
                                      "before the first entry")
        middle = (begin + max(game.right, 24)) // 2
        column = [0 if m.start() < middle else 1 for m in found]
        decisions = [k for k, m in enumerate(found) if not _ends(m)]
        if len(decisions) > 2:
            raise self._error(number, "more than two entries on a line")
        if len(decisions) == 2:
            column[decisions[0]], column[decisions[1]] = 0, 1
        for k, match in enumerate(found):
            stop = found[k + 1].start() if k + 1 < len(found) else len(line)
            text = line[match.end():stop].strip()
            player = 1 - column[k] if game.swapped else column[k]
            game.entries.append(self._entry(number, player, match, text))
            game.ended |= game.entries[-1].kind in ("drop", "win", "lose", "resign")

    def _entry(self, number: int, player: int, match: re.Match[str], text: str) -> _Entry:
        if match[1]:
            roll = (int(match[1]), int(match[2]))
            return _Entry(number, player, "roll", roll, text)
        word = match["word"].lower()
        amount = _NUMBER.search(text)
        points = int(amount[0]) if amount else None
        if word.startswith("win"):
            return _Entry(number, player, "win", points=points)
        if word.startswith("los"):
            return _Entry(number, player, "lose", points=points)
        if word.startswith("resign"):
            return _Entry(number, player, "resign", points=points)
        return _Entry(number, player, _KINDS[word.rstrip("s")], points=points)

    # ---- entries to games ----

    def _build(self) -> None:
        try:
            self._match()
        except ValueError as error:
            raise self._error(self.line, str(error)) from None
        built: list[GameRecord] = []
        crawford_over = False
        for k, game in enumerate(self.games):
            following = self.games[k + 1].score if k + 1 < len(self.games) else None
            try:
                record = self._game(game, built, following, crawford_over)
            except MatchFileError as error:
                self._keep(built)
                raise MatchFileError(str(error), self.record) from None
            crawford_over |= record.crawford
            built.append(record)
        self._keep(built)

    def _keep(self, games: list[GameRecord]) -> None:
        self.record = dataclasses.replace(self.record, games=tuple(games))

    def _match(self) -> None:
        tags = self.fields
        names = self.names or (tags.get("player 1", ""), tags.get("player 2", ""))
        variation = tags.get("variation", "backgammon").strip().lower()
        start = STARTS.get(variation)
        self.line = self.at.get("variation", 1)
        if start is None:
            raise ValueError(f"the variation {shown(variation)} is not known")
        game = "long_nardy" if start == "long_nardy" else "backgammon"
        warnings = self.warnings
        if self.length is None:
            self.line = self.games[0].line if self.games else 1
            warnings.append("no line says how long the match is: taken as a session for money")
            if self.strict:
                raise ValueError(warnings[0])
        self.line = self.at.get("rules", 1)
        text = ",".join(tags.get("rules", "").split())
        named = text and "=" not in text.partition(",")[0]
        rules = preset(game, text) if named else read_rules(game, text)
        limit = tags.get("cubelimit", "")
        max_cube = int(limit) if limit.isascii() and limit.isdigit() and len(limit) < 12 else None
        if limit and (not max_cube or max_cube & (max_cube - 1)):
            warnings.append(f"the cube limit {shown(limit)} is not a power of two")
            max_cube = None
        if not limit and not FACTS[game].cube_usual and not any(
                e.kind in ("double", "take", "drop") for g in self.games for e in g.entries):
            max_cube = 1  # its default rules have no cube
        fields: dict[str, Any] = {"jacoby": _on(tags.get("jacoby"), USUAL), "beavers": _on(
            tags.get("beaver"), USUAL), "max_cube": max_cube}
        fields |= {name: rules.pop(name) for name in RULE_FIELDS if name in rules}
        self.record = MatchRecord(
            players=names, length=self.length or 0, start=start,
            crawford=_on(tags.get("crawford"), True), rules=Options(game, rules), **fields,
            date=tags.get("eventdate", "").replace(".", "-"),
            tags=tuple(t for t in self.tags if t[0].lower() not in FIELDS),
            comment="\n".join(self.comments), warnings=tuple(warnings), source="mat")

    def _game(
        self, game: _Game, before: list[GameRecord], following: tuple[int, int] | None,
        crawford_over: bool,
    ) -> GameRecord:
        length = self.record.length
        warnings = []
        score = game.score
        if before:
            told = dataclasses.replace(self.record, games=tuple(before)).score
            if score is None:
                score = told
            elif score != told:
                warnings.append(f"the score is {score[0]}-{score[1]}, but {told[0]}-{told[1]} "
                                "by the games before")
        score = score or (0, 0)
        crawford = (
            self.record.crawford and not crawford_over and length > 1 and length - 1 in score
            and all(length - 1 not in g.score for g in before))
        # A file that begins in the middle does not say whether the Crawford game was played.
        if crawford and not before and any(e.kind == "double" for e in game.entries):
            crawford = False
        line = game.line
        try:
            recorder = Recorder(
                self.record.opening(score, crawford=crawford), strict=self.strict)
            recorder.warnings += warnings
            if warnings and self.strict:
                raise ValueError(warnings[0])
            for entry in self._decisions(game):
                line = entry.line
                self._act(recorder, entry, game)
            return self._finish(recorder, game, score, following)
        except ValueError as error:
            raise self._error(line, str(error)) from None

    def _decisions(self, game: _Game) -> Iterator[_Entry]:
        return (e for e in game.entries if e.kind in ("roll", "double", "take", "drop"))

    def _act(self, recorder: Recorder, entry: _Entry, game: _Game) -> None:
        if entry.kind == "double":
            recorder.double(entry.player)
            told = recorder.position.cube * {"doubled": 2, "beavered": 4, "raccooned": 8}[
                recorder.position.offer]
            if entry.points is not None and entry.points != told:
                recorder.warnings.append(
                    f"line {entry.line}: doubles to {entry.points}, but the cube goes to {told}")
        elif entry.kind == "take":
            recorder.take(entry.player)
        elif entry.kind == "drop":
            recorder.drop(entry.player)
        elif _UNKNOWN.fullmatch(entry.text):
            self._not_written(recorder, entry, game)
        else:
            recorder.play(entry.player, entry.dice, parse_play(entry.text))

    def _not_written(self, recorder: Recorder, entry: _Entry, game: _Game) -> None:
        """A roll without a play: nothing could be played, or the game broke off after it."""
        last = all(e is entry or e.line < entry.line or e.kind in ("win", "lose", "resign")
                   for e in game.entries)
        if last:
            start = recorder.position
            if entry.player != start.turn:
                start = start.swap()
            plays = start.legal_plays(entry.dice) if start.offer == "none" else []
            if not (len(plays) == 1 and plays[0].is_pass):
                recorder.roll(entry.player, entry.dice)
                return
        recorder.play(entry.player, entry.dice, ())

    def _finish(
        self, recorder: Recorder, game: _Game, score: tuple[int, int],
        following: tuple[int, int] | None,
    ) -> GameRecord:
        winner = points = how = None
        ends = [e for e in game.entries if e.kind in ("win", "lose", "resign")]
        for end in ends:
            if end.points is not None:
                points = end.points
            winner = end.player if end.kind == "win" else winner
        for end in ends:
            if end.kind != "win":
                winner = 1 - end.player
                how = "forfeit" if end.kind == "lose" else how
        if following:
            gained = [after - old for after, old in zip(following, score, strict=True)]
            if sorted(gained)[0] == 0 < sorted(gained)[1]:
                winner = gained.index(max(gained))
                points = max(gained) if points is None else points
        if str(game.number) in self.fields.get("forfeit", "").split():
            how = "forfeit"
        return recorder.finish(winner, points, how)


def _ends(match: re.Match[str]) -> bool:
    word = match["word"]
    return bool(word) and word.lower().startswith(("win", "los", "resign"))


def _on(value: str | None, default: bool) -> bool:
    if value is None:
        return default
    return value.strip().lower() in ("on", "true", "yes", "1")
