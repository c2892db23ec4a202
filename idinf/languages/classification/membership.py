"""Membership of a regular language in C-RASP[] and in C-RASP[periodic,local].

*The decision procedure for C-RASP[]* of [D26] asks which states counts can tell apart inside a component.
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

*Proofs that it is in the latter*: positions show the last symbols and a residue. Periodic and local
predicates can write at every position i the k symbols before it and i modulo D; so if the words with these
notes are K ∩ (all words with right notes) for some K in C-RASP[], the language is in C-RASP[periodic,local].
The words with right notes are in C-RASP[] themselves: each note leads from one pair (last symbols, residue)
to one, so any potential of the pairs is a labelling. Hence such a K exists iff the noted words of the
language are in C-RASP[], which is decided by the same procedure, the pairs being told apart from the
beginning. It covers the products with a modulus and the block morphisms behind Lemma 42 of [HYB25]: with
k = D - 1 every whole block of D symbols is seen at the residue 0.

*Proofs that it is not*: reductions to a neutral symbol. With a neutral symbol e, one that acts on no state,
predicates do not help: a program can be read on words padded with e, where every window shows one other
symbol at most, so the language is in C-RASP[] ([HYB25] Lemma 34, and Lemma 40 for one symbol). Two closures
carry this to other languages. First, the inverse image under a morphism that maps every symbol to a word of
one length k stays in the class (Lemma 42). Second, so do x⁻¹L and Ly⁻¹ for fixed words: a program knows what
counts a fixed beginning adds, and what happens in a fixed number of further steps.

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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import isqrt, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from idinf.errors import BudgetError
from idinf.languages.classification.by_automaton import (
    EndLengths,
    Finding,
    measure_levels,
    no,
    number_components,
    show_word,
    unknown,
    word_to,
    yes,
)
from idinf.languages.classification.monoid import TransitionMonoid, iter_local_tables, list_cycle_lengths
from idinf.targets.machine import BoolArray, IntArray, explore
from idinf.targets.regular import RegularTarget

#: Windows that are tried symbol by symbol.
WINDOWS = 4

#: Largest modulus that is tried because a cycle has that length.
MAX_MODULUS = 60

#: Most moduli that are tried.
MAX_MODULI = 6

#: Most pairs of states, times symbols, that are followed through long windows.
MAX_PAIRS = 10_000_000

#: Most states with notes that are followed.
MAX_NOTED = 1_500

#: Most classes of idempotents that are tried.
MAX_IDEMPOTENTS = 300

#: Most elements times periods that are followed for all of them.
MAX_FOLLOWED = 20_000_000

#: Most entries of a table of local symbols times states; fewer symbols are a weaker test, and no wrong one.
MAX_WORK = 4_000_000

#: 2^e - 1 is prime for these e. The first fits int64 products; larger ones are for larger solutions.
EXPONENTS = (31, 127, 521, 2203, 9941, 44497)

#: Integers below this are exact in float64.
EXACT = 1 << 53

#: Integers as int64, or as Python objects where they are large.
Matrix = npt.NDArray[Any]


def in_crasp(machine: RegularTarget) -> Finding:
    """Decide membership in C-RASP[].

    Implements the decision procedure of [D26]_ on the minimal complete DFA, with the last symbol read as in
    Definition 8 of [HYB25]_: see `idinf.languages.classification.membership.drop_last_symbol`.
    """
    if find_inseparable(machine.table) is None:
        return yes(
            "in every component of the minimal DFA counts tell all states apart (arXiv 2608.13433)", (0, 1)
        )
    merged, first = drop_last_symbol(machine.table)
    pair = find_inseparable(merged)
    if pair is None:
        return yes(
            "in every component of the minimal DFA counts tell apart all states that the last symbol, "
            "which a program reads, does not tell apart (arXiv 2608.13433; arXiv 2410.02140, Definition 8)",
            (0, 1),
        )
    one, other = (int(first[state]) for state in pair)
    return no(
        f"after {word_to(machine, one)} and after {word_to(machine, other)} the minimal DFA is in two "
        "states that reach each other, and no counts that sum to 0 around every cycle tell them apart "
        "(arXiv 2608.13433)"
    )


def in_crasp_periodic_local(
    machine: RegularTarget,
    monoid: TransitionMonoid,
    crasp: Finding,
    ends: EndLengths | None = None,
    checkpoint: Callable[[], None] = lambda: None,
) -> Finding:
    """Prove or refute membership in C-RASP[periodic,local], or say that neither is done.

    The monoid is that of the machine's table, ``crasp`` the membership in C-RASP[], decided,
    ``ends`` how many symbols at the ends of a word decide, if that is known. The checkpoint is called between
    the attempts; it may raise to stop.
    """
    if crasp.is_yes:
        return yes("in C-RASP[], which needs no predicates", crasp.notes)
    neutral = (machine.table == np.arange(len(machine.table))[:, None]).all(axis=0)  # (|Σ|,)
    if neutral.any():
        symbol = machine.alphabet.symbols[int(np.argmax(neutral))]
        return no(
            f"{symbol} moves no state, and with such a neutral symbol predicates "
            "add nothing to C-RASP[] (arXiv 2410.02140, Lemmas 34, 35, 41), in which it is not"
        )
    if ends is not None:  # no cycle but in closed components, where the last symbols tell the state
        return _annotated(max(ends.last - 1, 0), 1)
    # The cheap proof first, then what is likely for a large DFA, then what takes long.
    merged, _ = drop_last_symbol(machine.table)
    found = find_long_windows(merged)
    if found is not None:
        return _annotated(*found)
    if monoid.is_complete:
        element = find_inseparable_idempotent(monoid, checkpoint)
    else:
        local = iter_local_tables(monoid)
        element = None
        for candidate, table in local:
            checkpoint()
            if find_inseparable(table) is not None:
                element = candidate
                break
    if element is not None:
        # The identity is a power of any symbol that permutes the states, and one does.
        permuting = (x for x in monoid.right[0].tolist() if monoid.r_class[x] == monoid.r_class[0])
        word = show_word(machine.alphabet, monoid.word(element or next(permuting)))
        return no(
            f"a power of u = {word} is idempotent; among words of one length it is a neutral symbol for a "
            "language outside C-RASP[] (arXiv 2608.13433), so the predicates do not help "
            "(arXiv 2410.02140, Lemmas 34, 42)"
        )
    tried = list_moduli(merged, list_cycle_lengths(monoid))
    for modulus in tried:
        checkpoint()
        noted = annotate_states(merged, 0, modulus)
        found = None if noted is None else find_long_windows(np.array(noted.table))
        if found is not None:
            return _annotated(*found)
    for window, modulus in product(range(1, WINDOWS + 1), tried):
        checkpoint()
        if is_separable(merged, window, modulus):
            return _annotated(window, modulus)
    size = "" if monoid.is_complete else f"; {monoid.excess}"
    return unknown(f"no proof with a window and a modulus, no reduction to a neutral symbol{size}")


def _annotated(window: int, modulus: int) -> Finding:
    last = "the symbol before it" if window == 1 else f"the {window} symbols before it"
    notes = [last] * (window > 0) + [f"i modulo {modulus}"] * (modulus > 1)
    return yes(
        f"in C-RASP[] once every position i shows {' and '.join(notes)} (arXiv 2608.13433), which local "
        "and periodic predicates do (arXiv 2410.02140, Lemma 42)",
        (window, modulus),
    )


def is_separable(table: IntArray, window: int, modulus: int) -> bool:
    """True if counts tell all states of a minimal DFA apart, given these notes; False if there are too many.

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


def find_long_windows(table: IntArray) -> tuple[int, int] | None:
    """A window k and a modulus D with which counts tell all states apart; None if none is found.

    Two states of a component stay confused for ever if a common word of any length, read inside the
    component, leads to them from two states, at lengths that agree modulo the period of the component. The
    classes of this relation, closed transitively, are functions of the last k symbols and i modulo D for
    large k and D, since any state that is met twice after the same symbols has read them inside its
    component. So states of different classes may be told apart from the beginning. That notes may say more
    than these classes is not used, so None refutes nothing; it is also the answer above `MAX_PAIRS` pairs.

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
    if int((sizes**2).sum()) * table.shape[1] > MAX_PAIRS:
        return None
    confused, window = _confused_pairs(table, component, group)
    if find_inseparable(table, _closure(len(table), confused)) is not None:
        return None
    return window, lcm(*period[period > 0].tolist())


def list_moduli(table: IntArray, lengths: Sequence[int]) -> tuple[int, ...]:
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
    return tuple(sorted({period, *(d for d in several if d <= MAX_MODULUS)}))[:MAX_MODULI]


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
    """Vertices that walks of every length lead to, (n,), -1 being no successor; and the length from which on
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


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """The residue and the last symbols of a prefix, as local and periodic predicates show them.

    `residue`: its length modulo D. `past`: codes of its last symbols, at most k of them, the last one at the
    end.
    """

    residue: int
    past: tuple[int, ...]

    def symbol(self, lag: int) -> int | None:
        """The code of the symbol so many places from the end, from 1 on; None before the first one."""
        return self.past[-lag] if lag <= len(self.past) else None


@dataclass(frozen=True, slots=True)
class NotedAutomaton:
    """States with notes; number 0 is the start.

    `states`: the state without its note. `table`: the successors, by code. `modulus`: D.
    """

    states: tuple[int, ...]
    notes: tuple[Note, ...]
    table: tuple[tuple[int, ...], ...]
    modulus: int


def annotate_states(table: IntArray, window: int, modulus: int) -> NotedAutomaton | None:
    """The states reached with their notes; None if there are more than `MAX_NOTED`.

    `table`: state 0 is the start. `window, modulus`: how many of the last symbols are noted, k, and D.
    """
    rows = table.tolist()

    def successors(found: list[tuple[int, Note]]) -> Iterator[list[tuple[int, Note]]]:
        for state, note in found:
            yield [
                (target, Note((note.residue + 1) % modulus, (*note.past, code)[-window:] if window else ()))
                for code, target in enumerate(rows[state])
            ]

    found, edges, is_complete = explore((0, Note(0, ())), successors, MAX_NOTED)
    if not is_complete:
        return None
    states, notes = zip(*found, strict=True)
    return NotedAutomaton(states, notes, tuple(map(tuple, edges)), modulus)


def find_inseparable_idempotent(
    monoid: TransitionMonoid, checkpoint: Callable[[], None] = lambda: None
) -> int | None:
    """An idempotent of a complete monoid whose local symbols counts cannot follow; None if none was found.

    One idempotent of every J-class is enough: the others have isomorphic local symbols, by multiplication
    with words whose lengths together are lengths of words of the idempotent. The checkpoint is called before
    each; it may raise to stop.
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
    """The action of the local symbols of an idempotent on its image; (states of the image, symbols).

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
    """True for each e·x reached from e by a word whose length is a multiple of the period; (M,)."""
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
