"""Nets of a whole class one by one: all matrices of small width, and random nets of every kind."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np

from idinf.transformers.dense import Activation, Head, Layer, Mlp
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import compute_r_terms
from idinf.whole_class.floors import FLOOR
from idinf.words import Alphabet

__all__ = ["names_by_matrices", "random_net", "vectors"]


def vectors(width: int, norm: float) -> list[tuple[int, ...]]:
    """All integer vectors up to a norm."""
    largest = range(-int(norm), int(norm) + 1)
    return [v for v in itertools.product(largest, repeat=width) if math.hypot(*v) <= norm]


def names_by_matrices(width: int, p: int, most: float) -> dict[tuple[int, ...], float]:
    """Least R of every function of two tokens that reads more than the last one, by all U, V and E."""
    least: dict[tuple[int, ...], float] = {}
    rows = vectors(width, most - 2)  # the two others have norms of at least 1
    for V in itertools.product(rows, repeat=width):
        matrix = np.array(V)
        norm, rank = float(np.linalg.norm(matrix, 2)), int(np.linalg.matrix_rank(matrix))
        if not rank or norm + 2 > most:
            continue
        for U in rows:
            left = most - norm - math.hypot(*U)
            if left < 1 or not any(U):
                continue
            read = matrix.T @ np.array(U)
            shortest: dict[tuple[int, int], float] = {}
            for E in vectors(width, left):
                pair = int(np.dot(U, E)), int(read @ np.array(E))
                shortest[pair] = min(shortest.get(pair, math.inf), math.hypot(*E))
            for tokens in itertools.product(shortest.items(), repeat=2):
                s, t = (tuple(pair[k] for pair, _ in tokens) for k in range(2))
                if not any(t):
                    continue
                both = [2**p * x for x in s] + list(t)
                name = tuple(x // math.gcd(*both) for x in both)
                r = 2 + p + rank + (norm + math.hypot(*U) + max(length for _, length in tokens)) / 2**p
                least[name] = min(least.get(name, math.inf), r)
    return least


def random_net(generator: random.Random, alphabet: Alphabet) -> LimitTransformer | None:
    """A net of any parts on a small grid, with R below the floor; None if it has more."""
    p, width = generator.choice([0, 1, 1, 1, 2, 2, 2]), generator.choice([1, 2, 3])

    def row(chance: float, size: int = width) -> tuple[Fraction, ...]:
        entries = (generator.choice([-1, 1, 1, 2]) if generator.random() < chance else 0 for _ in range(size))
        return tuple(Fraction(entry, 2**p) for entry in entries)

    heads = generator.choice([0, 1, 1, 1, 1])
    units = generator.choice([0, 0, 1, 2])
    each = 1.2 / width
    made = []
    for _ in range(heads):
        K, Q = (row(each * generator.randrange(2)),), (row(each * generator.randrange(2)),)
        made.append(Head(K, Q, tuple(row(each) for _ in range(width))))
    mlp = Mlp(
        tuple(row(each) for _ in range(units)),
        row(0.2, units),
        tuple(row(each, units) for _ in range(width)),
        tuple(generator.choice([*Activation]) for _ in range(units)),
    )
    embedding = tuple(row(each) for _ in range(len(alphabet) + 1))
    positions = (row(each * generator.randrange(2)),)
    net = LimitTransformer(alphabet, p, embedding, positions, (Layer(tuple(made), mlp),), (row(each),))
    return net if compute_r_terms(net).total < FLOOR - 1e-9 else None
