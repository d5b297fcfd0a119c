"""SVG boards: read back by parsers written here, as pictures are read."""

import itertools
import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest
from boards import POSITIONS, RANDOM, START, by_player, position

from nardy_core.position import Position
from nardy_core.render import board_svg, describe

SVG = "{http://www.w3.org/2000/svg}"


def picture(pos, **options):
    return ET.fromstring(board_svg(pos, **options))


def circles(group):
    return [(float(c.get("cx")), float(c.get("cy"))) for c in group.iter(f"{SVG}circle")]


def columns(root):
    """{label: (x, upper half?)} from the point numbers on the frame."""
    (labels,) = [g for g in root if g.tag == f"{SVG}g" and len(g) == 24]
    return {int(t.text): (float(t.get("x")), float(t.get("y")) < 300) for t in labels}


@pytest.mark.parametrize("options", [{}, {"mirrored": True}, {"perspective": 0, "theme": "dark"}])
def test_svg_draws_every_checker(options):
    for pos in RANDOM:
        root = picture(pos, **options)
        where = columns(root)
        total = 0
        for player, counts in by_player(pos).items():
            side = "black" if player == 0 else "white"
            groups = [g for g in root if g.get("data-side") == side]
            stacks = {s.get("data-point"): s for s in groups[0]}
            names = {str(n): counts[n] for n in range(1, 25)} | {"bar": counts[25]}
            assert {k: int(s.get("data-count")) for k, s in stacks.items()} == {
                k: v for k, v in names.items() if v
            }
            for name, stack in stacks.items():
                count, most = names[name], 4 if name == "bar" else 5
                discs = circles(stack)
                assert len(set(discs)) == len(discs) == min(count, most)
                total += len(discs)
                if count > most:
                    x, y = discs[-1]
                    digits = [
                        t.text
                        for t in root.iter(f"{SVG}text")
                        if float(t.get("x")) == x and abs(float(t.get("y")) - y) < 10
                    ]
                    assert digits == [str(count)]
                if name == "bar":
                    assert {x for x, _ in discs} == {358}
                    continue
                number = int(name)
                if player != pos.turn:
                    number = 25 - number if pos.game == "backgammon" else (number + 11) % 24 + 1
                x, upper = where[number]
                assert all(cx == x and (cy < 300) == upper for cx, cy in discs)
            slabs = [s for g in groups if g.get("data-point") == "off" for s in g]
            assert len(slabs) == counts[0]
        assert len(list(root.iter(f"{SVG}circle"))) == total
        spots = circles(root)
        assert len(set(spots)) == len(spots)
        assert all(20 < x < 696 and 72 < y < 528 for x, y in spots)


def spot(root, side, point):
    """Centre of the topmost checker of a stack."""
    for group in root:
        if group.get("data-side") == side:
            for stack in group:
                if stack.get("data-point") == str(point):
                    return circles(stack)[-1]
    raise AssertionError(f"no {side} checker on {point}")


def heads(root, side):
    x, y = spot(root, side, 24)
    return ("left" if x < 358 else "right") + (" top" if y < 300 else " bottom")


def test_where_the_sides_sit():
    long, short = POSITIONS["long_start"], POSITIONS["opening"]
    assert (heads(picture(long), "white"), heads(picture(long), "black")) == (
        "right top",
        "left bottom",
    )
    below = picture(long, perspective=0)
    assert (heads(below, "white"), heads(below, "black")) == ("left bottom", "right top")
    mirror = picture(long, mirrored=True)
    assert (heads(mirror, "white"), heads(mirror, "black")) == ("left top", "right bottom")
    assert (heads(picture(short), "white"), heads(picture(short), "black")) == (
        "right top",
        "right bottom",
    )
    # numbers belong to the side on roll, whoever sits below
    assert columns(below)[24] == columns(picture(long, mirrored=False))[12]
    # both leave the ring of long nardy at opposite corners, and backgammon on one side
    for name, same in (("long_race", False), ("bearing_off", True)):
        root = picture(POSITIONS[name])
        trays = {
            g.get("data-side"): float(g[0].get("x")) for g in root if g.get("data-point") == "off"
        }
        assert (trays["white"] == trays["black"]) == same
        assert trays["white"] > 600


def arrow_ends(root):
    """[(from, to, start, tip)] of the arrows: the start is amid the ends of its half circle."""
    out = []
    for path in root.iter(f"{SVG}path"):
        if path.get("data-from"):
            commands = re.findall(r"([MLQA])([^MLQAz]*)", path.get("d"))
            points = [[float(v) for v in text.split()] for _, text in commands]
            assert [c for c, _ in commands] == list("MLLQAQL")
            x0, y0 = points[3][2:4]
            x1, y1 = points[4][5:7]
            start = ((x0 + x1) / 2, (y0 + y1) / 2)
            out.append((path.get("data-from"), path.get("data-to"), start, tuple(points[0])))
    return out


def near(a, b, by=0.2):
    return abs(a[0] - b[0]) <= by and abs(a[1] - b[1]) <= by


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("perspective", [0, 1])
def test_arrows_go_from_checker_to_landing(mirrored, perspective):
    """Where a step ends there stands a checker in the picture of the position after it."""
    options = {"mirrored": mirrored, "perspective": perspective}
    before = POSITIONS["opening"]
    after = position({24: 2, 13: 5, 8: 2, 6: 4, 5: 2}, START, dice=(3, 1))
    root = picture(before, arrows=[(8, 5), (6, 5)], **options)
    landed = picture(after, **options)
    first, second = arrow_ends(root)
    assert first[:2] == ("8", "5") and second[:2] == ("6", "5")
    assert near(first[2], spot(root, "white", 8)) and near(second[2], spot(root, "white", 6))
    stack = [s for g in landed for s in g if s.get("data-point") == "5"]
    assert near(first[3], circles(stack[0])[0]) and near(second[3], circles(stack[0])[1])


def test_arrows_from_the_bar_hits_and_bearing_off():
    opp = {24: 1, 13: 5, 8: 3, 6: 5, 4: 1}
    pos = position({25: 1, 13: 3, 8: 3, 6: 8}, opp, turn=0, dice=(4, 3))
    root = picture(pos, arrows=[(25, 21), (13, 10)])
    ends = arrow_ends(root)
    assert [end[:2] for end in ends] == [("bar", "21"), ("13", "10")]
    assert near(ends[0][2], spot(root, "black", "bar"))
    assert near(ends[0][3], spot(root, "white", 4))  # lands on the blot it hits
    assert [p.get("data-hit") for p in root.iter(f"{SVG}path") if p.get("data-from")] == ["1", None]
    assert root.find(f"{SVG}desc").text.endswith("Play: bar/21* 13/10.")
    told = picture(pos, arrows=SimpleNamespace(steps=[(25, 21, False)]))
    assert "*" not in told.find(f"{SVG}desc").text

    race = POSITIONS["bearing_off"]
    (end,) = arrow_ends(picture(race, arrows=[(6, 0)]))
    gone = position({6: 1, 5: 4, 4: 3, 2: 2}, {25: 2, 6: 7, 4: 2, 1: 1})
    slab = [g for g in picture(gone) if g.get("data-point") == "off"][1][-1]
    x = float(slab.get("x")) + float(slab.get("width")) / 2
    y = float(slab.get("y")) + float(slab.get("height")) / 2
    assert near(end[3], (x, y))


def test_repeated_arrows_stay_apart():
    for pos, steps in (
        (POSITIONS["opening"], [(6, 5), (6, 5), (8, 7), (8, 7)]),
        (POSITIONS["long_start"], [(24, 20), (24, 20), (20, 16), (20, 16)]),
        (position({7: 15}, {24: 15}), [(7, 6)] * 4),
        (position({25: 9, 3: 6}, START), [(25, 23)] * 4),
    ):
        ends = arrow_ends(picture(pos, arrows=steps))
        assert len(ends) == 4
        assert len({end[2:] for end in ends}) == 4
        tips = [end[3] for end in ends if end[0] == ends[0][0]]
        assert all(not near(a, b, 5) for i, a in enumerate(tips) for b in tips[:i])
    # the two uppermost checkers of a stack go, the lower one to the lower place
    ends = arrow_ends(picture(POSITIONS["opening"], arrows=[(8, 7), (8, 7)]))
    lower, upper = (end[2] for end in ends)
    assert near(upper, spot(picture(POSITIONS["opening"]), "white", 8))
    assert lower[0] == upper[0] and lower[1] > upper[1] and ends[0][3][1] > ends[1][3][1]


def test_arrows_chain():
    ends = arrow_ends(picture(POSITIONS["long_middle"], arrows=[(24, 19), (19, 17)]))
    assert near(ends[0][3], ends[1][2])


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([(7, 5)], "no checker on 7"),
        ([(24, 23), (24, 22), (24, 21)], "no checker on 24"),
        ([(6, 8)], "6/8 is not a step"),
        ([(26, 20)], "26/20 is not a step"),
    ],
)
def test_impossible_arrows(steps, message):
    with pytest.raises(ValueError, match=message):
        board_svg(POSITIONS["opening"], arrows=steps)


def cube_of(root):
    return [(g.get("data-cube"), g.get("data-owner")) for g in root if g.get("data-cube")]


def cube_at(root):
    (group,) = [g for g in root if g.get("data-cube")]
    return float(group[0].get("x")) + 20, float(group[0].get("y")) + 20, group[1].text


def test_cube_dice_and_switches():
    assert cube_of(picture(POSITIONS["opening"])) == [("1", "centre")]
    assert cube_of(picture(POSITIONS["black_owns_cube"])) == [("2", "black")]
    assert cube_of(picture(POSITIONS["doubled"])) == [("2", "centre")]
    assert cube_of(picture(POSITIONS["crawford"])) == []
    assert cube_of(picture(POSITIONS["long_start"])) == []
    assert cube_of(picture(POSITIONS["long_race"])) == [("1", "centre")]
    assert cube_of(picture(POSITIONS["opening"].with_(max_cube=1))) == []
    x, y, shown = cube_at(picture(POSITIONS["black_owns_cube"]))  # Black sits below
    assert x < 82 and y > 450 and shown == "2"
    x, y, shown = cube_at(picture(POSITIONS["black_owns_cube"], perspective=1, mirrored=True))
    assert x > 634 and y < 150
    x, y, shown = cube_at(picture(POSITIONS["opening"]))
    assert x < 82 and y == 300 and shown == "64"

    for pos in RANDOM:
        faces = [g for g in picture(pos) if g.get("data-dice")]
        if pos.dice is None:
            assert not faces
        else:
            dots = []
            for value, die in zip(pos.dice, faces[0], strict=True):
                assert die.get("data-die") == str(value)
                found = re.findall(r"M([\d.]+)", die[1].get("d"))
                assert len(found) == value
                dots += found
            assert all(float(x) > 358 for x in dots)  # to the right of the side on roll
    bare = board_svg(POSITIONS["opening"], dice=False, cube=False, pips=False, labels=False)
    assert "data-dice" not in bare and "data-cube" not in bare
    words = [t.text for t in ET.fromstring(bare).iter(f"{SVG}text")]
    assert words == ["2", "White", "3", "Black", "match to 7"]
    full = [t.text for t in picture(POSITIONS["opening"]).iter(f"{SVG}text")]
    assert full.count("pips 167") == 2 and "13" in full


def box_of(root):
    return [float(value) for value in root.get("viewBox").split()]


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("perspective", [None, 0, 1])
def test_places_lie_over_their_checkers(mirrored, perspective):
    """A program that asks which place is at a checker gets the place it stands on."""
    for pos in RANDOM:
        root = picture(pos, places=True, mirrored=mirrored, perspective=perspective)
        (group,) = [g for g in root if g.get("pointer-events")]
        assert (group.get("fill"), group.get("pointer-events")) == ("none", "all")
        order = [g for g in root if g is group or g.get("data-side") or g.get("data-dice")]
        assert [g is group for g in order if g is group or g.get("data-dice")][0]
        assert all(g.get("data-dice") for g in order[order.index(group) + 1 :])
        spots = {}
        for rect in group:
            x, y, width, height = (float(rect.get(k)) for k in ("x", "y", "width", "height"))
            key = rect.get("data-place"), rect.get("data-owner")
            assert key not in spots
            spots[key] = (x, y, x + width, y + height)
        owners = {(place, side) for place in ("bar", "off") for side in ("white", "black")}
        owners = {key for key in owners if pos.game == "backgammon" or key[0] == "off"}
        assert set(spots) == owners | {(str(n), None) for n in range(1, 25)}
        for a, b in itertools.combinations(spots.values(), 2):
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]

        def inside(x, y, spots=spots):
            (key,) = [k for k, (x0, y0, x1, y1) in spots.items() if x0 < x < x1 and y0 < y < y1]
            return key

        for player in (0, 1):
            side = "black" if player == 0 else "white"
            for group in (g for g in root if g.get("data-side") == side):
                if group.get("data-point") == "off":
                    for slab in group:
                        middle = float(slab.get("x")) + 20, float(slab.get("y")) + 5
                        assert inside(*middle) == ("off", side)
                    continue
                for stack in group:
                    point, want = stack.get("data-point"), None
                    if point == "bar":
                        want = side
                    elif player != pos.turn:
                        number = int(point)
                        point = 25 - number if pos.game == "backgammon" else (number + 11) % 24 + 1
                    for spot_ in circles(stack):
                        assert inside(*spot_) == (str(point), want)


def test_the_board_alone():
    """Without captions the picture is cropped to the frame; nothing else of it changes."""
    for pos in RANDOM[:20]:
        whole, bare = picture(pos, id_prefix="a"), picture(pos, captions=False, id_prefix="a")
        assert box_of(whole) == [0, 0, 716, 600] and box_of(bare) == [8, 42, 700, 516]
        assert (bare.get("width"), bare.get("height")) == ("720", "531")
        parts = [ET.tostring(part) for part in whole]
        assert [ET.tostring(part) for part in bare] == parts[:-1]
        x, y, width, height = box_of(bare)
        for cx, cy in circles(bare):
            assert x + 19 < cx < x + width - 19 and y + 19 < cy < y + height - 19


@pytest.mark.parametrize(
    ("lang", "title", "match"),
    [
        ("en", "Backgammon. On roll: White, 3-1", "match to 7"),
        ("ru", "Короткие нарды. Ход: Белые, 3-1", "матч до 7"),
        ("uk", "Короткі нарди. Хід: Білі, 3-1", "матч до 7"),
    ],
)
def test_title_and_description(lang, title, match):
    pos = POSITIONS["opening"]
    root = picture(pos, lang=lang)
    assert root.find(f"{SVG}title").text == title
    assert root.get("role") == "img"
    ids = [root.find(f"{SVG}{tag}").get("id") for tag in ("title", "desc")]
    assert root.get("aria-labelledby").split() == ids
    words = root.find(f"{SVG}desc").text
    assert words == describe(pos, lang=lang)
    assert words.startswith(title) and match in words.lower() and words.count("167") == 2
    assert match in [t.text for t in root.iter(f"{SVG}text")]


def test_description_names_everything():
    assert describe(POSITIONS["bearing_off"]) == (
        "Backgammon. On roll: White. White (own points): 2 on 6, 4 on 5, 3 on 4, 2 on 2, off: 4; "
        "pips: 48. Black (own points): 2 on the bar, 7 on 6, 2 on 4, 1 on 1, off: 3; pips: 101. "
        "Cube 16, owner: Black. Money game, Jacoby, beavers."
    )
    resigning = POSITIONS["opening"].with_(dice=None, resigned=2)
    assert "White offers to resign: 2" in describe(resigning)
    assert "Black offers to resign: 1" in describe(
        POSITIONS["doubled"].with_(turn=1, resigned=1, offer="doubled")
    )


def test_names_are_escaped():
    names = ('<script>"&\x00]]>', "Очень длинное имя игрока за доской")
    root = picture(POSITIONS["opening"], names=names)
    shown = [t.text for t in root.iter(f"{SVG}text")]
    assert '<script>"& ]]>' in shown
    assert "Очень длинное имя игр…" in shown
    assert names[1] in root.find(f"{SVG}desc").text
    root = picture(POSITIONS["opening"], id_prefix='a"<&')
    assert root.find(f"{SVG}title").get("id") == 'a"<&t'


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_self_contained_small_and_the_same_bytes_twice(theme):
    seen = set()
    for pos in [*POSITIONS.values(), *RANDOM[:30]]:
        text = board_svg(pos, theme=theme)
        assert text == board_svg(pos.with_(), theme=theme)
        assert len(text.encode()) < 12_000
        assert text.count("http") == 1 and "href" not in text and "<style" not in text
        ids = re.findall(r' id="([^"]*)"', text)
        assert len(set(ids)) == len(ids)
        for used in re.findall(r"url\(#([^)]*)\)", text):
            assert used in ids
        assert seen.isdisjoint(ids)  # other boards of the page
        seen.update(ids)
    small, large = (board_svg(POSITIONS["opening"], size=size) for size in (400, 900))
    assert 'width="400" height="335"' in small and 'width="900" height="754"' in large


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"theme": "neon"}, "theme"),
        ({"size": 0}, "size 0"),
        ({"lang": "de"}, "language: 'de' is not one of en, ru, uk"),
        ({"perspective": 2}, "perspective"),
        ({"names": ("one",)}, "names: 1 instead of two"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        board_svg(POSITIONS["opening"], **options)


def test_notebooks_show_boards():
    position = Position.start()
    assert position._repr_svg_() == board_svg(position, size=480)
