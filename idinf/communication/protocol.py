"""The protocol of Theorem 12, run: Alice has `$` and the first m symbols, Bob the rest, both know n and m.

For every head Alice sends how many of her positions have each key, and the sum of their values; with φ also
the key and value of her last τ positions, one by one. Bob weighs what he received by his own queries. He sees
nothing of her symbols but the bits, and his activations are compared with those of the whole forward pass.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from idinf.communication.bits import BitReader, BitWriter
from idinf.communication.codebook import Entry, HeadBook, books_of, product
from idinf.errors import SpecError
from idinf.transformers import reference
from idinf.transformers.limit_transformer import Activation, Head, LimitTransformer, Matrix, Mlp, Vector
from idinf.transformers.rounding import grid_index, rounded_weight
from idinf.words import Word

__all__ = ["BobLayer", "Exchange", "alice", "bob", "bound", "exchange", "unbounded_heads"]

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Share:
    """What one party can say about the keys of one head: classes of equal keys, and single last positions.

    Parameters
    ----------
    classes : tuple of (Vector, int, Vector)
        A key, at how many positions it stands, and the sum of their values, on the entries of the codebook.
    last : tuple of (Vector, Vector)
        Key and value of each of the last positions.
    """

    classes: tuple[tuple[Vector, int, Vector], ...] = ()
    last: tuple[tuple[Vector, Vector], ...] = ()


@dataclass(frozen=True, slots=True)
class BobLayer:
    """Positions of one party in one layer; the fields are those of `reference.LayerTrace`."""

    mixed: Matrix
    activations: Matrix
    outputs: Matrix


@dataclass(frozen=True, slots=True)
class Exchange:
    """One run of the protocol.

    Parameters
    ----------
    word : Word
    split : int
        m, the symbols Alice has.
    messages : tuple of str
        Her bits for each layer, as characters 0 and 1.
    compared : int
        Numbers of Bob that were compared with the reference.
    equal : bool
        Whether all of them were the same.
    accepted : bool or None
        Bob's verdict; None for a hypothesis about next symbols, and where Bob has no symbol.
    """

    word: Word
    split: int
    messages: tuple[str, ...]
    compared: int
    equal: bool
    accepted: bool | None

    @property
    def bits(self) -> int:
        """The length of all messages together."""
        return sum(map(len, self.messages))


def exchange(transformer: LimitTransformer, word: Word, split: int) -> Exchange:
    """Run the protocol on a split word, and compare Bob with the reference.

    Parameters
    ----------
    transformer : LimitTransformer
    word : tuple of int
    split : int
        0 ≤ split ≤ n.

    Raises
    ------
    SpecError
        If the split lies outside of the word.
    AlphabetMismatchError, BudgetError
        As `reference.trace`.

    Notes
    -----
    Implements the protocol of Theorem 12 of [HYB25]_, exactly: all that Bob computes are fractions.

    Examples
    --------
    >>> from idinf.crasp.library import load
    >>> from idinf.translation.compiler import compiled
    >>> majority = load("majority")
    >>> net = compiled(majority.program, majority.alphabet()).to_dense()
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
    compared, equal = 0, True
    for mine, theirs in zip(layers, whole.layers, strict=True):
        for name in ("mixed", "activations", "outputs"):
            rows, wanted = getattr(mine, name), getattr(theirs, name)[split + 1 :]
            compared += sum(map(len, wanted))
            equal = equal and rows == wanted
    accepted = None
    if transformer.output is None and split < len(word):
        logits = product(transformer.unembedding, layers[-1].outputs[-1])
        accepted = logits[transformer.accept_row] > transformer.threshold
        equal = equal and accepted == whole.accepted
    return Exchange(word, split, messages, compared, equal, accepted)


def alice(transformer: LimitTransformer, length: int, prefix: Word) -> tuple[str, ...]:
    """Her messages, one for each layer: they depend on her symbols and on n alone.

    Parameters
    ----------
    transformer : LimitTransformer
    length : int
        n, of the whole word.
    prefix : tuple of int
    """
    books = books_of(transformer)
    stream = _inputs(transformer, 0, prefix, with_sos=True)
    messages = []
    for layer, row in zip(transformer.layers, books, strict=True):
        writer = BitWriter()
        shares = [_share(book, head, stream) for book, head in zip(row, layer.heads, strict=True)]
        for book, share in zip(row, shares, strict=True):
            _write(writer, book, share, len(stream))
        messages.append(writer.text())
        nothing = tuple(Share() for _ in row)
        stream = _run(layer.heads, layer.mlp, row, nothing, stream, length + 1, transformer.precision).outputs
    return tuple(messages)


def bob(
    transformer: LimitTransformer, length: int, split: int, suffix: Word, messages: tuple[str, ...]
) -> tuple[BobLayer, ...]:
    """His activations at positions split + 1..n, from his symbols and the messages alone.

    Parameters
    ----------
    transformer : LimitTransformer
    length, split : int
        n and m.
    suffix : tuple of int
    messages : tuple of str
        One for each layer.

    Raises
    ------
    ValueError
        If a message is too short or too long.
    """
    stream = _inputs(transformer, split + 1, suffix, with_sos=False)
    done = []
    for layer, row, message in zip(transformer.layers, books_of(transformer), messages, strict=True):
        reader = BitReader(message)
        shares = tuple(_read(reader, book, split + 1) for book in row)
        if not reader.done:
            raise ValueError(f"the message of {len(message)} bits goes on after what was expected")
        done.append(_run(layer.heads, layer.mlp, row, shares, stream, length + 1, transformer.precision))
        stream = done[-1].outputs
    return tuple(done)


def bound(transformer: LimitTransformer) -> tuple[int, int] | None:
    """(F, D): on every word Alice sends at most F · ⌈log₂(m + 2)⌉ + D bits; None if nothing is proved.

    Notes
    -----
    Theorem 12 of [HYB25]_ with its constant, for hypotheses whose heads read finitely many keys and values.

    Examples
    --------
    >>> from idinf.crasp.library import load
    >>> from idinf.translation.compiler import compiled
    >>> dyck = load("dyck-1")
    >>> bound(compiled(dyck.program, dyck.alphabet()).to_dense())
    (2, 3)
    """
    books = [book for row in books_of(transformer) for book in row]
    if not all(book.is_finite for book in books):
        return None
    bounds = [book.bound() for book in books]
    return sum(fields for fields, _ in bounds), sum(rest for _, rest in bounds)


def unbounded_heads(transformer: LimitTransformer) -> tuple[tuple[int, int, str], ...]:
    """Heads for which no bound is proved: layer and head, both from 1, and whether keys or values are why."""
    return tuple(
        (number, place, "keys" if book.keys is None else "values")
        for number, row in enumerate(books_of(transformer), start=1)
        for place, book in enumerate(row, start=1)
        if not book.is_finite
    )


def _inputs(transformer: LimitTransformer, first: int, symbols: Word, with_sos: bool) -> Matrix:
    """y^(0) at the positions of one party, `first` being that of its first row."""
    rows = (0, *(1 + code for code in symbols)) if with_sos else tuple(1 + code for code in symbols)
    return tuple(
        _sum(transformer.embedding[row], transformer.positions[i % transformer.period])
        for i, row in enumerate(rows, start=first)
    )


def _share(book: HeadBook, head: Head, stream: Matrix) -> Share:
    """What Alice has to say about one head."""
    keys = [product(book.key, y) for y in stream]
    values = [_value(book, head, y) for y in stream]
    counts = Counter(keys)
    known = tuple(sorted(counts)) if book.keys is None else book.keys
    classes = []
    for key in known:
        total = (_ZERO,) * len(book.entries)
        for own, value in zip(keys, values, strict=True):
            if own == key:
                total = _sum(total, value)
        classes.append((key, counts[key], total))
    near = min(book.near, len(stream))
    last = tuple(zip(keys, values, strict=True))[len(stream) - near :]
    return Share(tuple(classes), last)


def _value(book: HeadBook, head: Head, y: Vector) -> Vector:
    return product(tuple(head.V[entry.row] for entry in book.entries), y)


def _write(writer: BitWriter, book: HeadBook, share: Share, positions: int) -> None:
    known = [key for key, _, _ in share.classes]
    if book.keys is None:
        writer.positive(len(known))
        for key in known:
            for number in key:
                writer.rational(number)
    for place, (_, count, total) in enumerate(share.classes):
        if place < len(known) - 1:  # all counts add up to the number of positions
            writer.fixed(count, positions.bit_length())
        for entry, number in zip(book.entries, total, strict=True):
            _write_number(writer, entry, number, positions)
    for key, value in share.last:
        writer.fixed(known.index(key), (len(known) - 1).bit_length())
        for entry, number in zip(book.entries, value, strict=True):
            _write_number(writer, entry, number, None)


def _read(reader: BitReader, book: HeadBook, positions: int) -> Share:
    known = book.keys
    if known is None:
        known = tuple(tuple(reader.rational() for _ in book.key) for _ in range(reader.positive()))
    classes, left = [], positions
    for place, key in enumerate(known):
        count = reader.fixed(positions.bit_length()) if place < len(known) - 1 else left
        left -= count
        classes.append((key, count, tuple(_read_number(reader, entry, positions) for entry in book.entries)))
    last = []
    for _ in range(min(book.near, positions)):
        key = known[reader.fixed((len(known) - 1).bit_length())]
        last.append((key, tuple(_read_number(reader, entry, None) for entry in book.entries)))
    return Share(tuple(classes), tuple(last))


def _range(entry: Entry, positions: int | None) -> tuple[int, int]:
    """Least integer and width of a sum over at most so many positions; None: of one value."""
    if positions is None:
        return entry.low, (entry.high - entry.low).bit_length()
    return positions * min(entry.low, 0), (positions * entry.span).bit_length()


def _write_number(writer: BitWriter, entry: Entry, number: Fraction, positions: int | None) -> None:
    if not entry.scale:
        writer.rational(number)
        return
    low, width = _range(entry, positions)
    writer.fixed(int(number * entry.scale) - low, width)


def _read_number(reader: BitReader, entry: Entry, positions: int | None) -> Fraction:
    if not entry.scale:
        return reader.rational()
    low, width = _range(entry, positions)
    return Fraction(reader.fixed(width) + low, entry.scale)


def _run(
    heads: tuple[Head, ...],
    mlp: Mlp,
    books: tuple[HeadBook, ...],
    shares: tuple[Share, ...],
    stream: Matrix,
    N: int,
    p: int,
) -> BobLayer:
    """One layer at the positions of one party, with what it was told about those before them."""
    mixed = [list(y) for y in stream]
    for head, book, share in zip(heads, books, shares, strict=True):
        for place, row in enumerate(_attend(head, book, share, stream, N, p)):
            for entry, number in zip(book.entries, row, strict=True):
                mixed[place][entry.row] += number
    rows = tuple(tuple(y) for y in mixed)
    activations = tuple(_activate(mlp, y) for y in rows)
    outputs = tuple(_sum(y, product(mlp.B, units)) for y, units in zip(rows, activations, strict=True))
    return BobLayer(rows, activations, outputs)


def _attend(head: Head, book: HeadBook, share: Share, stream: Matrix, N: int, p: int) -> list[Vector]:
    """Σ_j α_ij V y_j on the entries of the codebook, at every position of one party."""
    keys = [product(book.key, y) for y in stream]
    values = [_value(book, head, y) for y in stream]
    mixed = []
    for i, y in enumerate(stream):
        query = product(head.Q, y)

        def weight(key: Vector, bias: Fraction, query: Vector = query) -> Fraction:
            logit = sum((a * b for a, b in zip(key, query, strict=True)), _ZERO) + bias
            return rounded_weight(N, grid_index(logit, p), p)

        weighed = [(weight(key, _ZERO), count, value) for key, count, value in share.classes]
        total = sum((w * count for w, count, _ in weighed), _ZERO)
        sums = [(w, value) for w, _, value in weighed]
        for back, (key, value) in enumerate(reversed(share.last), start=1):
            # its class counted it without φ: the difference is added
            change = weight(key, _phi(head, i + back)) - weight(key, _ZERO)
            total += change
            sums.append((change, value))
        for j in range(i + 1):
            own = weight(keys[j], _phi(head, i - j))
            total += own
            sums.append((own, values[j]))
        mixed.append(_average(sums, total, len(book.entries)))
    return mixed


def _average(sums: list[tuple[Fraction, Vector]], total: Fraction, size: int) -> Vector:
    """Weighted sum over total; 0 where every weight is 0, as in the definition."""
    if not total:
        return (_ZERO,) * size
    return tuple(sum((w * value[place] for w, value in sums), _ZERO) / total for place in range(size))


def _phi(head: Head, distance: int) -> Fraction:
    return head.phi[distance] if distance < len(head.phi) else _ZERO


def _activate(mlp: Mlp, y: Vector) -> Vector:
    return tuple(
        max(z, _ZERO) if activation is Activation.RELU else Fraction(z > 0)
        for activation, z in zip(mlp.activation, _sum(product(mlp.A, y), mlp.b), strict=True)
    )


def _sum(x: Vector, y: Vector) -> Vector:
    return tuple(a + b for a, b in zip(x, y, strict=True))
