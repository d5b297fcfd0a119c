"""What the readers say of sample files: each dialect of matches, analyses, positions, bad files."""

import pytest
from match_files import GOLDEN, POSITIONS, ends, read

from nardy_core import formats
from nardy_core.formats import MatchFileError, dumps
from nardy_core.match_record import Action
from nardy_core.position import Position

# ---- dialects: expected values are read off the files by eye ----------------------------------


def test_jellyfish():
    match = read("jellyfish.mat")
    assert (match.players, match.length, match.score) == (("Maple", "Juniper"), 5, (3, 2))
    assert ends(match) == [
        ((0, 0), 0, 1, "drop"),
        ((1, 0), 1, 2, "played out"),
        ((1, 2), 0, 1, "resignation"),
        ((2, 2), 0, 1, "played out"),
    ]
    assert match.games[2].actions[-1] == Action(kind="resign", player=1, points=1)


def test_galaxy():
    match = read("galaxy.txt")
    assert match.tag("Site") == "Some server" and match.tag("Player 1 Elo") == "3,00/0"
    assert match.max_cube == 1024 and match.crawford
    assert ends(match) == [
        ((0, 0), 0, 1, "drop"), ((1, 0), 1, 1, "played out"), ((1, 1), 1, 1, "played out")]
    # No hit is marked in the file; the steps have them.
    assert any(hit for g in match.games for a in g.actions for _, _, hit in a.steps)


def test_studio():
    match = read("studio.txt")
    assert match.date == "2024-02-03" and match.tag("Event") == "Evening match"
    assert ends(match) == [
        ((0, 0), 1, 4, "played out"), ((0, 4), 0, 1, "drop"), ((1, 4), 0, 4, "played out")]
    kinds = [a.kind for a in match.games[0].actions]
    assert kinds.count("double") == kinds.count("take") == 2
    dances = [a for g in match.games for a in g.actions if a.kind == "play" and not a.steps]
    assert len(dances) == (GOLDEN / "studio.txt").read_text("utf-8").count("Cannot Move")
    assert all(a.legal for g in match.games for a in g.actions)


def test_money_session():
    match = read("money.mat")
    assert (match.length, match.jacoby, match.beavers) == (0, True, True)
    assert ends(match) == [
        ((0, 0), 0, 4, "drop"), ((4, 0), 0, 8, "resignation"), ((12, 0), None, 0, "unfinished")]
    cube = [(a.kind, a.player) for a in match.games[1].actions if not a.dice]
    assert cube == [("double", 1), ("beaver", 0), ("raccoon", 1), ("take", 0), ("resign", 1)]
    final = match.games[1].final
    assert final.cube == 8 and final.max_cube is None
    assert match.games[2].actions[-1] == Action(kind="roll", player=0, dice=(5, 3))


def test_forfeits_keep_their_winner():
    match = read("forfeit.txt")
    assert ends(match) == [((0, 0), 0, 4, "forfeit"), ((4, 0), 1, 5, "forfeit")]
    assert match.winner == 1 and match.score == (4, 5)
    assert formats.read(dumps(match, "mat")) == match


def test_illegal_plays_stand_with_a_warning():
    match = read("illegal.mat")
    wrong = [(a.dice, a.notation, a.warning) for a in match.games[0].actions if not a.legal]
    assert wrong == [
        ((3, 1), "8/5 6/4", "illegal play: a number that was not thrown"),
        ((5, 2), "24/22 13/8", "illegal play: a checker on the bar must enter first"),
        ((4, 4), "24/20(2)", "illegal play: more of the roll could be played"),
        ((6, 6), "13/7(2)", "illegal play: a checker on the bar must enter first"),
        ((6, 3), "", "illegal play: more of the roll could be played"),
        ((6, 5), "13/2", "illegal play: a checker on the bar must enter first"),
    ]
    # The board is the one that was recorded.
    after = list(match.games[0])[1].position
    assert after.opp[5] == 1 and after.opp[4] == 1 and after.opp[6] == 4
    # The first game has no result; the score of the second tells.
    assert ends(match) == [((0, 0), 1, 2, "resignation"), ((0, 2), 0, 2, "resignation")]
    with pytest.raises(MatchFileError, match=r"illegal.mat line 5: illegal play: a number that"):
        read("illegal.mat", strict=True)


def test_crawford_game_and_swapped_columns():
    match = read("crawford.mat")
    assert [g.crawford for g in match.games] == [False, True, False, False]
    assert [g.score for g in match.games] == [(0, 0), (2, 0), (2, 1), (2, 2)]
    assert match.games[3].actions[0].player == 1  # the names have changed columns
    assert not any(a.kind == "double" for a in match.games[1].actions)
    options = {d.action.kind for d in match.games[1].decisions(rolls=True)}
    assert options == {"play", "resign"}  # nobody could have doubled


def test_variants():
    match = read("hypergammon.mat")
    assert match.start == "hypergammon3" and match.games[0].start.checkers == 3
    match = read("long_nardy.mat")
    assert match.game == "long_nardy" and match.players == ("Willow", "Aspen")
    assert [g.points for g in match.games] == [1, 1, 1]
    assert not any(match.games[0].warnings) and all(a.legal for a in match.games[0].actions)


@pytest.mark.parametrize("line", ["x point match", "7 pont match", "7 point", ""])
def test_a_match_that_does_not_say_how_long_it_is(tmp_path, line):
    text = (GOLDEN / "jellyfish.mat").read_text()
    path = tmp_path / "match.mat"
    first = next(words for words in text.splitlines() if "point match" in words)
    path.write_text(text.replace(first, line))
    match, whole = formats.read(path), formats.read(GOLDEN / "jellyfish.mat")
    assert match.length == 0 and len(match.games) == len(whole.games)
    assert match.warnings == ("no line says how long the match is: taken as a session for money",)
    with pytest.raises(MatchFileError, match=r"line \d+: no line says how long"):
        formats.read(path, strict=True)


def test_words_between_games_are_kept_and_told(tmp_path):
    text = (GOLDEN / "jellyfish.mat").read_text()
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if n > 10 and line.strip().startswith("Game"))
    path = tmp_path / "match.mat"
    path.write_text("\n".join([*lines[:at], "  8/5 6/5 what is this", "; a comment", *lines[at:]]))
    match, whole = formats.read(path), formats.read(GOLDEN / "jellyfish.mat")
    told = f"line {at + 1}: '8/5 6/5 what is this' is neither a game nor a comment"
    assert match.warnings == (told,) and match.games == whole.games
    assert "what is this\na comment" in match.comment
    with pytest.raises(MatchFileError, match=f"match.mat {told}$"):
        formats.read(path, strict=True)


def test_rules_of_a_match_of_long_nardy(tmp_path):
    """Its default rules have no cube; a tag may name a set of rules, and a fault in it its line."""
    text = (GOLDEN / "long_nardy.mat").read_text()
    limit = '; [CubeLimit "1"]'

    def told(tag):
        path = tmp_path / "match.mat"
        path.write_text(text.replace(limit, tag))
        return formats.read(path)

    assert told("; nothing").max_cube == told(limit).max_cube == 1
    assert told('; [Rules "cube=on"]').max_cube is None
    match = told('; [Rules "federation"]')
    assert match.max_cube is None and match.rules["scoring"] == "federation"
    with pytest.raises(MatchFileError, match="line 2: rules: 'feder' is not one of"):
        told('; [Rules "feder"]')


def test_a_bad_line_is_named_and_the_good_games_kept():
    with pytest.raises(MatchFileError, match=r"^cut.mat line 14: play: no checker to move on 9$"
                       ) as caught:
        read("cut.mat")
    partial = caught.value.partial
    assert partial.max_cube == 64 and ends(partial) == [((0, 0), 0, 1, "drop")]


@pytest.mark.parametrize(("text", "message"), [
    ("hello", "not a match or position file"),
    ("5 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5   17: 1/2",
     "text line 5: play: '17:' is not a move like 8/5"),
    ("5 point match\n\n Game 1\n A : 7    B : 0\n  1) 31: 8/5 6/5",
     "text line 3: score_own: 7 ends a match to 5"),
    ("5 point match\n\n Game 1\n A : 0    B : 0\n  1) what is this",
     "text line 5: 'what is this' is neither a roll nor a cube action"),
    ("5 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5      Takes",
     "text line 5: take: no cube was offered"),
    ("-5 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5",
     "text line 1: a match to -5 points"),
    ('; [Variation "Chess"]\n5 point match\n', "text line 1: the variation 'chess' is not known"),
])
def test_errors_are_one_line_with_a_place(text, message):
    with pytest.raises(ValueError) as caught:
        formats.read(text)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(FileNotFoundError):
        formats.read(str(tmp_path / "none.mat"))
    with pytest.raises(FileNotFoundError):
        formats.read(tmp_path / "none.mat")


# ---- SGF: the expected numbers stand in the file -----------------------------------------------


def test_analysis_of_gnubg():
    match = read("analysed.sgf")
    assert (match.players, match.score, match.jacoby) == (("Ann", "Bob"), (8, 0), True)
    assert [a.kind for a in match.games[0].actions[:4]] == ["play", "double", "beaver", "take"]
    action = match.games[0].actions[5]
    assert action.notation == "24/15"
    analysis = action.analysis
    assert analysis["program"] == "GNU Backgammon 1.07.001" and analysis["played"] == 4
    first, third = analysis["candidates"][0], analysis["candidates"][2]
    assert (first["play"], first["equity"], first["level"]) == ("9/3* 6/3", 0.3990506828, "rollout")
    assert first["rollout"] == {"trials": 36, "standard_error": 0.006601980422}
    assert (third["play"], third["equity"], third["plies"]) == ("24/21 9/3*", 0.11197, 2)
    assert third["probabilities"] == [0.479151, 0.126134, 0.005514, 0.13499, 0.00589]
    cube = analysis["cube"]
    assert (cube["no_double"], cube["double_take"]) == (0.2969537973, -0.1043834314)
    assert cube["unit"] == "equity" and analysis["luck"] == 0.08591
    # A roll that nobody played, and an illegal play.
    wrong = [(n, a.dice, a.warning) for n, a in enumerate(match.games[1].actions) if not a.legal]
    assert wrong == [(5, (6, 3), "illegal play: more of the roll could be played"),
                     (8, (3, 1), "illegal play: a number that was not thrown")]


def test_analysis_is_written_as_it_was():
    text = (GOLDEN / "analysed.sgf").read_text()
    written = dumps(read("analysed.sgf"), "sgf").decode()
    for word in ("A", "DA", "LU", "BM", "GS"):
        values = text.split(f"{word}[")[1:]
        assert values and [v.split("]")[0] for v in values] == [
            v.split("]")[0] for v in written.split(f"{word}[")[1:]], word


def test_set_up_boards_variations_and_escapes():
    with pytest.raises(MatchFileError, match=r"^setup.sgf line 9: .*5 ends a match") as caught:
        read("setup.sgf")
    match = caught.value.partial
    assert match.players == ("Heron ] the Elder", "Plover") and match.tag("Event") == "Club night"
    game, = match.games
    assert game.crawford and game.score == (4, 1)
    assert game.start.turn == 0 and game.start.pips == (1 + 2 + 12 + 25, 1 + 2 + 6)
    assert [str(a) for a in game.actions] == [
        "2-1: bar/23* 2/1", "3-1: bar/21", "6-5: 23/12", "resign"]
    assert game.actions[0].comment == "twolines: joined"
    back = formats.read(dumps(match, "sgf"))
    assert back == match


# ---- positions ---------------------------------------------------------------------------------


def test_text_of_xg():
    play, cube = read("xg.txt")
    assert play.position == Position.parse("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10")
    assert play.players == ("Maple", "Juniper")  # player 0 is O
    first, second = play.analysis["candidates"]
    assert (first["play"], first["equity"], first["level"]) == ("8/5 6/5", 0.151, "4-ply")
    assert first["probabilities"] == [0.551, 0.172, 0.011, 0.123, 0.006]
    assert (second["play"], second["level"]) == ("24/23 13/10", "XG Roller+")
    assert (cube.position.score_own, cube.position.score_opp) == (1, 2)
    assert cube.analysis["cube"] == {
        "no_double": 0.07, "double_take": -0.18, "double_pass": 1.0, "unit": "equity",
        "level": "3-ply", "probabilities": [0.52, 0.14, 0.008, 0.13, 0.007], "cubeless": 0.051}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp932"])
def test_text_of_xg_in_japanese(encoding):
    """As a Japanese system writes it: words by the description in `formats.positions`."""
    text = (GOLDEN / "xg_japanese.txt").read_text("utf-8").replace("¹", "1")
    play, cube = formats.read(text.encode(encoding))
    assert play.players == cube.players == ("ねず", "かえで")
    assert play.position == read("xg.txt")[0].position
    first, second = play.analysis["candidates"]
    assert (first["play"], first["equity"], first["level"]) == ("8/5 6/5", 0.151, "本1")
    assert first["probabilities"] == [0.551, 0.172, 0.011, 0.123, 0.006]
    assert (second["equity"], second["level"]) == (-0.012, "XG Roller+")
    assert play.analysis["program"] == "eXtreme Gammon 2.10"
    assert (cube.position.cube, cube.position.cube_owner) == (2, "own")
    assert cube.analysis["cube"] == {
        "no_double": 0.17, "double_take": -0.18, "double_pass": 1.0, "unit": "equity",
        "level": "XG Roller++", "probabilities": [0.52, 0.14, 0.008, 0.13, 0.007],
        "cubeless": 0.051}


@pytest.mark.parametrize(("line", "level"), [
    ("Analysé avec 4-plis", "4-plis"), ("Analiza en XG Roller+", "XG Roller+"),
    ("Анализ на 3-ply", "3-ply")])
def test_the_level_of_a_cube_decision_in_other_languages(line, level):
    text = (GOLDEN / "xg_japanese.txt").read_text("utf-8").replace(
        "Analyzed in XG Roller++", line)
    assert formats.read(text)[1].analysis["cube"]["level"] == level


def test_text_of_bgblitz():
    play, cube = read("bgblitz.txt")
    assert play.position.dice == (3, 1) and play.players == ("Maple", "Juniper")
    first, second = play.analysis["candidates"]
    assert (first["play"], first["equity"], first["mwc"]) == ("8/5 6/5", 0.152, 0.561)
    assert first["probabilities"] == [0.551, 0.172, 0.011, 0.123, 0.006]
    assert (second["play"], second["equity"]) == ("24/23 13/10", -0.011)
    assert cube.position.id("gnu-position") == "4HPwATDgc/ABMA"  # this one has no XGID
    assert cube.analysis["cube"] == {
        "no_double": 0.07, "double_take": -0.18, "double_pass": 1.0, "unit": "equity",
        "probabilities": [0.52, 0.14, 0.008, 0.13, 0.007]}


def test_ids(tmp_path):
    records = read("positions.ids")
    assert [r.position.game for r in records] == [*["backgammon"] * 2, "long_nardy", "backgammon"]
    formats.convert(GOLDEN / "positions.ids", tmp_path / "out.ids")
    assert formats.read(tmp_path / "out.ids") == records
    with pytest.raises(MatchFileError, match="text line 2: position: 'no id' is in no known") as e:
        formats.read("start\nno id\n")
    assert len(e.value.partial) == 1


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_as_json(name):
    records = read(name)
    assert formats.read(dumps(records, "json")) == records
    with pytest.raises(ValueError, match="positions cannot be written as mat"):
        dumps(records, "mat")


# ---- GNU Backgammon's text ----------------------------------------------------------------------


def test_text_of_gnubg():
    match = read("gnubg.txt")
    assert (match.players, match.length, match.score) == (("Heron", "Plover"), 7, (1, 0))
    game, = match.games
    assert [str(a) for a in game.actions[:2]] == ["5-1: 24/23 13/8", "3-1: 8/5 6/5"]
    assert (game.winner, game.points, game.how) == (0, 1, "drop")
    second = game.actions[1].analysis
    assert second["program"].startswith("GNU Backgammon 1.07") and second["luck"] == 0.118
    first = second["candidates"][0]
    assert (first["play"], first["equity"], first["level"]) == ("8/5 6/5", 0.11, "2-ply")
    assert first["probabilities"] == [0.526, 0.155, 0.006, 0.126, 0.006]
    assert second["cube"]["no_double"] == -0.008 and second["cube"]["double_take"] == -0.355
    assert second["cube"]["probabilities"] == [0.5, 0.13, 0.004, 0.135, 0.005]
    # What was played and stands last in its list, unnumbered.
    assert all(a.analysis["played"] is not None for a in game.actions if a.kind == "play")


def test_text_of_gnubg_that_does_not_fit():
    text = (GOLDEN / "gnubg.txt").read_text()
    bad = text.replace("* Plover moves 8/5 6/5", "* Plover moves 8/4 6/5", 1)
    with pytest.raises(MatchFileError, match=r"text line \d+: the board is not the one"):
        formats.read(bad)


def test_transcript_of_an_external_player():
    boards = read("transcript.txt")
    assert len(boards) == 3
    assert boards[1].position.dice == (3, 1) and boards[1].position.match_length == 3
    assert [r.position.turn for r in boards] == [1, 1, 1]
