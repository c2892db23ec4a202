"""Annealing of many vectors of parameters of one shape at once, at fixed temperatures that trade places.

The energy of a vector is log(1 + weighted errors) plus a price for every unit of R above the cap. Minimising
R plus a multiple of the errors instead ends in trivial nets; a cap does not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from idinf.search.upper.evaluation import EvaluationWords, Histories
from idinf.search.upper.vectors import VectorShape
from idinf.space.grid import IntArray
from idinf.targets.machine import BoolArray

FloatArray = NDArray[np.float64]

#: Coldest and hottest temperature: a single error more among few costs 0.7, among twenty 0.05.
COLDEST, HOTTEST = 0.03, 0.5
#: Price of one unit of R above the cap, and how far above it a vector may stray at all.
PRICE, STRAY = 4.0, 0.6
DRAWS = 2  #: proposals drawn for every vector; the first one whose R is affordable is evaluated
TOP_MOVES = 4  #: moves of the last layer alone for each move of the layers below: they cost a tenth of those
_STEPS = np.array((-2, -1, -1, -1, 1, 1, 1, 2))


class Population:
    """C vectors of parameters under annealing. Mutable: it is the state of the search in one shape.

    R should end at or below the cap; everything random follows from the seed; the coldest vector has the
    parameters ``start``, (K,), if they are given.
    """

    def __init__(
        self, shape: VectorShape, cap: float, size: int, seed: tuple[int, ...], start: IntArray | None = None
    ) -> None:
        self.shape, self.cap = shape, cap
        self._rng = np.random.default_rng(seed)
        self._temperatures = np.geomspace(COLDEST, HOTTEST, size)
        self.x = np.stack([self._blank() for _ in range(size)], axis=1)
        if start is not None:
            self.x[:, 0] = start
        self._terms = shape.terms(self.x)
        self.r = shape.total(self._terms)
        self._batch: EvaluationWords | None = None
        self._listed: set[bytes] = set()

    def _blank(self) -> IntArray:
        """A vector of zeros but for signs, thresholds and entries of shared channels."""
        shape, rng = self.shape, self._rng
        x = np.zeros(shape.size, dtype=np.int64)
        for place in shape.places:
            for channel in (channel for head in place.heads for channel in head.channels):
                for entry in range(channel.entries.start, channel.entries.stop):
                    x[place.span][entry] = int(rng.choice((-1, 1))) << shape.precision
        x[shape.signs] = rng.choice((-1, 1), size=shape.layers[-1].units)
        low, high = shape.limits
        x[-1] = int(rng.integers(low[-1], high[-1] + 1))
        return x

    def set_words(self, batch: EvaluationWords, labels: BoolArray, weights: FloatArray) -> None:
        """Judge by other words: labels and weights, (R,) each."""
        self._batch, self._labels, self._word_weights = batch, labels, weights
        self._lower = batch.lower(self.x)
        self.errors = self._errors(self.x, self._lower)

    def forget_words(self) -> None:
        """Drop the words and what was computed on them; the vectors stay."""
        self._batch = None
        self._lower = []

    def least_energy(self) -> float:
        """The lowest energy of all vectors."""
        return float(self._energy(self.errors, self.r).min())

    def _errors(self, x: IntArray, lower: Histories) -> FloatArray:
        assert self._batch is not None
        wrong = self._batch.top(x, lower) != self._labels[:, None]
        return np.asarray(self._word_weights @ wrong)

    def _energy(self, errors: FloatArray, r: FloatArray) -> FloatArray:
        return np.asarray(np.log1p(errors) + PRICE * np.maximum(r - self.cap, 0.0))

    def correct(self) -> IntArray:
        """Columns with no error on the present words and R up to the cap."""
        return np.flatnonzero((self.errors == 0) & (self.r <= self.cap))

    def nearly(self, most: int) -> list[IntArray]:
        """A few vectors without errors whose R is above the cap, the cheapest first, each once."""
        columns = np.flatnonzero((self.errors == 0) & (self.r > self.cap))
        chosen: list[IntArray] = []
        for column in columns[np.argsort(self.r[columns], kind="stable")]:
            key = self.x[:, column].tobytes()
            if key not in self._listed and len(chosen) < most:
                self._listed.add(key)
                chosen.append(self.x[:, column].copy())
        return chosen

    def walk(self, most: int, before: Callable[[], None] = lambda: None) -> int:
        """Step until a vector has no error, and so many times at most; returns how often.

        ``before`` is called before every step, and may raise to stop.
        """
        for done in range(1, most + 1):
            before()
            self._step()
            if len(self.correct()):
                return done
        return most

    def _step(self) -> None:
        """One move of a lower layer, some of the last one, one exchange of temperatures."""
        last = len(self.shape.layers) - 1
        if last:
            self._move(int(self._rng.integers(last)))
        for _ in range(TOP_MOVES):
            self._move(last)
        self._exchange()

    def _move(self, layer: int) -> None:
        """Propose new parameters of one layer of every vector, and take those that are likely enough."""
        assert self._batch is not None
        proposed, terms, r = self._propose(layer)
        span = self.shape.places[layer].span
        x = self.x.copy()
        x[span] = proposed
        is_last = layer == len(self.shape.layers) - 1
        lower = self._lower if is_last else self._batch.lower(x)
        errors = self._errors(x, lower)
        change = self._energy(errors, r) - self._energy(self.errors, self.r)
        taken = self._rng.random(len(errors)) < np.exp(np.minimum(-change / self._temperatures, 0.0))
        self.x[span, taken] = proposed[:, taken]
        self._terms[layer][:, taken] = terms[:, taken]
        self.r[taken], self.errors[taken] = r[taken], errors[taken]
        for unit, new in zip(self._lower, lower, strict=True) if not is_last else ():
            unit[:, :, taken] = new[:, :, taken]

    def _exchange(self) -> None:
        """Neighbouring temperatures trade places where that is likely under both."""
        order = np.argsort(self._temperatures)
        first = int(self._rng.integers(2))
        cold, hot = order[first:-1:2], order[first + 1 :: 2]
        energy = self._energy(self.errors, self.r)
        gain = (energy[cold] - energy[hot]) * (1 / self._temperatures[cold] - 1 / self._temperatures[hot])
        swap = self._rng.random(len(cold)) < np.exp(np.minimum(gain, 0.0))
        a, b = cold[swap], hot[swap]
        self._temperatures[a], self._temperatures[b] = self._temperatures[b], self._temperatures[a]

    def _propose(self, layer: int) -> tuple[IntArray, FloatArray, FloatArray]:
        """Change a layer of each vector affordably: its parameters, (span, C), terms, (7, C), and R, (C,)."""
        shape, rng = self.shape, self._rng
        span, size = shape.places[layer].span, self.x.shape[1]
        count = DRAWS * size
        old = np.tile(self.x[span], DRAWS)
        x = old.copy()
        columns = np.arange(count)
        kind = rng.random(count)
        i, j = rng.integers(len(x), size=(2, count))
        steps = _STEPS[rng.integers(len(_STEPS), size=(2, count))]
        one = 1 << shape.precision
        value = x[i, columns]
        moved = np.where(kind < 0.3, 0, value + steps[0])
        moved = np.where(kind < 0.06, rng.integers(-2 * one, 2 * one + 1, size=count), moved)
        x[i, columns] = moved
        double = np.flatnonzero(kind > 0.8)
        x[j[double], double] += steps[1][double]
        swapped = np.flatnonzero((kind > 0.7) & (kind <= 0.8))
        x[i[swapped], swapped] = value[swapped]
        self._swap(x, swapped, layer)
        low, high = shape.limits
        np.clip(x, low[span, None], high[span, None], out=x)
        if layer == len(shape.layers) - 1:
            x[shape.signs] = np.where(x[shape.signs] == 0, -old[shape.signs], x[shape.signs])
        terms = shape.layer_terms(x, layer)
        every = np.tile(self._terms, DRAWS)
        every[layer] = terms
        r = shape.total(every)
        affordable = r <= np.maximum(self.cap + STRAY, np.tile(self.r, DRAWS))
        pick = affordable.reshape(DRAWS, size).argmax(axis=0) * size + np.arange(size)
        fine = affordable[pick]
        return (
            np.where(fine, x[:, pick], self.x[span]),
            np.where(fine, terms[:, pick], self._terms[layer]),
            np.where(fine, r[pick], self.r),
        )

    def _swap(self, x: IntArray, columns: IntArray, layer: int) -> None:
        """Exchange two entries of one channel or one s."""
        place = self.shape.places[layer]
        vectors = [channel.values for head in place.heads for channel in head.channels] + [*place.own]
        which = self._rng.integers(len(vectors), size=len(columns))
        begin = np.array([spot.start for spot in vectors])[which]
        width = np.array([spot.stop - spot.start for spot in vectors])[which]
        a = begin + (self._rng.random(len(columns)) * width).astype(np.int64)
        b = begin + (self._rng.random(len(columns)) * width).astype(np.int64)
        x[a, columns], x[b, columns] = x[b, columns].copy(), x[a, columns].copy()
