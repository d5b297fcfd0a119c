"""HTTP: jobs, their events, the WebSocket, restarts; on the real server."""
from __future__ import annotations

import base64
import json
import signal
import threading
import time

import httpx
import pytest
from random_nets import keep_random_nets
from serving import Process
from websockets.sync.client import connect

from nardy_core import Engine, Position, formats
from nardy_core.match_analysis import analyse_match

RACE = "XGID=-CBBBB-A------------baebb-:0:0:1:31:0:0:0:0:10"  # short games, fast rollouts
LONG = {"kind": "rollout", "position": RACE, "top": 3, "trials": 1_000_000}
SHORT = {"kind": "rollout", "position": RACE, "top": 2, "trials": 144, "seed": 5}


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    return keep_random_nets(tmp_path_factory.mktemp("nets"))


class Server(Process):
    """A server of its own, and a client of it."""

    def __init__(self, nets, *words):
        super().__init__("serve", "http", "--port", "0", "--nets", nets, *words)
        self.said = []
        while "listening on" not in (line := self.line("stderr")):
            self.said.append(line)
        self.url = line.split()[-1].rstrip("/")
        self.web = httpx.Client(base_url=self.url, timeout=30)

    def job(self, status=202, headers=None, **asked):
        answer = self.web.post("/v1/jobs", json=asked, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    def look(self, job):
        return self.web.get(f"/v1/jobs/{job['id']}").json()

    def until(self, job, *states, patience=60):
        for _ in range(patience * 20):
            found = self.look(job)
            if found["state"] in states:
                return found
            time.sleep(0.05)
        raise AssertionError(found)

    def until_there_is_a_result(self, job):
        for _ in range(600):
            found = self.look(job)
            if found["result"]:
                return found
            time.sleep(0.05)
        raise AssertionError(found)

    def events(self, job, after=None, most=None):
        """(id, name, data) of each event, to the end of the stream or so many."""
        found, event = [], {}
        headers = {} if after is None else {"Last-Event-ID": str(after)}
        with self.web.stream("GET", f"/v1/jobs/{job['id']}/events", headers=headers) as answer:
            if answer.status_code == 204:
                return None
            assert answer.headers["content-type"].startswith("text/event-stream")
            for line in answer.iter_lines():
                name, _, value = line.partition(": ")
                if line:
                    event[name] = value
                elif "data" in event:
                    found.append((int(event["id"]), event["event"], json.loads(event["data"])))
                    event = {}
                    if len(found) == most:
                        break
        return found


@pytest.fixture(scope="module")
def server(nets):
    with Server(nets) as made:
        yield made


def plain(result):
    """Without what is not a function of the question."""
    return json.loads(json.dumps(result))


@pytest.fixture(scope="module")
def expected(nets):
    handle = Engine(nets).rollout(Position.parse(RACE), top=2, trials=144, seed=5)
    return plain(handle.wait().to_dict())


# ---- life of a job ------------------------------------------------------------------------------


def test_a_rollout_is_the_engines_own(server, expected):
    job = server.job(**SHORT)
    assert job["state"] in ("queued", "running") and len(job["id"]) == 16
    done = server.until(job, "done")
    assert done["result"] == expected and done["fraction"] == 1.0 and done["error"] is None
    assert done["id"] in [each["id"] for each in server.web.get("/v1/jobs").json()["jobs"]]


def test_events_can_be_taken_up_anywhere(server, expected):
    job = server.job(**SHORT)
    told = server.events(job)
    assert [name for _, name, _ in told][-1] == "end"
    assert [number for number, _, _ in told] == sorted({number for number, _, _ in told})
    assert told[-1][2]["result"] == expected
    again = server.events(job, after=told[-2][0] if len(told) > 1 else 0)
    assert again == [told[-1]]
    assert server.events(job, after=told[-1][0]) is None  # nothing more will come


def test_progress_is_told_while_it_runs(server):
    job = server.job(**LONG)
    told = server.events(job, most=4)
    parts = [data for _, name, data in told if name == "progress"]
    assert parts and parts[-1]["result"]["trials"] >= 36 and parts[-1]["fraction"] > 0
    later = server.events(job, after=told[-1][0], most=1)
    assert later[0][0] > told[-1][0]
    server.web.delete(f"/v1/jobs/{job['id']}")


def test_a_cancelled_job_keeps_what_it_has(server):
    job = server.job(**LONG)
    server.until_there_is_a_result(job)
    ended = server.web.post(f"/v1/jobs/{job['id']}/cancel").json()
    assert ended["state"] == "cancelled" and ended["result"]["trials"] >= 36
    assert not ended["result"]["complete"] and ended["result"]["reason"] == "stopped"
    assert server.look(job) == ended
    assert server.web.post(f"/v1/jobs/{job['id']}/cancel").json() == ended  # once is enough
    assert server.web.delete(f"/v1/jobs/{job['id']}").json() == ended
    assert server.web.get(f"/v1/jobs/{job['id']}").status_code == 404


def test_a_waiting_job_can_be_cancelled(server):
    first = server.job(**LONG)
    second = server.job(**SHORT)
    assert server.look(second)["state"] == "queued"
    ended = server.web.post(f"/v1/jobs/{second['id']}/cancel").json()
    assert ended["state"] == "cancelled" and ended["result"] is None
    server.web.delete(f"/v1/jobs/{first['id']}")


def test_max_time(server):
    job = server.job(**{**LONG, "max_time": 0.2})
    done = server.until(job, "done")
    assert done["result"]["reason"] == "max_time" and not done["result"]["complete"]


def test_the_same_key_is_the_same_job(server):
    key = {"Idempotency-Key": "one"}
    job = server.job(headers=key, **SHORT)
    assert server.job(200, key, **SHORT)["id"] == job["id"]
    answer = server.job(409, key, **{**SHORT, "seed": 6})
    assert answer["code"] == "conflict"
    assert server.job(headers={"Idempotency-Key": "two"}, **SHORT)["id"] != job["id"]
    found = []
    threads = [threading.Thread(target=lambda: found.append(
        httpx.post(f"{server.url}/v1/jobs", json=SHORT,
                   headers={"Idempotency-Key": "three"}).json()["id"])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1


@pytest.mark.parametrize("asked", [
    {"kind": "rollout", "position": "nonsense"},
    {"kind": "rollout", "position": "start", "top": 3},
    {"kind": "rollout", "position": RACE, "plays": ["24/1"]},
    {"kind": "rollout", "position": RACE, "plays": ["6/5 4/1"], "top": 2},
    {"kind": "rollout", "position": RACE, "trials": 0},
    {"kind": "rollout", "position": RACE, "trials": 10**9},
    {"kind": "rollout", "position": RACE, "opening": True},
    {"kind": "rollout", "position": "start:hypergammon1"},
    {"kind": "nothing", "position": RACE},
    {"kind": "rollout", "position": RACE, "job": "/etc/passwd"},
    {},
])
def test_requests_that_make_no_sense(server, asked):
    assert server.job(422, **asked)["code"] == "bad_input"


def test_jobs_that_are_none(server):
    for name in ("x" * 16, "..%2F..%2Fetc", "a"):
        assert server.web.get(f"/v1/jobs/{name}").status_code in (404, 422)
    assert server.web.post(f"/v1/jobs/{'x' * 16}/cancel").status_code == 404
    assert server.web.get(f"/v1/jobs/{'x' * 16}/events").status_code == 404


@pytest.fixture(scope="module")
def narrow(nets):
    with Server(nets, "--quick", "1", "--waiting", "2", "--queued", "1") as made:
        yield made


def test_a_full_queue_says_when_to_come_again(narrow):
    jobs = [narrow.job(**LONG), narrow.job(**LONG)]
    answer = narrow.web.post("/v1/jobs", json=LONG)
    assert answer.status_code == 503 and int(answer.headers["Retry-After"]) >= 1
    assert answer.json()["code"] == "busy"
    narrow.web.post(f"/v1/jobs/{jobs[0]['id']}/cancel")
    narrow.web.post(f"/v1/jobs/{narrow.job(**LONG)['id']}/cancel")
    narrow.web.post(f"/v1/jobs/{jobs[1]['id']}/cancel")


def test_full_pools_say_when_to_come_again(narrow):
    """Calls beyond the places are sent away, the others are all answered."""
    statuses = []

    def ask():
        with httpx.Client(base_url=narrow.url, timeout=60) as web:
            answer = web.post("/v1/rolls", json={"position": "start", "level": 1})
            statuses.append(answer.status_code)
            if answer.status_code == 503:
                assert int(answer.headers["Retry-After"]) >= 1

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(statuses) == {200, 503} and len(statuses) == 16
    refused = [line for line in narrow.web.get("/metrics").text.splitlines()
               if line.startswith('nardy_pool_refused{pool="quick"} ')]
    assert float(refused[0].split()[1]) == statuses.count(503)


def test_a_rollout_of_the_cube_decision(server, nets):
    asked = {"position": RACE, "before_roll": True, "trials": 36, "cubeful": True, "met": "g11"}
    done = server.until(server.job(kind="rollout", **asked), "done")
    place = Position.parse(RACE).with_(dice=None)
    own = Engine(nets).rollout(place, trials=36, cubeful=True, met="g11").wait()
    assert done["result"] == plain(own.to_dict())


# ---- matches ------------------------------------------------------------------------------------

MATCH = """\
 3 point match

 Game 1
 Ann : 0                       Ben : 0
  1) 31: 8/5 6/5                64: 24/14
  2) 42: 8/4 6/4                52: 13/8 24/22
  3)  Doubles => 2               Drops
      Wins 1 point
"""


def test_matches_are_judged_as_elsewhere(server, nets):
    job = server.job(kind="match", text=MATCH, level="fast", name="ours")
    assert "text" not in job["request"]
    done = server.until(job, "done")
    own = analyse_match(MATCH.encode(), level="fast", engine=Engine(nets), name="ours").to_dict()
    assert done["result"] == plain(own) and len(own["decisions"]) > 5
    data = base64.b64encode(MATCH.encode()).decode()
    again = server.job(kind="match", data=data, level="fast", name="ours")
    assert server.until(again, "done")["result"] == done["result"]


@pytest.mark.parametrize("asked", [
    {}, {"text": "nothing"}, {"text": MATCH, "data": "QQ=="}, {"data": "?"},
    {"text": "/etc/passwd"}, {"text": MATCH, "level": "best"}, {"text": MATCH, "level": 99},
    {"text": MATCH, "level": "file"}, {"text": MATCH, "met": "/etc/passwd"},
    {"text": f"{RACE}\n{RACE}\n"},
])
def test_matches_that_are_none(server, asked):
    answer = server.web.post("/v1/jobs", json={"kind": "match", **asked})
    if answer.status_code == 202:  # a level that only the work itself can refuse
        assert server.until(answer.json(), "failed")["error"]
    else:
        assert answer.status_code == 422 and answer.json()["code"] == "bad_input"


def test_match_files_in_other_forms(server):
    for form in ("mat", "sgf", "json", "csv"):
        found = server.web.post("/v1/convert/match", json={"text": MATCH, "to": form}).json()
        assert found["text"] == formats.dumps(formats.read(MATCH.encode()), form).decode()
        assert found["warnings"] == [] and found["data"] is None
    found = server.web.post("/v1/convert/match", json={"text": MATCH, "to": "ids"}).json()
    assert found["text"] == formats.dumps(formats.read(MATCH.encode()), "ids").decode()
    answer = server.web.post("/v1/convert/match", json={"text": MATCH, "to": "braille"})
    assert answer.status_code == 422


# ---- the end of a server ------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_jobs_go_on_in_the_next_server(nets, tmp_path, expected, number):
    more = {**SHORT, "trials": 3600}
    with Server(nets, "--jobs", tmp_path) as server:
        running, waiting = server.job(**more), server.job(headers={"Idempotency-Key": "k"}, **SHORT)
        ended = server.job(**SHORT)
        server.web.delete(f"/v1/jobs/{ended['id']}")
        before = server.until_there_is_a_result(running)["result"]["trials"]
        server.process.send_signal(number)
        code = server.process.wait(30)
        assert code == (0 if number != signal.SIGKILL else -signal.SIGKILL)
    with Server(nets, "--jobs", tmp_path) as server:
        assert {job["id"] for job in server.web.get("/v1/jobs").json()["jobs"]} == {
            running["id"], waiting["id"]}
        if number != signal.SIGKILL:  # the checkpoint has what was known
            assert server.look(running)["result"]["trials"] >= before
        assert server.until(waiting, "done", patience=120)["result"] == expected
        done = server.until(running, "done")
        whole = Engine(nets).rollout(Position.parse(RACE), top=2, trials=more["trials"], seed=5)
        assert done["result"] == plain(whole.wait().to_dict())
        assert server.job(200, {"Idempotency-Key": "k"}, **SHORT)["id"] == waiting["id"]


def test_streams_do_not_hold_up_the_end(nets):
    with Server(nets) as server:
        job = server.job(**LONG)
        ended = []
        thread = threading.Thread(target=lambda: ended.append(server.events(job)))
        thread.start()
        server.until_there_is_a_result(job)
        begun = time.monotonic()
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(30) == 0
        thread.join(10)
        assert ended and time.monotonic() - begun < 10


def test_two_servers_do_not_share_a_folder(nets, tmp_path):
    with Server(nets, "--jobs", tmp_path), \
            Process("serve", "http", "--port", "0", "--nets", nets, "--jobs", tmp_path) as second:
        assert "another server" in second.line("stderr")
        assert second.line("stderr") is None and second.end() == 3


def test_damaged_files_are_passed_over(nets, tmp_path):
    damaged = ["", "{", "[]", "null", '{"schema":"nardy.job/1"}', "\x00" * 100, "[" * 100_000,
               '{"schema":"nardy.job/1","id":"7","kind":"rollout",'
               '"request":{"position":5},"state":"queued","created":1}']
    for number, text in enumerate(damaged):
        (tmp_path / f"{number}.json").write_text(text)
    with Server(nets, "--jobs", tmp_path) as server:
        assert server.web.get("/v1/jobs").json()["jobs"] == []
        assert len(server.said) == len(damaged)
        assert all("no job to go on with" in line for line in server.said)
        server.until(server.job(**SHORT), "done")


# ---- WebSocket ----------------------------------------------------------------------------------


def call(web, kind, id_=1, **payload):
    web.send(json.dumps({"type": kind, "id": id_, "payload": payload}))
    answer = json.loads(web.recv(timeout=30))
    return answer["type"], answer["id"], answer["payload"]


@pytest.fixture
def socket(server):
    with connect(server.url.replace("http", "ws") + "/v1/socket") as web:
        yield web


def test_socket_answers_as_http_does(server, socket):
    for name, asked in (("moves", {"position": RACE}), ("cube", {"position": RACE}),
                        ("convert", {"position": "start:long_nardy"})):
        assert call(socket, name, "x", **asked) == (
            "result", "x", server.web.post(f"/v1/{name}", json=asked).json())
    kind, _, picture = call(socket, "diagram", position=RACE)
    assert kind == "result" and picture.startswith("<svg")


def test_socket_errors(socket):
    for text in ("", "{", "5", "[]", '{"type": 5}', '{"type":"moves","more":1}', "{" * 100_000):
        socket.send(text)
        answer = json.loads(socket.recv(timeout=30))
        assert answer["type"] == "error" and set(answer["payload"]) == {"code", "message", "where"}
    kind, id_, about = call(socket, "moves", 7, position="start")
    assert (kind, id_, about["where"]) == ("error", 7, "dice")
    assert call(socket, "_level")[0] == call(socket, "nothing")[0] == "error"


def test_socket_rollouts(socket, server, expected):
    socket.send(json.dumps({"type": "rollout", "id": 1, "payload": {
        key: value for key, value in SHORT.items() if key != "kind"}}))
    while (answer := json.loads(socket.recv(timeout=60)))["type"] != "result":
        assert answer["type"] in ("status", "progress") and answer["id"] == 1
    assert answer["payload"]["result"] == expected
    socket.send(json.dumps({"type": "rollout", "id": 2, "payload": {
        key: value for key, value in LONG.items() if key != "kind"}}))
    while json.loads(socket.recv(timeout=60))["type"] != "progress":
        pass
    socket.send(json.dumps({"type": "cancel", "id": 3, "payload": {"id": 2}}))
    answers = {}
    while {2, 3} - answers.keys():
        answer = json.loads(socket.recv(timeout=60))
        if answer["type"] == "result":
            answers[answer["id"]] = answer["payload"]
    assert answers[3] == {"cancelled": 1}
    assert answers[2]["state"] == "cancelled" and answers[2]["result"]["trials"] >= 36


def test_a_socket_takes_its_rollouts_with_it(server):
    with connect(server.url.replace("http", "ws") + "/v1/socket") as web:
        web.send(json.dumps({"type": "rollout", "id": 2, "payload": {
            key: value for key, value in LONG.items() if key != "kind"}}))
        while json.loads(web.recv(timeout=60))["type"] != "progress":
            pass
        (job,) = [each for each in server.web.get("/v1/jobs").json()["jobs"]
                  if each["state"] == "running"]
    for _ in range(100):
        if server.web.get(f"/v1/jobs/{job['id']}").status_code == 404:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("it goes on")


def test_sockets_of_strange_pages_are_refused(server):
    from websockets.exceptions import InvalidStatus

    for origin in ("https://evil.example", "http://["):
        with pytest.raises(InvalidStatus) as refused:
            connect(server.url.replace("http", "ws") + "/v1/socket", origin=origin)
        assert refused.value.response.status_code == 403
