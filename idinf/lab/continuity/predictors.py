"""Predictors, which continue a prompt by a distribution over symbols, and bounds of their change.

Predictors are counts plus a constant, whose probabilities are fractions, and compact nets: one layer of
softmax attention without log N and of ReLU units, whose probabilities are enclosed by intervals.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from idinf.base.documents import convert, telling
from idinf.base.documents import refuse as refuse_value
from idinf.base.files import read_text, show_path
from idinf.base.json_text import MOST_HYPOTHESIS, NotJson, parse_json
from idinf.base.linear_algebra import multiply
from idinf.base.quoting import quote
from idinf.base.words import Alphabet, Word
from idinf.errors import AlphabetMismatchError, ArgumentError, HypothesisFormatError, SpecError
from idinf.nets.dense import Activation, Layer, Matrix, Vector, refuse
from idinf.nets.json_format import read_alphabet, read_rows

#: Ends that are no sums and products of exact numbers lie on the grid of 2^-BITS, rounded outwards.
BITS = 160

#: Digits to which exp is rounded.
DIGITS = 60

#: Logits of attention and of the output are at most this; arguments of exp are differences of two.
MOST_EXPONENT = 256

_ONE = 1 << BITS


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from ``low`` to ``high``; an exact number has both ends equal.

    >>> Interval.of(3) * Interval(Fraction(-1), Fraction(2)) - Interval.of(1)
    Interval(low=Fraction(-4, 1), high=Fraction(5, 1))
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, value: Fraction | int) -> Interval:
        """Take an exact number."""
        exact = Fraction(value)
        return cls(exact, exact)

    @property
    def is_exact(self) -> bool:
        """True if it holds one number."""
        return self.low == self.high

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        if self.is_exact and other.is_exact:
            return Interval.of(self.low * other.low)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return _outwards(min(ends), max(ends))

    def __truediv__(self, other: Interval) -> Interval:
        """Divide by an interval above 0."""
        if self.is_exact and other.is_exact:
            return Interval.of(self.low / other.low)
        ends = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return _outwards(min(ends), max(ends))

    def __abs__(self) -> Interval:
        if self.low >= 0:
            return self
        negated = Interval(-self.high, -self.low)
        return negated if negated.low >= 0 else Interval(Fraction(0), max(-self.low, self.high))

    def relu(self) -> Interval:
        """Take max(0, x)."""
        return Interval(max(self.low, Fraction(0)), max(self.high, Fraction(0)))

    def exp(self) -> Interval:
        """Enclose exp of all its numbers."""
        if self.is_exact:
            return exp(self.low)
        return Interval(exp(_floor(self.low)).low, exp(-_floor(-self.high)).high)


def _floor(value: Fraction) -> Fraction:
    return Fraction(math.floor(value * _ONE), _ONE)


def _outwards(low: Fraction, high: Fraction) -> Interval:
    return Interval(_floor(low), -_floor(-high))


def total(parts: Iterable[Interval]) -> Interval:
    """Add intervals; none are 0."""
    return sum(parts, Interval.of(0))


def dot(row: Sequence[Fraction], y: Sequence[Interval]) -> Interval:
    """Enclose a scalar product with an exact vector; products with 0 are left out."""
    pairs = [(a, b) for a, b in zip(row, y, strict=True) if a]
    low = sum((a * (b.low if a > 0 else b.high) for a, b in pairs), Fraction(0))
    high = sum((a * (b.high if a > 0 else b.low) for a, b in pairs), Fraction(0))
    return Interval(low, high)


def largest(parts: Sequence[Interval]) -> Interval:
    """Enclose the maximum of some numbers, each in one of the intervals."""
    return Interval(max(part.low for part in parts), max(part.high for part in parts))


def least(parts: Sequence[Interval]) -> Interval:
    """Enclose the minimum of some numbers, each in one of the intervals."""
    return Interval(min(part.low for part in parts), min(part.high for part in parts))


def round_up(value: Fraction) -> Fraction:
    """Round up to a multiple of 2^-20, which is enough for a bound.

    >>> round_up(Fraction(1, 3)) > Fraction(1, 3), round_up(Fraction(2))
    (True, Fraction(2, 1))
    """
    return Fraction(math.ceil(value * 2**20), 2**20)


@lru_cache(maxsize=1 << 14)
def exp(x: Fraction) -> Interval:
    r"""Enclose exp(x) for \|x\| <= 2 `MOST_EXPONENT`.

    x is rounded to either side. `decimal` gives the number of its digits that is nearest to the true value,
    which so lies between the neighbours of it.

    >>> exp(Fraction(0)), float(exp(Fraction(1)).low)
    (Interval(low=Fraction(1, 1), high=Fraction(1, 1)), 2.718281828459045)
    """
    if x == 0:
        return Interval.of(1)
    ends = Decimal(x.numerator), Decimal(x.denominator)
    down, up = Context(DIGITS, ROUND_FLOOR), Context(DIGITS, ROUND_CEILING)
    low = down.next_minus(down.exp(down.divide(*ends)))
    return Interval(Fraction(low), Fraction(up.next_plus(up.exp(up.divide(*ends)))))


#: Probabilities of the symbols, in the order of the alphabet.
Distribution = tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class Growth:
    """A proved bound ω(δ) = c δ of the distance of two answers, in any probability, for any length.

    The prompts have one last symbol and d_H <= δ.

    >>> Growth(Fraction(2)).at(Fraction(1, 8)), Growth(Fraction(2)).find_radius(Fraction(1))
    (Fraction(1, 4), Fraction(1, 4))
    """

    constant: Fraction

    def at(self, delta: Fraction) -> Fraction:
        """Bound ω(δ) for 0 <= δ <= 1 from above; 1 bounds it as well."""
        return min(Fraction(1), self.constant * delta)

    def find_radius(self, confidence: Fraction) -> Fraction:
        """Find the largest δ with ω(δ) <= confidence / 2."""
        return min(Fraction(1), confidence / 2 / self.constant) if self.constant else Fraction(1)


class Predictor(ABC):
    """A continuous sequence predictor f_n whose answer depends on the last symbol and on counts of symbols.

    The answer F is continuous in the shares, too: f_n is at most ``offset`` / n away from F of its shares,
    and F is Lipschitz with the constant of ``growth`` in half the sum of differences of shares.
    """

    alphabet: Alphabet
    name: str
    growth: Growth
    offset: Fraction = Fraction(0)

    @abstractmethod
    def at(self, last: int, counts: Sequence[int]) -> Distribution:
        """Enclose the probabilities after a prompt that ends in a symbol and has these counts."""

    @abstractmethod
    def limit(self, last: int, shares: Sequence[Fraction]) -> Distribution:
        """Enclose F, the limit of answers on longer and longer prompts of such shares."""

    def predict(self, word: Word) -> Distribution:
        """Enclose the probabilities of the next symbol after a prompt of at least one symbol."""
        return self.at(word[-1], [word.count(code) for code in range(len(self.alphabet))])

    def encode(self, text: str) -> Word:
        """Read a prompt.

        Raises AlphabetMismatchError if it is empty or has a symbol outside of the alphabet: f_n is
        about prompts of at least one.
        """
        if not text:
            raise AlphabetMismatchError(
                "the prompt is empty; expected at least one symbol; f_n begins at n = 1"
            )
        return self.alphabet.encode(text)


class AddConstant(Predictor):
    """Counts plus a constant β, in shares: Laplace for β = 1, Krichevsky–Trofimov for β = 1/2.

    Answers of prompts of length n that differ at k places differ by at most k / (n + β|Σ|) <= k/n, and
    |(c + β)/(n + β|Σ|) - c/n| <= β|Σ| / n.

    >>> [str(part.low) for part in laplace(Alphabet(("0", "1"))).predict((0, 1, 1))]
    ['2/5', '3/5']
    """

    def __init__(self, alphabet: Alphabet, constant: Fraction, name: str) -> None:
        self.alphabet, self.constant, self.name = alphabet, constant, name
        self.growth, self.offset = Growth(Fraction(1)), constant * len(alphabet)

    def at(self, last: int, counts: Sequence[int]) -> Distribution:
        """Compute (c + β) / (n + β|Σ|), exactly."""
        whole = sum(counts) + self.constant * len(self.alphabet)
        return tuple(Interval.of((count + self.constant) / whole) for count in counts)

    def limit(self, last: int, shares: Sequence[Fraction]) -> Distribution:
        """The shares themselves."""
        return tuple(map(Interval.of, shares))


def laplace(alphabet: Alphabet) -> AddConstant:
    """Laplace's rule of succession: β = 1."""
    return AddConstant(alphabet, Fraction(1), "laplace")


def krichevsky_trofimov(alphabet: Alphabet) -> AddConstant:
    """The estimator of Krichevsky and Trofimov: β = 1/2."""
    return AddConstant(alphabet, Fraction(1, 2), "kt")


#: Predictors by name.
SHIPPED = {"laplace": laplace, "kt": krichevsky_trofimov}


def enclose_gap(one: Distribution, other: Distribution) -> Interval:
    """Enclose the largest difference of probabilities.

    >>> halves, sure = (Interval.of(Fraction(1, 2)),) * 2, (Interval.of(1), Interval.of(0))
    >>> str(enclose_gap(halves, sure).low)
    '1/2'
    """
    return largest([abs(x - y) for x, y in zip(one, other, strict=True)])


def enclose_confidence(found: Distribution, right: int) -> Interval:
    """Enclose by how much one symbol is above every other one; 1 over one symbol alone.

    >>> str(enclose_confidence((Interval.of(Fraction(2, 3)), Interval.of(Fraction(1, 3))), 1).low)
    '-1/3'
    """
    others = [found[right] - part for code, part in enumerate(found) if code != right]
    return least(others) if others else Interval.of(1)


def check_confidence(epsilon: Fraction) -> Fraction:
    """Refuse an ε that no distribution can have, or that says nothing.

    Raises SpecError.
    """
    if not 0 < epsilon <= 1:
        raise SpecError(
            f"epsilon = {quote(str(epsilon))}; expected more than 0 and at most 1, which eventual "
            "learnability asks for; choose one such as 1/2"
        )
    return epsilon


#: The format of a file.
FORMAT = "compact-transformer/1"

#: A width that is evaluated in a moment.
MOST_WIDTH = 64

Stream = tuple[Interval, ...]


@dataclass(frozen=True)
class CompactNet(Predictor):
    """A decoder without positions, without SOS and without log N: a layer between embedding and softmax.

    A symbol weighs as often as it occurs, by its logit with the last one. Raises HypothesisFormatError if a
    shape does not fit, a unit is Heaviside, or logits are not bounded by `MOST_EXPONENT`.

    For example a net that adds the share of 1 among the symbols, attended to alike, to the stream of the last
    one:

    >>> from idinf.nets.dense import Head, Layer, Mlp, matrix
    >>> head, mlp = Head(matrix([[0]]), matrix([[0]]), matrix([[1]])), Mlp((), (), ((),), ())
    >>> column = matrix([[0], [1]])
    >>> net = CompactNet(Alphabet(("0", "1")), column, (Layer((head,), mlp),), column)
    >>> [round(float(part.low), 6) for part in net.predict((0, 1, 1))]
    [0.158869, 0.841131]
    """

    alphabet: Alphabet
    embedding: Matrix  #: a row for each symbol
    layers: tuple[Layer, ...]
    unembedding: Matrix  #: a row for each symbol
    name: str = field(default="net", compare=False)
    growth: Growth = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        d = len(self.embedding[0]) if self.embedding else 0
        if not 1 <= d <= MOST_WIDTH:
            refuse("embedding", d, f"rows of 1 to {MOST_WIDTH} entries", "choose another width")
        if len(self.layers) != 1:
            refuse("layers", len(self.layers), "one layer, of which all is proved", "add or remove layers")
        _check("embedding", self.embedding, len(self.alphabet), d)
        _check("unembedding", self.unembedding, len(self.alphabet), d)
        (layer,) = self.layers
        for place, head in enumerate(layer.heads):
            where = f"layers[0].heads[{place}]"
            _check(f"{where}.K", head.K, len(head.Q), d)
            _check(f"{where}.Q", head.Q, len(head.K), d)
            _check(f"{where}.V", head.V, d, d)
        units, mlp = len(layer.mlp.A), layer.mlp
        _check("layers[0].mlp.A", mlp.A, units, d)
        _check("layers[0].mlp.b", (mlp.b,), 1, units)
        _check("layers[0].mlp.B", mlp.B, d, units)
        if len(mlp.activation) != units or Activation.HEAVISIDE in mlp.activation:
            raise HypothesisFormatError(
                f"layers[0].mlp.activation: expected {units} times relu; a Heaviside unit is not "
                "continuous, which Theorem 1 assumes of every part; use relu"
            )
        object.__setattr__(self, "growth", _bound_growth(self))

    def at(self, last: int, counts: Sequence[int]) -> Distribution:
        """Run the layer on one position for each symbol, weighted by its count."""
        return self.limit(last, [Fraction(count) for count in counts])

    def limit(self, last: int, shares: Sequence[Fraction]) -> Distribution:
        """Do the same by shares: attention is a quotient in which the length cancels.

        The softmax of U y is 1 / Σ_j exp(z_j - z_i), so that no number is large and both ends are met.
        """
        stream = [tuple(map(Interval.of, row)) for row in self.embedding]
        y = _run(self.layers[0], stream, shares, stream[last])
        logits = [dot(row, y) for row in self.unembedding]
        return tuple(
            Interval.of(1)
            / total(Interval.of(1) if i == j else (other - own).exp() for j, other in enumerate(logits))
            for i, own in enumerate(logits)
        )


def _check(where: str, rows: Matrix, number: int, columns: int) -> None:
    if len(rows) != number or any(len(row) != columns for row in rows):
        raise HypothesisFormatError(f"{where}: expected {number} x {columns} entries; add or remove some")


def _run(layer: Layer, stream: Sequence[Stream], weights: Sequence[Fraction], y: Stream) -> Stream:
    """The output of a layer at a position whose stream is y, of the streams of all keys.

    From all logits the largest one is taken off, which leaves the weights as they are: so the sum of their
    exponentials is at least 1, and as exact as the largest one.
    """
    mixed = list(y)
    for head in layer.heads:
        query = [dot(row, y) for row in head.Q]
        scores = [total(dot(row, key) * q for row, q in zip(head.K, query, strict=True)) for key in stream]
        top = Interval.of(max(score.low for w, score in zip(weights, scores, strict=True) if w))
        shares = [Interval.of(w) * (score - top).exp() for w, score in zip(weights, scores, strict=True)]
        whole = total(shares)
        for place, row in enumerate(head.V):
            values = (share * dot(row, key) for share, key in zip(shares, stream, strict=True) if share.high)
            mixed[place] += total(values) / whole if any(row) else Interval.of(0)
    units = [
        (dot(row, mixed) + Interval.of(b)).relu() for row, b in zip(layer.mlp.A, layer.mlp.b, strict=True)
    ]
    return tuple(old + dot(row, units) for old, row in zip(mixed, layer.mlp.B, strict=True))


def _bound_growth(net: CompactNet) -> Growth:
    r"""Bound the distance of answers to prompts of one last symbol and d_H <= δ, for every length.

    Raises HypothesisFormatError if logits of attention or of the output may be larger than
    `MOST_EXPONENT`.

    A proof of Theorem 1 of [PP25]_ for these nets, with constants; norms are largest entries, and \|A\| is
    the largest sum of absolute values of a row. Streams are at most R after the embedding, so they differ by
    2R at most where symbols differ, and not at all elsewhere, as at the last position.

    *Head.* Logits are at most S, the sum of the absolute entries of K^T Q times R². So weights are at most
    e^{2S}/n, and values differ by \|V\| 2R at the share δ of the places, which contributes e^{2S}\|V\| 2Rδ.
    Logits differ by 2S there at most, and their exponentials by e^S times that; so the weights, normalised,
    differ by 2e^{2S} 2Sδ in sum, and with values of at most \|V\|R this contributes 2e^{2S}S\|V\| 2Rδ.

    *Units and output.* ReLU is 1-Lipschitz, so the layer multiplies by 1 + \|B\|\|A\|. Softmax is
    1/2-Lipschitz, since rows of its derivative have absolute sums 2p(1 - p).
    """
    (layer,), radius = net.layers, _largest(net.embedding)
    mixed, bound = Fraction(0), radius
    for place, head in enumerate(layer.heads):
        columns = tuple(zip(*head.Q, strict=True))
        form = (multiply(columns, key) for key in zip(*head.K, strict=True))  # K^T Q, by rows
        s = sum((abs(entry) for row in form for entry in row), Fraction(0)) * radius**2
        _check_logits(f"layers[0].heads[{place}]", s)
        v, e = _norm(head.V), exp(s).high ** 2
        mixed += (1 + 2 * s) * e * v * 2 * radius
        bound += v * radius
    a, b = _norm(layer.mlp.A), _norm(layer.mlp.B)
    u = _norm(net.unembedding)
    _check_logits("unembedding", 2 * u * (bound + b * (a * bound + _largest((layer.mlp.b,)))))
    return Growth(round_up(u * (1 + a * b) * mixed / 2))


def _norm(rows: Matrix) -> Fraction:
    return max((sum(map(abs, row), Fraction(0)) for row in rows), default=Fraction(0))


def _largest(rows: Matrix) -> Fraction:
    return max((abs(entry) for row in rows for entry in row), default=Fraction(0))


def _check_logits(where: str, bound: Fraction) -> None:
    if bound > MOST_EXPONENT:
        raise HypothesisFormatError(
            f"{where}: logits may reach {float(bound):.3g}; expected a proved bound of at most "
            f"{MOST_EXPONENT}, since the theorem needs bounded logits; use smaller weights"
        )


@dataclass(frozen=True, slots=True)
class _NetFile:
    """The keys of a file."""

    alphabet: tuple[str, ...]
    embedding: Mapping[str, Vector]
    layers: tuple[Layer, ...]
    unembedding: Matrix
    format: str = FORMAT
    scaling: str = "none"


def read_net(path: str) -> CompactNet:
    """Read a compact net from a file.

    Raises HypothesisFormatError if it is none, with key and value; of a hypothesis of idinf, with the
    assumption that it breaks.
    """
    missing = f"expected a {FORMAT} file; check the path"
    return parse_net(read_text(path, MOST_HYPOTHESIS, HypothesisFormatError, missing), path)


def parse_net(text: str, origin: str = "net") -> CompactNet:
    """Read a compact net from JSON text; errors as of `read_net`."""
    origin = show_path(origin)
    try:
        content = parse_json(text)
    except NotJson as reason:
        raise HypothesisFormatError(f"{origin}: {reason}; expected a {FORMAT} object; correct it") from None
    with telling(origin, HypothesisFormatError, "the net"):
        tag = content.get("format", FORMAT) if isinstance(content, dict) else FORMAT
        if tag in ("limit-transformer/1", "causal-transformer/1"):
            expected = f'"{FORMAT}": Theorem 1 needs bounded logits, and hypotheses multiply theirs by log N'
            refuse_value(tag, expected, "give a compact net", "format")
        if tag != FORMAT:
            refuse_value(tag, f'"{FORMAT}"', "this version reads no other", "format")
        file = convert(content, _NetFile)
        if file.scaling != "none":
            bounded = '"none": Theorem 1 needs bounded logits, and log N is not bounded'
            refuse_value(file.scaling, bounded, "leave it out", "scaling")
        alphabet = read_alphabet(file.alphabet)
        rows = read_rows(file.embedding, alphabet.symbols)
        return CompactNet(alphabet, rows, file.layers, file.unembedding)


#: Arguments of `predictor`.
PredictorLike: TypeAlias = str | os.PathLike[str] | Predictor


def predictor(source: PredictorLike, *, alphabet: str = "01") -> Predictor:
    """Take a predictor: ``laplace`` or ``kt`` over an alphabet, or a ``compact-transformer/1`` file or net.

    Raises
    ------
    HypothesisFormatError, ArgumentError
        If there is none, or it breaks an assumption of the theorem, such as bounded logits.

    Examples
    --------
    >>> rule = predictor("kt")
    >>> [str(part.low) for part in rule.predict(rule.encode("011"))]
    ['3/8', '5/8']
    """
    if isinstance(source, Predictor):
        return source
    name = os.fspath(source)
    if name in SHIPPED:
        return SHIPPED[name](Alphabet(tuple(alphabet)))
    if not name.endswith(".json"):
        raise ArgumentError(
            f"predictor {quote(name)}; expected {', '.join(SHIPPED)} or a file ending in .json; correct it"
        )
    return replace(read_net(name), name=os.path.basename(name))
