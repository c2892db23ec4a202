"""Up to which length floats compute a hypothesis without rounding, so that every verdict is exact.

All numbers of a forward pass but quotients are multiples of some 2^-k. They are computed exactly as long as
they, and what they are summed up from, take at most as many bits as a float has. The quotients are averages;
the files of code multiply them out before the sign of a unit is read, so they do no harm as long as nothing
but Heaviside units reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from idinf.transformers.dense import Activation, Head, Layer, Matrix, Vector
from idinf.transformers.limit_transformer import LimitTransformer

#: Bits of the significand.
FLOAT64, FLOAT32 = 53, 24

#: No longer word is asked about.
LONGEST = 100_000


def find_exact_length(net: LimitTransformer, bits: int = FLOAT64) -> int | None:
    """The largest length of words up to which nothing is rounded, at most `LONGEST`; None if not even ε's.

    It rests on powers N^a that err by at most two units in the last place. Logits that may be negative, and
    averages that anything but a Heaviside unit of the same layer reads, give None.

    Examples
    --------
    >>> from idinf.library.programs import compile_source
    >>> find_exact_length(compile_source("majority").transformer, 10)
    1022
    """
    low, high = -1, LONGEST + 1  # exact at low, not known to be so at high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _is_exact(net, middle + 1, bits) else (low, middle)
    return low if low >= 0 else None


class _Rounded(Exception):
    """A number may be rounded."""


def _is_exact(net: LimitTransformer, N: int, bits: int) -> bool:
    run = _Bounds(net, N, bits)
    try:
        for layer in net.layers:
            run.pass_layer(layer)
        for row in net.unembedding:
            run.fit(run.apply(row))
    except _Rounded:
        return False
    return True


class _Bounds:
    """Bounds of absolute values in the stream: tokens and positions as they are, what is added by size."""

    def __init__(self, net: LimitTransformer, N: int, bits: int) -> None:
        self.net, self.N, self.bits = net, N, bits
        self.grid = max(_grid(net.embedding), _grid(net.positions))  #: the stream has multiples of 2^-grid
        self.added: list[Fraction | None] = [Fraction(0)] * net.width  #: None where a quotient was added

    def fit(self, value: Fraction, finer: int = 0) -> Fraction:
        """A bound of numbers on a grid that is finer than that of products of a parameter and the stream."""
        if value * (1 << self.grid + self.net.precision + finer) >= 1 << self.bits:
            raise _Rounded
        return value

    def apply(self, row: Vector) -> Fraction:
        """A bound of the product of a row and the stream."""
        entering = (max(_weigh(row, y) for y in rows) for rows in (self.net.embedding, self.net.positions))
        return sum(entering, _weigh(row, self.added))

    def pass_layer(self, layer: Layer) -> None:
        """Bounds after a layer."""
        totals = [self._bound_total(head) for head in layer.heads]
        values = [[self.apply(row) for row in head.V] for head in layer.heads]
        whole = prod(totals, start=Fraction(1))
        read = [self.apply(row) + abs(b) for row, b in zip(layer.mlp.A, layer.mlp.b, strict=True)]
        added = [sum((_weigh(row, value) for value in values), Fraction(0)) for row in layer.mlp.A]
        for bound in (Fraction(1), *map(sum, zip(read, added, strict=True))):
            self.fit(bound * whole, self.net.precision * (len(totals) + 1))
        for value, total in zip(values, totals, strict=True):
            self.fit(max(value) * total, self.net.precision)
            self.added = [None if v else bound for v, bound in zip(value, self.added, strict=True)]
        self._add_units(layer, read)

    def _add_units(self, layer: Layer, read: list[Fraction]) -> None:
        """Bounds after B ψ(z), where ``read`` bounds z if there is no head."""
        fired: list[Fraction | None] = []
        for kind, bound in zip(layer.mlp.activation, read, strict=True):
            rectified = kind is Activation.RELU
            fired.append((None if layer.heads else bound) if rectified else Fraction(1))
        if Activation.RELU in layer.mlp.activation:
            self.grid += self.net.precision
        self.grid += _grid(layer.mlp.B)
        for k, row in enumerate(layer.mlp.B):
            try:
                before = _weigh((Fraction(1),), self.added[k : k + 1])
                self.added[k] = self.fit(before + _weigh(row, fired))
            except _Rounded:
                self.added[k] = None

    def _bound_total(self, head: Head) -> Fraction:
        """A bound of the sum of weights of a query."""
        content, roots = Fraction(0), 1
        if head.has_logits:
            queries = [self.apply(row) for row in head.Q]
            content = self.apply(tuple(_weigh(column, queries) for column in zip(*head.K, strict=True)))
            self.fit(content, self.grid + self.net.precision)
            written = (row for layer in self.net.layers for row in layer.mlp.B)
            rows = (*head.K, *head.Q, *self.net.embedding, *self.net.positions, *written)
            if any(entry < 0 for row in rows for entry in row):
                raise _Rounded
            roots = 1 << self.net.precision
        near = [self._bound_weight(content + phi, max(roots, phi.denominator)) for phi in head.phi[: self.N]]
        return sum(near, Fraction(0)) + (self.N - len(near)) * self._bound_weight(content, roots)

    def _bound_weight(self, logit: Fraction, roots: int) -> Fraction:
        """A bound of N^a for multiples a <= logit of 1/roots, if no error of N^a turns its rounding."""
        exponent = -(-logit.numerator // logit.denominator)
        if logit < 0 or exponent > self.bits:
            raise _Rounded
        size = Fraction(self.N**exponent)
        # N^a is m/2^(p+1), or differs from it by 1 / (roots · (2^(p+1) N^a)^roots) of itself
        if roots > self.bits or roots * (size * (2 << self.net.precision)) ** roots >= 1 << self.bits - 2:
            raise _Rounded
        return size


def _weigh(row: Vector, bounds: Sequence[Fraction | None]) -> Fraction:
    """Σ |entry · bound|; `_Rounded` where there is no bound."""
    total = Fraction(0)
    for entry, bound in zip(row, bounds, strict=True):
        if entry:
            if bound is None:
                raise _Rounded
            total += abs(entry * bound)
    return total


def _grid(rows: Matrix) -> int:
    """The exponent of the coarsest grid that numbers are on."""
    return max((entry.denominator.bit_length() - 1 for row in rows for entry in row), default=0)
