"""Random languages and hypotheses, and the judge that compares them one word at a time."""

from __future__ import annotations

from fractions import Fraction

from idinf.targets.machine import accepts as accepted_by_machine
from idinf.transformers import reference
from idinf.transformers.limit_transformer import Activation, Head, Layer, LimitTransformer, Mlp
from idinf.words import Alphabet, words_up_to


def accepted(language, word):
    if isinstance(language, LimitTransformer):
        return reference.accepts(language, word)
    return accepted_by_machine(language, word)


def least_difference(one, other, length):
    """Shortlex-least word up to a length that exactly one side accepts, or None."""
    words = words_up_to(len(one.alphabet), length)
    return next((word for word in words if accepted(one, word) != accepted(other, word)), None)


def random_regex(rng, symbols, size=4):
    """Text of a regex of a few symbols."""
    if size <= 1:
        return str(rng.choice(list(symbols)))
    cut = int(rng.integers(1, size))
    one, other = random_regex(rng, symbols, cut), random_regex(rng, symbols, size - cut)
    return str(rng.choice([f"({one}|{other})", f"{one}{other}", f"({one}{other})*", f"({one})*({other})?"]))


def random_dense(rng, symbols, layers=2, precision=1, phi=False):
    """A dense net with ReLU units whose averages no head reads; coordinates 0..3 are finite, 4..7 are not."""
    width, finite = 8, 4

    def entries(rows, columns, allowed, largest=2):
        return tuple(
            tuple(
                Fraction(int(rng.integers(-largest, largest + 1)), 1 << precision)
                if allowed(r, c) and rng.random() < 0.6
                else Fraction(0)
                for c in range(columns)
            )
            for r in range(rows)
        )

    def layer():
        kinds = (Activation.HEAVISIDE, Activation.HEAVISIDE, Activation.RELU, Activation.RELU)
        heads = []
        for _ in range(int(rng.integers(0, 3))):
            zero = ((Fraction(0),) * width,)
            bias = tuple(Fraction(int(k), 1 << precision) for k in rng.integers(0, 3, 3)) if phi else ()
            heads.append(
                Head(zero, zero, entries(width, width, lambda r, c: r >= finite and c < finite), bias)
            )
        # The last unit is a ReLU of finite coordinates; the one before reads averages and writes to 4..7.
        A = entries(4, width, lambda r, c: r < 3 or c < finite)
        B = entries(width, 4, lambda r, c: c != 2 or r >= finite)
        b = entries(1, 4, lambda r, c: True)[0]
        return Layer(tuple(heads), Mlp(A, b, B, kinds))

    tokens = entries(1 + symbols, width, lambda r, c: c < finite)
    positions = entries(int(rng.integers(1, 3)), width, lambda r, c: c < finite)
    if len(set(positions)) == 1:
        positions = positions[:1]
    return LimitTransformer(
        Alphabet(tuple("abc"[:symbols])),
        precision,
        tokens,
        positions,
        tuple(layer() for _ in range(layers)),
        entries(1, width, lambda r, c: True),
    )
