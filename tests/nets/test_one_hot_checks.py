"""Refusals: a valid net of p = 1 with one private and one shared channel, one thing broken at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from idinf.base.words import Alphabet
from idinf.errors import HypothesisFormatError
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit

HEADS = (OneHotHead(((0, 1), (1, 1))), OneHotHead(((1, 0),)))
UNITS = (
    OneHotUnit(((0, 0, 2),), (0, 1), 0),
    OneHotUnit(((0, 1, 1), (1, 0, 2)), (0, 0), 0),
    OneHotUnit(((0, 1, -4),), (0, 0), 0),
)
NET = OneHotTransformer(Alphabet(("a",)), 1, (OneHotLayer(HEADS, UNITS),), (1, -1, 1), 0)


def with_units(*units):
    return {"layers": (OneHotLayer(HEADS, units),)}


def with_heads(*heads):
    return {"layers": (OneHotLayer(heads, UNITS),)}


def with_pattern(pattern):
    return with_heads(HEADS[0], replace(HEADS[1], pattern=pattern))


def with_reads(unit, reads):
    return with_units(*(replace(old, reads=reads) if u == unit else old for u, old in enumerate(UNITS)))


REFUSALS = [
    ({"precision": -1}, r"precision = -1; expected an integer >= 0"),
    ({"layers": (OneHotLayer((), ()),), "signs": ()},
        r"layers\[0\]\.units = \(\); expected at least one unit"),
    ({"signs": (1, 1)}, r"signs = \(1, 1\); expected \+1 or -1 for each of 3 units"),
    (with_heads(HEADS[0], OneHotHead(())), r"heads\[1\]\.channels = \(\); expected at least one channel"),
    (with_heads(HEADS[0], OneHotHead(((1,),))), r"heads\[1\]\.channels\[0\] = \(1,\); expected 2 entries"),
    (with_units(replace(UNITS[0], s=(0,)), *UNITS[1:]), r"units\[0\]\.s = \(0,\); expected 2 entries"),
    (with_reads(1, ((0, 0, 1), (0, 1, 1), (1, 0, 2))), r"units\[1\]\.reads = .*; expected ascending heads"),
    (with_reads(0, ((0, 2, 2),)), r"units\[0\]\.reads = .*; expected channels of this layer"),
    (with_reads(0, ((0, -1, 2),)), r"units\[0\]\.reads = .*; expected channels of this layer"),
    (with_reads(0, ((0, 0, 1),)),
        r"A entries on layers\[0\]\.heads\[0\]\.channels\[0\] = \[1\]; expected some, .* and 2, the"),
    ({"period": 0}, r"period = 0; expected an integer >= 1"),
    ({"period": 2}, r"channels\[0\] = \(0, 1\); expected 4 entries"),
    (with_pattern(AttentionPattern(((1, 0), (0, 1, 0)))),
        r"heads\[1\]\.logits\[1\] = \(0, 1, 0\); expected 2 entries"),
    (with_pattern(AttentionPattern(((1, 0.5), (0, 0)))),
        r"heads\[1\]\.logits\[0\]\[1\] = 0\.5; expected an integer >= 0"),
    (with_pattern(AttentionPattern(((0, 0), (0, 0)))),
        r"heads\[1\] = .*; expected channels, and logits if there are any, that are not zero"),
    (with_pattern(AttentionPattern(phi=(1, 0))),
        r"heads\[1\]\.phi = \(1, 0\); expected no zero at the end"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), REFUSALS)
def test_refuses_one_broken_rule(changes, message):
    with pytest.raises(HypothesisFormatError, match=message):
        replace(NET, **changes)
