"""The decision procedure for C-RASP[] of [D26]: which states counts can tell apart inside a component.

Inside a strongly connected component let A be the symbols on its edges. A labelling m of the edge labels by
numbers whose sum around every cycle is 0 gives every state a *potential*, the sum of the labels on any way
to it. Edges are relabelled by (old label, value reached after them) until the number of labels is stable; an
edge that a state lacks goes to a garbage state of its own.

Two remarks make this short. All labellings are a rational space, so "value" is the vector of values over a
basis of it. And by induction a label is the same as (symbol, class of the state it leaves), classes being the
states of equal value so far: from equal labels equal values are reached iff one left from equal values. Every
state has an edge for each symbol of A, to garbage if need be, so two states have equal sets of labels iff
they are of one class. What is refined is therefore a partition of the states, from one class on, and counts
decide the language iff in every component it ends with classes of one state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from idinf.errors import BudgetError
from idinf.languages.classification.by_automaton import measure_levels, number_components
from idinf.targets.machine import IntArray


@dataclass(frozen=True, slots=True)
class Component:
    """States 0..n-1 of a component, the edges inside it, and a spanning tree from state 0.

    ``tree`` lists an edge into every state but 0, those of states nearer to 0 first.
    """

    size: int
    source: IntArray
    symbol: IntArray
    target: IntArray
    tree: IntArray


def drop_last_symbol(table: IntArray) -> tuple[IntArray, IntArray]:
    """Merge states with equal successors: what a word must tell before its last symbol is read.

    The merged table, (V', |Σ|), still has the start 0; with a state of ``table`` for every one of it, (V',).

    The procedure decides by counts alone, as at a marker after the word. In Definition 8 of [HYB25]_ the last
    symbol is read too: "a" alone is a program, for Σ*a. For a fixed last symbol σ its counts are those before
    it and constants, so L is in C-RASP[] iff every Lσ⁻¹ is decided by counts alone. These languages share the
    DFA of L with states of equal rows merged. If it is separated, a program knows its state; if not, two
    states that some Lσ⁻¹ tells apart are not, in the minimal DFA of that language either, as labellings of a
    smaller DFA are labellings of a larger one.

    >>> [array.tolist() for array in drop_last_symbol(np.array([[1, 0], [1, 0]]))]   # Σ*a
    [[[0, 0]], [0]]
    """
    rows: dict[tuple[int, ...], int] = {}
    number = np.array([rows.setdefault(tuple(row), len(rows)) for row in table.tolist()], dtype=np.int64)
    first = np.unique(number, return_index=True)[1]
    return number[table[first]], first


def find_inseparable(table: IntArray, initial: IntArray | None = None) -> tuple[int, int] | None:
    """Two states of one component that C-RASP[] cannot tell apart; None if there are none.

    The table is that of a complete DFA, (V, |Σ|). States of different initial classes, (V,), are told apart
    from the beginning.

    For the minimal complete DFA and no initial classes, None means that counts decide the language, by the
    decision procedure of [D26]_; what the last symbol adds is said in `drop_last_symbol`.
    """
    classes = np.zeros(len(table), dtype=np.int64) if initial is None else initial
    for states, part in iter_component_parts(table):
        _, first, group = np.unique(
            find_stable_classes(part, classes[states]), return_index=True, return_inverse=True
        )
        repeated = np.flatnonzero(first[group] < np.arange(len(states)))
        if len(repeated):
            return int(states[first[group[repeated[0]]]]), int(states[repeated[0]])
    return None


def find_stable_classes(part: Component, classes: IntArray) -> IntArray:
    """Refine the classes of a component until their number is stable; (n,)."""
    classes = np.unique(classes, return_inverse=True)[1]
    before, count = 0, int(classes.max()) + 1
    while before < count < part.size:
        classes = refine_classes(part, classes)
        before, count = count, int(classes.max()) + 1
    return classes


def refine_classes(part: Component, classes: IntArray) -> IntArray:
    """Split classes by the values of all labellings of the pairs (symbol, class left); (n,)."""
    keys = part.symbol * (int(classes.max()) + 1) + classes[part.source]
    labels = np.unique(keys, return_inverse=True)[1]
    count = int(labels.max()) + 1
    values = _by_labels(part, labels, count) if count < part.size else _by_states(part, labels, count)
    numbers: dict[tuple[int, ...], int] = {}
    rows = zip(classes.tolist(), values.tolist(), strict=True)
    return np.array([numbers.setdefault((own, *row), len(numbers)) for own, row in rows], dtype=np.int64)


def _by_labels(part: Component, labels: IntArray, count: int) -> Matrix:
    """Values of the states over a basis, with the numbers of the labels as unknowns; (n, d).

    One equation per edge outside the tree: the way to its source, the edge, and the way back from its
    target along the tree sum to 0.
    """
    ways = np.zeros((part.size, count), dtype=np.int64)
    for edge in part.tree.tolist():
        ways[part.target[edge]] = ways[part.source[edge]]
        ways[part.target[edge], labels[edge]] += 1
    equations = ways[part.source] - ways[part.target]
    equations[np.arange(len(labels)), labels] += 1
    return multiply(ways, solve_kernel(equations))


def _by_states(part: Component, labels: IntArray, count: int) -> Matrix:
    """The same, with the values of the states as unknowns, where there are fewer of them; (n, d).

    One equation per edge that is not the first with its label: both raise the value by the same.
    """
    first = np.full(count, -1, dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels))[::-1]
    ends = np.stack([part.target, part.source, part.target[first[labels]], part.source[first[labels]]])
    ends = ends[:, (ends[:2] != ends[2:]).any(axis=0)]
    keys = np.ravel_multi_index(tuple(ends), (part.size,) * 4)
    ends = ends[:, np.unique(keys, return_index=True)[1]]
    equations = np.zeros((ends.shape[1], part.size), dtype=np.int64)
    for states, sign in zip(ends, (1, -1, -1, 1), strict=True):
        np.add.at(equations, (np.arange(len(states)), states), sign)
    basis = solve_kernel(equations[:, 1:])  # state 0 has the value 0
    return np.concatenate([np.zeros((1, basis.shape[1]), dtype=basis.dtype), basis])


def iter_component_parts(table: IntArray) -> Iterator[tuple[IntArray, Component]]:
    """Every component of at least two states, with its states in the numbering of the table."""
    component = number_components(table)
    level, _ = measure_levels(table, component)
    place = np.empty(len(table), dtype=np.int64)
    order = np.argsort(component, kind="stable")
    for states in np.split(order, np.cumsum(np.bincount(component))[:-1]):
        if len(states) == 1:
            continue
        place[states] = np.arange(len(states))
        source, symbol = np.nonzero(component[table[states]] == component[states[0]])
        target = place[table[states[source], symbol]]
        depth = level[states]
        tree = np.flatnonzero(depth[target] == depth[source] + 1)
        tree = tree[np.unique(target[tree], return_index=True)[1]]
        tree = tree[np.argsort(depth[target[tree]], kind="stable")]
        yield states, Component(len(states), source, symbol, target, tree)


#: 2^e - 1 is prime for these e. The first fits int64 products; larger ones are for larger solutions.
EXPONENTS = (31, 127, 521, 2203, 9941, 44497)

#: Integers below this are exact in float64.
EXACT = 1 << 53

#: Integers as int64, or as Python objects where they are large.
Matrix = npt.NDArray[Any]


def solve_kernel(matrix: IntArray) -> Matrix:
    """A basis of the rational solutions of matrix · x = 0.

    The columns, (C, d), are independent integer solutions, and every rational solution is a combination of
    them; int64, or Python integers where one is large. A `BudgetError` says that one has more than 20,000
    bits.

    The columns are checked in integers: they solve the system, and each is the only one with an entry in
    its own free coordinate. The rank over the rationals is at least the rank modulo a prime, so there are no
    more than C less that rank independent solutions: they span all. A prime that gives another rank, or
    too few digits, fails the check, and the next one is tried.

    >>> solve_kernel(np.array([[2, -1, 0], [0, 1, -2]])).tolist()
    [[1], [2], [1]]
    """
    distinct = np.unique(matrix[matrix.any(axis=1)], axis=0)
    for exponent in EXPONENTS:
        prime = (1 << exponent) - 1
        numbers: Matrix = distinct if exponent == EXPONENTS[0] else distinct.astype(object)
        basis = _lifted(distinct, *_reduced(numbers % prime, prime), prime)
        if basis is not None:
            return basis
    raise BudgetError(
        f"a system of {distinct.shape[0]} equations in {distinct.shape[1]} unknowns has solutions of more "
        f"than {EXPONENTS[-1] // 2} bits; expected smaller ones; classify a smaller automaton"
    )


def _reduced(matrix: Matrix, prime: int) -> tuple[Matrix, list[int]]:
    """Reduced row echelon form modulo a prime, without zero rows, and its pivot columns."""
    pivots: list[int] = []
    for column in range(matrix.shape[1]):
        rank = len(pivots)
        choices = np.flatnonzero(matrix[rank:, column]) + rank
        if not len(choices):
            continue
        # The sparsest row keeps the others sparse, and rows without an entry are left alone.
        best = int(choices[np.argmin(np.count_nonzero(matrix[choices, column:], axis=1))])
        matrix[[rank, best]] = matrix[[best, rank]]
        matrix[rank, column:] = matrix[rank, column:] * pow(int(matrix[rank, column]), -1, prime) % prime
        others = np.flatnonzero(matrix[:, column])
        others = others[others != rank]
        change = matrix[others, column, None] * matrix[rank, column:]
        matrix[others, column:] = (matrix[others, column:] - change) % prime
        pivots.append(column)
    return matrix[: len(pivots)], pivots


def _lifted(matrix: IntArray, reduced: Matrix, pivots: list[int], prime: int) -> Matrix | None:
    """Integer solutions for the free columns; None if one does not solve the system."""
    columns = matrix.shape[1]
    free = np.setdiff1d(np.arange(columns), pivots)
    basis = np.zeros((columns, len(free)), dtype=reduced.dtype)
    residues = -reduced[:, free] % prime
    basis[pivots] = np.where(residues > prime // 2, residues - prime, residues)
    basis[free, np.arange(len(free))] = 1
    wrong = np.flatnonzero(multiply(matrix, basis).any(axis=0))
    for column in wrong.tolist():
        fractions = _common_denominator(residues[:, column].tolist(), prime)
        if fractions is None:
            return None
        numerators, denominator = fractions
        basis[pivots, column] = numerators
        basis[free[column], column] = denominator
    if len(wrong) and multiply(matrix, basis[:, wrong]).any():
        return None
    return basis


def multiply(matrix: IntArray, basis: Matrix) -> Matrix:
    """The product in integers, whatever their size.

    >>> multiply(np.array([[1, 2]]), np.array([[1 << 62], [1 << 62]])).tolist()
    [[13835058055282163712]]
    """
    if not matrix.size or not basis.size:
        return np.zeros((len(matrix), basis.shape[1]), dtype=np.int64)
    if int(abs(matrix).sum(axis=1).max()) * int(abs(basis).max()) < EXACT:
        # Sums of integers below 2^53 are exact in float64, and fast.
        return np.asarray((matrix.astype(np.float64) @ basis.astype(np.float64)).astype(np.int64))
    return np.asarray(matrix.astype(object) @ basis.astype(object))


def _common_denominator(residues: list[int], prime: int) -> tuple[list[int], int] | None:
    """Small integers n_i and d with n_i = d · residue_i modulo the prime; None if there are none."""
    bound = isqrt(prime // 2)
    denominator = 1
    for residue in residues:
        # Euclid's algorithm stops at the first remainder that is small enough to be the numerator.
        before, remainder = prime, residue * denominator % prime
        previous, factor = 0, 1
        while remainder > bound:
            quotient = before // remainder
            before, remainder = remainder, before - quotient * remainder
            previous, factor = factor, previous - quotient * factor
        denominator *= abs(factor)
        if not 0 < denominator <= bound:
            return None
    numerators = [residue * denominator % prime for residue in residues]
    return [n - prime if n > prime // 2 else n for n in numerators], denominator
