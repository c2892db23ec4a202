"""Brackets of an open run: R* from above by correct hypotheses, found or given, from below by the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from idinf.errors import HypothesisFormatError
from idinf.search.finder import find_hypothesis
from idinf.search.nets import nets_of
from idinf.search.reachability import least_counterexample
from idinf.spec.bounds import SpaceBounds
from idinf.targets.machine import Target
from idinf.transformers.gated import GatedTransformer
from idinf.transformers.regularizer import Aggregate, r_terms
from idinf.words import Word

__all__ = ["Finder", "UpperBound"]

#: Of every run the same; another seed is another finder.
SEED = 1


@dataclass(frozen=True, slots=True)
class UpperBound:
    """A hypothesis that is right on all words up to 2 · max_n, which bounds every R*_n from above.

    Attributes
    ----------
    r : float
    hypothesis : GatedTransformer
    """

    r: float
    hypothesis: GatedTransformer


@dataclass(frozen=True)
class Finder:
    """Bounds R* from above by hypotheses that are checked exactly; proves nothing about minimality."""

    target: Target
    bounds: SpaceBounds
    horizon: int
    aggregate: Aggregate
    max_states: int

    def checked(self, hypothesis: GatedTransformer) -> UpperBound:
        """A hypothesis as an upper bound.

        Raises
        ------
        HypothesisFormatError
            If it is wrong on a word of length at most ``horizon``.
        BudgetError
            If the exact check does not fit the memory bound.
        """
        word = self._counterexample(hypothesis)
        if word is not None:
            raise HypothesisFormatError(
                f"the hypothesis is wrong on {self.target.alphabet.decode(word) or 'ε'!r}; expected one that "
                f"is right on all words up to length {self.horizon}, to bound R* from above; leave it out"
            )
        return self._bound(hypothesis)

    def found(
        self, effort: int, starts: tuple[UpperBound, ...], checkpoint: Callable[[], None]
    ) -> UpperBound | None:
        """What ``effort`` steps of annealing find, from given bounds on; checked as those are."""
        hypothesis = find_hypothesis(
            self.target,
            replace(self.bounds, max_r=2.0 * self.bounds.max_r),
            self.horizon,
            self.aggregate,
            effort,
            SEED,
            self._counterexample,
            checkpoint,
            tuple(start.hypothesis for start in starts),
        )
        return None if hypothesis is None else self._bound(hypothesis)

    def _counterexample(self, hypothesis: GatedTransformer) -> Word | None:
        return least_counterexample(self.target, nets_of(hypothesis), self.horizon, self.max_states)

    def _bound(self, hypothesis: GatedTransformer) -> UpperBound:
        return UpperBound(r_terms(hypothesis.to_dense(), self.aggregate).total, hypothesis)
