"""Candidates of inequalities at a place: facets and simple directions, as tight as short words allow.

Short words say with which counters each place is reached. Floats propose the facets of the hull of these
integer points; integers bound every direction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, islice, permutations, product
from math import gcd
from typing import Any

import numpy as np

from idinf.base.linear_algebra import find_orthogonal, find_pivot_columns
from idinf.languages.equivalence.conditions import Inequality
from idinf.proofs.check.joint_steps import JointPlace, JointStep, JointSteps
from idinf.space.grid import IntArray
from idinf.space.rows import sort_distinct
from idinf.work.memory import make_room_for_a_library

#: Steps from all places of a joint run, at most.
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
    differs: bool  #: True if one of the words makes a difference


def draw_sample(
    joint: JointSteps, length: int, beat: Callable[[], None] = lambda: None
) -> SampledStates | None:
    """Run words up to a length, merged where place and counters agree; None if there is too much to look at.

    Of more than `KEPT` vectors of one place and length some are left out. So the sample shows states that are
    possible, never that one is impossible.

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
    """The guard of a step as coefficients, (k, G), and bounds, (G,), and its growth, (k,)."""
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


#: Coefficients of a facet, at most, up to sign.
LARGEST_OF_FACET = 12

#: Dimensions of a hull, at most: facets become many and thin.
MAX_DIMENSION = 6


def find_equations(points: IntArray) -> tuple[tuple[int, ...], ...]:
    """The integer directions in which all points have one value: a basis, and its negatives; exact.

    >>> find_equations(np.array([[0, 0, 1], [1, 2, 1], [2, 4, 1]]))
    ((-2, 1, 0), (2, -1, 0), (0, 0, 1), (0, 0, -1))
    """
    differences = points - points[0]
    size = points.shape[1]
    found: list[list[int]] = []
    basis = find_orthogonal(found, size)
    while basis:
        moving = np.flatnonzero((differences @ np.array(basis, dtype=np.int64).T).any(axis=1))
        if not len(moving):
            break
        found.append([int(entry) for entry in differences[moving[0]]])
        basis = find_orthogonal(found, size)
    return tuple(d for one in basis for d in (one, tuple(-entry for entry in one)))


def find_facets(points: IntArray) -> tuple[tuple[int, ...], ...]:
    """Directions whose least values describe the hull of some points, (V, k), and both of each equation.

    Facets with large coefficients are left out, and all of them if the hull has too many dimensions.

    >>> find_facets(np.array([[0, 0], [2, 0], [0, 1], [1, 0]]))
    ((-1, -2), (0, 1), (1, 0))
    >>> find_facets(np.array([[0, 1], [2, 1]]))
    ((0, 1), (0, -1), (-1, 0), (1, 0))
    """
    both = find_equations(points)
    size = points.shape[1]
    kept = _free(both[::2], size)
    if not kept or len(kept) > MAX_DIMENSION:
        return both
    projected = sort_distinct(points[:, kept], axis=0)
    if len(kept) == 1:
        normals = np.array([[1.0], [-1.0]])
    else:
        hull, flat = _library()
        try:
            normals = -hull(projected).equations[:, :-1]
        except flat:
            return both
    found = set()
    for normal in normals:
        direction = [0] * size
        for place, entry in zip(kept, _integers(normal), strict=False):
            direction[place] = entry
        if any(direction):
            found.add(tuple(direction))
    return both + tuple(sorted(found))


def _free(equal: tuple[tuple[int, ...], ...], size: int) -> list[int]:
    """Coordinates that decide all others by some equations."""
    # Counters of units, which come last, go first.
    decided = find_pivot_columns([[Fraction(entry) for entry in reversed(row)] for row in equal])
    return [place for place in range(size) if size - 1 - place not in decided]


def _integers(normal: np.ndarray[Any, np.dtype[np.float64]]) -> list[int]:
    """The shortest integer vector along a direction; nothing if it has large entries."""
    largest = np.abs(normal).max()
    for scale in range(1, LARGEST_OF_FACET + 1):
        scaled = normal / largest * scale
        rounded = np.rint(scaled)
        if np.abs(scaled - rounded).max() < 1e-6:
            return [int(entry) for entry in rounded]
    return []


@cache
def _library() -> tuple[Any, type[Exception]]:
    """Convex hulls, and the error of points that are flat; loaded when they are first needed."""
    with make_room_for_a_library():
        from scipy.spatial import ConvexHull, QhullError
    return ConvexHull, QhullError


#: Directions, at most; those of guards come first, then those with few and small coefficients.
MAX_DIRECTIONS = 1_500

#: Largest coefficients of directions with one, two, three and four counters, up to sign.
LARGEST = {1: 1, 2: 2, 3: 1, 4: 1}


def list_directions(
    symbols: int, size: int, guards: Collection[Inequality]
) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Directions over ``size`` counters, the first of which count symbols.

    These are the directions of guards, their sums two by two, guards that a count lifts (x ≥ c or u ≥ 1 is
    x + c u ≥ c where x, u ≥ 0), and all simple ones.

    >>> list_directions(1, 1, [])[0]
    ((1,), (-1,))
    >>> [len(tier) for tier in list_directions(2, 2, [Inequality((2, -3), 0)])]
    [10, 10, 18]
    """
    own = dict.fromkeys(guard.coefficients for guard in guards)
    own |= dict.fromkeys(tuple(-k for k in direction) for direction in list(own))
    counts = [tuple(int(j == k) for j in range(size)) for k in range(symbols, size)]
    lifted = [(one, count, factor) for one, count, factor in product(own, counts, _lifts(guards))]
    pairs = [(one, other, factor) for one, other in permutations(own, 2) for factor in (1, 2)]
    simple = _simple(size)
    few = dict.fromkeys([*own, *(d for d in simple if sum(map(abs, d)) <= 2)])
    more = few | dict.fromkeys(_sums(lifted))
    every = more | dict.fromkeys(_sums(pairs)) | dict.fromkeys(simple)
    return tuple(few), tuple(more), tuple(every)[:MAX_DIRECTIONS]


def _sums(terms: Iterable[tuple[tuple[int, ...], tuple[int, ...], int]]) -> Iterator[tuple[int, ...]]:
    """one + factor · other, without common divisors."""
    for one, other, factor in terms:
        total = tuple(a + factor * b for a, b in zip(one, other, strict=True))
        if any(total):
            divisor = gcd(*total)
            yield tuple(k // divisor for k in total)


def _lifts(guards: Collection[Inequality]) -> tuple[int, ...]:
    """Factors of a count that make up for the bounds of guards."""
    largest = min(6, 1 + max((abs(guard.bound) for guard in guards), default=0))
    return tuple(k for m in range(1, largest + 1) for k in (m, -m))


@cache
def _simple(size: int) -> tuple[tuple[int, ...], ...]:
    found = []
    for number, largest in LARGEST.items():
        values = [k for m in range(1, largest + 1) for k in (m, -m)]
        for chosen in combinations(range(size), number):
            for coefficients in product(values, repeat=number):
                if gcd(*coefficients) == 1:
                    direction = [0] * size
                    for place, k in zip(chosen, coefficients, strict=True):
                        direction[place] = k
                    found.append(tuple(direction))
    return tuple(found)


def list_plain(reached: SampledStates, place: JointPlace) -> tuple[Inequality, ...]:
    """The least value of each counter where short words reach a place, and the equations between counters.

    If counters count only symbols and whole periods, and a place has the last symbol, no other inequality
    holds there: every vector of non-negative integers that meets these is reached.
    """
    vectors = reached.counters[place]
    size = vectors.shape[1]
    units = (tuple(int(j == k) for j in range(size)) for k in range(size))
    return _settled(reached, place, [*find_equations(vectors), *units])


def list_candidates(
    reached: SampledStates, wanted: Sequence[tuple[int, ...]], place: JointPlace
) -> tuple[Inequality, ...]:
    """The tightest inequalities that hold wherever short words reach a place: facets and some directions."""
    return _settled(reached, place, [*find_facets(reached.counters[place]), *wanted])


def _settled(
    reached: SampledStates, place: JointPlace, tried: Sequence[tuple[int, ...]]
) -> tuple[Inequality, ...]:
    """The tightest inequalities in some directions that hold wherever short words reach a place.

    A bound that longer ones among them have moved is left out: it will move on.
    """
    tried = tuple(dict.fromkeys(tried))
    vectors = reached.counters[place]
    values = vectors @ np.array(tried, dtype=np.int64).T
    bounds = values.min(axis=0)
    early = reached.early.get(place, 0)
    settled = values[:early].min(axis=0) == bounds if early else np.ones(len(bounds), dtype=np.bool_)
    return tuple(
        Inequality(direction, int(bound))
        for direction, bound, stays in zip(tried, bounds, settled, strict=True)
        if stays
    )
