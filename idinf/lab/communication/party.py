"""What one party says about its half, and what the other computes from that.

Of each head Alice says at how many positions each key stands, with the sum of their values, and her last
positions one by one. A layer is written apart from the reference, which judges it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from idinf.base.linear_algebra import multiply
from idinf.lab.communication.bits import BitReader, read_sign, write_fixed, write_rational
from idinf.lab.communication.codebook import HeadBook, KeyEntry, add
from idinf.nets.attention import compute_rounded_weight, find_grid_index
from idinf.nets.dense import Activation, Head, Layer, Matrix, Mlp, Vector
from idinf.nets.reference import LayerTrace

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Share:
    """What is known of the positions before a party, for one head; empty if there are none."""

    #: A key, at how many positions it stands, and the sum of their values, on the entries of the codebook.
    classes: tuple[tuple[Vector, int, Vector], ...] = ()
    last: tuple[tuple[Vector, Vector], ...] = ()  #: key and value of each of the last positions


def share_of(book: HeadBook, head: Head, stream: Matrix) -> Share:
    """What Alice has to say about one head, `stream` being her positions, (m + 1, d)."""
    read = _keys_and_values(book, head, stream)
    counts = Counter(key for key, _ in read)
    totals: dict[Vector, Vector] = {}
    nothing = (_ZERO,) * len(book.entries)
    for key, value in read:
        totals[key] = add(totals.get(key, nothing), value)
    known = sorted(counts) if book.keys is None else book.keys
    classes = tuple((key, counts[key], totals.get(key, nothing)) for key in known)
    return Share(classes, tuple(read[max(0, len(read) - book.near) :]))


def write_activations(book: HeadBook, share: Share, positions: int) -> Iterator[str]:
    """The bits of what a party of `positions` positions has to say; ranges known beforehand are not sent."""
    known = [key for key, _, _ in share.classes]
    if book.keys is None:
        yield read_sign(len(known))
        yield from (write_rational(number) for key in known for number in key)
    for place, (_, count, total) in enumerate(share.classes):
        if place < len(known) - 1:  # all counts add up to the number of positions
            yield write_fixed(count, positions.bit_length())
        yield from _written_numbers(book, total, positions)
    for key, value in share.last:
        yield write_fixed(known.index(key), (len(known) - 1).bit_length())
        yield from _written_numbers(book, value, None)


def read_share(reader: BitReader, book: HeadBook, positions: int) -> Share:
    """Read it again. Raises ValueError if the message is too short."""
    known = book.keys
    if known is None:
        known = tuple(tuple(reader.rational() for _ in book.key) for _ in range(reader.positive()))
    classes, left = [], positions
    for place, key in enumerate(known):
        count = reader.fixed(positions.bit_length()) if place < len(known) - 1 else left
        left -= count
        classes.append((key, count, _read_numbers(reader, book, positions)))
    last = []
    for _ in range(min(book.near, positions)):
        key = known[reader.fixed((len(known) - 1).bit_length())]
        last.append((key, _read_numbers(reader, book, None)))
    return Share(tuple(classes), tuple(last))


def run_layer(
    layer: Layer, books: tuple[HeadBook, ...], shares: tuple[Share, ...], stream: Matrix, N: int, p: int
) -> LayerTrace:
    """Run a layer at the positions of one party, (positions, d), with what is known of those before them.

    N is the length of the whole input with SOS, p the precision. What single heads did is left out.
    """
    mixed = [list(y) for y in stream]
    for head, book, share in zip(layer.heads, books, shares, strict=True):
        for place, row in enumerate(_attend(head, book, share, stream, N, p)):
            for entry, number in zip(book.entries, row, strict=True):
                mixed[place][entry.row] += number
    return finish_layer(layer, tuple(map(tuple, mixed)))


def finish_layer(layer: Layer, mixed: Matrix) -> LayerTrace:
    """What follows attention in a layer, at the positions of one party: units, and the stream behind them."""
    activations = tuple(_activate(layer.mlp, y) for y in mixed)
    outputs = tuple(add(y, multiply(layer.mlp.B, units)) for y, units in zip(mixed, activations, strict=True))
    return LayerTrace((), mixed, activations, outputs)


def _attend(
    head: Head, book: HeadBook, share: Share, stream: Matrix, N: int, p: int
) -> Iterator[tuple[Fraction, ...]]:
    """Σ_j α_ij V y_j on the entries of the codebook, at every position; 0 where every weight is 0."""

    far = len(head.phi)

    def weight(query: Vector, key: Vector, distance: int = far) -> Fraction:
        bias = head.phi[distance] if distance < far else _ZERO
        logit = sum((a * b for a, b in zip(key, query, strict=True)), bias)
        return compute_rounded_weight(N, find_grid_index(logit, p), p)

    own = _keys_and_values(book, head, stream)
    for i, y in enumerate(stream):
        query = multiply(head.Q, y)
        terms = [(weight(query, key), count, value) for key, count, value in share.classes]
        for back, (key, value) in enumerate(reversed(share.last), start=1):
            # its class counted it without φ: the difference is added
            terms.append((weight(query, key, i + back) - weight(query, key), 1, value))
        for distance, (key, value) in enumerate(reversed(own[: i + 1])):
            terms.append((weight(query, key, distance), 1, value))
        total = sum((w * count for w, count, _ in terms), _ZERO)
        sums = [sum((w * value[k] for w, _, value in terms), _ZERO) for k in range(len(book.entries))]
        yield tuple(entry / total if total else _ZERO for entry in sums)


def _activate(mlp: Mlp, y: Vector) -> Vector:
    return tuple(
        max(z, _ZERO) if activation is Activation.RELU else Fraction(z > 0)
        for activation, z in zip(mlp.activation, add(multiply(mlp.A, y), mlp.b), strict=True)
    )


def _keys_and_values(book: HeadBook, head: Head, stream: Matrix) -> list[tuple[Vector, Vector]]:
    """K y, and V y on the entries of the codebook, at every position."""
    rows = tuple(head.V[entry.row] for entry in book.entries)
    return [(multiply(book.key, y), multiply(rows, y)) for y in stream]


def _range(entry: KeyEntry, positions: int | None) -> tuple[int, int]:
    """Least integer and width of a sum over at most so many positions; None: of one value."""
    if positions is None:
        return entry.low, (entry.high - entry.low).bit_length()
    return positions * min(entry.low, 0), (positions * entry.span).bit_length()


def _written_numbers(book: HeadBook, numbers: Vector, positions: int | None) -> Iterator[str]:
    for entry, number in zip(book.entries, numbers, strict=True):
        low, width = _range(entry, positions)
        yield write_fixed(int(number * entry.scale) - low, width) if entry.scale else write_rational(number)


def _read_numbers(reader: BitReader, book: HeadBook, positions: int | None) -> Vector:
    numbers = []
    for entry in book.entries:
        low, width = _range(entry, positions)
        numbers.append(Fraction(reader.fixed(width) + low, entry.scale) if entry.scale else reader.rational())
    return tuple(numbers)
