"""Relations agree with Python's own comparisons."""

from __future__ import annotations

import operator

import pytest

from idinf.crasp.syntax import Relation

PYTHON = {
    Relation.EQ: operator.eq,
    Relation.NE: operator.ne,
    Relation.LE: operator.le,
    Relation.LT: operator.lt,
    Relation.GE: operator.ge,
    Relation.GT: operator.gt,
}


@pytest.mark.parametrize("relation", list(Relation))
def test_holds(relation: Relation) -> None:
    for left in range(-2, 3):
        for right in range(-2, 3):
            assert relation.holds(left, right) is PYTHON[relation](left, right)
