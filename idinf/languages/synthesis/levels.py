"""Weighted sums of what was read that tell the states of one component apart, level by level.

A level labels every edge inside a component by its symbol and by what is known of the state it leaves, and
weighs the labels so that all ways from an entry to a state have one sum, its *value*. So the weighted number
of labels read since the component was entered is a function of the state. What is known at the next level is
the value. At first it is only what the last symbols and the length modulo D show, a number for each state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from idinf.languages.classification.kernel import Matrix, solve_kernel

#: Factors that are tried in combinations of two weightings.
FACTORS = ((1, 1), (1, -1), (1, 2), (2, 1), (1, -2), (2, -1), (1, 3), (3, 1), (1, -3), (3, -1))

#: Weightings up to which their combinations are tried.
FEW = 12

#: Number of the class of each state, in the order of the states.
Classes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges inside a component; states are numbered from 0, and each is reached from some root.

    `size`: number of states. `roots`: where the component is entered.
    """

    size: int
    roots: tuple[int, ...]
    edges: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a component.

    `labels`: code of the symbol, and class of the state before. `weights`: for each of d sums the weights of
    the labels. `values`: for each state its d values; for a root, where the sums begin. `classes`: states of
    one class are not told apart.
    """

    labels: tuple[tuple[int, int], ...]
    weights: tuple[tuple[int, ...], ...]
    values: tuple[tuple[int, ...], ...]
    classes: Classes


def find_levels(part: Edges, known: Classes) -> list[Level] | None:
    """Find the levels up to one that tells all states apart; None if there is none.

    Implements the decision procedure of [D26]_.

    `known`: what is known of the states beforehand.

    (ab)*, without its sink: #b − #a is 0 or −1. Two states that one loop leads through are not told apart.

    >>> find_levels(Edges(2, (0,), ((0, 0, 1), (1, 1, 0))), (0, 0))[0].values
    ((0,), (-1,))
    >>> find_levels(Edges(2, (0,), ((0, 0, 1), (1, 0, 0))), (0, 0)) is None
    True
    """
    classes, found = known, list[Level]()
    while len(set(classes)) < part.size:
        labels = tuple(sorted({(code, classes[source]) for source, code, _ in part.edges}))
        weights, values = _simplest(*_solved(part, labels, classes), known)
        now = _numbered(known, values)
        if len(set(now)) == len(set(classes)):
            return None
        columns = tuple(tuple(row) for row in weights[: len(labels)].T.tolist())
        found.append(Level(labels, columns, tuple(map(tuple, values.tolist())), now))
        classes = now
    return found


def _solved(part: Edges, labels: Sequence[tuple[int, int]], classes: Classes) -> tuple[Matrix, Matrix]:
    """A basis of weights of labels and beginnings of roots, (labels + roots, d); values, (n, d)."""
    place = {label: k for k, label in enumerate(labels)}
    width = len(labels) + len(part.roots)
    ways = {root: np.eye(width, dtype=np.int64)[len(labels) + k] for k, root in enumerate(part.roots)}
    leaving: dict[int, list[tuple[int, int]]] = {}
    for source, code, target in part.edges:
        leaving.setdefault(source, []).append((place[code, classes[source]], target))
    unit, order, equations = np.eye(width, dtype=np.int64), list(part.roots), []
    for source in order:  # grows while it is read: breadth-first
        for label, target in leaving.get(source, ()):
            way = ways[source] + unit[label]
            if target in ways:
                equations.append(way - ways[target])
            else:
                ways[target] = way
                order.append(target)
    # One beginning may be chosen freely: it is 0.
    equations.append(unit[len(labels)])
    basis = solve_kernel(np.array(equations))
    return basis, np.array([ways[state] for state in range(part.size)]) @ basis


def _simplest(weights: Matrix, values: Matrix, known: Classes) -> tuple[Matrix, Matrix]:
    """Few combinations of weightings, with few and small weights, that tell apart what all of them do."""
    single = min(_alone(weights, values, known), key=lambda found: _size(found[0]), default=None)
    if single is not None:
        return single
    kept: list[int] = []
    for k in sorted(range(weights.shape[1]), key=lambda k: _size(weights[:, [k]])):
        if len(set(_numbered(known, values[:, [*kept, k]]))) > len(set(_numbered(known, values[:, kept]))):
            kept.append(k)
    return weights[:, kept], values[:, kept]


def _alone(weights: Matrix, values: Matrix, known: Classes) -> Iterator[tuple[Matrix, Matrix]]:
    """Combinations of at most two weightings that alone tell apart what all of them do."""
    columns = [(weights[:, [k]], values[:, [k]]) for k in range(weights.shape[1])]
    pairs = list(combinations(columns, 2)) if len(columns) <= FEW else []
    columns += [
        (a * one[0] + b * other[0], a * one[1] + b * other[1])
        for (one, other), (a, b) in product(pairs, FACTORS)
    ]
    most = len(set(_numbered(known, values)))
    yield from (column for column in columns if len(set(_numbered(known, column[1]))) == most)


def _size(weights: Matrix) -> tuple[int, int]:
    return int((weights != 0).sum()), int(np.abs(weights).sum())


def _numbered(known: Classes, values: Matrix) -> Classes:
    """Number the states by what is known beforehand and their values."""
    numbers: dict[tuple[int, ...], int] = {}
    rows = zip(known, values.tolist(), strict=True)
    return tuple(numbers.setdefault((own, *row), len(numbers)) for own, row in rows)
