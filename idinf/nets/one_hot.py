"""The searched family: one-hot Limit Transformers, as the search writes them down.

Numbers here are integers in units of 2^-p. The features of a layer are, in this order: SOS, the
symbols of the alphabet, the residues 0..Δ−1 of the position if Δ > 1, then the 0/1 outputs of the units
of all earlier layers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from idinf.base.linear_algebra import dot
from idinf.base.words import Alphabet
from idinf.errors import HypothesisFormatError
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.dense import Activation, Head, Layer, Mlp, NextOutput, Vector, refuse, sparse_row
from idinf.nets.limit_transformer import LimitTransformer
from idinf.spec.spec import END, Answer


@dataclass(frozen=True, slots=True)
class OneHotHead:
    """A head: it averages each of its channels over the positions up to the query, by its attention."""

    channels: tuple[tuple[int, ...], ...]  #: at least one value vector, (F,), none of them zero
    pattern: AttentionPattern = UNIFORM  #: what the weights depend on

    def _check(self, where: str, num_features: int) -> None:
        if not self.channels:
            refuse(f"{where}.channels", (), "at least one channel", "drop the head")
        for g, values in enumerate(self.channels):
            name = f"{where}.channels[{g}]"
            _check_vector(name, values, num_features)
            if not any(values):
                refuse(name, values, "a vector that is not zero", "drop the channel")
        logits, phi = self.pattern.logits, self.pattern.phi
        if logits and len(logits) != num_features:
            refuse(f"rows of {where}.logits", len(logits), f"{num_features}", "give one for each feature")
        for key, row in enumerate(logits):
            _check_vector(f"{where}.logits[{key}]", row, num_features)
            _check_logits(f"{where}.logits[{key}]", row)
        if logits and not any(map(any, logits)):
            refuse(f"{where}.logits", logits, "an entry that is not zero", "leave the matrix empty")
        _check_logits(f"{where}.phi", phi)
        if phi and not phi[-1]:
            refuse(f"{where}.phi", phi, "no zero at the end", "shorten it; φ is 0 beyond its end")


@dataclass(frozen=True, slots=True)
class OneHotUnit:
    """One Heaviside unit: [ Σ A · channel average + s · features of its own position + b > 0 ].

    Heads are read in ascending order, at most one channel of each. The entry of A is exactly 2^p (the number
    1) on a channel no other unit reads, and any integer but 0 on a shared one.
    """

    reads: tuple[tuple[int, int, int], ...]  #: (head, channel, A entry)
    s: tuple[int, ...]  #: (F,)
    b: int


@dataclass(frozen=True, slots=True)
class OneHotLayer:
    """Zero or more heads and at least one unit; only these units read the heads."""

    heads: tuple[OneHotHead, ...]
    units: tuple[OneHotUnit, ...]

    def check(self, where: str, num_features: int, precision: int) -> None:
        """Refuse what is not in the family; ``where`` is the place of the layer, F what its heads see.

        Raises
        ------
        HypothesisFormatError
            If it has no unit, a vector or a pattern does not fit the features, a pattern has a negative or
            superfluous entry, or a channel is zero, unread or read with an entry outside the family.
        """
        if not self.units:
            refuse(f"{where}.units", self.units, "at least one unit", "add a unit")
        entries: dict[tuple[int, int], list[int]] = {}
        for place, head in enumerate(self.heads):
            head._check(f"{where}.heads[{place}]", num_features)
            entries |= {(place, g): [] for g in range(len(head.channels))}
        for u, unit in enumerate(self.units):
            _check_vector(f"{where}.units[{u}].s", unit.s, num_features)
            name = f"{where}.units[{u}].reads"
            if any(later[0] <= earlier[0] for earlier, later in pairwise(unit.reads)):
                refuse(name, unit.reads, "ascending heads, each once", "read one channel per head")
            for read, g, entry in unit.reads:
                if (read, g) not in entries:
                    refuse(name, unit.reads, "channels of this layer", "count both from 0")
                entries[read, g].append(entry)
        one = 1 << precision
        for (place, g), readers in entries.items():
            name = f"{where}.heads[{place}].channels[{g}]"
            if not readers:
                refuse(f"readers of {name}", readers, "at least one unit", "drop the channel")
            if len(readers) == 1 and readers[0] != one:
                refuse(f"A entry on {name}", readers[0], f"{one}, the number 1", "scale the channel instead")
            if not all(readers):
                refuse(f"A entries on {name}", readers, "no zero", "drop the read")


@dataclass(frozen=True, slots=True)
class NextReads:
    """Which unit of the last layer each next symbol reads: the rows of U of a hypothesis about next symbols.

    The row of an output is ± the coordinate of one unit, or zero. All rows that are not zero have one sign.
    With + the threshold is 0: a symbol is a member where its unit is 1, and with a zero row never. With − it
    is −1: a member where its unit is 0, and with a zero row always. For one symbol instead of a set no two
    rows read the same unit, the threshold is 0, and the first row of the largest value wins; with + row 0 is
    zero, with − the first rows are not, and all after them are.
    """

    kind: Answer
    units: tuple[int, ...]  #: for every symbol and then end-of-string its unit, −1 for a zero row


def _check_vector(where: str, values: Sequence[int], num_features: int) -> None:
    if len(values) != num_features:
        remedy = "give one for each feature: $, symbols, residues, earlier units"
        refuse(where, values, f"{num_features} entries", remedy)


def _check_logits(where: str, values: Sequence[int]) -> None:
    for place, value in enumerate(values):
        if not isinstance(value, int) or value < 0:
            refuse(f"{where}[{place}]", value, "an integer >= 0", "use larger logits for the other keys")


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

    >>> from idinf.nets.one_hot import OneHotHead, OneHotUnit
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


#: Bits of parameters in units of 2^-p, so that machine integers hold them, and the largest logit: N is raised
#: to its power. Both are far beyond every space.
MAX_BITS, MAX_LOGIT = 60, 64


def to_one_hot(dense: LimitTransformer) -> OneHotTransformer:
    """Read a dense Limit Transformer as a member of the family.

    Raises
    ------
    HypothesisFormatError
        If it is not exactly what `OneHotTransformer.to_dense` writes: another basis, or outside the family.

    Examples
    --------
    >>> from idinf.base.words import Alphabet
    >>> unit = OneHotUnit((), s=(0, 1), b=0)
    >>> hypothesis = OneHotTransformer(Alphabet(("a",)), 0, (OneHotLayer((), (unit,)),), (1,), 0)
    >>> to_one_hot(hypothesis.to_dense()) == hypothesis
    True
    """
    if dense.num_bits > MAX_BITS or not isinstance(dense.threshold, int):
        raise _outside()
    try:
        hypothesis = _read(dense)
    except (IndexError, ValueError) as error:
        raise _outside() from error
    patterns = [head.pattern for layer in hypothesis.layers for head in layer.heads]
    largest = max((x for p in patterns for row in (p.phi, *p.logits) for x in row), default=0)
    if largest > MAX_LOGIT << dense.precision or hypothesis.to_dense() != dense:
        raise _outside()
    return hypothesis


def _outside() -> HypothesisFormatError:
    return HypothesisFormatError(
        "the hypothesis is not written in the searched family; expected the one-hot form of reports, with "
        "one coordinate for $, each symbol, residue, unit and channel; take it from a report"
    )


def _read(dense: LimitTransformer) -> OneHotTransformer:
    one = 1 << dense.precision
    base = 1 + len(dense.alphabet) + (dense.period if dense.period > 1 else 0)
    units = [len(layer.mlp.A) for layer in dense.layers]
    start = base + sum(units)  # the first channel
    layers, features = [], base
    for layer, count in zip(dense.layers, units, strict=True):
        heads, reads = [], [list[tuple[int, int, int]]() for _ in range(count)]
        for place, head in enumerate(layer.heads):
            channels = []
            while start < dense.width and any(head.V[start]):
                channels.append(_grid(head.V[start][:features], one))
                for unit, row in zip(reads, layer.mlp.A, strict=True):
                    if row[start]:
                        unit.append((place, len(channels) - 1, _integer(row[start], one)))
                start += 1
            heads.append(OneHotHead(tuple(channels), _pattern(head, features, one)))
        written = tuple(
            OneHotUnit(tuple(read), _grid(row[:features], one), _integer(bias, one))
            for read, row, bias in zip(reads, layer.mlp.A, layer.mlp.b, strict=True)
        )
        layers.append(OneHotLayer(tuple(heads), written))
        features += count
    rows = [[int(entry) for entry in row[features - units[-1] : features]] for row in dense.unembedding]
    named: NextReads | None = None
    signs = tuple(rows[dense.accept_row])
    if dense.output is not None:
        read = tuple(next((u for u, entry in enumerate(row) if entry), -1) for row in rows)
        named = NextReads(dense.output.kind, read)
        signs = tuple(max((row[u] for row in rows), key=abs) for u in range(units[-1]))
    return OneHotTransformer(
        dense.alphabet, dense.precision, tuple(layers), signs, int(dense.threshold), dense.period, named
    )


def _pattern(head: Head, features: int, one: int) -> AttentionPattern:
    """M = K^T Q over the features of the layer, and φ."""
    keys, queries = (list(zip(*rows, strict=True))[:features] for rows in (head.K, head.Q))
    logits = tuple(_grid([dot(key, query) for query in queries], one) for key in keys)
    return AttentionPattern(logits if any(map(any, logits)) else (), _grid(head.phi, one))


def _grid(row: Iterable[Fraction], one: int) -> tuple[int, ...]:
    return tuple(_integer(entry, one) for entry in row)


def _integer(value: Fraction, one: int) -> int:
    scaled = value * one
    if scaled.denominator != 1:
        raise ValueError(f"{value} is off the grid")
    return int(scaled)
