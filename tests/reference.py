"""The reference pages, made from the program: its docstrings, its arguments, its words.

`python tests/test_documents.py --write` writes them; the tests hold them against the program.
"""
from __future__ import annotations

import argparse
import contextlib
import inspect
import re
import types
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from documents import DOCS, ROOT

import nardy_core
from nardy_core.cli import parser

# Modules whose names are imported from there: what `nardy_core` itself offers comes first.
MODULES = (
    "boards", "cluster", "cube", "duel", "filters", "games", "ids", "levels", "match_analysis",
    "nets", "recorder",
    "render", "rollout_batch", "rollout_store", "rules", "terms")

_API_HEAD = """# Python reference

Made from the docstrings by `python tests/test_documents.py --write`; the tests hold it against
the program. What the words mean is in the [glossary](glossary.md), how it is used in the pages
for [positions](study-a-position.md), [rollouts](long-rollouts.md), [matches](analyse-a-match.md),
[tables](make-tables.md) and [nets](train-nets.md).

Throughout: equities are for the side on roll unless another is named, in points a unit of the
cube; chances are numbers from 0 to 1; points of the board are counted in each side's own numbers,
24 to 1, with 25 = bar and 0 = off; plies as GNU Backgammon counts them, 0 = the static net. What
makes no sense raises ValueError in one line that says what and where; a file that cannot be read
or written OSError.
"""

# Parameters that mean the same wherever they stand.
COMMON = {
    "position": "a Position; what is answered is for its side on roll",
    "dice": "two numbers 1 to 6 in any order; None = the position's own",
    "game": "\"backgammon\" or \"long_nardy\"",
    "level": "plies of look-ahead, 0 to 4, or a roller by name, see `nardy_core.levels`",
    "met": "match equity table: a MatchEquity, a name or a file; None = Kazaross-XG2, in long "
           "nardy a table made for the rules",
    "efficiency": "of the cube, 0 = dead to 1 = live, or a CubeEfficiency; None = by class of "
                  "position",
    "plan": "where a search looks closely, a `nardy_core.evaluator.Plan` or the name of a filter, "
            "see `nardy_core.filters`; None = the engine's",
    "stop": "a `nardy_core.evaluator.Stop`: set by another thread, it ends the work",
    "engine": "an Engine; None = one with the shipped nets",
    "threads": "how many work at a time; None = one a processor",
    "player": "0 or 1, see `Position.turn`",
    "record": "a MatchRecord, or a list of PositionRecord",
    "analyses": "a sequence of MatchAnalysis",
    "path": "name of a file, text or path",
    "text": "what is to be read",
    "question": "a RolloutQuestion: position, candidates, settings, hashes of the nets",
    "rules": "`Options`",
    "strict": "True refuses what is odd, False makes the best of it",
    "seed": "whole number that the dice are a function of",
    "lang": "of words: \"en\", \"ru\" or \"uk\"",
}

_COMMANDS_HEAD = """# Command reference

Made from the program's own arguments by `python tests/test_documents.py --write`; the tests hold
it against them. `nardy COMMAND --help` says the same.

Answers go to stdout, messages to stderr, each in one line. JSON and CSV are in English with dots
as decimal signs whatever `--lang` says. Exit codes: 0 done, 1 some items of many failed, 2 wrong
usage or input, 3 a file cannot be read or written, 4 the engine cannot do it, 130 interrupted.

Variables of the environment: `NARDY_CACHE`, the folder of built tables and of caches (else
`nardy_core` in the user's cache); `NARDY_KERNELS`, the kernel set of the nets (`nardy bench` names
the one in use); `NARDY_TOKEN`, as `--token` of `nardy serve http`; `NARDY_DEBUG=1`, a traceback
instead of an error's line.
"""


# ---- docstrings ---------------------------------------------------------------------------------

_ITEM = re.compile(r"([\w*]+(?:, [\w*]+)*) : (.*)")


def _plain(text: str) -> str:
    """Markdown that shows the text as it is, but for `code`."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([*<\[\]|])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def markdown(doc: str) -> str:
    """A docstring as Markdown: paragraphs, `name : meaning` as a list, what is indented as text,
    examples as sessions, which are run with the page that they come to stand in."""
    out: list[str] = []
    lines = inspect.cleandoc(doc).splitlines()
    n = 0
    while n < len(lines):
        line = lines[n]
        n += 1
        if not line.strip() or set(line) == {"-"}:
            continue
        if n < len(lines) and lines[n] and set(lines[n]) == {"-"}:
            continue  # a title such as Parameters: what follows says as much
        if line.startswith("|"):
            out.append(line if out and out[-1].lstrip().startswith("|") else f"\n{line}")
            continue
        if line.startswith(">>> "):
            session = [line]
            while n < len(lines) and lines[n].strip():
                session.append(lines[n])
                n += 1
            out.append("\n```python\n" + "\n".join(session) + "\n```\n")
            continue
        item = _ITEM.fullmatch(line)
        indented = line.startswith("    ")
        block = [item[2] if item else line]
        while n < len(lines) and (
                lines[n].startswith("    ") or indented and not lines[n].strip() or
                not item and not indented and lines[n].strip() and not _ITEM.fullmatch(lines[n])):
            block.append(lines[n])
            n += 1
        if indented:
            code = inspect.cleandoc("\n".join(["", *block])).rstrip()
            out.append(f"\n```text\n{code}\n```\n")
        elif item:
            names = ", ".join(f"`{name}`" for name in item[1].split(", "))
            if out and not out[-1].startswith("- "):
                out.append("")
            out.append(f"- {names}: {_plain(' '.join(part.strip() for part in block))}")
        else:
            out.append("\n" + _plain(" ".join(part.strip() for part in block)))
    return "\n".join(out).strip("\n")


# ---- the Python side ----------------------------------------------------------------------------


def names_of(module: types.ModuleType) -> list[str]:
    """Public names: those the module lists, or makes itself."""
    listed = getattr(module, "__all__", None)
    if listed:
        return sorted(listed, key=str.lower)
    return sorted((name for name, value in vars(module).items() if not name.startswith("_")
                   and getattr(value, "__module__", None) == module.__name__
                   and (inspect.isclass(value) or inspect.isroutine(value))), key=str.lower)


def members_of(cls: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that the class itself defines."""
    for name, value in list(vars(cls).items()):
        if name.startswith("_") or name in getattr(cls, "__annotations__", {}):
            continue
        if isinstance(value, (property, classmethod, staticmethod)) or callable(value) or (
                hasattr(value, "func") or type(value).__name__ == "getset_descriptor"):
            yield name, getattr(value, "__func__", value)


def signature_of(value: Any) -> str:
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(…)"
    text = re.sub(r"ForwardRef\(('[^']*')[^)]*\)", r"\1", text)
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)  # annotations are kept as text
    text = re.sub(r"\b(?:nardy_core(?:\.\w+)*|typing|collections\.abc|pathlib)\.", "", text)
    return re.sub(r"\((?:self|cls)(?:, )?", "(", text, count=1)


def doc_of(value: Any) -> str:
    """The docstring that somebody wrote, not the one that a dataclass makes of its fields."""
    doc = getattr(value, "__doc__", None) or ""
    made = inspect.isclass(value) and doc.startswith(f"{value.__name__}(")
    return "" if made else doc


def _source(value: Any) -> str:
    module = getattr(value, "__module__", None) or ""
    path = module.replace(".", "/")
    for candidate in (f"{path}.py", f"{path}/__init__.py", f"{path}.pyx"):
        if (ROOT / candidate).exists():
            return f" [source](../{candidate.removeprefix('nardy_core/')})"
    return ""


def gaps() -> list[str]:
    """Public names and parameters that no docstring speaks of."""
    found = []
    for title, entries in _groups():
        for name, value in entries:
            found += [f"{title}.{gap}" for gap in _gaps(name, value, import_module(title), "")]
    return found


def _gaps(name: str, value: Any, home: Any, around: str) -> Iterator[str]:
    """`home` is the class or module it belongs to, where "as for `other`" is looked up."""
    if inspect.ismodule(value) or not (around or inspect.isclass(value) or callable(value)):
        return
    doc = doc_of(value)
    if not doc:
        yield name
    parameters: Any = {}
    if not _is_value(value) and not (inspect.isclass(value) and issubclass(value, Exception)):
        with contextlib.suppress(TypeError, ValueError):  # a class that is not made by hand
            parameters = inspect.signature(value).parameters
    told = f"{doc} {around}"
    for other in re.findall(r"(?:as|see|by) (?:for |in )?`([\w.]+)`", doc):
        target: Any = home
        for word in other.split("."):
            target = getattr(target, word, None) or getattr(nardy_core, word, None)
        told += doc_of(target)
    for parameter in parameters:
        if parameter not in ("self", "cls", *COMMON) and not re.search(
                rf"\b{parameter.strip('_')}\b", told):
            yield f"{name}: {parameter}"
    if inspect.isclass(value):
        for member_name, member in members_of(value):
            yield from _gaps(f"{name}.{member_name}", member, value, doc)


def _is_value(member: Any) -> bool:
    """Asked for without a call."""
    return not (inspect.isroutine(member) or inspect.isfunction(member)) and not inspect.isclass(
        member) and type(member).__name__ != "cython_function_or_method"


def _entry(name: str, value: Any) -> Iterator[str]:
    """A public name as a section."""
    if inspect.ismodule(value):
        return
    if not (inspect.isclass(value) or callable(value)):
        yield f"### {name}\n\n`{name} = {value!r}`"
        return
    yield f"### {name}\n"
    yield f"`{name}{signature_of(value)}`{_source(value)}\n"
    yield markdown(doc_of(value))
    if not inspect.isclass(value):
        return
    for member_name, member in members_of(value):
        call = "" if _is_value(member) else signature_of(member)
        doc = markdown(doc_of(member))
        head, _, rest = doc.partition("\n")
        yield f"\n**`.{member_name}{call}`** {head}" + (f"\n{rest}" if rest else "")


def _groups() -> list[tuple[str, list[tuple[str, Any]]]]:
    """(module, its public names), each name where it is offered first."""
    top: dict[str, Any] = {name: getattr(nardy_core, name) for name in nardy_core.__all__}
    inner = sorted(name for name, value in top.items() if inspect.ismodule(value))
    found = [("nardy_core", sorted(
        ((name, value) for name, value in top.items() if name not in inner and name[0] != "_"),
        key=lambda pair: pair[0].lower()))]
    known = {id(value) for value in top.values()}
    for name in (*inner, *MODULES):
        module = import_module(f"nardy_core.{name}")
        offered = [(n, getattr(module, n)) for n in names_of(module)]
        found.append((f"nardy_core.{name}", [(n, v) for n, v in offered if id(v) not in known]))
        known |= {id(value) for _, value in offered}
    return found


def api() -> str:
    """nardy_core/docs/api.md"""
    out = [_API_HEAD]
    for title, entries in _groups():
        listed = ", ".join(f"`{name}`" for name, _ in entries)
        out.append(f"- [{title}](#{title.replace('.', '')}): {listed}")
    out.append("\n## What parameters mean everywhere\n\n| name | meaning |\n|---|---|")
    out += [f"| `{name}` | {_plain(meaning)} |" for name, meaning in COMMON.items()]
    for title, entries in _groups():
        about = import_module(title).__doc__ or ""
        out.append(f"\n## {title}\n\n{markdown(about)}\n")
        for name, value in entries:
            out.append("\n".join(_entry(name, value)) + "\n")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


# ---- the command line ---------------------------------------------------------------------------


def _cell(text: str) -> str:
    return _plain(" ".join(text.split()))


def _argument(action: argparse.Action) -> str:
    metavar = action.metavar
    if isinstance(metavar, tuple):
        metavar = " ".join(metavar)
    value = metavar or ("\\|".join(map(str, action.choices)) if action.choices else
                        action.dest.upper())
    if not action.option_strings:
        many = {"+": " …", "*": " …", "?": ""}.get(str(action.nargs), "")
        return f"`{value}`{many}"
    takes = "" if action.nargs == 0 else f" {value}"
    if action.nargs == "+":
        takes += " …"
    return ", ".join(f"`{name}{takes}`".replace("\\|", "|").replace("|", "\\|")
                     for name in action.option_strings)


def _default(action: argparse.Action) -> str:
    said = action.help or ""
    if "default" in said or action.nargs == 0 or action.required or not action.option_strings:
        return ""
    if action.default in (None, False, [], argparse.SUPPRESS):
        return ""
    return f" (default {action.default})"


def _commands(made: argparse.ArgumentParser, title: str) -> Iterator[str]:
    groups = [a for a in made._actions if isinstance(a, argparse._SubParsersAction)]
    if title != "nardy":
        yield f"\n## {title}\n"
        about = made.description or ""
        if about:
            yield _cell(about) + "\n"
    if not groups:
        rows = [a for a in made._actions if "--help" not in a.option_strings]
        yield "| argument | meaning |\n|---|---|"
        for action in rows:
            choices = ""
            if action.choices and action.metavar:
                known = [str(c) for c in action.choices]
                choices = "" if all(c in (action.help or "") for c in known) else (
                    f" ({', '.join(known)})")
            yield f"| {_argument(action)} | {_cell(action.help or '')}{choices}{_default(action)} |"
    for group in groups:
        for name, inner in group.choices.items():
            yield from _commands(inner, f"{title} {name}")


def command_line() -> str:
    """nardy_core/docs/commands.md"""
    body = "\n".join(_commands(parser(), "nardy"))
    titles = re.findall(r"^## (.+)$", body, re.M)
    listed = ", ".join(f"[{t.removeprefix('nardy ')}](#{t.replace(' ', '-')})" for t in titles)
    return f"{_COMMANDS_HEAD}\n{listed}\n{body}\n"


PAGES = {DOCS / "api.md": api, DOCS / "commands.md": command_line}
