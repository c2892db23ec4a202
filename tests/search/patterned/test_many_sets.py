"""Judging many sets of lower layers at once leaves what judging them one by one leaves."""

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.nets.attention import Attention
from idinf.nets.regularizer import Aggregate
from idinf.search.patterned import top
from idinf.search.patterned.shapes import PatternedShapes
from idinf.search.patterned.top import TopPatterns
from idinf.space.structures import StructureSpace
from idinf.spec.bounds import SpaceBounds
from idinf.targets.regular import RegularTarget

#: Regex, R, length of the words that count, units of the last layer with a head.
CASES = [("(a|ba)*b?", 9.9, 3, 1), ("(ab)*", 9.9, 4, 1), ("(a|ba)*b?", 10.2, 4, 2), ("(ab)*", 10.1, 4, 2)]


def left(regex, high, consistent, units):
    """What is left of every shape that is judged and has so many last units."""
    target = RegularTarget.from_regex(regex, Alphabet(("a", "b")))
    judge = PatternedShapes(target, SpaceBounds(), lambda _: None)
    found = {}
    for floor, shape in StructureSpace(SpaceBounds(), Aggregate.MAX, 2).shapes(high):
        if shape.layers[-1].units == units and judge.judges(shape, high - floor):
            for attention in Attention:
                found[shape, attention] = {x for x, _ in judge.left(shape, attention, high, consistent)}
    return found


def one_by_one(_, stacks, least, pairs, cost):
    return np.ones(len(pairs), dtype=np.bool_)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_many_sets_are_judged_as_one_by_one(case, monkeypatch):
    have = left(*case)
    assert len(have) > 8
    monkeypatch.setattr(TopPatterns, "_left_together", one_by_one)
    assert left(*case) == have


@pytest.mark.thinned(2)
@pytest.mark.parametrize("case", [("a(a|b)*b", 9.9, 2, 2), CASES[0]], ids=str)
def test_too_little_room_is_noticed(case, monkeypatch):
    """A planted fault: what a set pays is counted twice."""
    whole = top.Judge.__init__

    def poorer(self, top, stacks, pairs, base):
        whole(self, top, stacks, pairs, base + 0.25)

    have = left(*case)
    assert any(have.values())
    monkeypatch.setattr(top.Judge, "__init__", poorer)
    assert left(*case) != have
