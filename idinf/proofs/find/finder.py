"""Finding an invariant: candidates that short words allow, few ones first, and a search among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING

from idinf.errors import BudgetError, HypothesisFormatError
from idinf.languages.equivalence.conditions import Inequality
from idinf.nets.limit_transformer import LimitTransformer
from idinf.proofs.check.invariant import check
from idinf.proofs.check.joint_steps import MAX_DETAIL, JointPlace, JointSteps
from idinf.proofs.check.target_steps import Unprovable
from idinf.proofs.find.backwards import BackwardSearch
from idinf.proofs.find.candidates import (
    SampledStates,
    draw_sample,
    list_candidates,
    list_directions,
    list_plain,
)
from idinf.report.proof import Invariant
from idinf.targets.counting import CountingTarget
from idinf.targets.supervised import SupervisedTarget

if TYPE_CHECKING:
    from idinf.languages.equivalence.dense import Decider

#: Length of the words that candidates come from.
LENGTH = 64

#: Goals of one search, and of all together, at most; most take a millisecond.
MAX_GOALS, MAX_ALL_GOALS = 3_000, 15_000

#: Collections of candidates: plain ones, facets, and facets with three collections of directions.
NUM_TIERS = 5


def find_invariant(
    joint: JointSteps, beat: Callable[[], None] = lambda: None, most_goals: int | None = None
) -> Invariant | None:
    """Look for a proof that the two sides agree on all words; None if none was found, which proves nothing.

    ``beat`` is called before every derivation; it may raise to stop. ``most_goals`` bounds the work.

    Raises `Unprovable` if an answer is not decided by counters.

    Inequalities that short words allow are candidates. A step that would end in a disagreement, or at a place
    no short word reaches, must be impossible: that is derived from candidates of its place. Each one that is
    used must itself be kept by all steps that lead to its place. One that is not is dropped, and derivations
    that used it are made anew. So only needed candidates are ever looked at. The claims of a proof are then
    searched once more by themselves, which leaves out claims that turned out not to be needed.
    """
    steps = iter(range(MAX_ALL_GOALS if most_goals is None else most_goals))
    followed: dict[int, tuple[JointSteps, SampledStates | None]] = {}
    for tier, detail in product(range(NUM_TIERS), range(MAX_DETAIL + 1)):
        if tier == 0 and detail > 1:
            continue  # answers add no plain candidates
        if detail not in followed:
            finer = joint.at_detail(detail)
            followed[detail] = finer, draw_sample(finer, LENGTH, beat)
        detailed, reached = followed[detail]
        if reached is None:
            continue
        if reached.differs:
            return None
        first = BackwardSearch(detailed, reached, beat, _proposed(detailed, reached, tier))
        if first.succeeds(islice(steps, MAX_GOALS)):
            again = BackwardSearch(detailed, reached, beat, first.needed().__getitem__)
            return (again if again.succeeds(iter(range(MAX_GOALS))) else first).written()
    return None


def _proposed(
    joint: JointSteps, reached: SampledStates, tier: int
) -> Callable[[JointPlace], Iterable[Inequality]]:
    """The inequalities that may be claimed at a place: more in every tier."""
    if tier == 0:
        return partial(list_plain, reached)
    wanted: tuple[tuple[int, ...], ...] = ()
    if tier > 1:
        guards = dict.fromkeys(g for steps in reached.steps.values() for step in steps for g in step.guard)
        wanted = list_directions(len(joint.net.alphabet), len(joint.names), guards)[tier - 2]
    return partial(list_candidates, reached, wanted)


def prove_equal(one: Decider, other: Decider, beat: Callable[[], None] = lambda: None) -> bool:
    """True if a proof is found, and checked, that two languages are equal; False proves nothing.

    Of two hypotheses one is written as a program first. ``beat`` may raise to stop the search for a proof.

    >>> from idinf.crasp.checker import read_program
    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("a", "b"))
    >>> texts = '# "b" <= # "a"', '2 * # "a" >= 2 * # "b" - 1', '# "b" < # "a"'
    >>> first, same, less = (CountingTarget(read_program(f"accept = {text}", sigma), sigma) for text in texts)
    >>> prove_equal(first, same), prove_equal(first, less)
    (True, False)
    """
    if isinstance(other, LimitTransformer):
        one, other = other, one
    try:
        if isinstance(other, LimitTransformer):
            from idinf.translate.formulas.program import decompile_net  # no run compares two hypotheses

            other = CountingTarget(decompile_net(other), other.alphabet.apart)
        joint = JointSteps(one, SupervisedTarget(other))
        found = find_invariant(joint, beat, MAX_GOALS)
    except (Unprovable, HypothesisFormatError, BudgetError):
        return False
    if found is not None:
        check(found, joint)
    return found is not None
