"""Up to which R a structure is worth a visit: above that it holds nothing right, or no new function."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, lru_cache

from idinf.search.found import Mode
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.headless import bound_headless, bound_headless_class
from idinf.space.structures import Structure
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import SupervisedTarget
from idinf.transformers.regularizer import EPSILON, Aggregate


class Worthwhile:
    """Judges structures against one target, on short words. What it has counted of both is remembered.

    Layers have ``units`` at most, and ``complements`` says whether a hypothesis and its complement cost the
    same, as they do with any threshold.
    """

    def __init__(
        self,
        target: SupervisedTarget,
        aggregate: Aggregate,
        words: ShortWords,
        units: int,
        complements: bool = True,
    ) -> None:
        self.words, self.units, self.complements = words, units, complements
        self.aggregate, self.symbols = aggregate, len(target.alphabet)
        self.answer = target.answer
        self._machine = target.machine if target.plain else None

    def up_to(self, structure: Structure, consistent: int, mode: Mode) -> float:
        """R up to which the structure is worth a visit for what is right on words up to a length.

        Nothing has so small an R if nothing there is right. Of headless nets, what ties with the bound of
        `bound_headless` is worth it, and chosen structures are whatever their R; its lemma reads complements.
        """
        if mode.use_confusion and self._is_confused(structure, consistent):
            return -math.inf
        if mode.use_alternation and not self._alternates(structure, consistent):
            return -math.inf
        if not (mode.use_headless_bound and self.complements) or mode.only is not None:
            return math.inf
        useful = bound_headless(structure, self.symbols, self.aggregate) + EPSILON
        return useful if structure.floor(self.aggregate) < useful else -math.inf

    def headless_up_to(self, period: int, consistent: int, mode: Mode) -> float:
        """The same for all structures without heads of one period at once."""
        if mode.use_confusion and self.words.is_confused(period, consistent):
            return -math.inf
        if not (mode.use_headless_bound and self.complements):
            return math.inf
        bound = bound_headless_class(period, self.symbols, self.aggregate, self.answer, self.units)
        return bound + EPSILON

    def _is_confused(self, structure: Structure, consistent: int) -> bool:
        """Whether words that count leave no right net, where uniform heads stand in one layer at most."""
        with_heads = [layer for layer in structure.layers if layer.heads]
        if len(with_heads) > 1 or not all(layer.uniform for layer in with_heads):
            return False
        return self.words.is_confused(structure.period, consistent, counts=bool(with_heads))

    @cached_property
    def _changes(self) -> Callable[[RegularTarget, int, int], dict[int, int]]:
        from idinf.targets.alternation import count_changes  # for automata alone

        return lru_cache(maxsize=256)(count_changes)

    def _alternates(self, structure: Structure, consistent: int) -> bool:
        """Whether answers can change along words u y^k as often as those of the target do, up to a length."""
        if not isinstance(self._machine, RegularTarget):
            return True
        from idinf.space.alternation import bound_changes

        for q, needed in self._changes(self._machine, consistent, structure.period).items():
            most = bound_changes(structure, q)
            if most is not None and needed > most:
                return False
        return True
