"""What the server counts, for Prometheus."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (.001, .002, .003, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30)


class Metrics:
    """Counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = Counter(
            "nardy_http_requests", "Answered requests.", ("route", "status"),
            registry=self.registry)
        self._seconds = Histogram(
            "nardy_http_request_seconds", "Time to the end of an answer.", ("route",),
            buckets=BUCKETS, registry=self.registry)

    def answered(self, route: str, status: int, seconds: float) -> None:
        self._requests.labels(route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def gauge(self, name: str, about: str, value: Callable[[], float]) -> None:
        """A number that is looked up when asked for."""
        Gauge(f"nardy_{name}", about, registry=self.registry).set_function(value)

    def gauges(
        self, name: str, about: str, label: str, values: Iterable[str],
        value: Callable[[str], float],
    ) -> None:
        """The same for each value of a label."""
        made = Gauge(f"nardy_{name}", about, (label,), registry=self.registry)
        for each in values:
            made.labels(each).set_function(partial(value, each))

    def text(self) -> bytes:
        return generate_latest(self.registry)
