"""Proofs of membership in C-RASP[periodic,local]: positions that show the last symbols and a residue.

Periodic and local predicates can write at every position i the k symbols before it and i modulo D; so if the
words with these notes are K ∩ (all words with right notes) for some K in C-RASP[], the language is in
C-RASP[periodic,local]. The words with right notes are in C-RASP[] themselves: each note leads from one pair
(last symbols, residue) to one, so any potential of the pairs is a labelling. Hence such a K exists iff the
noted words of the language are in C-RASP[], which is decided by the same procedure, the pairs being told apart
from the beginning.

It covers the products with a modulus and the block morphisms behind Lemma 42 of [HYB25]: with k = D - 1 every
whole block of D symbols is seen at the residue 0.
"""

from __future__ import annotations

from math import lcm

import numpy as np

from idinf.classification.components import components, levels
from idinf.classification.potentials import inseparable
from idinf.targets.machine import IntArray

__all__ = ["MAX_ANNOTATED", "annotated_separable", "annotations"]

#: Most states of a DFA with its notes.
MAX_ANNOTATED = 3_000

#: Most symbols that a note remembers.
MAX_WINDOW = 12


def annotations(table: IntArray) -> list[tuple[int, int]]:
    """The pairs (k, D) worth trying, cheapest first.

    D is 1 or the least common multiple of the periods of the components: walks of lengths that differ
    modulo it never compete.

    Examples
    --------
    >>> annotations(np.array([[1], [0]]))[:3]
    [(0, 2), (1, 1), (1, 2)]
    """
    component = components(table)
    period = lcm(*(p for p in levels(table, component)[1].tolist() if p))
    moduli = sorted({1, period})
    states, size = table.shape
    found = []
    for window in range(MAX_WINDOW + 1):
        notes = sum(size**k for k in range(window + 1))
        found += [(window, d) for d in moduli if (window or d > 1) and states * notes * d <= MAX_ANNOTATED]
    return found


def annotated_separable(table: IntArray, window: int, modulus: int) -> bool:
    """Whether counts tell all states apart, given the last symbols and the length modulo D.

    Parameters
    ----------
    table : (V, |Σ|) ndarray of int64
        Of the minimal complete DFA; state 0 is the start.
    window : int
        How many symbols before the present one are known, k.
    modulus : int
        D.

    Examples
    --------
    Words of even length over one symbol; words over 0 and 1 without 00.

    >>> even, no_00 = np.array([[1], [0]]), np.array([[1, 0], [2, 0], [2, 2]])
    >>> annotated_separable(even, 0, 2), annotated_separable(even, 5, 1), annotated_separable(no_00, 1, 1)
    (True, False, True)
    """
    pasts = _pasts(table.shape[1], window)
    notes = len(pasts) * modulus
    states, past, residue = np.meshgrid(
        np.arange(len(table)), np.arange(len(pasts)), np.arange(modulus), indexing="ij"
    )
    following = table[states.ravel()] * notes + pasts[past.ravel()] * modulus
    following += ((residue.ravel() + 1) % modulus)[:, None]
    reached = _reached(following)
    place = np.cumsum(reached) - 1
    return inseparable(place[following[reached]], np.flatnonzero(reached) % notes) is None


def _pasts(size: int, window: int) -> IntArray:
    """The last ``window`` symbols as a machine; (number of words of at most that length, |Σ|)."""
    shorter = sum(size**k for k in range(window))  # words are numbered by length, then alphabet
    rows = []
    for number in range(shorter + size**window):
        if number < shorter:
            rows.append([number * size + 1 + code for code in range(size)])
        else:
            kept = (number - shorter) * size
            rows.append([shorter + (kept + code) % size**window for code in range(size)])
    return np.array(rows, dtype=np.int64)


def _reached(table: IntArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    reached = np.zeros(len(table), dtype=np.bool_)
    frontier = np.zeros(1, dtype=np.int64)
    while len(frontier):
        reached[frontier] = True
        frontier = np.unique(table[frontier])
        frontier = frontier[~reached[frontier]]
    return reached
