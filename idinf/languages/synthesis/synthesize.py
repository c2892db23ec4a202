"""From a regular language to a short C-RASP program that is proved to decide it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from idinf.crasp.syntax import ProgramTree
from idinf.errors import BudgetError, SpecError
from idinf.languages.classification.membership import in_crasp, in_crasp_periodic_local
from idinf.languages.classification.monoid import build_monoid
from idinf.languages.equivalence.affine import AffineProof
from idinf.languages.synthesis.program import write_program
from idinf.languages.synthesis.sample import MAX_STEPS, Sample
from idinf.languages.synthesis.simplify import simplify
from idinf.targets.regular import RegularTarget

#: Work of the proof that a program is right as constructed, and of all proofs that shorter ones are.
PROOF_WORK, SIMPLIFYING_WORK = 10_000_000, 1_000_000


@dataclass(frozen=True, slots=True)
class SynthesizedProgram:
    """A program of a regular language.

    `window, modulus`: how many symbols before the present one it looks at, and modulo what it counts
    positions.
    """

    program: ProgramTree
    window: int
    modulus: int


def synthesize(
    machine: RegularTarget,
    work: int = SIMPLIFYING_WORK,
    proving: int = PROOF_WORK,
    trying: int = MAX_STEPS,
    count: Callable[[int], None] = lambda work: None,
) -> SynthesizedProgram:
    """Write a program that accepts exactly the words of a regular language.

    `work`: what goes into making the program shorter, as `AffineProof` counts it; 0 leaves it as constructed.
    `proving`: what goes into a proof of the program as constructed, where it could not be made shorter.
    `trying`: steps of work that go into trying shorter programs on words. `count`: called with a number of
    steps of work before they are done; may raise to stop.

    Raises `SpecError` if the language is not proved to be in C-RASP[periodic,local]. `BudgetError` if the
    program is too large for a proof.

    Implements the construction behind [D26]_, with the notes of Lemma 42 of [HYB25]_. Proved by
    `AffineProof` after it was simplified; the work is bounded by counts, so the same
    language gives the same program everywhere.

    >>> from idinf.crasp.syntax import format_program
    >>> from idinf.base.words import Alphabet
    >>> machine = RegularTarget.from_regex("(a|b|c)*ab(a|b|c)*", Alphabet(("a", "b", "c")))
    >>> print(format_program(synthesize(machine).program), end="")
    accept = # ("b" && #[j = i-1] "a" >= 1) >= 1
    """
    found = in_crasp(machine)
    count(1)
    if not found.is_yes:

        def checkpoint() -> None:
            count(1)

        monoid = build_monoid(machine.table, checkpoint=checkpoint)
        found = in_crasp_periodic_local(machine, monoid, found, None, checkpoint)
    if found.notes is None:
        verdict = (
            "is not in C-RASP[periodic,local]" if found.is_no else "may not be in C-RASP[periodic,local]"
        )
        raise SpecError(
            f"the language {verdict}: {found.reason}; expected one that counts decide; give another"
        )
    program, shorter = write_program(machine, *found.notes), None
    count(1)
    if program is not None and work:
        sample = Sample(machine, trying, count)
        shorter = simplify(program, AffineProof(machine, work, count).decides, sample.admits)
    if program is not None and shorter is None and AffineProof(machine, proving, count).decides(program):
        shorter = program
    if shorter is None:
        raise BudgetError(
            f"{len(machine.table)} states are too many for a program with a proof; expected a smaller "
            "automaton; give another language"
        )
    return SynthesizedProgram(shorter, *found.notes)
