"""Ways to write a matrix as a product of two on the grid: what is read, times what is written.

Coordinates of the stream are a place between two matrices: y = W z is written, and M y is read. What is read
is M W z, so any other M' and W' with M' W' = M W do as well, whatever the number of coordinates between
them. With one reading (1, -3, 2) of three symbols there may be one coordinate, or three that are read alike:

    (1) · (1, -3, 2)   or   (1, 1, 1) · ((1, -1, 1), (0, -1, 1), (0, -1, 0)),

where no column of W is longer than √3 instead of 3. There is no end of such pairs. `list_factorizations`
gives a few with which a search may begin, and `list_moves` those that are one step from a pair.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from idinf.linear_algebra import find_pivot_columns, multiply, solve_exactly
from idinf.transformers.dense import Matrix, Vector

#: Bases that are tried for the rows of a product, and as many for its columns.
MOST_BASES = 8

#: Sets of rows that are looked at for them.
MOST_SETS = 200

#: Coordinates that one is shared out among, at most.
MOST_COPIES = 4


@dataclass(frozen=True, slots=True)
class Factors:
    """The product of ``read``, with a column for each coordinate, and ``written``, with a row for each."""

    read: Matrix
    written: Matrix

    def product(self) -> Matrix:
        """What is read of what is written; exact.

        Examples
        --------
        >>> Factors(((Fraction(1), Fraction(2)),), ((Fraction(3),), (Fraction(3),))).product()
        ((Fraction(9, 1),),)
        """
        columns = transpose(self.written)
        return transpose(tuple(multiply(self.read, column) for column in columns))


def transpose(rows: Matrix) -> Matrix:
    """Columns as rows."""
    return tuple(zip(*rows, strict=True))


def find_unit(entries: Iterable[Fraction]) -> Fraction:
    """The largest number of which all entries are whole multiples; 0 if all are 0.

    Examples
    --------
    >>> find_unit([Fraction(3, 2), Fraction(-6)])
    Fraction(3, 2)
    """
    unit = Fraction(0)
    for entry in entries:
        below = unit.denominator * entry.denominator
        above = gcd(unit.numerator * entry.denominator, entry.numerator * unit.denominator)
        unit = Fraction(above, below)
    return unit


def is_dyadic(entry: Fraction) -> bool:
    """Whether a number is on the grid of some 2^-p."""
    return entry.denominator & (entry.denominator - 1) == 0


def list_factorizations(product: Matrix) -> list[Factors]:
    """Pairs whose product this is: over rows of it, or over columns.

    Rows that are multiples of each other share a coordinate, and so do columns. Each row may have its own, or
    a basis is taken from them and from sums and differences of two. What has entries on no grid is left out.

    Examples
    --------
    >>> three = ((Fraction(2), Fraction(-2), Fraction(0)),)
    >>> for factors in list_factorizations(three):
    ...     print(*([[int(x) for x in row] for row in side] for side in (factors.read, factors.written)))
    [[2]] [[1, -1, 0]]
    [[1]] [[2, -2, 0]]
    """
    if not any(map(any, product)):
        return [Factors(((),) * len(product), ())]
    by_columns = (
        Factors(transpose(f.written), transpose(f.read)) for f in _list_over_rows(transpose(product))
    )
    return [*dict.fromkeys((*_list_over_rows(product), *by_columns))]


def _list_over_rows(product: Matrix) -> list[Factors]:
    own = [*dict.fromkeys(_primitive(row) for row in product if any(row))]
    found = [_over(own, product)]
    rank = len(find_pivot_columns(own))
    pairs = [
        _primitive(tuple(a + sign * b for a, b in zip(one, other, strict=True)))
        for one, other in itertools.combinations(own[:MOST_BASES], 2)
        for sign in (1, -1)
    ]
    rows = [*dict.fromkeys((*own, *pairs))]
    if len(rows) > rank:
        sets = itertools.islice(itertools.combinations(rows, rank), MOST_SETS)
        found += itertools.islice((f for basis in sets if (f := _over(basis, product))), MOST_BASES)
    return [factors for factors in found if factors is not None]


def _over(rows: Iterable[Vector], product: Matrix) -> Factors | None:
    """Each row of a product by the given ones: one of them alone, or as the only combination there is."""
    written = tuple(rows)
    read = []
    for row in product:
        found = _as_multiple(row, written)
        if found is None:
            solved = solve_exactly(written, row)  # type: ignore[arg-type]
            found = None if solved is None else tuple(solved)
        if found is None or not all(map(is_dyadic, found)):
            return None
        read.append(found)
    return Factors(tuple(read), written)


def _as_multiple(row: Vector, rows: tuple[Vector, ...]) -> Vector | None:
    zero = Fraction(0)
    if not any(row):
        return (zero,) * len(rows)
    primitive = _primitive(row)
    if primitive not in rows:
        return None
    place = next(k for k, entry in enumerate(primitive) if entry)
    factor = row[place] / primitive[place]
    return tuple(factor if other == primitive else zero for other in rows)


def _primitive(row: Vector) -> Vector:
    """The row of coprime whole numbers of which it is a multiple, the first one above 0."""
    unit = find_unit(row)
    first = next((entry for entry in row if entry), Fraction(1))
    return tuple(entry / unit if first > 0 else -entry / unit for entry in row) if unit else row


def list_moves(factors: Factors) -> Iterator[Factors]:
    """Pairs of the same product, one step away.

    A coordinate is shared out among several that are read alike or written alike, or a factor goes from one
    side to the other.

    Examples
    --------
    >>> one = Factors(((Fraction(1),),), ((Fraction(-3), Fraction(2)),))
    >>> moves = [*list_moves(one)]
    >>> all(move.product() == one.product() for move in moves)
    True
    >>> [[int(x) for x in row] for row in moves[2].written]
    [[-1, 1], [-1, 1], [-1, 0]]
    """
    for k, row in enumerate(factors.written):
        column = tuple(row[k] for row in factors.read)
        for parts in share_out(row):
            yield _with(factors, k, [(column, part) for part in parts])
        for parts in share_out(column):
            yield _with(factors, k, [(part, row) for part in parts])
        of_read, of_written = find_unit(column), find_unit(row)
        ratios = [Fraction(_odd(of_read)), Fraction(1, _odd(of_written))]
        if len(factors.written) > 1:
            ratios += [Fraction(2), Fraction(1, 2)]
        for ratio in ratios:
            if ratio != 1:
                scaled = tuple(x / ratio for x in column), tuple(x * ratio for x in row)
                yield _with(factors, k, [scaled])


def _with(factors: Factors, place: int, pairs: list[tuple[Vector, Vector]]) -> Factors:
    """One coordinate replaced by others, each with what reads it and what is written."""
    columns, rows = [*transpose(factors.read)], [*factors.written]
    columns[place : place + 1] = [column for column, _ in pairs]
    rows[place : place + 1] = [row for _, row in pairs]
    return Factors(transpose(tuple(columns)), tuple(rows))


def share_out(entries: Vector, unit: Fraction | None = None) -> list[list[Vector]]:
    """Entries as sums of vectors: two halves, then k of them as even as can be in multiples of a unit.

    Without one it is that of the entries.

    Examples
    --------
    >>> [[[str(x) for x in part] for part in parts] for parts in share_out((Fraction(2), Fraction(-1)))][:2]
    [[['1', '-1/2'], ['1', '-1/2']], [['1', '-1'], ['1', '0']]]
    """
    unit = find_unit(entries) if unit is None else unit
    if not unit:
        return []
    found = [[tuple(entry / 2 for entry in entries)] * 2]
    if max(map(abs, entries)) > unit:
        found += [
            [tuple(_share(entry / unit, k, place) * unit for entry in entries) for place in range(k)]
            for k in range(2, MOST_COPIES + 1)
        ]
    return found


def _share(entry: Fraction, k: int, place: int) -> int:
    """The share at a place of a whole number that is dealt out among k."""
    size = (abs(int(entry)) + k - 1 - place) // k
    return size if entry > 0 else -size


def _odd(unit: Fraction) -> int:
    number = abs(unit.numerator) or 1
    return number // (number & -number)
