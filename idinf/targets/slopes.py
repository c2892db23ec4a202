"""Appendix D.2: f_α accepts a word with more than α times as many 1s as 0s; why precision has to be bounded.

Every α ≥ 0 gives a function that a transformer of one layer expresses, and any two of them differ, but only
on long words where α and β are close. On a grid of 2^-p there are finitely many up to any bound, and
neighbours differ on words of about 2^p symbols.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from idinf.errors import ArgumentError
from idinf.quoting import quote

#: Largest numerator and denominator of a slope: programs hold them as coefficients.
MAX_SLOPE = 2**39


@dataclass(frozen=True, slots=True)
class Separation:
    """The shortest words on which two slopes differ; f_α accepts them and f_β does not, where α < β.

    Parameters
    ----------
    zeros, ones : int
        How often each symbol stands in them; the least of them has its 0s first.
    """

    low: Fraction
    high: Fraction
    zeros: int
    ones: int

    @property
    def length(self) -> int:
        """The least length at which the two are told apart."""
        return self.zeros + self.ones


def read_slope(text: str | int | Fraction) -> Fraction:
    """Read α as ``3``, ``5/4`` or ``1.25``, exactly.

    Raises
    ------
    ArgumentError
        If it is no number, negative, or larger than a coefficient of a program can be.

    Examples
    --------
    >>> read_slope("1.25"), read_slope(3)
    (Fraction(5, 4), Fraction(3, 1))
    """
    wanted = f"a number from 0 to {MAX_SLOPE} such as 5/4, with a denominator up to that"
    try:
        if isinstance(text, str) and (len(text) > 40 or "e" in text.lower()):  # 1e999999999 is a long number
            raise ValueError
        slope = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"slope {quote(text)}; expected {wanted}; write a fraction") from None
    if slope < 0 or max(slope.numerator, slope.denominator) > MAX_SLOPE:
        raise ArgumentError(f"slope {quote(str(text))}; expected {wanted}; write a smaller one")
    return slope


def write_slope_program(slope: Fraction) -> str:
    """Write f_α as a C-RASP program over 0 and 1.

    Examples
    --------
    >>> write_slope_program(Fraction(5, 4))
    'accept = 4 * # "1" > 5 * # "0"'
    """
    return f'accept = {slope.denominator} * # "1" > {slope.numerator} * # "0"'


def separate(one: Fraction, other: Fraction) -> Separation:
    """Find the shortest words on which two slopes differ, in a number of steps logarithmic in them.

    With α < β these are the words of m ≥ 1 zeros and k ones with α < k/m ≤ β. The simplest fraction of this
    interval, in the order of Stern and Brocot, has both the least numerator and the least denominator.

    Raises
    ------
    ArgumentError
        If the slopes are equal.

    Notes
    -----
    Implements the example of Appendix D.2 of [HYB25]_ as #1 > α · #0; the formula is one of several readings,
    which differ in what α stands for.

    Examples
    --------
    >>> found = separate(Fraction(1), Fraction(5, 4))
    >>> found.zeros, found.ones, found.length
    (4, 5, 9)
    """
    if one == other:
        raise ArgumentError(f"slope {one} is given twice; expected two; the functions are one")
    low, high = sorted((one, other))
    found = _find_simplest(low, high)
    return Separation(low, high, found.denominator, found.numerator)


def iter_neighbours(slope: Fraction, most: int) -> Iterator[tuple[int, Separation]]:
    """Compare α with α + 2^-p for p = 0, 1, …, ``most``.

    Examples
    --------
    >>> [found.length for _, found in iter_neighbours(Fraction(1), 4)]
    [3, 5, 9, 17, 33]
    """
    for precision in range(most + 1):
        yield precision, separate(slope, slope + Fraction(1, 2**precision))


def _find_simplest(low: Fraction, high: Fraction, opens_low: bool = True) -> Fraction:
    """The simplest fraction above ``low`` and up to ``high``; or, if not ``opens_low``, from it to below."""
    least = floor(low) + 1 if opens_low else ceil(low)
    if least <= high if opens_low else least < high:
        return Fraction(least)
    whole = floor(low)
    # x = whole + 1/y: the end of y that belongs to the interval is that of x, on the other side.
    if low == whole:  # opens_low: any y from 1/(high − whole) on
        return whole + 1 / Fraction(ceil(1 / (high - whole)))
    return whole + 1 / _find_simplest(1 / (high - whole), 1 / (low - whole), not opens_low)
