"""Answers that need single hypotheses: exact counts, counterexamples, records, the canonical pick.

Each is answered by listing one thin slice of R again with every realisation, so the search itself never has
to carry realisations it does not need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from idinf.base.words import Word
from idinf.errors import BudgetError, PrecisionError
from idinf.inference.outcome import Hypothesis
from idinf.inference.table import FailRow, SearchRow, SearchTable, StageTable
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON
from idinf.search.enumeration import Search
from idinf.search.exact_check.nets import NetBatch, nets_of
from idinf.search.exact_check.reachability import Frontier
from idinf.search.hypotheses import first_hypothesis, order_key
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.search.slice_types import HypothesisBatch, Mode
from idinf.space.structures import Structure
from idinf.space.units import BoolArray
from idinf.targets.machine import IntArray
from idinf.translate.formulas.formula import write_formula


class Canonical(StageTable[HypothesisBatch]):
    """Questions about single hypotheses of a finished table, which is complete up to R = ``complete``."""

    def __init__(self, search: Search, table: SearchTable, complete: float, has_time: bool = True) -> None:
        how = search.target, search.words, search.limits.max_states, search.workers, has_time
        super().__init__(table, complete, *how)
        self.search = search
        #: By outputs and fail: the R up to which functions were counted, and the least R of each.
        self._functions: dict[tuple[bytes, int | None], tuple[float, list[float]]] = {}
        self._picks: dict[float, list[tuple[int | None, Hypothesis]]] = {}

    def picks(self, r: float, before: int) -> list[tuple[int | None, Hypothesis]]:
        """(fail, hypothesis) at R = ``r`` with fail > ``before`` in total order, the first of each fail."""
        if r not in self._picks:
            try:
                self._picks[r] = self._listed_picks(r, before)
            except BudgetError as error:
                self.limit = str(error)
                self.partial.add(r)
                self._picks[r] = self._any_picks(r, before)
        return self._picks[r]

    def _any_picks(self, r: float, before: int) -> list[tuple[int | None, Hypothesis]]:
        """One hypothesis of each fail, the first that was met, where listing them all takes too much."""
        met: dict[int | None, Hypothesis] = {}
        for found in self.table.tied(r, before):
            for row in (FailRow.of(found, index) for index in range(len(found))):
                if row.fail not in met:
                    met[row.fail] = self.hypothesis(replace(row, r=r))
        return list(met.items())

    def _listed_picks(self, r: float, before: int) -> list[tuple[int | None, Hypothesis]]:
        """The first hypothesis of each fail in the total order, among all realisations."""
        firsts = []
        for found in self._realisations(self.table.tied(r, before), r, before):
            for fail in sorted({*found.fail.tolist()}):
                hypothesis = self._first(found, np.flatnonzero(found.fail == fail), r)
                firsts.append((order_key(found, hypothesis), None if fail < 0 else fail, hypothesis))
        firsts.sort(key=lambda item: item[0])
        return [(fail, hypothesis) for _, fail, hypothesis in firsts]

    def _realisations(
        self, tied: Iterable[HypothesisBatch], r: float, before: int
    ) -> Iterator[HypothesisBatch]:
        """All with R = ``r`` and fail > ``before`` whose units behave as those of given hypotheses.

        Raises `BudgetError` if there are too many, or no time is left.
        """
        if not self.has_time:
            raise BudgetError("no time was left to list realisations")
        given: dict[Structure, tuple[frozenset[bytes], ...]] = {}
        for found in tied:
            self.search.checkpoint()
            layers = found.behaviours(self.search.words)
            known = given.get(found.structure, (frozenset(),) * len(layers))
            given[found.structure] = tuple(a | b for a, b in zip(known, layers, strict=True))
        yield from self.search.slice(r - EPSILON, r + EPSILON, before, Mode(raw=True), given)

    def first_of(self, tied: list[SearchRow], r: float, fail: int | None, word: Word | None) -> Hypothesis:
        """The first among all realisations, or the first that is written where listing them is too much."""
        try:
            return self._first_tied(tied, r, fail or 0, word)
        except BudgetError as error:
            self.limit = str(error)
            self.partial.add(r)
            return self.hypothesis(replace(tied[0], r=r))

    def formula(self, hypothesis: Hypothesis) -> str:
        """Write one hypothesis for people."""
        return str(write_formula(_one_hot(hypothesis)))

    def _first_tied(self, tied: list[SearchRow], r: float, fail: int, word: Word | None) -> OneHotTransformer:
        """The first hypothesis among all realisations of some with one fail and R that get a word wrong."""
        places: dict[HypothesisBatch, list[int]] = {}
        for row in tied:
            places.setdefault(row.found, []).append(row.index)
        batches = [found.take(np.array(index)) for found, index in places.items()]
        firsts = []
        for listed in self._realisations(batches, r, fail - 1):
            if len(found := listed.take(listed.fail == fail)):
                index = np.flatnonzero(self._are_wrong(found, word))
                if len(index):
                    hypothesis = self._first(found, index, r)
                    firsts.append((order_key(found, hypothesis), hypothesis))
        return min(firsts, key=lambda item: item[0])[1]

    def _are_wrong(self, found: HypothesisBatch, word: Word | None) -> BoolArray:
        """Mask of hypotheses that get a word wrong whose length is their fail, (N,)."""
        if word is None:
            return np.ones(len(found), dtype=np.bool_)
        search = self.search
        words = ShortWords.and_prefixes(search.target, [word], search.words.every_N)
        try:
            wrong = found.first_wrong(words, search.target.by_logits)
        except PrecisionError:  # longer words have larger numbers; the exact check needs no floats
            rows = (FailRow.of(found, index) for index in range(len(found)))
            return np.array([self.least_word(self.hypothesis(row), len(word)) == word for row in rows])
        return np.asarray(wrong == len(word))

    def hypothesis(self, row: SearchRow) -> OneHotTransformer:
        """The first way to write a row that a batch lists."""
        return self._first(row.found, np.array([row.index]), row.r)

    def nets(self, hypothesis: Hypothesis) -> NetBatch:
        """Write one hypothesis for the exact check."""
        return nets_of(_one_hot(hypothesis))

    def _first(self, found: HypothesisBatch, rows: IntArray, r: float) -> OneHotTransformer:
        return first_hypothesis(found, rows, r + EPSILON, self.search.target.alphabet, self.search.aggregate)

    def count_functions(self, rows: list[SearchRow], high: float) -> int | None:
        """Exact number of distinct functions with R ≤ ``high`` behind selected rows.

        Functions without a fail agree with the target on all words that count: they are one function.
        Rows with a fail may stand for several; those are listed exactly and compared up to the horizon.
        None if the memory bound ends that; ``limit`` then says why.
        """
        failing = {row.key for row in rows if row.fail is not None}
        number = int(any(row.fail is None for row in rows))
        last = high + EPSILON
        missing = {key for key in failing if self._functions.get(key, (-1.0, []))[0] < last}
        try:
            if missing:
                self._list_functions(missing, last)
        except BudgetError as error:
            self.limit = str(error)
            return None
        return number + sum(r <= last for key in failing for r in self._functions[key][1])

    def _list_functions(self, keys: set[tuple[bytes, int | None]], high: float) -> None:
        """List the distinct functions behind some rows, with the least R of each, for R ≤ ``high``."""
        if not self.has_time:
            raise BudgetError("no time was left to count functions")
        before = min(fail for _, fail in keys if fail is not None) - 1
        met: dict[tuple[bytes, int | None], list[tuple[float, OneHotTransformer]]] = {key: [] for key in keys}
        for found in self.search.slice(0.0, high, before, Mode(expand=True)):
            for row in (FailRow.of(found, index) for index in range(len(found))):
                if row.key in met:
                    met[row.key].append((row.r, self.hypothesis(row)))
        search = self.search
        target = None if search.target.plain and not search.target.by_logits else search.target
        how = (target, search.limits.max_states, search.checkpoint)
        for key, hypotheses in met.items():
            search.checkpoint()
            distinct: dict[OneHotTransformer, float] = {}
            for r, hypothesis in sorted(hypotheses, key=lambda item: item[0]):
                pairs = ([nets_of(other), nets_of(hypothesis)] for other in distinct)
                if all(Frontier(pair, *how).fail_lengths(search.horizon)[0] >= 0 for pair in pairs):
                    distinct[hypothesis] = r
            self._functions[key] = high, list(distinct.values())


def _one_hot(hypothesis: Hypothesis) -> OneHotTransformer:
    if not isinstance(hypothesis, OneHotTransformer):
        raise TypeError("expected a hypothesis of the one-hot family")
    return hypothesis
