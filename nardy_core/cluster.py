"""Rollouts by a Dask cluster; needs the extra `[distributed]`.

`Engine.rollout` takes a `Cluster` as its `executor`. One machine runs `dask scheduler`, each of the
others `dask worker tcp://scheduler:8786 --nthreads 1 --nworkers N`, with the same version of
nardy_core installed. Workers may die and join at any time; they need no nets.
"""
from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from importlib import import_module
from typing import Any

CONNECT_SECONDS = 20
PORT = 8786  # of a scheduler that names none
LOOK_SECONDS = 1.0  # between questions after the number of workers


class Cluster(Executor):
    """An executor whose work is done by the workers of a Dask scheduler.

    address : of the scheduler, "tcp://host:port"
    Raises RuntimeError without the extra, OSError when no scheduler answers there.
    """

    def __init__(self, address: str) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise RuntimeError("cluster: needs nardy_core[distributed]") from None
        try:
            _knock(distributed, address)
            self._client = distributed.Client(
                address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            reason = " ".join(str(error).split())
            raise OSError(f"cluster: no scheduler at {address}: {reason}") from None
        self._inner: Any = self._client.get_executor(pure=False)
        self._looked, self._workers = -math.inf, 1

    @property
    def workers(self) -> int:
        """Pieces of work that are done at a time; 1 where no worker has come yet."""
        now = time.monotonic()
        if now - self._looked > LOOK_SECONDS:
            self._looked = now
            self._workers = max(sum(self._client.nthreads().values()), 1)
        return self._workers

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a worker call fn(*args, **kwargs)."""
        found: Future[Any] = self._inner.submit(fn, *args, **kwargs)
        return found

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which stays. What it still does for this executor is cancelled,
        whatever `wait` and `cancel_futures` say."""
        self._inner.shutdown(wait=False)
        self._client.close()


def _knock(distributed: Any, address: str) -> None:
    """Wait until somebody listens, OSError where nobody does: a client that finds out itself takes
    twice its time for it and complains when it is collected."""
    scheme, _, place = address.rpartition("://")
    if scheme not in ("", "tcp", "tls"):
        return None
    host, port = distributed.comm.parse_host_port(place, PORT)
    end = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            return socket.create_connection((host, port), CONNECT_SECONDS).close()
        except socket.gaierror:  # no such host
            raise
        except OSError:
            if time.monotonic() > end:
                raise
        time.sleep(0.1)
