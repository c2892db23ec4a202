"""Classes of a language, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from idinf.api.limits import hold, take_limits
from idinf.api.settings import NamedTarget
from idinf.api.sources import TargetLike
from idinf.base.numbers import format_amount
from idinf.base.options import check_options, option, take_settings, takes_settings
from idinf.base.quoting import list_some
from idinf.base.words import Alphabet
from idinf.crasp.checker import read_program
from idinf.errors import ArgumentError
from idinf.languages.classification import classes
from idinf.languages.classification.by_automaton import Finding
from idinf.languages.classification.classes import classify_spec, classify_task, classify_text
from idinf.languages.classification.monoid import MAX_ELEMENTS
from idinf.report.rows import render_table
from idinf.targets.tasks import PROGRAM_TASKS, TASKS

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
    """Verdicts on the classes of a language."""

    target: str
    alphabet: Alphabet
    about: str  #: the language in words, where it is an algorithmic task
    found: classes.ClassVerdicts  #: states, monoid, depths, and a `Finding` under each class

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
            "count_depth": self.found.nesting.to_dict(),
        }

    def __str__(self) -> str:
        found = self.found
        if found.states is None:
            size = "not a regular language" if found.star_free.is_no else "not given as a regular language"
        else:
            monoid = found.monoid_size
            elements = "too many elements" if monoid is None else format_amount(monoid, "element")
            size = f"minimal complete DFA {format_amount(found.states, 'state')}, syntactic monoid {elements}"
        lines = [f"{self.target} over {list_some(self.alphabet.symbols)}: {size}"]
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
        nesting = ("depth of counts", self.found.nesting.verdict, self.found.nesting.reason)
        return [*rows[:5], ("dot-depth", self.found.depth, self.found.dot_depth_reason), *rows[5:], nesting]


@dataclass(frozen=True, slots=True)
class ClassSettings:
    """Limits of a classification; ArgumentError if a value does not fit."""

    max_monoid: int = option(
        MAX_ELEMENTS,
        "Say unknown where the syntactic monoid is needed and has more than N elements.",
        "N",
        least=1,
        most=100_000,  # seconds where states are few
        shown=f"{MAX_ELEMENTS}",
    )

    def __post_init__(self) -> None:
        check_options(self, ArgumentError)


@takes_settings(NamedTarget, ClassSettings)
def classify(
    source: TargetLike, *, time_limit: float | None = None, memory: int | None = None, **settings: Any
) -> Classification:
    """Say in which classes a language is: yes, no or unknown, each with its reason.

    Parameters
    ----------
    source
        As for `idinf.target`, or the name of an algorithmic task.
    time_limit, memory : optional
        Seconds, and bytes.
    **settings
        ``alphabet``, ``values`` and ``name`` as for `idinf.target`; verdicts that need a syntactic monoid of
        more than ``max_monoid`` elements stay unknown.

    Raises
    ------
    SpecError, ProgramError, HypothesisFormatError
        If there is no such language, or it is wrong.
    LimitReached
        If a limit ends the work.

    Examples
    --------
    >>> found = classify("regex:(aa)*")
    >>> str(found.star_free.verdict), str(found.crasp_periodic_local.verdict)
    ('no', 'yes')
    """
    named, asked = take_settings(settings, NamedTarget, ClassSettings)
    with hold(take_limits(time_limit, memory)):
        if isinstance(source, str) and source in (*PROGRAM_TASKS, *TASKS):
            if named != NamedTarget():
                raise ArgumentError(
                    f"{source} is a task with its own alphabet and name; leave what is given out"
                )
            return _of_task(source, asked.max_monoid)
        taken = named.read(source)
        return Classification(taken.name, taken.alphabet, "", classify_spec(taken.spec, asked.max_monoid))


def _of_task(name: str, most: int) -> Classification:
    if name in TASKS:
        return Classification(name, TASKS[name].alphabet, TASKS[name].about, classify_task(TASKS[name]))
    task = PROGRAM_TASKS[name]
    found = classify_text(task.name, read_program(task.text, task.alphabet), task.alphabet, most)
    return Classification(name, task.alphabet, task.about, found.scoped(task.scope) if task.scope else found)
