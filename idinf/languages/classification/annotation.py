"""Proofs of membership in C-RASP[periodic,local]: positions that show the last symbols and a residue.

Periodic and local predicates can write at every position i the k symbols before it and i modulo D; so if the
words with these notes are K ∩ (all words with right notes) for some K in C-RASP[], the language is in
C-RASP[periodic,local]. The words with right notes are in C-RASP[] themselves: each note leads from one pair
(last symbols, residue) to one, so any potential of the pairs is a labelling. Hence such a K exists iff the
noted words of the language are in C-RASP[], which is decided by the same procedure, the pairs being told
apart from the beginning.

It covers the products with a modulus and the block morphisms behind Lemma 42 of [HYB25]: with k = D - 1 every
whole block of D symbols is seen at the residue 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

import numpy as np

from idinf.languages.classification.components import measure_levels, number_components
from idinf.languages.classification.noted import Note, annotate_states
from idinf.languages.classification.potentials import find_inseparable
from idinf.targets.machine import BoolArray, IntArray

#: Largest modulus that is tried because a cycle has that length.
MAX_MODULUS = 60

#: Most moduli that are tried.
MAX_MODULI = 6

#: Most pairs of states, times symbols, that are followed through long windows.
MAX_PAIRS = 10_000_000


def is_separable(table: IntArray, window: int, modulus: int) -> bool:
    """Whether counts tell all states of a minimal DFA apart, given these notes; False if there are too many.

    Words of even length over one symbol; words over 0 and 1 without 00.

    >>> even, no_00 = np.array([[1], [0]]), np.array([[1, 0], [2, 0], [2, 2]])
    >>> is_separable(even, 0, 2), is_separable(even, 5, 1), is_separable(no_00, 1, 1)
    (True, False, True)
    """
    found = annotate_states(table, window, modulus)
    if found is None:
        return False
    numbers: dict[Note, int] = {}
    notes = np.array([numbers.setdefault(note, len(numbers)) for note in found.notes])
    return find_inseparable(np.array(found.table), notes) is None


def find_long_windows(table: IntArray, most: int = MAX_PAIRS) -> tuple[int, int] | None:
    """A window k and a modulus D with which counts tell all states apart; None if none is found.

    Two states of a component stay confused for ever if a common word of any length, read inside the
    component, leads to them from two states, at lengths that agree modulo the period of the component. The
    classes of this relation, closed transitively, are functions of the last k symbols and i modulo D for
    large k and D, since any state that is met twice after the same symbols has read them inside its
    component. So states of different classes may be told apart from the beginning. That notes may say more
    than these classes is not used, so None refutes nothing; it is also the answer above ``most`` pairs.

    >>> no_00, even_0 = np.array([[1, 0], [2, 0], [2, 2]]), np.array([[1, 0], [0, 1]])
    >>> find_long_windows(no_00), find_long_windows(even_0), find_long_windows(np.array([[1], [2], [0]]))
    ((1, 1), None, (0, 3))
    """
    component = number_components(table)
    level, period = measure_levels(table, component)
    residue = level % np.maximum(period, 1)[component]
    # States of one group are those of a component that no modulus tells apart.
    group = np.unique(component * len(table) + residue, return_inverse=True)[1]
    sizes = np.bincount(group)
    if int((sizes**2).sum()) * table.shape[1] > most:
        return None
    confused, window = _confused_pairs(table, component, group)
    if find_inseparable(table, _closure(len(table), confused)) is not None:
        return None
    return window, lcm(*period[period > 0].tolist())


def list_moduli(table: IntArray, lengths: Sequence[int], most: int = MAX_MODULI) -> tuple[int, ...]:
    """The moduli worth trying: the period of the components, alone and with lengths of cycles.

    The lengths are those of words that act as cycles. If their least common multiple is too large,
    each is tried.

    >>> list_moduli(np.array([[1], [0]]), (2,)), list_moduli(np.array([[0]]), (2, 61))
    ((2,), (1, 2))
    """
    _, periods = measure_levels(table, number_components(table))
    period = lcm(*periods[periods > 0].tolist())
    common = lcm(period, *lengths)
    several = [common] if common <= MAX_MODULUS else [lcm(period, length) for length in lengths]
    return tuple(sorted({period, *(d for d in several if d <= MAX_MODULUS)}))[:most]


def _confused_pairs(table: IntArray, component: IntArray, group: IntArray) -> tuple[IntArray, int]:
    """The pairs p < q of one group that words of every length lead to from such pairs, (number, 2); and the
    length from which on no word leads to any other.
    """
    states, parts = len(table), [np.zeros(0, dtype=np.int64)]
    for members in np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1]):
        one, other = np.triu_indices(len(members), 1)
        parts.append(members[one] * states + members[other])
    keys = np.sort(np.concatenate(parts))
    one, other = np.divmod(keys, states)
    successors = np.full((table.shape[1], len(keys)), -1, dtype=np.int64)
    for code in range(table.shape[1]):
        low, high = np.sort(np.stack([table[one, code], table[other, code]]), axis=0)
        inside = (low != high) & (component[low] == component[one]) & (component[high] == component[one])
        successors[code, inside] = np.searchsorted(keys, low[inside] * states + high[inside])
    stays, length = _met_for_ever(successors)
    return np.stack([one, other], axis=1)[stays], length


def _met_for_ever(successors: IntArray) -> tuple[BoolArray, int]:
    """Which vertices walks of every length lead to, (n,), -1 being no successor; and the length from which on
    no walk leads to any other.
    """
    number = successors.shape[1]
    arriving = np.bincount(successors[successors >= 0], minlength=number)
    stays = np.ones(number, dtype=np.bool_)
    frontier = np.flatnonzero(arriving == 0)
    length = 0
    while len(frontier):
        length += 1
        stays[frontier] = False
        left = successors[:, frontier]
        left, times = np.unique(left[left >= 0], return_counts=True)
        arriving[left] -= times
        frontier = left[arriving[left] == 0]
    return stays, length


def _closure(states: int, pairs: IntArray) -> IntArray:
    """The classes of the least equivalence with the given pairs; (V,)."""
    classes = np.arange(states)
    while True:
        least = np.minimum(classes[pairs[:, 0]], classes[pairs[:, 1]])
        before = classes.copy()
        for side in (0, 1):
            np.minimum.at(classes, pairs[:, side], least)
        classes = classes[classes]
        if (classes == before).all():
            return np.asarray(classes)
