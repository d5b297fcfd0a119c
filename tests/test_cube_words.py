"""Cube decisions as people and programs are told them: verdicts, text, notes, three languages."""

import dataclasses

import pytest
from cube_cases import PLAIN, START, chances

from nardy_core import cube
from nardy_core.terms import LANGUAGES


def verdict(position, probabilities, **options):
    decision = cube.decide(position, probabilities, **options)
    return decision.action, decision.verdict


def test_words():
    own = PLAIN.with_(cube_owner="own", cube=2)
    assert verdict(PLAIN, chances(0.5)) == ("ND/T", "No double, take")
    assert verdict(PLAIN, chances(0.75)) == ("D/T", "Double, take")
    assert verdict(PLAIN, chances(0.85)) == ("D/P", "Double, pass")
    assert verdict(own, chances(0.5)) == ("ND/T", "No redouble, take")
    assert verdict(own, chances(0.75)) == ("D/T", "Redouble, take")
    gammons = chances(0.9, win=(0.2, 0.8, 0))
    assert verdict(PLAIN, gammons) == ("TG/P", "Too good to double, pass")
    assert verdict(own, gammons) == ("TG/P", "Too good to redouble, pass")
    assert verdict(PLAIN.with_(jacoby=True), gammons)[0] == "D/P"
    assert verdict(PLAIN.with_(cube_owner="opp"), chances(0.7)) == ("-", "Cube not available")
    assert verdict(START, chances(0.45)) == ("ND/beaver", "No double, beaver")
    none = PLAIN.with_(max_cube=1)
    assert verdict(none, chances(0.7)) == ("-", "No cube in play: these rules have none")
    limit = PLAIN.with_(max_cube=2, cube=2, cube_owner="own")
    assert verdict(limit, chances(0.7)) == ("-", "No redouble: the cube is at its limit")
    crawford = START.with_(match_length=5, score_own=4, crawford=True)
    assert verdict(crawford, chances(0.7)) == ("-", "No double: Crawford game")
    dead = START.with_(match_length=5, score_own=3, cube=2, cube_owner="own")
    assert verdict(dead, chances(0.7))[1] == "No redouble: dead cube"
    # A live cube at the very point of indifference.
    assert verdict(PLAIN, chances(0.8), efficiency=1.0)[0] == "OD/T=P"
    optional = chances(0.5)
    assert verdict(PLAIN, optional, efficiency=0.0) == ("OD/T", "Optional double, take")


def test_text_and_plain_numbers():
    decision = cube.decide(START.with_(match_length=7, score_own=3), chances(0.7))
    text = str(decision)
    for word in ("4 away v 7 away", "no double", "double, take", "cubeless", decision.verdict):
        assert word in text
    for line in decision.lines.values():
        assert f"{100 * line.mwc:7.3f} %" in text
    plain = decision.to_dict()
    assert {"no_double", "double_take", "double_pass", "verdict", "take_point"} <= set(plain)
    assert plain["mwc"]["double_take"] == decision.lines["double_take"].mwc
    for name in ("no_double", "double_take"):
        line = decision.lines[name]
        x = decision.efficiency
        assert line.equity == pytest.approx((1 - x) * line.dead + x * line.live)


def test_no_wrong_answer_is_asked_for_where_doubling_costs_nothing():
    """A cube that is dead for both: the double gains nothing and loses nothing."""
    score = START.with_(match_length=5, score_own=4, score_opp=4)
    even = cube.decide(score, chances(0.6))
    assert even.action == "ND/T" and even.reason == "dead" and even.no_double == even.double_take
    assert even.wrong_share is None and even.wrong_answer is None
    assert "wrongly" not in str(even)
    # A loss too small for a digit is not written as none.
    near = cube.decide(PLAIN, chances(0.69))
    close = dataclasses.replace(near, wrong_share=0.0004, wrong_answer="pass")
    assert "passes wrongly in < 0.1 %" in str(close)
    assert "passes wrongly in 4.0 %" in str(dataclasses.replace(close, wrong_share=0.04))


@pytest.mark.parametrize(("fields", "names"), [
    ({}, ("take", "beaver", "initial", "redouble", "cash", "too_good_centre")),
    ({"beavers": False}, ("take", "initial", "redouble", "cash", "too_good_centre")),
    ({"cube": 2, "cube_owner": "own", "beavers": False}, ("redouble", "cash", "too_good_own")),
    ({"cube": 2, "cube_owner": "opp"}, ("take",)),
    ({"match_length": 7, "score_own": 2}, ("take", "initial", "redouble", "cash",
                                           "too_good_centre")),
    ({"match_length": 5, "score_own": 4, "crawford": True}, ()),
    ({"max_cube": 1}, ()),
], ids=str)
def test_text_shows_where_the_decision_changes(fields, names):
    """A line for each point there is, with the numbers of `windows` and of the two limits, the
    opponent's take point beside the cash point, and the doubling window."""
    labels = {"take": "own take from", "beaver": "beaver below", "initial": "double from",
              "redouble": "redouble from", "cash": "cash from",
              "too_good_centre": "too good above", "too_good_own": "too good above"}
    decision = cube.decide(START.with_(**{"jacoby": False, **fields}),
                           chances(0.66, win=(0.7, 0.3, 0), lose=(0.8, 0.2, 0)))
    limits = decision.windows, decision.dead_windows, decision.live_windows
    wanted = []
    for name in names:
        values = [limit[name] for limit in limits]
        wanted.append((labels[name], values))
        if name == "cash":
            wanted.append(("opponent takes from", [1 - value for value in values]))
    text = str(decision).splitlines()
    at = next((n for n, line in enumerate(text) if line.endswith("live cube")), len(text) - 1)
    assert [" ".join(line.split()) for line in text[at + 1 :]] == [
        " ".join([label, *("-" if v is None else f"{100 * v:.2f} %" for v in values)])
        for label, values in wanted]
    window = [line for line in text if "doubling window" in line]
    assert len(window) == ("cash" in names)
    if window:
        low = decision.windows["redouble" if decision.position.cube_owner == "own" else "initial"]
        assert window[0].strip() == (
            f"doubling window: {100 * low:.2f} % to {100 * decision.cash_point:.2f} %; "
            "chance to win: 66.00 %")


def test_words_in_three_languages():
    """Every shape of an answer, in words of the glossary; English is what `verdict` says."""
    match = PLAIN.with_(match_length=5, score_own=2, score_opp=4)
    shapes = [
        (PLAIN, 0.75, "даве, принять", "даве, прийняти"),
        (PLAIN, 0.9, "даве, пас", "даве, пас"),
        (PLAIN, 0.5, "без даве, принять", "без даве, прийняти"),
        (PLAIN.with_(cube=2, cube_owner="own"), 0.75, "редабл, принять", "редабл, прийняти"),
        (PLAIN.with_(cube=2, cube_owner="opp"), 0.7, "куб у соперника", "куб у суперника"),
        (PLAIN.with_(max_cube=1), 0.7, "игра без куба: в этих правилах его нет",
         "гра без куба: у цих правилах його немає"),
        (match.with_(crawford=True), 0.7, "без даве: партия кроуфорда",
         "без даве: партія кроуфорда"),
        (match.with_(score_own=4, score_opp=2), 0.7, "без даве: мёртвый куб",
         "без даве: мертвий куб"),
    ]
    for position, win, russian, ukrainian in shapes:
        found = cube.decide(position, chances(win))
        assert found.words() == found.verdict
        assert [found.words(lang).lower() for lang in ("ru", "uk")] == [russian, ukrainian]
        texts = [found.text(lang).splitlines() for lang in LANGUAGES]
        assert len({len(lines) for lines in texts}) == 1
        for lines, lang in zip(texts, LANGUAGES, strict=True):
            assert f"  {found.words(lang)}" in lines
            numbers = [[w for w in line.split() if w[-1].isdigit()] for line in lines[1:]]
            assert numbers == [[w for w in line.split() if w[-1].isdigit()]
                               for line in texts[0][1:]]
            if lang != "en":  # nothing stays in Latin letters but the table's name
                rest = "\n".join(lines).replace(found.met or "", "")
                assert not any(c.isascii() and c.isalpha() for c in rest)


@pytest.mark.parametrize(("fields", "notes"), [
    ({"match_length": 5, "score_own": 3, "cube": 2, "cube_owner": "own"},
     ("dead", "automatic_redouble")),
    ({"match_length": 5, "score_own": 1, "score_opp": 4}, ("automatic_double", "free_drop")),
    ({"match_length": 5, "score_own": 2, "score_opp": 4}, ("automatic_double",)),
    ({"match_length": 5, "score_own": 3, "score_opp": 4}, ("automatic_double",)),
    ({"match_length": 7, "score_own": 5, "score_opp": 1}, ("automatic_redouble",)),
    ({"match_length": 7, "score_own": 2, "score_opp": 1}, ()),
    ({"match_length": 5, "score_own": 4, "score_opp": 1}, ("dead", "automatic_redouble")),
    ({"match_length": 5, "score_own": 4, "score_opp": 1, "crawford": True}, ()),
    ({}, ()),
], ids=str)
def test_notes(fields, notes):
    decision = cube.decide(START.with_(**fields), chances(0.6))
    assert decision.notes == notes
    for note in notes:
        assert note in decision.to_dict()["notes"]
        assert note.split("_")[0] in str(decision)
