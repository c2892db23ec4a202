"""Proofs that hypotheses are right on all words, each looked for once in a run."""

from __future__ import annotations

from collections.abc import Callable

from idinf.inference.outcome import Hypothesis, write_dense
from idinf.nets.one_hot import OneHotTransformer
from idinf.proofs.check.invariant import check
from idinf.proofs.check.joint_steps import JointSteps
from idinf.proofs.check.target_steps import Unprovable
from idinf.proofs.find.finder import find_invariant
from idinf.report.proof import Invariant
from idinf.targets.supervised import SupervisedTarget
from idinf.work.parallel import Learned


class Prover:
    """Finds and checks proofs for one target. Mutable: it remembers them, and what it did not find.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> from idinf.targets.supervised import supervise
    >>> from idinf.nets.one_hot import OneHotTransformer
    >>> from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotUnit
    >>> majority = load("majority")
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0),))
    >>> net = OneHotTransformer(majority.alphabet, 0, (layer,), (-1,), -1)
    >>> Prover(supervise(build_target(majority))).proves(net)
    True
    """

    def __init__(self, target: SupervisedTarget) -> None:
        self.target = target
        self.known: Learned[Hypothesis, Invariant | Unprovable | None] = Learned()

    def proves(self, hypothesis: Hypothesis, beat: Callable[[], None] = lambda: None) -> bool:
        """Whether a proof is found; ``beat`` may raise to stop the search for one."""
        try:
            return self.find(hypothesis, beat) is not None
        except Unprovable:
            return False

    def find(self, hypothesis: Hypothesis, beat: Callable[[], None] = lambda: None) -> Invariant | None:
        """A checked proof that a hypothesis is right on words of every length; None if none was found.

        Raises `Unprovable` if the hypothesis or the target is of a kind that has no such proofs.
        """
        is_several = isinstance(hypothesis, OneHotTransformer) and len(hypothesis.signs) > 1
        if self.target.by_logits and is_several:
            raise Unprovable("its logits are a sum of several units")
        if hypothesis not in self.known:
            self.known[hypothesis] = self._sought(hypothesis, beat)
        found = self.known[hypothesis]
        if isinstance(found, Unprovable):
            raise found
        return found

    def _sought(self, hypothesis: Hypothesis, beat: Callable[[], None]) -> Invariant | Unprovable | None:
        try:
            joint = JointSteps(write_dense(hypothesis), self.target)
            found = find_invariant(joint, beat)
        except Unprovable as error:
            return error
        if found is not None:
            check(found, joint)
        return found
