"""What Alice says about one head: counts and sums of values by key, and her last positions one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from idinf.communication.bits import BitReader, BitWriter
from idinf.communication.codebook import HeadBook, KeyEntry, added, product
from idinf.transformers.limit_transformer import Head, Matrix, Vector

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


def share_of(book: HeadBook, head: Head, stream: Matrix) -> Share:
    """What Alice has to say about one head, `stream` being her positions, (m + 1, d)."""
    keys = [product(book.key, y) for y in stream]
    values = [value_of(book, head, y) for y in stream]
    counts = Counter(keys)
    known = tuple(sorted(counts)) if book.keys is None else book.keys
    classes = []
    for key in known:
        total = (_ZERO,) * len(book.entries)
        for own, value in zip(keys, values, strict=True):
            if own == key:
                total = added(total, value)
        classes.append((key, counts[key], total))
    near = min(book.near, len(stream))
    last = tuple(zip(keys, values, strict=True))[len(stream) - near :]
    return Share(tuple(classes), last)


def value_of(book: HeadBook, head: Head, y: Vector) -> Vector:
    """V y on the entries of the codebook."""
    return product(tuple(head.V[entry.row] for entry in book.entries), y)


def write_share(writer: BitWriter, book: HeadBook, share: Share, positions: int) -> None:
    """Write what a party of `positions` positions has to say; ranges known beforehand are not sent."""
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


def read_share(reader: BitReader, book: HeadBook, positions: int) -> Share:
    """Read it again.

    Raises
    ------
    ValueError
        If the message is too short.
    """
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


def _range(entry: KeyEntry, positions: int | None) -> tuple[int, int]:
    """Least integer and width of a sum over at most so many positions; None: of one value."""
    if positions is None:
        return entry.low, (entry.high - entry.low).bit_length()
    return positions * min(entry.low, 0), (positions * entry.span).bit_length()


def _write_number(writer: BitWriter, entry: KeyEntry, number: Fraction, positions: int | None) -> None:
    if not entry.scale:
        writer.rational(number)
        return
    low, width = _range(entry, positions)
    writer.fixed(int(number * entry.scale) - low, width)


def _read_number(reader: BitReader, entry: KeyEntry, positions: int | None) -> Fraction:
    if not entry.scale:
        return reader.rational()
    low, width = _range(entry, positions)
    return Fraction(reader.fixed(width) + low, entry.scale)
