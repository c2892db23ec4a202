"""Functions of one layer that only long words tell apart, in one call."""

from __future__ import annotations

from fractions import Fraction

from idinf.targets import slopes
from idinf.targets.slopes import Separation, read_slope


def separate(alpha: str | int | Fraction, beta: str | int | Fraction) -> Separation:
    """Find the shortest words on which two slopes differ, as ``idinf crasp slopes`` does.

    The language of α are the words over 0 and 1 with more than α times as many 1s as 0s.

    Raises
    ------
    ArgumentError
        If one is no number from 0 to 2^39, or both are one.

    Examples
    --------
    >>> found = separate(1, "5/4")
    >>> found.zeros, found.ones, found.length
    (4, 5, 9)
    """
    return slopes.separate(read_slope(alpha), read_slope(beta))
