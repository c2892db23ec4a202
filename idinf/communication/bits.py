"""Bits that two parties exchange: integers of known range, and self-delimiting ones where it is not."""

from __future__ import annotations

from fractions import Fraction


class BitWriter:
    """A message under construction. Mutable: it grows with each number.

    Examples
    --------
    >>> writer = BitWriter()
    >>> writer.fixed(5, 4)
    >>> writer.rational(Fraction(-1, 2))
    >>> writer.text(), BitReader(writer.text()).fixed(4)
    ('01011010010', 5)
    """

    def __init__(self) -> None:
        self._parts: list[str] = []

    def fixed(self, value: int, width: int) -> None:
        """Write an integer of a width both sides know.

        Raises
        ------
        ValueError
            If it needs more bits, or is negative.
        """
        if value < 0 or value.bit_length() > width:
            raise ValueError(f"{value} does not fit into {width} bits")
        if width:
            self._parts.append(f"{value:0{width}b}")

    def positive(self, value: int) -> None:
        """Write an integer of at least 1 in Elias's γ code: 2⌊log₂ value⌋ + 1 bits."""
        self._parts.append("0" * (value.bit_length() - 1) + f"{value:b}")

    def rational(self, value: Fraction) -> None:
        """Write any fraction: its sign, |numerator| + 1 and denominator."""
        self.fixed(int(value < 0), 1)
        self.positive(abs(value.numerator) + 1)
        self.positive(value.denominator)

    def text(self) -> str:
        """The bits so far as characters 0 and 1."""
        return "".join(self._parts)


class BitReader:
    """The other end. Mutable: it moves through the bits.

    Parameters
    ----------
    bits : str
        What a `BitWriter` wrote, of which the reader must ask for the same numbers in the same order.
    """

    def __init__(self, bits: str) -> None:
        self._bits = bits
        self._place = 0

    @property
    def done(self) -> bool:
        """Whether every bit was read."""
        return self._place == len(self._bits)

    def fixed(self, width: int) -> int:
        """Read an integer of known width.

        Raises
        ------
        ValueError
            If the bits end before.
        """
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
