"""The shape of the package: who may import whom, and how much of everything there may be."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import networkx

import idinf
from idinf.commands import main
from tests.robustness.test_commands import commands

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "idinf"

#: Modules above the rooms, in the order in which imports may go.
FIRST = ("errors", "version")

#: How many lines each room may have, in the order in which imports may go: a module sees its own room and
#: those before it. A change that needs more in one room takes them from another, or says why the sum moves.
BUDGETS = {
    "base": 1_610,
    "work": 1_810,
    "spec": 2_400,
    "crasp": 4_680,
    "targets": 2_280,
    "nets": 2_600,
    "translate": 3_350,
    "space": 1_750,
    "search": 6_760,
    "whole": 1_080,
    "languages": 5_870,
    "report": 1_090,
    "proofs": 3_540,
    "inference": 2_840,
    "tables": 1_760,
    "trained": 2_200,
    "lab": 3_660,
    "show": 5_830,
    "api": 3_350,
    "lesson": 1_120,
    "commands": 5_080,
}

#: What else is counted: lines of the modules above the rooms, of the package, of its longest module and of
#: all tests, words of all documents without generated tables, names of the library, and commands.
COUNTED = {
    ".": 160,
    "package": 64_700,
    "module": 800,
    "tests": 41_750,
    "words": 27_000,
    "names": 30,
    "commands": 42,
}

#: A table of a document that a command writes.
GENERATED = re.compile(r"^<!-- ([a-z -]+): written .*?^<!-- end of \1 -->$", re.DOTALL | re.MULTILINE)

MODULES = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}


def named(path: Path) -> str:
    """Dotted name of a module of the package."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports(source: str, name: str) -> tuple[str, ...]:
    """What a module imports of the package, anywhere; ``from a import b`` counts as ``a.b``."""
    met: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = [*name.split(".")[: -node.level or None]] * bool(node.level) + [node.module or ""]
            found = [".".join(filter(None, (*base, alias.name))) for alias in node.names]
        else:
            continue
        met += (each for each in found if each.partition(".")[0] == "idinf")
    return tuple(met)


def late_imports(source: str, name: str) -> list[str]:
    """What a module imports from a later stage, or from outside the known stages."""
    stages = (*FIRST, *BUDGETS)
    own = name.split(".")[1:2]
    seen = stages[: stages.index(own[0]) + 1] if own and own[0] in stages else stages
    return [found for found in imports(source, name) if found.split(".")[1:2][0] not in seen]


def test_imports_go_one_way() -> None:
    there = (path for path in PACKAGE.iterdir() if path.is_file() or any(path.rglob("*.py")))
    found = {path.name.removesuffix(".py") for path in there}
    assert found - {"__init__", "__main__", "py.typed", "__init__.pyi"} == {*FIRST, *BUDGETS}
    late = {named(path): late_imports(source, named(path)) for path, source in MODULES.items()}
    assert {name: found for name, found in late.items() if found} == {}


def test_planted_breaches_are_caught() -> None:
    for source, late in (
        ("import idinf.show.text.answer", ["idinf.show.text.answer"]),
        ("from ..inference import table", ["idinf.inference.table"]),
        ("def f():\n    from idinf.inference.table import Row", ["idinf.inference.table.Row"]),
        ("if TYPE_CHECKING:\n    from idinf import search", ["idinf.search"]),
        ("from idinf.nowhere import x\nfrom idinf.errors import y", ["idinf.nowhere.x"]),
    ):
        assert late_imports(source, "idinf.space.planted") == late


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Not even inside functions, nor for annotations alone."""
    names = {named(path): source for path, source in MODULES.items()}
    arrows = [
        (name, found if found in names else found.rpartition(".")[0])
        for name, source in names.items()
        for found in imports(source, name)
    ]
    assert networkx.is_directed_acyclic_graph(networkx.DiGraph(arrows))
    arrows.append(("idinf.errors", "idinf.commands.identify"))
    assert not networkx.is_directed_acyclic_graph(networkx.DiGraph(arrows))


def test_budgets_are_kept() -> None:
    lines = Counter[str]()
    for path, source in MODULES.items():
        room, *below = path.relative_to(PACKAGE).parts
        name = room.removesuffix(".py")
        lines[name if below or name in BUDGETS else "."] += source.count("\n")
    tests = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    documents = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("specs/*.md"))
    prose = [GENERATED.sub("", path.read_text(encoding="utf-8")) for path in documents]
    counted = {
        **lines,
        "package": lines.total(),
        "module": max(source.count("\n") for source in MODULES.values()),
        "tests": sum(text.count("\n") for text in tests),
        "words": sum(len(text.split()) for text in prose),
        "names": len(idinf.__all__),
        "commands": len([*commands(main)]),
    }
    assert counted.keys() == {*BUDGETS, *COUNTED}
    assert {name: number for name, number in counted.items() if number > (BUDGETS | COUNTED)[name]} == {}


def test_the_public_names_exist() -> None:
    """The stub beside the package names them once, for lazy loading and for type checkers."""
    assert [name for name in idinf.__all__ if not hasattr(idinf, name)] == []
    assert len(idinf.__all__) <= COUNTED["names"]
