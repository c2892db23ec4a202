"""Other coordinates of the stream: what is read stays, so the function does.

*Lemma.* Let C be coordinates that share no writer with the others. At every position of every word the part
of the stream on C is W z, where W has a column for each embedding, position, column of V and of B, restricted
to C, and z says how much of each has been written so far. Matrices meet this part as M W z alone, where M has
a row for each row of K, Q, V, A and U, restricted to C. Replace C by other coordinates, W by W' and M by M'
with M' W' = M W. Then all that is read is what it was, by induction over layers: embeddings and positions are
read as before, so logits, attention weights and what V reads, questions and answers of units are those of
before, and hence z, and U y, too. Weights are rounded on the grid of 2^-p, so p stays unless all logits are
natural numbers (`idinf.transformers.scaling`).

A V that reads C and writes into C is left alone. What nobody reads is M = 0 and needs no coordinate; symbols
that everything reads alike have one column of M W; two symbols that are read by their difference alone have
opposite ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from idinf.transformers.dense import DenseTransformer, Head, Layer, Matrix, Mlp
from idinf.transformers.factorizations import Factors
from idinf.transformers.limit_transformer import LimitTransformer, find_least_period
from idinf.transformers.scaling import Scaling

T = TypeVar("T", bound=DenseTransformer)

Coordinates = tuple[int, ...]


def list_groups(net: DenseTransformer) -> list[Coordinates]:
    """Sets of coordinates that share no writer, without those in which some V reads what it writes.

    Those that are never written come first.
    """
    of = Scaling(net).coordinates
    groups = [tuple(k for k, g in enumerate(of) if g == group) for group in range(max(of, default=0) + 1)]
    heads = [head for layer in net.layers for head in layer.heads]
    return [
        group
        for group in groups
        if group and not any(head.V[k][c] for head in heads for k in group for c in group)
    ]


def split_off(net: DenseTransformer, group: Coordinates) -> Factors:
    """What is read of some coordinates, and what is written into them.

    Examples
    --------
    >>> from idinf.transformers.one_hot import OneHotTransformer
    >>> from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
    >>> from idinf.words import Alphabet
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0),))
    >>> more_0 = OneHotTransformer(Alphabet(("0", "1")), 0, (layer,), (1,), 0).to_dense()
    >>> [group for group in list_groups(more_0)]
    [(0, 1, 2), (4,), (3,)]
    >>> product = split_off(more_0, (0, 1, 2)).product()
    >>> [[int(entry) for entry in row] for row in product if any(row)]
    [[0, 1, -1, 0, 0, 0, 0, 0, 0, 0]]
    """
    read = tuple(tuple(row[k] for k in group) for rows in _list_readers(net) for row in rows)
    written = tuple(
        (
            *(row[k] for row in net.embedding),
            *(row[k] for row in net.positions),
            *(entry for rows in _list_writers(net) for entry in rows[k]),
        )
        for k in group
    )
    return Factors(read, written)


def rewrite(net: T, group: Coordinates, factors: Factors) -> T:
    """Put new coordinates, behind the others, in place of some; ``factors`` are those of `split_off`.

    p is the least one, and must be checked by who calls this.
    """
    kept = [k for k in range(net.width) if k not in set(group)]
    readings, written = iter(factors.read), [iter(row) for row in factors.written]
    nothing = () if kept or written else (Fraction(0),)  # a stream has at least one coordinate

    def entering(rows: Matrix) -> Matrix:
        new = [(*(row[k] for k in kept), *(next(column) for column in written), *nothing) for row in rows]
        return tuple(new)

    def reading(rows: Matrix) -> Matrix:
        return tuple((*(row[k] for k in kept), *next(readings), *nothing) for row in rows)

    def writing(rows: Matrix, columns: list[int], more: int) -> Matrix:
        """Rows of V or B; the columns that are kept, and none of the new coordinates read."""
        size = len(rows[0]) if rows else 0
        new = [[next(row) for _ in range(size)] for row in written]
        zeros = (Fraction(0),) * more
        return (*((*(row[c] for c in columns), *zeros) for row in new),)

    embedding, positions = entering(net.embedding), entering(net.positions)
    layers = []
    for layer in net.layers:
        heads = []
        for head in layer.heads:
            K, Q, V = reading(head.K), reading(head.Q), reading(head.V)
            new = writing(head.V, kept, len(written))
            blank = ((Fraction(0),) * (len(kept) + len(nothing)),) * len(nothing)
            heads.append(Head(K, Q, (*(V[k] for k in kept), *new, *blank), head.phi))
        mlp = layer.mlp
        A = reading(mlp.A)
        units = [*range(len(mlp.b))]
        new = writing(mlp.B, units, 0)
        B = (*(mlp.B[k] for k in kept), *new, *(((Fraction(0),) * len(units),) * len(nothing)))
        layers.append(Layer(tuple(heads), Mlp(A, mlp.b, B, mlp.activation)))
    return with_matrices(net, embedding, positions, tuple(layers), reading(net.unembedding))


def with_matrices(
    net: T, embedding: Matrix, positions: Matrix, layers: tuple[Layer, ...], unembedding: Matrix
) -> T:
    """A transformer with other matrices, with the least p and the least period that they have."""
    if isinstance(net, LimitTransformer):
        positions = positions[: find_least_period(positions)]
    matrices = [embedding, positions, unembedding]
    for layer in layers:
        for head in layer.heads:
            matrices += [head.K, head.Q, head.V, (head.phi,)]
        matrices += [layer.mlp.A, (layer.mlp.b,), layer.mlp.B]
    bits = {entry.denominator.bit_length() - 1 for rows in matrices for row in rows for entry in row}
    return replace(
        net,
        precision=max(bits, default=0),
        embedding=embedding,
        positions=positions,
        layers=layers,
        unembedding=unembedding,
    )


def _list_readers(net: DenseTransformer) -> Iterator[Matrix]:
    for layer in net.layers:
        for head in layer.heads:
            yield from (head.K, head.Q, head.V)
        yield layer.mlp.A
    yield net.unembedding


def _list_writers(net: DenseTransformer) -> Iterator[Matrix]:
    for layer in net.layers:
        yield from (head.V for head in layer.heads)
        yield layer.mlp.B
