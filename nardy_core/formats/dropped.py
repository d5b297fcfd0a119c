"""What a form of file has no place for: the record against the same record written and read back.

Nothing is said of how numbers and plays are written, and nothing of what a reader added (warnings,
names where there were none), as long as they mean the same.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nardy_core.formats.analysis_lines import plies_of, roller_of
from nardy_core.match_record import Action, GameRecord, MatchRecord, PositionRecord

Plain = Mapping[str, Any]

_FIELDS = {
    "players": "the names of the players as they are", "length": "the length of the match",
    "start": "the variant", "crawford": "whether the Crawford rule holds",
    "jacoby": "whether the Jacoby rule holds", "beavers": "whether there are beavers",
    "max_cube": "the limit of the cube", "rules": "the rule options", "date": "the date"}
# Keys of an analysis, of its candidates and of its cube decision, with what they are called.
_PARTS = {"luck": "the luck of {} throws", "resign": "the analysis of {} resignations",
          "cube": "{} cube decisions", "marks": "the marks of {} actions",
          "counts": "whether {} plays count"}
_FIGURES = {"probabilities": "the chances of {} lines", "outcomes": "the chances of {} lines",
            "cubeless": "the cubeless equity of {} lines", "mwc": "the winning chance of {} lines",
            "rollout": "how {} lines were rolled out", "text": "the rollout text of {} lines"}
_CUBE = ("no_double", "double_take", "double_pass", "beaver")
_SAME = 5e-7  # figures that differ by no more were only written with six decimals


def between(record: MatchRecord | Sequence[PositionRecord],
            back: MatchRecord | Sequence[PositionRecord]) -> list[str]:
    """What of the first is not in the second, in words; [] for nothing."""
    found = _Losses()
    if isinstance(record, MatchRecord) and isinstance(back, MatchRecord):
        _match(record, back, found)
    elif not isinstance(record, MatchRecord) and not isinstance(back, MatchRecord):
        _positions(record, back, found)
    else:
        found.say("all but the positions")
    return found.words()


class _Losses:
    """Losses by what they are called, counted, in the order in which they were found."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self.off = 0.0  # the most that a figure differs by

    def say(self, text: str) -> None:
        self._counts.setdefault(text, 0)

    def add(self, text: str, count: int = 1) -> None:
        """`text` has {} for the number."""
        if count:
            self._counts[text] = self._counts.get(text, 0) + count

    def words(self) -> list[str]:
        out = [text.format(count) if count else text for text, count in self._counts.items()]
        if self.off > _SAME:
            out.append(f"exact figures of the analysis, which differ by up to {self.off:.1g}")
        return out


def _match(record: MatchRecord, back: MatchRecord, found: _Losses) -> None:
    matters = {"crawford": record.length > 1, "jacoby": not record.length,
               "beavers": not record.length}
    for name, words in _FIELDS.items():
        if matters.get(name, True) and getattr(record, name) != getattr(back, name):
            found.say(words)
    kept = Counter(back.tags)
    lost = [name for (name, _), n in (Counter(record.tags) - kept).items() for _ in range(n)]
    if lost:
        found.say(f"the tags {', '.join(lost)}"[:120])
    found.add("{} comments", int(bool(record.comment) and record.comment != back.comment))
    if len(record.games) != len(back.games):
        found.say(f"{len(record.games) - len(back.games)} games")
    for number, (game, other) in enumerate(zip(record.games, back.games, strict=False), 1):
        _game(game, other, f"game {number}", found)


def _game(game: GameRecord, back: GameRecord, where: str, found: _Losses) -> None:
    if game.score != back.score or game.crawford != back.crawford:
        found.say(f"{where}: the score, or whether it is the Crawford game")
    for name in ("own", "opp", "turn", "cube", "cube_owner"):
        if getattr(game.start, name) != getattr(back.start, name):
            found.say(f"{where}: the position it begins with")
            break
    if (game.winner, game.points, game.how) != (back.winner, back.points, back.how):
        found.say(f"{where}: how it ended")
    lost = Counter(map(_done, game.actions)) - Counter(map(_done, back.actions))
    if lost:
        kinds = ", ".join(sorted({kind for kind, *_ in lost}))
        found.say(f"{where}: {sum(lost.values())} actions ({kinds})")
    statistics = sum(name == "GS" for name, _ in game.tags)
    left = sum(name == "GS" for name, _ in back.tags)
    found.add("GNU Backgammon's statistics of {} games", int(statistics > left))
    found.add("{} comments", int(bool(game.comment) and game.comment != back.comment))
    others = iter(back.actions)
    other = next(others, None)
    for action in game.actions:
        same = other is not None and _done(other) == _done(action)
        match = other if same and other is not None else None
        found.add("{} comments", int(bool(action.comment) and (
            match is None or action.comment != match.comment)))
        _analysis(action.analysis, match.analysis if match else None, "actions", found)
        if same:
            other = next(others, None)


def _done(action: Action) -> tuple[Any, ...]:
    return (action.kind, action.player, action.dice, action.steps, action.points, action.board)


def _positions(
    records: Sequence[PositionRecord], back: Sequence[PositionRecord], found: _Losses
) -> None:
    found.add("{} positions", len(records) - len(back))
    for record, other in zip(records, back, strict=False):
        if record.position.id("text") != other.position.id("text"):
            found.add("{} positions as they are")
        if any(record.players) and record.players != other.players:
            found.say(_FIELDS["players"])
        found.add("{} comments", int(bool(record.comment) and record.comment != other.comment))
        _analysis(record.analysis, other.analysis, "positions", found)


# ---- analysis --------------------------------------------------------------------------------


def _analysis(one: Plain | None, other: Plain | None, what: str, found: _Losses) -> None:
    one = {key: value for key, value in (one or {}).items() if key != "program"}
    if not one:
        return
    if not other or not any(key in other for key in one):
        found.add(f"the analysis of {{}} {what}")
        return
    for key, words in _PARTS.items():
        found.add(words, int(one.get(key) is not None and other.get(key) is None))
    _off((one.get("luck"),), (other.get("luck"),), found)
    if one.get("resign") and other.get("resign"):
        _off((one["resign"].get("lost"),), (other["resign"].get("lost"),), found)
    cube, kept = one.get("cube"), other.get("cube")
    if cube and kept:
        found.add("{} lines of cube decisions",
                  sum(cube.get(key) not in (None, 1.0) and kept.get(key) is None
                      for key in _CUBE))  # that a pass is worth 1 goes without saying
        _line(cube, kept, found)
        if cube.get("unit") == kept.get("unit"):
            _off([cube.get(key) for key in _CUBE], [kept.get(key) for key in _CUBE], found)
    left: dict[object, list[Plain]] = {}  # two of a net may differ by what they hit
    for candidate in other.get("candidates") or ():
        left.setdefault(_net(candidate), []).append(candidate)
    for candidate in one.get("candidates") or ():
        same = left.get(_net(candidate))
        if not same:
            found.add("{} candidates")
            continue
        again = same.pop(0)
        _line(candidate, again, found)
        _off((candidate.get("equity"),), (again.get("equity"),), found)
    found.add("which candidate was played, {} times", int(_played(one) not in (
        None, _played(other))))


def _played(analysis: Plain) -> frozenset[tuple[int, int]] | None:
    at, candidates = analysis.get("played"), analysis.get("candidates") or ()
    return _net(candidates[at]) if isinstance(at, int) and 0 <= at < len(candidates) else None


def _line(one: Plain, other: Plain, found: _Losses) -> None:
    """A candidate or a cube decision: its level and its other figures."""
    if _level(one) not in ("", _level(other)):
        found.add("the level of {} lines")
    for key, words in _FIGURES.items():
        if one.get(key) is not None and other.get(key) is None:
            found.add(words)
    for key in ("probabilities", "cubeless", "mwc"):
        mine, theirs = ([v] if not isinstance(v, (list, tuple)) else v
                        for v in (one.get(key), other.get(key)))
        _off(mine, theirs, found)


def _level(line: Plain) -> object:
    """A level in whatever words, "" where there is none."""
    plies, roller = plies_of(line), roller_of(line)
    if plies is not None:
        return plies
    return f"roller {roller}" if roller else str(line.get("level") or "").lower()


def _net(candidate: Plain) -> frozenset[tuple[int, int]]:
    """Where checkers come from and go to, however the steps are cut."""
    net: Counter[int] = Counter()
    for source, target, *_ in candidate.get("steps") or ():
        net[source] += 1
        net[target] -= 1
    return frozenset((point, n) for point, n in net.items() if n)


def _off(one: Iterable[Any], other: Iterable[Any], found: _Losses) -> None:
    for a, b in zip(one, other, strict=False):
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            found.off = max(found.off, abs(a - b))
