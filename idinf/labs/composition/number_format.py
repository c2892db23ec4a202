"""Numbers of one width: p bits for each, those of the largest number that is met."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from idinf.labs.communication.bits import BitReader, write_fixed


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How one number is written: a sign if some number has one, then numerator and denominator − 1.

    Every number takes the same bits, so that messages can be read again.

    Examples
    --------
    >>> form = NumberFormat.of([Fraction(3, 2), Fraction(-1)])
    >>> form, form.bits, form.write(Fraction(3, 2))
    (NumberFormat(sign=1, numerator=2, denominator=1), 4, '0111')
    """

    sign: int
    numerator: int
    denominator: int

    @classmethod
    def of(cls, numbers: Iterable[Fraction]) -> NumberFormat:
        """The format that holds some numbers; of none, that of 0 and 1."""
        sign, numerator, denominator = 0, 1, 0
        for number in numbers:
            sign = max(sign, int(number < 0))
            numerator = max(numerator, abs(number.numerator).bit_length())
            denominator = max(denominator, (number.denominator - 1).bit_length())
        return cls(sign, numerator, denominator)

    @property
    def bits(self) -> int:
        """p, the bits of one number."""
        return self.sign + self.numerator + self.denominator

    def write(self, number: Fraction) -> str:
        """Write a number; a ValueError if it does not fit."""
        sign = write_fixed(int(number < 0), self.sign)
        numerator = write_fixed(abs(number.numerator), self.numerator)
        return sign + numerator + write_fixed(number.denominator - 1, self.denominator)

    def read(self, reader: BitReader) -> Fraction:
        """Read it again."""
        sign = -1 if reader.fixed(self.sign) else 1
        numerator = reader.fixed(self.numerator)
        return Fraction(sign * numerator, reader.fixed(self.denominator) + 1)
