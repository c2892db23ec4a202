"""Classes that the syntactic monoid decides: star-free, AC0, DA, and dot-depth as far as decided here.

Star-free is no group at all, AC0 none among words of one length.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from idinf.base.numbers import format_amount
from idinf.base.words import Alphabet
from idinf.languages.classification.by_automaton import (
    Finding,
    is_finite_or_cofinite,
    no,
    show_word,
    unknown,
    yes,
)
from idinf.languages.classification.monoid import (
    Rows,
    TransitionMonoid,
    find_cycles,
    find_idempotent_power,
    iter_local_tables,
)
from idinf.targets.machine import BoolArray, IntArray, explore
from idinf.targets.regular import RegularTarget

#: Elements of an incomplete monoid that are searched for a cycle, times states.
TRIED_CELLS = 4_000_000

#: Local words of which all pairs are tried.
PAIRED = 16

#: Elements of an incomplete monoid of which all pairs are tried.
TRIED = 8

#: Most elements for which all products are listed, and most cases of Knast's equation.
MAX_PRODUCTS, MAX_KNAST = 6_000, 20_000_000


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
    """
    if aperiodic.is_yes:
        return yes("star-free languages are first-order definable, so in AC0")
    if not monoid.is_complete:
        return _refute_ac0(monoid, alphabet)
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


def find_cycling(rows: IntArray) -> BoolArray:
    """True for transformations x with x^n ≠ x^(n+1) for all n; (T, V) → (T,).

    >>> find_cycling(np.array([[1, 0, 2], [1, 2, 2]])).tolist()
    [True, False]
    """
    power = rows
    for _ in range(rows.shape[1].bit_length()):
        power = np.take_along_axis(power, power, axis=1)
    return np.asarray((np.take_along_axis(rows, power, axis=1) != power).any(axis=1))


def _refute_ac0(monoid: TransitionMonoid, alphabet: Alphabet) -> Finding:
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


def in_da(monoid: TransitionMonoid, alphabet: Alphabet, ordered: Finding, aperiodic: Finding) -> Finding:
    """Decide whether the syntactic monoid is in DA: every J-class with an idempotent has only idempotents.

    Where the monoid is incomplete, R-triviality and star-freeness may decide, which are given, or an equation
    that fails for short words.
    """
    if ordered.is_yes:
        return yes("R-trivial monoids are in DA")
    if aperiodic.is_no:
        return no("monoids in DA are aperiodic")
    if not monoid.is_complete:
        return _refute_da(monoid, alphabet)
    regular = np.isin(monoid.j_class, monoid.j_class[monoid.is_idempotent])
    if (regular & ~monoid.is_idempotent).any():
        return no("a regular J-class of the syntactic monoid has an element that is not idempotent")
    return yes("all regular elements of the syntactic monoid are idempotent: two-variable first-order logic")


def _refute_da(monoid: TransitionMonoid, alphabet: Alphabet) -> Finding:
    """Refute DA by (xy)^n (yx)^n (xy)^n = (xy)^n, which holds there where these powers are idempotent."""
    rows = monoid.rows[:TRIED].astype(np.int64)
    for x, y in product(range(1, len(rows)), repeat=2):
        one = find_idempotent_power(rows[y][rows[x]].tolist())  # (x·y)^n
        other = find_idempotent_power(rows[x][rows[y]].tolist())
        if (one[other[one]] != one).any():
            u, v = (show_word(alphabet, monoid.word(element)) for element in (x, y))
            return no(
                f"with x = {u} and y = {v}, (xy)^n (yx)^n (xy)^n differs from (xy)^n where these powers are "
                "idempotent, as it never does in DA"
            )
    return unknown(monoid.excess)


def find_nesting_depth(machine: RegularTarget) -> int | None:
    """The n ≥ 1 for which the language, or its complement, is D_n; None if none.

    D_n = (a D_(n-1) b)* over two symbols, D_0 = ε.

    >>> from idinf.base.words import Alphabet
    >>> find_nesting_depth(RegularTarget.from_regex("(a(ab)*b)*", Alphabet(("b", "a"))))
    2
    """
    table, accepting = machine.table, machine.accepting
    depth = len(table) - 2
    if table.shape[1] != 2 or depth < 1 or (accepting[1:] == accepting[0]).any():
        return None

    def moves(steps: tuple[int, int], found: list[int]) -> Iterator[list[int]]:
        """States are depths, and -1 the sink."""
        for state in found:
            yield [state + step if 0 <= state <= depth - step else -1 for step in steps]

    nested = [explore(0, partial(moves, steps))[1] for steps in ((1, -1), (-1, 1))]
    return depth if table.tolist() in nested else None


def find_dot_depth(
    machine: RegularTarget, monoid: TransitionMonoid, aperiodic: Finding, testable: Finding, da: Finding
) -> tuple[int | None, str]:
    """The dot-depth of Cohen and Brzozowski, or None, and why.

    Level 0 has the finite and cofinite languages, as in [HYB25]_ Table 2, whose (10)* has depth 1. None where
    the language is not star-free or the depth is not decided.
    """
    if aperiodic.is_no:
        return None, "not star-free, so in no level"
    if is_finite_or_cofinite(machine):
        return 0, "finite or cofinite"
    if testable.is_yes:
        return 1, "piecewise testable, neither finite nor cofinite"
    depth = find_nesting_depth(machine)
    if depth is not None:
        whose = "" if machine.accepting[0] else "the complement of "
        return (
            depth,
            f"{whose}D_{depth}, of dot-depth {depth} (Brzozowski, Knast 1978; arXiv 2410.02140, Table 2)",
        )
    one = is_depth_one(monoid) if monoid.is_complete and aperiodic.is_yes else None
    if one:
        return 1, "Knast's equation holds in the syntactic semigroup (Knast 1983)"
    if one is False and da.is_yes:
        return 2, "Knast's equation fails, and languages of DA have at most dot-depth 2"
    if one is False:
        return None, "at least 2, as Knast's equation fails; not decided further"
    if da.is_yes:
        return None, "1 or 2, as the monoid is in DA; it, or the cases of Knast's equation, are too many"
    return None, "not decided: the syntactic monoid, or the cases of Knast's equation, are too many"


def is_depth_one(monoid: TransitionMonoid) -> bool | None:
    """Decide Knast's equation for an aperiodic monoid; None if there are too many cases.

    (e·p·f·q)^ω e·p·f·s (e·r·f·s)^ω = (e·p·f·q)^ω (e·r·f·s)^ω for all idempotents e, f and elements p, q, r,
    s of the syntactic semigroup, the images of non-empty words. It concerns the category with idempotents
    as objects and e·S·f as arrows, so one idempotent of every J-class is enough.

    >>> from idinf.languages.classification.monoid import build_monoid
    >>> is_depth_one(build_monoid(np.array([[1, 2], [2, 0], [2, 2]])))   # (ab)*
    True
    """
    if len(monoid) > MAX_PRODUCTS:
        return None
    times = _products(monoid)
    cases = 0
    for e, f in product(np.intersect1d(monoid.idempotents, monoid.right).tolist(), repeat=2):
        there = np.unique(times[times[e], f])  # e·M·f = e·S·f, as e and f are in S
        back = np.unique(times[times[f], e])
        cases += len(there) * len(back)
        if cases > MAX_KNAST:
            return None
        powers = _powers(times, there, back)
        # The distinct pairs ((p·q)^ω, (p·q)^ω·p) and ((r·s)^ω, s·(r·s)^ω).
        loops, ways = _pairs(powers, times[powers, there[:, None]])
        backs, ends = _pairs(powers, times[back[None], powers])
        cases += len(loops) * len(backs)
        if cases > MAX_KNAST:
            return None
        if (times[ways[:, None], ends[None]] != times[loops[:, None], backs[None]]).any():
            return False
    return True


def _powers(times: Rows, there: Rows, back: Rows) -> Rows:
    """The idempotent powers of all p·q; (|there|, |back|). The monoid is aperiodic."""
    power = times[there[:, None], back[None]]
    while ((square := times[power, power]) != power).any():
        power = square
    return np.asarray(power)


def _pairs(first: Rows, second: Rows) -> tuple[IntArray, IntArray]:
    """The distinct pairs of entries at equal places."""
    pairs = np.unique(first.astype(np.int64) * (1 << 32) + second)
    return pairs >> 32, pairs & ((1 << 32) - 1)


def _products(monoid: TransitionMonoid) -> Rows:
    """All products x·y; (M, M)."""
    times = np.empty((len(monoid), len(monoid)), dtype=np.int16)
    times[:, 0] = np.arange(len(monoid))
    for y in range(1, len(monoid)):  # x·(y·b) = (x·y)·b
        times[:, y] = monoid.right[times[:, monoid.parent[y]], monoid.letter[y]]
    return times
