"""Programs that count as symmetric functions: proofs that a language is not in AC0, and not regular.

Take words h(w)z: h maps two free symbols a and b to blocks of one length m that differ at one place, z is one
more block of one symbol. What a one-layer program says of h(w)z depends on A = #a(w) and B = #b(w) alone: it
is a Boolean combination of inequalities pA + qB ≥ r. So the words of one length are a symmetric function of
A + B free places.

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
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import gcd

from idinf.base.words import Alphabet
from idinf.languages.equivalence.conditions import Inequality
from idinf.languages.equivalence.one_layer_programs import Answers, compute_answers_at, find_modulus
from idinf.targets.counting import CountingTarget

#: Families of words that are tried.
MAX_FAMILIES = 2_000


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

    >>> from idinf.crasp.checker import read_program
    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("0", "1"))
    >>> change = find_change_in_the_middle(CountingTarget(read_program('x = # "0" <= # "1"', sigma), sigma))
    >>> change.start, change.step, change.accepted
    ((0, 1), (1, 1), True)
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
