"""What checks shares nothing with what searches: no import leads there, not even a late one."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import idinf

PACKAGE = Path(idinf.__file__).parent

#: Stages that search, or that are made of what was searched.
SEARCHING = {"space", "search", "upper_bound", "proofs", "inference", "sweeps", "render", "commands"}


def file_of(parts):
    """The file of a module, or of the module that a name is in; None outside the package."""
    if parts[0] != "idinf":
        return None
    for cut in range(len(parts), 0, -1):
        path = PACKAGE.joinpath(*parts[1:cut])
        if path.with_suffix(".py").is_file() and cut > 1:
            return path.with_suffix(".py")
        if (path / "__init__.py").is_file():
            return path / "__init__.py"
    return None


@cache
def imported(path):
    """Files that a module imports, anywhere in it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found += [file for name in names if (file := file_of(name.split("."))) is not None]
    return found


def closure(*parts):
    """All files that modules lead to, themselves included: one module, or all of a stage."""
    path = PACKAGE.joinpath(*parts)
    waiting = sorted(path.glob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    met = set(waiting)
    while waiting:
        for found in imported(waiting.pop()):
            if found not in met:
                met.add(found)
                waiting.append(found)
    return met


def machines(files):
    """The modules of targets, which hold the machines that the search runs, among some files."""
    return {path.stem for path in files if path.parent == PACKAGE / "targets"} - {"__init__"}


def stages(files):
    return {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in files}


def test_no_import_leads_from_checking_to_searching():
    met = closure("verification")
    assert PACKAGE / "transformers" / "reference.py" in met
    assert PACKAGE / "targets" / "supervised.py" in met
    assert not stages(met) & SEARCHING


def test_words_are_judged_without_any_machine_of_the_search():
    """Of targets no more than the notation of regexes is read: no automaton, no counters."""
    met = closure("verification", "word_check")
    assert PACKAGE / "crasp" / "interpreter.py" in met
    assert PACKAGE / "transformers" / "reference.py" in met
    assert machines(met) == {"regex"}
    assert "step_check" not in {path.stem for path in met}


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("line", "machine"),
    [
        ("from idinf.targets.counting import CountingTarget", "counting"),
        ("import idinf.targets.regular", "regular"),
        ("def late():\n    from idinf.targets import supervised", "supervised"),
        ("from idinf.verification.step_check import step_faults", "counting"),
    ],
)
def test_a_planted_machine_would_be_noticed(line, machine, tmp_path):
    planted = tmp_path / "planted.py"
    planted.write_text(line + "\n", encoding="utf-8")
    assert machine in machines(closure(planted.with_suffix("")))
