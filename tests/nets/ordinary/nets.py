"""Ordinary transformers for tests, and the product functions of one, word for word as they are defined."""

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from idinf.base.words import Alphabet
from idinf.crasp import programs
from idinf.nets.attention import AttentionPattern
from idinf.nets.dense import Activation, Head, Layer, Matrix, Mlp, matrix, vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.ordinary.translation import CausalTransformer
from idinf.translate.compilation.compiler import compile_by_any_route


@cache
def compiled(name: str) -> LimitTransformer:
    """A shipped program as a hypothesis."""
    loaded = programs.load(name)
    return compile_by_any_route(loaded.program, loaded.alphabet(None)).transformer


def tomita_7() -> LimitTransformer:
    """The hypothesis that is selected for tomita-7; its R is 10.825141."""
    first = OneHotLayer(
        (OneHotHead(((0, -1, 1),), AttentionPattern(phi=(0, 2))),), (OneHotUnit(((0, 0, 2),), (0, 0, -1), 0),)
    )
    second = OneHotLayer((OneHotHead(((-1, 0, 0, 1),)),), (OneHotUnit(((0, 0, 2),), (-1, 0, 0, 0), 0),))
    return OneHotTransformer(Alphabet(("0", "1")), 1, (first, second), (-1,), -1).to_dense()


def one_hot_even(context: int) -> CausalTransformer:
    """(aa)* by one-hot position vectors that A reads at every other place: right, but not in Θ_N."""
    width = 3 + context
    read = [0, 0, 0, *(int(i % 2 == 0) for i in range(context))]
    mlp = Mlp(matrix([read]), vector([0]), matrix([[0], [0], [1], *[[0]] * context]), (Activation.HEAVISIDE,))
    unit_vectors = [[int(c == k) for c in range(width)] for k in range(width)]
    return CausalTransformer(
        Alphabet(("a",)), 0, matrix(unit_vectors[:2]), matrix(unit_vectors[3:]), (Layer((), mlp),),
        matrix([unit_vectors[2]]),
    )  # fmt: skip


def random_net(draw: random.Random, p: int = 0, context: int = 3) -> CausalTransformer:
    """A small net of any parameters; position vectors are often equal, so that some are members of Θ_N."""
    d = draw.randint(1, 2)

    def number() -> Fraction:
        return Fraction(draw.choice([0, 0, 1, -1, 2]), 1 << draw.randint(0, p))

    def rows(count: int, width: int) -> Matrix:
        return tuple(tuple(number() for _ in range(width)) for _ in range(count))

    layers = []
    for _ in range(draw.randint(1, 2)):
        heads = tuple(Head(rows(1, d), rows(1, d), rows(d, d)) for _ in range(draw.randint(0, 2)))
        m = draw.randint(0, 1)
        mlp = Mlp(rows(m, d), rows(1, m)[0], rows(d, m), (draw.choice(list(Activation)),) * m)
        layers.append(Layer(heads, mlp))
    first = rows(1, d)
    kind = draw.randrange(3)
    positions = first * context if kind == 0 else rows(context, d) if kind == 1 else (first + rows(1, d)) * 2
    return CausalTransformer(Alphabet(("a",)), p, rows(2, d), positions, tuple(layers), rows(1, d))


def times(rows: Matrix, y: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """A matrix times a vector."""
    return tuple(sum((a * b for a, b in zip(row, y, strict=True)), Fraction(0)) for row in rows)


def plain_sets(net: CausalTransformer) -> list[tuple[Matrix, ...]]:
    """Every set S, as its value matrices from the lowest layer up."""
    choices = itertools.product(*([None, *(head.V for head in layer.heads)] for layer in net.layers))
    return [tuple(V for V in choice if V is not None) for choice in choices]


def behind(S: tuple[Matrix, ...], v: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """M v."""
    for V in S:
        v = times(V, v)
    return v


def plain_vectors(net: CausalTransformer) -> list[tuple[Fraction, ...]]:
    """Embeddings and columns of B."""
    return [*net.embedding, *(c for layer in net.layers for c in zip(*layer.mlp.B, strict=True))]


def plain_readers(net: CausalTransformer) -> list[tuple[Fraction, ...]]:
    """Rows of A and of U."""
    return [*(row for layer in net.layers for row in layer.mlp.A), *net.unembedding]


def plain_products(net: CausalTransformer) -> Iterator[tuple[bool, list[Fraction]]]:
    """Values that have to be equal in Θ_N, and whether they are α; by Definitions 43 and 46."""
    sets, N = plain_sets(net), net.context
    for S in sets:
        for u in plain_readers(net):
            yield False, [times((u,), behind(S, p))[0] for p in net.positions]
    for head in (head for layer in net.layers for head in layer.heads):
        for S1, S2 in itertools.product(sets, repeat=2):

            def alpha(v, w, S1=S1, S2=S2, head=head):
                key, query = times(head.K, behind(S1, v)), times(head.Q, behind(S2, w))
                return sum((a * b for a, b in zip(key, query, strict=True)), Fraction(0))

            for v in plain_vectors(net):
                yield True, [alpha(p, v) for p in net.positions]
                yield True, [alpha(v, p) for p in net.positions]
            for distance in range(-N + 1, N):
                pairs = [(i, i + distance) for i in range(N) if 0 <= i + distance < N]
                yield True, [alpha(net.positions[i], net.positions[j]) for i, j in pairs]
