"""A layer at the positions of one party only; written apart from the reference, which judges it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from idinf.communication.codebook import HeadBook, added, product
from idinf.communication.shares import Share, value_of
from idinf.transformers.limit_transformer import Activation, Head, Matrix, Mlp, Vector
from idinf.transformers.rounding import grid_index, rounded_weight

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class PartyLayer:
    """Positions of one party in one layer; the fields are those of `reference.LayerTrace`."""

    mixed: Matrix
    activations: Matrix
    outputs: Matrix


def run_layer(
    heads: tuple[Head, ...],
    mlp: Mlp,
    books: tuple[HeadBook, ...],
    shares: tuple[Share, ...],
    stream: Matrix,
    N: int,
    p: int,
) -> PartyLayer:
    """Run a layer at the positions of one party, with what it was told about those before them.

    Parameters
    ----------
    heads, mlp
        Of the layer.
    books : tuple of HeadBook
    shares : tuple of Share
        One for each head; an empty one where there is nothing before.
    stream : (positions, d) Matrix
    N, p : int
        Length of the whole input with SOS; precision.
    """
    mixed = [list(y) for y in stream]
    for head, book, share in zip(heads, books, shares, strict=True):
        for place, row in enumerate(_attend(head, book, share, stream, N, p)):
            for entry, number in zip(book.entries, row, strict=True):
                mixed[place][entry.row] += number
    rows = tuple(tuple(y) for y in mixed)
    activations = tuple(_activate(mlp, y) for y in rows)
    outputs = tuple(added(y, product(mlp.B, units)) for y, units in zip(rows, activations, strict=True))
    return PartyLayer(rows, activations, outputs)


def _attend(head: Head, book: HeadBook, share: Share, stream: Matrix, N: int, p: int) -> list[Vector]:
    """Σ_j α_ij V y_j on the entries of the codebook, at every position of one party."""
    keys = [product(book.key, y) for y in stream]
    values = [value_of(book, head, y) for y in stream]
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
        for activation, z in zip(mlp.activation, added(product(mlp.A, y), mlp.b), strict=True)
    )
