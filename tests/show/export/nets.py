"""Hypotheses that are exported: shipped ones, random members of the family, and random dense ones."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np

from idinf.api.programs import compile_source
from idinf.base.words import Alphabet
from idinf.nets import json_format
from idinf.nets.attention import AttentionPattern
from idinf.nets.dense import Activation, Head, Layer, Mlp, NextOutput, matrix
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.show.export.forms import export
from idinf.spec.spec import Answer
from tests.test_architecture import ROOT
from tests.translate.compilation.random_hypotheses import random_hypothesis

ODD = Alphabet(('"', "\\", "{", "%", "~^_&#$"), spaced=True)

#: Signs that fonts of TeX join or lack, and a long name.
JOINED = Alphabet(("--", "<>", "?`", "}|'", "a-symbol-with-a-long-name"), spaced=True)

KNOWN = sorted((ROOT / "specs" / "known").glob("*.json"))


def known(path):
    return json_format.loads(path.read_text("utf-8"))


def of_family(seed):
    """With φ, logit matrices, periods, precision, several heads and units."""
    return random_hypothesis(seed, matrices=0.5).to_dense()


def dense(seed):
    """Any basis: ReLU, negative logits, averages that are read again, layers without heads, all outputs."""
    rng = random.Random(seed)
    p, d, kind = rng.choice([0, 1, 2]), rng.randint(2, 4), rng.choice([None, Answer.SET, Answer.SYMBOL])

    def number():
        return rng.choice([Fraction(0), Fraction(rng.randint(-2 << p, 2 << p), 1 << p)])

    def rows(count, width):
        return tuple(tuple(number() for _ in range(width)) for _ in range(count))

    layers = []
    for _ in range(rng.randint(1, 2)):
        heads = tuple(
            Head(
                rows(rank, d) if rng.random() < 0.6 else matrix([[0] * d] * rank),
                rows(rank, d),
                rows(d, d),
                phi,
            )
            for rank, (phi,) in ((rng.randint(1, 2), rows(1, 3)) for _ in range(rng.randint(0, 2)))
        )
        m = rng.randint(1, 3)
        kinds = rng.choices([Activation.HEAVISIDE, Activation.RELU], [2, 1], k=m)
        layers.append(Layer(heads, Mlp(rows(m, d), rows(1, m)[0], rows(d, m), tuple(kinds))))
    positions = matrix([[0] * d]) if rng.random() < 0.5 else matrix([[0] * d, [1, *rows(1, d - 1)[0]]])
    output = None if kind is None else NextOutput(kind, ("b", "$", "a"), (2, 0, 1))
    row, threshold = 0 if output else rng.randint(0, 2), 0 if kind is Answer.SYMBOL else number()
    letters = Alphabet(("a", "b"))
    return LimitTransformer(
        letters, p, rows(3, d), positions, tuple(layers), rows(3, d), row, threshold, output
    )


def heavy():
    """More a than b, asked where c came before: weights N³ cancel, which float32 holds up to N = 256."""
    head = OneHotHead(((1, 2, 0, 1),), AttentionPattern(phi=(0, 3)))
    unit = OneHotUnit(((0, 0, 1),), (0, 0, 0, 0), -1)
    layer = OneHotLayer((head,), (unit,))
    return OneHotTransformer(Alphabet(("a", "b", "c")), 0, (layer,), (1,), 0).to_dense()


def many_letters():
    """As many a as b, b as c, ..., y as z or more: 77 coordinates."""
    letters = [chr(ord("a") + k) for k in range(26)]
    terms = [f'# "{one}" >= # "{other}"' for one, other in pairwise(letters)]
    lines = [f"ordered_{k} = {term}" for k, term in enumerate(terms)]
    wanted = " && ".join(f"ordered_{k}" for k in range(25))
    return compile_source("\n".join([*lines, f"accept = {wanted}", ""])).transformer


def odd_next(stem):
    """A shipped hypothesis about next symbols over symbols that formulas print without quotes."""
    net = known(next(path for path in KNOWN if path.stem == stem))
    letters = Alphabet(("\\", "~^_", "if;%")[: len(net.alphabet)], spaced=True)
    renamed = dict(zip(net.alphabet.symbols, letters.symbols, strict=True))
    symbols = tuple(renamed.get(symbol, symbol) for symbol in net.output.symbols)
    return replace(net, alphabet=letters, output=replace(net.output, symbols=symbols))


@cache
def drawn():
    """Hypotheses of all kinds, with symbols that notations read as their own."""
    five = next(path for path in KNOWN if path.stem == "aa-bb-cc-dd-ee")
    odd = [replace(known(five), alphabet=alphabet) for alphabet in (ODD, JOINED)]
    shipped = map(known, KNOWN)
    odd += map(odd_next, ("dyck-1-next", "sort-next"))
    return [*shipped, *odd, heavy(), many_letters(), *map(of_family, range(8)), *map(dense, range(8))]


def words_of(net, n):
    """All words of a length, as an array of codes."""
    size = len(net.alphabet)
    return np.array(list(product(range(size), repeat=n)), dtype=np.int64).reshape(size**n, n)


def sample_words(size, n):
    """Words of length n, always the same: balanced, where two sides are equal, beside them, and random."""
    rng = random.Random(n)
    blocks = [place * size // n for place in range(n)]
    mixed = rng.sample(blocks, n)
    words = [blocks, blocks[::-1], [place % size for place in range(n)], mixed]
    words += [[*mixed[:-1], (mixed[-1] + 1) % size], [rng.randrange(size) for _ in range(n)]]
    return np.array(words, dtype=np.int64)


def run_file(net, form):
    """What a file of code defines, without running its command line."""
    space = {"__name__": "exported"}
    exec(compile(export(net, form), form, "exec"), space)
    return space


def inputs_of(words):
    """Words as code takes them: with `$`, and every code one larger."""
    return np.pad(words + 1, ((0, 0), (1, 0)))
