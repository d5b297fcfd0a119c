"""What all routes share: the engine, its answers, the pools and the jobs, opened and closed."""
from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from starlette.responses import Response

from nardy_core.engine import Engine
from nardy_core.errors import UnsupportedError
from nardy_core.evaluator import Stop
from nardy_core.levels import check_level
from nardy_core.position import GAMES
from nardy_core.serve.http import schemas
from nardy_core.serve.http.answers import Answers
from nardy_core.serve.http.jobs import STATES, Jobs, Maker
from nardy_core.serve.http.metrics import Metrics
from nardy_core.serve.http.pools import Pool
from nardy_core.serve.http.settings import Settings
from nardy_core.serve.http.work import MatchWork, RolloutWork

DEEP = 4  # plies from which a call takes seconds, and must not stand in the way of others

T = TypeVar("T")


class Server:
    """All that an app needs, with its life: made, opened in an event loop, closed there."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self.engine, self.settings = engine, settings
        self.answers = Answers(engine, settings)
        self.metrics = Metrics()
        self.closed = asyncio.Event()
        self.quick = Pool("quick", settings.quick, settings.waiting, settings.time_limit)
        self.deep = Pool("deep", settings.deep, settings.waiting, settings.time_limit, nice=True)
        self.jobs = Jobs(self._makers(), settings.long, settings.queued, settings.jobs)
        self._count()

    def _count(self) -> None:
        pools = {"quick": self.quick, "deep": self.deep}
        for name, about in (("inside", "Calls inside a pool."), ("places", "Places of a pool."),
                            ("refused", "Calls sent away because a pool was full.")):
            self.metrics.gauges(f"pool_{name}", about, "pool", pools, partial(
                lambda name, pool: getattr(pools[pool], name), name))
        self.metrics.gauge("job_places", "Jobs that may run or wait.", lambda: self.jobs.places)
        self.metrics.gauges("jobs", "Jobs by state.", "state", STATES, self.jobs.count)

    def _makers(self) -> dict[str, Maker]:
        def rollout(request: dict[str, Any], checkpoint: dict[str, Any] | None) -> RolloutWork:
            asked = schemas.RolloutJob.model_validate(request)
            return RolloutWork(self.engine, asked, self.settings.job_time, checkpoint)

        def match(request: dict[str, Any], checkpoint: dict[str, Any] | None) -> MatchWork:
            asked = schemas.MatchJob.model_validate(request)
            return MatchWork(self.engine, asked, self.settings.job_time)

        return {"rollout": rollout, "match": match}

    async def run(self, work: Callable[[Any, Stop], T], asked: Any) -> T:
        """`work` in the pool that the level of the call belongs to."""
        level: Any = getattr(asked, "level", None)
        if level is None:
            level = self.settings.level
        check_level(level)  # at once, not after a wait
        plies = DEEP - isinstance(asked, schemas.RollsRequest)  # 21 rolls are nearly one more
        is_deep = isinstance(level, str) or level >= plies
        return await (self.deep if is_deep else self.quick).run(work, asked)

    def open(self) -> None:
        """Read the nets, take up jobs. Raises OSError where jobs cannot be kept."""
        for game in GAMES:
            with contextlib.suppress(UnsupportedError):
                self.engine.info(game)
        self.jobs.open()

    async def close(self) -> None:
        self.closed.set()
        self.quick.close()
        self.deep.close()
        await self.jobs.close()


def dumped(document: Any) -> Response:
    """JSON without a second look: documents are made of plain values."""
    return Response(json.dumps(document, allow_nan=False, separators=(",", ":")),
                    media_type="application/json")
