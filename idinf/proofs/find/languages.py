"""Proofs that two languages are equal, by the steps that hypotheses are proved with."""

from __future__ import annotations

from collections.abc import Callable

from idinf.errors import BudgetError, HypothesisFormatError
from idinf.languages.equivalence.dense import Decider
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import to_one_hot
from idinf.proofs.check.invariant import check
from idinf.proofs.check.joint_steps import JointSteps
from idinf.proofs.check.target_steps import Unprovable
from idinf.proofs.find.finder import find_invariant
from idinf.targets.counting import CountingTarget
from idinf.targets.supervised import SupervisedTarget
from idinf.translate.formulas.program import decompile

#: Goals of one proof, at most: some seconds.
MAX_GOALS = 3_000


def prove_equal(one: Decider, other: Decider, beat: Callable[[], None] = lambda: None) -> bool:
    """Whether a proof is found, and checked, that two languages are equal; False proves nothing.

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
            other = CountingTarget(decompile(to_one_hot(other)), other.alphabet)
        joint = JointSteps(one, SupervisedTarget(other))
        found = find_invariant(joint, beat, MAX_GOALS)
    except (Unprovable, HypothesisFormatError, BudgetError):
        return False
    if found is not None:
        check(found, joint)
    return found is not None
