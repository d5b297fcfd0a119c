"""Answers of `nardy serve http` to one client over one open connection.

For many clients see http_load.py.
"""

import http.client
import json

import pytest
from http_load import serving

START = {"position": "start", "dice": [3, 1]}
QUESTIONS = {
    "moves": ("/v1/moves", START),
    "moves of long nardy": ("/v1/moves", {"position": "start:long_nardy", "dice": [3, 1]}),
    "moves at 1 ply": ("/v1/moves", {**START, "level": 1}),
    "evaluate": ("/v1/evaluate", {"position": "start"}),
    "cube": ("/v1/cube", {"position": "start"}),
    "legal": ("/v1/legal", START),
}


@pytest.fixture(scope="module")
def client():
    pytest.importorskip("uvicorn")
    with serving() as port:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        yield connection
        connection.close()


@pytest.mark.parametrize("name", QUESTIONS)
def test_answer(benchmark, client, name):
    path, document = QUESTIONS[name]
    body = json.dumps(document)

    def ask():
        client.request("POST", path, body, {"Content-Type": "application/json"})
        answer = client.getresponse()
        told = answer.read()
        assert answer.status == 200, told
    benchmark.pedantic(ask, rounds=100, warmup_rounds=3)
