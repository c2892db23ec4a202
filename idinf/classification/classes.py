"""Everything a classification says of one target."""

from __future__ import annotations

from dataclasses import dataclass

from idinf.classification.dot_depth import dot_depth, in_da
from idinf.classification.findings import Finding, unknown, yes
from idinf.classification.groups import in_ac0, star_free
from idinf.classification.membership import in_crasp, in_crasp_periodic_local
from idinf.classification.monoid import MAX_ELEMENTS, transition_monoid
from idinf.classification.order import piecewise_testable, r_trivial
from idinf.targets.regular import RegularTarget

__all__ = ["Classification", "classify", "classify_program"]

#: Said of everything that is decided of regular languages only.
NOT_REGULAR = "not given as a regular language"


@dataclass(frozen=True, slots=True)
class Classification:
    """The verdicts on one language.

    Parameters
    ----------
    states : int or None
        Of the minimal complete DFA; None where the language is not given as a regular one.
    monoid_size : int or None
        Of the syntactic monoid; None where it is too large as well.
    dot_depth : int or None
        None where there is none, or it is not decided.
    dot_depth_reason : str
    """

    states: int | None
    monoid_size: int | None
    star_free: Finding
    ac0: Finding
    r_trivial: Finding
    piecewise_testable: Finding
    da: Finding
    dot_depth: int | None
    dot_depth_reason: str
    crasp: Finding
    crasp_periodic_local: Finding

    @property
    def findings(self) -> tuple[tuple[str, Finding], ...]:
        """The yes-no-unknown verdicts by their keys, in the order of a report."""
        return (
            ("star_free", self.star_free),
            ("ac0", self.ac0),
            ("r_trivial", self.r_trivial),
            ("piecewise_testable", self.piecewise_testable),
            ("da", self.da),
            ("crasp", self.crasp),
            ("crasp_periodic_local", self.crasp_periodic_local),
        )


def classify(
    machine: RegularTarget, most: int = MAX_ELEMENTS, program: tuple[str, str] | None = None
) -> Classification:
    """Classify a regular language by its minimal complete DFA and its syntactic monoid.

    Parameters
    ----------
    machine : RegularTarget
    most : int
        Most elements of the monoid; what needs a larger one is unknown.
    program : (str, str), optional
        Name and class of a C-RASP program that decides the language: a proof of membership.

    Examples
    --------
    >>> from idinf.words import Alphabet
    >>> found = classify(RegularTarget.from_regex("(ab)*", Alphabet(("a", "b"))))
    >>> found.states, found.monoid_size, found.dot_depth
    (3, 6, 1)
    >>> " ".join(f"{key}={finding.verdict}" for key, finding in found.findings)
    'star_free=yes ac0=yes r_trivial=no piecewise_testable=no da=no crasp=yes crasp_periodic_local=yes'
    """
    monoid = transition_monoid(machine.table, most)
    ordered = r_trivial(machine)
    testable = piecewise_testable(machine, ordered)
    crasp = in_crasp(machine)
    aperiodic = star_free(monoid, machine.alphabet)
    if not monoid.is_complete and ordered.is_yes:
        aperiodic = yes("R-trivial monoids are aperiodic (Schützenberger 1965)")
    elif not monoid.is_complete and crasp.is_yes:
        aperiodic = yes(
            "in C-RASP[]: counts that sum to 0 around u^n do so around u, so no u moves states in a cycle "
            "([D26])"
        )
    with_predicates = in_crasp_periodic_local(machine, monoid, crasp)
    if program is not None:
        _check_program(program, crasp, with_predicates)
        with_predicates = with_predicates if with_predicates.is_yes else _written(*program)
    da = in_da(monoid, ordered, aperiodic)
    depth, reason = dot_depth(machine, monoid, aperiodic, testable, da)
    return Classification(
        states=len(machine.table),
        monoid_size=len(monoid) if monoid.is_complete else None,
        star_free=aperiodic,
        ac0=in_ac0(monoid, machine.alphabet, aperiodic),
        r_trivial=ordered,
        piecewise_testable=testable,
        da=da,
        dot_depth=depth,
        dot_depth_reason=reason,
        crasp=crasp,
        crasp_periodic_local=with_predicates,
    )


def classify_program(origin: str, class_name: str) -> Classification:
    """Classify what a C-RASP program decides where it is not seen to be regular: by the class of the program.

    Parameters
    ----------
    origin : str
        The program, for the reason.
    class_name : str
        As `idinf.crasp.facts.Facts.class_name`.

    Examples
    --------
    >>> found = classify_program("dyck-1", "C-RASP[]")
    >>> found.crasp.verdict.value, found.crasp_periodic_local.verdict.value, found.star_free.verdict.value
    ('yes', 'yes', 'unknown')
    """
    regular = unknown(NOT_REGULAR)
    written = _written(origin, class_name)
    only = unknown(f"{origin} is a program in {class_name}; no procedure is known beyond regular languages")
    return Classification(
        states=None,
        monoid_size=None,
        star_free=regular,
        ac0=regular,
        r_trivial=regular,
        piecewise_testable=regular,
        da=regular,
        dot_depth=None,
        dot_depth_reason=NOT_REGULAR,
        crasp=written if class_name == "C-RASP[]" else only,
        crasp_periodic_local=written,
    )


def _written(origin: str, class_name: str) -> Finding:
    return yes(f"{origin} is a program in {class_name} ([HYB25] Definition 8)")


def _check_program(program: tuple[str, str], crasp: Finding, with_predicates: Finding) -> None:
    """A program is a proof: a refutation beside it is a bug here, or a discovery."""
    refuted = with_predicates if program[1] != "C-RASP[]" else crasp
    if refuted.is_no:
        raise RuntimeError(f"{program[0]} is in {program[1]}, yet it was refuted: {refuted.reason}")
