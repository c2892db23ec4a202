"""Compact nets: one layer of softmax attention without log N and of ReLU units, so with a modulus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from idinf.base.documents import convert, telling
from idinf.base.documents import refuse as refuse_value
from idinf.base.files import read_text, show_path
from idinf.base.json_text import MOST_HYPOTHESIS, NotJson, parse_json
from idinf.base.linear_algebra import multiply
from idinf.base.words import Alphabet
from idinf.errors import HypothesisFormatError
from idinf.lab.continuity.intervals import MOST_EXPONENT, Interval, dot, exp, round_up, total
from idinf.lab.continuity.predictors import Distribution, Growth, Predictor
from idinf.nets.dense import Activation, Layer, Matrix, Vector, refuse
from idinf.nets.json_format import read_alphabet, read_rows

#: The format of a file.
FORMAT = "compact-transformer/1"

_LOG_N = '"none": Theorem 1 needs bounded logits, and log N is not bounded'

#: A width that is evaluated in a moment.
MOST_WIDTH = 64

Stream = tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class CompactNet:
    """A decoder without positions, without SOS and without log N: a layer between embedding and softmax.

    Raises HypothesisFormatError if a shape does not fit, a unit is Heaviside, or logits are not bounded
    by `MOST_EXPONENT`.
    """

    alphabet: Alphabet
    embedding: Matrix  #: a row for each symbol
    layers: tuple[Layer, ...]
    unembedding: Matrix  #: a row for each symbol

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
        bound_growth(self)


def _check(where: str, rows: Matrix, number: int, columns: int) -> None:
    if len(rows) != number or any(len(row) != columns for row in rows):
        raise HypothesisFormatError(f"{where}: expected {number} x {columns} entries; add or remove some")


class OneLayerNet(Predictor):
    """A compact net as a predictor: a symbol weighs as often as it occurs, by its logit with the last one.

    The net adds the share of 1 among the symbols, attended to alike, to the stream of the last one.

    >>> from idinf.nets.dense import Head, Layer, Mlp, matrix
    >>> head, mlp = Head(matrix([[0]]), matrix([[0]]), matrix([[1]])), Mlp((), (), ((),), ())
    >>> column = matrix([[0], [1]])
    >>> net = CompactNet(Alphabet(("0", "1")), column, (Layer((head,), mlp),), column)
    >>> [round(float(part.low), 6) for part in OneLayerNet(net, "net").predict((0, 1, 1))]
    [0.158869, 0.841131]
    """

    def __init__(self, net: CompactNet, name: str) -> None:
        self.net, self.alphabet, self.name = net, net.alphabet, name
        self.growth = bound_growth(net)

    def at(self, last: int, counts: Sequence[int]) -> Distribution:
        """Run the layer on one position for each symbol, weighted by its count."""
        return _run_by_shares(self.net, last, counts)

    def limit(self, last: int, shares: Sequence[Fraction]) -> Distribution:
        """Do the same by shares: attention is a quotient in which the length cancels."""
        return _run_by_shares(self.net, last, shares)


def _run_by_shares(net: CompactNet, last: int, shares: Sequence[Fraction | int]) -> Distribution:
    stream = [tuple(map(Interval.of, row)) for row in net.embedding]
    return _read(net, _run(net.layers[0], stream, shares, stream[last]))


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
        form = multiply_transposed(head.K, head.Q)
        s = sum((abs(entry) for row in form for entry in row), Fraction(0)) * radius**2
        _check_logits(f"layers[0].heads[{place}]", s)
        v, e = _norm(head.V), exp(s).high ** 2
        mixed += (1 + 2 * s) * e * v * 2 * radius
        bound += v * radius
    a, b = _norm(layer.mlp.A), _norm(layer.mlp.B)
    u = _norm(net.unembedding)
    _check_logits("unembedding", 2 * u * (bound + b * (a * bound + _largest((layer.mlp.b,)))))
    return Growth(round_up(u * (1 + a * b) * mixed / 2))


def multiply_transposed(one: Matrix, other: Matrix) -> Matrix:
    """K^T Q.

    >>> from idinf.nets.dense import matrix
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

    Raises
    ------
    HypothesisFormatError
        If it is none, with key and value; of a hypothesis of idinf, with the assumption that it breaks.
    """
    text = read_text(
        path, MOST_HYPOTHESIS, HypothesisFormatError, f"expected a {FORMAT} file; check the path"
    )
    return parse_net(text, path)


def parse_net(text: str, origin: str = "net") -> CompactNet:
    """Read a compact net from JSON text; errors as of `read_net`."""
    origin = show_path(origin)
    try:
        content = parse_json(text)
    except NotJson as reason:
        raise HypothesisFormatError(f"{origin}: {reason}; expected a {FORMAT} object; correct it") from None
    with telling(origin, HypothesisFormatError, "the net"):
        return _take(content)


def _take(content: object) -> CompactNet:
    tag = content.get("format", FORMAT) if isinstance(content, dict) else FORMAT
    if tag in ("limit-transformer/1", "causal-transformer/1"):
        expected = f'"{FORMAT}": Theorem 1 needs bounded logits, and hypotheses multiply theirs by log N'
        refuse_value(tag, expected, "give a compact net", "format")
    if tag != FORMAT:
        refuse_value(tag, f'"{FORMAT}"', "this version reads no other", "format")
    file = convert(content, _NetFile)
    if file.scaling != "none":
        refuse_value(file.scaling, _LOG_N, "leave it out", "scaling")
    alphabet = read_alphabet(file.alphabet)
    return CompactNet(alphabet, read_rows(file.embedding, alphabet.symbols), file.layers, file.unembedding)
