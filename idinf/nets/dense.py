"""Transformers as frozen, validated, dense values in exact numbers: the base of Limit and ordinary ones."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, NoReturn, Self

from idinf.base.quoting import list_some, quote, shorten
from idinf.base.words import SOS, Alphabet
from idinf.errors import HypothesisFormatError, PrecisionError
from idinf.spec.spec import END, Answer

_ZERO = Fraction(0)

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]


def vector(entries: Iterable[int | Fraction]) -> Vector:
    """Integers and Fractions as a vector; floats have no place here."""
    return tuple(Fraction(entry) for entry in entries)


def matrix(rows: Iterable[Iterable[int | Fraction]]) -> Matrix:
    """Rows of integers and Fractions as a matrix."""
    return tuple(vector(row) for row in rows)


def sparse_row(width: int, entries: Mapping[int, int | Fraction]) -> Vector:
    """A vector that is 0 but for some entries; those beyond its width are left out."""
    return tuple(Fraction(entries[place]) if place in entries else _ZERO for place in range(width))


class Activation(enum.Enum):
    """The nonlinearity of one MLP unit."""

    HEAVISIDE = "heaviside"
    RELU = "relu"


@dataclass(frozen=True, slots=True)
class Head:
    """One attention head; its logit is the product of K y_j and Q y_i, and φ at distance i − j.

    Trailing zeros of φ are dropped, so "no φ" has the one form ``()``.
    """

    K: Matrix  #: (r, d), any r >= 1
    Q: Matrix  #: (r, d)
    V: Matrix  #: (d, d)
    phi: Vector = ()  #: φ(0)..φ(τ); beyond τ it is 0

    def __post_init__(self) -> None:
        reach = max((k for k, value in enumerate(self.phi) if value), default=-1)
        object.__setattr__(self, "phi", self.phi[: reach + 1])

    @property
    def has_logits(self) -> bool:
        """True if K^T Q is not 0, so that weights depend on the content of positions; exact."""
        queries = list(zip(*self.Q, strict=True))
        return any(
            sum(k * q for k, q in zip(key, query, strict=True))
            for key in zip(*self.K, strict=True)
            if any(key)
            for query in queries
        )


@dataclass(frozen=True, slots=True)
class Mlp:
    """The MLP of one layer, B ψ(A y + b) with its own ψ per unit; A is (m, d), B (d, m)."""

    A: Matrix
    b: Vector
    B: Matrix
    activation: tuple[Activation, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """Zero or more heads, then an MLP."""

    heads: tuple[Head, ...]
    mlp: Mlp


def refuse(where: str, value: object, expected: str, remedy: str) -> NoReturn:
    """Raise the one form of message: a place with its value, the expected value, and a remedy."""
    raise HypothesisFormatError(f"{shorten(where)} = {quote(value)}; expected {expected}; {remedy}")


@dataclass(frozen=True, slots=True)
class NextOutput:
    """Rule by which U y_i is read as next symbols at every position i.

    For `Answer.SET` these are the symbols whose rows exceed the threshold, for `Answer.SYMBOL` the symbol
    whose row has the largest value, of equal ones the first. One that is not listed is never a next symbol.
    """

    kind: Answer
    symbols: tuple[str, ...]  #: `END` for end-of-string
    rows: tuple[int, ...]  #: the row of U of each

    def read(self, logits: Sequence[Fraction], threshold: int | Fraction) -> tuple[str, ...]:
        """The next symbols for U y_i."""
        values = [logits[row] for row in self.rows]
        if self.kind is Answer.SYMBOL:
            return (self.symbols[values.index(max(values))],)
        return tuple(s for s, value in zip(self.symbols, values, strict=True) if value > threshold)

    def check(self, alphabet: Alphabet, num_rows: int, threshold: int | Fraction) -> None:
        """Refuse an output that does not fit an alphabet and a number of rows of U."""
        known = (*alphabet.symbols, END)
        if self.kind is Answer.ACCEPT:
            refuse("output.kind", self.kind.value, '"symbol" or "set"', "use accept for acceptance")
        if not self.symbols:
            refuse("output.symbols", [], "at least one next symbol", "name one")
        for place, symbol in enumerate(self.symbols):
            if symbol not in known or symbol in self.symbols[:place]:
                expected = f"each of {list_some(known)} at most once, {END} being the end"
                refuse(f"output.symbols[{place}]", symbol, expected, "name a next symbol")
        if len(self.rows) != len(self.symbols):
            expected = f"{len(self.symbols)}, one for each symbol"
            refuse("output.rows", list(self.rows), expected, "add or remove rows")
        for place, row in enumerate(self.rows):
            if not _is_integer(row) or not 0 <= row < num_rows:
                expected = f"an integer from 0 to {num_rows - 1}"
                refuse(f"output.rows[{place}]", row, expected, "name a row of unembedding")
        if self.kind is Answer.SYMBOL and threshold:
            refuse("output.threshold", threshold, "0 beside symbol", "the largest value decides")


@dataclass(frozen=True, slots=True)
class DenseTransformer(ABC):
    """Layers between an embedding and an unembedding, with an acceptance rule or a way to name next symbols.

    A word is accepted iff (U y_n)_row > threshold at its last position, SOS for ε. A hypothesis about next
    symbols is judged at every position; it has an output instead of a row to accept by. The two classes below
    this one define the rows of ``positions``, and the logits that positions add.

    Raises `HypothesisFormatError` if a shape does not fit, there is no layer, an entry is not a Fraction, the
    acceptance rule is out of range, or positions or heads are not those of the class; `PrecisionError` if a
    parameter is off the grid of 2^-p.
    """

    FORMAT: ClassVar[str]  #: the tag of files of the class

    alphabet: Alphabet  #: Σ, without SOS
    precision: int  #: p, bits; every parameter is a multiple of 2^-p
    embedding: Matrix  #: (1 + |Σ|, d); row 0 is that of SOS, row 1 + k that of symbol k
    positions: Matrix  #: rows of length d, at least one
    layers: tuple[Layer, ...]  #: at least one
    unembedding: Matrix  #: U, (o, d), at least one row
    accept_row: int = 0
    threshold: int | Fraction = 0  #: on no grid: the paper says only that there is one (Remark 28)
    output: NextOutput | None = None

    @abstractmethod
    def position_rows(self, length: int, offset: int) -> Matrix:
        """The rows p_{1+o}, …, p_{|x|+o} added to the embeddings of an input of |x| symbols, SOS first."""

    @abstractmethod
    def positional_logits(self, head: Head) -> Vector:
        """Logits of a head by positions alone, whose squares equation (8) of [HYB25]_ sums; exact."""

    @abstractmethod
    def _check_positions(self) -> None:
        """Refuse positions and heads that are none of the class."""

    def __post_init__(self) -> None:
        if not _is_integer(self.precision) or self.precision < 0:
            refuse("precision", self.precision, "an integer >= 0", "it counts fractional bits")
        names = (SOS, *self.alphabet.symbols)
        if len(self.embedding) != len(names):
            raise HypothesisFormatError(
                f"embedding has {len(self.embedding)} rows; expected {len(names)}, one for each of "
                f"{list_some(names)}; add or remove rows"
            )
        if not self.embedding[0]:
            refuse('embedding["$"]', self.embedding[0], "at least one entry", "give rows the width d")
        if not self.layers:
            refuse("layers", self.layers, "at least one layer", "add a layer")
        for part in self._parts():
            part.check(self.precision)
        self._check_positions()
        for number, layer in enumerate(self.layers):
            _check_length(f"layers[{number}].mlp.activation", layer.mlp.activation, len(layer.mlp.A))
        rows = len(self.unembedding)
        if not _is_integer(self.accept_row) or not 0 <= self.accept_row < rows:
            expected = f"an integer from 0 to {rows - 1}"
            refuse("accept.row", self.accept_row, expected, "name a row of unembedding")
        if not _is_integer(self.threshold) and not isinstance(self.threshold, Fraction):
            refuse("accept.threshold", self.threshold, "an integer or a Fraction", "write it as one")
        if self.output is not None:
            self.output.check(self.alphabet, rows, self.threshold)

    def __repr__(self) -> str:
        size = f"{self.depth} layers, {self.num_heads} heads, {self.num_bits} bits"
        return f"<{type(self).__name__} over {' '.join(self.alphabet.symbols)}: {size}>"

    def over(self, alphabet: Alphabet) -> Self:
        """The same transformer with a row of the embedding for each symbol of an alphabet of its letters.

        R does not change: rows of the embedding enter it by the largest of their norms.
        """
        rows = (0, *(1 + code for code in self.alphabet.encode(alphabet.symbols)))
        return replace(self, alphabet=alphabet, embedding=tuple(self.embedding[row] for row in rows))

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
    def num_bits(self) -> int:
        """Bits that hold every parameter and the threshold in units of 2^-precision."""
        entries = (entry for part in self._parts() for row in part.rows for entry in row if entry)
        sizes = (entry.numerator.bit_length() - entry.denominator.bit_length() + 1 for entry in entries)
        threshold = Fraction(self.threshold)
        bits = max(threshold.numerator.bit_length(), threshold.denominator.bit_length())
        return self.precision + max(bits, max(sizes, default=0))

    def parameters_in_file_order(self) -> Vector:
        """Layers, unembedding and threshold as a file lists them, all numbers in one row; exact."""
        rows = (row for part in self._parts() if part.of_layers for row in part.rows)
        numbers = (entry for row in rows for entry in row or (Fraction(0),))
        return (*numbers, Fraction(self.threshold))

    def _parts(self) -> Iterator[_Part]:
        """All parameters, in the order of files."""
        d = self.width
        for name, row in zip((SOS, *self.alphabet.symbols), self.embedding, strict=True):
            yield _Part(f'embedding["{name}"]', (row,), None, d)
        yield _Part("positions", self.positions, len(self.positions), d)
        for number, layer in enumerate(self.layers):
            for place, head in enumerate(layer.heads):
                where = f"layers[{number}].heads[{place}]"
                yield _Part(f"{where}.K", head.K, len(head.K), d)
                yield _Part(f"{where}.Q", head.Q, len(head.K), d)
                yield _Part(f"{where}.V", head.V, d, d)
                yield _Part(f"{where}.phi", (head.phi,), None, len(head.phi))
            where, mlp, units = f"layers[{number}].mlp", layer.mlp, len(layer.mlp.A)
            yield _Part(f"{where}.A", mlp.A, units, d)
            yield _Part(f"{where}.b", (mlp.b,), None, units)
            yield _Part(f"{where}.B", mlp.B, d, units)
        yield _Part("unembedding", self.unembedding, len(self.unembedding), d)


#: Matrices that must have a row, with the reason.
_NEVER_EMPTY = {
    "positions": "one zero row means no positions",
    "K": "a zero row gives uniform attention",
    "unembedding": "add the row to accept by",
}


@dataclass(frozen=True, slots=True)
class _Part:
    """Parameters with their place in a file and the shape they must have; a vector is one row of None."""

    where: str
    rows: Matrix
    num_rows: int | None
    num_columns: int

    @property
    def of_layers(self) -> bool:
        return self.where.startswith(("layers", "unembedding"))

    def check(self, precision: int) -> None:
        remedy = _NEVER_EMPTY.get(self.where.rpartition(".")[2])
        if not self.rows and remedy is not None:
            refuse(self.where, self.rows, "at least one row", remedy)
        if self.num_rows not in (None, len(self.rows)):
            raise HypothesisFormatError(
                f"{self.where} has {len(self.rows)} rows; expected {self.num_rows} x {self.num_columns}; "
                "add or remove rows"
            )
        for place, row in enumerate(self.rows):
            where = self.where if self.num_rows is None else f"{self.where}[{place}]"
            _check_length(where, row, self.num_columns)
            for column, entry in enumerate(row):
                if not isinstance(entry, Fraction):
                    refuse(f"{where}[{column}]", entry, "a Fraction", "build rows with vector() or matrix()")
                if not _is_on_grid(entry, precision):
                    raise PrecisionError(
                        f"{shorten(where)}[{column}] = {entry}; expected a multiple of 2^-{precision}; "
                        "raise precision or change the number"
                    )


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_on_grid(entry: Fraction, precision: int) -> bool:
    # Denominators are compared by their bits: 2^p itself would be huge for a huge p.
    denominator = entry.denominator
    return denominator & (denominator - 1) == 0 and denominator.bit_length() - 1 <= precision


def _check_length(where: str, entries: tuple[object, ...], length: int) -> None:
    if len(entries) != length:
        raise HypothesisFormatError(
            f"{shorten(where)} has {len(entries)} entries; expected {length}; add or remove entries"
        )
