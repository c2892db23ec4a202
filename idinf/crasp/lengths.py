"""Lengths that are linear in parameters, such as 2i + d + 1, compared where the parameters are known to lie.

A comparison that is not the same everywhere in the region asks for the region to be split. So whoever
computes with lengths computes as with integers, once for each part of a region on which all goes one way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import gcd

#: constant + Σ slope · parameter, as (constant, slope, slope, …).
Row = tuple[int, ...]

#: Parts into which a region is split, at most.
MAX_PARTS = 60


@dataclass(frozen=True, slots=True)
class Region:
    """The integer points at which every row is at least 0.

    >>> region = Region(((-1, 1, 0), (-1, 0, 1)))   # i ≥ 1 and d ≥ 1
    >>> i, d = region.parameters
    >>> i + d >= 2, str(2 * i - d + 3)
    (True, '3 + 2·p0 - p1')
    """

    rows: tuple[Row, ...]

    @property
    def parameters(self) -> tuple[Length, ...]:
        """Each parameter as a length."""
        number = len(self.rows[0]) - 1
        return tuple(Length(self, (0, *(int(k == own) for k in range(number)))) for own in range(number))

    def where(self, row: Row) -> Region:
        """The part in which one more row is at least 0."""
        divisor = gcd(*row[1:]) or 1
        return Region((*self.rows, tuple(entry // divisor for entry in row)))  # of the constant the floor

    def is_empty(self) -> bool:
        """Whether no rational point is left, by Fourier's elimination; then no integer point is."""
        rows = set(self.rows)
        for k in range(1, len(self.rows[0])):
            above = [row for row in rows if row[k] > 0]
            below = [row for row in rows if row[k] < 0]
            rows = {row for row in rows if not row[k]}
            for one, other in product(above, below):
                joined = tuple(
                    one[k] * y - other[k] * x for x, y in zip(one, other, strict=True)
                )  # entry k is 0
                divisor = gcd(*joined) or 1
                rows.add(tuple(entry // divisor for entry in joined))
        return any(row[0] < 0 for row in rows)

    def decide(self, row: Row) -> bool:
        """Whether a row is at least 0 everywhere, or nowhere; a `Split` where it is neither."""
        if self.where(_negated(row)).is_empty():
            return True
        if self.where(row).is_empty():
            return False
        raise Split(row)


class Split(Exception):
    """A row is at least 0 at some points of a region only."""

    def __init__(self, row: Row) -> None:
        super().__init__(row)
        self.row = row


class Indivisible(Exception):
    """A length has to be divided by a number that does not divide its slopes."""

    def __init__(self, divisor: int) -> None:
        super().__init__(divisor)
        self.divisor = divisor


@dataclass(frozen=True, slots=True, eq=False)
class Length:
    """A length in a region; one without slopes is an ordinary integer.

    ``==`` is that of objects: ask for ``<=`` and ``>=``.
    """

    region: Region
    row: Row

    def __add__(self, other: Length | int) -> Length | int:
        more = other.row if isinstance(other, Length) else (other, *(0,) * (len(self.row) - 1))
        return self._with(tuple(x + y for x, y in zip(self.row, more, strict=True)))

    def __sub__(self, other: Length | int) -> Length | int:
        return self + -other

    def __rsub__(self, other: int) -> Length | int:
        return -self + other

    def __mul__(self, factor: int) -> Length | int:
        return self._with(tuple(factor * entry for entry in self.row))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Length:
        return replace(self, row=tuple(-entry for entry in self.row))

    def __floordiv__(self, divisor: int) -> Length | int:
        if any(slope % divisor for slope in self.row[1:]):
            raise Indivisible(abs(divisor))
        return self._with(tuple(entry // divisor for entry in self.row))

    def __ge__(self, other: Length | int) -> bool:
        difference = self - other
        return self.region.decide(difference.row) if isinstance(difference, Length) else difference >= 0

    def __le__(self, other: Length | int) -> bool:
        difference = self - other
        return self.region.decide((-difference).row) if isinstance(difference, Length) else difference <= 0

    def __lt__(self, other: Length | int) -> bool:
        return not self >= other

    def __gt__(self, other: Length | int) -> bool:
        return not self <= other

    def __str__(self) -> str:
        terms = [
            f"{slope:+d}·p{k}".replace("1·", "") if abs(slope) == 1 else f"{slope:+d}·p{k}"
            for k, slope in enumerate(self.row[1:])
            if slope
        ]
        return f"{self.row[0]}" + "".join(f" {term[0]} {term[1:]}" for term in terms)

    def _with(self, row: Row) -> Length | int:
        return replace(self, row=row) if any(row[1:]) else row[0]


def is_everywhere(region: Region, ask: Callable[[Region], bool], most: int = MAX_PARTS) -> bool:
    """Whether the answer is yes in every part of a region; no as well where there are too many parts.

    >>> above_3 = Region(((-3, 1),))
    >>> [is_everywhere(above_3, lambda part: max(part.parameters[0], 5) >= k) for k in (5, 6)]
    [True, False]
    """
    return all(answer for answer in _answers(region, ask, most))


def _answers(region: Region, ask: Callable[[Region], bool], most: int) -> Iterator[bool]:
    waiting = [region]
    while waiting:
        part = waiting.pop()
        if part.is_empty():
            continue
        try:
            yield ask(part)
        except Split as split:
            if most <= 0:
                yield False
            most -= 1
            waiting += [part.where(split.row), part.where(_negated(split.row))]


def _negated(row: Row) -> Row:
    """At least 0 where the row is below 0, that is at most −1."""
    return (-1 - row[0], *(-slope for slope in row[1:]))
