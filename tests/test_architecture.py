"""The shape of the package: who may import whom, and how much of everything there may be."""

from __future__ import annotations

import ast
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
FIRST = (
    *("errors", "quoting", "numbers", "words", "files", "json_text", "json_cursor", "json_forms", "version"),
    *("affine", "linear_algebra"),
)

#: How many lines each room may have, in the order in which imports may go: a module sees its own room and
#: those before it. A change that needs more in one room takes them from another, or says why the sum moves.
BUDGETS = {
    "runtime": 2_700,
    "experiments": 2_050,
    "crasp": 5_300,
    "targets": 2_150,
    "transformers": 2_250,
    "ordinary": 1_250,
    "continuity": 1_450,
    "compilation": 2_100,
    "formulas": 1_550,
    "communication": 850,
    "composition": 1_550,
    "space": 2_500,
    "search": 10_065,
    "whole_class": 1_200,
    "upper_bound": 1_535,
    "equivalence": 1_800,
    "classification": 3_150,
    "synthesis": 900,
    "report": 1_400,
    "verification": 2_750,
    "proofs": 950,
    "inference": 2_800,
    "sweeps": 2_200,
    "render": 5_150,
    "export": 900,
    "library": 3_950,
    "commands": 5_250,
}

#: What else is counted: lines of the modules above the rooms, of the package, of its longest module and of
#: all tests, words of all documents, names of the library, and commands.
COUNTED = {
    ".": 1_650,
    "package": 71_000,
    "module": 800,
    "tests": 38_400,
    "words": 59_800,
    "names": 88,
    "commands": 53,
}

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
    found = {path.name.removesuffix(".py") for path in PACKAGE.iterdir()}
    assert found - {"__init__", "__main__", "__pycache__", "py.typed"} == {*FIRST, *BUDGETS}
    late = {named(path): late_imports(source, named(path)) for path, source in MODULES.items()}
    assert {name: found for name, found in late.items() if found} == {}


def test_planted_breaches_are_caught() -> None:
    for source, late in (
        ("import idinf.render.text.answer", ["idinf.render.text.answer"]),
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
        lines[room if below else "."] += source.count("\n")
    tests = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    documents = (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("specs/*.md"))
    counted = {
        **lines,
        "package": lines.total(),
        "module": max(source.count("\n") for source in MODULES.values()),
        "tests": sum(text.count("\n") for text in tests),
        "words": sum(len(path.read_text(encoding="utf-8").split()) for path in documents),
        "names": len(idinf.__all__),
        "commands": len([*commands(main)]),
    }
    assert counted.keys() == {*BUDGETS, *COUNTED}
    assert {name: number for name, number in counted.items() if number > (BUDGETS | COUNTED)[name]} == {}


def test_the_public_names_exist_and_types_agree_with_them() -> None:
    """The names of the library are written twice, for lazy loading and for type checkers."""
    assert [name for name in idinf.__all__ if not hasattr(idinf, name)] == []
    tree = ast.parse(MODULES[PACKAGE / "__init__.py"])
    typed = [alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert {"__version__"} | {alias.asname for alias in typed if alias.asname} == set(idinf.__all__)
