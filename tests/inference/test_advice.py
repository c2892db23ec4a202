"""What a run that ended open is told, and what a language is known to need."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.inference.needs import Needs, find_needs, synthesize_hypothesis
from idinf.nets.reference import accepts as reference_accepts
from idinf.nets.regularizer import Aggregate
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget


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
    assert needs_of(name) == Needs(is_outside, is_beyond_counts)


@pytest.mark.parametrize("name", ["contains-ab", "tomita-7", "aaaa-star"])
def test_a_synthesized_hypothesis_is_right(name):
    target = build_target(load(name))
    hypothesis = synthesize_hypothesis(target, 1, Aggregate.MAX, 3000)
    net = hypothesis.to_dense()
    for word in words_up_to(len(target.alphabet), 6):
        assert reference_accepts(net, word) == accepts(target, word)
    assert synthesize_hypothesis(build_target(load("parity")), 1, Aggregate.MAX, 3000) is None


class _Enough(Exception):
    """What a limit raises here."""


@dataclass
class _Counted:
    """Steps of work as they are counted; so many looks at the clock at most."""

    looks: float = math.inf
    steps: list[int] = field(default_factory=list)

    def __call__(self, work: int) -> None:
        self.steps.append(work)
        if len(self.steps) > self.looks:
            raise _Enough


def test_the_work_of_a_synthesized_hypothesis_is_counted_and_bounded():
    """Two a's, then two b's, then two c's: seconds, with all the work that a command allows."""
    target = RegularTarget.from_regex(".*a.*a.*b.*b.*c.*c.*", Alphabet(("a", "b", "c")))
    for steps in (40, 400):
        counted = _Counted()
        synthesize_hypothesis(target, 0, Aggregate.MAX, steps, counted)
        assert max(counted.steps) <= 40  # milliseconds between two looks at the clock
        assert sum(counted.steps) <= steps + 3 * 40  # the last of each kind may go beyond
    for looks in (0, 1, 5, 50, len(counted.steps) - 1):
        with pytest.raises(_Enough):
            synthesize_hypothesis(target, 0, Aggregate.MAX, 400, _Counted(looks))
