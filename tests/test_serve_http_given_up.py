"""HTTP: jobs that are given up while they are made. No place, no file and no fault is left."""
from __future__ import annotations

import asyncio
import json
import threading
import time

import httpx
import pytest
from random_nets import keep_random_nets
from serving import Process
from websockets.sync.client import connect

from nardy_core.serve.http.jobs import Jobs

RACE = "XGID=-CBBBB-A------------baebb-:0:0:1:31:0:0:0:0:10"


class Idle:
    """Work that goes on until it is stopped."""

    def __init__(self):
        self._stopped = threading.Event()

    def run(self, report):
        self._stopped.wait(60)
        return None, False

    def stop(self):
        self._stopped.set()

    def state(self):
        return None


class Held(Jobs):
    """Jobs whose first save waits until it is let go, before it writes or when it has written."""

    def __init__(self, folder, late):
        super().__init__({"idle": lambda request, checkpoint: Idle()}, 1, 1, folder)
        self.late, self.reached, self.go = late, threading.Event(), threading.Event()
        self.saved = threading.Event()

    def _save(self, saved):
        if not self.late:
            super()._save(saved)
        self.reached.set()
        assert self.go.wait(30)
        if self.late:
            super()._save(saved)
        self.saved.set()


async def making(jobs):
    """(the task that makes a job, the job), held where it is saved."""
    jobs.open()
    task = asyncio.create_task(jobs.create("idle", {}))
    while not jobs.reached.is_set():
        await asyncio.sleep(0.001)
    (job,) = jobs.all.values()
    return task, job


@pytest.mark.parametrize("late", [False, True])
def test_a_job_whose_making_is_cancelled_is_none(tmp_path, late):
    async def run():
        jobs = Held(tmp_path, late)
        task, job = await making(jobs)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert jobs.inside == 0 and not jobs.all
        jobs.go.set()
        assert await asyncio.to_thread(jobs.saved.wait, 30)
        assert not list(tmp_path.glob("*.json"))
        for _ in range(jobs.places):  # and all of them are free
            await jobs.create("idle", {})
        for job in list(jobs.all.values()):
            await jobs.forget(job)
        assert not list(tmp_path.glob("*.json"))
        await jobs.close()

    asyncio.run(run())


@pytest.mark.parametrize("late", [False, True])
def test_a_job_can_be_forgotten_while_it_is_made(tmp_path, late):
    """It is in the list from then on, so somebody may."""
    async def run():
        jobs = Held(tmp_path, late)
        task, job = await making(jobs)
        forgetting = asyncio.create_task(jobs.forget(job))
        await asyncio.sleep(0.01)
        jobs.go.set()
        await asyncio.wait_for(forgetting, 30)
        made, new = await asyncio.wait_for(task, 30)
        assert made is job and new and job.state == "cancelled"
        assert [name async for _, name, _ in job.follow(0)] == ["end"]
        assert not jobs.all and not list(tmp_path.glob("*.json"))
        await jobs.close()

    asyncio.run(run())


def test_rollouts_cancelled_as_soon_as_asked_for_leave_nothing(tmp_path):
    nets, kept = keep_random_nets(tmp_path / "nets"), tmp_path / "jobs"
    with Process("serve", "http", "--port", "0", "--nets", nets, "--jobs", kept) as process:
        url = process.line("stderr").split()[-1].rstrip("/")
        with connect(url.replace("http", "ws") + "/v1/socket") as web:
            for number in range(300):
                web.send(json.dumps({"type": "rollout", "id": number, "payload": {
                    "position": RACE, "trials": 1_000_000}}))
                time.sleep(number % 10 / 1000)  # to be at another point of its making each time
                web.send(json.dumps({"type": "cancel", "id": "c", "payload": {"id": number}}))
            heard = 0
            while heard < 300:
                heard += json.loads(web.recv(timeout=60))["id"] == "c"
        for _ in range(600):
            if not (left := httpx.get(f"{url}/v1/jobs").json()["jobs"]):
                break
            time.sleep(0.05)
        assert left == [] and not list(kept.glob("*.json"))
        job = httpx.post(f"{url}/v1/jobs", json={
            "kind": "rollout", "position": RACE, "trials": 1_000_000}).json()
        assert httpx.delete(f"{url}/v1/jobs/{job['id']}").json()["state"] == "cancelled"
