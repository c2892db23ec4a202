"""Compact nets: softmax attention without log N, ReLU and softmax output, so with a modulus of continuity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from idinf.continuity.intervals import MOST_EXPONENT, Interval, dot, exp, round_up, total
from idinf.continuity.predictors import CountingPredictor, Distribution, Growth, Predictor
from idinf.errors import HypothesisFormatError
from idinf.linear_algebra import multiply
from idinf.transformers.dense import Activation, Head, Layer, Matrix, Mlp, refuse
from idinf.words import Alphabet, Word

#: Shapes that are evaluated in a moment.
MOST_WIDTH, MOST_LAYERS = 64, 8

Stream = tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class CompactNet:
    """A decoder without positions, without SOS and without log N: layers between embedding and softmax.

    Raises
    ------
    HypothesisFormatError
        If a shape does not fit, a unit is Heaviside, or logits are not bounded by `MOST_EXPONENT`.
    """

    alphabet: Alphabet
    embedding: Matrix  #: a row for each symbol
    layers: tuple[Layer, ...]
    unembedding: Matrix  #: a row for each symbol

    def __post_init__(self) -> None:
        d = len(self.embedding[0]) if self.embedding else 0
        if not 1 <= d <= MOST_WIDTH:
            refuse("embedding", d, f"rows of 1 to {MOST_WIDTH} entries", "choose another width")
        if not 1 <= len(self.layers) <= MOST_LAYERS:
            refuse("layers", len(self.layers), f"1 to {MOST_LAYERS} of them", "add or remove layers")
        _check("embedding", self.embedding, len(self.alphabet), d)
        _check("unembedding", self.unembedding, len(self.alphabet), d)
        for number, layer in enumerate(self.layers):
            for place, head in enumerate(layer.heads):
                where = f"layers[{number}].heads[{place}]"
                _check(f"{where}.K", head.K, len(head.Q), d)
                _check(f"{where}.Q", head.Q, len(head.K), d)
                _check(f"{where}.V", head.V, d, d)
            units, mlp = len(layer.mlp.A), layer.mlp
            _check(f"layers[{number}].mlp.A", mlp.A, units, d)
            _check(f"layers[{number}].mlp.b", (mlp.b,), 1, units)
            _check(f"layers[{number}].mlp.B", mlp.B, d, units)
            if len(mlp.activation) != units or Activation.HEAVISIDE in mlp.activation:
                raise HypothesisFormatError(
                    f"layers[{number}].mlp.activation: expected {units} times relu; a Heaviside unit is not "
                    "continuous, which Theorem 1 assumes of every part; use relu"
                )
        bound_growth(self)


def _check(where: str, rows: Matrix, number: int, columns: int) -> None:
    if len(rows) != number or any(len(row) != columns for row in rows):
        raise HypothesisFormatError(f"{where}: expected {number} x {columns} entries; add or remove some")


class Net(Predictor):
    """A compact net of several layers; its answer depends on the order of symbols, too."""

    def __init__(self, net: CompactNet, name: str) -> None:
        self.net, self.alphabet, self.name = net, net.alphabet, name
        self.growth = bound_growth(net)
        self._first: dict[tuple[int, ...], Stream] = {}  # what the first layer says of a symbol and counts

    def count_steps(self, n: int) -> int:
        """Count entries that heads mix: at all pairs of places in layers between, at one place in others."""
        width = len(self.net.embedding[0])
        heads = max(len(layer.heads) for layer in self.net.layers)
        return n * max(1, heads) * width * (width + n * (len(self.net.layers) - 2))

    def predict(self, word: Word) -> Distribution:
        """Run all layers, in intervals; only the last position goes through the last one."""
        first, *between, last = self.net.layers
        counts, stream = [0] * len(self.alphabet), []
        for code in word:
            counts[code] += 1
            if (code, *counts) not in self._first:
                self._first[code, *counts] = run_by_shares(self.net, first, code, counts)
            stream.append(self._first[code, *counts])
        ones = [1] * len(word)
        for layer in between:
            stream = [_run(layer, stream[: i + 1], ones[: i + 1], stream[i]) for i in range(len(stream))]
        return _read(self.net, _run(last, stream, ones, stream[-1]))


class OneLayerNet(CountingPredictor):
    """A compact net of one layer: a symbol weighs as often as it occurs, by its logit with the last one.

    Examples
    --------
    >>> net = OneLayerNet(draw_net(Alphabet(("0", "1")), seed=1), "drawn")
    >>> found = net.predict((0, 1, 1))
    >>> sum(part.low for part in found) <= 1 <= sum(part.high for part in found)
    True
    """

    def __init__(self, net: CompactNet, name: str) -> None:
        self.net, self.alphabet, self.name = net, net.alphabet, name
        self.growth = bound_growth(net)

    def at(self, last: int, counts: Sequence[int]) -> Distribution:
        """Run the layer on one position for each symbol, weighted by its count."""
        return _read(self.net, run_by_shares(self.net, self.net.layers[0], last, counts))

    def limit(self, last: int, shares: Sequence[Fraction]) -> Distribution:
        """Do the same by shares: attention is a quotient in which the length cancels."""
        return _read(self.net, run_by_shares(self.net, self.net.layers[0], last, shares))


def predictor_of(net: CompactNet, name: str) -> Net | OneLayerNet:
    """Make a predictor of a net; with one layer, one by counts."""
    return OneLayerNet(net, name) if len(net.layers) == 1 else Net(net, name)


def run_by_shares(net: CompactNet, layer: Layer, code: int, shares: Sequence[Fraction | int]) -> Stream:
    """The output of the first layer at a symbol, of how often each symbol occurs up to there."""
    stream = [tuple(map(Interval.of, row)) for row in net.embedding]
    return _run(layer, stream, shares, stream[code])


def _run(layer: Layer, stream: Sequence[Stream], weights: Sequence[Fraction | int], y: Stream) -> Stream:
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


def _read(net: CompactNet, y: Stream) -> Distribution:
    """The softmax of U y as 1 / Σ_j exp(z_j - z_i), so that no number is large and both ends are met."""
    logits = [dot(row, y) for row in net.unembedding]
    return tuple(
        Interval.of(1)
        / total(Interval.of(1) if i == j else (other - own).exp() for j, other in enumerate(logits))
        for i, own in enumerate(logits)
    )


@lru_cache(maxsize=64)
def bound_growth(net: CompactNet) -> Growth:
    r"""Bound how far answers to prompts of one last symbol and d_H <= δ are apart, for every length.

    Raises
    ------
    HypothesisFormatError
        If logits of attention or of the output may be larger than `MOST_EXPONENT`.

    Notes
    -----
    A proof of Theorem 1 of [PP25]_ for these nets, with constants; norms are largest entries,
    and \|A\| is the largest sum of absolute values of a row. Let Δ(i) be the difference of the two streams
    at position i, and s(i) the share of places up to i that differ. Streams are at most R, so Δ(i) <= 2R
    where symbols differ. Elsewhere let Δ(i) <= g(s(i)), with g(s) = s Σ c_m e_m(ln 1/s), which rises with
    s; at the embedding c = 0.

    *Mean.* For j <= i the share s(j) is at most min(1, s i/j) with s = s(i). This falls with j, so the mean
    of g(s(j)) over j <= i is at most the integral of g(min(1, s/t)) over t from 0 to 1, which is s Σ c_m (1
    + ∫ e_m from 0 to ln 1/s) = s Σ c_m e_{m+1}(ln 1/s). Places that differ add at most 2Rs, which is 2R s
    e_0. So the mean of Δ is at most M(s) with coefficients (2R, c_0, c_1, …).

    *Head.* Logits are at most S, the sum of the absolute entries of K^T Q times R². So weights are at most
    e^{2S}/i. Values differ by \|V\|Δ(j), which contributes e^{2S}\|V\|M. Logits differ by σ(Δ(i) + Δ(j))
    with σ = S/R, and their exponentials by e^S times that; so the weights, normalised, differ by 2e^{2S}σ(g
    + M) in sum, and with values of at most \|V\|R this contributes 2e^{2S}σ\|V\|R(g + M) = 2e^{2S}S\|V\|(g
    + M).

    *Units and output.* ReLU is 1-Lipschitz, so the layer multiplies by 1 + \|B\|\|A\|. Softmax is
    1/2-Lipschitz, since rows of its derivative have absolute sums 2p(1 - p).
    """
    radius = _largest(net.embedding)
    g: list[Fraction] = []
    for number, layer in enumerate(net.layers):
        mean = [2 * radius, *g]
        mixed, bound = [*g, *[Fraction(0)] * (len(mean) - len(g))], radius
        for place, head in enumerate(layer.heads):
            form = multiply_transposed(head.K, head.Q)
            s = sum((abs(entry) for row in form for entry in row), Fraction(0)) * radius**2
            _check_logits(f"layers[{number}].heads[{place}]", s)
            v, e = _norm(head.V), exp(s).high ** 2
            for m, part in enumerate(mean):
                mixed[m] += e * v * part + 2 * e * s * v * (part + (g[m] if m < len(g) else 0))
            bound += v * radius
        a, b = _norm(layer.mlp.A), _norm(layer.mlp.B)
        g = [(1 + a * b) * part for part in mixed]
        radius = bound + b * (a * bound + _largest((layer.mlp.b,)))
    u = _norm(net.unembedding)
    _check_logits("unembedding", 2 * u * radius)
    return Growth(tuple(round_up(u * part / 2) for part in g))


def multiply_transposed(one: Matrix, other: Matrix) -> Matrix:
    """K^T Q.

    Examples
    --------
    >>> from idinf.transformers.dense import matrix
    >>> multiply_transposed(matrix([[1, 2]]), matrix([[3, 0]])) == matrix([[3, 0], [6, 0]])
    True
    """
    columns = tuple(zip(*other, strict=True))
    return tuple(multiply(columns, key) for key in zip(*one, strict=True))


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


def draw_net(
    alphabet: Alphabet, seed: int, layers: int = 1, heads: int = 1, width: int = 4, units: int = 2
) -> CompactNet:
    """Draw a net, the same one for the same arguments.

    Entries are quarters from -1 to 1 in the embedding. Those of layers, and of the unembedding, are at most
    1/4 and 1 in size for one head and a width of 4, and as much smaller as others are larger: so the sums of
    rows, and with them the bounds of logits, stay below `MOST_EXPONENT` for up to 3 layers.
    """
    from random import Random

    random = Random(f"{seed} {alphabet.symbols} {layers} {heads} {width} {units}")

    def rows(number: int, columns: int, below: int) -> Matrix:
        entries = [Fraction(random.randint(-4, 4), below) for _ in range(number * columns)]
        return tuple(tuple(entries[k * columns : (k + 1) * columns]) for k in range(number))

    wide = math.ceil(width / 4)
    fine = 16 * wide * max(1, heads)

    def draw_layer() -> Layer:
        qkv = [(rows(1, width, fine), rows(1, width, fine), rows(width, width, fine)) for _ in range(heads)]
        relu = (Activation.RELU,) * units
        mlp = Mlp(rows(units, width, fine), rows(1, units, fine)[0], rows(width, units, fine), relu)
        return Layer(tuple(Head(*matrices) for matrices in qkv), mlp)

    embedding, drawn = rows(len(alphabet), width, 4), tuple(draw_layer() for _ in range(layers))
    return CompactNet(alphabet, embedding, drawn, rows(len(alphabet), width, 4 * wide))
