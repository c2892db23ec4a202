"""Random members of the searched family over ab, with periods, φ and several units."""

import random

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit

PHIS = ((), (0, 1), (1,), (0, 0, 1), (0, 2), (1, 1), (0, 1, 2))


def random_hypothesis(seed, matrices=0.0, largest=3, phis=PHIS):
    """A hypothesis; the same for the same seed. A head has a logit matrix with some probability."""
    rng = random.Random(seed)
    precision = rng.choice([0, 0, 1])
    period = rng.choice([1, 1, 2])
    features = 3 + (period if period > 1 else 0)
    layers = []
    for _ in range(rng.randint(1, 2)):
        heads, units = [], []
        for _ in range(rng.randint(1, 2)):
            reads = ()
            if rng.random() < 0.8:
                pattern = AttentionPattern(phi=tuple(value << precision for value in rng.choice(phis)))
                if matrices and rng.random() < matrices:
                    pattern = AttentionPattern(_matrix(rng, features, 1 << precision))
                heads.append(OneHotHead((_vector(rng, features, largest, True),), pattern))
                reads = ((len(heads) - 1, 0, 1 << precision),)
            units.append(OneHotUnit(reads, _vector(rng, features, 2), rng.randint(-2, 2)))
        layers.append(OneHotLayer(tuple(heads), tuple(units)))
        features += len(units)
    signs = tuple(rng.choice([1, -1]) for _ in layers[-1].units)
    threshold = rng.randint(-1, 0)
    return OneHotTransformer(Alphabet(("a", "b")), precision, tuple(layers), signs, threshold, period)


def _matrix(rng, size, one):
    while True:
        rows = tuple(
            tuple(rng.choice([0, 0, 0, 1, 2]) * one * (rng.random() < 0.4) for _ in range(size))
            for _ in range(size)
        )
        if any(map(any, rows)):
            return rows


def _vector(rng, size, largest, needed=False):
    while True:
        entries = tuple(rng.randint(-largest, largest) if rng.random() < 0.6 else 0 for _ in range(size))
        if any(entries) or not needed:
            return entries
