"""The stubs of the border say what the built modules have."""

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import nardy_core._border

BORDER = Path(nardy_core._border.__file__).parent
MODULES = sorted(path.stem for path in BORDER.glob("*.pyx"))


def stub_parameters(node: ast.FunctionDef) -> list[tuple[str, str, str | None]]:
    """(name, kind, default as written) of each parameter, `self` included."""
    a = node.args
    ordered = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(ordered) - len(a.defaults)) + [ast.unparse(d) for d in a.defaults]
    found = [(p.arg, "either", d) for p, d in zip(ordered, defaults, strict=True)]
    if a.vararg:
        found.append((a.vararg.arg, "*", None))
    for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True):
        found.append((p.arg, "keyword", ast.unparse(d) if d else None))
    if a.kwarg:
        found.append((a.kwarg.arg, "**", None))
    return found


KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "either",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "either",
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def built_parameters(function: object) -> list[tuple[str, str, str | None]]:
    return [
        (p.name, KINDS[p.kind], None if p.default is p.empty else repr(p.default))
        for p in inspect.signature(function).parameters.values()
    ]


def stub_names(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    """Public names that the statements define."""
    found: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
    return {name: node for name, node in found.items() if not name.startswith("_")}


def built_names(module: ModuleType) -> dict[str, object]:
    """Public names that the module itself defines: no imports."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not isinstance(value, ModuleType)
        and getattr(value, "__module__", module.__name__) == module.__name__
    }


def compare(stub: dict[str, ast.stmt], built: dict[str, object], where: str) -> list[str]:
    faults = [f"{where}{name}: not in the stub" for name in sorted(built.keys() - stub.keys())]
    faults += [f"{where}{name}: only in the stub" for name in sorted(stub.keys() - built.keys())]
    for name in sorted(stub.keys() & built.keys()):
        node, value = stub[name], built[name]
        if isinstance(node, ast.ClassDef):
            members = {k: v for k, v in vars(value).items() if not k.startswith("_")}
            faults += compare(stub_names(node.body), members, f"{where}{name}.")
        elif isinstance(node, ast.FunctionDef):
            if any(ast.unparse(d) == "property" for d in node.decorator_list):
                if not inspect.isdatadescriptor(value):
                    faults.append(f"{where}{name}: a property only in the stub")
                continue
            function = getattr(value, "__func__", value)  # what a static or class method wraps
            if not callable(function):
                faults.append(f"{where}{name}: a function only in the stub")
            elif (said := stub_parameters(node)) != (real := built_parameters(function)):
                faults.append(f"{where}{name}: the stub says {said}, built is {real}")
        elif inspect.isroutine(value) or isinstance(value, type):
            faults.append(f"{where}{name}: a plain value only in the stub")
    return faults


@pytest.mark.parametrize("name", MODULES)
def test_stub_and_module_agree(name):
    module = importlib.import_module(f"nardy_core._border.{name}")
    stub = ast.parse((BORDER / f"{name}.pyi").read_text())
    built = built_names(module)
    assert built, "nothing public was found in the built module"
    assert compare(stub_names(stub.body), built, "") == []


def test_differences_are_found():
    """The comparison itself, on a stub that is wrong in every way."""
    module = ModuleType("m")
    code = (
        "def right(a, b=1): ...\ndef renamed(a): ...\ndef default(a=1): ...\ndef extra(): ...\n"
        "class C:\n    def method(self, x): ...\n    @property\n    def p(self): ...\nVALUE = 3\n"
    )
    exec(code, module.__dict__)
    right = ast.parse(code.replace("VALUE = 3", "VALUE: int"))
    assert compare(stub_names(right.body), built_names(module), "") == []
    wrong = ast.parse(
        "def right(a, b=1): ...\ndef renamed(c): ...\ndef default(a=2): ...\ndef gone(): ...\n"
        "class C:\n    def method(self): ...\n    p: int\nVALUE: int\n"
    )
    found = [f.split(":")[0] for f in compare(stub_names(wrong.body), built_names(module), "")]
    assert found == ["extra", "gone", "C.method", "default", "renamed"]
