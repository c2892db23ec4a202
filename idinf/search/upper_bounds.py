"""R* from above: hypotheses that are given, compiled or synthesized, each checked exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from idinf.base.quoting import quote
from idinf.errors import HypothesisFormatError, StatesExceeded, UnsupportedBoundError
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import Aggregate, compute_r_terms
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import Frontier
from idinf.search.fail_lengths import FailLengths
from idinf.spec.bounds import ZERO, SpaceBounds
from idinf.spec.spec import Answer
from idinf.targets.machine import Target
from idinf.targets.supervised import supervise

#: Joint states of one length up to which a hypothesis that the user did not give is checked: seconds.
CHECK_STATES = 300_000

#: The first length up to which a hypothesis is checked: that of max_n = 64, a second or so.
FIRST_LENGTH = 128


@dataclass(frozen=True, slots=True)
class UpperBound:
    """A hypothesis of the space that is right on all words up to a length."""

    r: float
    hypothesis: OneHotTransformer
    checked: int  #: R*_n is at most ``r`` up to this n: 2 · max_n if the exact check fits its bound


def choose_bound(bounds: list[UpperBound], first: int, max_n: int) -> UpperBound | None:
    """Choose the bound to report where R*_n is unknown from n = ``first`` on."""
    # One that reaches max_n before one that does not, then the least R, then the longest check.
    useful = [bound for bound in bounds if bound.checked >= first]
    return min(useful, key=lambda bound: (bound.checked < max_n, bound.r, -bound.checked), default=None)


@dataclass(frozen=True, eq=False)
class BoundChecker:
    """Bounds R* from above by hypotheses, up to checked lengths; proves nothing about minimality."""

    target: Target
    bounds: SpaceBounds
    horizon: int  #: 2 · max_n
    aggregate: Aggregate
    max_states: int  #: joint states of one length that fit the memory bound
    fail_lengths: FailLengths  #: of the target

    def checked(
        self,
        hypothesis: OneHotTransformer,
        thorough: bool = True,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> Iterator[UpperBound]:
        """A given hypothesis as an upper bound, checked up to ever greater lengths.

        The last bound is checked up to ``horizon``, or up to the greatest length whose joint states fit: into
        memory if ``thorough``, else into `CHECK_STATES`. The checkpoint is called several times a length;
        it may raise to stop. Raises HypothesisFormatError if it is wrong on a word of length at most
        ``horizon``, and UnsupportedBoundError if it is not in the space, so that it bounds nothing there.
        """
        self.refuse_outside(hypothesis)
        # Twice as far each time: where a limit ends the check, the length before still counts.
        nets, length, decide = nets_of(hypothesis), min(FIRST_LENGTH, self.horizon), self.fail_lengths.decide
        states = self.max_states if thorough else min(self.max_states, CHECK_STATES)
        while True:
            checked = length
            try:
                fail = int(decide(nets, lambda _: hypothesis, length, states, checkpoint)[0])
            except StatesExceeded as exceeded:
                fail, checked = -1, exceeded.exact_to
            if fail >= 0:
                word = Frontier([nets], self.target, self.max_states, checkpoint).least_word(fail)
                shown = self.target.alphabet.decode(word) or "ε"
                raise HypothesisFormatError(
                    f"the hypothesis is wrong on {quote(shown)}; expected one that is right on all words up "
                    f"to length {self.horizon}, to bound R* from above; leave it out"
                )
            yield self._bound(hypothesis, checked)
            if checked < length or length == self.horizon:
                return
            length = min(2 * length, self.horizon)

    def proved(self, hypothesis: OneHotTransformer) -> UpperBound:
        """Take a hypothesis that is proved to be right on all words; refuses one outside of the space."""
        self.refuse_outside(hypothesis)
        return self._bound(hypothesis, self.horizon)

    def refuse_outside(self, hypothesis: OneHotTransformer) -> None:
        """Raise UnsupportedBoundError if a hypothesis is not of the space, and so bounds nothing there."""
        answer = Answer.ACCEPT if hypothesis.reads is None else hypothesis.reads.kind
        asked = supervise(self.target).answer
        if answer is not asked:
            raise UnsupportedBoundError(
                f"the hypothesis answers {answer.value}, the target asks for {asked.value}; it "
                " bounds R* only where both are the same; leave it out"
            )
        if hypothesis.threshold and self.bounds.threshold == ZERO:
            raise UnsupportedBoundError(
                f"the hypothesis has the threshold {hypothesis.threshold}, the space {ZERO}; it bounds R* "
                "only where the threshold is free; leave it out"
            )
        for key, needed in hypothesis.needed_bounds.items():
            allowed = getattr(self.bounds, key)
            if not self.bounds.allows(key, needed):
                raise UnsupportedBoundError(
                    f"the hypothesis needs {key} = {needed:g}, the space has {key} <= {allowed}; it bounds "
                    f"R* only in a space that contains it; raise --{key.replace('_', '-')}, or leave it out"
                )

    def _bound(self, hypothesis: OneHotTransformer, checked: int) -> UpperBound:
        return UpperBound(compute_r_terms(hypothesis.to_dense(), self.aggregate).total, hypothesis, checked)
