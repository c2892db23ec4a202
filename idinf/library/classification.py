"""In which classes a language is, in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from idinf.classification import classes
from idinf.classification.classes import classify_task
from idinf.classification.findings import Finding
from idinf.classification.monoid import MAX_ELEMENTS
from idinf.classification.specs import classify_spec, classify_text
from idinf.crasp.checker import read_program
from idinf.crasp.library import LoadedProgram
from idinf.crasp.parser import is_formula
from idinf.errors import ArgumentError, SpecError
from idinf.experiments.spec import Spec
from idinf.files import show_path
from idinf.library.frames import render_table
from idinf.library.operands import Operand, language
from idinf.library.sources import ProgramLike, TargetLike, load_program, load_spec, target_names
from idinf.numbers import format_amount
from idinf.quoting import quote, suggest
from idinf.targets.regular import RegularTarget
from idinf.targets.tasks import PROGRAM_TASKS, TASKS
from idinf.words import Alphabet, Symbols, read_alphabet

#: How texts name the verdicts.
TITLES = {
    "star_free": "star-free",
    "ac0": "in AC0",
    "r_trivial": "R-trivial",
    "piecewise_testable": "piecewise testable",
    "da": "in DA",
    "crasp": "C-RASP[]",
    "crasp_periodic_local": "C-RASP[periodic,local]",
}


@dataclass(frozen=True, slots=True)
class Classification:
    """Which classes a language is in."""

    target: str
    alphabet: Alphabet
    about: str  #: the language in words, where it is an algorithmic task
    found: classes.ClassVerdicts  #: states, monoid, dot-depth, and a `Finding` under each class

    def __getattr__(self, name: str) -> Finding:
        """The finding of a class: ``star_free``, ``ac0``, ``crasp``, ``crasp_periodic_local`` and so on."""
        if name not in TITLES:
            raise AttributeError(name)
        finding: Finding = getattr(self.found, name)
        return finding

    def to_dict(self) -> dict[str, Any]:
        """Write ``idinf-classification/1``, plain values that JSON takes."""
        return {
            "format": "idinf-classification/1",
            "target": self.target,
            "alphabet": list(self.alphabet.symbols),
            "states": self.found.states,
            "monoid_size": self.found.monoid_size,
            **{key: finding.to_dict() for key, finding in self.found.findings},
            "dot_depth": {"verdict": self.found.depth, "reason": self.found.dot_depth_reason},
        }

    def __str__(self) -> str:
        found = self.found
        if found.states is None:
            size = "not a regular language" if found.star_free.is_no else "not given as a regular language"
        else:
            monoid = found.monoid_size
            elements = "too many elements" if monoid is None else format_amount(monoid, "element")
            size = f"minimal complete DFA {format_amount(found.states, 'state')}, syntactic monoid {elements}"
        lines = [f"{self.target} over {' '.join(self.alphabet.symbols)}: {size}"]
        lines += [f"language: {self.about}"] * bool(self.about)
        return "\n".join([*lines, *(f"{a:<23} {b:<8} {c}" for a, b, c in self.rows)])

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{title} {verdict}" for title, verdict, _ in self.rows)
        return f"<Classification {self.target}: {verdicts}>"

    def _repr_html_(self) -> str:
        return render_table([dict(zip(("class", "verdict", "why"), row, strict=True)) for row in self.rows])

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Every class with verdict and reason, as texts."""
        rows = [(TITLES[key], str(finding.verdict), finding.reason) for key, finding in self.found.findings]
        return [*rows[:5], ("dot-depth", self.found.depth, self.found.dot_depth_reason), *rows[5:]]


def classify(
    source: TargetLike | None = None,
    *,
    regex: str | None = None,
    program: ProgramLike | None = None,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    max_monoid: int = MAX_ELEMENTS,
) -> Classification:
    """Say in which classes a language is: yes, no or unknown, each with its reason.

    Parameters are as of `target`; ``source`` may be an algorithmic task, too. What needs a syntactic monoid
    of more than ``max_monoid`` elements stays unknown.

    Raises
    ------
    ArgumentError
        If not exactly one language is given, or an argument does not fit it.
    SpecError, ProgramError
        If it is wrong.

    Examples
    --------
    >>> found = classify(regex="(aa)*", alphabet="a")
    >>> str(found.star_free.verdict), str(found.crasp_periodic_local.verdict)
    ('no', 'yes')
    """
    given = sum(what is not None for what in (source, regex, program))
    if given != 1:
        raise ArgumentError(
            f"{given} languages are given; expected one: a target, a regex or a program; leave the others out"
        )
    symbols = None if alphabet is None else read_alphabet(alphabet)
    if isinstance(source, Spec):
        return _of_spec(source, max_monoid)
    if source is None and values:
        raise ArgumentError("values are given; expected them with a family of targets; leave them out")
    if regex is not None:
        return _of_regex(regex, symbols, max_monoid)
    if program is not None:
        return _of_program(load_program(program), symbols, max_monoid)
    assert source is not None
    name = os.fspath(source)
    if name in task_names():
        if symbols is not None or values:
            what = "values are" if values else "an alphabet is"
            raise ArgumentError(f"{what} given, but {name} is a task of its own; expected none; leave it out")
        return _of_task(name, max_monoid)
    if name.endswith((".crasp", ".cr")) or is_formula(name):
        if values:
            raise ArgumentError(f"values are given, but {show_path(name)} is a program; leave them out")
        return _of_program(load_program(name), symbols, max_monoid)
    _check_name(name)
    if symbols is not None:
        raise ArgumentError(f"an alphabet is given, but {show_path(name)} has one; leave it out")
    return _of_spec(load_spec(name, values=values), max_monoid)


def task_names() -> tuple[str, ...]:
    """List the algorithmic tasks that are classified besides targets."""
    return tuple(sorted((*PROGRAM_TASKS, *TASKS)))


def _check_name(name: str) -> None:
    known = (*target_names(), *task_names())
    if name in known or name.endswith(".toml") or "/" in name or "\\" in name:
        return
    hint = suggest(name, known)
    raise SpecError(
        f"unknown target {quote(name)}; {hint and f'{hint} '}expected a name that 'idinf targets' lists, "
        f"one of the tasks {', '.join(task_names())}, or the path of a spec (.toml) or a program (.crasp)"
    )


def _of_regex(regex: str, given: Alphabet | None, most: int) -> Classification:
    operand = Operand(f"regex {quote(regex)}", regex)
    if given is None and not operand.symbols:
        raise ArgumentError(f"{operand.name} names no symbol; expected an alphabet; give one")
    alphabet = Alphabet(operand.symbols) if given is None else given
    machine = language(operand, alphabet)
    assert isinstance(machine, RegularTarget)
    return Classification(regex, alphabet, "", classes.classify(machine, most))


def _of_program(loaded: LoadedProgram, given: Alphabet | None, most: int) -> Classification:
    alphabet = loaded.alphabet(given)
    found = classify_text(loaded.origin, loaded.program, alphabet, most)
    return Classification(loaded.origin, alphabet, "", found)


def _of_task(name: str, most: int) -> Classification:
    if name in TASKS:
        return Classification(name, TASKS[name].alphabet, TASKS[name].about, classify_task(TASKS[name]))
    task = PROGRAM_TASKS[name]
    found = classify_text(task.name, read_program(task.text, task.alphabet), task.alphabet, most)
    return Classification(name, task.alphabet, task.about, found.scoped(task.scope) if task.scope else found)


def _of_spec(spec: Spec, most: int) -> Classification:
    return Classification(spec.name, spec.alphabet, "", classify_spec(spec, most))
