"""Proofs that a language is not in C-RASP[periodic,local]: reductions to a neutral symbol.

With a neutral symbol e, one that acts on no state, periodic and local predicates do not help: a program can
be read on words padded with e, where every window shows one other symbol at most, so the language is in
C-RASP[] ([HYB25] Lemma 34, and Lemma 40 for one symbol). Two closures carry this to other languages. First,
the inverse image under a morphism that maps every symbol to a word of one length k stays in the class
(Lemma 42). Second, so do x⁻¹L and Ly⁻¹ for fixed words: a program knows what counts a fixed beginning
adds, and what happens in a fixed number of further steps.

So take an idempotent e of the syntactic monoid and the elements x = e·x·e that are images of words of one
length k, as e is. As symbols, e is neutral among them. If counts cannot tell apart two states of the image of
e under these symbols, some x⁻¹Ly⁻¹ with these symbols is not in C-RASP[], and L is not in
C-RASP[periodic,local]. Σ*be*, PARITY and all languages outside AC0 are cases.

Where the monoid is too large to list, local words u^N·y·u^m of short words u take the place of e·x·e: u^N
acts as an idempotent e, and N·|u| divides the length of every e·y·u^m·e with |y| + m·|u| ≡ 0 modulo N·|u|.
Filled up with e, finitely many of them have one length. So they are elements of the stable semigroup, and e
is neutral among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isqrt, lcm

import numpy as np

from idinf.languages.classification.monoid import TransitionMonoid
from idinf.languages.classification.potentials import find_inseparable
from idinf.targets.machine import BoolArray, IntArray

#: Words u that are tried, and words y, and cells of the equations for one u.
BASES, MIDDLES, CELLS = 60, 60, 1_000_000

#: Most classes of idempotents that are tried.
MAX_IDEMPOTENTS = 300

#: Most elements times periods that are followed for all of them.
MAX_FOLLOWED = 20_000_000

#: Most entries of a table of local symbols times states; fewer symbols are a weaker test, and no wrong one.
MAX_WORK = 4_000_000


def find_inseparable_idempotent(
    monoid: TransitionMonoid, checkpoint: Callable[[], None] = lambda: None
) -> int | None:
    """An idempotent of a complete monoid whose local symbols counts cannot follow; None if none was found.

    One idempotent of every J-class is enough: the others have isomorphic local symbols, by multiplication
    with words whose lengths together are lengths of words of the idempotent. The checkpoint is called before
    each; it may raise to stop.

    >>> from idinf.languages.classification.monoid import build_monoid
    >>> tomita_3 = np.array([[0, 1], [2, 0], [3, 4], [2, 1], [4, 4]])
    >>> monoid = build_monoid(tomita_3)
    >>> element = find_inseparable_idempotent(monoid)
    >>> element is not None and monoid.word(element)
    (0, 0)
    """
    followed = 0
    for idempotent in monoid.idempotents[:MAX_IDEMPOTENTS]:
        checkpoint()
        period = int(monoid.r_levels[1][monoid.r_class[idempotent]])
        if not period:
            continue  # the identity as the image of ε alone, so of no word of length k
        followed += len(monoid) * period
        if followed > MAX_FOLLOWED:
            break
        if find_inseparable(_local_table(monoid, idempotent, period)) is not None:
            return idempotent
    return None


def _local_table(monoid: TransitionMonoid, idempotent: int, period: int) -> IntArray:
    """How the local symbols of an idempotent act on its image; (states of the image, symbols).

    Symbols are the x = e·x·e that have a word whose length is a multiple of d, the period, which is the gcd
    of the lengths of the words of e. These lengths contain all large multiples of d, so for each choice of
    finitely many symbols some one length k serves them and e.
    """
    own = monoid.rows[idempotent].astype(np.int64)
    image = np.unique(own)
    members = np.flatnonzero(_at_residue_0(monoid, idempotent, period))
    members = members[(own[monoid.rows[members]] == monoid.rows[members]).all(axis=1)]
    members = members[: max(1, MAX_WORK // len(image) ** 2)]
    return np.asarray(np.searchsorted(image, monoid.rows[members][:, image]).T.astype(np.int64))


def _at_residue_0(monoid: TransitionMonoid, idempotent: int, period: int) -> BoolArray:
    """Which e·x are reached from e by a word whose length is a multiple of the period; (M,)."""
    reached = np.zeros((len(monoid), period), dtype=np.bool_)
    places = np.array([idempotent * period])
    flat = reached.reshape(-1)
    while len(places):
        flat[places] = True
        frontier, residues = np.divmod(places, period)
        stepped = monoid.right[frontier] * period + ((residues + 1) % period)[:, None]
        places = np.unique(stepped)
        places = places[~flat[places]]
    return np.asarray(reached[:, 0])


def iter_local_tables(monoid: TransitionMonoid) -> Iterator[tuple[int, IntArray]]:
    """The actions of local words of the first elements u on the image of e = u^N.

    The identity is left out. A table is (states of the image, local words).

    >>> from idinf.languages.classification.monoid import build_monoid
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
