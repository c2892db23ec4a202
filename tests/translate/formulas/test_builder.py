"""The size of formulas: units that a later unit looks at do not double its text each."""

from __future__ import annotations

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.translate.formulas.condition import iter_atoms
from idinf.translate.formulas.formula import MAX_SPLIT, write_formula


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
