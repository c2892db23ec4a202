"""What a language is known to need."""

import pytest

from idinf.base.words import words_up_to
from idinf.inference.required_predicates import RequiredPredicates, find_needs, synthesize_hypothesis
from idinf.nets.reference import accepts as reference_accepts
from idinf.nets.regularizer import Aggregate
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.machine import accepts


def needs_of(name):
    spec = load(name)
    return find_needs(spec, build_target(spec))


@pytest.mark.parametrize(
    ("name", "is_outside", "is_beyond_counts"),
    [
        ("majority", False, False),
        ("contains-ab", False, False),
        ("contains-ab-abc", False, True),
        ("aaaa-star", False, True),
        ("parity", True, True),
    ],
)
def test_needs(name, is_outside, is_beyond_counts):
    assert needs_of(name) == RequiredPredicates(is_outside, is_beyond_counts)


@pytest.mark.parametrize("name", ["contains-ab", "tomita-7", "aaaa-star"])
def test_a_synthesized_hypothesis_is_right(name):
    target = build_target(load(name))
    hypothesis = synthesize_hypothesis(target, 1, Aggregate.MAX, 3000)
    net = hypothesis.to_dense()
    for word in words_up_to(len(target.alphabet), 6):
        assert reference_accepts(net, word) == accepts(target, word)
    assert synthesize_hypothesis(build_target(load("parity")), 1, Aggregate.MAX, 3000) is None
