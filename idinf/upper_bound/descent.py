"""Walking down in R from a vector without errors: all changes of one or two parameters, some of three."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from idinf.space.grid import IntArray
from idinf.transformers.regularizer import EPSILON
from idinf.upper_bound.evaluation import EvaluationWords
from idinf.upper_bound.exact_test import CandidateTest
from idinf.upper_bound.vectors import Shape

#: Columns evaluated together.
BATCH = 256

#: Pairs and triples of changes that are tried; beyond it a fixed random choice of them.
MOST_PAIRS, MOST_TRIPLES = 12_000, 12_000


def descent(shape: Shape, x: IntArray, judge: CandidateTest, cap: float) -> Iterator[IntArray]:
    """Vectors near ``x`` (K,), each of smaller R than the one before and with no error on the present words.

    ``x`` comes first. Later ones with R up to the cap are yielded only if nothing refutes them; a walk ends
    where no change of up to three parameters (±1 or to 0) lowers R.
    """
    current: IntArray | None = x
    while current is not None:
        yield current
        current = _cheaper_neighbour(shape, current, judge, cap)


def _cheaper_neighbour(shape: Shape, x: IntArray, judge: CandidateTest, cap: float) -> IntArray | None:
    places, values = _single_changes(shape, x)
    now = float(shape.regularizers(x[:, None])[0])
    batch, labels = EvaluationWords(shape, judge.words), judge.labels()
    for choices in _choices(len(places)):
        neighbours = np.tile(x[:, None], choices.shape[1])
        for choice in choices:
            neighbours[places[choice], np.arange(len(choice))] = values[choice]
        r = shape.regularizers(neighbours)
        order = np.argsort(r, kind="stable")
        order = order[r[order] < now - EPSILON]
        for begin in range(0, len(order), BATCH):
            part = order[begin : begin + BATCH]
            right = part[(batch.verdicts(neighbours[:, part]) == labels[:, None]).all(axis=0)]
            cheap = right[r[right] <= cap]
            if len(cheap):
                kept = judge.survivors(shape, neighbours[:, cheap])
                if kept.shape[1]:
                    return kept[:, 0]
            expensive = right[r[right] > cap]
            if len(expensive):
                return neighbours[:, expensive[0]]
    return None


def _single_changes(shape: Shape, x: IntArray) -> tuple[IntArray, IntArray]:
    """Parameters but those of the output, and a new value for each: ±1 or 0, inside the limits."""
    low, high = shape.limits
    changes = [
        (place, value)
        for place in range(shape.output_start)
        for value in dict.fromkeys((int(x[place]) - 1, int(x[place]) + 1, 0))
        if value != x[place] and low[place] <= value <= high[place]
    ]
    return np.array([place for place, _ in changes]), np.array([value for _, value in changes])


def _choices(size: int) -> Iterator[IntArray]:
    """Changes to make together, (2, ·) then (3, ·) indices; equal ones are one change."""
    rng = np.random.default_rng(size)
    pairs = np.stack(np.triu_indices(size))
    yield pairs if pairs.shape[1] <= MOST_PAIRS else rng.integers(size, size=(2, MOST_PAIRS))
    yield rng.integers(size, size=(3, MOST_TRIPLES))
