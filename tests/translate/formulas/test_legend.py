"""The legend explains what occurs and nothing else."""

from __future__ import annotations

import pytest

from idinf.base.words import Alphabet
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.translate.formulas.formula import write_formula
from idinf.translate.formulas.legend import describe_structure, list_legend

AB = Alphabet(("a", "b"))


def one_layer(values, pattern=UNIFORM, precision=0, period=1):
    features = 3 + (period if period > 1 else 0)
    unit = OneHotUnit(((0, 0, 1 << precision),), (0,) * features, 0)
    layer = OneHotLayer((OneHotHead((values,), pattern),), (unit,))
    return OneHotTransformer(AB, precision, (layer,), (1,), 0, period)


@pytest.mark.parametrize(
    ("hypothesis", "beginnings"),
    [
        (one_layer((0, 1, -1)), []),
        (one_layer((0, 1, 0, 0, -1), period=2), ["i is the length", "#(i ...) counts"]),
        (one_layer((0, 2, -1), AttentionPattern(phi=(0, 1))), ["avg(x) is", "avg[...] weighs"]),
        (
            one_layer((0, 2, -1), AttentionPattern(phi=(0, 1)), precision=1),
            ["avg(x) is", "avg[...] weighs", "p=k there"],
        ),
    ],
)
def test_lines(hypothesis, beginnings) -> None:
    lines = list_legend([write_formula(hypothesis)])
    assert len(lines) == len(beginnings), (lines, str(write_formula(hypothesis)))
    assert all(line.startswith(start) for line, start in zip(lines, beginnings, strict=True))


def test_structure_names_heads_units_and_bounds_of_every_layer() -> None:
    local = AttentionPattern(phi=(0, 0, 1))
    low = OneHotLayer(
        (OneHotHead(((0, 1, 0),)), OneHotHead(((0, 0, 1),), local)),
        (OneHotUnit(((0, 0, 2), (1, 0, 2)), (0, 0, 0), 0),),
    )
    top = OneHotLayer((), (OneHotUnit((), (0, 0, 0, 1), 0), OneHotUnit((), (0, 1, 0, 0), 0)))
    hypothesis = OneHotTransformer(AB, 1, (low, top), (1, -1), 0)
    assert (
        describe_structure(hypothesis) == "2 layers; heads 2 + 0; units 1 + 2; precision 1, period 1, reach 2"
    )
