"""Proved needs of a language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from idinf.crasp.checker import read_program
from idinf.errors import BudgetError, PrecisionError, ProgramError, SpecError
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import Aggregate
from idinf.spec.spec import Kind, Spec
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget
from idinf.translate.compilation.compiler import compile_cheapest


@dataclass(frozen=True, slots=True)
class Needs:
    """Needs of a language beside counts.

    `text`: that in words, with what proves it; empty where nothing is known. `window, modulus`: how many
    symbols before the present one some program looks at, and modulo what it counts positions; 0 and 1 where
    counts alone decide, and where nothing is known. `is_outside`: whether no program decides the language.
    """

    text: str
    window: int = 0
    modulus: int = 1
    is_outside: bool = False


def synthesize_hypothesis(
    target: Target,
    precision: int,
    aggregate: Aggregate,
    steps: int,
    count: Callable[[int], None] = lambda work: None,
) -> OneHotTransformer | None:
    """Write a program of a regular target, proved to be right, and compile it; None if there is none.

    What it compiles to is right on all words by Theorem 9 of [HYB25]. Half of the steps go into trying
    shorter programs on words, a quarter into proving them, and a quarter into proving what was constructed
    first. ``count`` is called with a number of steps before they are done; it may raise to stop.

    >>> from idinf.base.words import Alphabet
    >>> target = RegularTarget.from_regex("(a|b)*a", Alphabet(("a", "b")))
    >>> len(synthesize_hypothesis(target, 0, Aggregate.MAX, 3000).layers)
    1
    """
    if not isinstance(target, RegularTarget):
        return None
    from idinf.languages.equivalence.affine import PARTS_OF_STEP
    from idinf.languages.synthesis.synthesize import synthesize

    proving, trying = steps // 4 * PARTS_OF_STEP, steps // 2
    try:
        program = synthesize(target, proving, proving, trying, count).program
        return compile_cheapest(program, target.alphabet, precision, aggregate)[0]
    except (SpecError, BudgetError, ProgramError, PrecisionError):
        return None


#: Where nothing is known.
UNKNOWN = Needs("")


def find_needs(spec: Spec, target: Target, checkpoint: Callable[[], None] = lambda: None) -> Needs:
    """Find what a target needs, by its program or its automaton; the checkpoint may raise to stop.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> find_needs(load("parity"), build_target(load("parity"))).is_outside
    True
    """
    if spec.kind is Kind.CRASP:
        from idinf.crasp.checker import check

        facts = check(read_program(spec.text, spec.alphabet))
        if spec.mode != "accept":
            return Needs(f"what may follow is said by a program in {facts.class_name}")
        return Needs(f"its program is in {facts.class_name}", facts.reach, facts.period)
    if spec.mode != "accept":
        return UNKNOWN
    if not isinstance(target, RegularTarget):
        return UNKNOWN
    from idinf.languages.classification.membership import in_crasp, in_crasp_periodic_local
    from idinf.languages.classification.monoid import build_monoid

    checkpoint()
    found = in_crasp(target)
    if found.is_yes:
        return Needs("C-RASP[] has it: uniform counts are enough")
    checkpoint()
    wider = in_crasp_periodic_local(
        target, build_monoid(target.table, checkpoint=checkpoint), found, None, checkpoint
    )
    if wider.is_no:
        return Needs(f"it is outside C-RASP[periodic, local]: {wider.reason}", is_outside=True)
    if wider.notes is None:
        return Needs("neither a program in C-RASP[periodic, local] nor a proof that there is none was found")
    window, modulus = wider.notes
    parts = [f"a look-back of {window}"] * bool(window) + [f"positions modulo {modulus}"] * (modulus > 1)
    proved = "C-RASP[] does not have it" if found.is_no else "C-RASP[] is not known to have it"
    return Needs(f"{proved}; counts with {' and '.join(parts)} are enough", window, modulus)
