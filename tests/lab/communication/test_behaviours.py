"""Behaviours at the midpoint by joint reachability against all words."""

import itertools

import pytest

from idinf.lab.communication.study import count_behaviours, prove_growth
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.machine import accepts


def by_words(target, length: int, split: int) -> int:
    codes = range(len(target.alphabet))
    second = list(itertools.product(codes, repeat=length - split))
    return len(
        {tuple(accepts(target, u + v) for v in second) for u in itertools.product(codes, repeat=split)}
    )


@pytest.mark.thinned(8)
@pytest.mark.parametrize("name", ["dyck-1", "majority", "ge-2-3", "tomita-3", "d-2", "parity", "tomita-7"])
def test_against_all_words(name: str) -> None:
    target = build_target(load(name))
    for length in range(7):
        for split in range(length + 1):
            assert count_behaviours(target, length, split) == by_words(target, length, split)


def test_growth_is_what_the_machine_proves() -> None:
    assert prove_growth(build_target(load("majority"))).kind == "logarithmic"
    assert prove_growth(build_target(load("at-least-3-ones"))).kind == "constant"
    assert prove_growth(build_target(load("tomita-3"))).kind == "constant"
