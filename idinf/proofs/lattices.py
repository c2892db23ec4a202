"""Small exact linear algebra: equations in fractions, and lattices of integer vectors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

__all__ = ["orthogonal", "solved", "spanned"]


def solved(columns: Sequence[Sequence[int]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """The factors with Σ factor · column = right, if there is one solution and it is not negative anywhere.

    Examples
    --------
    >>> [str(f) for f in solved([(2, 0), (1, 3)], [Fraction(2), Fraction(1)])]
    ['5/6', '1/3']
    >>> solved([(1, 0)], [Fraction(1), Fraction(1)]) is None
    True
    """
    number = len(columns)
    table = [[*(Fraction(column[k]) for column in columns), entry] for k, entry in enumerate(right)]
    for place in range(number):
        row = next((k for k in range(place, len(table)) if table[k][place]), None)
        if row is None:
            return None
        table[place], table[row] = table[row], table[place]
        lead = table[place][place]
        table[place] = [entry / lead for entry in table[place]]
        for k, other in enumerate(table):
            if k != place and other[place]:
                factor = other[place]
                table[k] = [a - factor * b for a, b in zip(other, table[place], strict=True)]
    if any(row[-1] for row in table[number:]) or any(table[k][-1] < 0 for k in range(number)):
        return None
    return [table[k][-1] for k in range(number)]


def spanned(rows: Sequence[Sequence[int]], size: int) -> tuple[tuple[int, ...], ...]:
    """A basis of the integer vectors in the rational span of some rows.

    Examples
    --------
    >>> spanned([(2, 2, 0)], 3)
    ((1, 1, 0),)
    >>> spanned([(1, 1), (1, -1)], 2)
    ((1, 0), (0, 1))
    """
    return orthogonal(orthogonal(rows, size), size)


def orthogonal(rows: Sequence[Sequence[int]], size: int) -> tuple[tuple[int, ...], ...]:
    """A basis of the integer vectors orthogonal to all rows.

    Examples
    --------
    >>> orthogonal([(2, 4, 0)], 3)
    ((-2, 1, 0), (0, 0, 1))
    """
    basis = [[int(j == k) for j in range(size)] for k in range(size)]
    for row in rows:  # Euclid's algorithm, until one vector alone has a product with it
        values = [sum(a * b for a, b in zip(row, vector, strict=True)) for vector in basis]
        while len(live := [k for k, value in enumerate(values) if value]) > 1:
            least = min(live, key=lambda k: (abs(values[k]), k))
            for k in live:
                if k != least:
                    factor = values[k] // values[least]
                    values[k] -= factor * values[least]
                    basis[k] = [a - factor * b for a, b in zip(basis[k], basis[least], strict=True)]
        if live:
            del basis[live[0]]
    return tuple(tuple(vector) for vector in basis)
