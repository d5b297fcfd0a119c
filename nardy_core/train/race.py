"""A race net from the exact table of races: labels without noise, in no time.

    python -m nardy_core.train.race GAME NETS OUT

plays with the nets of a folder for the positions, and writes the race net they and their random
neighbours teach to the file OUT. The table is that of long nardy, `nardy db build long-race`: in a
race each side runs for itself by the same rules in both games. It knows races on the last twelve
points of each side; the few in backgammon that begin further back are labelled by look-ahead.
"""

import json
import sys

import numpy as np
import numpy.typing as npt

from nardy_core._border import _train
from nardy_core.evaluator import (
    Evaluator,
    LongRace,
    Net,
    default_points,
    outcomes_of,
    phases_of,
    swapped,
)
from nardy_core.position import Position

RACE = 2
FEATURES = {"backgammon": "backgammon-race-1", "long_nardy": "long-nardy-race-1"}

Boards = npt.NDArray[np.uint32]
Labels = npt.NDArray[np.float32]


def exact(game: str, table: LongRace, boards: Boards) -> Labels:
    """The table's chances of a game's outcomes (n, outcomes), NaN where it does not know a board.
    Who has borne off nothing has lost a gammon in backgammon, of whatever kind in long nardy;
    nobody is as far back as a backgammon needs."""
    chances = table.outcomes(boards)
    if game == "long_nardy":
        return chances
    out = np.zeros((len(boards), 6), dtype=np.float32)
    for side in range(2):
        out[:, 3 * side] = chances[:, 4 * side]
        out[:, 3 * side + 1] = chances[:, 4 * side + 1:4 * side + 4].sum(axis=1)
    out[np.isnan(chances[:, 0])] = np.nan
    return out


def played(game: str, evaluator: Evaluator, games: int, rng: np.random.Generator) -> Boards:
    """Race positions of games with a play in five at random; before the race, one in thirty."""
    found: list[Boards] = []
    for _ in range(games):
        board = Position.start(game).board
        while (phase := phases_of(game, board[None])[0]) >= RACE:
            if phase == RACE:
                found.append(board)
            boards = evaluator.choose(board, rng.integers(1, 7, 2).tolist())[0]
            odd = rng.random() < (0.2 if phase == RACE else 0.03)
            board = swapped(boards[rng.integers(len(boards)) if odd else 0][None])[0]
    return np.array(found)


def invented(count: int, rng: np.random.Generator) -> Boards:
    """Races that take every shape: some all home with some off, others with up to 15 outside."""
    counts = np.zeros((count, 2, 26), dtype=np.int64)
    for side in counts.reshape(-1, 26):
        outside = rng.integers(0, 16) if rng.random() < 0.5 else 0
        off = 0 if outside else rng.integers(0, 15) * (rng.random() < 0.8)
        if outside:
            np.add.at(side, rng.integers(7, 7 + rng.integers(1, 7), outside), 1)
        lean = rng.dirichlet(np.full(6, rng.choice([0.3, 1.0, 3.0])))
        side[1:7] += rng.multinomial(15 - outside - int(off), lean)
        side[0] += int(off)
    planes = np.zeros((count, 8), dtype=np.uint32)
    for k in range(4):
        for i in range(2):
            planes[:, 4 * i + k] = (
                (counts[:, i] >> k & 1) << np.arange(26)).sum(axis=1).astype(np.uint32)
    return planes


def fit(
    table: LongRace, boards: Boards, *, game: str = "long_nardy",
    evaluator: Evaluator | None = None, width: int = 256, steps: int = 60_000, seed: int = 1,
) -> Net:
    """A race net fitted to the table's chances of the boards (n, 8), and where it has none to the
    look-ahead of `evaluator`; without one these are left out."""
    labels = exact(game, table, boards)
    known = ~np.isnan(labels[:, 0])
    if evaluator:
        for i in np.flatnonzero(~known):
            labels[i] = evaluator.lookahead(boards[i])[0]
        used = np.ones(len(boards), dtype=bool)
    else:
        used = known
    made = _train.Fit(FEATURES[game], width, 32, len(outcomes_of(game)), seed=seed)
    samples = _train.samples(boards[used], labels[used])
    points = default_points(game)
    for begin, end in ((0.003, 0.001), (0.001, 0.0002), (0.0002, 0.00001)):
        made.run(samples, points, steps // 3, batch=528, lr=(begin, end), ema=0.999,
                 difference=0.0, seed=seed, threads=1)
    text = {"made_by": "nardy_core.train.race", "game": game, "net": "race", "seed": seed,
            "positions": int(used.sum()), "exact": int(known.sum())}
    return Net.from_params(FEATURES[game], **made.params(), provenance=json.dumps(text))


def main(game: str, nets: str, out: str) -> None:
    from nardy_core.bearoff import long_race
    from nardy_core.engine import Engine
    from nardy_core.nets import save_net

    rng = np.random.default_rng(1)
    evaluator = Engine(nets).model(Position.start(game)).search
    boards = np.concatenate([played(game, evaluator, 6_000, rng), invented(100_000, rng)])
    boards = np.concatenate([boards, swapped(boards)])
    boards = boards[phases_of(game, boards) == RACE]
    save_net(fit(long_race(), boards, game=game, evaluator=evaluator), out)


if __name__ == "__main__":
    main(*sys.argv[1:])
