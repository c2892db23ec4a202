"""Inequalities worth trying at a place: simple directions, as tight as short words allow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, permutations, product
from math import gcd

import numpy as np

from idinf.languages.equivalence.conditions import Inequality
from idinf.proofs.check.joint_steps import JointPlace
from idinf.proofs.find.hulls import find_equations, find_facets
from idinf.proofs.find.samples import SampledStates

#: Directions, at most; those of guards come first, then those with few and small coefficients.
MAX_DIRECTIONS = 1_500

#: What coefficients of directions with one, two, three and four counters can be, up to sign.
LARGEST = {1: 1, 2: 2, 3: 1, 4: 1}


#: Directions of inequalities.
Directions = tuple[tuple[int, ...], ...]


def list_directions(symbols: int, size: int, guards: Collection[Inequality]) -> tuple[Directions, ...]:
    """Directions over ``size`` counters, the first of which count symbols.

    Those of the guards, their sums two by two, guards that a count lifts (x ≥ c or u ≥ 1 is x + c u ≥ c where
    x, u ≥ 0), and all simple ones.

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

    Where only symbols and whole periods are counted, this is all that there is to say of a place that tells
    the last symbol: every vector of non-negative integers that meets it is reached.
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
