"""Rollouts of many positions and decisions at once, each with an answer of its own."""
from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from nardy_core.position import Position
from nardy_core.rollout_account import Account
from nardy_core.rollout_begin import Kept, open_account, open_cache, store_of
from nardy_core.rollout_result import RolloutPlan, RolloutResult
from nardy_core.rollout_workers import Foreman

if TYPE_CHECKING:
    from nardy_core.engine import Engine

KEYS = ("id", "position", "dice", "plays", "top")


class Item(NamedTuple):
    """One question of many: what `Engine.rollout` is asked.

    number : in its file, the line from 1 on
    name : what the file calls it, "" = nothing
    position, dice, plays, top : as for `Engine.rollout`
    error : why it is no question, where it is none
    """

    number: int
    name: str = ""
    position: Position | None = None
    dice: tuple[int, int] | None = None
    plays: tuple[str, ...] | None = None
    top: int | None = None
    error: Exception | None = None


class Answer(NamedTuple):
    """The result of an item, or the error that is why there is none."""

    item: Item
    result: RolloutResult | None
    error: Exception | None


def read_items(lines: Iterable[str]) -> Iterator[Item]:
    """The items of a file, one a line: a position in any form that `Position.parse` knows, or a
    JSON object {"position": …, "id": …, "dice": [3, 1], "plays": ["8/5 6/5", …], "top": 3} of
    which only the position must be there. Empty lines and those that begin with # are passed over.
    """
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name = ""
        try:
            if not text.startswith("{"):
                yield Item(number, "", Position.parse(text))
                continue
            data = _object(text)
            name = str(data.get("id", ""))
            yield _item(number, name, data)
        except (ValueError, RecursionError) as error:
            yield Item(number, name, error=error)


def _object(text: str) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise ValueError(f"no JSON object: {error}") from None
    return data


def _item(number: int, name: str, data: dict[str, Any]) -> Item:
    for key in data:
        if key not in KEYS:
            raise ValueError(f"{ascii(key)[:40]} is none of {', '.join(KEYS)}")
    position, dice, plays, top = (data.get(key) for key in KEYS[1:])
    if not isinstance(position, str):
        raise ValueError("position: is missing or no text")
    if dice is not None and not (isinstance(dice, list) and len(dice) == 2
                                 and all(type(die) is int for die in dice)):
        raise ValueError(f"dice: {ascii(dice)[:40]} is not like [3, 1]")
    if plays is not None and not (isinstance(plays, list)
                                  and all(isinstance(play, str) for play in plays)):
        raise ValueError(f"plays: {ascii(plays)[:40]} is no list of plays")
    if top is not None and (type(top) is not int or top < 1):
        raise ValueError(f"top: {ascii(top)[:40]} is not a whole number from 1 on")
    return Item(number, name, Position.parse(position), tuple(dice) if dice else None,
                tuple(plays) if plays is not None else None, top)


def items_of(questions: Iterable[Item | Position | str]) -> Iterator[Item]:
    """Items of questions: items as they are, positions and their ids numbered from 1 on."""
    for number, question in enumerate(questions, 1):
        try:
            if isinstance(question, str):
                question = Position.parse(question)
        except ValueError as error:
            yield Item(number, error=error)
            continue
        yield Item(number, position=question) if isinstance(question, Position) else question


def roll_out_many(
    engine: Engine, items: Iterable[Item], plan: RolloutPlan, *, opening: bool | None = None,
    before_roll: bool = False, top: int | None = None, executor: Executor | None = None,
    store: Kept | None = None, cache: Kept | bool = False,
    progress: Callable[[Item, RolloutResult], object] | None = None,
) -> Iterator[Answer]:
    """The answers of items in their order, each as soon as it and all before it are there.

    Items are begun in their order, as many at a time as keep the workers busy; equal questions are
    worked off once. plan, opening, executor, store, cache : as for `Engine.rollout`; without an
    executor threads of this process do the work. before_roll : dice of positions are taken away.

    top : for items with dice that name neither plays nor a number
    progress : called, by another thread, with an item that is at work and what is known of it; of
        equal ones with the first

    A store or worker that fails for good ends the iteration with its error. Leaving the iteration
    stops the work; what is finished is in the store.
    """
    if store is not None:
        store = store_of(store)
    cache = open_cache(cache) or False
    done: queue.SimpleQueue[tuple[int, Answer] | BaseException | None] = queue.SimpleQueue()
    places: dict[int, tuple[bytes, list[tuple[int, Item]]]] = {}  # of accounts, by id
    known: dict[bytes, list[tuple[int, Item]] | Account] = {}  # by key: who waits, or the answer

    def accounts() -> Iterator[Account]:
        for place, item in enumerate(items):
            try:
                if item.error or item.position is None:
                    raise item.error or ValueError("no position")
                position = item.position.with_(dice=None) if before_roll else item.position
                rolled = item.dice is not None or position.dice is not None
                account = open_account(
                    engine, position, item.dice, plan, plays=item.plays, opening=opening,
                    top=item.top or (top if rolled and item.plays is None else None),
                    store=store, cache=cache)
            except (ValueError, RuntimeError) as error:
                done.put((place, Answer(item, None, error)))
                continue
            found = known.get(account.question.key)
            if isinstance(found, Account):
                done.put((place, _answer(item, found)))
            elif found is not None:
                found.append((place, item))
            else:
                known[account.question.key] = waiting = [(place, item)]
                places[id(account)] = account.question.key, waiting
                yield account

    def changed(account: Account) -> None:
        if id(account) not in places:
            return
        key, waiting = places[id(account)]
        if account.running:
            if progress and (result := account.result):
                progress(waiting[0][1], result)
        else:
            del places[id(account)]
            known[key] = account
            for place, item in waiting:
                done.put((place, _answer(item, account)))

    def work() -> None:
        try:
            foreman.run(accounts())
        except BaseException as error:  # whoever iterates shall have it
            done.put(error)
        done.put(None)

    pool = executor or ThreadPoolExecutor(engine.threads)
    foreman = Foreman(pool, threading.Condition(), changed)
    thread = threading.Thread(target=work, name="rollouts", daemon=True)
    thread.start()
    try:
        early: dict[int, Answer] = {}
        following = 0
        while (came := done.get()) is not None:
            if isinstance(came, BaseException):
                raise came
            early[came[0]] = came[1]
            while following in early:
                yield early.pop(following)
                following += 1
    finally:
        foreman.stop()
        thread.join()
        if executor is None:
            pool.shutdown()


def _answer(item: Item, account: Account) -> Answer:
    return Answer(item, None if account.error else account.result, account.error)
