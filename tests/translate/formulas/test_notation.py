"""The text of conditions, one line for each way of writing."""

import pytest

from idinf.base.words import Alphabet
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
    read_average,
    reduce_inequality,
)
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
