"""Languages of which the first and the last symbols of a word tell all: generalised definite ones.

The minimal DFA decides this in polynomial time, where the syntactic monoid may have 2^k elements.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idinf.languages.classification.components import measure_levels, number_components
from idinf.targets.machine import IntArray


@dataclass(frozen=True, slots=True)
class EndLengths:
    """So many first and last symbols decide whether a word that has as many is in a language."""

    first: int
    last: int

    def __str__(self) -> str:
        parts = [f"first {self.first}" if self.first else "", f"last {self.last}" if self.last else ""]
        kind = "generalised " if self.first and self.last else "reverse " if self.first else ""
        return f"{kind}definite: the {' and '.join(filter(None, parts))} symbols of a word decide"


def find_ends(table: IntArray) -> EndLengths | None:
    """How many symbols at both ends decide, by a minimal complete DFA, (V, |Σ|); None if no number does.

    This is so iff e·s·e = e for all idempotents e of the syntactic semigroup and all s. If a cycle of the DFA
    can be left, take a word e that goes around it and s that leaves it; and if two states of a component
    return to themselves by one word e, take s that leads from one to the other. So a component with a
    cycle must be closed, and words of one length must lead all its states to one. Conversely a word then
    enters a closed component by its first symbols, and by its last ones forgets where.

    Σ*aΣ, then aΣ*b, then (ab)*, over two symbols.

    >>> str(find_ends(np.array([[1, 0], [2, 3], [2, 3], [1, 0]])))
    'definite: the last 2 symbols of a word decide'
    >>> find_ends(np.array([[1, 3], [1, 2], [1, 2], [3, 3]]))
    EndLengths(first=1, last=1)
    >>> find_ends(np.array([[1, 2], [2, 0], [2, 2]])) is None
    True
    """
    component = number_components(table)
    leaves = np.zeros(int(component.max()) + 1, dtype=np.bool_)
    leaves[component[(component[table] != component[:, None]).any(axis=1)]] = True
    is_cyclic = measure_levels(table, component)[1] > 0
    if (leaves & is_cyclic).any():
        return None
    closed = ~leaves[component]
    # States that words of length ``last`` lead to one, merged; others keep numbers of their own.
    classes, number, last = np.arange(len(table)), len(table), 0
    wanted = len(np.unique(component[closed])) + int((~closed).sum())
    while number > wanted:
        rows = np.where(closed[:, None], classes[table], -1 - np.arange(len(table))[:, None])
        classes = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        merged = int(classes.max()) + 1
        if merged == number:
            return None
        number, last = merged, last + 1
    first, frontier = 0, np.zeros(1, dtype=np.int64)
    while len(frontier := frontier[~closed[frontier]]):
        first, frontier = first + 1, np.unique(table[frontier])
    return EndLengths(first, last)
