"""Limit Transformers as frozen, validated, dense values in exact numbers."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from idinf.errors import HypothesisFormatError, PrecisionError
from idinf.quoting import listed, quoted, shortened
from idinf.transformers.next_output import NextOutput
from idinf.words import SOS, Alphabet

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]


def vector(entries: Iterable[int | Fraction]) -> Vector:
    """Turn integers and Fractions into a vector; floats have no place here.

    Examples
    --------
    >>> vector([1, Fraction(1, 2)])
    (Fraction(1, 1), Fraction(1, 2))
    """
    return tuple(Fraction(entry) for entry in entries)


def matrix(rows: Iterable[Iterable[int | Fraction]]) -> Matrix:
    """Turn rows of integers and Fractions into a matrix.

    Examples
    --------
    >>> matrix([[1, 0]])
    ((Fraction(1, 1), Fraction(0, 1)),)
    """
    return tuple(vector(row) for row in rows)


class Activation(enum.Enum):
    """The nonlinearity of one MLP unit."""

    HEAVISIDE = "heaviside"
    RELU = "relu"


@dataclass(frozen=True, slots=True)
class Head:
    """One attention head.

    Parameters
    ----------
    K, Q : (r, d) Matrix
        Key and query matrices, any r >= 1; the logit is the product of K y_j and Q y_i.
    V : (d, d) Matrix
        Value matrix.
    phi : (τ + 1,) Vector
        φ(0)..φ(τ), the logit added at distance i − j; beyond τ it is 0. Trailing zeros are dropped,
        so "no φ" has the one form ``()``.
    """

    K: Matrix
    Q: Matrix
    V: Matrix
    phi: Vector = ()

    def __post_init__(self) -> None:
        reach = max((k for k, value in enumerate(self.phi) if value), default=-1)
        object.__setattr__(self, "phi", self.phi[: reach + 1])

    @property
    def has_logits(self) -> bool:
        """Whether K^T Q is not 0, so that weights depend on what positions hold; exact."""
        queries = list(zip(*self.Q, strict=True))
        return any(
            sum(k * q for k, q in zip(key, query, strict=True))
            for key in zip(*self.K, strict=True)
            if any(key)
            for query in queries
        )


@dataclass(frozen=True, slots=True)
class Mlp:
    """The MLP of one layer, B ψ(A y + b) with its own ψ per unit.

    Parameters
    ----------
    A : (m, d) Matrix
    b : (m,) Vector
    B : (d, m) Matrix
    activation : (m,) tuple of Activation
    """

    A: Matrix
    b: Vector
    B: Matrix
    activation: tuple[Activation, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """Zero or more heads, then an MLP."""

    heads: tuple[Head, ...]
    mlp: Mlp


@dataclass(frozen=True, slots=True)
class LimitTransformer:
    """A Limit Transformer with its acceptance rule, or its way to name next symbols; every number is exact.

    Parameters
    ----------
    alphabet : Alphabet
        Σ, without SOS.
    precision : int
        p, bits; every parameter is a multiple of 2^-p.
    embedding : (1 + |Σ|, d) Matrix
        Row 0 is the embedding of SOS, row 1 + k that of symbol k.
    positions : (Δ, d) Matrix
        Row i mod Δ is p_i, position 0 being SOS; Δ is the least period. One zero row is NoPE.
    layers : tuple of Layer
        At least one.
    unembedding : (o, d) Matrix
        U, at least one row.
    accept_row, threshold : int
        A word is accepted iff (U y_n)_row > threshold at its last position, SOS for ε.
    output : NextOutput, optional
        Of a hypothesis about next symbols, which is judged at every position; it has no accept_row.

    Raises
    ------
    HypothesisFormatError
        If a shape does not fit, the period is not the least one, there is no layer, an entry is not a
        Fraction, or the acceptance rule is out of range.
    PrecisionError
        If a parameter is off the grid of 2^-p.

    Notes
    -----
    Implements Definition 2 of [HYB25], restricted to the Periodic and Local functions p and φ that the
    inference procedure searches.

    Examples
    --------
    One unit without heads that fires on the symbol ``a``:

    >>> zero = matrix([[0] * 3])
    >>> mlp = Mlp(matrix([[0, 1, 0]]), vector([0]), matrix([[0], [0], [1]]), (Activation.HEAVISIDE,))
    >>> last_is_a = LimitTransformer(
    ...     Alphabet(("a",)), 0, matrix([[1, 0, 0], [0, 1, 0]]), zero, (Layer((), mlp),), matrix([[0, 0, 1]])
    ... )
    >>> last_is_a.width, last_is_a.depth, last_is_a.num_heads, last_is_a.period
    (3, 1, 0, 1)
    """

    alphabet: Alphabet
    precision: int
    embedding: Matrix
    positions: Matrix
    layers: tuple[Layer, ...]
    unembedding: Matrix
    accept_row: int = 0
    threshold: int = 0
    output: NextOutput | None = None

    def __post_init__(self) -> None:
        self._check_precision()
        self._check_embedding()
        self._check_positions()
        self._check_least_period()
        self._check_has_layers()
        for number, layer in enumerate(self.layers):
            for place, head in enumerate(layer.heads):
                self._check_head(head, f"layers[{number}].heads[{place}]")
            self._check_mlp(layer.mlp, f"layers[{number}].mlp")
        self._check_unembedding()
        self._check_accept_row()
        self._check_threshold()
        if self.output is not None:
            self.output.check(self.alphabet, len(self.unembedding), self.threshold)
        self._check_numbers()

    @property
    def width(self) -> int:
        """The dimension d of the residual stream; R does not depend on it."""
        return len(self.embedding[0])

    @property
    def depth(self) -> int:
        """The number L of layers."""
        return len(self.layers)

    @property
    def num_heads(self) -> int:
        """The number H of heads per layer: the largest, layers may have fewer."""
        return max(len(layer.heads) for layer in self.layers)

    @property
    def num_units(self) -> int:
        """The number of MLP units of all layers together."""
        return sum(len(layer.mlp.b) for layer in self.layers)

    @property
    def period(self) -> int:
        """The least period Δ of the positional encoding; 1 if it is constant."""
        return len(self.positions)

    @property
    def reach(self) -> int:
        """The largest distance at which some φ is not 0; 0 without φ."""
        return max(
            (len(head.phi) - 1 for layer in self.layers for head in layer.heads if head.phi), default=0
        )

    @property
    def num_bits(self) -> int:
        """Bits that hold every parameter and the threshold in units of 2^-precision."""
        entries = (entry for _, row in self._vectors() for entry in row if entry)
        sizes = (entry.numerator.bit_length() - entry.denominator.bit_length() + 1 for entry in entries)
        return self.precision + max(self.threshold.bit_length(), max(sizes, default=0))

    def is_local(self, tau: int) -> bool:
        """Decide whether every φ vanishes at distances above ``tau`` (Local, Definition 2 of [HYB25])."""
        return self.reach <= tau

    def is_periodic(self, delta: int) -> bool:
        """Decide whether p_i = p_{i+Δ} for Δ = ``delta`` >= 1 (Periodic, Definition 2 of [HYB25])."""
        return delta % self.period == 0

    def _check_precision(self) -> None:
        if not _is_integer(self.precision) or self.precision < 0:
            _refuse("precision", self.precision, "an integer >= 0", "it counts fractional bits")

    def _check_embedding(self) -> None:
        names = (SOS, *self.alphabet.symbols)
        if len(self.embedding) != len(names):
            raise HypothesisFormatError(
                f"embedding has {len(self.embedding)} rows; expected {len(names)}, one for each of "
                f"{listed(names)}; add or remove rows"
            )
        if not self.embedding[0]:
            _refuse('embedding["$"]', self.embedding[0], "at least one entry", "give rows the width d")
        for name, row in zip(names, self.embedding, strict=True):
            _check_length(f'embedding["{name}"]', row, self.width)

    def _check_positions(self) -> None:
        if not self.positions:
            _refuse("positions", self.positions, "at least one row", "one zero row means no positions")
        _check_shape("positions", self.positions, self.period, self.width)

    def _check_least_period(self) -> None:
        for divisor in range(1, self.period):
            if self.period % divisor == 0 and self.positions == self.positions[:divisor] * (
                self.period // divisor
            ):
                raise HypothesisFormatError(
                    f"positions has {self.period} rows that repeat after {divisor}; "
                    f"expected the least period; keep the first {divisor}"
                )

    def _check_has_layers(self) -> None:
        if not self.layers:
            _refuse("layers", self.layers, "at least one layer", "add a layer")

    def _check_head(self, head: Head, where: str) -> None:
        if not head.K:
            _refuse(f"{where}.K", head.K, "at least one row", "a zero row gives uniform attention")
        _check_shape(f"{where}.K", head.K, len(head.K), self.width)
        _check_shape(f"{where}.Q", head.Q, len(head.K), self.width)
        _check_shape(f"{where}.V", head.V, self.width, self.width)

    def _check_mlp(self, mlp: Mlp, where: str) -> None:
        units = len(mlp.A)
        _check_shape(f"{where}.A", mlp.A, units, self.width)
        _check_length(f"{where}.b", mlp.b, units)
        _check_shape(f"{where}.B", mlp.B, self.width, units)
        _check_length(f"{where}.activation", mlp.activation, units)

    def _check_unembedding(self) -> None:
        if not self.unembedding:
            _refuse("unembedding", self.unembedding, "at least one row", "add the row to accept by")
        _check_shape("unembedding", self.unembedding, len(self.unembedding), self.width)

    def _check_accept_row(self) -> None:
        rows = len(self.unembedding)
        if not _is_integer(self.accept_row) or not 0 <= self.accept_row < rows:
            _refuse(
                "accept.row", self.accept_row, f"an integer from 0 to {rows - 1}", "name a row of unembedding"
            )

    def _check_threshold(self) -> None:
        if not _is_integer(self.threshold):
            _refuse("accept.threshold", self.threshold, "an integer", "round it down")

    def _check_numbers(self) -> None:
        for where, entries in self._vectors():
            for place, entry in enumerate(entries):
                if not isinstance(entry, Fraction):
                    _refuse(f"{where}[{place}]", entry, "a Fraction", "build rows with vector() or matrix()")
                if not _is_on_grid(entry, self.precision):
                    raise PrecisionError(
                        f"{shortened(where)}[{place}] = {entry}; expected a multiple of "
                        f"2^-{self.precision}; "
                        "raise precision or change the number"
                    )

    def _vectors(self) -> Iterator[tuple[str, Vector]]:
        """Every row of parameters with its place in a file."""
        for name, row in zip((SOS, *self.alphabet.symbols), self.embedding, strict=True):
            yield f'embedding["{name}"]', row
        yield from _rows("positions", self.positions)
        for number, layer in enumerate(self.layers):
            for place, head in enumerate(layer.heads):
                where = f"layers[{number}].heads[{place}]"
                yield from _rows(f"{where}.K", head.K)
                yield from _rows(f"{where}.Q", head.Q)
                yield from _rows(f"{where}.V", head.V)
                yield f"{where}.phi", head.phi
            where = f"layers[{number}].mlp"
            yield from _rows(f"{where}.A", layer.mlp.A)
            yield f"{where}.b", layer.mlp.b
            yield from _rows(f"{where}.B", layer.mlp.B)
        yield from _rows("unembedding", self.unembedding)


def _rows(where: str, rows: Matrix) -> Iterator[tuple[str, Vector]]:
    return ((f"{where}[{place}]", row) for place, row in enumerate(rows))


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_on_grid(entry: Fraction, precision: int) -> bool:
    # Denominators are compared by their bits: 2^p itself would be huge for a huge p.
    denominator = entry.denominator
    return denominator & (denominator - 1) == 0 and denominator.bit_length() - 1 <= precision


def _refuse(where: str, value: object, expected: str, remedy: str) -> NoReturn:
    raise HypothesisFormatError(f"{shortened(where)} = {quoted(value)}; expected {expected}; {remedy}")


def _check_shape(where: str, rows: Matrix, num_rows: int, num_columns: int) -> None:
    if len(rows) != num_rows:
        raise HypothesisFormatError(
            f"{where} has {len(rows)} rows; expected {num_rows} x {num_columns}; add or remove rows"
        )
    for place, row in enumerate(rows):
        _check_length(f"{where}[{place}]", row, num_columns)


def _check_length(where: str, entries: tuple[object, ...], length: int) -> None:
    if len(entries) != length:
        raise HypothesisFormatError(
            f"{shortened(where)} has {len(entries)} entries; expected {length}; add or remove entries"
        )
