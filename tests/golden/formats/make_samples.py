"""Matches in the dialects of two-column text, played by dice and chance.

    python tests/golden/formats/make_samples.py    writes the .mat and .txt files beside this file

Only the files called after their dialect come from here; the others are written by hand.
"""

import random
from pathlib import Path

from nardy_core.match_record import MatchRecord, apply
from nardy_core.recorder import Recorder

HERE = Path(__file__).parent


def played(rng, start, *, double_at=(), drop_at=None, resign_at=None, resign=1):
    """A game of random plays. `double_at`: turns before which the side on roll doubles and is
    taken; `drop_at`: the same, but dropped; `resign_at`: the turn at which the side on roll
    resigns."""
    recorder = Recorder(start)
    turn = 0
    while not recorder.over:
        player = recorder.position.turn
        if turn in double_at and recorder.position.cube_owner != "opp":
            recorder.double(player)
            recorder.take(1 - player)
        if turn == drop_at:
            recorder.double(player)
            recorder.drop(1 - player)
            break
        if turn == resign_at:
            recorder.resign(player, resign)
            return recorder.finish(1 - player, resign * recorder.position.cube)
        dice = rng.randint(1, 6), rng.randint(1, 6)
        while turn == 0 and dice[0] == dice[1] and start.game == "backgammon":
            dice = rng.randint(1, 6), rng.randint(1, 6)
        plays = recorder.position.legal_plays(dice)
        # The fewest pips left on the highest points: games by chance that come to an end.
        best = min(plays, key=lambda p: (sum(n * n * c for n, c in enumerate(p.result.opp)),
                                         rng.random()))
        recorder.play(player, dice, rng.choice([best, best, rng.choice(plays)]).steps)
        turn += 1
    return recorder.finish()


def match(seed, record, plans):
    rng = random.Random(seed)
    games = []
    crawford_over = False
    for plan in plans:
        score = MatchRecord.score.fget(record_with(record, games))
        crawford = (record.crawford and record.length > 1 and record.length - 1 in score
                    and not crawford_over)
        crawford_over |= crawford
        start = record.opening(score, crawford=crawford, player=rng.randint(0, 1))
        games.append(played(rng, start, **plan))
    return record_with(record, games)


def record_with(record, games):
    from dataclasses import replace

    return replace(record, games=tuple(games))


# ---- the dialects -----------------------------------------------------------------------------


def steps_in_full(steps):
    """Every step on its own, numbers only: Jellyfish, GNU Backgammon, Galaxy (which has no *)."""
    return " ".join(f"{a}/{b}{'*' if hit else ''}" for a, b, hit in sorted(steps, reverse=True))


def joined(steps):
    """Hops joined, equal moves counted, words for bar and off: Backgammon Studio, XG."""
    from nardy_core.notation import format_play

    return format_play(steps)


def two_columns(record, tags, *, plays, dance, wins, width, bom=False, star=True, end="\n"):
    lines = [f'; [{name} "{value}"]' for name, value in tags]
    lines += ["", f"{record.length} point match", ""]
    for number, game in enumerate(record.games, 1):
        a, b = record.players
        left = f" {a} : {game.score[0]}"
        lines += [f" Game {number}", left.ljust(width) + f"{b} : {game.score[1]}"]
        rows, position = [], game.start
        for action in game.actions:
            if not rows or rows[-1][1] or (action.player == 0 and rows[-1][0]):
                rows.append(["", ""])
            if action.kind == "play":
                text = plays(action.steps) if action.steps else dance
                entry = "{}{}: ".format(*action.dice) + (text if star else text.replace("*", ""))
            elif action.kind == "double":
                entry = f" Doubles => {2 * position.cube}"
            elif action.kind == "resign":
                entry = ""
            else:
                entry = f" {action.kind.title()}s"
            rows[-1][action.player] = entry
            position = apply(position, action)
        if wins == "column":  # in the column of who has won, as an entry of its own
            if not rows or rows[-1][1] or (game.winner == 0 and rows[-1][0]):
                rows.append(["", ""])
            rows[-1][game.winner] = f" Wins {game.points} point"
        for n, (left, right) in enumerate(rows, 1):
            lines.append((f"{n:3}) {left}".ljust(width) + " " + right).rstrip())
        if wins == "below":
            indent = 6 if game.winner == 0 else width + 1
            lines.append(" " * indent + f"Wins {game.points} point")
        lines.append("")
    return ("\ufeff" if bom else "") + end.join(lines)


def main():
    names = ("Maple", "Juniper")
    match_record = MatchRecord(players=names, length=5)
    plans = [{"drop_at": 9}, {"double_at": (12,)}, {"resign_at": 30, "resign": 1}, {}, {}]
    texts = {
        "jellyfish.mat": two_columns(
            match("jellyfish", match_record, plans[:4]), [],
            plays=steps_in_full, dance="", wins="below", width=32),
        "galaxy.txt": two_columns(
            match("galaxy", MatchRecord(players=names, length=3), [{"drop_at": 5}, {}, {}]),
            [("Site", "Some server"), ("Match ID", "77"), ("Player 1", "Maple"),
             ("Player 2", "Juniper"), ("Player 1 Elo", "3,00/0"), ("Variation", "Backgammon"),
             ("Unrated", "Off"), ("Crawford", "On"), ("CubeLimit", "1024")],
            plays=steps_in_full, dance="", wins="below", width=32, star=False, end="\r\n"),
        "studio.txt": two_columns(
            match("studio", MatchRecord(players=names, length=7),
                  [{"double_at": (8, 21)}, {"drop_at": 14}, {"double_at": (10,)}]),
            [("Site", "Some studio"), ("Event", "Evening match"), ("EventDate", "2024.02.03"),
             ("EventTime", "18.11"), ("Player 1", "Maple"), ("Player 2", "Juniper"),
             ("ClockType", "Speed 168/6")],
            plays=joined, dance="Cannot Move", wins="column", width=38, bom=True),
        "hypergammon.mat": two_columns(
            match("hyper", MatchRecord(players=names, length=7, start="hypergammon3"),
                  [{}, {"double_at": (1,)}]),
            [("Variation", "3-Chequer Hypergammon")],
            plays=steps_in_full, dance="????", wins="below", width=32),
        "long_nardy.mat": two_columns(
            match("nardy", MatchRecord(players=("Willow", "Aspen"), length=5, start="long_nardy",
                                       max_cube=1), [{}, {}, {}]),
            [("Variation", "LongNardy"), ("CubeLimit", "1"), ("EventDate", "2024.03.21")],
            plays=steps_in_full, dance="", wins="below", width=32),
    }
    for name, text in texts.items():
        (HERE / name).write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    main()
