"""The shape of the package: who may import whom, and how much of everything there may be."""

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
#: those before it. A budget is the size plus 3 % when it is set, at least 60 lines for a room and 1,000 for
#: the package, so a first change fits; one that is more than 8 % too wide is set anew.
BUDGETS = {
    "base": 1_711,
    "work": 1_865,
    "spec": 2_210,
    "crasp": 5_169,
    "targets": 2_003,
    "nets": 2_673,
    "translate": 3_334,
    "space": 1_804,
    "search": 6_954,
    "whole": 1_136,
    "languages": 5_988,
    "report": 1_121,
    "proofs": 3_620,
    "inference": 2_938,
    "tables": 1_765,
    "show": 5_286,
    "api": 2_744,
    "commands": 2_957,
    "lab": 5_989,
    "trained": 3_285,
    "lesson": 1_543,
}

#: Rooms that a reader may leave out: no other room imports them, nor do they one another.
ANNEXES = ("lab", "trained", "lesson")

#: What else is counted: lines of the modules above the rooms, of the package, of its longest module, of the
#: JavaScript, style and templates of pages, and of all tests, words of all documents without generated
#: tables, names of the library, and commands.
COUNTED = {
    ".": 212,
    "package": 66_152,
    "module": 800,
    "pages": 2_882,
    "tests": 35_151,
    "words": 27_814,
    "names": 30,
    "command line": 42,
}

#: Counted by hand: a larger number is a decision.
FIXED = ("module", "names", "command line")

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
    if own and own[0] in ANNEXES:
        seen = tuple(stage for stage in seen if stage == own[0] or stage not in ANNEXES)
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
    pages = (path for end in ("js", "css", "html") for path in (PACKAGE / "show").rglob(f"*.{end}"))
    documents = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("specs/*.md"))
    prose = [GENERATED.sub("", path.read_text(encoding="utf-8")) for path in documents]
    counted = {
        **lines,
        "package": lines.total(),
        "module": max(source.count("\n") for source in MODULES.values()),
        "pages": sum(path.read_text(encoding="utf-8").count("\n") for path in pages),
        "tests": sum(text.count("\n") for text in tests),
        "words": sum(len(text.split()) for text in prose),
        "names": len(idinf.__all__),
        "command line": len([*commands(main)]),
    }
    assert counted.keys() == {*BUDGETS, *COUNTED}
    budgets = BUDGETS | COUNTED
    assert [told for name, number in counted.items() if (told := complain(name, number, budgets[name]))] == []


def give_room(name: str, number: int) -> int:
    """Budget that a size gets when it is set: 3 % more, and room for a first change."""
    if name in FIXED:
        return number
    return number + max(number * 3 // 100, {"package": 1_000}.get(name, 60))


def complain(name: str, number: int, budget: int) -> str:
    """Say what to do about a budget that a size exceeds, or that is more than 8 % too wide; else nothing."""
    set_it = f"set {name!r} to {give_room(name, number):_} in {Path(__file__).name}"
    if number > budget:
        return f"{name} has {number}, its budget is {budget}: take something out, or {set_it} and say why"
    if budget - give_room(name, number) > number * 5 // 100 and name not in FIXED:
        return f"{name} has {number}, its budget {budget} is too wide: {set_it}"
    return ""


def test_budgets_leave_room_and_pull_down() -> None:
    assert give_room("show", 5_000) == 5_150
    assert give_room("whole", 1_000) == 1_060
    assert complain("show", 5_150, 5_150) == ""
    assert "set 'show' to 5_305 in test_architecture.py and say why" in complain("show", 5_151, 5_150)
    assert complain("show", 4_770, 5_150) == ""
    assert "too wide: set 'show' to 4_867" in complain("show", 4_726, 5_150)
    assert "its budget is 42" in complain("command line", 43, 42)


def test_the_public_names_exist() -> None:
    """The stub beside the package names them once, for lazy loading and for type checkers."""
    assert [name for name in idinf.__all__ if not hasattr(idinf, name)] == []
    assert len(idinf.__all__) <= COUNTED["names"]
