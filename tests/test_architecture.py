"""The shape of the package: who may import whom, who owns a heavy package, what every module promises."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import networkx
import pytest

import idinf
from idinf.experiments.catalogue import list_family_names, list_names

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "idinf"

#: Stages in the order in which imports may go: a module sees its own stage and those before it.
STAGES = (
    "errors",
    "quoting",
    "numbers",
    "words",
    "files",
    "json_text",
    "json_cursor",
    "json_forms",
    "version",
    "affine",
    "linear_algebra",
    "work",
    "experiments",
    "crasp",
    "targets",
    "transformers",
    "ordinary",
    "continuity",
    "compilation",
    "formulas",
    "communication",
    "composition",
    "space",
    "search",
    "whole_class",
    "upper_bound",
    "equivalence",
    "classification",
    "synthesis",
    "report",
    "verification",
    "proofs",
    "inference",
    "sweeps",
    "render",
    "export",
    "library",
    "commands",
)

#: Who may import a heavy package; always inside a function, so that nobody else pays for it.
OWNERS = {
    "rich": {"idinf.commands.demo", "idinf.commands.progress"},
    "lark": {"idinf.crasp.parsing"},
    "automata": {"idinf.targets.regular"},
    "networkx": {"idinf.classification.components"},
    "dask": {"idinf.work.cluster"},
    "distributed": {"idinf.work.cluster"},
    "scipy": {"idinf.proofs.hulls", "idinf.search.last_layer.exclusion", "idinf.sweeps.correlation"},
    "cvxpy": {"idinf.ordinary.factorization"},
    "matplotlib": {"idinf.render.figures.canvas"},
    "safetensors": {"idinf.export.weights"},
    "pyarrow": {"idinf.sweeps.parquet"},
}

#: Who may open files without `idinf.files`: what ships with the package, what belongs to a run, and nothing.
OPENERS = {
    "idinf.files",
    "idinf.work.memory",
    "idinf.commands.terminal",
    "idinf.crasp.library",
    "idinf.crasp.parsing",
    "idinf.render.html.markup",
    "idinf.export.arrays",
    "idinf.render.figures.observed",
    "idinf.experiments.catalogue",
    "idinf.inference.kept_work",
}

#: Calls that open a file, as methods and as functions.
_OPENING_METHODS = {"read_bytes", "read_text", "open", "fromfile", "loadtxt"}
_OPENING_FUNCTIONS = {"open"}

#: Modules longer than this are split.
MAX_LINES = 800

#: Lines that each room may have, and the modules above them all: a change that needs more in one room takes
#: them from another, or says why the sum moves.
BUDGETS = {
    ".": 1_680,
    "work": 1_760,
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
    "sweeps": 2_090,
    "render": 5_150,
    "export": 900,
    "library": 3_950,
    "commands": 5_250,
}

#: Lines that the tests may have, and words of all documents.
MOST_TESTED, MOST_WORDS = 44_100, 59_800

#: Names that say nothing about what a file holds.
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "misc", "common"}

MODULES = sorted(PACKAGE.rglob("*.py"))
DOCUMENTED = [path for path in MODULES if path.name != "__init__.py" or path.stat().st_size]

_KEY = re.compile(r"\[([A-Z]{1,5}[0-9]{2})\]")
_KEY_ROW = re.compile(r"^\| \[([A-Z]{1,5}[0-9]{2})\] \|", re.MULTILINE)


def module_name(path: Path) -> str:
    """Dotted name of a module of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(source: str, package: str) -> tuple[tuple[str, str], ...]:
    """Absolute names a module imports, and when it does so: now, late (inside a function), or never.

    What stands behind ``if TYPE_CHECKING:`` is never imported. ``from a import b`` counts as ``a.b``; the
    longest prefix that is a module decides.
    """
    found = []
    for level, name, when in facts(source).imported:
        above = package.split(".")[: len(package.split(".")) - level + 1] if level else []
        found.append((".".join([*above, name]), when))
    return tuple(found)


def _imports_of(node: ast.AST, when: str) -> Iterator[tuple[int, str, str]]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.expr():
                continue  # holds no statement
            case ast.Import(names=aliases):
                yield from ((0, alias.name, when) for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                base = f"{module}." if module else ""
                yield from ((level, f"{base}{alias.name}", when) for alias in aliases)
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                yield from _imports_of(ast.Module(child.body, []), "never")
                yield from _imports_of(ast.Module(child.orelse, []), when)
            case _:
                is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                yield from _imports_of(child, "late" if is_function and when == "now" else when)


def late_imports(source: str, name: str) -> list[str]:
    """What a module imports from a later stage, or from outside the known stages."""
    stage = name.split(".")[1] if "." in name else "__main__"
    reach = len(STAGES) if stage == "__main__" else STAGES.index(stage) + 1
    own = [imported.split(".") for imported, _ in imports(source, name.rpartition(".")[0])]
    return [".".join(parts) for parts in own if parts[0] == "idinf" and parts[1:2][0] not in STAGES[:reach]]


def heavy_imports(source: str, name: str) -> list[str]:
    """Heavy packages a module imports without owning them, or at import time."""
    return [
        imported
        for imported, when in imports(source, name.rpartition(".")[0])
        if imported.split(".")[0] in OWNERS
        and (when == "now" or (when == "late" and name not in OWNERS[imported.split(".")[0]]))
    ]


@dataclass(frozen=True)
class Facts:
    """What the rules below ask of one module, read in one pass.

    Parameters
    ----------
    imported : list of (int, str, str)
        What it imports: how many folders up it begins, its name from there, and when.
    prints : list of int
        Lines that call print.
    opened : list of int
        Lines that open a file by themselves; `idinf.files.read_text` is called by its bare name.
    undocumented : list of str
        The module, its public functions and classes, and their public methods, without a docstring.
    docstrings : str
        Every docstring, public or not.
    """

    imported: list[tuple[int, str, str]]
    prints: list[int]
    opened: list[int]
    undocumented: list[str]
    docstrings: str


@cache
def facts(source: str) -> Facts:
    """Read a module once for all rules; a tree is not kept, for those of all modules fill the memory."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    kinds = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return Facts(
        [*_imports_of(tree, "now")],
        [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"],
        [call.lineno for call in calls if _opens(call)],
        _undocumented(tree),
        "\n".join(ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds)),
    )


def _opens(call: ast.Call) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="files" | "webbrowser"))):
            return False
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _OPENING_METHODS
        case ast.Call(func=ast.Name(id=name)):
            return name in _OPENING_FUNCTIONS
    return False


def _undocumented(tree: ast.Module) -> list[str]:
    missing = [] if ast.get_docstring(tree) else ["the module"]
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        if not ast.get_docstring(node):
            missing.append(node.name)
        missing.extend(
            f"{node.name}.{method.name}"
            for method in (node.body if isinstance(node, ast.ClassDef) else ())
            if isinstance(method, ast.FunctionDef)
            and not method.name.startswith("_")
            and not ast.get_docstring(method)
        )
    return missing


def known_keys() -> set[str]:
    """Citation keys of the table in CONTRIBUTING.md."""
    return set(_KEY_ROW.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))


def unknown_keys(text: str, known: set[str]) -> list[str]:
    """Citation keys of a text that the table does not have."""
    return [key for key in _KEY.findall(text) if key not in known]


def breaches(paths: Iterable[Path], rule: Callable[[str, str], list[Any]]) -> dict[str, list[Any]]:
    """The modules that break a rule, by name, with what the rule says of their source and name."""
    found = {module_name(path): rule(path.read_text(encoding="utf-8"), module_name(path)) for path in paths}
    return {name: faults for name, faults in found.items() if faults}


def run_python(code: str) -> str:
    """Standard output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


# The import rule


def test_every_folder_is_a_stage() -> None:
    found = {path.name.removesuffix(".py") for path in PACKAGE.iterdir()}
    assert found - {"__init__", "__main__", "__pycache__", "py.typed"} == set(STAGES)


def test_imports_go_one_way() -> None:
    assert breaches(MODULES, late_imports) == {}


@pytest.mark.parametrize(
    ("source", "late"),
    [
        (
            "from idinf.search.short_words.behaviours import unit_outputs",
            ["idinf.search.short_words.behaviours.unit_outputs"],
        ),
        ("import idinf.render.text.answer", ["idinf.render.text.answer"]),
        ("from idinf import commands", ["idinf.commands"]),
        ("from ..inference import table", ["idinf.inference.table"]),
        ("def f():\n    from idinf.inference.table import FailRow", ["idinf.inference.table.FailRow"]),
        ("try:\n    import idinf.search\nexcept ImportError:\n    pass", ["idinf.search"]),
        ("from idinf.nowhere import x", ["idinf.nowhere.x"]),
        (
            "if TYPE_CHECKING:\n    from idinf.search.short_words.behaviours import unit_outputs",
            ["idinf.search.short_words.behaviours.unit_outputs"],
        ),
        ("if not TYPE_CHECKING:\n    import idinf.search", ["idinf.search"]),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    import idinf.search", ["idinf.search"]),
        ("from idinf.space.grid import list_grid_ball\nfrom idinf.errors import SpecError\nimport numpy", []),
    ],
)
def test_the_import_rule_catches_a_planted_breach(source: str, late: list[str]) -> None:
    assert late_imports(source, "idinf.space.planted") == late


def circles(arrows: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Modules that import each other, directly or by way of others."""
    graph = networkx.DiGraph(arrows)
    return [
        sorted(component) for component in networkx.strongly_connected_components(graph) if len(component) > 1
    ]


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Not even inside functions, nor for annotations alone."""
    sources = {module_name(path): path.read_text(encoding="utf-8") for path in MODULES}
    arrows = [
        (name, imported if imported in sources else imported.rpartition(".")[0])
        for name, source in sources.items()
        for imported, _ in imports(source, name.rpartition(".")[0])
        if imported.startswith("idinf.")
    ]
    assert circles(arrows) == []
    assert circles([*arrows, ("idinf.errors", "idinf.commands.identify")]) != []


# Heavy packages


def test_heavy_packages_have_owners_and_are_imported_lazily() -> None:
    assert breaches(MODULES, heavy_imports) == {}


def test_every_owner_still_needs_its_package() -> None:
    for package, owners in OWNERS.items():
        for owner in owners:
            source = (ROOT / Path(*owner.split("."))).with_suffix(".py").read_text(encoding="utf-8")
            assert any(imported.split(".")[0] == package for imported, _ in imports(source, owner))


@pytest.mark.parametrize(
    ("name", "source", "caught"),
    [
        ("idinf.crasp.parsing", "import lark", True),
        ("idinf.crasp.parsing", "def f():\n    import lark", False),
        ("idinf.crasp.checker", "def f():\n    from lark import Lark", True),
        ("idinf.search.short_words.behaviours", "def f():\n    import scipy.sparse as sparse", True),
        ("idinf.search.short_words.behaviours", "import numpy as np", False),
    ],
)
def test_a_planted_heavy_import_is_caught(name: str, source: str, caught: bool) -> None:
    assert bool(heavy_imports(source, name)) == caught


def test_the_command_group_loads_nothing_heavy() -> None:
    code = "import sys, idinf.commands; print(sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = set(ast.literal_eval(run_python(code)))
    assert not loaded & {"numpy", *OWNERS}
    assert "click" in loaded


def test_importing_every_module_loads_no_owned_package() -> None:
    every = [module_name(path) for path in MODULES]
    code = (
        f"import sys, importlib; [importlib.import_module(m) for m in {every}]; "
        "print(sorted({m.split('.')[0] for m in sys.modules}))"
    )
    assert not set(ast.literal_eval(run_python(code))) & set(OWNERS)


# Size, names, documentation


def test_no_module_is_too_long() -> None:
    assert breaches(MODULES, lambda source, _: source.splitlines()[MAX_LINES:]) == {}


def test_no_room_is_over_its_budget() -> None:
    lines = Counter[str]()
    for path in MODULES:
        room, *below = path.relative_to(PACKAGE).parts
        lines[room if below else "."] += len(path.read_text(encoding="utf-8").splitlines())
    assert set(lines) == set(BUDGETS)
    assert {room: number for room, number in lines.items() if number > BUDGETS[room]} == {}


def test_tests_and_documents_keep_to_their_budgets() -> None:
    tests = (ROOT / "tests").rglob("*.py")
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in tests) <= MOST_TESTED
    documents = (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("specs/*.md"))
    assert sum(len(path.read_text(encoding="utf-8").split()) for path in documents) <= MOST_WORDS


def test_no_file_is_a_drawer_for_anything() -> None:
    files = [path.relative_to(ROOT) for path in (*MODULES, *(ROOT / "tests").rglob("*.py"))]
    assert [path for path in files if FORBIDDEN_NAMES & {*path.parts, path.stem}] == []


def test_what_is_public_has_a_docstring() -> None:
    assert breaches(DOCUMENTED, lambda source, _: facts(source).undocumented) == {}


def test_the_public_names_exist_and_types_agree_with_them() -> None:
    """The names of the library are written twice, for lazy loading and for type checkers."""
    assert [name for name in idinf.__all__ if not hasattr(idinf, name)] == []
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    typed = [alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert {"__version__"} | {alias.asname for alias in typed if alias.asname} == set(idinf.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nowhere'"):
        _ = idinf.nowhere


def test_missing_docstrings_are_caught() -> None:
    source = '"""m"""\ndef f(): ...\nclass A:\n    """A"""\n    def g(self): ...\n'
    assert facts(source).undocumented == ["f", "A.g"]
    assert facts("def _private(): ...").undocumented == ["the module"]


def test_only_commands_print() -> None:
    others = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] != "commands"]
    assert breaches(others, lambda source, _: facts(source).prints) == {}
    assert facts("def f():\n    print(1)").prints == [2]


def test_files_of_users_are_read_in_one_module() -> None:
    others = [path for path in MODULES if module_name(path) not in OPENERS]
    assert breaches(others, lambda source, _: facts(source).opened) == {}


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ("from pathlib import Path\nPath(p).read_text()", [2]),
        ("x.read_bytes()", [1]),
        ("with open(p) as file: pass", [1]),
        ("import os\nos.open(p, 0)", [2]),
        ("from idinf.files import read_text\nread_text(p, 1, E, 'e')", []),
        ("from idinf import files\nfiles.read_text(p, 1, E, 'e')", []),
    ],
)
def test_a_planted_read_is_caught(source: str, caught: list[int]) -> None:
    assert facts(source).opened == caught


# Citations


def test_every_citation_resolves() -> None:
    known = known_keys()
    assert breaches(DOCUMENTED, lambda source, _: unknown_keys(facts(source).docstrings, known)) == {}


@pytest.mark.parametrize(
    "path",
    [*sorted((ROOT / "specs").glob("*.*")), *sorted(ROOT.glob("*.md")), ROOT / "CITATION.cff"],
    ids=lambda path: path.name,
)
def test_every_citation_of_a_document_resolves(path: Path) -> None:
    assert unknown_keys(path.read_text(encoding="utf-8"), known_keys()) == []


def test_an_unknown_key_is_caught() -> None:
    known = known_keys()
    assert {"HYB25", "YC24", "CML25", "INL26", "YBZ26", "JHR26", "CPW24", "PP25", "D26"} == known
    planted = 'def f():\n    """Implements Definition 6 of [HYB25]_, see [XYZ99] and [A]."""'
    assert unknown_keys(facts(planted).docstrings, known) == ["XYZ99"]


# Package metadata


def test_every_spec_file_ships() -> None:
    files = sorted(path.stem for path in (ROOT / "specs").glob("*.toml"))
    assert sorted((*list_names(), *list_family_names())) == files
    assert files
    with (ROOT / "pyproject.toml").open("rb") as file:
        wheel = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == ["idinf"]
    assert wheel["force-include"] == {"specs": "idinf/specs"}


def test_the_gallery_lists_every_spec() -> None:
    gallery = (ROOT / "specs" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([^`]+)` \|", gallery, re.MULTILINE) == sorted(
        (*list_names(), *list_family_names())
    )


def test_every_dependency_has_a_reason() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        dependencies = tomllib.load(file)["project"]["dependencies"]
    wanted = sorted(re.split(r"[<>=~! ]", dependency)[0] for dependency in dependencies)
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    table = text.split("\n## ")[0]
    assert sorted(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == wanted


def test_test_folders_are_packages() -> None:
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
