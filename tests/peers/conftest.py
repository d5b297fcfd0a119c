"""One server with nets of both games, one browser, a clean page for each test of the board."""

import pytest
from random_nets import random_nets
from serving import Process

from nardy_core import Engine
from nardy_core.nets import save_net
from peers import browser


@pytest.fixture(scope="session")
def both_nets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nets")
    for game in ("backgammon", "long_nardy"):
        for part, net in random_nets(game).items():
            save_net(net, folder / f"{game}-{part}.net")
    return str(folder)


@pytest.fixture(scope="session")
def engine(both_nets):
    return Engine(both_nets, threads=1)


@pytest.fixture(scope="session")
def origin(both_nets):
    browser.programs()
    with Process("serve", "http", "--port", "0", "--nets", both_nets, patience=120) as process:
        line = process.line("stderr")
        assert line.startswith("nardy: listening on http://127.0.0.1:"), line
        yield line.split()[-1].rstrip("/")


@pytest.fixture(scope="session")
def chromium():
    with browser.chromium() as driver:
        yield driver


@pytest.fixture
def page(chromium, origin):
    """Whatever a test does, the console stays clean and nobody but the server is asked."""
    made = browser.Page(chromium, origin)
    yield made
    assert made.complaints() == []
    assert made.asked() == {origin}
