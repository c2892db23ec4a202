"""What both parties know before a word is split: the keys a head can meet, and the range of what it adds up.

A key K y_j, or a coordinate of a value V y_j, is a linear reading of the stream. If it reads no average of a
lower head and no ReLU unit, it is decided by the symbol at j, j mod Δ and truth values of Heaviside units: it
takes finitely many values, whatever the word and its length. That makes messages logarithmic.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from idinf.base.linear_algebra import multiply
from idinf.nets.dense import Activation, Head, Matrix, Vector
from idinf.nets.limit_transformer import LimitTransformer

#: Keys that a codebook lists at most; with more of them they are sent themselves.
MAX_KEYS = 4096

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """The coordinate ``row`` of V y, which is not always 0."""

    row: int
    low: int = 0  #: over all words it is from ``low`` to ``high`` times 1/``scale``
    high: int = 0
    scale: int = 0  #: 0 if no such unit is known, as are both bounds

    @property
    def span(self) -> int:
        """Values of a sum over k positions lie in an interval of length k · span that has 0 in it."""
        return max(self.high, 0) - min(self.low, 0)


@dataclass(frozen=True, slots=True)
class HeadBook:
    """What both parties know about one head."""

    key: Matrix  #: K, or zeros where no logit depends on it
    keys: tuple[Vector, ...] | None  #: every value of K y_j, sorted; None if no finite list is known
    entries: tuple[KeyEntry, ...]  #: the coordinates of V y_j that can be other than 0
    near: int  #: τ: as many of the last positions of Alice get a logit that depends on the distance

    @property
    def is_finite(self) -> bool:
        """Whether all that is sent lies in ranges known beforehand."""
        return self.keys is not None and all(entry.scale for entry in self.entries)

    def bound(self) -> tuple[int, int]:
        """(F, D): a finite book costs at most F · ⌈log₂(m + 2)⌉ + D bits for m symbols of Alice.

        A count of m + 1 positions has bitlength(m + 1) = ⌈log₂(m + 2)⌉ bits; a sum has at most
        bitlength(m + 1) + bitlength(span), because a product of two integers is no longer than both together.
        """
        classes = len(self.keys or ())
        spans = [entry.span.bit_length() for entry in self.entries]
        one_position = (classes - 1).bit_length() + sum(
            (entry.high - entry.low).bit_length() for entry in self.entries
        )
        fields = classes - 1 + classes * len(spans)
        return fields, classes * sum(spans) + self.near * one_position


def build_books(transformer: LimitTransformer) -> tuple[tuple[HeadBook, ...], ...]:
    """The codebook of every head, layer by layer.

    Stands in for the finite partition in the proof of Theorem 12 of [HYB25]_ (Appendix B.3). Keys are taken
    as they are: rounding them first, as the printed proof does, can change a rounded logit.

    >>> from idinf.crasp.programs import load
    >>> from idinf.translate.compilation.compiler import compile_program
    >>> majority = load("majority")
    >>> ((book,),) = build_books(compile_program(majority.program, majority.alphabet()).to_dense())
    >>> len(book.keys), [(entry.low, entry.high) for entry in book.entries], book.near, book.bound()
    (1, [(-1, 1)], 0, (1, 2))
    """
    return tuple(
        tuple(_book(transformer, number, head) for head in layer.heads)
        for number, layer in enumerate(transformer.layers)
    )


def add(x: Vector, y: Vector) -> Vector:
    """The sum of two vectors, exact."""
    return tuple(a + b for a, b in zip(x, y, strict=True))


def _book(transformer: LimitTransformer, layer: int, head: Head) -> HeadBook:
    is_read = any(map(any, head.K)) and any(map(any, head.Q))
    key = head.K if is_read else tuple((_ZERO,) * len(row) for row in head.K)
    entries = tuple(_entry(transformer, layer, place, row) for place, row in enumerate(head.V) if any(row))
    return HeadBook(key, _keys(transformer, layer, key), entries, max(len(head.phi) - 1, 0))


def _readings(
    transformer: LimitTransformer, layer: int, rows: Matrix
) -> tuple[set[Vector], list[Vector]] | None:
    """What is read of y^(0), and what each Heaviside unit below adds; None if averages or ReLU are read."""
    steps = []
    for lower in transformer.layers[:layer]:
        for head in lower.heads:
            if any(any(multiply(rows, column)) for column in zip(*head.V, strict=True)):
                return None
        for column, activation in zip(zip(*lower.mlp.B, strict=True), lower.mlp.activation, strict=True):
            step = multiply(rows, column)
            if any(step):
                if activation is Activation.RELU:
                    return None
                steps.append(step)
    sos, *symbols = (multiply(rows, embedded) for embedded in transformer.embedding)
    places = [multiply(rows, place) for place in transformer.positions]
    inputs = {add(symbol, place) for symbol in set(symbols) for place in set(places)}
    return inputs | {add(sos, places[0])}, steps


def _keys(transformer: LimitTransformer, layer: int, rows: Matrix) -> tuple[Vector, ...] | None:
    readings = _readings(transformer, layer, rows)
    if readings is None:
        return None
    found, steps = readings
    for step in steps:
        found |= {add(one, step) for one in found}
        if len(found) > MAX_KEYS:
            return None
    return tuple(sorted(found))


def _entry(transformer: LimitTransformer, layer: int, place: int, row: Vector) -> KeyEntry:
    readings = _readings(transformer, layer, (row,))
    if readings is None:
        return KeyEntry(place)
    values, changes = ([number for (number,) in vectors] for vectors in readings)
    low = min(values) + sum((change for change in changes if change < 0), _ZERO)
    high = max(values) + sum((change for change in changes if change > 0), _ZERO)
    scale = lcm(*(number.denominator for number in (*values, *changes)))
    return KeyEntry(place, int(low * scale), int(high * scale), scale)
