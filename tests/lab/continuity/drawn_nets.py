"""Compact nets that are drawn at random, and their text."""

import math
from collections.abc import Mapping
from fractions import Fraction
from random import Random

from idinf.base.documents import write
from idinf.base.json_text import dump_json
from idinf.base.words import Alphabet
from idinf.lab.continuity.predictors import FORMAT, CompactNet
from idinf.nets.dense import Activation, Head, Layer, Matrix, Mlp, Vector


def draw_net(alphabet: Alphabet, seed: int, heads: int = 1, width: int = 4, units: int = 2) -> CompactNet:
    """Draw a net, the same one for the same arguments.

    Entries are quarters from -1 to 1 in the embedding. Those of layers, and of the unembedding, are at most
    1/4 and 1 in size for one head and a width of 4, and as much smaller as others are larger: so the sums of
    rows, and with them the bounds of logits, stay below `MOST_EXPONENT`.
    """
    random = Random(f"{seed} {alphabet.symbols} 1 {heads} {width} {units}")

    def rows(number: int, columns: int, below: int) -> Matrix:
        entries = [Fraction(random.randint(-4, 4), below) for _ in range(number * columns)]
        return tuple(tuple(entries[k * columns : (k + 1) * columns]) for k in range(number))

    wide = math.ceil(width / 4)
    fine = 16 * wide * max(1, heads)

    embedding = rows(len(alphabet), width, 4)
    qkv = [(rows(1, width, fine), rows(1, width, fine), rows(width, width, fine)) for _ in range(heads)]
    relu = (Activation.RELU,) * units
    mlp = Mlp(rows(units, width, fine), rows(1, units, fine)[0], rows(width, units, fine), relu)
    layer = Layer(tuple(Head(*matrices) for matrices in qkv), mlp)
    return CompactNet(alphabet, embedding, (layer,), rows(len(alphabet), width, 4 * wide))


def dump_net(net: CompactNet) -> str:
    """Write a compact net as JSON text; `parse_net` gives back an equal one."""
    rows = zip(net.alphabet.symbols, net.embedding, strict=True)
    return dump_json(
        {
            "format": FORMAT,
            "alphabet": list(net.alphabet.symbols),
            "embedding": write(dict(rows), Mapping[str, Vector]),
            "layers": write(net.layers, tuple[Layer, ...]),
            "unembedding": write(net.unembedding, Matrix),
        }
    )
