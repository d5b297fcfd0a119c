"""What the README shows is what the program says.

Every `$ nardy …` of a console block is run and its output compared; the Python session is a
doctest.
`python tests/test_readme.py --write` puts the present output into the README.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"```console\n(.*?)```", re.S)


def said(command: str) -> str:
    """Output of a command line that begins with `nardy`."""
    words = shlex.split(command)
    assert words[0] == "nardy", command
    done = subprocess.run(
        [sys.executable, "-m", "nardy_core", *words[1:]],
        capture_output=True, text=True, cwd=ROOT, timeout=300,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(block: str) -> list[tuple[str, str]]:
    """(command, output) pairs of a console block."""
    found: list[tuple[str, str]] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].rstrip("\n"), ""))
        else:
            command, output = found[-1]
            found[-1] = command, output + line
    return found


EXAMPLES = [pair for block in BLOCK.findall(README.read_text()) for pair in shown(block)]


def test_there_are_examples():
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[c for c, _ in EXAMPLES])
def test_console(command, output):
    assert said(command) == output


def test_python_session():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted >= 8 and result.failed == 0


def write() -> None:
    def fill(match: re.Match[str]) -> str:
        lines = [f"$ {command}\n{said(command)}" for command, _ in shown(match[1])]
        return f"```console\n{''.join(lines)}```"

    README.write_text(BLOCK.sub(fill, README.read_text()))


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    write()
