"""Words by what one layer can tell: last symbol, length modulo m, and counts of symbols by residue.

The unknowns of a slice are x_{σ,ρ}, the number of positions i with i mod m = ρ that hold σ, in this order of
symbols and residues; for m > 1 there is one more, the number of whole periods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from idinf.equivalence.conditions import Inequality
from idinf.words import Word

#: A linear form in the unknowns of a slice: their coefficients, then a constant; exact numbers of Python.
Form = NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class WordSlice:
    """All non-empty words over |Σ| symbols with one last symbol, by its code, and one length modulo m ≥ 1.

    Examples
    --------
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
        """What each unknown adds to the length of the word."""
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
        """What the counts of a word of the slice, and no others, satisfy."""
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
