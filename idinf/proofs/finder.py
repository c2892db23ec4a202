"""Finding an invariant: candidates that short words allow, few ones first, and a search among them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from idinf.proofs.backwards import Search
from idinf.proofs.candidates import candidates, directions
from idinf.proofs.samples import sample
from idinf.verification.invariant import Invariant
from idinf.verification.joint_steps import JointSteps

__all__ = ["find_invariant"]

#: Length of the words that candidates come from.
LENGTH = 64


def find_invariant(joint: JointSteps, beat: Callable[[], None] = lambda: None) -> Invariant | None:
    """Look for a proof that the two sides agree on all words; None if none was found, which proves nothing.

    Parameters
    ----------
    joint : JointSteps
    beat : callable
        Called before every derivation; may raise to stop.

    Raises
    ------
    Unprovable
        If an answer is not decided by counters.

    Notes
    -----
    Inequalities that short words allow are candidates. A step that would end in a disagreement, or at a place
    no short word reaches, must be impossible: that is derived from candidates of its place. Each one that is
    used must itself be kept by all steps that lead to its place. One that is not is dropped, and what rested
    on it is derived anew. So only what is needed is ever looked at. What a proof claims is then searched once
    more by itself, which leaves out what was claimed on the way to it.
    """
    reached = sample(joint, LENGTH)
    if reached is None or reached.differs:
        return None
    guards = dict.fromkeys(g for steps in reached.steps.values() for step in steps for g in step.guard)
    for tier in ((), *directions(len(joint.net.alphabet), len(joint.names), guards)):
        first = Search(joint, reached, beat, partial(candidates, reached, tier))
        if first.succeeds():
            again = Search(joint, reached, beat, first.needed().__getitem__)
            return (again if again.succeeds() else first).written()
    return None
