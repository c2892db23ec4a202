"""Lemma 3.1, run: a transformer on prompts of one length as a protocol, each player with tokens side by side.

For example a net of one layer on `$ 0 1 1`, where player 1 has `$ 0`, player 0 the first `1`, and player -1
the last one. Epoch l is layer l. Player j sends i two sums for each token of i and each head: the sum of the
weights of its own tokens, and the sum of their values times these weights. Player i adds these and its own
sums, divides, and runs the units of the layer. A number takes p bits, those of the largest one that is met.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from idinf.base.linear_algebra import dot, multiply
from idinf.base.quoting import quote
from idinf.base.words import Word
from idinf.errors import CompositionError
from idinf.lab.communication.protocol import BitReader, add, compare_activations, finish_layer, write_fixed
from idinf.lab.composition.protocol import Knowledge, Transcript, View, collect, simulate
from idinf.nets import reference
from idinf.nets.attention import compute_rounded_weight, find_grid_index
from idinf.nets.dense import DenseTransformer, Layer, Matrix, Vector
from idinf.nets.reference import LayerTrace

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class PlayerSizes:
    """Numbers of tokens of the players, that of the largest number first, $ counted; at least one each.

    >>> PlayerSizes((3, 1, 1)).of
    {1: range(0, 3), 0: range(3, 4), -1: range(4, 5)}
    """

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1:
            raise CompositionError(
                f"players = {quote(list(self.sizes))}; expected at least 1 token for each; move some"
            )

    @classmethod
    def spread(cls, players: int, tokens: int) -> PlayerSizes:
        """One token each for players −1 and 0, the others as evenly as possible, the first ones more."""
        if tokens < players:
            raise CompositionError(
                f"the prompt has {tokens} tokens with $; expected at least {players}, one for each of the "
                f"players -1..{players - 2} of a net of {players - 2} layers; give a longer one"
            )
        each, more = divmod(tokens - 2, players - 2)
        return cls((*(each + (place < more) for place in range(players - 2)), 1, 1))

    @property
    def tokens(self) -> int:
        """All tokens."""
        return sum(self.sizes)

    @property
    def of(self) -> dict[int, range]:
        """The positions of each player."""
        ends = [0, *itertools.accumulate(self.sizes)]
        return {len(self.sizes) - 2 - k: range(ends[k], ends[k + 1]) for k in range(len(self.sizes))}

    def inputs(self, word: Word) -> dict[int, tuple[int, ...]]:
        """The tokens of each player: 0 is $, and 1 + k the symbol of code k."""
        if len(word) + 1 != self.tokens:
            raise CompositionError(
                f"players have {self.tokens} tokens; expected {len(word) + 1}, those of the prompt with $; "
                "say how many each has, the first ones first"
            )
        row = (0, *(1 + code for code in word))
        return {player: row[own.start : own.stop] for player, own in self.of.items()}


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """Format of a number in p bits: a sign if some number has one, numerator and denominator − 1.

    >>> form = NumberFormat.of([Fraction(3, 2), Fraction(-1)])
    >>> form, form.bits, form.write(Fraction(3, 2))
    (NumberFormat(sign=1, numerator=2, denominator=1), 4, '0111')
    """

    sign: int
    numerator: int
    denominator: int

    @classmethod
    def of(cls, numbers: Iterable[Fraction]) -> NumberFormat:
        """The format that holds some numbers; of none, that of 0 and 1."""
        sign, numerator, denominator = 0, 1, 0
        for number in numbers:
            sign = max(sign, int(number < 0))
            numerator = max(numerator, abs(number.numerator).bit_length())
            denominator = max(denominator, (number.denominator - 1).bit_length())
        return cls(sign, numerator, denominator)

    @property
    def bits(self) -> int:
        """p, the bits of one number."""
        return self.sign + self.numerator + self.denominator

    def write(self, number: Fraction) -> str:
        """Write a number; a ValueError if it does not fit."""
        sign = write_fixed(int(number < 0), self.sign)
        numerator = write_fixed(abs(number.numerator), self.numerator)
        return sign + numerator + write_fixed(number.denominator - 1, self.denominator)

    def read(self, reader: BitReader) -> Fraction:
        """Read it again."""
        sign = -1 if reader.fixed(self.sign) else 1
        numerator = reader.fixed(self.numerator)
        return Fraction(sign * numerator, reader.fixed(self.denominator) + 1)


@dataclass(frozen=True)
class TransformerProtocol:
    """The protocol of a transformer, to be run by `simulate`.

    Implements Lemma 3.1 of [CPW24]_ for our transformers, in which a token sees itself, and there is a
    residual stream. A player computes its own stream from its tokens and the received messages.
    """

    transformer: DenseTransformer
    places: PlayerSizes
    form: NumberFormat
    _streams: dict[object, LayerTrace] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        depth = self.epochs
        if len(self.places.sizes) != depth + 2:
            raise CompositionError(
                f"players = {quote(list(self.places.sizes))}; expected {depth + 2} numbers of tokens, for "
                f"players {depth}..-1 of a net of {depth} layers; add or join some"
            )
        self.transformer.position_rows(self.places.tokens, 0)

    @property
    def name(self) -> str:
        """Name of the protocol."""
        return "transformer"

    @property
    def epochs(self) -> int:
        """L, the number of layers."""
        return self.transformer.depth

    @property
    def bits(self) -> int:
        """B = H d p."""
        return self.transformer.num_heads * find_head_dimension(self.transformer) * self.form.bits

    def message(self, epoch: int, sender: int, receiver: int, view: View) -> str:
        """Π_{j,i}: sums over the tokens of j, for each head and each token of i."""
        own = self._stream(sender, view.known[sender], epoch - 1)
        asked = self._stream(receiver, view.known[receiver], epoch - 1)
        numbers = _add_up(self.transformer, self.places, epoch, (sender, own), (receiver, asked))
        return "".join(map(self.form.write, numbers))

    def answer(self, view: View) -> int:
        """1 for accept and 0 for reject; a bit for each of the next symbols that are named."""
        net = self.transformer
        logits = multiply(net.unembedding, self.trace(-1, view.known[-1])[-1].outputs[-1])
        if net.output is None:
            return int(logits[net.accept_row] > net.threshold)
        named = net.output.read(logits, net.threshold)
        return sum(1 << place for place, symbol in enumerate(net.output.symbols) if symbol in named)

    def trace(self, player: int, known: Knowledge) -> tuple[LayerTrace, ...]:
        """Values at the tokens of a player in every layer, from its knowledge at the end."""
        return tuple(self._layer(player, known, epoch) for epoch in range(1, self.epochs + 1))

    def _stream(self, player: int, known: Knowledge, epoch: int) -> Matrix:
        """X_i after an epoch, as vectors."""
        if epoch:
            return self._layer(player, known, epoch).outputs
        rows = self.transformer.position_rows(self.places.tokens, 0)
        own = self.places.of[player]
        return tuple(
            add(self.transformer.embedding[token], rows[position])
            for token, position in zip(known.tokens, own, strict=True)
        )

    def _layer(self, player: int, known: Knowledge, epoch: int) -> LayerTrace:
        """A layer at the tokens of a player; kept, as the next epochs need it again."""
        told = {sender: bits for (when, sender), bits in known.heard.items() if when == epoch}
        before = tuple(bits for (when, _), bits in known.heard.items() if when < epoch)
        key = (player, epoch, known.tokens, before, tuple(told.values()))
        if key not in self._streams:
            stream, layer = self._stream(player, known, epoch - 1), self.transformer.layers[epoch - 1]
            sums = _add_up(self.transformer, self.places, epoch, (player, stream), (player, stream))
            for bits in told.values():
                reader = BitReader(bits)
                sums = add(sums, tuple(self.form.read(reader) for _ in sums))
            self._streams[key] = finish_layer(layer, _mix(layer, stream, sums))
        return self._streams[key]


def _add_up(
    transformer: DenseTransformer,
    places: PlayerSizes,
    epoch: int,
    sender: tuple[int, Matrix],
    receiver: tuple[int, Matrix],
) -> Vector:
    """For each head of a layer and each token of the receiver, two sums over the tokens j ≤ i of the sender.

    Players come with their streams before the layer. The sums are those of the weights, and of the weighted
    values on the rows that the head writes.
    """
    p, length, (j0, own), (i0, asked) = transformer.precision, places.tokens, sender, receiver
    sums: list[Fraction] = []
    for head in transformer.layers[epoch - 1].heads:
        V = [row for row in head.V if any(row)]
        read = [(j, multiply(head.K, y), multiply(V, y)) for j, y in zip(places.of[j0], own, strict=True)]
        for i, y in zip(places.of[i0], asked, strict=True) if V else ():
            query, phi = multiply(head.Q, y), (*head.phi, *[_ZERO] * length)
            grid = [(find_grid_index(dot(key, query) + phi[i - j], p), v) for j, key, v in read if j <= i]
            weights = [(compute_rounded_weight(length, index, p), value) for index, value in grid]
            sums.append(sum((w for w, _ in weights), _ZERO))
            sums += (sum((w * value[k] for w, value in weights), _ZERO) for k in range(len(V)))
    return tuple(sums)


def _mix(layer: Layer, stream: Matrix, sums: Vector) -> Matrix:
    """The stream after attention; a head adds nothing where all weights are 0."""
    mixed, numbers = [list(y) for y in stream], iter(sums)
    for head in layer.heads:
        rows = [place for place, row in enumerate(head.V) if any(row)]
        for y in mixed if rows else ():
            total = next(numbers)
            for coordinate in rows:
                value = next(numbers)
                y[coordinate] += value / total if total else _ZERO
    return tuple(map(tuple, mixed))


@dataclass(frozen=True)
class Reduction:
    """One run on a prompt, beside the whole forward pass."""

    protocol: TransformerProtocol
    word: Word
    transcript: Transcript
    compared: int  #: activations of all players that were compared
    equal: bool  #: True if all of them, and the answer, were the same


def find_head_dimension(transformer: DenseTransformer) -> int:
    """d, the most coordinates that a head writes to: the rows of V that are not 0.

    The heads of the source have values of d numbers; ours are matrices over the whole stream.
    """
    heads = (head for layer in transformer.layers for head in layer.heads)
    return max((sum(map(any, head.V)) for head in heads), default=0)


def reduce(transformer: DenseTransformer, word: Word, places: PlayerSizes | None = None) -> Reduction:
    """Run the protocol of a transformer on a prompt, and compare every activation with the forward pass.

    p is that of this prompt. Exact; O(L H n² d) Fraction operations. Without ``places`` these are
    `PlayerSizes.spread`. Errors as of `reference.trace`.
    """
    chosen = PlayerSizes.spread(transformer.depth + 2, len(word) + 1) if places is None else places
    inputs, whole = chosen.inputs(word), reference.trace(transformer, word)
    streams = [whole.inputs, *(layer.outputs for layer in whole.layers)]
    numbers = (
        number
        for epoch, stream in enumerate(streams[:-1], start=1)
        for sender, receiver in itertools.permutations(chosen.of.items(), 2)
        if sender[0] > receiver[0]
        for number in _add_up(
            transformer, chosen, epoch, *((k, stream[own.start : own.stop]) for k, own in (sender, receiver))
        )
    )
    protocol = TransformerProtocol(transformer, chosen, NumberFormat.of(numbers))
    transcript = simulate(protocol, inputs)
    found = [
        compare_activations(
            protocol.trace(player, Knowledge(inputs[player], collect(transcript.messages, player))),
            whole.layers,
            slice(own.start, own.stop),
        )
        for player, own in chosen.of.items()
    ]
    compared, equal = sum(count for count, _ in found), all(same for _, same in found)
    return Reduction(protocol, word, transcript, compared, equal)
