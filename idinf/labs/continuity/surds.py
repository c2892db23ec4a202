"""Numbers a + b√5 with fractions a and b: the shares of Fibonacci."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Surd:
    """The number ``rational`` + ``root`` · √5.

    Examples
    --------
    >>> str(Surd(Fraction(3, 2), Fraction(-1, 2))), str(Surd(Fraction(1, 3)))
    ('(3 - √5)/2', '1/3')
    """

    rational: Fraction
    root: Fraction = Fraction(0)

    def __str__(self) -> str:
        if not self.root:
            return str(self.rational)
        below = math.lcm(self.rational.denominator, self.root.denominator)
        a, b = int(self.rational * below), int(self.root * below)
        written = f"{a} {'-' if b < 0 else '+'} {'' if abs(b) == 1 else abs(b)}√5"
        return written if below == 1 else f"({written})/{below}"

    def __float__(self) -> float:
        return float(self.rational) + float(self.root) * math.sqrt(5)
