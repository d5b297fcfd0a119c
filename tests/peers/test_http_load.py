"""Many clients at once while a rollout runs: nobody is lost, and what is answered is right."""
from __future__ import annotations

import asyncio
import json

import httpx
import pytest
from random_nets import keep_random_nets
from serving import Process

from nardy_core import Engine, Position

CLIENTS, CALLS = 200, 10  # calls of each client
WAITING = 150  # fewer places than clients, so that some are sent away


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    return keep_random_nets(tmp_path_factory.mktemp("nets"))


def memory(web):
    for line in httpx.get(f"{web}/metrics").text.splitlines():
        if line.startswith("process_resident_memory_bytes "):
            return float(line.split()[1])
    raise AssertionError("no figure of memory")


def test_two_hundred_clients_while_a_rollout_runs(nets):
    engine = Engine(nets)
    rolls = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
    right = [json.loads(json.dumps([c.to_dict() for c in engine.analyse(
        Position.start(), dice, top=3).candidates])) for dice in rolls]
    seen = {200: 0, 503: 0}

    async def client(web, number):
        for k in range(CALLS):
            at = (number + k) % len(rolls)
            asked = {"position": "start", "dice": rolls[at], "top": 3}
            while True:
                answer = await web.post("/v1/moves", json=asked)
                seen[answer.status_code] += 1  # KeyError for anything else
                if answer.status_code == 200:
                    break
                assert int(answer.headers["Retry-After"]) >= 1
                await asyncio.sleep(0.05)
            found = answer.json()["candidates"]
            for candidate in found:
                del candidate["steps"]
            assert found == right[at]

    async def run(url):
        limits = httpx.Limits(max_connections=CLIENTS, max_keepalive_connections=CLIENTS)
        async with httpx.AsyncClient(base_url=url, timeout=None, limits=limits) as web:
            job = (await web.post("/v1/jobs", json={
                "kind": "rollout", "position": "start", "trials": 1_000_000})).json()
            await asyncio.gather(*(client(web, number) for number in range(CLIENTS)))
            before = memory(url)
            await asyncio.gather(*(client(web, number) for number in range(CLIENTS)))
            after = memory(url)
            ended = (await web.post(f"/v1/jobs/{job['id']}/cancel")).json()
            assert ended["state"] == "cancelled"
            return before, after

    with Process("serve", "http", "--port", "0", "--nets", nets, "--waiting", str(WAITING),
                 patience=60) as server:
        url = server.line("stderr").split()[-1].rstrip("/")
        before, after = asyncio.run(run(url))
    assert seen[200] == 2 * CLIENTS * CALLS
    assert after < before + (8 << 20)  # bytes: 2,000 calls more leave nothing behind
