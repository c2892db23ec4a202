"""What checks shares nothing with what searches: no import leads there, not even a late one."""

import pytest

from tests.test_architecture import MODULES, imports, named

#: Stages that search, or that are made of what was searched.
SEARCHING = {"space", "search", "inference", "tables", "show", "api", "commands"}

SOURCES = {named(path): source for path, source in MODULES.items()}


def closure(name, source=None):
    """All modules that one leads to, or all of a stage, themselves included."""
    met = {each for each in SOURCES if f"{each}.".startswith(f"{name}.")}
    waiting = [(each, SOURCES[each]) for each in met] if source is None else [(name, source)]
    while waiting:
        own, text = waiting.pop()
        for found in imports(text, own):
            parts = found.split(".")
            prefixes = {".".join(parts[:cut]) for cut in range(2, len(parts) + 1)} & SOURCES.keys() - met
            met |= prefixes
            waiting += [(each, SOURCES[each]) for each in prefixes]
    return met


def machines(modules):
    """The modules of targets, which hold the machines that the search runs, among some."""
    return {name.removeprefix("idinf.targets.") for name in modules if name.startswith("idinf.targets.")}


def test_no_import_leads_from_checking_to_searching():
    met = closure("idinf.proofs.check")
    assert {"idinf.nets.reference", "idinf.targets.supervised"} <= met
    assert not {name.split(".")[1] for name in met} & SEARCHING
    assert not [name for name in met if name.startswith("idinf.proofs.find")]


def test_words_are_judged_without_any_machine_of_the_search():
    """Of targets no more than the notation of regexes is read: no automaton, no counters."""
    met = closure("idinf.proofs.check.word_check")
    assert {"idinf.crasp.interpreter", "idinf.nets.reference"} <= met
    assert machines(met) == {"regex"}
    assert "idinf.proofs.check.step_check" not in met


@pytest.mark.parametrize(
    ("line", "machine"),
    [
        ("from idinf.targets.counting import CountingTarget", "counting"),
        ("import idinf.targets.regular", "regular"),
        ("def late():\n    from idinf.targets import supervised", "supervised"),
        ("from idinf.proofs.check.step_check import step_faults", "counting"),
    ],
)
def test_a_planted_machine_would_be_noticed(line, machine):
    assert machine in machines(closure("idinf.proofs.check.planted", line))
