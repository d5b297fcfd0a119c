"""The engine: evaluation, ranking of plays and rollouts with the shipped nets and tables."""
from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from nardy_core import rules
from nardy_core.analysis import Analysis, Candidate, EngineInfo, Evaluation, made
from nardy_core.boards import planes_of
from nardy_core.checks import one_of
from nardy_core.cube_inputs import owners_of, stakes_of
from nardy_core.cubeful import best_of, has_stakes, ranked_by_cube, setting_of
from nardy_core.errors import NoNetError
from nardy_core.evaluator import (
    MAX_PLIES,
    CubeSetting,
    Evaluator,
    Net,
    Plan,
    Stop,
    kernel_sets,
    outcomes_of,
    swapped,
)
from nardy_core.filters import filter_of, plan_of
from nardy_core.interrupt import interruptible
from nardy_core.levels import ROLLERS, Level, check_level
from nardy_core.models import Model, model_of
from nardy_core.nets import NetSource, load_nets
from nardy_core.options import Options
from nardy_core.play import Play, dice_of, legal_plays, play_of
from nardy_core.position import Position
from nardy_core.rollout import RolloutHandle, processors
from nardy_core.rollout_begin import Kept, open_account, plan_for

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from nardy_core.cube import CubeDecision, CubeEfficiency
    from nardy_core.match import MatchEquity
    from nardy_core.rollout_batch import Answer, Item
    from nardy_core.rollout_result import RolloutResult

MAX_LEVEL = MAX_PLIES
SHORT = 2000  # work, in positions that the nets see, too short to be interrupted

T = TypeVar("T")
Probabilities = npt.NDArray[np.float32]


class Engine:
    """Evaluates positions and plays with nets and exact tables.

    nets : None for those shipped, a folder with `GAME-PART.net` or `PART.net` files, or a mapping
        {game: {"contact": Net or file, "race": …, "small": …}}; see `nardy_core.nets`
    threads : for large inputs and rollouts; None = one per processor
    kernels : name of a kernel set, None for the environment's NARDY_KERNELS or else the best this
        machine has. Answers do not depend on it.
    long_race : races of long nardy come from the table that `nardy db build long-race` made: True
        for the one in the cache, or a file. Answers name it among their tables.
    plan : the move filter of `nardy_core.filters` that holds where a call does not say; None =
        "normal". Answers name it.

    Cheap to make: nets are read at first use. Safe to share between threads; the answers have the
    same bits on any number of them.
    """

    def __init__(
        self, nets: NetSource | None = None, *, threads: int | None = None,
        kernels: str | None = None, long_race: bool | str | os.PathLike[str] = False,
        plan: str | None = None,
    ) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads: {threads} is not at least 1")
        self.threads = threads or processors()
        self.kernels = kernels or os.environ.get("NARDY_KERNELS") or kernel_sets()[-1]
        one_of("kernels", self.kernels, kernel_sets())
        self.plan = filter_of(plan)
        self._source, self._long_race = nets, long_race
        self._nets: dict[str, dict[str, Net]] = {}
        self._models: dict[tuple[object, ...], Model] = {}
        self._lock = threading.Lock()

    def info(self, game: str = "backgammon") -> EngineInfo:
        """Version, nets and tables that answers about the game are made with."""
        return self.model(Position.start(game)).info

    def _limits(self, plan: Plan | str | None) -> Plan | None:
        return plan_of(self.plan if plan is None else plan)

    # ---- evaluation -----------------------------------------------------------------------------

    def evaluate(
        self, position: Position, level: Level = 0, *, cubeful: bool = True,
        met: MatchEquity | str | None = None, efficiency: float | CubeEfficiency | None = None,
        plan: Plan | str | None = None, stop: Stop | None = None,
    ) -> Evaluation:
        """The chances of the side on roll, before it rolls (dice of the position are not used).

        level : plies of look-ahead, 0 (static nets and tables) to MAX_LEVEL, or a roller by name;
            see `nardy_core.levels`
        cubeful : also with the cube in play, by a second search at the same level; see `cube`
        met, efficiency : as for `cube`
        plan : where the search looks closely, or the name of a filter of `nardy_core.filters`;
            None = the engine's
        stop : raised by another thread, it ends the search with Cancelled
        """
        check_level(level)
        if isinstance(level, str):
            from nardy_core import roller

            return roller.evaluate(self, position, ROLLERS[level], cubeful=cubeful, met=met,
                                   efficiency=efficiency, stop=stop)
        limits, model = self._limits(plan), self.model(position)
        values = _run(level, 1, stop, lambda flag: model.at(level).evaluate_nply(
            position.board, level, limits, flag))
        found = made(position, "own", values.tolist(), level, model.info)
        if not cubeful or position.finished or not has_stakes(position):
            return found
        stakes = stakes_of(position, met)
        _, lines = self._cubeful(position, level, met, efficiency, True, limits, stop)
        best = best_of(position, lines)
        return dataclasses.replace(
            found, cubeful=stakes.equity(position.cube, best),
            mwc=best if position.match_length else None)

    def _cubeful(
        self, position: Position, level: int, met: MatchEquity | str | None,
        efficiency: float | CubeEfficiency | None, exact: bool, plan: Plan | None,
        stop: Stop | None,
    ) -> tuple[Probabilities, dict[str, float | None]]:
        """Chances and values of a search with the cube in play, before the roll."""
        search = self.model(position).at(level)
        setting = setting_of(position, met, efficiency, exact)
        return _run(level, 1, stop, lambda flag: search.evaluate_cubeful(
            position.board, level, setting, plan, flag))

    def evaluate_many(
        self, boards: Any, *, level: Level = 0, game: str | None = None,
        rules: Options | None = None, plan: Plan | str | None = None, stop: Stop | None = None,
    ) -> Probabilities:
        """Outcome probabilities of many positions: float32 (n, outcomes).

        boards : uint32 (n, 8) bit planes, integers (n, 26) as `Position.points`, or positions and
            ids; see `nardy_core.boards.planes_of`
        game, rules : of arrays, short nardy by the default rules unless given; positions and ids
            come with their own
        level, plan, stop : as for `evaluate`
        Each row adds up to 1, for the side on roll, in the order of `outcome_names(game)`. The
        engine's threads share the work. Each row is valued by the rules of its position.
        """
        check_level(level)
        game, planes, of = planes_of(boards, game, rules)
        found = np.empty((len(planes), len(outcomes_of(game))), dtype=np.float32)
        if isinstance(level, str):
            for n, row in enumerate(planes):
                position = Position.from_planes(row, game=game, rules=of[n])
                found[n] = tuple(self.evaluate(
                    position, level, cubeful=False, stop=stop).probabilities.values())
            return found
        limits = self._limits(plan)
        for options, group in _by_rules(of).items():
            model, some = self.model(Position.start(game).with_(rules=options)), planes[group]
            found[group] = _run(level, len(some), stop, partial(
                _evaluate_many, model.at(level), some, level, limits, threads=self.threads))
        return found

    def outcome_names(self, game: str = "backgammon") -> tuple[str, ...]:
        """Names of the columns of `evaluate_many` for the game: exclusive classes, wins first."""
        return outcomes_of(game)

    # ---- plays ----------------------------------------------------------------------------------

    def analyse(
        self, position: Position, dice: Sequence[int] | None = None, *, level: Level = 0,
        cubeful: bool | None = None, top: int | None = None, include: Iterable[Play | str] = (),
        met: MatchEquity | str | None = None, efficiency: float | CubeEfficiency | None = None,
        plan: Plan | str | None = None, stop: Stop | None = None,
    ) -> Analysis:
        """The plays of a roll (default: the position's own dice), best first.

        level : plies of look-ahead, 0 (the static worth of each result) to MAX_LEVEL, or a roller
            by name, see `nardy_core.levels`. The best candidate is at this level, and so are those
            that the plan's filters, or the roller's, let through.
        cubeful : rank by equity with the cube in play, at the score of a match; False = by cubeless
            equity for money; None = cubeful unless the match is longer than tables reach, or it
            is long nardy for points
        top : list no more than so many candidates, all of them at `level`; None = all plays
        include : plays that are judged at `level` and listed whatever they are worth
        met, efficiency : as for `cube`
        plan, stop : as for `evaluate`
        """
        roll = dice_of(position, dice)
        wanted = [play_of(position, roll, play) for play in include]
        check_level(level)
        _check_top(top)
        limits = self._limits(plan)
        if isinstance(level, str):
            from nardy_core import roller

            return roller.analyse(
                self, position, roll, ROLLERS[level], cubeful=cubeful, top=top, include=wanted,
                met=met, efficiency=efficiency, plan=limits, stop=stop)
        plays = legal_plays(position, roll)
        model = self.model(position)
        setting = None
        if ranked_by_cube(position) if cubeful is None else cubeful:
            setting = setting_of(position, met, efficiency)

        search = model.at(level)

        def work(flag: Stop | None) -> npt.NDArray[np.void]:
            found = search.choose_nply(
                position.board, roll, level, limits, flag, least=top or 1, cube=setting)
            for k in np.flatnonzero(found["level"] < level).tolist():
                play = plays[found["index"][k]]
                if play in wanted:
                    again = search.judge(
                        swapped(play.board[np.newaxis])[0], level, limits, flag, cube=setting)
                    found["level"][k], found["equity"][k] = level, again[1]
                    found["probability"][k, :len(model.points)] = again[0]
            return found

        choices = _run(level, len(plays), stop, work)
        return _ranked(position, plays, choices, level, top, wanted, model, setting)

    def analyse_many(
        self, positions: Sequence[Position], dice: Sequence[Sequence[int]] | None = None, *,
        level: Level = 0, cubeful: bool | None = None, top: int | None = 1,
        met: MatchEquity | str | None = None, efficiency: float | CubeEfficiency | None = None,
        plan: Plan | str | None = None, stop: Stop | None = None,
    ) -> list[Analysis]:
        """`analyse` for each of many positions of any games and rules, with the same answers; the
        engine's threads share the work.

        dice : a roll for each position; None = the positions' own

        The rest as for `analyse`, but no more than the best play of each unless `top` says so.
        """
        check_level(level)
        _check_top(top)
        limits = self._limits(plan)
        if dice is not None and len(dice) != len(positions):
            raise ValueError(f"dice: {len(dice)} rolls for {len(positions)} positions")
        rolls = [dice_of(position, dice[n] if dice is not None else None)
                 for n, position in enumerate(positions)]
        if isinstance(level, str):
            return [self.analyse(position, roll, level=level, cubeful=cubeful, top=top, met=met,
                                 efficiency=efficiency, plan=limits, stop=stop)
                    for position, roll in zip(positions, rolls, strict=True)]
        plays = [legal_plays(*pair) for pair in zip(positions, rolls, strict=True)]
        groups: dict[tuple[int, bool], list[int]] = {}
        for n, position in enumerate(positions):
            by_cube = ranked_by_cube(position) if cubeful is None else cubeful
            groups.setdefault((id(self.model(position)), by_cube), []).append(n)
        found: dict[int, Analysis] = {}
        for (_, by_cube), group in groups.items():
            model = self.model(positions[group[0]])
            group.sort(key=lambda n: -len(plays[n]))  # the longest first: threads end together
            most = max(len(plays[n]) for n in group)
            boards = np.stack([positions[n].board for n in group])
            roll = np.array([rolls[n] for n in group])
            settings = [setting_of(positions[n], met, efficiency) if by_cube else None
                        for n in group]
            choices, _ = _run(level, most * len(group), stop, partial(
                _choose_many, model.at(level), boards, roll, level, limits,
                cubes=settings if by_cube else None,
                top=most if top is None else min(top, most), least=top or 1,
                threads=self.threads))
            for n, row, setting in zip(group, choices, settings, strict=True):
                found[n] = _ranked(
                    positions[n], plays[n], row[:len(plays[n])], level, top, (), model, setting)
        return [found[n] for n in range(len(positions))]

    # ---- the cube -------------------------------------------------------------------------------

    def cube(
        self, position: Position, level: Level = 0, *, met: MatchEquity | str | None = None,
        efficiency: float | CubeEfficiency | None = None, exact: bool = True,
        plan: Plan | str | None = None, stop: Stop | None = None,
    ) -> CubeDecision:
        """Whether to double, and whether to take it; see `nardy_core.cube.decide`.

        level : plies of look-ahead with the cube in play: at 0 the cube model answers, at n it is
            the mean over the rolls of the best plays and cube actions that follow, down to 0; a
            roller plays both lines, no double, and double and take
        met : match equity table by name or file; Kazaross-XG2 by default
        efficiency : of the cube, a number (0 = dead, 1 = live) or a table by class of position
        exact : small bear-offs come from exact solvers, at any score and cube
        plan, stop : as for `evaluate`
        """
        from nardy_core.cube import decide, from_values, is_exact

        check_level(level)
        over = position.finished or position.last_roll_due
        if over or (exact and is_exact(position)):
            return decide(position, met=met, efficiency=efficiency)
        if isinstance(level, str):
            from nardy_core import roller

            return roller.decide(self, position, ROLLERS[level], met=met, efficiency=efficiency,
                                 stop=stop)
        chances, values = self._cubeful(
            position, level, met, efficiency, exact, self._limits(plan), stop)
        found = from_values(
            position, chances.tolist(), values, efficiency=efficiency, met=met)
        return dataclasses.replace(found, level=level, engine=self.model(position).info)

    def cube_owners(
        self, position: Position, level: Level = 0, *, met: MatchEquity | str | None = None,
        efficiency: float | CubeEfficiency | None = None, exact: bool = True,
        plan: Plan | str | None = None, stop: Stop | None = None,
    ) -> dict[str, CubeDecision]:
        """The same for each owner the cube could have: "centre", "own", "opp"; in the Crawford game
        there is only the centre, and a cube that was turned in a match has an owner. Arguments
        as for `cube`."""
        return {
            owner: self.cube(
                position.with_(cube_owner=owner, offer="none"), level, met=met,
                efficiency=efficiency, exact=exact, plan=plan, stop=stop)
            for owner in owners_of(position)}

    # ---- rollouts -------------------------------------------------------------------------------

    def rollout(
        self, position: Position, dice: Sequence[int] | None = None, *,
        plays: Iterable[Play | str] | None = None, top: int | None = None, trials: int = 1296,
        seed: int = 1, se: float | None = None, jsd: float | None = None,
        max_time: float | None = None, truncate: int = 0, variance_reduction: bool = True,
        opening: bool | None = None, cubeful: bool = False,
        met: MatchEquity | str | None = None,
        efficiency: float | CubeEfficiency | None = None, level: int = 0,
        cube_level: int | None = None, late: int | None = None, late_level: int = 0,
        late_cube_level: int | None = None, plan: str | None = None, threads: int | None = None,
        progress: Callable[[Any], object] | None = None, executor: Executor | None = None,
        store: Kept | None = None, cache: Kept | bool = False,
        resume: Mapping[str, Any] | None = None,
    ) -> RolloutHandle:
        """Play a position, or the candidates of a roll, to the end many times. Starts at once.

        dice, plays, top : with dice (default: the position's own) the candidates are rolled out:
            the `plays` given, as Play or text, or the `top` best at level 0 (default 5)
        trials : games a candidate, rounded up to a multiple of 36
        seed : of the dice, which are a function of it, the trial and the ply
        se, jsd : stop earlier when every equity's standard error is at most `se`. A candidate that
            is `jsd` standard errors of the difference behind the best is dropped; the rollout stops
            when the best is left alone, or when doubling and taking are as clear. Looked at after
            each 36 trials, from the 144th on
        max_time : stop after so many seconds, with what is finished (36 trials at least)
        truncate : plies after which the static evaluation is taken; 0 = to the end
        variance_reduction : subtract the luck of the dice, as the small net sees it
        opening : the first roll of the position is no double; None = as the rules have it: true for
            a start position of a game whose first player plays the two unlike dice thrown for it
        cubeful : the cube is in play: both sides double, take, beaver and pass by the cube model.
            Equities are then cubeful. Without dice, and where the side on roll may double, the cube
            decision is rolled out: "no_double" and "double_take" with the same dice
        met, efficiency : as for `cube`
        level, cube_level : plies of look-ahead for plays and, by default the same, for the cube
        late, late_level, late_cube_level : these levels from ply `late` of a trial on
        plan : name of the move filter of plays that look ahead; None = the engine's
        progress : called with a RolloutResult now and then, from the rollout's own thread
        executor : any executor of `concurrent.futures`, to do the work instead of threads of this
            process; see `nardy_core.cluster` for many machines
        store : a RolloutStore, or the path of its file: it keeps every piece of work that is
            finished, and what it has is not done again. It refuses what differs in settings or nets
            from what is in it; `trials`, `se`, `jsd` and `max_time` may differ
        cache : True = look into the cache of results of this user, and keep the result there; or
            the RolloutStore, or path, to use for that. One that cannot be used is told of on
            stderr, and done without; what it gives is put into the store, too
        resume : go on from what `RolloutHandle.state` gave for the same question

        All candidates get the same dice. The same arguments give the same bits on any number of
        threads, by any executor and after any interruption, unless `max_time` or a stop cut them
        short.
        """
        settings = plan_for(
            trials=trials, seed=seed, se=se, jsd=jsd, max_time=max_time, truncate=truncate,
            variance_reduction=variance_reduction, cubeful=cubeful, met=met, efficiency=efficiency,
            level=level, cube_level=cube_level, late=late, late_level=late_level,
            late_cube_level=late_cube_level, plan=self.plan if plan is None else plan)
        account = open_account(
            self, position, dice, settings, plays=plays, top=top, opening=opening, store=store,
            cache=cache, resume=resume)
        return RolloutHandle(
            account, self.threads if threads is None else threads, progress, executor)

    def rollout_many(
        self, items: Iterable[Item | Position | str], *, top: int | None = None,
        opening: bool | None = None, before_roll: bool = False, executor: Executor | None = None,
        store: Kept | None = None, cache: Kept | bool = False,
        progress: Callable[[Item, RolloutResult], object] | None = None, **settings: Any,
    ) -> Iterator[Answer]:
        """Roll out many positions and decisions; yields (item, result, error) in their order.

        items : Item of `nardy_core.rollout_batch`, as its `read_items` makes them of a file, or
            positions, or their ids
        top, opening, executor, settings : as for `rollout`
        store, cache : as for `rollout`; they may hold all of them
        before_roll : the dice of positions are taken away
        progress : called, by another thread, with an item that is at work and what is known of it

        One that fails has its error in its place. Equal questions are worked off once; several
        items are worked on at a time, so that no worker waits. Leaving the iteration stops the
        work.
        """
        from nardy_core.rollout_batch import items_of, roll_out_many

        return roll_out_many(
            self, items_of(items), plan_for(**{"plan": self.plan, **settings}), opening=opening,
            before_roll=before_roll, top=top, executor=executor, store=store, cache=cache,
            progress=progress)

    # ---- models ---------------------------------------------------------------------------------

    def model(self, position: Position) -> Model:
        """The evaluators for the position's game and rules, made at first use. Raises
        UnsupportedError where there are no nets for them, for other than 15 checkers NoNetError."""
        if position.checkers != 15:
            raise NoNetError(f"engine: no net knows games with {position.checkers} checkers a side")
        key = position.game, position.rules.codes, rules.points(position.rules)
        with self._lock:
            if key not in self._models:
                game = position.game
                if game not in self._nets:
                    self._nets[game] = load_nets(game, self._source)
                self._models[key] = model_of(
                    *key, self._nets[game], kernels=self.kernels, long_race=self._long_race,
                    plan=self.plan)
            return self._models[key]


def _check_top(top: int | None) -> None:
    if top is not None and top < 1:
        raise ValueError(f"top: {top} is not at least 1")


def _run(level: int, count: int, stop: Stop | None, work: Callable[[Stop | None], T]) -> T:
    """Search `count` positions: where that may take long, so that Ctrl-C ends it."""
    if level < 2 and count * 100**level < SHORT:
        return work(stop)
    return interruptible(work, stop)


def _by_rules(rules: Sequence[Options]) -> dict[Options, list[int] | slice]:
    """Which rows each set of rules is for."""
    if rules and rules.count(rules[0]) == len(rules):  # quick where it is one and the same object
        return {rules[0]: slice(None)}
    groups: dict[Options, list[int]] = {}
    for row, options in enumerate(rules):
        groups.setdefault(options, []).append(row)
    return {**groups}


def _evaluate_many(
    evaluator: Evaluator, boards: npt.NDArray[np.uint32], level: int, plan: Plan | None,
    stop: Stop | None, **settings: Any,
) -> Probabilities:
    return evaluator.evaluate_many(boards, level, plan, stop=stop, **settings)


def _choose_many(
    evaluator: Evaluator, boards: npt.NDArray[np.uint32], dice: npt.ArrayLike, level: int,
    plan: Plan | None, stop: Stop | None, **settings: Any,
) -> tuple[npt.NDArray[np.void], npt.NDArray[np.int32]]:
    return evaluator.choose_many(boards, dice, level, plan, stop=stop, **settings)


def _ranked(
    position: Position, plays: Sequence[Play], choices: npt.NDArray[np.void], level: int,
    top: int | None, wanted: Sequence[Play], model: Model, setting: CubeSetting | None,
) -> Analysis:
    """The analysis from what a search chose: deepest level first, then by equity."""
    stakes = None if setting is None else setting.stakes
    rows = []
    for order, (reached, index, values, equity) in enumerate(zip(
            choices["level"].tolist(), choices["index"].tolist(),
            choices["probability"][:, :len(model.points)].tolist(), choices["equity"].tolist(),
            strict=True)):
        found = made(position, "own", values, reached, model.info)
        if stakes is not None:
            mwc = stakes.unequity(position.cube, equity) if position.match_length else None
            found = dataclasses.replace(found, cubeful=equity, mwc=mwc)
        else:
            equity = found.equity
        rows.append((-reached, -equity, order, index, found))
    rows.sort(key=lambda row: row[:3])
    candidates = tuple(
        Candidate(plays[index], found, rows[0][1] - worth)
        for rank, (_, worth, _, index, found) in enumerate(rows)
        if top is None or rank < top or plays[index] in wanted)
    return Analysis(position, plays[0].dice, level, candidates, len(plays), model.info,
                    stakes is not None)
