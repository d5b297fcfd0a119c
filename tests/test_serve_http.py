"""HTTP: the real server, asked by a real client."""
from __future__ import annotations

import asyncio
import json
import socket
import sys
import time

import httpx
import pytest
from random_nets import keep_random_nets
from serving import Process

from nardy_core import Engine, Position
from nardy_core.serve.http import Settings, create_app, schemas
from nardy_core.serve.http.schemas import fields_of

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
WILDBG = {"p24": 2, "p19": -5, "p17": -3, "p13": 5, "p12": -5, "p8": 3, "p6": 5, "p1": -2}


@pytest.fixture(scope="session")
def nets(tmp_path_factory):
    return keep_random_nets(tmp_path_factory.mktemp("nets"))


@pytest.fixture(scope="session")
def engine(nets):
    return Engine(nets, threads=1)


@pytest.fixture(scope="session")
def server(nets):
    with Process("serve", "http", "--port", "0", "--nets", nets) as process:
        line = process.line("stderr")
        assert line.startswith("nardy: listening on http://127.0.0.1:"), line
        yield line.split()[-1].rstrip("/")


@pytest.fixture(scope="session")
def client(server):
    with httpx.Client(base_url=server, timeout=30) as made:
        yield made


def ask(client, name, status=200, **asked):
    answer = client.post(f"/v1/{name}", json=asked)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.text.count("\n") <= 1
    return answer.json()


# ---- quick calls --------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 1])
def test_answers_are_the_engines_own(client, engine, level):
    position = Position.parse(OPENING)
    found = ask(client, "moves", position=OPENING, level=level)
    own = engine.analyse(position, level=level).to_dict()
    for candidate in found["candidates"]:
        steps = candidate.pop("steps")
        (play,) = [p for p in position.legal_plays() if p.notation == candidate["play"]]
        assert steps == [list(step) for step in play.steps]
    assert found == {"schema": "nardy.moves/1", **json.loads(json.dumps(own))}
    own = engine.evaluate(position, level).to_dict()
    assert ask(client, "evaluate", position=OPENING, level=level) == {
        "schema": "nardy.eval/1", **json.loads(json.dumps(own))}


@pytest.mark.parametrize("level", [0, 1, 3])
def test_rolls_are_the_best_plays(client, engine, level):
    """At all levels that a call takes; a last checker each is soon searched."""
    text = "start" if level in (0, 1) else "XGID=-A----------------------a-:0:0:1:00:0:0:3:0:10"
    position = Position.parse(text)
    found = ask(client, "rolls", position=text, level=level)
    assert len(found["rolls"]) == 21 and sum(row["weight"] for row in found["rolls"]) == 36
    for row in found["rolls"]:
        best = engine.analyse(position, row["dice"], level=level).best
        assert found["level"] == level == row["level"] == best.level
        assert (row["play"], row["equity"]) == (best.play.notation, round(best.equity, 6))
    mean = sum(row["weight"] * row["equity"] for row in found["rolls"]) / 36
    assert found["equity"] == pytest.approx(mean, abs=2e-6)
    for deep in (4, "roller"):  # minutes for a whole position, so refused for all
        assert "level" in ask(client, "rolls", 422, position=text, level=deep)["where"]


def test_legal_plays_of_both_games(client):
    for name in ("start", "start:long_nardy", "start:hypergammon3"):
        position = Position.parse(name)
        found = ask(client, "legal", position=name, dice=[6, 6], sequences=True)
        plays = position.legal_plays((6, 6))
        assert [play["play"] for play in found["plays"]] == [play.notation for play in plays]
        assert found["sequences"]


def test_why_a_step_is_illegal(client):
    def why(step, dice=(6, 1), played=(), position="start"):
        return ask(client, "why", position=position, dice=list(dice), step=step,
                   played=list(played))["reason"]

    assert why([24, 18]) is None
    assert why([24, 19], (5, 1)) == "occupied"
    assert why([24, 22]) == "die not rolled"
    assert why([6, 0]) == "not all home"
    assert why([7, 1]) == "no checker"
    assert why([8, 7], played=[[24, 18]]) is None
    assert why([24, 18], played=[[24, 18]]) == "die not rolled"
    assert why([24, 18], (6, 5), [[24, 19]], "start:long_nardy") == "head"
    asked = {"position": "start", "dice": [6, 1], "step": [8, 7], "played": [[24, 19]]}
    assert ask(client, "why", 422, **asked)["where"] == "played"


@pytest.mark.parametrize("name", ["start", "start:long_nardy", "start:hypergammon2", OPENING])
def test_a_position_comes_back_by_its_fields(client, name):
    found = ask(client, "convert", position=name)
    assert found["fields"] == fields_of(Position.parse(name))
    again = ask(client, "convert", position=found["fields"])
    assert again == found
    for form, text in found["ids"].items():
        if form not in ("gnu-match", "gnu-position", "ln") and "hyper" not in name:
            assert ask(client, "convert", position=text)["fields"]["own"] == found["fields"]["own"]


def test_text_that_holds_an_id(client):
    pasted = f"look at this:\n  {OPENING} !?"
    assert ask(client, "convert", position=pasted)["position"] == Position.parse(OPENING).id()
    assert ask(client, "convert", 422, position=pasted, strict=True)["where"] == "position"


def test_diagrams(client):
    answer = client.post("/v1/diagram", json={"position": OPENING, "play": "8/5 6/5"})
    assert answer.headers["content-type"] == "image/svg+xml" and answer.text.startswith("<svg")
    answer = client.post("/v1/diagram", json={"position": "start:long_nardy", "format": "text",
                                              "lang": "ru"})
    assert answer.headers["content-type"].startswith("text/plain") and "┌" in answer.text


def test_the_cube(client, engine):
    place = "XGID=-a--BBBBB---dD-b-ac-d---A-:0:0:1:00:2:4:0:7:10"
    found = ask(client, "cube", position=place, owners=True)
    own = engine.cube(Position.parse(place))
    assert found["verdict"] == own.verdict and found["no_double"] == round(own.no_double, 6)
    assert set(found["owners"]) == {"centre", "own", "opp"}
    assert found["decision"] in ("roll", "double")
    taking = Position.parse(place).with_(offer="doubled").id()
    assert ask(client, "cube", position=taking)["decision"] in ("take", "drop")


def test_wildbg(client, engine):
    found = client.get("/move", params={**WILDBG, "die1": 3, "die2": 1}).json()
    own = engine.analyse(Position.start(beavers=False), (3, 1))
    assert len(found["moves"]) == len(own.candidates) == 16
    for move, candidate in zip(found["moves"], own.candidates, strict=True):
        assert move["play"] == [{"from": a, "to": b} for a, b, _ in candidate.play.steps]
        assert move["probabilities"]["winG"] == round(
            candidate.evaluation.nested["win_gammon"], 6)
        assert set(move["probabilities"]) == {"win", "winG", "winBg", "loseG", "loseBg"}
    found = client.get("/eval", params=WILDBG).json()
    assert set(found) == {"cube", "probabilities"} and set(found["cube"]) == {"double", "accept"}
    # on the bar against a closed board there is one entry without steps
    closed = {"p25": 1, "p0": 0, "p1": -3, **{f"p{n}": -2 for n in range(19, 25)}}
    found = client.get("/move", params={**closed, "die1": 3, "die2": 1}).json()
    assert [move["play"] for move in found["moves"]] == [[]]
    for bad in ({"p24": 16}, {**WILDBG, "p5": 1}, {}, {"x_away": 3}):
        answer = client.get("/move", params={"die1": 1, "die2": 2, **bad})
        assert answer.status_code == 422 and answer.json()["message"]


# ---- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "asked", "where"), [
    ("moves", {"position": "start"}, "dice"),
    ("moves", {"position": "start", "dice": [7, 1]}, "dice.0"),
    ("moves", {"position": "start", "dice": [3]}, "dice"),
    ("moves", {"position": "start", "dice": ["3", "1"]}, "dice.0"),
    ("moves", {"position": "start", "dise": [3, 1]}, "dise"),
    ("evaluate", {"position": "nonsense"}, "position"),
    ("evaluate", {"position": "start", "level": 77}, "level"),
    ("evaluate", {"position": "start", "level": True}, "level"),
    ("evaluate", {"position": {"own": [15] + [0] * 25, "opp": [15] + [0] * 25}}, "board"),
    ("evaluate", {"position": "start:hypergammon1"}, "engine"),
    ("cube", {"position": "start", "met": "/etc/passwd"}, "met"),
    ("diagram", {"position": "start", "theme": "x"}, "theme"),
    ("convert", {"position": "start", "form": "ndid"}, "id"),
    ("legal", {}, "position"),
])
def test_errors_have_one_shape(client, name, asked, where):
    found = ask(client, name, 422, **asked)
    assert set(found) == {"code", "message", "where"} and "\n" not in found["message"]
    assert found["code"] == "bad_input" and found["where"].split(".")[0] == where.split(".")[0]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"position":"\\ud800"}',
                                  b'{"position":' * 5000, b'{"position": NaN}',
                                  b'{"position":"start","dice":[1e999,1]}'])
def test_bodies_that_are_none(client, body):
    answer = client.post("/v1/moves", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422) and set(answer.json()) == {"code", "message", "where"}


def test_paths_and_methods_that_are_none(client):
    for method, path, status in [("GET", "/nothing", 404), ("GET", "/v1/moves", 405),
                                 ("DELETE", "/health", 405)]:
        answer = client.request(method, path)
        assert answer.status_code == status and answer.json()["code"]
    assert client.put("/v1/jobs").headers["allow"] == "GET, POST"


def test_paths_and_queries_of_any_bytes(server):
    """As bytes on the wire, since clients write none such."""
    place = server.removeprefix("http://").split(":")
    for target in (b"/nothing?\xfc=\xff", b"/a%02%0ab%00%c3", b"/v1/jobs/%ff?\x80"):
        with socket.create_connection((place[0], int(place[1])), 30) as wire:
            wire.sendall(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n"
                         b"Connection: close\r\n\r\n")
            answer = b"".join(iter(lambda: wire.recv(1 << 16), b""))
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.split()[1] in (b"400", b"404", b"422"), answer
        if body.startswith(b"{"):
            message = json.loads(body)["message"]
            assert message.isprintable(), message


def test_names_of_any_characters(client):
    """A name that a client made up is told, and in one line that prints."""
    asked = {"position": "start", "dice": [6, 6], "step": [24, 18], "a\x7f\u200bb": 1}
    answer = client.post("/v1/why", json=asked)
    assert answer.status_code == 422
    message = answer.json()["message"]
    assert message.isprintable() and message.startswith("a\\x7f\\u200bb: "), message


# ---- who may call, and how much -----------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "a b", "10.0.0.1",
                                  "localhost@evil.example", "[::1", "localhost/x"])
def test_other_hosts_are_refused(client, host):
    answer = client.get("/health", headers={"host": host})
    assert answer.status_code in (400, 421)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:99", "LOCALHOST:8080"])
def test_own_names_are_known(client, host):
    assert client.get("/health", headers={"host": host}).status_code == 200


def test_pages_of_others_are_refused(client, server):
    for origin in ("https://evil.example", "null", "http://localhost:1", "http://[", "http://[a]",
                   "//\u2100".encode()):
        answer = client.get("/health", headers={"origin": origin})
        assert answer.status_code == 403 and "access-control-allow-origin" not in answer.headers
    assert client.get("/health", headers={"origin": server}).status_code == 200


def test_large_requests_are_refused(client):
    big = json.dumps({"position": "x" * 100_000})
    headers = {"content-type": "application/json"}
    assert client.post("/v1/convert", content=big, headers=headers).status_code == 413

    def parts():
        for _ in range(200):
            yield b" " * 1000

    assert client.post("/v1/convert", content=parts(), headers=headers).status_code == 413


@pytest.mark.parametrize("told", [b"\xb2", b"1_0", b"-1", b"", b"9" * 13, b"99999999"])
def test_lengths_that_are_none(engine, told):
    """Asked at the app: servers in front of it refuse most of these themselves."""
    async def run():
        async with app_client(engine) as web:
            request = web.build_request("POST", "/v1/convert", content=b"{}")
            request.headers = httpx.Headers([(b"host", b"localhost"), (b"content-length", told)])
            answer = await web.send(request)
            assert answer.status_code == 413 and answer.json()["where"] == "body"

    asyncio.run(run())


def app_client(engine, **settings):
    app = create_app(engine, Settings(**settings))
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")


def test_token_and_cors(engine):
    async def run():
        async with app_client(engine, token="sesame", origins=("https://friend.example",)) as web:
            assert (await web.get("/health")).status_code == 200
            assert (await web.get("/v1/info")).status_code == 401
            wrong = {"authorization": "Bearer sesam"}
            assert (await web.get("/v1/info", headers=wrong)).status_code == 401
            right = {"authorization": "Bearer sesame"}
            assert (await web.get("/v1/info", headers=right)).status_code == 200
            assert (await web.get("/v1/info?token=sesame")).status_code == 200
            friend = {**right, "origin": "https://friend.example"}
            answer = await web.get("/v1/info", headers=friend)
            assert answer.headers["access-control-allow-origin"] == "https://friend.example"

    asyncio.run(run())


def test_a_call_that_takes_too_long(engine):
    async def run():
        async with app_client(engine, time_limit=0.001) as web:
            answer = await web.post("/v1/rolls", json={"position": "start", "level": 1})
            assert answer.status_code == 503 and answer.json()["code"] == "too_long"
            assert int(answer.headers["Retry-After"]) >= 1

    asyncio.run(run())


def test_calls_of_seconds_do_not_stand_in_the_way_of_others(engine):
    server = create_app(engine, Settings()).state.server

    def named(name):
        async def run(work, asked):
            return name
        return run

    server.quick.run, server.deep.run = named("quick"), named("deep")
    for kind, levels in ((schemas.MovesRequest, "qqqqd"), (schemas.CubeRequest, "qqqqd"),
                         (schemas.RollsRequest, "qqqd")):
        assert levels == "".join(
            asyncio.run(server.run(None, kind(position="start", level=level)))[0]
            for level in range(len(levels)))
        assert asyncio.run(server.run(None, kind(position="start"))) == "quick"
    for kind in (schemas.MovesRequest, schemas.CubeRequest, schemas.EvaluateRequest):
        assert asyncio.run(server.run(None, kind(position="start", level="roller"))) == "deep"


# ---- the server itself --------------------------------------------------------------------------


def test_health_info_metrics(client):
    assert client.get("/health").json()["status"] == "ok"
    info = client.get("/v1/info").json()
    assert info["games"]["backgammon"]["name"] == "nardy_core"
    assert {0, "roller"} <= set(info["levels"])
    text = client.get("/metrics").text
    assert 'nardy_http_requests_total{route="/health",status="200"}' in text
    assert 'nardy_pool_places{pool="quick"}' in text


def test_examples_of_the_openapi_work(client):
    """Every example of a request is answered."""
    document = client.get("/openapi.json").json()
    models = document["components"]["schemas"]
    seen = 0
    for path, item in document["paths"].items():
        body = item.get("post", {}).get("requestBody")
        if body is None:
            continue
        schema = body["content"]["application/json"]["schema"]
        for kind in schema.get("oneOf", [schema]):
            name = kind["$ref"].rsplit("/", 1)[1]
            assert models[name]["examples"], path
            for example in models[name]["examples"]:
                answer = client.post(path, json=example)
                assert answer.status_code < 300, (path, example, answer.text)
                seen += 1
    assert seen >= 10


# ---- the browser ---------------------------------------------------------------------------------


def test_open_shows_the_board_to_a_browser_that_stays(nets, tmp_path, monkeypatch):
    """The browser ends only when it has the page, as one in a terminal does when it is left."""
    browser = tmp_path / "browser.py"
    browser.write_text("""import sys, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=20) as page:
    open(sys.argv[2], "w").write(sys.argv[1] + "\\n" + page.read().decode())
""")
    seen = tmp_path / "seen"
    monkeypatch.setenv("BROWSER", f"'{sys.executable}' '{browser}' %s '{seen}'")
    with Process("serve", "http", "--port", "0", "--nets", nets, "--open",
                 "--token", "open & sesame") as process:
        origin = process.line("stderr").split()[-1]
        process.process.stdin.close()
        for _ in range(300):
            if seen.exists() and "</html>" in seen.read_text():
                break
            time.sleep(0.1)
        address, page = seen.read_text().split("\n", 1)
        assert address == f"{origin}?token=open%20%26%20sesame"
        assert page == httpx.get(origin).text
        process.process.terminate()
        assert process.process.wait(30) == 0
        assert process.line("stderr") is None


def test_open_without_a_browser_is_told(nets, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))  # holds none
    monkeypatch.delenv("BROWSER", raising=False)
    with Process("serve", "http", "--port", "0", "--nets", nets, "--open") as process:
        origin = process.line("stderr").split()[-1]
        assert process.line("stderr") == "nardy: warning: --open: no browser was opened"
        assert httpx.get(f"{origin}health").status_code == 200
