"""Numbers as characters 0 and 1: integers of known range, and self-delimiting ones where it is not."""

from __future__ import annotations

from fractions import Fraction


def write_fixed(value: int, width: int) -> str:
    """Write an integer of a width both sides know.

    Raises ValueError if it needs more bits, or is negative.

    >>> write_fixed(5, 4), read_sign(5), write_rational(Fraction(-1, 2)), BitReader("0101").fixed(4)
    ('0101', '00101', '1010010', 5)
    """
    if value < 0 or value.bit_length() > width:
        raise ValueError(f"{value} does not fit into {width} bits")
    return f"{value:0{width}b}" if width else ""


def read_sign(value: int) -> str:
    """Write an integer of at least 1 in Elias's γ code: 2⌊log₂ value⌋ + 1 bits."""
    return "0" * (value.bit_length() - 1) + f"{value:b}"


def write_rational(value: Fraction) -> str:
    """Write any fraction: its sign, |numerator| + 1 and denominator."""
    return write_fixed(int(value < 0), 1) + read_sign(abs(value.numerator) + 1) + read_sign(value.denominator)


class BitReader:
    """Reads what was written, if asked for the same numbers in the same order. Mutable: it moves on."""

    def __init__(self, bits: str) -> None:
        self._bits = bits
        self._place = 0

    @property
    def done(self) -> bool:
        """Whether every bit was read."""
        return self._place == len(self._bits)

    def fixed(self, width: int) -> int:
        """Read an integer of known width. Raises ValueError if the bits end before."""
        end = self._place + width
        if end > len(self._bits):
            raise ValueError(f"the message ends after {len(self._bits)} bits, before bit {end}")
        part, self._place = self._bits[self._place : end], end
        return int(part, 2) if part else 0

    def positive(self) -> int:
        """Read an integer in γ code."""
        zeros = 0
        while not self.fixed(1):
            zeros += 1
        return 1 << zeros | self.fixed(zeros)

    def rational(self) -> Fraction:
        """Read a fraction."""
        sign = -1 if self.fixed(1) else 1
        numerator = self.positive() - 1
        return Fraction(sign * numerator, self.positive())
