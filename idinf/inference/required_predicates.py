"""Proved needs of a language, a program for it, and hints that get an open run further."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from idinf.base.numbers import format_number
from idinf.errors import BudgetError, PrecisionError, ProgramError, SpecError
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Outcome, Report
from idinf.spec.bounds import SpaceBounds, WholeClass
from idinf.spec.spec import Kind, Spec
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget
from idinf.translate.compilation.compiler import compile_cheapest
from idinf.work.limits import StopReason


@dataclass(frozen=True, slots=True)
class RequiredPredicates:
    """Proved needs of a language; both are False where nothing is known."""

    is_outside: bool = False  #: no program of C-RASP[periodic, local] decides it
    is_beyond_counts: bool = False  #: counts alone do not: no program of C-RASP[] decides it

    def rules_out(self, space: SpaceBounds) -> bool:
        """True if it is proved that no net of a space decides the language.

        >>> RequiredPredicates(is_beyond_counts=True).rules_out(SpaceBounds.from_preset("nope"))
        True
        """
        return self.is_outside or (self.is_beyond_counts and space.preset == "nope")


def synthesize_hypothesis(
    target: Target,
    precision: int,
    aggregate: Aggregate,
    steps: int,
    count: Callable[[int], None] = lambda work: None,
) -> OneHotTransformer | None:
    """Write a program of a regular target, proved to be right, and compile it; None if there is none.

    The compiled hypothesis is right on all words by Theorem 9 of [HYB25]. Half of the steps go into trying
    shorter programs on words, a quarter into proving them, and a quarter into proving the program that was
    constructed first. ``count`` is called with a number of steps before they are done; it may raise to stop.

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
UNKNOWN, OUTSIDE = RequiredPredicates(), RequiredPredicates(is_outside=True, is_beyond_counts=True)


def find_needs(
    spec: Spec, target: Target, checkpoint: Callable[[], None] = lambda: None
) -> RequiredPredicates:
    """Find the needs of a target, by its automaton; the checkpoint may raise to stop.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> find_needs(load("parity"), build_target(load("parity"))).is_outside
    True
    """
    if spec.kind is Kind.CRASP or spec.mode != "accept" or not isinstance(target, RegularTarget):
        return UNKNOWN
    from idinf.languages.classification.membership import in_crasp, in_crasp_periodic_local
    from idinf.languages.classification.monoid import build_monoid

    checkpoint()
    found = in_crasp(target)
    if found.is_yes:
        return UNKNOWN
    checkpoint()
    wider = in_crasp_periodic_local(
        target, build_monoid(target.table, checkpoint=checkpoint), found, None, checkpoint
    )
    return RequiredPredicates(wider.is_no, found.is_no)


#: How many times as much work is suggested where the budget of work ended a run.
MORE_WORK = 2


def advise(report: Report) -> str:
    """Hint that gets an open run further; "" for other runs, and for a whole class.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.inference.run import run
    >>> from idinf.inference.settings import Settings
    >>> from idinf.work.limits import Limits
    >>> settings = Settings(max_n=4, bounds={"max_r": 8.4}).about(load("majority"), "majority")
    >>> advise(run(settings, Limits()).report)
    '--max-r 8.664213562, which decides every n'
    """
    bracket, space = report.bracket, report.space
    if bracket is None or report.outcome is not Outcome.OPEN or isinstance(space, WholeClass):
        return ""
    match report.stop:
        case StopReason.WORK if space.work is not None:
            return f"--work {MORE_WORK * space.work}"
        case StopReason.TIME:
            return "a longer --time-limit; with --run-dir and --resume no work is done twice"
        case StopReason.MEMORY | StopReason.SIZE:
            return "a larger --memory"
        case StopReason.MAX_R if bracket.stop_bound_upper is None:
            return f"--max-r above {format_number(space.max_r)}"
        case StopReason.MAX_R:
            return f"--max-r {format_number(bracket.stop_bound_upper)}, which decides every n"
    return ""
