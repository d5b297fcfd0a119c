"""A part of compare_backgammon.py small enough for every run of the tests."""

import pytest

from peers import compare_backgammon, rules


def test_results_equal_gnubg_nns():
    gnubg_nn = rules.peer("gnubg_nn", "gnubg-nn")
    assert compare_backgammon.with_gnubg(gnubg_nn, 800, seed=7) == 0


def test_perft_equals_gnubg_nns():
    gnubg_nn = rules.peer("gnubg_nn", "gnubg-nn")
    assert compare_backgammon.perft_with_gnubg(gnubg_nn, deepest=60_000) == 0


def test_results_equal_openspiels():
    pyspiel = rules.peer("pyspiel", "open-spiel")
    assert compare_backgammon.with_openspiel(pyspiel, 400, seed=7) == 0


def test_a_missing_peer_is_told_loudly(monkeypatch):
    monkeypatch.setenv("NARDY_REQUIRE_PEERS", "1")
    with pytest.raises(pytest.fail.Exception, match="pip install no-such-peer"):
        rules.peer("no_such_peer", "no-such-peer")
    monkeypatch.setenv("NARDY_REQUIRE_PEERS", "0")
    with pytest.raises(pytest.skip.Exception, match="nothing was compared"):
        rules.peer("no_such_peer", "no-such-peer")
