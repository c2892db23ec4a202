"""The searched family: one-hot Limit Transformers, as the search writes them down.

Numbers here are integers in units of 2^-p. The features of a layer are, in this order: SOS, the
symbols of the alphabet, the residues 0..Δ−1 of the position if Δ > 1, then the 0/1 outputs of the units
of all earlier layers. Vectors run over the features, F in number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from idinf.base.linear_algebra import dot
from idinf.base.quoting import list_some
from idinf.base.words import Alphabet
from idinf.errors import AlphabetMismatchError, HypothesisFormatError
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.dense import Activation, Head, Layer, Mlp, NextOutput, Vector, refuse, sparse_row
from idinf.nets.limit_transformer import LimitTransformer
from idinf.spec.bounds import SpaceBounds
from idinf.spec.spec import END, Answer

#: Bits of parameters in units of 2^-p, so that machine integers hold them, and the largest logit: N is raised
#: to its power. Both are far beyond every space.
MAX_BITS, MAX_LOGIT = 60, 64

#: A value outside of the family: its place, the value, and the expected values there.
_Fault = tuple[str, object, str]


@dataclass(frozen=True, slots=True)
class OneHotHead:
    """A head: it averages each of its channels over the positions up to the query, by its attention."""

    channels: tuple[tuple[int, ...], ...]  #: at least one value vector, (F,), none of them zero
    pattern: AttentionPattern = UNIFORM  #: the logits that weights depend on

    def list_faults(self, where: str, size: int) -> Iterator[_Fault]:
        """Channels and pattern against the number of features."""
        logits, phi = self.pattern.logits, self.pattern.phi
        vectors = [(f"{where}.channels[{g}]", values) for g, values in enumerate(self.channels)]
        rows = [(f"{where}.logits[{key}]", row) for key, row in enumerate(logits)]
        if not vectors:
            yield f"{where}.channels", (), "at least one channel"
        if logits and len(logits) != size:
            yield f"{where}.logits", logits, f"{size} rows"
        for name, values in (*vectors, *rows):
            if len(values) != size:
                yield name, values, f"{size} entries"
        for name, values in (*rows, (f"{where}.phi", phi)):
            for place, value in enumerate(values):
                if not isinstance(value, int) or value < 0:
                    yield f"{name}[{place}]", value, "an integer >= 0"
        if any(not any(values) for values in self.channels) or (logits and not any(map(any, logits))):
            yield where, self, "channels, and logits if there are any, that are not zero"
        if phi and not phi[-1]:
            yield f"{where}.phi", phi, "no zero at the end"


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

    def pick(self, features: Sequence[int]) -> OneHotLayer:
        """The layer with these of its features, by their numbers; channels that become zero are left out."""

        def picked(values: Sequence[int]) -> tuple[int, ...]:
            return tuple(values[feature] for feature in features)

        places, heads = dict[tuple[int, int], tuple[int, int]](), list[OneHotHead]()
        for h, head in enumerate(self.heads):
            channels = {g: values for g, old in enumerate(head.channels) if any(values := picked(old))}
            places |= {(h, g): (len(heads), number) for number, g in enumerate(channels)}
            if channels:
                old = head.pattern.logits
                logits = tuple(picked(old[feature]) for feature in features) if old else ()
                pattern = replace(head.pattern, logits=logits if any(map(any, logits)) else ())
                heads.append(OneHotHead(tuple(channels.values()), pattern))
        units = (
            OneHotUnit(
                tuple((*places[h, g], entry) for h, g, entry in unit.reads if (h, g) in places),
                picked(unit.s),
                unit.b,
            )
            for unit in self.units
        )
        return OneHotLayer(tuple(heads), tuple(units))

    def list_faults(self, where: str, size: int, one: int) -> Iterator[_Fault]:
        """Heads and units against the number of features; ``one`` is 2^p."""
        entries: dict[tuple[int, int], list[int]] = {}
        for h, head in enumerate(self.heads):
            yield from head.list_faults(f"{where}.heads[{h}]", size)
            entries |= {(h, g): [] for g in range(len(head.channels))}
        if not self.units:
            yield f"{where}.units", (), "at least one unit"
        for u, unit in enumerate(self.units):
            name, heads = f"{where}.units[{u}]", [head for head, _, _ in unit.reads]
            if len(unit.s) != size:
                yield f"{name}.s", unit.s, f"{size} entries"
            if heads != sorted(set(heads)):
                yield f"{name}.reads", unit.reads, "ascending heads, each once"
            for h, g, entry in unit.reads:
                if (h, g) not in entries:
                    yield f"{name}.reads", unit.reads, "channels of this layer"
                entries[h, g].append(entry)
        for (h, g), found in entries.items():
            if not found or 0 in found or (len(found) == 1 and found != [one]):
                expected = f"some, none of them 0, and {one}, the number 1, where one unit reads alone"
                yield f"A entries on {where}.heads[{h}].channels[{g}]", found, expected


@dataclass(frozen=True, slots=True)
class NextReads:
    """Units of the last layer that next symbols read: the rows of U of a hypothesis about next symbols.

    The row of an output is ± the coordinate of one unit, or zero. All rows that are not zero have one sign.
    With + the threshold is 0: a symbol is a member where its unit is 1, and with a zero row never. With − it
    is −1: a member where its unit is 0, and with a zero row always. For one symbol instead of a set no two
    rows read the same unit, the threshold is 0, and the first row of the largest value wins; with + row 0 is
    zero, with − the first rows are not, and all after them are.
    """

    kind: Answer
    units: tuple[int, ...]  #: for every symbol and then end-of-string its unit, −1 for a zero row


@dataclass(frozen=True, slots=True)
class OneHotTransformer:
    """A hypothesis of the family: it accepts iff Σ signs · units of the last layer > threshold.

    Raises `HypothesisFormatError` if the value is not in the family.

    Majority with ties: not (#0 − #1 > 0), read by the complement.

    >>> head, unit = OneHotHead(((0, 1, -1),)), OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    >>> majority = OneHotTransformer(Alphabet(("0", "1")), 0, (OneHotLayer((head,), (unit,)),), (-1,), -1)
    >>> majority.to_dense().width
    5
    """

    alphabet: Alphabet
    precision: int
    layers: tuple[OneHotLayer, ...]  #: at least one
    signs: tuple[int, ...]  #: +1 or −1 for each unit of the last layer
    threshold: int  #: in whole units, not in units of 2^-p
    period: int = 1  #: Δ, the number of residue features; 1 for a transformer without positions
    reads: NextReads | None = None  #: about next symbols; ``signs`` are then the one sign of all rows

    def __post_init__(self) -> None:
        for where, value, expected in self._list_faults():
            refuse(where, value, expected, "the family has no such hypothesis")

    def _list_faults(self) -> Iterator[_Fault]:
        if self.precision < 0:
            yield "precision", self.precision, "an integer >= 0"
        if self.period < 1:
            yield "period", self.period, "an integer >= 1"
        if not self.layers:
            yield "layers", (), "at least one layer"
        for number, layer in enumerate(self.layers):
            yield from layer.list_faults(f"layers[{number}]", self.num_features(number), 1 << self.precision)
        num_units, outputs = len(self.layers[-1].units), len(self.alphabet) + 1
        if len(self.signs) != num_units or any(sign not in (1, -1) for sign in self.signs):
            yield "signs", self.signs, f"+1 or -1 for each of {num_units} units"
        if self.reads is None:
            return
        units, is_symbol = self.reads.units, self.reads.kind is Answer.SYMBOL
        if len(units) != outputs or any(not -1 <= unit < num_units for unit in units):
            expected = f"a unit from 0 to {num_units - 1}, or -1, for each of {outputs} next symbols"
            yield "reads", units, expected
        if set(range(num_units)) - set(units):
            yield "reads", units, "every unit of the last layer"
        if len(set(self.signs)) > 1:
            yield "signs", self.signs, "one sign of all rows"
        # The rows of one next symbol are a decision list, with the zero row that decides last.
        read = [place for place, unit in enumerate(units) if unit >= 0]
        is_list = read[0] > 0 if self.signs[0] > 0 else read == list(range(num_units))
        if is_symbol and (len(read) != num_units or not is_list or num_units == outputs):
            yield "reads", units, "every unit once, by + not in row 0, by - in the first rows but not in all"
        threshold = 0 if is_symbol or self.signs[0] > 0 else -1
        if self.threshold != threshold:
            yield "threshold", self.threshold, f"{threshold}, which follows from the sign of the rows"

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
    def needed_bounds(self) -> dict[str, float]:
        """The least bounds of a space that holds it, by name."""
        one = 1 << self.precision
        heads = [head.pattern for layer in self.layers for head in layer.heads]
        biases = [value for pattern in heads for value in pattern.phi]
        entries = [value for pattern in heads for row in pattern.logits for value in row]
        return {
            "layers": len(self.layers),
            "heads": max(len(layer.heads) for layer in self.layers),
            "units": max(len(layer.units) for layer in self.layers),
            "precision": self.precision,
            "period": self.period,
            "reach": self.reach,
            "logit_max": max(biases, default=0) / one,
            "content_max": max(entries, default=0) / one,
        }

    def smallest_space(self, around: SpaceBounds) -> SpaceBounds:
        """The smallest space within another one that holds it, with the budgets and readings of that one.

        >>> from idinf.spec.catalogue import load
        >>> from idinf.translate.compilation.compiler import compile_cheapest
        >>> from idinf.crasp.checker import read_program
        >>> majority = load("majority")
        >>> net, _ = compile_cheapest(read_program(majority.text, majority.alphabet), majority.alphabet)
        >>> net.smallest_space(SpaceBounds()).name
        'nope, layers <= 1, heads <= 1, units <= 1, precision <= 0'
        """
        needed = {key: math.ceil(value) for key, value in self.needed_bounds.items()}
        needed["logit_max"] = max(needed["logit_max"], needed["content_max"])
        return replace(around, **needed)  # type: ignore[arg-type]  # all of them are bounds

    @property
    def num_units(self) -> int:
        """The number of units of all layers together."""
        return sum(len(layer.units) for layer in self.layers)

    def num_features(self, layer: int) -> int:
        """The number F of features that heads and units of a layer (0-based) see."""
        residues = self.period if self.period > 1 else 0
        units = sum(len(earlier.units) for earlier in self.layers[:layer])
        return 1 + len(self.alphabet) + residues + units

    def over(self, alphabet: Alphabet) -> OneHotTransformer:
        """The hypothesis on words over some of its letters; a symbol that stands for others, as each of them.

        With fewer symbols R is no larger, as no norm of a part of a matrix is. With more of them, a value
        stands once for each letter. It is about acceptance.
        """
        tokens = (0, *(1 + code for code in self.alphabet.encode(alphabet.symbols)))
        layers = tuple(
            layer.pick((*tokens, *range(1 + len(self.alphabet), self.num_features(number))))
            for number, layer in enumerate(self.layers)
        )
        return replace(self, alphabet=alphabet, layers=layers)

    def effective_values(self, layer: int, unit: int) -> tuple[tuple[int, ...], ...]:
        """Weights of a unit for the features of attended positions, one vector per head, in units of 4^-p.

        They are the A entry times the channel, and zeros for a head that the unit does not read. Both indices
        are 0-based.
        """
        heads = self.layers[layer].heads
        values = [(0,) * self.num_features(layer)] * len(heads)
        for head, channel, entry in self.layers[layer].units[unit].reads:
            values[head] = tuple(entry * value for value in heads[head].channels[channel])
        return tuple(values)

    def to_dense(self) -> LimitTransformer:
        """The dense Limit Transformer that defines R of the hypothesis; exact.

        It has one-hot embeddings and a coordinate for everything: the features of all layers, then the
        channels in order of layer, head and channel. Row i of the Δ positions is 1 in the coordinate of
        residue i; for Δ = 1 the one row is zero. K^T Q is the logit matrix M of the head, φ its φ; V writes
        each channel into its coordinate, A reads features and channels, B writes each unit's 1 into its
        feature, and the unembedding reads the units of the last layer. Other realisations of the same
        function, with scaled or non-orthogonal embeddings or factors moved between V and A, can have a
        smaller R; this is the one place they would go.
        """
        tokens, free = 1 + len(self.alphabet), self.num_features(len(self.layers))
        # Channels come after all features.
        width = free + sum(len(head.channels) for layer in self.layers for head in layer.heads)
        dense = []
        for number, layer in enumerate(self.layers):
            starts = []  # of the channels of each head
            for head in layer.heads:
                starts.append(free)
                free += len(head.channels)
            heads = (_head(*row, width, self.precision) for row in zip(layer.heads, starts, strict=True))
            mlp = _mlp(layer.units, self.num_features(number), starts, width, self.precision)
            dense.append(Layer(tuple(heads), mlp))
        residues = range(self.period) if self.period > 1 else ()
        symbols, rows = (*self.alphabet.symbols, END), tuple(range(1 + len(self.alphabet)))
        last = self.num_features(len(self.layers) - 1)
        return LimitTransformer(
            alphabet=self.alphabet,
            precision=self.precision,
            embedding=tuple(sparse_row(width, {token: 1}) for token in range(tokens)),
            positions=tuple(sparse_row(width, {tokens + r: 1}) for r in residues) or (sparse_row(width, {}),),
            layers=tuple(dense),
            unembedding=tuple(sparse_row(width, _entries(row, 0, last)) for row in self.rows),
            threshold=self.threshold,
            output=None if self.reads is None else NextOutput(self.reads.kind, symbols, rows),
        )

    def parameters_in_file_order(self) -> Vector:
        """The parameters as a file lists them; the last part of the total order on hypotheses.

        K, Q, V and φ of every head, then A, b and B, layer by layer, then the unembedding and the threshold.
        Embeddings and positions are fixed by the family and left out.
        """
        return self.to_dense().parameters_in_file_order()


def _head(head: OneHotHead, start: int, width: int, precision: int) -> Head:
    V = [sparse_row(width, {})] * width
    for g, values in enumerate(head.channels):
        V[start + g] = sparse_row(width, _entries(values, precision))
    # K^T Q = M: each row of Q reads one query feature, and K holds the column of M for it.
    columns = enumerate(zip(*head.pattern.logits, strict=True))
    asked = [(query, column) for query, column in columns if any(column)]
    K = tuple(sparse_row(width, _entries(column, precision)) for _, column in asked)
    Q = tuple(sparse_row(width, {query: 1}) for query, _ in asked)
    phi = tuple(Fraction(value, 1 << precision) for value in head.pattern.phi)
    return Head(K or (sparse_row(width, {}),), Q or (sparse_row(width, {}),), tuple(V), phi)


def _mlp(units: Sequence[OneHotUnit], first: int, starts: Sequence[int], width: int, precision: int) -> Mlp:
    """The MLP whose units have the features ``first``, ``first + 1``, …"""
    A = []
    for unit in units:
        entries = _entries(unit.s, precision)
        for head, g, entry in unit.reads:
            entries[starts[head] + g] = Fraction(entry, 1 << precision)
        A.append(sparse_row(width, entries))
    b = tuple(Fraction(unit.b, 1 << precision) for unit in units)
    B = tuple(sparse_row(len(units), {place - first: 1}) for place in range(width))
    return Mlp(tuple(A), b, B, (Activation.HEAVISIDE,) * len(units))


def _entries(values: Sequence[int], precision: int, start: int = 0) -> dict[int, int | Fraction]:
    return {place: Fraction(value, 1 << precision) for place, value in enumerate(values, start) if value}


def to_one_hot(dense: LimitTransformer) -> OneHotTransformer:
    """Read a dense Limit Transformer as a member of the family, the inverse of `OneHotTransformer.to_dense`.

    Raises `HypothesisFormatError` if it is not exactly what that writes: another basis, or outside the
    family.
    """
    try:
        hypothesis = _read(dense) if dense.num_bits <= MAX_BITS and isinstance(dense.threshold, int) else None
    except (IndexError, ValueError):
        hypothesis = None
    if hypothesis is not None:
        patterns = [head.pattern for layer in hypothesis.layers for head in layer.heads]
        largest = max((x for p in patterns for row in (p.phi, *p.logits) for x in row), default=0)
        if largest <= MAX_LOGIT << dense.precision and hypothesis.to_dense() == dense:
            return hypothesis
    raise HypothesisFormatError(
        "the hypothesis is not written in the searched family; expected the one-hot form of reports, with "
        "one coordinate for $, each symbol, residue, unit and channel; take it from a report"
    )


def share_letters(dense: LimitTransformer) -> LimitTransformer:
    """The same transformer with one symbol for all letters of one embedding.

    As a member of the family it is then one over the symbols; words are read by them.
    """
    alphabet, rows = dense.alphabet, dense.embedding[1:]
    if len(set(rows)) == len(rows) or dense.output is not None:
        return dense
    pairs = zip(alphabet.symbols, (alphabet.symbols[rows.index(row)] for row in rows), strict=True)
    first = dict(pairs) | dict(alphabet.alike)
    alike = tuple((letter, first[symbol]) for letter, symbol in first.items() if letter != symbol)
    symbols = tuple(symbol for symbol in alphabet.symbols if first[symbol] == symbol)
    return dense.over(Alphabet(symbols, alphabet.spaced, alike))


def read_over(dense: LimitTransformer, alphabet: Alphabet) -> OneHotTransformer:
    """Read a transformer as a member of the family over the symbols of a target; of next symbols as it is.

    Raises `AlphabetMismatchError` if its letters are others, and `HypothesisFormatError` as `to_one_hot`.
    """
    if {*dense.alphabet.letters} != {*alphabet.letters} or (dense.output and dense.alphabet != alphabet):
        raise AlphabetMismatchError(
            f"alphabet {list_some(dense.alphabet.letters)}; expected that of the target, "
            f"{list_some(alphabet.letters)}; give a hypothesis of this target"
        )
    return to_one_hot(dense) if dense.output else to_one_hot(share_letters(dense)).over(alphabet)


def _read(dense: LimitTransformer) -> OneHotTransformer:
    one = 1 << dense.precision
    features = 1 + len(dense.alphabet) + (dense.period if dense.period > 1 else 0)
    units = [len(layer.mlp.A) for layer in dense.layers]
    start = features + sum(units)  # the first channel
    layers = []
    for layer, count in zip(dense.layers, units, strict=True):
        heads, reads = [], [list[tuple[int, int, int]]() for _ in range(count)]
        for place, head in enumerate(layer.heads):
            channels = []
            while start < dense.width and any(head.V[start]):
                channels.append(_grid(head.V[start][:features], one))
                for unit, row in zip(reads, layer.mlp.A, strict=True):
                    if row[start]:
                        unit.append((place, len(channels) - 1, _grid((row[start],), one)[0]))
                start += 1
            heads.append(OneHotHead(tuple(channels), _pattern(head, features, one)))
        biases = _grid(layer.mlp.b, one)
        written = tuple(
            OneHotUnit(tuple(read), _grid(row[:features], one), bias)
            for read, row, bias in zip(reads, layer.mlp.A, biases, strict=True)
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
    """Numbers in units of 2^-p; those off the grid are no numbers of a member."""
    scaled = [value * one for value in row]
    if any(value.denominator != 1 for value in scaled):
        raise ValueError("off the grid")
    return tuple(map(int, scaled))
