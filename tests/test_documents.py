"""What the documents show is what the program says; see `documents` for how blocks are run.

`python tests/test_documents.py --write [DOCUMENT ...]` puts the present outputs into them.
"""
from __future__ import annotations

import argparse
import ast
import re
import shlex
import sys
import tempfile
from pathlib import Path

import pytest
from documents import (
    DOCS,
    DOCUMENTS,
    ROOT,
    Block,
    agrees,
    anchors,
    blocks,
    broken_links,
    commands,
    links,
    name_of,
    refreshed,
)
from reference import PAGES, gaps, markdown

from nardy_core.cli import parser
from nardy_core.options import TABLE
from nardy_core.rules import PRESETS
from nardy_core.terms import _TERMS

RUN = [d for d in DOCUMENTS if any(b.is_run for b in blocks(d.read_text()))]

# Blocks of programs and of shell commands that are run elsewhere: (document, language): by what,
# which names the document. CONTRIBUTING.md repeats a command of the README.
CLAIMED = {
    ("README.md", "sh"): ".ci/run",
    ("nardy_core/docs/plug-into-your-gui.md", "python"): "tests/test_guide.py",
    ("nardy_core/docs/long-rollouts.md", "sh"): "tests/test_cluster.py",
    ("nardy_core/docs/long-rollouts.md", "python"): "tests/test_rollout_mpi.py",
}


@pytest.mark.parametrize("document", RUN, ids=name_of)
def test_outputs(document, tmp_path):
    text = document.read_text()
    assert refreshed(text, tmp_path).splitlines() == text.splitlines()


def test_every_block_is_run_or_claimed():
    known = {"console", "python", "sh", "text", "json", ""}
    readme = "".join(b.text for b in blocks((ROOT / "README.md").read_text()))
    for document in DOCUMENTS:
        for block in blocks(document.read_text()):
            where = name_of(document), block.language
            assert block.language in known, where
            if block.is_run or block.language not in ("python", "sh"):
                continue
            if where in CLAIMED:
                assert document.name in (ROOT / CLAIMED[where]).read_text(), where
            else:
                assert block.text in readme, where


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_nothing_of_one_machine(document):
    text = document.read_text()
    assert str(Path.home()) + "/" not in text and str(ROOT) not in text


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links(document):
    assert broken_links(document, document.read_text(), Path.read_text) == []


def test_every_document_is_one_click_from_the_readme():
    reached = {(ROOT / link.partition("#")[0]).resolve() for link in
               links((ROOT / "README.md").read_text())}
    for_users = {name_of(d) for d in DOCUMENTS if not name_of(d).startswith("tests/")}
    assert for_users - {"README.md"} <= {
        name_of(d) for d in reached if d.suffix == ".md" and d.exists()}


_PATH = re.compile(r"\b(?:benchmarks|tests|nardy_core|src_c)/[a-z\d_./-]+\.\w+")


def test_every_file_that_a_document_names_exists():
    """In lines of code: `benchmarks/choice.py`, `python tests/peers/compare_backgammon.py`."""
    seen = set()
    for document in DOCUMENTS:
        text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.M | re.S)
        for span in re.findall(r"`([^`\n]+)`", text):
            for path in _PATH.findall(span):
                seen.add(path)
                assert (ROOT / path).exists(), f"{name_of(document)}: {path}"
    assert len(seen) >= 10


def test_every_option_that_a_document_names_exists():
    """In commands within lines: those in blocks are run."""
    top = parser()
    seen = 0
    for document in DOCUMENTS:
        text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.M | re.S)
        for span in re.findall(r"`(nardy [^`\n]+)`", text):
            words = shlex.split(span.replace("'", ""))[1:]
            command = top
            while words and words[0] in (inner := subcommands(command)):
                command = inner[words.pop(0)]
            known = set(command._option_string_actions)
            for word in words:
                if word.startswith("--"):
                    seen += 1
                    assert word in known, f"{name_of(document)}: {span}: {word}"
    assert seen >= 10


def subcommands(command):
    groups = command._subparsers._group_actions if command._subparsers else []
    return {name: made for group in groups for name, made in group.choices.items()}


# ---- reference pages ----------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_reference_pages_are_current(page):
    assert page.read_text().splitlines() == PAGES[page]().splitlines()


def test_docstrings_speak_of_every_name_and_parameter():
    assert gaps() == []


def test_code_in_docstrings_is_run():
    """What is Python on the reference page is a session, which `test_outputs` runs."""
    page = blocks((DOCS / "api.md").read_text())
    assert sum(block.is_session for block in page) >= 5
    for block in page:
        if not block.is_session:
            with pytest.raises(SyntaxError):
                ast.parse(block.text)


def test_every_command_and_argument_has_a_help_text():
    def silent(made, name):
        for action in made._actions:
            if isinstance(action, argparse._SubParsersAction):
                for word, inner in action.choices.items():
                    yield from [] if inner.description else [f"{name} {word}"]
                    yield from silent(inner, f"{name} {word}")
            elif not action.help:
                yield f"{name}: {action.dest}"

    assert list(silent(parser(), "nardy")) == []


def test_the_glossary_has_the_words_of_the_program():
    text = (DOCS / "glossary.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.count("|") == 6]
    words = [tuple(row[:3]) for row in rows if row[0] not in ("English", "---")]
    assert len(words) >= 60
    assert [row for row in words if row not in _TERMS.values() and "---" not in row[0]] == []


def test_the_rules_have_every_option_value_and_preset():
    text = (DOCS / "rules.md").read_text()
    for game, table in TABLE.items():
        for name, values in table.items():
            assert f"`{name}`" in text, name
            words = {value for value in values if isinstance(value, str)}
            assert words <= set(re.findall(r"\w+", text)), name
        for preset in PRESETS[game]:
            assert game == "backgammon" or re.search(rf"^{preset} ", text, re.M), preset


def test_a_docstring_as_markdown():
    doc = """What it is, in
    two lines.

    a, b : numbers,
        two of them
    c : `x*y` but not x*y
    More.

        code  here

    >>> 1 + 1
    2

    | a | b |
    |---|---|
    """
    assert markdown(doc) == (
        "What it is, in two lines.\n\n- `a`, `b`: numbers, two of them\n- `c`: `x*y` but not "
        "x\\*y\n\nMore.\n\n```text\ncode  here\n```\n\n\n"
        "```python\n>>> 1 + 1\n2\n```\n\n\n| a | b |\n|---|---|")


# ---- the checks themselves ----------------------------------------------------------------------


def test_outputs_agree_but_for_what_is_left_open():
    assert agrees("a 1\nb\n", "a 1\nb\n")
    assert not agrees("a 1\nb\n", "a 2\nb\n")
    assert agrees("took … s\n", "took 12.5 s\n") and not agrees("took … s\n", "took 12.5 m\n")
    assert agrees("a\n…\nz\n", "a\nb\nc\nz\n") and not agrees("a\n…\nz\n", "a\nb\nc\n")


def test_what_is_wrong_is_put_right(tmp_path):
    text = ("# T\n\n```console\n$ echo a; echo b\nwrong\n$ echo c \\\n  d\nc d\n```\n"
            "```console exit=3\n$ echo no >&2; exit 3\n```\n"
            "```python\n>>> x = 2\n>>> x + 1\n4\n>>> print('t 5 s')\nt … s\n\n```\n")
    right = (text.replace("wrong", "a\nb").replace("exit 3\n`", "exit 3\nno\n`")
             .replace("1\n4\n", "1\n3\n"))
    assert refreshed(text, tmp_path) == right


def test_a_command_that_fails_is_no_output(tmp_path):
    with pytest.raises(AssertionError, match="nardy: depth"):
        refreshed("```console\n$ nardy perft start --depth 99\n```\n", tmp_path)


def test_a_broken_link_is_found():
    text = ("[a](README.md) [b](no.md) [c](README.md#no) [d](#t-1) [e](../x) [f](https://x.org)\n"
            "[g](LICENSE#t)\n# T\n# `T`\n")
    assert anchors(text) == {"t", "t-1"}
    read = {ROOT / "README.md": "# Yes\n", ROOT / "CHANGELOG.md": text}
    assert broken_links(ROOT / "CHANGELOG.md", text, read.__getitem__) == [
        "no.md", "README.md#no", "../x", "LICENSE#t"]


def test_commands_of_a_block():
    assert commands(Block("console", "", "$ a \\\n b\nx\ny\n$ c\n")) == [
        ("a \\\n b", "x\ny\n"), ("c", "")]


def write(names: list[str]) -> None:
    for page, make in PAGES.items():
        if not page.exists() or page.read_text() != make():
            page.write_text(make())
            print(name_of(page))
    for document in [Path(name).resolve() for name in names] or RUN:
        text = document.read_text()
        with tempfile.TemporaryDirectory() as folder:
            try:
                new = refreshed(text, Path(folder))
            except AssertionError as error:
                print(f"{name_of(document)}: {error}", file=sys.stderr)
                continue
        if new != text:
            document.write_text(new)
            print(name_of(document))


if __name__ == "__main__" and sys.argv[1:2] == ["--write"]:
    write(sys.argv[2:])
