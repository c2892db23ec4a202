"""Groups in the syntactic monoid: star-free is none at all, AC0 none among words of one length."""

from __future__ import annotations

import numpy as np

from idinf.base.numbers import format_amount
from idinf.base.words import Alphabet
from idinf.languages.classification.findings import Finding, no, show_word, unknown, yes
from idinf.languages.classification.monoid import TransitionMonoid
from idinf.languages.classification.reductions import find_cycles, iter_local_tables
from idinf.targets.machine import BoolArray, IntArray

#: Elements of an incomplete monoid that are searched for a cycle, times states.
TRIED_CELLS = 4_000_000

#: Elements whose cycles are measured.
MEASURED = 200

#: Local words of which all pairs are tried.
PAIRED = 16


def decide_star_free(monoid: TransitionMonoid, alphabet: Alphabet) -> Finding:
    """Decide star-freeness: the language is iff no group of the monoid has two elements (Schützenberger).

    Of an incomplete monoid of the minimal DFA, an element with a cycle still refutes.

    >>> from idinf.languages.classification.monoid import build_monoid
    >>> decide_star_free(build_monoid(np.array([[1], [0]])), Alphabet(("a",))).verdict.value
    'no'
    """
    if monoid.is_complete:
        grouped = monoid.grouped
        if not len(grouped):
            elements = format_amount(len(monoid), "element")
            return yes(f"the syntactic monoid, {elements}, is aperiodic (Schützenberger 1965)")
    else:
        tried = min(len(monoid), max(1, TRIED_CELLS // monoid.rows.shape[1]))
        grouped = np.flatnonzero(find_cycling(monoid.rows[:tried].astype(np.int64)))
        if not len(grouped):
            none = (
                f"none of the first {tried} has a cycle"
                if tried > 1
                else "only that of ε was tried for a cycle"
            )
            return unknown(f"{monoid.excess}; {none}")
    element = int(grouped[0])
    cycle = next(cycle for cycle in find_cycles(monoid.rows[element].tolist()) if len(cycle) > 1)
    word = show_word(alphabet, monoid.word(element))
    return no(
        f"u = {word} moves {len(cycle)} states of the minimal DFA in a cycle, so u^n and u^(n+1) differ for "
        "every n (Schützenberger 1965)"
    )


def in_ac0(monoid: TransitionMonoid, alphabet: Alphabet, aperiodic: Finding) -> Finding:
    """Decide AC0: the stable semigroup must be aperiodic (Barrington, Compton, Straubing, Thérien).

    The stable semigroup is the image of Σ^s for the s with η(Σ^s) = η(Σ^2s), and it has a group of two
    elements iff some g ≠ e in a group with idempotent e are images of words of one length. The lengths of
    words of e are closed under addition, so they are all large multiples of their gcd d; lengths of g and e
    agree somewhere iff they agree modulo d. Since e·w = e for every word w of e, and e·w is a word of e for
    every such w, d is the gcd of the cycles of the right Cayley graph through e. So s, which may be
    exponential, is not needed.

    >>> from idinf.languages.classification.monoid import build_monoid
    >>> sigma, parity = Alphabet(("0", "1")), build_monoid(np.array([[0, 1], [1, 0]]))
    >>> in_ac0(parity, sigma, decide_star_free(parity, sigma)).verdict.value
    'no'
    """
    if aperiodic.is_yes:
        return yes("star-free languages are first-order definable, so in AC0")
    if not monoid.is_complete:
        return _by_short_words(monoid, alphabet)
    level, period = monoid.r_levels
    members = monoid.grouped
    identities = monoid.own_idempotent[members]
    same = (level[members] - level[identities]) % period[monoid.r_class[members]] == 0
    if not same.any():
        return yes(
            "no image of all words of one length contains a group of two elements, so the syntactic morphism "
            "is quasi-aperiodic (Barrington, Compton, Straubing, Thérien 1992)"
        )
    member = int(members[np.argmax(same)])
    word = show_word(alphabet, monoid.word(member))
    neutral = show_word(alphabet, monoid.word(int(monoid.own_idempotent[member])))
    return no(
        f"the group of {word} with identity {neutral} has two elements that are images of words of one "
        "length, so the syntactic morphism is not quasi-aperiodic "
        "(Barrington, Compton, Straubing, Thérien 1992)"
    )


def list_cycle_lengths(monoid: TransitionMonoid) -> tuple[int, ...]:
    """Moduli that tell elements of a group apart by the lengths of their words, if any do; sorted.

    They are the gcds of the lengths of the words of idempotents in groups of two elements or more. If the
    monoid is incomplete, those of u^c for short words u with a cycle of c states.

    >>> from idinf.languages.classification.monoid import build_monoid
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


def find_cycling(rows: IntArray) -> BoolArray:
    """Which transformations x have x^n ≠ x^(n+1) for all n; (T, V) → (T,).

    >>> find_cycling(np.array([[1, 0, 2], [1, 2, 2]])).tolist()
    [True, False]
    """
    power = rows
    for _ in range(rows.shape[1].bit_length()):
        power = np.take_along_axis(power, power, axis=1)
    return np.asarray((np.take_along_axis(rows, power, axis=1) != power).any(axis=1))


def _by_short_words(monoid: TransitionMonoid, alphabet: Alphabet) -> Finding:
    """Refute AC0 by a group among the local words of a short one; they can be given one length."""
    for element, table in iter_local_tables(monoid):
        few = table.T[:PAIRED]
        pairs = few[:, few].reshape(-1, len(table)) if len(few) else few  # x·y for all pairs: y[x[q]]
        if find_cycling(np.concatenate([table.T, pairs])).any():
            word = show_word(alphabet, monoid.word(element))
            return no(
                f"between powers of {word} there are words of one length that permute states of the minimal "
                "DFA, and words of that length that do not move them, so the syntactic morphism is not "
                "quasi-aperiodic (Barrington, Compton, Straubing, Thérien 1992)"
            )
    return unknown(monoid.excess)
