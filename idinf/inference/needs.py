"""Proved needs of a language, and advice for a run that ended open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from idinf.base.numbers import format_number
from idinf.crasp.checker import read_program
from idinf.errors import BudgetError, PrecisionError, ProgramError, SpecError
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Report
from idinf.spec.bounds import SpaceBounds, WholeClass
from idinf.spec.spec import Kind, Spec
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget
from idinf.translate.compilation.compiler import compile_cheapest
from idinf.work.limits import StopReason


@dataclass(frozen=True, slots=True)
class Needs:
    """Needs of a language beside counts.

    `text`: that in words, with what proves it; empty where nothing is known. `window, modulus`: how many
    symbols before the present one some program looks at, and modulo what it counts positions; 0 and 1 where
    counts alone decide, and where nothing is known. `is_outside`: whether no program decides the language.
    `is_no_count`: whether it is proved that counts alone do not.
    """

    text: str
    window: int = 0
    modulus: int = 1
    is_outside: bool = False
    is_no_count: bool = False

    def rules_out(self, space: SpaceBounds) -> bool:
        """Whether it is proved that no net of a space decides the language.

        >>> Needs("", is_no_count=True).rules_out(SpaceBounds.from_preset("nope"))
        True
        """
        return self.is_outside or (self.is_no_count and space.preset == "nope")


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


#: Where nothing is known, and where no program decides the language.
UNKNOWN, OUTSIDE = Needs(""), Needs("", is_outside=True)


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
        told = "neither a program in C-RASP[periodic, local] nor a proof that there is none was found"
        return Needs(told, is_no_count=found.is_no)
    window, modulus = wider.notes
    parts = [f"a look-back of {window}"] * bool(window) + [f"positions modulo {modulus}"] * (modulus > 1)
    proved = "C-RASP[] does not have it" if found.is_no else "C-RASP[] is not known to have it"
    told = f"{proved}; counts with {' and '.join(parts)} are enough"
    return Needs(told, window, modulus, is_no_count=found.is_no)


#: How many times as much work is suggested where the budget of work ended a run.
MORE_WORK = 10


def advise(report: Report, needs: Needs) -> tuple[str, ...]:
    """List options that may settle an open run, the most promising first; nothing for others.

    `needs`: what the target is known to need.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.inference.run import run
    >>> from idinf.inference.settings import Settings
    >>> from idinf.work.limits import Limits
    >>> settings = Settings(max_n=4, bounds={"max_r": 8.4}).about(load("majority"), "majority")
    >>> advise(run(settings, Limits()).report, Needs("counts alone"))[0]
    '--max-r 8.664213562, which decides every n'
    """
    bracket = report.bracket
    space, advice = report.space, list[str]()
    if bracket is None or needs.is_outside or isinstance(space, WholeClass):
        return ()
    if needs.modulus > 1 and space.period < needs.modulus:
        advice.append(f"--period {needs.modulus}: it takes positions modulo {needs.modulus}")
    if needs.window and not space.logit_max:
        advice.append(f"--space local: it takes a look-back of {needs.window}")
    if report.stop is StopReason.WORK and space.work is not None:
        advice.append(f"--work {MORE_WORK * space.work}")
    if report.stop is StopReason.TIME:
        advice.append("a longer --time-limit; with --run-dir and --resume no work is done twice")
    if report.stop in (StopReason.MEMORY, StopReason.SIZE):
        advice.append("a larger --memory")
    if report.stop is StopReason.MAX_R:
        enough = bracket.stop_bound_upper
        advice.append(
            f"--max-r above {format_number(space.max_r)}"
            if enough is None
            else f"--max-r {format_number(enough)}, which decides every n"
        )
    return tuple(advice)
