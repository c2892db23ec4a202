"""Programs whose language is in AC0, since it has few words of each length, and those whose is not.

*In AC0.* A program is read with what it can remember in finitely many states: counts that are only compared
with constants, up to the largest of them, and residues. Every other comparison may hold or not. The words
that may be accepted are a regular language that contains the one of the program. If the ways to acceptance
never pass through two cycles that share a state, there are O(n^k) words of length n, where no way meets more
than k + 1 cycles. Then the program accepts O(n^k) words of length n, and an OR of as many ANDs of n literals
tells them from the others. For example, all words of a^n b^n c^n are in a*b*c*, which holds O(n^2) words of
each length.

*Not in AC0, one layer.* Take words h(w)z: h maps two free symbols a and b to blocks of one length m that
differ at one place, z is one more block of one symbol. What a one-layer program says of h(w)z depends on
A = #a(w) and B = #b(w) alone: it is a Boolean combination of inequalities pA + qB ≥ r. So the words of one
length are a symmetric function of A + B free places.

Let pA + qB = 0 hold on the ray t(u, v), u, v ≥ 1 without common divisor. On start + t(u, v) every inequality
is constant from some t on, and if it is not one of those parallel to the ray then its value there does not
depend on the start. So with e = vA − uB, which is constant on such a ray, the answer in the end is a function
g(e), and g changes only where a parallel inequality does. Let c be its value for all large e. If g is not
constant, there is a greatest e with g(e) ≠ c, and at (A + 1, B − 1), which has e + u + v, the answer is c.

So for infinitely many numbers N of free places a symmetric function in N places changes its value between
A and A + 1, where A/N tends to u/(u + v), which is neither 0 nor 1. Circuits of constant depth and polynomial
size compute no such functions (Fagin, Klawe, Pippenger, Stockmeyer 1985; Brustmann, Wegener 1987), and fixing
inputs makes no circuit larger: the language is not in AC0.

Nor is it regular. Else {w : h(w)z ∈ L} would be, so for some π and all large A and B the answer would be the
same at (A, B), (A + π, B) and (A, B + π); so g(e) = g(e + vπ) = g(e − uπ) for all e. As g is constant
for all large e, and for all small e, it would be constant.

*Not in AC0, any depth*, between two powers. Take words x^M w y^M with M = N + 1, where w is any word of N
symbols a and b. If a program, read for all of them at once (`idinf.crasp.runs`), never asks for the order in
w, its answer is a function of A = #a(w): a symmetric function of N free places, the others being fixed. Let
it change between A = ut and A + 1 for every large t, where N = (u + v)t + e. Then A/N tends to u/(u + v)
again, so the language is not in AC0. For example, a^M w b^M is balanced iff w holds as many a's as b's. A
power may also be left out, and the last one be a single symbol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice, permutations, product
from math import gcd

import numpy as np

from idinf.base.words import Alphabet
from idinf.crasp import circuit as c
from idinf.crasp import syntax as s
from idinf.crasp.checker import check
from idinf.crasp.runs import (
    DependentRun,
    FreeRun,
    Indivisible,
    Number,
    Region,
    Run,
    accepts_runs,
    is_everywhere,
)
from idinf.languages.classification.by_automaton import number_components
from idinf.languages.classification.told_apart import list_numbers
from idinf.languages.equivalence.conditions import Inequality
from idinf.languages.equivalence.one_layer import Answers, compute_answers_at, find_modulus
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import BoolArray, IntArray, explore

#: Families of words that are tried, of one layer and between powers, and the least t there.
MAX_FAMILIES, MAX_PADDED, LEAST = 2_000, 500, (1, 64, 1 << 20)

#: A t on trial.
_TRIAL = 10**9

#: Most states that are followed.
MAX_STATES = 2_000

#: The least and the greatest value of each count with a cap; residues; whether the word may be accepted.
State = tuple[tuple[tuple[int, int], ...], tuple[int, ...], bool]


@dataclass(frozen=True, slots=True)
class SymmetricFamily:
    """Words h(w)z."""

    one: int  # codes of the free symbols a and b
    other: int
    modulus: int  # m, the length of a block
    place: int  # residue of the free place of a block, 0..m − 1; the last place of a block has residue 0
    filler: int  # the symbol at the other places; without meaning if m = 1
    last: int  # the symbol of z

    def line(self, inequality: Inequality) -> tuple[int, int, int]:
        """The p, q, r for which an inequality of the counts by symbol and residue is p·A + q·B ≥ r."""
        by_symbol = [
            inequality.coefficients[code * self.modulus :][: self.modulus]
            for code in (self.one, self.other, self.filler, self.last)
        ]
        one, other, filler, last = by_symbol
        filled = sum(filler) - filler[self.place]
        return one[self.place] + filled, other[self.place] + filled, inequality.bound - sum(last)


@dataclass(frozen=True, slots=True)
class Change:
    """For every t ≥ 0 the words of a family with these counts have one answer, their neighbours the other."""

    family: SymmetricFamily
    start: tuple[int, int]  # A and B ≥ 1 at t = 0
    step: tuple[int, int]  # what t adds to them, both at least 1
    accepted: bool  # the answer at start + t · step; with one a more and one b less it is the other one

    def told(self, alphabet: Alphabet) -> str:
        """It in words.

        >>> Change(SymmetricFamily(0, 1, 1, 0, 0, 1), (2, 1), (1, 3), True).told(Alphabet(("a", "b")))[:70]
        'words ub with #a = t + 2 and #b = 3t + 1 in u are accepted for every t'
        """
        family, symbols = self.family, alphabet.symbols
        one, other, last = (symbols[code] for code in (family.one, family.other, family.last))
        counts = " and ".join(
            f"#{symbol} = {'' if step == 1 else step}t{f' + {start}' if start else ''}"
            for start, step, symbol in zip(self.start, self.step, (one, other), strict=True)
        )
        if family.modulus == 1:
            words = f"words u{' ' * (len(last) > 1)}{last} with {counts} in u"
        else:
            words = (
                f"words with {counts} at positions i mod {family.modulus} = {family.place}, "
                f"{symbols[family.filler]} elsewhere, and {family.modulus} times {last} behind"
            )
        usual, changed = ("accepted", "rejected") if self.accepted else ("rejected", "accepted")
        return f"{words} are {usual} for every t ≥ 0, and {changed} with one {one} more and one {other} less"


def find_change_in_the_middle(target: CountingTarget) -> Change | None:
    """A change of value in the middle; None if none is found, or the program nests counts or has local ones.

    Exact: what is returned is proved for every t.
    """
    modulus, symbols, tried = find_modulus(target.circuit), len(target.alphabet), 0
    for last in range(symbols):
        answers = compute_answers_at(target, last, 0)
        if answers is None:
            return None
        fillers = range(symbols) if modulus > 1 else (0,)
        # Both orders of a pair change at the same places.
        families = product(combinations(range(symbols), 2), range(modulus), fillers)
        for (one, other), place, filler in families if answers.inequalities else ():
            tried += 1
            if tried > MAX_FAMILIES:
                return None
            found = _change(answers, SymmetricFamily(one, other, modulus, place, filler, last))
            if found is not None:
                return found
    return None


def _change(answers: Answers, family: SymmetricFamily) -> Change | None:
    lines = {number: family.line(row) for number, row in answers.inequalities.items()}

    def in_the_end(start: tuple[int, int], step: tuple[int, int]) -> tuple[bool, int]:
        """The answer at start + t · step for all large t, and a t from which it is that."""
        decided, since = {}, 0
        for number, (p, q, r) in lines.items():
            slope = p * step[0] + q * step[1]
            offset = p * start[0] + q * start[1] - r
            decided[number] = offset >= 0 if slope == 0 else slope > 0
            if slope > 0:
                since = max(since, -(offset // slope))  # the least t with slope · t ≥ −offset
            elif slope < 0:
                since = max(since, offset // -slope + 1)  # the least t with slope · t < −offset
        return answers.where(decided), since

    steps = sorted({(abs(q) // gcd(p, q), abs(p) // gcd(p, q)) for p, q, _ in lines.values() if p * q < 0})
    for u, v in steps:
        # A parallel inequality k·e ≥ r, k = p/v, changes after ⌊r/k⌋, or after ⌊r/k⌋ − 1 if k > 0 divides r.
        floors = {r // (p // v) for p, q, r in lines.values() if p and p * u + q * v == 0}
        changes = sorted({floor - more for floor in floors for more in (0, 1)}, reverse=True)
        beyond, _ = in_the_end(_start(changes[0] + 1, (u, v)), (u, v))
        for e in changes:
            start = _start(e, (u, v))
            answer, since = in_the_end(start, (u, v))
            if answer != beyond:
                other, later = in_the_end((start[0] + 1, start[1] - 1), (u, v))
                if other == answer:
                    raise RuntimeError(f"no change beyond e = {e} on the ray {(u, v)}")
                t = max(since, later)
                return Change(family, (start[0] + t * u, start[1] + t * v), (u, v), answer)
    return None


def _start(e: int, step: tuple[int, int]) -> tuple[int, int]:
    """The least A ≥ 0 and B ≥ 1 with v·A − u·B = e."""
    u, v = step
    one = e * pow(v, -1, u) % u if u > 1 else 0
    one += u * max(0, -((v * one - e - u) // (u * v)))  # B = (v·A − e) / u ≥ 1
    return one, (v * one - e) // u


@dataclass(frozen=True, slots=True)
class PaddedFamily:
    """Words x^M w y^M with M = |w| + 1, where |w| = (u + v)t + e."""

    before: str  # x; empty if w comes first
    free: tuple[str, str]  # a and b
    step: tuple[int, int]  # u and v
    offset: int  # e
    behind: str  # y
    is_power: bool  # else one y stands behind

    def runs(self, t: Number, one: Number, so_far: tuple[Number, Number] | None) -> list[Run]:
        """The runs with so many a's; without places inside w as one word, its a's before its b's."""
        size = (self.step[0] + self.step[1]) * t + self.offset
        free: list[Run]
        if so_far is None:
            free = [(self.free[0], one), (self.free[1], size - one)]
        else:
            free = [FreeRun(self.free, (one, size - one), so_far)]
        return [
            *[(self.before, size + 1)] * bool(self.before),
            *free,
            (self.behind, size + 1 if self.is_power else 1),
        ]


@dataclass(frozen=True, slots=True)
class PaddedChange:
    """Words of a family with #a(w) = ut have one answer for all t ≥ the least one, with ut + 1 the other."""

    family: PaddedFamily
    accepted: bool
    least: int

    def holds_of(self, program: s.ProgramTree) -> bool:
        """True if readings of all these words prove this and that the answer depends on t and #a(w) alone."""
        (u, v), e = self.family.step, self.family.offset
        # t, A, and how many a's and b's of w there are up to a position
        region = Region(
            (
                (-self.least, 1, 0, 0, 0),
                (0, 0, 1, 0, 0),
                (e, u + v, -1, 0, 0),
                (0, 0, 0, 1, 0),
                (0, 0, 1, -1, 0),
                (0, 0, 0, 0, 1),
                (e, u + v, -1, 0, -1),
            )
        )

        def answer(part: Region) -> bool:
            t, one, *so_far = part.parameters
            return accepts_runs(program, self.family.runs(t, one, (so_far[0], so_far[1])))

        def is_right(part: Region) -> bool:
            t, one = part.parameters[:2]
            return answer(part) == self.accepted if one <= u * t else answer(part) != self.accepted

        middle = region.where((0, -u, 1, 0, 0)).where((1, u, -1, 0, 0))  # A is ut or ut + 1
        try:
            return is_everywhere(region, lambda part: answer(part) in (False, True)) and is_everywhere(
                middle, is_right
            )
        except (DependentRun, Indivisible):
            return False

    def told(self) -> str:
        """It in words.

        >>> family = PaddedFamily("a", ("a", "b"), (1, 1), 0, "b", True)
        >>> PaddedChange(family, True, 1).told()[:70]
        'of words a^(n+1) w b^(n+1), w of n symbols a and b, #a(w) decides: wit'
        """
        family, (one, other) = self.family, self.family.free
        (u, v), e = family.step, family.offset
        before = f"{family.before}^(n+1) " if family.before else ""
        behind = f"{family.behind}^(n+1)" if family.is_power else family.behind
        size = f"{u + v}t" + f" + {e}" * bool(e)
        usual, changed = ("accepted", "rejected") if self.accepted else ("rejected", "accepted")
        return (
            f"of words {before}w {behind}, w of n symbols {one} and {other}, #{one}(w) decides: "
            f"with n = {size}, t >= {self.least}, they are {usual} if it is {'' if u == 1 else u}t, "
            f"and {changed} if it is one more"
        )


def find_padded_change(program: s.ProgramTree, alphabet: Alphabet) -> PaddedChange | None:
    """A change of value in the middle; None if none is found, or the program has moduli or local counts.

    Exact: what is returned is proved for every t.
    """
    facts = check(program)
    if facts.period > 1 or facts.local_counts:
        return None
    for family in islice(_list_families(program, alphabet), MAX_PADDED):
        t = _TRIAL
        accepted, changed = (
            accepts_runs(program, family.runs(t, family.step[0] * t + more, None)) for more in (0, 1)
        )
        if accepted != changed:
            for least in LEAST:
                change = PaddedChange(family, accepted, least)
                if change.holds_of(program):
                    return change
    return None


def _list_families(program: s.ProgramTree, alphabet: Alphabet) -> Iterator[PaddedFamily]:
    numbers = list_numbers(program)
    steps = [(u, v) for u, v in product([1, *numbers], repeat=2) if gcd(u, v) == 1]
    for offset, step, free in product([0, 1, *numbers], steps, permutations(alphabet.symbols, 2)):
        for before, behind, is_power in product(("", *alphabet.symbols), alphabet.symbols, (False, True)):
            yield PaddedFamily(before, free, step, offset, behind, is_power)


def find_growth(target: CountingTarget) -> int | None:
    """A k such that a program accepts O(n^k) words of length n; None if none is found.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> find_growth(build_target(load("anbncn"))), find_growth(build_target(load("dyck-1")))
    (2, None)
    """
    codes = range(len(target.alphabet))
    states, edges, is_complete = explore(
        _PartialReading(target).state,
        lambda found: ([_PartialReading(target, state, code).state for code in codes] for state in found),
        MAX_STATES,
    )
    if not is_complete:
        return None
    table = np.array(edges)
    return measure_growth(table, np.array([state[2] for state in states]))


def measure_growth(table: IntArray, accepting: BoolArray) -> int | None:
    """The least k such that a DFA accepts O(n^k) words of length n; None if there is none."""
    live = accepting.copy()
    while (more := live | live[table].any(axis=1)).sum() > live.sum():
        live = more
    component = number_components(table)
    inside = (component[table] == component[:, None]) & live[table] & live[:, None]
    if (inside.sum(axis=1) > 1).any():  # two ways on that both come back
        return None
    cyclic = np.unique(component[inside.any(axis=1)])
    cycles = np.zeros(int(component.max()) + 1, dtype=np.int64)  # on the ways from each component
    for number in range(len(cycles)):  # those that are led to have smaller numbers
        members = np.flatnonzero((component == number) & live)
        after = table[members][live[table[members]]]
        ahead = cycles[component[after[component[after] != number]]]
        cycles[number] = ahead.max(initial=0) + (number in cyclic)
    return max(0, int(cycles[component[0]]) - 1) if live[0] else 0


class _PartialReading(c.Fold[c.Known, None]):
    """Nodes of a program at SOS, or where a symbol follows one of finitely many states, with what is known.

    Mutable: sums fill up as they are asked for.
    """

    def __init__(self, target: CountingTarget, before: State | None = None, code: int | None = None) -> None:
        super().__init__()
        layout, self.code = target.layout, code
        caps = zip(layout.forms, layout.caps, strict=True)
        self.caps = {form: cap for form, cap in caps if cap is not None}
        counted, residues, _ = before or (((0, 0),) * len(self.caps), (-1,) * len(layout.moduli), True)
        self.before = dict(zip(self.caps, counted, strict=True))
        self.residues = {m: (x + 1) % m for m, x in zip(layout.moduli, residues, strict=True)}
        self.sums: dict[c.Form, tuple[int, int]] = {}
        self.run(target.circuit.nodes)
        may_accept = not self.truths[target.circuit.output].false
        self.state = tuple(map(self._total, self.caps)), tuple(self.residues.values()), may_accept

    def _total(self, form: c.Form) -> tuple[int, int]:
        """The least and the greatest value of a sum with this position."""
        if form not in self.sums:
            low, high = self.before[form]
            for coefficient, operand in form if self.code is not None else ():
                low += coefficient * self.truths[operand].true
                high += coefficient * (not self.truths[operand].false)
            self.sums[form] = min(low, self.caps[form]), min(high, self.caps[form])
        return self.sums[form]

    def given(self, node: c.ConstantNode | c.SymbolTest | c.Residue) -> c.Known:
        match node:
            case c.ConstantNode(held):
                pass
            case c.SymbolTest(code):
                held = self.code == code
            case c.Residue(modulus, residue):
                held = self.residues[modulus] == residue
        return c.Known(held, not held)

    def compared(self, node: c.ThresholdTest | c.NonNegative) -> c.Known:
        if isinstance(node, c.NonNegative) or node.form not in self.caps:
            return c.Known(False, False)
        low, high = self._total(node.form)
        return c.Known(low >= node.threshold, high < node.threshold)

    def value(self, node: c.Window | c.Choice) -> None:
        """Windows and choices are not followed."""
