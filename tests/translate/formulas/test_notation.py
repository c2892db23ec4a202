"""The text of conditions, one line for each way of writing."""

from __future__ import annotations

import pytest

from idinf.base.words import Alphabet
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.translate.formulas.condition import (
    TRUE,
    UNWEIGHTED,
    AtLeastOf,
    BackIn,
    Cases,
    CountInequality,
    LengthIn,
    UnitHolds,
    Weighting,
    iter_atoms,
    read_average,
    reduce_inequality,
)
from idinf.translate.formulas.formula import MAX_SPLIT, write_formula
from idinf.translate.formulas.legend import describe_structure, list_legend
from idinf.translate.formulas.notation import Notation

LOCAL = Weighting(phi=(0, 1))
AB = Notation(Alphabet(("a", "b")))


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (TRUE, "true"),
        (reduce_inequality({0: -2, 1: 3}, 5), "2 #a - 3 #b <= 4"),
        (reduce_inequality({0: -1}, 1), "#a = 0"),
        (BackIn(0, (0,)), "last = a"),
        (
            AtLeastOf(2, (CountInequality(((0, -1), (1, 1)), 0), CountInequality(((0, 1), (1, -1)), 0))),
            "#a - #b = 0",
        ),
        (
            AtLeastOf(2, (CountInequality(((0, 1),), 2), CountInequality(((0, -1),), -5))),
            "#a >= 2 and #a <= 5",
        ),
        (LengthIn(4, (2,)), "i mod 4 = 2"),
        (read_average({LOCAL: {0: -2}}, -1), "avg[φ(1)=1](#a) < 1/2"),
        (
            read_average({UNWEIGHTED: {1: 1}, Weighting(1, ((0, 2), (2, 3)), precision=1): {0: 1}}, 1),
            "avg(#b) + avg[$=1/2, #a=1, #u1=3/2, p=1](#a) > 1",
        ),
        (
            Cases(((BackIn(0, (0,)), UnitHolds(0)),), AtLeastOf(1, (UnitHolds(0), UnitHolds(1)))),
            "{last = a: u1, else: u1 or u2}",
        ),
    ],
)
def test_text(condition, text) -> None:
    assert AB.condition(condition) == text


def test_symbols_that_look_like_the_notation_are_told_apart() -> None:
    odd = Notation(Alphabet(("u1", "last", "(", "u_2"), spaced=True))
    assert odd.unit(0) == "u__1"
    assert (
        odd.condition(reduce_inequality({0: 1, 1: 1, 2: -1, 4: -1}, 0)) == '#u1 + #"last" - #"(" - #u__1 > 0'
    )


# The legend explains what occurs and nothing else


LETTERS = Alphabet(("a", "b"))


def one_layer(values, pattern=UNIFORM, precision=0, period=1):
    features = 3 + (period if period > 1 else 0)
    unit = OneHotUnit(((0, 0, 1 << precision),), (0,) * features, 0)
    layer = OneHotLayer((OneHotHead((values,), pattern),), (unit,))
    return OneHotTransformer(LETTERS, precision, (layer,), (1,), 0, period)


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
    hypothesis = OneHotTransformer(LETTERS, 1, (low, top), (1, -1), 0)
    assert (
        describe_structure(hypothesis) == "2 layers; heads 2 + 0; units 1 + 2; precision 1, period 1, reach 2"
    )


# The size of formulas: units that a later unit looks at do not double its text each


def looking_at(units, content=False):
    """Units [k #a > #b] below one that looks at all of them, by s or by what its head asks for."""
    low = OneHotLayer(
        (OneHotHead(tuple((0, k, -1) for k in range(1, units + 1))),),
        tuple(OneHotUnit(((0, g, 1),), (0, 0, 0), 0) for g in range(units)),
    )
    M = [[0] * (3 + units) for _ in range(3 + units)]
    for unit in range(units):
        M[1 + unit % 2][3 + unit] = 1
    pattern = AttentionPattern(tuple(map(tuple, M)) if content else ())
    s = (0, 0, 0) + (0 if content else 1,) * units
    top = OneHotLayer((OneHotHead(((0, 1, -2) + (0,) * units,), pattern),), (OneHotUnit(((0, 0, 1),), s, 0),))
    return OneHotTransformer(Alphabet(("a", "b")), 0, (low, top), (1,), 0)


def test_few_units_are_told_apart_and_many_are_left_in_one_comparison() -> None:
    few, many = write_formula(looking_at(MAX_SPLIT)), write_formula(looking_at(MAX_SPLIT + 1))
    assert "avg" not in str(few)
    assert str(many).endswith("accept iff avg(#a - 2 #b) + u1 + u2 + u3 > 0")
    for units in range(1, 12):
        for content in (False, True):
            formula = write_formula(looking_at(units, content))
            assert len(formula.units) == units
            assert len(list(iter_atoms(formula.accept))) <= 3 * 2**MAX_SPLIT


def test_what_a_head_asks_of_many_units_is_written_in_its_weights() -> None:
    text = str(write_formula(looking_at(3, content=True)))
    assert text.endswith("accept iff avg[#a given u1=1, #b given u2=1, #a given u3=1](#a - 2 #b) > 0")
