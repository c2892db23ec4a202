"""The searched family: one-hot Limit Transformers, as the search writes them down.

Numbers here are integers in units of 2^-p. The features of a layer are, in this order: SOS, the
symbols of the alphabet, the residues 0..Δ−1 of the position if Δ > 1, then the 0/1 outputs of the units
of all earlier layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from idinf.base.words import Alphabet
from idinf.nets.dense import Activation, Head, Layer, Mlp, NextOutput, Vector, refuse, sparse_row
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot_parts import NextReads, OneHotHead, OneHotLayer, OneHotUnit
from idinf.spec.spec import END, Answer

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class OneHotTransformer:
    """A hypothesis of the family: it accepts iff Σ signs · units of the last layer > threshold.

    Raises
    ------
    HypothesisFormatError
        If the value is not in the family.

    Examples
    --------
    Majority with ties: not (#0 − #1 > 0), read by the complement.

    >>> from idinf.nets.one_hot_parts import OneHotHead, OneHotUnit
    >>> head = OneHotHead(((0, 1, -1),))
    >>> unit = OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    >>> majority = OneHotTransformer(Alphabet(("0", "1")), 0, (OneHotLayer((head,), (unit,)),), (-1,), -1)
    >>> majority.to_dense().width
    5
    >>> majority.effective_values(0, 0)
    ((0, 1, -1),)
    """

    alphabet: Alphabet
    precision: int
    layers: tuple[OneHotLayer, ...]  #: at least one
    signs: tuple[int, ...]  #: +1 or −1 for each unit of the last layer
    threshold: int  #: in whole units, not in units of 2^-p
    period: int = 1  #: Δ, the number of residue features; 1 for a transformer without positions
    reads: NextReads | None = None  #: about next symbols; ``signs`` are then the one sign of all rows

    def __post_init__(self) -> None:
        if not isinstance(self.precision, int) or self.precision < 0:
            refuse("precision", self.precision, "an integer >= 0", "it counts fractional bits")
        if not isinstance(self.period, int) or self.period < 1:
            refuse("period", self.period, "an integer >= 1", "1 means no positions")
        if not self.layers:
            refuse("layers", self.layers, "at least one layer", "add a layer")
        for number, layer in enumerate(self.layers):
            layer.check(f"layers[{number}]", self.num_features(number), self.precision)
        num_units = len(self.layers[-1].units)
        if len(self.signs) != num_units or any(sign not in (1, -1) for sign in self.signs):
            refuse("signs", self.signs, f"+1 or -1 for each of {num_units} units", "read every unit once")
        if self.reads is not None:
            self._check_reads(self.reads)

    @property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """U on the units of the last layer: one row for acceptance, one for every next symbol."""
        if self.reads is None:
            return (self.signs,)
        return tuple(
            tuple(sign if u == unit else 0 for u, sign in enumerate(self.signs)) for unit in self.reads.units
        )

    @property
    def reach(self) -> int:
        """τ, the largest distance at which the φ of some head is not 0; 0 without φ."""
        return max((head.pattern.reach for layer in self.layers for head in layer.heads), default=0)

    @property
    def num_units(self) -> int:
        """The number of units of all layers together."""
        return sum(len(layer.units) for layer in self.layers)

    def num_features(self, layer: int) -> int:
        """Count the features F that heads and units of a layer (0-based) see."""
        residues = self.period if self.period > 1 else 0
        units = sum(len(earlier.units) for earlier in self.layers[:layer])
        return 1 + len(self.alphabet) + residues + units

    def effective_values(self, layer: int, unit: int) -> tuple[tuple[int, ...], ...]:
        """Compute what a unit weighs the features of attended positions by, one vector per head.

        Exact, in units of 4^-p: the A entry times the channel, and zeros for a head the unit does not
        read. Both indices are 0-based.
        """
        heads = self.layers[layer].heads
        values = [(0,) * self.num_features(layer)] * len(heads)
        for head, channel, entry in self.layers[layer].units[unit].reads:
            values[head] = tuple(entry * value for value in heads[head].channels[channel])
        return tuple(values)

    def to_dense(self) -> LimitTransformer:
        """Write the hypothesis as the dense Limit Transformer that defines its R; exact.

        It has one-hot embeddings and a coordinate for everything: the features of all layers, then the
        channels in order of layer, head and channel. Row i of the Δ positions is 1 in the coordinate of
        residue i; for Δ = 1 the one row is zero. K^T Q is the logit matrix M of the head, φ its φ; V writes
        each channel into its coordinate, A reads features and channels, B writes each unit's 1 into its
        feature, and the unembedding reads the units of the last layer. Other realisations of the same
        function, with scaled or non-orthogonal embeddings or factors moved between V and A, can have a
        smaller R; this is the one place they would go.
        """
        tokens = 1 + len(self.alphabet)
        free = self.num_features(len(self.layers))  # channels come after all features
        width = free + sum(len(head.channels) for layer in self.layers for head in layer.heads)
        dense = []
        for number, layer in enumerate(self.layers):
            starts = []  # of the channels of each head
            for head in layer.heads:
                starts.append(free)
                free += len(head.channels)
            heads = [
                _head(head, start, width, self.precision)
                for head, start in zip(layer.heads, starts, strict=True)
            ]
            mlp = _mlp(layer.units, self.num_features(number), starts, width, self.precision)
            dense.append(Layer(tuple(heads), mlp))
        residues = range(self.period) if self.period > 1 else ()
        symbols, rows = (*self.alphabet.symbols, END), tuple(range(1 + len(self.alphabet)))
        last = self.num_features(len(self.layers) - 1)
        return LimitTransformer(
            alphabet=self.alphabet,
            precision=self.precision,
            embedding=tuple(sparse_row(width, {token: _ONE}) for token in range(tokens)),
            positions=tuple(sparse_row(width, {tokens + r: _ONE}) for r in residues)
            or (sparse_row(width, {}),),
            layers=tuple(dense),
            unembedding=tuple(sparse_row(width, _grid_entries(row, 0, last)) for row in self.rows),
            threshold=self.threshold,
            output=None if self.reads is None else NextOutput(self.reads.kind, symbols, rows),
        )

    def parameters_in_file_order(self) -> Vector:
        """Flatten the parameters as a file lists them; the last part of the total order on hypotheses.

        Exact Fractions: K, Q, V and φ of every head, then A, b and B, layer by layer, then the
        unembedding and the threshold. Embeddings and positions are fixed by the family and left out.
        """
        return self.to_dense().parameters_in_file_order()

    def _check_reads(self, reads: NextReads) -> None:
        num_units, outputs = len(self.layers[-1].units), len(self.alphabet) + 1
        if len(reads.units) != outputs or any(not -1 <= unit < num_units for unit in reads.units):
            expected = f"a unit from 0 to {num_units - 1}, or -1, for each of {outputs} next symbols"
            refuse("reads", reads.units, expected, "list the symbols in order, then end-of-string")
        if set(range(num_units)) - set(reads.units):
            refuse("reads", reads.units, "every unit of the last layer", "drop what no symbol reads")
        if len(set(self.signs)) > 1:
            refuse("signs", self.signs, "one sign of all rows", "read all units by + or all by -")
        is_symbol = reads.kind is Answer.SYMBOL
        # The rows of one next symbol are a decision list, with the zero row that decides last.
        read = [place for place, unit in enumerate(reads.units) if unit >= 0]
        is_list = read[0] > 0 if self.signs[0] > 0 else read == list(range(num_units))
        if is_symbol and (len(read) != num_units or not is_list or num_units == outputs):
            expected = "every unit once, by + not in row 0, by - in the first rows but not in all"
            refuse("reads", reads.units, expected, "one row that is zero is the default")
        threshold = 0 if is_symbol or self.signs[0] > 0 else -1
        if self.threshold != threshold:
            refuse("threshold", self.threshold, f"{threshold}", "it follows from the sign of the rows")


def _head(head: OneHotHead, start: int, width: int, precision: int) -> Head:
    V = [sparse_row(width, {})] * width
    for g, values in enumerate(head.channels):
        V[start + g] = sparse_row(width, _grid_entries(values, precision))
    # K^T Q = M: Q asks for one query feature a row, K holds the column of M that answers.
    columns = enumerate(zip(*head.pattern.logits, strict=True))
    asked = [(query, column) for query, column in columns if any(column)]
    K = tuple(sparse_row(width, _grid_entries(column, precision)) for _, column in asked)
    Q = tuple(sparse_row(width, {query: _ONE}) for query, _ in asked)
    phi = tuple(Fraction(value, 1 << precision) for value in head.pattern.phi)
    return Head(K or (sparse_row(width, {}),), Q or (sparse_row(width, {}),), tuple(V), phi)


def _mlp(units: Sequence[OneHotUnit], first: int, starts: Sequence[int], width: int, precision: int) -> Mlp:
    """The MLP whose units have the features ``first``, ``first + 1``, …"""
    A = []
    for unit in units:
        entries = _grid_entries(unit.s, precision)
        for head, g, entry in unit.reads:
            entries[starts[head] + g] = Fraction(entry, 1 << precision)
        A.append(sparse_row(width, entries))
    b = tuple(Fraction(unit.b, 1 << precision) for unit in units)
    B = tuple(sparse_row(len(units), {place - first: _ONE}) for place in range(width))
    return Mlp(tuple(A), b, B, (Activation.HEAVISIDE,) * len(units))


def _grid_entries(values: Sequence[int], precision: int, start: int = 0) -> dict[int, Fraction]:
    return {place: Fraction(value, 1 << precision) for place, value in enumerate(values, start) if value}
