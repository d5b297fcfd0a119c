"""How a rollout begins: what an engine is asked becomes an account with nothing done yet."""
from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from nardy_core import cache as caches
from nardy_core.errors import FileFormatError
from nardy_core.play import Play, dice_of, play_of
from nardy_core.position import Position
from nardy_core.rollout import MAX_SUBJECTS, RolloutPlan
from nardy_core.rollout_account import Account
from nardy_core.rollout_question import RolloutQuestion
from nardy_core.rollout_store import RolloutStore

if TYPE_CHECKING:
    from nardy_core.cube_inputs import CubeEfficiency
    from nardy_core.engine import Engine
    from nardy_core.match import MatchEquity

Kept: TypeAlias = "RolloutStore | str | os.PathLike[str]"  # a store or its file


def plan_for(
    *, cubeful: bool = False, met: MatchEquity | str | None = None,
    efficiency: float | CubeEfficiency | None = None, level: int = 0,
    cube_level: int | None = None, late_level: int = 0,
    late_cube_level: int | None = None, late: int | None = None, plan: str | None = None,
    **settings: Any,
) -> RolloutPlan:
    """What does not matter is as it is by default, so that equal questions look alike."""
    if not cubeful:
        met = efficiency = None
        cube_level = late_cube_level = 0
    if not level and (late is None or not late_level):
        plan = None
    return RolloutPlan(
        **settings, late=late, plan=plan, cubeful=cubeful, met=met, efficiency=efficiency,
        level=level, cube_level=level if cube_level is None else cube_level, late_level=late_level,
        late_cube_level=late_level if late_cube_level is None else late_cube_level)


def open_account(
    engine: Engine, position: Position, dice: Sequence[int] | None, plan: RolloutPlan, *,
    plays: Iterable[Play | str] | None = None, top: int | None = None,
    opening: bool | None = None, store: Kept | None = None, cache: Kept | bool = False,
    resume: Mapping[str, Any] | None = None,
) -> Account:
    """A rollout's account before any work is done; arguments as for `Engine.rollout`."""
    if position.finished:
        raise ValueError("rollout: the game is over")
    if dice is not None or position.dice is not None:
        if opening:
            raise ValueError("opening: the roll is known, so nothing is left to exclude")
        opening = False
    elif opening is None:
        opening = position.opens_unlike
    if dice is None and position.dice is None:
        if plays is not None or top is not None:
            raise ValueError("rollout: candidates need dice, and the position has no roll")
        chosen = None
    else:
        roll = dice_of(position, dice)
        chosen = _chosen(engine, position, roll, plays, top)
    model = engine.model(position)
    plan = dataclasses.replace(plan, opening=opening)
    question = RolloutQuestion(
        position, chosen, plan, tuple((part, net.info["hash"]) for part, net in model.nets),
        model.info.tables)
    if store is not None:
        store = store_of(store)
        if difference := store.unlike(question):
            raise ValueError(f"{os.fsdecode(store.path)}: holds another rollout: {difference}")
    return Account(question, plan, model, store, open_cache(cache), resume)


def _chosen(
    engine: Engine, position: Position, dice: tuple[int, int], plays: Iterable[Play | str] | None,
    top: int | None,
) -> tuple[Play, ...]:
    if plays is None:
        ranked = engine.analyse(position, dice, top=5 if top is None else top)
        chosen = [candidate.play for candidate in ranked.candidates]
    elif top is not None:
        raise ValueError("rollout: give either plays or top")
    else:
        chosen = []
        for play in plays:
            play = play_of(position, dice, play)
            if play not in chosen:
                chosen.append(play)
    if not 1 <= len(chosen) <= MAX_SUBJECTS:
        raise ValueError(f"rollout: {len(chosen)} plays are not 1..{MAX_SUBJECTS}")
    return tuple(chosen)


def store_of(store: Kept) -> RolloutStore:
    return store if isinstance(store, RolloutStore) else RolloutStore(store)


def open_cache(cache: Kept | bool) -> RolloutStore | None:
    """The cache of rollouts to use: True = this user's. No answer depends on it, so one that cannot
    be used is told of on stderr, and None."""
    if not cache:
        return None
    try:
        return store_of(cache_file() if cache is True else cache)
    except (OSError, RuntimeError, FileFormatError) as error:
        caches.say_once(f"rollouts not cached: {error}")
        return None


def cache_file() -> Path:
    """The file of this user's cache of rollouts."""
    folder = caches.directory()
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "rollouts.sums"
