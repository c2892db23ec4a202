"""Brackets of an open run: R* from above by correct hypotheses, found or given, from below by the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from idinf.search.finder import find_hypothesis
from idinf.search.nets import nets_of
from idinf.search.reachability import least_counterexample
from idinf.search.shapes import FinderBounds
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
    """Looks for a correct hypothesis within the bounds of a space; proves nothing about minimality.

    Attributes
    ----------
    effort : int
        Steps of annealing; 0 looks at the given hypotheses only.
    given : tuple of GatedTransformer
        Hypotheses to check, and to start from.
    """

    target: Target
    bounds: SpaceBounds
    horizon: int
    aggregate: Aggregate
    max_states: int
    effort: int = 0
    given: tuple[GatedTransformer, ...] = ()

    def best(self, checkpoint: Callable[[], None]) -> UpperBound | None:
        """The cheapest correct hypothesis, by an exact check up to the horizon."""
        correct = [h for h in self.given if self._counterexample(h) is None]
        found = self._found(checkpoint) if self.effort else None
        bounds = [UpperBound(self._r(h), h) for h in (*correct, *((found,) if found else ()))]
        return min(bounds, key=lambda bound: bound.r, default=None)

    def _found(self, checkpoint: Callable[[], None]) -> GatedTransformer | None:
        keys = ("layers", "heads", "units", "precision", "period", "reach", "logit_max", "content_max")
        bounds = FinderBounds(
            **{key: getattr(self.bounds, key) for key in keys}, max_r=2.0 * self.bounds.max_r
        )
        return find_hypothesis(
            self.target,
            bounds,
            self.horizon,
            self.aggregate,
            self.effort,
            SEED,
            self._counterexample,
            checkpoint,
            self.given,
        )

    def _counterexample(self, hypothesis: GatedTransformer) -> Word | None:
        return least_counterexample(self.target, nets_of(hypothesis), self.horizon, self.max_states)

    def _r(self, hypothesis: GatedTransformer) -> float:
        return r_terms(hypothesis.to_dense(), self.aggregate).total
