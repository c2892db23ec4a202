"""Boolean combinations of linear inequalities in non-negative integers, and the counts they speak of.

A *slice* is all words with one last symbol and one length modulo m: what one layer can tell, besides counts.
Its unknowns are x_{σ,ρ}, the number of positions i with i mod m = ρ that hold σ, in this order of symbols and
residues; for m > 1 there is one more, the number of whole periods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Word
from idinf.crasp.building import reduce_to_least_terms

#: A linear form with a constant: the coefficients of the unknowns, then the constant.
Affine = tuple[Fraction, ...]

#: A linear form in the unknowns of a slice: their coefficients, then a constant; exact numbers of Python.
Form = NDArray[np.object_]

#: The constants, in every collection of conditions.
FALSE, TRUE = 0, 1


def combine_forms(parts: Sequence[tuple[Fraction | int, Affine]], size: int) -> Affine:
    """Σ factor · form over ``size`` unknowns.

    >>> [str(entry) for entry in combine_forms([(2, (Fraction(1), Fraction(1, 2)))], 1)]
    ['2', '1']
    """
    total = [Fraction(0)] * (size + 1)
    for factor, form in parts:
        if factor:
            total = [entry + factor * more for entry, more in zip(total, form, strict=True)]
    return tuple(total)


@dataclass(frozen=True, slots=True)
class Inequality:
    """Σ coefficients · unknowns ≥ bound, all integers.

    >>> Inequality((1, -1), 2).negated
    Inequality(coefficients=(-1, 1), bound=-1)
    """

    coefficients: tuple[int, ...]
    bound: int

    @property
    def negated(self) -> Inequality:
        """The inequality that holds of integers iff this one does not."""
        return Inequality(tuple(-k for k in self.coefficients), 1 - self.bound)

    def holds(self, point: Sequence[Fraction | int]) -> bool:
        """True if the inequality holds at a point."""
        return sum(k * x for k, x in zip(self.coefficients, point, strict=True)) >= self.bound


@dataclass
class Conditions:
    """Conditions by number. Mutable: they are numbered as they are first met; parts come before wholes.

    A condition is an `Inequality`, ``(k,)`` for not k, or ``(k, l)`` for k and l.

    >>> conditions = Conditions()
    >>> small = conditions.non_negative((Fraction(-2), Fraction(5)))   # 5 − 2x ≥ 0
    >>> conditions.inequalities_in(small)
    {2: Inequality(coefficients=(-1,), bound=-2)}
    >>> conditions.both(small, conditions.negated(small)) == FALSE
    True
    """

    nodes: list[Inequality | tuple[int, ...]] = field(default_factory=lambda: [(), ()])
    numbers: dict[Inequality | tuple[int, ...], int] = field(default_factory=dict)

    def inequalities_in(self, whole: int) -> dict[int, Inequality]:
        """The inequalities that a condition is made of, by their numbers."""
        needed, found = {whole}, {}
        for number in range(whole, TRUE, -1):
            node = self.nodes[number]
            if number in needed and isinstance(node, Inequality):
                found[number] = node
            elif number in needed and isinstance(node, tuple):
                needed.update(node)
        return dict(sorted(found.items()))

    def non_negative(self, form: Iterable[Fraction | int]) -> int:
        """form ≥ 0."""
        return self._inequality(form, 0)

    def positive(self, form: Iterable[Fraction | int]) -> int:
        """form > 0."""
        return self._inequality(form, 1)

    def negated(self, one: int) -> int:
        """Not this."""
        if one in (FALSE, TRUE):
            return TRUE - one
        node = self.nodes[one]
        return node[0] if isinstance(node, tuple) and len(node) == 1 else self._number((one,))

    def both(self, one: int, other: int) -> int:
        """This and that."""
        if FALSE in (one, other) or one == self.negated(other):
            return FALSE
        if TRUE in (one, other) or one == other:
            return max(one, other)  # TRUE is the least number beside FALSE
        return self._number((min(one, other), max(one, other)))

    def either(self, one: int, other: int) -> int:
        """This or that."""
        return self.negated(self.both(self.negated(one), self.negated(other)))

    def differ(self, one: int, other: int) -> int:
        """Exactly one of the two."""
        return self.both(self.either(one, other), self.negated(self.both(one, other)))

    def truth(self, whole: int, decided: Mapping[int, bool]) -> bool | None:
        """Value of a condition where some inequalities are decided; None if that leaves it open."""
        truths: list[bool | None] = [False, True]
        for number in range(2, whole + 1):
            node = self.nodes[number]
            if isinstance(node, Inequality):
                truths.append(decided.get(number))
            elif len(node) == 1:
                inner = truths[node[0]]
                truths.append(None if inner is None else not inner)
            else:
                parts = [truths[part] for part in node]
                truths.append(False if False in parts else None if None in parts else True)
        return truths[whole]

    def _inequality(self, form: Iterable[Fraction | int], above: int) -> int:
        entries = list(form)
        scale = lcm(*(entry.denominator for entry in entries))
        *coefficients, constant = (int(entry * scale) for entry in entries)
        least = reduce_to_least_terms(dict(enumerate(coefficients)), above - constant)
        if isinstance(least, bool):
            return TRUE if least else FALSE
        kept, bound = least
        reduced = Inequality(tuple(kept.get(k, 0) for k in range(len(coefficients))), bound)
        # Of an inequality and its negation the one whose first coefficient is negative is kept.
        if next(k for k in reduced.coefficients if k) > 0:
            return self.negated(self._number(reduced.negated))
        return self._number(reduced)

    def _number(self, node: Inequality | tuple[int, ...]) -> int:
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]


@dataclass(frozen=True, slots=True)
class WordSlice:
    """All non-empty words over |Σ| symbols with one last symbol, by its code, and one length modulo m ≥ 1.

    >>> WordSlice(2, 1, 1, 0).least_word((2, 3))
    (0, 0, 1, 1, 1)
    """

    symbols: int
    modulus: int
    last: int
    residue: int

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return self.symbols * self.modulus + (self.modulus > 1)

    @property
    def costs(self) -> tuple[int, ...]:
        """The length that each unknown adds to the word."""
        return (1,) * (self.symbols * self.modulus) + (0,) * (self.modulus > 1)

    def constant(self, value: Fraction | int) -> Form:
        """A number as a form: the coefficients of the unknowns, then the constant."""
        return np.array([0] * self.size + [value], dtype=object)

    def count(self, weights: Sequence[Sequence[Fraction | int]]) -> Form:
        """Σ weights[σ][ρ] · x_{σ,ρ}."""
        flat = [weight for row in weights for weight in row]
        return np.array([*flat, *[0] * (self.size + 1 - len(flat))], dtype=object)

    @property
    def positions(self) -> Form:
        """n + 1, the number of positions with SOS."""
        return np.asarray(self.constant(1) + self.count([[1] * self.modulus] * self.symbols))

    def words(self) -> list[Inequality]:
        """The condition that the counts of words of the slice satisfy, and no others."""
        place = self.last * self.modulus + self.residue
        rows = [Inequality(tuple(int(k == place) for k in range(self.size)), 1)]
        for rho in range(self.modulus if self.modulus > 1 else 0):
            # q whole periods, and one position more with a residue in 1..n mod m.
            more = int(1 <= rho <= self.residue)
            here = [int(k % self.modulus == rho) for k in range(self.size - 1)]
            rows += [Inequality((*here, -1), more), Inequality((*(-k for k in here), 1), -more)]
        return rows

    def least_word(self, point: tuple[int, ...]) -> Word:
        """The least word with given counts."""
        left = list(point)
        length = sum(cost * x for cost, x in zip(self.costs, point, strict=True))
        left[self.last * self.modulus + self.residue] -= 1
        codes = []
        for position in range(1, length):
            places = [code * self.modulus + position % self.modulus for code in range(self.symbols)]
            code = next(code for code, place in enumerate(places) if left[place])
            left[places[code]] -= 1
            codes.append(code)
        return (*codes, self.last)
