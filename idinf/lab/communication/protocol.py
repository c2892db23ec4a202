"""The protocol of Theorem 12, run: Alice has `$` and the first m symbols, Bob the rest, both know n and m.

For every head Alice sends the number of her positions with each key, and the sum of their values; with φ also
the key and value of her last τ positions, one by one. Bob weighs these by his own queries. He sees nothing of
her symbols but the bits, and his activations are compared with those of the whole forward pass, whose code is
not that of the layers here.

A key K y_j, or a coordinate of a value V y_j, is a linear reading of the stream. If it reads no average of a
lower head and no ReLU unit, it is decided by the symbol at j, j mod Δ and truth values of Heaviside units: it
takes finitely many values, over all words of all lengths. Both parties know them before a word is split. That
makes messages logarithmic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from idinf.base.linear_algebra import dot, multiply
from idinf.base.words import Word
from idinf.errors import SpecError
from idinf.nets import reference
from idinf.nets.attention import compute_rounded_weight, find_grid_index
from idinf.nets.dense import Activation, Head, Layer, Matrix, Vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.reference import LayerTrace

#: Keys that both parties list at most; with more of them they are sent themselves.
MAX_KEYS = 4096

_ZERO = Fraction(0)


def write_fixed(value: int, width: int) -> str:
    """Write an integer of a width both sides know; a ValueError if it needs more bits, or is negative.

    >>> write_fixed(5, 4), write_positive(5), write_rational(Fraction(-1, 2)), BitReader("0101").fixed(4)
    ('0101', '00101', '1010010', 5)
    """
    if value < 0 or value.bit_length() > width:
        raise ValueError(f"{value} does not fit into {width} bits")
    return f"{value:0{width}b}" if width else ""


def write_positive(value: int) -> str:
    """Write an integer of at least 1 in Elias's γ code: 2⌊log₂ value⌋ + 1 bits."""
    return "0" * (value.bit_length() - 1) + f"{value:b}"


def write_rational(value: Fraction) -> str:
    """Write any fraction: its sign, |numerator| + 1 and denominator."""
    return (
        write_fixed(int(value < 0), 1)
        + write_positive(abs(value.numerator) + 1)
        + write_positive(value.denominator)
    )


class BitReader:
    """Reads the numbers that were written, in the same order. Mutable: it moves on."""

    def __init__(self, bits: str) -> None:
        self._bits, self._place = bits, 0

    @property
    def done(self) -> bool:
        """True if every bit was read."""
        return self._place == len(self._bits)

    def fixed(self, width: int) -> int:
        """Read an integer of known width. Raises ValueError if the bits end before."""
        end = self._place + width
        if end > len(self._bits):
            raise ValueError(f"the message ends after {len(self._bits)} bits, before bit {end}")
        part, self._place = self._bits[self._place : end], end
        return int(part, 2) if part else 0

    def positive(self) -> int:
        """Read an integer in γ code."""
        zeros = 0
        while not self.fixed(1):
            zeros += 1
        return 1 << zeros | self.fixed(zeros)

    def rational(self) -> Fraction:
        """Read a fraction."""
        sign = -1 if self.fixed(1) else 1
        numerator = self.positive() - 1
        return Fraction(sign * numerator, self.positive())


@dataclass(frozen=True, slots=True)
class Entry:
    """The coordinate ``row`` of V y, which is not always 0."""

    row: int
    low: int = 0  #: over all words it is from ``low`` to ``high`` times 1/``scale``
    high: int = 0
    scale: int = 0  #: 0 if no such unit is known, as are both bounds

    @property
    def span(self) -> int:
        """Values of a sum over k positions lie in an interval of length k · span that has 0 in it."""
        return max(self.high, 0) - min(self.low, 0)

    def _range(self, positions: int | None) -> tuple[int, int]:
        """Least integer and width of a sum over at most so many positions; None: of one value."""
        if positions is None:
            return self.low, (self.high - self.low).bit_length()
        return positions * min(self.low, 0), (positions * self.span).bit_length()

    def write(self, number: Fraction, positions: int | None) -> str:
        """Write a sum over at most so many positions; None: one value."""
        low, width = self._range(positions)
        return write_fixed(int(number * self.scale) - low, width) if self.scale else write_rational(number)

    def read(self, reader: BitReader, positions: int | None) -> Fraction:
        """Read it again."""
        low, width = self._range(positions)
        return Fraction(reader.fixed(width) + low, self.scale) if self.scale else reader.rational()


@dataclass(frozen=True, slots=True)
class Share:
    """Keys and values at the positions before a party, for one head; empty if there are none."""

    #: A key, the number of its positions, and the sum of their values, on the entries of the head.
    classes: tuple[tuple[Vector, int, Vector], ...] = ()
    last: tuple[tuple[Vector, Vector], ...] = ()  #: key and value of each of the last positions


@dataclass(frozen=True, slots=True)
class HeadBook:
    """Facts about one head that both parties know, and the messages about it."""

    head: Head
    key: Matrix  #: K, or zeros where no logit depends on it
    keys: tuple[Vector, ...] | None  #: every value of K y_j, sorted; None if no finite list is known
    entries: tuple[Entry, ...]  #: the coordinates of V y_j that can be other than 0

    @property
    def near(self) -> int:
        """τ: as many of the last positions of Alice get a logit that depends on the distance."""
        return max(len(self.head.phi) - 1, 0)

    @property
    def is_finite(self) -> bool:
        """True if all numbers that are sent lie in ranges known beforehand."""
        return self.keys is not None and all(entry.scale for entry in self.entries)

    def bound(self) -> tuple[int, int]:
        """(F, D): a finite book costs at most F · ⌈log₂(m + 2)⌉ + D bits for m symbols of Alice.

        A count of m + 1 positions has bitlength(m + 1) = ⌈log₂(m + 2)⌉ bits; a sum has at most
        bitlength(m + 1) + bitlength(span), because a product of two integers is no longer than both together.
        """
        classes = len(self.keys or ())
        spans = [entry.span.bit_length() for entry in self.entries]
        one_position = (classes - 1).bit_length() + sum(
            (entry.high - entry.low).bit_length() for entry in self.entries
        )
        return classes - 1 + classes * len(spans), classes * sum(spans) + self.near * one_position

    def _keys_and_values(self, stream: Matrix) -> list[tuple[Vector, Vector]]:
        """K y, and V y on the entries, at every position."""
        rows = tuple(self.head.V[entry.row] for entry in self.entries)
        return [(multiply(self.key, y), multiply(rows, y)) for y in stream]

    def share(self, stream: Matrix) -> Share:
        """The share that Alice has to send, `stream` being her positions, (m + 1, d)."""
        read = self._keys_and_values(stream)
        counts = Counter(key for key, _ in read)
        nothing = (_ZERO,) * len(self.entries)
        totals: dict[Vector, Vector] = {}
        for key, value in read:
            totals[key] = add(totals.get(key, nothing), value)
        known = sorted(counts) if self.keys is None else self.keys
        classes = tuple((key, counts[key], totals.get(key, nothing)) for key in known)
        return Share(classes, tuple(read[max(0, len(read) - self.near) :]))

    def _written(self, numbers: Vector, positions: int | None) -> Iterator[str]:
        return (entry.write(x, positions) for entry, x in zip(self.entries, numbers, strict=True))

    def write(self, share: Share, positions: int) -> Iterator[str]:
        """The bits of a share of so many positions; ranges known beforehand are not sent."""
        known = [key for key, _, _ in share.classes]
        if self.keys is None:
            yield write_positive(len(known))
            yield from (write_rational(number) for key in known for number in key)
        for place, (_, count, total) in enumerate(share.classes):
            if place < len(known) - 1:  # all counts add up to the number of positions
                yield write_fixed(count, positions.bit_length())
            yield from self._written(total, positions)
        for key, value in share.last:
            yield write_fixed(known.index(key), (len(known) - 1).bit_length())
            yield from self._written(value, None)

    def read(self, reader: BitReader, positions: int) -> Share:
        """Read a share again. Raises ValueError if the message is too short."""

        def numbers(over: int | None) -> Vector:
            return tuple(entry.read(reader, over) for entry in self.entries)

        known = self.keys
        if known is None:
            known = tuple(tuple(reader.rational() for _ in self.key) for _ in range(reader.positive()))
        classes, left = [], positions
        for place, key in enumerate(known):
            count = reader.fixed(positions.bit_length()) if place < len(known) - 1 else left
            left -= count
            classes.append((key, count, numbers(positions)))
        width = (len(known) - 1).bit_length()
        last = [(known[reader.fixed(width)], numbers(None)) for _ in range(min(self.near, positions))]
        return Share(tuple(classes), tuple(last))

    def attend(self, share: Share, stream: Matrix, N: int, p: int) -> Iterator[Vector]:
        """Σ_j α_ij V y_j on the entries, at every position of a party; 0 where every weight is 0."""
        phi, far = self.head.phi, len(self.head.phi)

        def weight(query: Vector, key: Vector, distance: int = far) -> Fraction:
            bias = phi[distance] if distance < far else _ZERO
            return compute_rounded_weight(N, find_grid_index(dot(key, query) + bias, p), p)

        own = self._keys_and_values(stream)
        for i, y in enumerate(stream):
            query = multiply(self.head.Q, y)
            terms = [(weight(query, key), count, value) for key, count, value in share.classes]
            for back, (key, value) in enumerate(reversed(share.last), start=1):
                # its class counted it without φ: the difference is added
                terms.append((weight(query, key, i + back) - weight(query, key), 1, value))
            for distance, (key, value) in enumerate(reversed(own[: i + 1])):
                terms.append((weight(query, key, distance), 1, value))
            total = sum((w * count for w, count, _ in terms), _ZERO)
            sums = [sum((w * value[k] for w, _, value in terms), _ZERO) for k in range(len(self.entries))]
            yield tuple(entry / total if total else _ZERO for entry in sums)


def build_books(transformer: LimitTransformer) -> tuple[tuple[HeadBook, ...], ...]:
    """The book of every head, layer by layer.

    Stands in for the finite partition in the proof of Theorem 12 of [HYB25]_ (Appendix B.3). Keys are taken
    as they are: rounding them first, as the printed proof does, can change a rounded logit.

    >>> from idinf.crasp.programs import load
    >>> from idinf.translate.compilation.compiler import compile_program
    >>> majority = load("majority")
    >>> ((book,),) = build_books(compile_program(majority.program, majority.alphabet()).to_dense())
    >>> len(book.keys), [(entry.low, entry.high) for entry in book.entries], book.near, book.bound()
    (1, [(-1, 1)], 0, (1, 2))
    """

    def book(layer: int, head: Head) -> HeadBook:
        is_read = any(map(any, head.K)) and any(map(any, head.Q))
        key = head.K if is_read else tuple((_ZERO,) * len(row) for row in head.K)
        entries = (_entry(transformer, layer, place, row) for place, row in enumerate(head.V) if any(row))
        return HeadBook(head, key, _keys(transformer, layer, key), tuple(entries))

    layers = enumerate(transformer.layers)
    return tuple(tuple(book(number, head) for head in layer.heads) for number, layer in layers)


def add(x: Vector, y: Vector) -> Vector:
    """The sum of two vectors, exact."""
    return tuple(a + b for a, b in zip(x, y, strict=True))


def _readings(
    transformer: LimitTransformer, layer: int, rows: Matrix
) -> tuple[set[Vector], list[Vector]] | None:
    """Readings of y^(0), and steps of each Heaviside unit below; None if averages or ReLU are read."""
    steps = []
    for lower in transformer.layers[:layer]:
        for head in lower.heads:
            if any(any(multiply(rows, column)) for column in zip(*head.V, strict=True)):
                return None
        for column, activation in zip(zip(*lower.mlp.B, strict=True), lower.mlp.activation, strict=True):
            step = multiply(rows, column)
            if any(step):
                if activation is Activation.RELU:
                    return None
                steps.append(step)
    sos, *symbols = (multiply(rows, embedded) for embedded in transformer.embedding)
    places = [multiply(rows, place) for place in transformer.positions]
    inputs = {add(symbol, place) for symbol in set(symbols) for place in set(places)}
    return inputs | {add(sos, places[0])}, steps


def _keys(transformer: LimitTransformer, layer: int, rows: Matrix) -> tuple[Vector, ...] | None:
    readings = _readings(transformer, layer, rows)
    if readings is None:
        return None
    found, steps = readings
    for step in steps:
        found |= {add(one, step) for one in found}
        if len(found) > MAX_KEYS:
            return None
    return tuple(sorted(found))


def _entry(transformer: LimitTransformer, layer: int, place: int, row: Vector) -> Entry:
    readings = _readings(transformer, layer, (row,))
    if readings is None:
        return Entry(place)
    values, changes = ([number for (number,) in vectors] for vectors in readings)
    low = min(values) + sum((change for change in changes if change < 0), _ZERO)
    high = max(values) + sum((change for change in changes if change > 0), _ZERO)
    scale = lcm(*(number.denominator for number in (*values, *changes)))
    return Entry(place, int(low * scale), int(high * scale), scale)


def run_layer(
    layer: Layer, books: tuple[HeadBook, ...], shares: tuple[Share, ...], stream: Matrix, N: int, p: int
) -> LayerTrace:
    """Run a layer at the positions of one party, (positions, d), with the shares of those before them.

    N is the length of the whole input with SOS, p the precision. Traces of single heads are left out.
    """
    mixed = [list(y) for y in stream]
    for book, share in zip(books, shares, strict=True):
        for place, row in enumerate(book.attend(share, stream, N, p)):
            for entry, number in zip(book.entries, row, strict=True):
                mixed[place][entry.row] += number
    return finish_layer(layer, tuple(map(tuple, mixed)))


def finish_layer(layer: Layer, mixed: Matrix) -> LayerTrace:
    """Run the units of a layer, after attention, at the positions of one party; the stream follows."""
    mlp = layer.mlp
    activations = tuple(
        tuple(
            max(z, _ZERO) if activation is Activation.RELU else Fraction(z > 0)
            for activation, z in zip(mlp.activation, add(multiply(mlp.A, y), mlp.b), strict=True)
        )
        for y in mixed
    )
    outputs = tuple(add(y, multiply(mlp.B, units)) for y, units in zip(mixed, activations, strict=True))
    return LayerTrace((), mixed, activations, outputs)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One run of the protocol."""

    word: Word
    split: int  #: m, the symbols Alice has
    messages: tuple[str, ...]  #: her bits for each layer, as characters 0 and 1
    compared: int  #: numbers of Bob that were compared with the reference
    equal: bool  #: True if all of them were the same
    #: Bob's verdict; None for a hypothesis about next symbols, and where Bob has no symbol.
    accepted: bool | None

    @property
    def bits(self) -> int:
        """The length of all messages together."""
        return sum(map(len, self.messages))


def exchange(transformer: LimitTransformer, word: Word, split: int) -> Exchange:
    """Run the protocol on a split word, and compare Bob with the reference.

    Implements the protocol of Theorem 12 of [HYB25]_, exactly: all that Bob computes are fractions. Raises
    SpecError if the split lies outside of the word, and AlphabetMismatchError or BudgetError as
    `reference.trace`.

    >>> from idinf.crasp.programs import load
    >>> from idinf.translate.compilation.compiler import compile_program
    >>> majority = load("majority")
    >>> net = compile_program(majority.program, majority.alphabet()).to_dense()
    >>> exchange(net, (0, 1, 1, 0), 2)
    Exchange(word=(0, 1, 1, 0), split=2, messages=('011',), compared=22, equal=True, accepted=True)
    """
    if not 0 <= split <= len(word):
        raise SpecError(
            f"split = {split}; expected a number of symbols from 0 to {len(word)}, the length of the word; "
            "move it"
        )
    whole = reference.trace(transformer, word)
    messages = alice(transformer, len(word), word[:split])
    layers = bob(transformer, len(word), split, word[split:], messages)
    compared, equal = compare_activations(layers, whole.layers, slice(split + 1, None))
    accepted = None
    if transformer.output is None and split < len(word):
        logits = multiply(transformer.unembedding, layers[-1].outputs[-1])
        accepted = logits[transformer.accept_row] > transformer.threshold
        equal = equal and accepted == whole.accepted
    return Exchange(word, split, messages, compared, equal, accepted)


def compare_activations(
    own: tuple[LayerTrace, ...], whole: tuple[LayerTrace, ...], positions: slice
) -> tuple[int, bool]:
    """Count the numbers of one party; True if they are those of the whole pass at its positions."""
    compared, equal = 0, True
    for mine, theirs in zip(own, whole, strict=True):
        for name in ("mixed", "activations", "outputs"):
            wanted = getattr(theirs, name)[positions]
            compared += sum(map(len, wanted))
            equal = equal and getattr(mine, name) == wanted
    return compared, equal


def alice(transformer: LimitTransformer, length: int, prefix: Word) -> tuple[str, ...]:
    """Her messages, one for each layer: they depend on her symbols and on n, the whole length, alone."""
    stream = _inputs(transformer, 0, (0, *(1 + code for code in prefix)))
    messages = []
    for layer, books in zip(transformer.layers, build_books(transformer), strict=True):
        said = (part for book in books for part in book.write(book.share(stream), len(stream)))
        messages.append("".join(said))
        nothing = (Share(),) * len(books)
        stream = run_layer(layer, books, nothing, stream, length + 1, transformer.precision).outputs
    return tuple(messages)


def bob(
    transformer: LimitTransformer, length: int, split: int, suffix: Word, messages: tuple[str, ...]
) -> tuple[LayerTrace, ...]:
    """His activations at split + 1..n, from his symbols and messages; a ValueError if one does not fit."""
    stream = _inputs(transformer, split + 1, tuple(1 + code for code in suffix))
    done = []
    for layer, books, message in zip(transformer.layers, build_books(transformer), messages, strict=True):
        reader = BitReader(message)
        shares = tuple(book.read(reader, split + 1) for book in books)
        if not reader.done:
            raise ValueError(f"the message of {len(message)} bits goes on after what was expected")
        done.append(run_layer(layer, books, shares, stream, length + 1, transformer.precision))
        stream = done[-1].outputs
    return tuple(done)


def prove_bound(transformer: LimitTransformer) -> tuple[int, int] | None:
    """(F, D): on every word Alice sends at most F · ⌈log₂(m + 2)⌉ + D bits; None if nothing is proved.

    Theorem 12 of [HYB25]_ with its constant, for hypotheses whose heads read finitely many keys and values.

    >>> from idinf.crasp.programs import load
    >>> from idinf.translate.compilation.compiler import compile_program
    >>> dyck = load("dyck-1")
    >>> prove_bound(compile_program(dyck.program, dyck.alphabet()).to_dense())
    (2, 3)
    """
    books = [book for row in build_books(transformer) for book in row]
    if not all(book.is_finite for book in books):
        return None
    bounds = [book.bound() for book in books]
    return sum(fields for fields, _ in bounds), sum(rest for _, rest in bounds)


def list_unbounded_heads(transformer: LimitTransformer) -> tuple[tuple[int, int, str], ...]:
    """Heads for which no bound is proved: layer and head, both from 1, and the reason, keys or values."""
    return tuple(
        (number, place, "keys" if book.keys is None else "values")
        for number, row in enumerate(build_books(transformer), start=1)
        for place, book in enumerate(row, start=1)
        if not book.is_finite
    )


def _inputs(transformer: LimitTransformer, first: int, tokens: tuple[int, ...]) -> Matrix:
    """y^(0) at the positions of one party, `first` being that of its first row; $ is token 0."""
    return tuple(
        add(transformer.embedding[token], transformer.positions[i % transformer.period])
        for i, token in enumerate(tokens, start=first)
    )
