"""From a dense Limit Transformer back to the family: the inverse of the one-hot realisation."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from idinf.base.linear_algebra import dot
from idinf.errors import HypothesisFormatError
from idinf.nets.attention import AttentionPattern
from idinf.nets.dense import Head
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.one_hot_parts import NextReads, OneHotHead, OneHotLayer, OneHotUnit

#: Bits of parameters in units of 2^-p, so that machine integers hold them, and the largest logit: N is raised
#: to its power. Both are far beyond every space.
MAX_BITS, MAX_LOGIT = 60, 64


def to_one_hot(dense: LimitTransformer) -> OneHotTransformer:
    """Read a dense Limit Transformer as a member of the family.

    Raises
    ------
    HypothesisFormatError
        If it is not exactly what `OneHotTransformer.to_dense` writes: another basis, or outside the family.

    Examples
    --------
    >>> from idinf.base.words import Alphabet
    >>> unit = OneHotUnit((), s=(0, 1), b=0)
    >>> hypothesis = OneHotTransformer(Alphabet(("a",)), 0, (OneHotLayer((), (unit,)),), (1,), 0)
    >>> to_one_hot(hypothesis.to_dense()) == hypothesis
    True
    """
    if dense.num_bits > MAX_BITS or not isinstance(dense.threshold, int):
        raise _outside()
    try:
        hypothesis = _read(dense)
    except (IndexError, ValueError) as error:
        raise _outside() from error
    patterns = [head.pattern for layer in hypothesis.layers for head in layer.heads]
    largest = max((x for p in patterns for row in (p.phi, *p.logits) for x in row), default=0)
    if largest > MAX_LOGIT << dense.precision or hypothesis.to_dense() != dense:
        raise _outside()
    return hypothesis


def _outside() -> HypothesisFormatError:
    return HypothesisFormatError(
        "the hypothesis is not written in the searched family; expected the one-hot form of reports, with "
        "one coordinate for $, each symbol, residue, unit and channel; take it from a report"
    )


def _read(dense: LimitTransformer) -> OneHotTransformer:
    one = 1 << dense.precision
    base = 1 + len(dense.alphabet) + (dense.period if dense.period > 1 else 0)
    units = [len(layer.mlp.A) for layer in dense.layers]
    start = base + sum(units)  # the first channel
    layers, features = [], base
    for layer, count in zip(dense.layers, units, strict=True):
        heads, reads = [], [list[tuple[int, int, int]]() for _ in range(count)]
        for place, head in enumerate(layer.heads):
            channels = []
            while start < dense.width and any(head.V[start]):
                channels.append(_grid(head.V[start][:features], one))
                for unit, row in zip(reads, layer.mlp.A, strict=True):
                    if row[start]:
                        unit.append((place, len(channels) - 1, _integer(row[start], one)))
                start += 1
            heads.append(OneHotHead(tuple(channels), _pattern(head, features, one)))
        written = tuple(
            OneHotUnit(tuple(read), _grid(row[:features], one), _integer(bias, one))
            for read, row, bias in zip(reads, layer.mlp.A, layer.mlp.b, strict=True)
        )
        layers.append(OneHotLayer(tuple(heads), written))
        features += count
    rows = [[int(entry) for entry in row[features - units[-1] : features]] for row in dense.unembedding]
    named: NextReads | None = None
    signs = tuple(rows[dense.accept_row])
    if dense.output is not None:
        read = tuple(next((u for u, entry in enumerate(row) if entry), -1) for row in rows)
        named = NextReads(dense.output.kind, read)
        signs = tuple(max((row[u] for row in rows), key=abs) for u in range(units[-1]))
    return OneHotTransformer(
        dense.alphabet, dense.precision, tuple(layers), signs, int(dense.threshold), dense.period, named
    )


def _pattern(head: Head, features: int, one: int) -> AttentionPattern:
    """M = K^T Q over the features of the layer, and φ."""
    keys, queries = (list(zip(*rows, strict=True))[:features] for rows in (head.K, head.Q))
    logits = tuple(_grid([dot(key, query) for query in queries], one) for key in keys)
    return AttentionPattern(logits if any(map(any, logits)) else (), _grid(head.phi, one))


def _grid(row: Iterable[Fraction], one: int) -> tuple[int, ...]:
    return tuple(_integer(entry, one) for entry in row)


def _integer(value: Fraction, one: int) -> int:
    scaled = value * one
    if scaled.denominator != 1:
        raise ValueError(f"{value} is off the grid")
    return int(scaled)
