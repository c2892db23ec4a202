"""What a formula can see of an input: counts, indicators of every position, and the length of the whole."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prefix of a word, as conditions see it.

    *Places* are the symbols, the residues 0..Δ−1 of the length if Δ > 1, the units.

    Attributes
    ----------
    last : int or None
        Code of the last symbol; None for ε.
    counts : (|Σ| + Δ' + m,) tuple of int
        Number of non-empty prefixes of this one at which each place is 1.
    units : (m,) tuple of bool
        Which units hold at the last position.
    columns : (i,) tuple of tuple of int
        The 0/1 places at each position 1..i; at the last one perhaps without the units still to come.
    N : int
        Length of the whole word plus one, on which attention weights depend.
    """

    last: int | None
    counts: tuple[int, ...]
    units: tuple[bool, ...]
    columns: tuple[tuple[int, ...], ...] = ()
    N: int = 1
