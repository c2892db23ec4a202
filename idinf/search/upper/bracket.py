"""Brackets of an open run: R* from above by correct hypotheses, found or given, from below by the search."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from idinf.base.quoting import quote
from idinf.base.words import Word
from idinf.errors import HypothesisFormatError, StatesExceeded, UnsupportedBoundError
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import Aggregate, compute_r_terms
from idinf.search.decided import FailLengths
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import least_mistake
from idinf.search.found import WorkDone
from idinf.search.meter import Meter
from idinf.spec.bounds import ZERO, SpaceBounds
from idinf.spec.spec import Answer
from idinf.targets.machine import Target
from idinf.targets.supervised import supervise

SEED = 1  #: of every run the same; another seed is another finder
#: Steps of annealing of a run that asks for none and has no upper bound yet: a few seconds, ten at most.
DEFAULT_STEPS = 2000
#: Joint states of one length up to which a hypothesis that the user did not ask for is checked: seconds.
CHECK_STATES = 300_000
#: Joint states of one length up to which what is found is checked, first with few and then with more, and
#: the steps of work that a part of such a check takes.
CHECKS = ((300, 1), (3_000, 8), (30_000, 40), (CHECK_STATES, 400))
#: The part of its work that is taken when annealing in a first and in a second space ends; the rest is for
#: checks beyond the first length.
ANNEALED_UP_TO = (0.34, 0.85)
#: Sizes up to which the finder anneals, first few things at once and then many. Any of it may be raised: what
#: it misses is an upper end that is too high, never an answer.
ANNEALED = (
    {"layers": 4, "heads": 1, "units": 2, "precision": 2, "period": 1, "logit_max": 0, "content_max": 0},
    {"layers": 4, "heads": 2, "units": 4, "precision": 2, "period": 4, "logit_max": 1, "content_max": 1},
)

#: The first length up to which a given hypothesis is checked: that of max_n = 64, a second or so.
FIRST_LENGTH = 128
FINDER_ROOM = 2.0  #: budgets are small where a search is hard, so a correct hypothesis may lie far above them
BELOW = 1e-6  #: A bound that is found must be below the known ones by this much


@dataclass(frozen=True, slots=True)
class UpperBound:
    """A hypothesis of the space that is right on all words up to a length."""

    r: float
    hypothesis: OneHotTransformer
    checked: int  #: R*_n is at most ``r`` up to this n: 2 · max_n if the exact check fits its bound


def choose_bound(bounds: list[UpperBound], first: int, max_n: int) -> UpperBound | None:
    """Which bound to report where R*_n is unknown from n = ``first`` on."""
    # One that reaches max_n before one that does not, then the least R, then the longest check.
    useful = [bound for bound in bounds if bound.checked >= first]
    return min(useful, key=lambda bound: (bound.checked < max_n, bound.r, -bound.checked), default=None)


@dataclass(frozen=True, eq=False)
class Finder:
    """Bounds R* from above by hypotheses that are checked exactly; proves nothing about minimality."""

    target: Target
    bounds: SpaceBounds
    horizon: int  #: 2 · max_n
    aggregate: Aggregate
    max_states: int  #: joint states of one length that fit the memory bound
    fail_lengths: FailLengths  #: of the target
    first: int | None = None  #: up to which length what is found is checked at once; None: the horizon

    def checked(
        self,
        hypothesis: OneHotTransformer,
        thorough: bool = True,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> Iterator[UpperBound]:
        """A given hypothesis as an upper bound, checked further and further.

        The last one is checked up to ``horizon``, or as far as its joint states fit: in all the memory there
        is if ``thorough``, or `CHECK_STATES` only. The checkpoint is called several times for every length;
        it may raise to stop. Raises HypothesisFormatError if it is wrong on a word of length at most
        ``horizon``, and UnsupportedBoundError if it is not in the space, so that it bounds nothing there.
        """
        self._refuse_outside(hypothesis)
        # Twice as far each time: where a limit ends the check, the length before still counts.
        length = min(FIRST_LENGTH, self.horizon)
        states = self.max_states if thorough else min(self.max_states, CHECK_STATES)
        while True:
            word, checked = self._counterexample(hypothesis, states, checkpoint, length, self.fail_lengths)
            if word is not None:
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
        self._refuse_outside(hypothesis)
        return self._bound(hypothesis, self.horizon)

    def found(self, most_steps: int, known: tuple[UpperBound, ...], meter: Meter) -> Iterator[UpperBound]:
        """Bounds that annealing finds within the allowance of a meter, R falling below the known bounds.

        Each is checked up to ``first`` at first. Of those that pass the cheapest which is right up to the
        horizon comes last. Each space has a part of the allowance, and so many steps at most; in the first
        one known hypotheses are begun with.
        """
        # What other parts of the run have decided must not change how much work this is.
        prove = self.fail_lengths.prove
        decided = FailLengths(self.target, lambda net, _: prove is not None and prove(net, meter.beat))
        first = self.horizon if self.first is None else min(self.first, self.horizon)
        limits = [
            {key: min(most, getattr(self.bounds, key)) for key, most in part.items()} for part in ANNEALED
        ]
        spaces = dict.fromkeys(
            replace(self.bounds, reach=min(self.bounds.reach, 2), **part) for part in limits
        )
        # None with a matrix M: the finder tries such, but starts from none.
        starts = tuple(bound.hypothesis for bound in known if not _needs(bound.hypothesis)["content_max"])
        passed, end = list[OneHotTransformer](), meter.allowance
        for space, part in zip(spaces, ANNEALED_UP_TO[-len(spaces) :], strict=True):
            meter.allowance = part * end
            with suppress(WorkDone):
                for bound in self._annealed(space, most_steps, known, starts, first, decided, meter):
                    known = (*known, bound)
                    passed += [bound.hypothesis] * (bound.checked == first)
                    yield bound
            starts = ()
        meter.allowance = end
        with suppress(WorkDone):
            for hypothesis in reversed(passed) if first < self.horizon else ():  # R fell
                word, length = self._weighed(hypothesis, decided, meter, self.horizon)
                yield self._bound(hypothesis, length)
                if word is None and length == self.horizon:
                    return

    def _annealed(
        self,
        space: SpaceBounds,
        most_steps: int,
        known: tuple[UpperBound, ...],
        starts: tuple[OneHotTransformer, ...],
        first: int,
        decided: FailLengths,
        meter: Meter,
    ) -> Iterator[UpperBound]:
        """Hypotheses found in one space, with the length up to which each was checked."""
        from idinf.search.upper.finder import find_improvements  # easy targets are settled without it

        room = min(FINDER_ROOM * self.bounds.max_r, sys.float_info.max)
        space = replace(space, max_r=min([room, *(bound.r - BELOW for bound in known)]))
        lengths = dict[OneHotTransformer, int]()

        def refuted(hypothesis: OneHotTransformer) -> Word | None:
            word, lengths[hypothesis] = self._weighed(hypothesis, decided, meter, first)
            return word

        how = self.aggregate, most_steps, SEED, refuted, meter.beat, starts, meter.count
        for _, hypothesis in find_improvements(self.target, space, self.horizon, *how):
            yield self._bound(hypothesis, lengths[hypothesis])

    def _weighed(
        self, hypothesis: OneHotTransformer, decided: FailLengths, meter: Meter, horizon: int
    ) -> tuple[Word | None, int]:
        """A least word it gets wrong, or None and up to which length all were decided; counts as work."""
        for states, work in CHECKS:
            states, count = min(states, self.max_states), partial(meter.count, work)
            word, length = self._counterexample(hypothesis, states, count, horizon, decided)
            if word is not None or length == horizon:
                break
        return word, length

    def _refuse_outside(self, hypothesis: OneHotTransformer) -> None:
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
        for key, needed in _needs(hypothesis).items():
            allowed = getattr(self.bounds, key)
            if not self.bounds.allows(key, needed):
                raise UnsupportedBoundError(
                    f"the hypothesis needs {key} = {needed:g}, the space has {key} <= {allowed}; it bounds "
                    f"R* only in a space that contains it; raise --{key.replace('_', '-')}, or leave it out"
                )

    def _counterexample(
        self,
        hypothesis: OneHotTransformer,
        states: int,
        checkpoint: Callable[[], None],
        horizon: int,
        decided: FailLengths,
    ) -> tuple[Word | None, int]:
        """A least word it gets wrong, or None and the length up to which all were decided."""
        nets = nets_of(hypothesis)
        try:
            fails = decided.decide(nets, lambda _: hypothesis, horizon, states, checkpoint)
        except StatesExceeded as exceeded:
            return None, exceeded.exact_to
        if (fail := int(fails[0])) < 0:
            return None, horizon
        return least_mistake(self.target, nets, fail, self.max_states, checkpoint), fail - 1

    def _bound(self, hypothesis: OneHotTransformer, checked: int) -> UpperBound:
        return UpperBound(compute_r_terms(hypothesis.to_dense(), self.aggregate).total, hypothesis, checked)


def _needs(hypothesis: OneHotTransformer) -> dict[str, float]:
    """The least bounds of a space that contains a hypothesis; max_r is a budget and not asked."""
    one = 1 << hypothesis.precision
    heads = [head.pattern for layer in hypothesis.layers for head in layer.heads]
    biases = [value for pattern in heads for value in pattern.phi]
    entries = [value for pattern in heads for row in pattern.logits for value in row]
    return {
        "layers": len(hypothesis.layers),
        "heads": max(len(layer.heads) for layer in hypothesis.layers),
        "units": max(len(layer.units) for layer in hypothesis.layers),
        "precision": hypothesis.precision,
        "period": hypothesis.period,
        "reach": hypothesis.reach,
        "logit_max": max(biases, default=0) / one,
        "content_max": max(entries, default=0) / one,
    }
