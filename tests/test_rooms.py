"""Arrows go one way: who includes and imports whom, read from the sources."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# ---- the rooms -------------------------------------------------------------------------------

# C: a room includes itself, the rooms named here, and what those may include.
C_ROOMS = {
    "base": [],
    "rules": ["base"],
    "features": ["rules"],
    "nets": ["features"],
    "tables": ["rules"],
    "value": ["tables"],
    "search": ["nets", "value"],
    "rollout": ["search"],
    "train": ["search"],
}

# Python: the face is all of nardy_core that is not named here as a room of its own. Rooms after
# "later" may be imported inside a function only: the face hands over to them when asked and loads
# none of them itself.
FACE = "face"
PYTHON_ROOMS = {
    FACE: {"now": ["_border"], "later": ["render", "formats", "cli"]},
    "render": {"now": [FACE], "later": []},
    "formats": {"now": [FACE], "later": []},
    "serve": {"now": [FACE, "formats", "render"], "later": []},
    "cli": {"now": [FACE, "formats", "render"], "later": ["serve", "train"]},
    "train": {"now": [FACE, "_border._train"], "later": []},
    "_border": {"now": [], "later": []},
}

# Folders that need an extra: what they may import at once. Others import such a folder inside a
# function only.
EXTRAS = {"serve/http": {"fastapi", "prometheus_client", "pydantic", "starlette", "uvicorn"}}


def below(room: str) -> set[str]:
    return {room}.union(*(below(lower) for lower in C_ROOMS[room]))


# ---- C ---------------------------------------------------------------------------------------


def c_faults(root: Path) -> list[str]:
    core = root / "src_c"
    faults = []
    for path in sorted(p for p in core.rglob("*") if p.suffix in (".c", ".h", ".inc")):
        room = path.relative_to(core).parts[0]
        if room == "build":
            continue
        if room == "tests":
            allowed = {*C_ROOMS, "tests"}
        elif path.name == "nardy.h" and path.parent == core:
            allowed = {*C_ROOMS} - {"train"}
        elif room in C_ROOMS:
            allowed = below(room)
        else:
            faults.append(f"{path.relative_to(root)}: no such room")
            continue
        for line in path.read_text().splitlines():
            if not (found := re.match(r'\s*#\s*include\s*(["<])([^">]+)', line)):
                continue
            quote, name = found.groups()
            if quote == "<":
                wrong = name == "Python.h" or name.startswith(("numpy/", "cpython/"))
            elif "/" in name:
                wrong = name.split("/")[0] not in allowed
            else:  # a file of the same room, by its bare name
                wrong = not (path.parent / name).exists()
            if wrong:
                faults.append(f"{path.relative_to(root)} includes {name}")
    return faults


# ---- the border ------------------------------------------------------------------------------


def border_faults(root: Path) -> list[str]:
    border = root / "nardy_core" / "_border"
    faults = []
    for path in sorted(p for p in border.iterdir() if p.suffix in (".pyx", ".pxd")):
        where = path.relative_to(root)
        train = path.stem.lstrip("_").startswith("train")
        text = path.read_text()
        for header in re.findall(r'^\s*cdef\s+extern\s+from\s+[<"]([^>"]+)', text, re.M):
            if header != "nardy.h" and not (train and header.startswith("train/")):
                faults.append(f"{where} includes {header}")
        for line in re.findall(r"^[ \t]*(?:c?import|from)[ \t]+[\w.]+", text, re.M):
            name = line.split()[1]
            inside = name.split(".")[0] == "nardy_core" or name.startswith(".")
            if inside and not (name.startswith("nardy_core._border") or re.match(r"\.\w*$", name)):
                faults.append(f"{where} imports {name}")
            if not inside and name.split(".")[0] not in {*EXTERNAL, "libc", "cython", "cpython"}:
                faults.append(f"{where} imports {name}")
    return faults


# ---- Python ----------------------------------------------------------------------------------

EXTERNAL = {*sys.stdlib_module_names, "numpy"}


def room_of(parts: tuple[str, ...]) -> str:
    """Room of a dotted name below nardy_core, given without `nardy_core` itself."""
    return parts[0] if parts and parts[0] in PYTHON_ROOMS else FACE


def imports(tree: ast.Module, at: tuple[str, ...]) -> list[tuple[tuple[str, ...], bool]]:
    """(dotted name as a tuple, inside a function or under TYPE_CHECKING) of each import; `at` is
    the package that holds the module. `from a import b` counts as a.b: b may be a module."""
    found: list[tuple[tuple[str, ...], bool]] = []

    def visit(node: ast.AST, later: bool) -> None:
        if isinstance(node, ast.Import):
            found.extend((tuple(alias.name.split(".")), later) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = at[: len(at) - node.level + 1] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            found.extend(((*base, alias.name), later) for alias in node.names)
        later = later or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        later = later or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        for child in ast.iter_child_nodes(node):
            visit(child, later)

    visit(tree, False)
    return found


def python_faults(root: Path) -> list[str]:
    package = root / "nardy_core"
    faults = []
    for path in sorted(package.rglob("*.py")):
        where = path.relative_to(package)
        room = room_of(where.parts[:-1])
        arrows = PYTHON_ROOMS[room]
        extras = {name for folder, names in EXTRAS.items() if where.is_relative_to(folder)
                  for name in names}
        tree = ast.parse(path.read_text(), str(path))
        for name, later in imports(tree, ("nardy_core", *where.parts[:-1])):
            if name[0] != "nardy_core":
                wrong = name[0] not in EXTERNAL and not later and name[0] not in extras
            else:
                inner = name[1:]
                target = room_of(inner)
                allowed = {room, *arrows["now"], *(arrows["later"] if later else [])}
                if target == "_border":
                    # Only the trainer may use the trainer's module, and it may use no other.
                    module = inner[1] if len(inner) > 1 else ""
                    wanted = "_border._train" if module.startswith("_train") else "_border"
                    wrong = room != "_border" and wanted not in allowed
                else:
                    wrong = target not in allowed
                    wrong |= not later and any(
                        "/".join(inner).startswith(folder) and not where.is_relative_to(folder)
                        for folder in EXTRAS)
                    # `python -m nardy_core` is the command line.
                    wrong &= not (where.as_posix() == "__main__.py" and target == "cli")
            if wrong:
                faults.append(f"{path.relative_to(root)} imports {'.'.join(name)}")
    return faults


def faults(root: Path) -> list[str]:
    return c_faults(root) + border_faults(root) + python_faults(root) + game_faults(root)


# Values and text forms know both boards. All other modules of the face know a game by its rules and
# facts alone.
KNOW_THE_BOARDS = {"boards.py", "counts.py", "match_record.py", "notation.py", "play.py",
                   "position.py", "recorder.py"}


def game_faults(root: Path) -> list[str]:
    """Comparisons with the name of a game, where nobody should ask which it is."""
    package = root / "nardy_core"
    faults = []
    for path in sorted([*package.glob("*.py"), *(package / "match_analysis").glob("*.py")]):
        if path.name in KNOW_THE_BOARDS:
            continue
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            if isinstance(node, ast.Compare):
                sides = [each for side in (node.left, *node.comparators) for each in ast.walk(side)]
                if any(isinstance(each, ast.Constant) and each.value in ("backgammon", "long_nardy")
                       for each in sides):
                    faults.append(f"{path.relative_to(root)}:{node.lineno} asks which game it is")
    return faults


# ---- the tests -------------------------------------------------------------------------------


def test_arrows_go_one_way():
    assert (ROOT / "src_c").is_dir() and (ROOT / "nardy_core").is_dir()
    assert faults(ROOT) == []


def test_map_says_the_same():
    """The table in src_c/README.md is what this file checks."""
    text = (ROOT / "src_c" / "README.md").read_text()
    rows = re.findall(r"^\| `(\w+)/` \|.*\| ([^|]+) \|$", text, re.M)
    assert {room: [] if lower == "–" else lower.split(", ") for room, lower in rows} == C_ROOMS


GOOD = {
    "src_c/nardy.h": '#include "rollout/rollout.h"\n#include "rules/rules.h"\n',
    "src_c/base/status.h": "#include <stdint.h>\n",
    "src_c/rules/rules.h": '#include "base/status.h"\n#include "rules/board.h"\n',
    "src_c/features/line.c": '#include "features/line.h"\n#include "body.h"\n',
    "src_c/features/body.h": '#  include "rules/rules.h"\n',
    "src_c/nets/net.h": '#include "features/features.h"\n#include "base/status.h"\n',
    "src_c/tables/met.h": '#include "rules/rules.h"\n',
    "src_c/value/cube.h": '#include "tables/met.h"\n',
    "src_c/search/nply.c": '#include "nets/net.h"\n#include "value/cube.h"\n',
    "src_c/rollout/rollout.h": '#include "search/nply.h"\n',
    "src_c/train/fit.c": '#include "search/nply.h"\n',
    "src_c/tests/test_fit.c": '#include "train/fit.h"\n#include "tests/check.h"\n',
    "nardy_core/__init__.py": "import numpy\nfrom nardy_core.position import Position\n",
    "nardy_core/__main__.py": "from nardy_core.cli import main\n",
    "nardy_core/position.py": "from ._border import _rules\nimport nardy_core._border._rules\n"
    "def svg():\n    from .render import svg\n",
    "nardy_core/_border/nardy.pxd": 'cdef extern from "nardy.h" nogil:\n    pass\n',
    "nardy_core/_border/_rules.pyx": "from libc.stdlib cimport free\nimport numpy as np\n"
    "from nardy_core._border cimport nardy\n",
    "nardy_core/_border/_train.pyx": 'cdef extern from "train/fit.h":\n    pass\n',
    "nardy_core/ids/gnu.py": "from .._border import _rules\nfrom ..position import Position\n",
    "nardy_core/render/__init__.py": "from ..position import Position\n",
    "nardy_core/formats/mat.py": "from nardy_core import Position\n",
    "nardy_core/serve/ubgi.py": "import json\nfrom nardy_core.formats import mat\n",
    "nardy_core/serve/http/app.py": "import fastapi\nfrom nardy_core.serve.http import jobs\n",
    "nardy_core/cli/__init__.py": "import nardy_core\ndef f():\n    from ..train import loop\n",
    "nardy_core/train/loop.py": "from .._border import _train\nfrom nardy_core import Engine\n",
}

BORDER = "nardy_core/_border"
RULES = "nardy_core._border._rules"

# file, text, what the complaint must name
BAD = [
    ("src_c/base/status.c", '#include "rules/board.h"\n', "rules/board.h"),
    ("src_c/rules/x.c", '  # include "features/features.h"\n', "features/features.h"),
    ("src_c/nets/x.h", '#include "tables/met.h"\n', "tables/met.h"),
    ("src_c/tables/x.h", '#include "nets/net.h"\n', "nets/net.h"),
    ("src_c/value/x.h", '#include "search/nply.h"\n', "search/nply.h"),
    ("src_c/search/x.c", '#include "rollout/rollout.h"\n', "rollout/rollout.h"),
    ("src_c/rollout/x.c", '#include "train/fit.h"\n', "train/fit.h"),
    ("src_c/train/x.c", '#include "rollout/rollout.h"\n', "rollout/rollout.h"),
    ("src_c/rules/x.c", '#include "nardy.h"\n', "nardy.h"),
    ("src_c/rules/x.c", '#include "../search/nply.h"\n', "../search/nply.h"),
    ("src_c/search/x.c", "#include <Python.h>\n", "Python.h"),
    ("src_c/tests/test_x.c", '#include "Python.h"\n', "Python.h"),
    ("src_c/nardy.h", '#include "train/fit.h"\n', "train/fit.h"),
    ("src_c/misc/x.c", "\n", "no such room"),
    (f"{BORDER}/_x.pyx", 'cdef extern from "rules/rules.h":\n    pass\n', "rules/rules.h"),
    (f"{BORDER}/_x.pyx", 'cdef extern from "train/fit.h":\n    pass\n', "train/fit.h"),
    (f"{BORDER}/_x.pyx", "from nardy_core.position import Position\n", "nardy_core.position"),
    (f"{BORDER}/_x.pyx", "from ..position import Position\n", "..position"),
    (f"{BORDER}/x.py", "from ..position import Position\n", "nardy_core.position.Position"),
    ("nardy_core/cli/x.py", "from nardy_core._border import _rules\n", RULES),
    ("nardy_core/cli/x.py", "def f():\n    from .. import _border\n", "nardy_core._border"),
    ("nardy_core/cli/x.py", "from ..train import loop\n", "nardy_core.train.loop"),
    ("nardy_core/serve/x.py", "import nardy_core._border._rules as r\n", RULES),
    ("nardy_core/serve/x.py", "import nardy_core.cli\n", "nardy_core.cli"),
    ("nardy_core/serve/x.py", "import aiohttp\n", "aiohttp"),
    ("nardy_core/serve/x.py", "import fastapi\n", "fastapi"),
    ("nardy_core/serve/x.py", "from nardy_core.serve import http\n", "nardy_core.serve.http"),
    ("nardy_core/serve/http/x.py", "import aiohttp\n", "aiohttp"),
    ("nardy_core/formats/x.py", "from .._border._rules import step\n", f"{RULES}.step"),
    ("nardy_core/formats/x.py", "def f():\n    import nardy_core.serve\n", "nardy_core.serve"),
    ("nardy_core/train/x.py", "from .._border import _rules\n", RULES),
    ("nardy_core/engine.py", "from ._border import _train\n", "nardy_core._border._train"),
    ("nardy_core/engine.py", "from . import render\n", "nardy_core.render"),
    ("nardy_core/engine.py", "def f():\n    from nardy_core import train\n", "nardy_core.train"),
    ("nardy_core/engine.py", "class A:\n    from .serve import http\n", "nardy_core.serve.http"),
    ("nardy_core/ids/x.py", "from ..formats import mat\n", "nardy_core.formats.mat"),
    ("nardy_core/engine.py", "def f(p):\n    return p.game != 'long_nardy'\n", "engine.py:2"),
    ("nardy_core/match_analysis/x.py", "y = 1 if x in ('backgammon', z) else 2\n", "asks which"),
]


def plant(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_right_arrows_pass(tmp_path):
    plant(tmp_path, GOOD)
    assert faults(tmp_path) == []


@pytest.mark.parametrize(("name", "text", "named"), BAD, ids=lambda value: value.strip()[:40])
def test_a_wrong_arrow_is_found(tmp_path, name, text, named):
    plant(tmp_path, {**GOOD, name: text})
    found = faults(tmp_path)
    assert len(found) == 1 and found[0].startswith(name) and named in found[0]
