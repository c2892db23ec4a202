"""Local words u^N·y·u^m of short words u: refutations for monoids that are too large to list.

u^N acts as an idempotent e, and N·|u| divides the length of every e·y·u^m·e with |y| + m·|u| ≡ 0 modulo
N·|u|. Filled up with e, finitely many of them have one length. So they are elements of the stable semigroup,
and e is neutral among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt, lcm

import numpy as np

from idinf.classification.monoid import TransitionMonoid
from idinf.targets.machine import IntArray

#: Words u that are tried, and words y, and cells of the equations for one u.
BASES, MIDDLES, CELLS = 60, 60, 1_000_000


def local_tables(monoid: TransitionMonoid) -> Iterator[tuple[int, IntArray]]:
    """The actions of local words of the first elements u on the image of e = u^N.

    The identity is left out. A table is (states of the image, local words).

    Examples
    --------
    >>> from idinf.classification.monoid import transition_monoid
    >>> parity = transition_monoid(np.array([[0, 1], [1, 0]]))
    >>> [(element, table.tolist()) for element, table in local_tables(parity)]
    [(1, [[0, 0], [1, 1]])]
    """
    lengths = monoid.lengths.tolist()
    for element in range(1, min(BASES, len(monoid))):
        row = monoid.rows[element].astype(np.int64)
        exponent = _idempotent_exponent(row.tolist())
        own = _power(row, exponent)
        image = np.unique(own)
        most = max(1, min(MIDDLES, isqrt(CELLS // len(image))))
        columns: list[IntArray] = []
        for middle in range(len(monoid)):
            times, rest = divmod(lengths[middle], lengths[element])
            if rest:
                continue
            if len(columns) == most:
                break
            filled = _power(row, -times % exponent)[monoid.rows[middle].astype(np.int64)[image]]
            columns.append(np.searchsorted(image, own[filled]))
        yield element, np.stack(columns, axis=1)


def idempotent_power(row: list[int]) -> IntArray:
    """The power of a transformation that is idempotent.

    Examples
    --------
    >>> idempotent_power([1, 0, 0]).tolist()
    [0, 1, 1]
    """
    return _power(np.array(row), _idempotent_exponent(row))


def _power(row: IntArray, exponent: int) -> IntArray:
    """A transformation applied that many times, however many."""
    result = np.arange(len(row))
    while exponent:
        if exponent & 1:
            result = row[result]
        row = row[row]
        exponent >>= 1
    return result


def cycles(row: list[int]) -> Iterator[list[int]]:
    """The cycles of a transformation, by their first states in the order of walks.

    Examples
    --------
    >>> list(cycles([1, 2, 1, 3]))
    [[1, 2], [3]]
    """
    seen = [-1] * len(row)
    for root in range(len(row)):
        path = []
        state = root
        while seen[state] < 0:
            seen[state] = root
            path.append(state)
            state = row[state]
        if seen[state] == root:
            yield path[path.index(state) :]


def _idempotent_exponent(row: list[int]) -> int:
    """An N ≥ 1 with which the N-th power of a transformation is idempotent."""
    common = lcm(*map(len, cycles(row)))
    return common * -(-len(row) // common)
