"""What a server may be told, with its limits."""
from __future__ import annotations

import dataclasses
import ipaddress
from pathlib import Path

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclasses.dataclass(frozen=True)
class Settings:
    """host, port : where to listen; 0 = any free port
    level : of calls that name none
    hosts : further names this server may be called by; `*` = any
    origins : pages of these origins may call (CORS)
    token : every call but the page and /health must bring it
    quick, deep, waiting : calls worked on at a time, deep ones apart, and calls of either kind
        that may wait for that
    long, queued : jobs at a time, and jobs that may wait
    time_limit : seconds for a call; job_time : seconds of work for a job
    body, file_body : bytes of a request, and of one that holds a match file
    jobs : folder that keeps jobs through a restart; None = they end with the server
    """

    host: str = "127.0.0.1"
    port: int = 8080
    level: int | str = 0
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    token: str | None = None
    quick: int = 2
    deep: int = 1
    waiting: int = 256
    long: int = 1
    queued: int = 256
    time_limit: float = 30.0
    job_time: float = 24 * 3600.0
    body: int = 64 << 10
    file_body: int = 8 << 20
    jobs: Path | None = None

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def may_be_called(self, name: str) -> bool:
        """Whether a Host header's name (no port) means this server and not one that a page's
        author pointed at it. An address means whoever has it; names have to be known."""
        name = name.lower().rstrip(".")
        if "*" in self.hosts or name in (*LOOPBACK, self.host.lower(), *self.hosts):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return not self.is_loopback
