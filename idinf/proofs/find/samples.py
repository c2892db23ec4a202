"""Samples of short words: the counters with which each place is reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice, product

import numpy as np

from idinf.proofs.check.joint_steps import JointPlace, JointStep, JointSteps
from idinf.space.grid import IntArray
from idinf.space.rows import sort_distinct

#: Steps from all places, at most: what is finite of a joint run.
MAX_STEPS = 8_000

#: Vectors of counters kept for each place and length.
KEPT = 400


@dataclass(frozen=True, eq=False)
class SampledStates:
    """The places and counters that words up to some length reach."""

    steps: dict[JointPlace, tuple[JointStep, ...]]  #: all steps from every place that was reached
    counters: dict[JointPlace, IntArray]  #: for each such place its vectors of counters, (V, k)
    early: dict[JointPlace, int]  #: of each the number, from the first on, that words of half the length give
    taken: frozenset[tuple[JointPlace, JointStep]]  #: the steps that a vector takes, with the place before
    differs: bool  #: whether one of the words makes a difference


def draw_sample(
    joint: JointSteps, length: int, beat: Callable[[], None] = lambda: None
) -> SampledStates | None:
    """Run words up to a length, merged where place and counters agree; None if there is too much to look at.

    Of more than `KEPT` vectors of one place and length some are left out, so this shows what can be, never
    what cannot.

    Raises `Unprovable` if an answer is not decided by counters.
    """
    place, counters, said = joint.start
    now = {place: np.array([counters], dtype=np.int64)}
    steps: dict[JointPlace, tuple[JointStep, ...]] = {}
    arrays: dict[JointPlace, list[tuple[JointStep, IntArray, IntArray, IntArray]]] = {}
    met: dict[JointPlace, list[IntArray]] = {place: [now[place]]}
    early: dict[JointPlace, int] = {}
    every: set[tuple[JointPlace, JointStep]] = set()
    differs, total = not said.agree, 0
    for step_length in range(1, length + 1):
        after: dict[JointPlace, list[IntArray]] = {}
        for place, vectors in now.items():
            if place not in steps:
                beat()
                steps[place] = tuple(islice(joint.steps(place), MAX_STEPS))
                arrays[place] = [(step, *_arrays(step)) for step in steps[place]]
                total += len(steps[place])
                if total >= MAX_STEPS:
                    return None
            for step, coefficients, bounds, growth in arrays[place]:
                taken = vectors[(vectors @ coefficients >= bounds).all(axis=1)] if len(bounds) else vectors
                if len(taken):
                    every.add((place, step))
                    differs |= not step.said.agree
                    after.setdefault(step.to, []).append(taken + growth)
        now = {
            place: _thinned(sort_distinct(np.concatenate(parts), axis=0)) for place, parts in after.items()
        }
        for place, vectors in now.items():
            met.setdefault(place, []).append(vectors)
        if step_length == length // 2:
            early = {place: sum(map(len, parts)) for place, parts in met.items()}
    for place in met:
        if place not in steps:
            steps[place] = tuple(joint.steps(place))
    counters_of = {place: np.concatenate(parts) for place, parts in met.items()}
    return SampledStates(steps, counters_of, early, frozenset(every), differs)


def _arrays(step: JointStep) -> tuple[IntArray, IntArray, IntArray]:
    """The guard of a step as coefficients, (k, G), and bounds, (G,), and what it adds, (k,)."""
    growth = np.array(step.growth, dtype=np.int64)
    coefficients = np.array([one.coefficients for one in step.guard], dtype=np.int64).reshape(-1, len(growth))
    return coefficients.T, np.array([one.bound for one in step.guard], dtype=np.int64), growth


def _thinned(vectors: IntArray) -> IntArray:
    """The rows that are extreme in some simple direction, and some between."""
    if len(vectors) <= KEPT:
        return vectors
    values = vectors @ _extremes(vectors.shape[1]).T
    between = np.linspace(0, len(vectors) - 1, KEPT // 2).astype(np.int64)
    chosen = sort_distinct(np.concatenate([between, values.argmin(axis=0), values.argmax(axis=0)]))
    return np.asarray(vectors[chosen])


@cache
def _extremes(size: int) -> IntArray:
    """Sums and differences of up to three counters, up to sign."""
    rows = [
        [signs[chosen.index(k)] if k in chosen else 0 for k in range(size)]
        for number in (1, 2, 3)
        for chosen in combinations(range(size), number)
        for signs in product((1, -1), repeat=number)
        if signs[0] == 1
    ]
    return np.array(rows, dtype=np.int64)
