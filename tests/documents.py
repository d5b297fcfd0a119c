"""What documents show, run: commands, Python sessions, links.

Blocks of a document are run in their order, in an empty folder of its own in which `tests` and
`benchmarks` are those of the repository:

    ```console             each `$ command` by bash, and what it writes to stdout
    ```console exit=2      the last one ends so: what it writes to stdout and stderr
    ```python              lines after `>>>`, as a doctest; one session a document

In an output the sign `…` stands for what differs from run to run, such as times: alone on a line
for any lines, within a line for any characters. Other blocks are not run here. Those of `sh` and
Python programs belong to tests that name them, see `test_documents.CLAIMED`.
"""
from __future__ import annotations

import dataclasses
import doctest
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nardy_core import bearoff

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "nardy_core" / "docs"
DOCUMENTS = sorted(
    path for pattern in ("*.md", "src_c/*.md", "nardy_core/**/*.md", "benchmarks/**/*.md",
                         "tests/**/*.md") for path in ROOT.glob(pattern))

_BLOCK = re.compile(r"^```(\S*)(.*)\n((?s:.*?))^```$", re.M)


def name_of(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


# ---- blocks -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Block:
    language: str
    mark: str  # what stands behind the language
    text: str

    @property
    def is_session(self) -> bool:
        return self.language == "python" and ">>> " in self.text

    @property
    def is_run(self) -> bool:
        return self.language == "console" or self.is_session


def blocks(text: str) -> list[Block]:
    return [Block(m[1], m[2].strip(), m[3]) for m in _BLOCK.finditer(text)]


def commands(block: Block) -> list[tuple[str, str]]:
    """(command, output) pairs of a console block. A command goes on after a backslash."""
    found: list[tuple[str, str]] = []
    for line in block.text.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].rstrip("\n"), ""))
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1] = f"{found[-1][0]}\n{line.rstrip()}", ""
        else:
            assert found, f"a console block begins with an output: {line}"
            found[-1] = found[-1][0], found[-1][1] + line
    return found


def agrees(shown: str, got: str) -> bool:
    """Whether the output is what the document shows."""
    pattern = ""
    for line in shown.splitlines(keepends=True):
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += "[^\n]*".join(map(re.escape, line.split("…")))
    return re.fullmatch(pattern, got) is not None


# ---- running ------------------------------------------------------------------------------------


class Session:
    """A folder, an environment for commands and a namespace for Python, of one document."""

    def __init__(self, folder: Path) -> None:
        bearoff.bearoff_tables()  # built where they are missing, so that no command has to say so
        self.folder = folder / "here"
        self.folder.mkdir()
        for name in ("tests", "benchmarks"):
            (self.folder / name).symlink_to(ROOT / name)
        programs = folder / "programs"
        programs.mkdir()
        for name, words in (("nardy", "-m nardy_core"), ("python", "")):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
            program.chmod(0o755)
        self.environment = {
            **os.environ, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1", "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def run(self, block: Block) -> str:
        """The block's text with the outputs that do not agree put right."""
        return self._python(block) if block.is_session else self._console(block)

    def _console(self, block: Block) -> str:
        text, left = "", commands(block)
        while left:
            command, shown = left.pop(0)
            code = 0 if left else int(block.mark.removeprefix("exit=") or 0)
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", command], cwd=self.folder, text=True,
                env=self.environment, timeout=300, stdin=subprocess.DEVNULL, encoding="utf-8",
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT if code else subprocess.PIPE,
            )  # fmt: skip
            assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
            text += f"$ {command}\n" + (shown if agrees(shown, done.stdout) else done.stdout)
        return text

    def _python(self, block: Block) -> str:
        said: dict[int, tuple[str, str]] = {}

        class Checker(doctest.OutputChecker):
            def check_output(self, want: str, got: str, optionflags: int) -> bool:
                return agrees(want, got) or super().check_output(want, got, optionflags)

        class Runner(doctest.DocTestRunner):
            def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
                said[example.lineno] = example.want, got

            def report_unexpected_exception(
                self, out: Any, test: Any, example: Any, exc_info: Any
            ) -> None:
                raise AssertionError(f"{example.source}{exc_info[1]!r}") from exc_info[1]

        test = doctest.DocTestParser().get_doctest(block.text, {}, "session", None, 0)
        test.globs = self.names
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            Runner(Checker(), verbose=False).run(test, clear_globs=False)
        finally:
            os.chdir(before)
        lines = block.text.splitlines(keepends=True)
        for example in reversed(test.examples):
            if example.lineno in said:
                want, got = said[example.lineno]
                first = example.lineno + example.source.count("\n")
                lines[first:first + want.count("\n")] = [got]
        return "".join(lines)


def refreshed(text: str, folder: Path) -> str:
    """The document with outputs as they are today."""
    session = Session(folder)

    def fill(match: re.Match[str]) -> str:
        block = Block(match[1], match[2].strip(), match[3])
        if not block.is_run:
            return match[0]
        return f"```{match[1]}{match[2]}\n{session.run(block)}```"

    return _BLOCK.sub(fill, text)


# ---- links --------------------------------------------------------------------------------------

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_TITLE = re.compile(r"^#+ (.+)$", re.M)


def links(text: str) -> list[str]:
    """Where the links and pictures of a document lead; blocks have none."""
    return _LINK.findall(_BLOCK.sub("", text))


def anchors(text: str) -> set[str]:
    """What can stand behind # in a link to the document: its titles, as GitHub makes them."""
    found: set[str] = set()
    for title in _TITLE.findall(_BLOCK.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        number, unique = 0, anchor
        while unique in found:
            number += 1
            unique = f"{anchor}-{number}"
        found.add(unique)
    return found


def broken_links(document: Path, text: str, read: Callable[[Path], str]) -> list[str]:
    """Links of a document that lead nowhere, or out of the repository other than to the web."""
    bad = []
    for link in links(text):
        if re.match(r"https?://", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.is_relative_to(ROOT) or not target.exists() or (
                anchor and (target.suffix != ".md" or anchor not in anchors(read(target)))):
            bad.append(link)
    return bad
