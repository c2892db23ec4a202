"""The transition monoid of a complete DFA, of a minimal one the syntactic monoid; powers and local words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isqrt, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from idinf.base.numbers import format_amount
from idinf.base.words import Word
from idinf.languages.classification.by_automaton import measure_levels, number_components
from idinf.targets.machine import BoolArray, IntArray, explore, find_entered, find_least_word

#: Transformations: int16 where it holds the states, else int32.
Rows = npt.NDArray[Any]

#: Most elements that are listed, unless the caller says otherwise.
MAX_ELEMENTS = 20_000

#: Most entries, elements times states, whatever the number of elements.
MAX_CELLS = 50_000_000

#: Words u that are tried, and words y, and cells of the equations for one u.
BASES, MIDDLES, CELLS = 60, 60, 1_000_000

#: Elements whose cycles are measured.
MEASURED = 200


@dataclass(frozen=True)
class TransitionMonoid:
    """Transformations of the states by words, in the order of their least words (by length, then alphabet).

    Words act from the left to the right: the product x·y is first x, then y. Element 0 is the identity, the
    image of ε.
    """

    rows: Rows  # (M, V): entry [x, q] is the state that x takes q to
    right: IntArray  # (M, |Σ|): entry [x, a] is x·a; -1 where it is not listed
    parent: IntArray  # (M,): x = parent·letter; without meaning for the identity
    letter: IntArray
    is_complete: bool  # whether these are all; otherwise those of the least words

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def excess(self) -> str:
        """The clause of messages about an incomplete monoid."""
        return f"the syntactic monoid has more than {format_amount(len(self), 'element')}"

    def word(self, element: int) -> Word:
        """The least word of an element."""
        return find_least_word(self.right, element)

    @cached_property
    def lengths(self) -> IntArray:
        """The length of the least word of every element; (M,)."""
        lengths = np.zeros(len(self), dtype=np.int64)
        for element in range(1, len(self)):  # a parent has the smaller number
            lengths[element] = lengths[self.parent[element]] + 1
        return lengths

    @cached_property
    def left(self) -> IntArray:
        """Entry [x, a] is a·x; (M, |Σ|). Of a complete monoid."""
        left = np.empty_like(self.right)
        left[0] = self.right[0]
        for element in range(1, len(self)):  # a·(x·b) = (a·x)·b, and x has the smaller number
            left[element] = self.right[left[self.parent[element]], self.letter[element]]
        return left

    @cached_property
    def r_class(self) -> IntArray:
        """The class of x·M = y·M of every element; (M,)."""
        return number_components(self.right)

    @cached_property
    def l_class(self) -> IntArray:
        """The class of M·x = M·y of every element; (M,)."""
        return number_components(self.left)

    @cached_property
    def j_class(self) -> IntArray:
        """The class of M·x·M = M·y·M of every element; (M,)."""
        return number_components(np.concatenate([self.right, self.left], axis=1))

    @cached_property
    def r_levels(self) -> tuple[IntArray, IntArray]:
        """Lengths of words modulo the period, inside every R-class: `levels` of the right Cayley graph."""
        return measure_levels(self.right, self.r_class)

    @cached_property
    def is_idempotent(self) -> BoolArray:
        """True for elements x with x·x = x; (M,)."""
        return np.array([(row[row] == row).all() for row in self.rows], dtype=np.bool_)

    @cached_property
    def idempotents(self) -> tuple[int, ...]:
        """The first idempotent of every J-class that has one."""
        found = np.flatnonzero(self.is_idempotent)
        return tuple(found[np.sort(np.unique(self.j_class[found], return_index=True)[1])].tolist())

    @cached_property
    def grouped(self) -> IntArray:
        """The elements of groups that are not their identities."""
        return np.flatnonzero((self.own_idempotent >= 0) & ~self.is_idempotent)

    @cached_property
    def own_idempotent(self) -> IntArray:
        """The idempotent of the group an element lies in, -1 where it lies in none; (M,)."""
        keys = list(zip(self.r_class.tolist(), self.l_class.tolist(), strict=True))
        owner = {keys[x]: x for x in np.flatnonzero(self.is_idempotent).tolist()}
        return np.array([owner.get(key, -1) for key in keys], dtype=np.int64)


def build_monoid(
    table: IntArray, most: int = MAX_ELEMENTS, checkpoint: Callable[[], None] = lambda: None
) -> TransitionMonoid:
    """List the transformations of the states by words, up to a bound.

    The table is that of a complete DFA, (V, |Σ|); there are at most ``most`` elements, at least 1, and at
    most `MAX_CELLS` entries. The checkpoint is called for every element; it may raise to stop.

    >>> monoid = build_monoid(np.array([[0, 1], [1, 0]]))   # even number of the second symbol
    >>> len(monoid), monoid.is_complete, monoid.word(1)
    (2, True, (1,))
    """
    states, size = table.shape
    most = max(1, min(most, MAX_CELLS // states))
    kind = np.int16 if states <= np.iinfo(np.int16).max else np.int32
    columns = table.T.astype(kind)

    def successors(keys: list[bytes]) -> Iterator[list[bytes]]:
        for key in keys:
            checkpoint()
            yield [row.tobytes() for row in columns[:, np.frombuffer(key, kind)]]

    found, edges, is_complete = explore(np.arange(states, dtype=kind).tobytes(), successors, most)
    rows = np.frombuffer(b"".join(found[:most]), kind).reshape(-1, states)
    right = np.full((len(rows), size), -1, dtype=np.int64)
    right[: len(edges)] = edges
    right[right >= len(rows)] = -1
    return TransitionMonoid(rows, right, *find_entered(right), is_complete)


def list_cycle_lengths(monoid: TransitionMonoid) -> tuple[int, ...]:
    """Moduli that tell elements of a group apart by the lengths of their words, if any do; sorted.

    They are the gcds of the lengths of the words of idempotents in groups of two elements or more. If the
    monoid is incomplete, those of u^c for short words u with a cycle of c states.

    >>> list_cycle_lengths(build_monoid(np.array([[1, 2], [0, 2], [2, 2]])))   # (aa)*
    (2,)
    """
    if monoid.is_complete:
        return tuple(np.unique(monoid.r_levels[1][monoid.r_class[monoid.grouped]]).tolist())
    found: set[int] = set()
    for element in range(1, min(MEASURED, len(monoid))):
        moved = map(len, find_cycles(monoid.rows[element].tolist()))
        found.update(int(monoid.lengths[element]) * c for c in moved if c > 1)
    return tuple(sorted(found))


def iter_local_tables(monoid: TransitionMonoid) -> Iterator[tuple[int, IntArray]]:
    """The actions of local words of the first elements u on the image of e = u^N.

    The identity is left out. A table is (states of the image, local words).

    >>> parity = build_monoid(np.array([[0, 1], [1, 0]]))
    >>> [(element, table.tolist()) for element, table in iter_local_tables(parity)]
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


def find_idempotent_power(row: list[int]) -> IntArray:
    """The power of a transformation that is idempotent.

    >>> find_idempotent_power([1, 0, 0]).tolist()
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


def find_cycles(row: list[int]) -> Iterator[list[int]]:
    """The cycles of a transformation, by their first states in the order of walks.

    >>> list(find_cycles([1, 2, 1, 3]))
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
    common = lcm(*map(len, find_cycles(row)))
    return common * -(-len(row) // common)
