"""Equality that is proved is equality on all short words; and what differs there is never proved equal."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from idinf.nets.json_format import loads
from idinf.proofs.find.finder import prove_equal
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from tests.languages.equivalence.languages_by_words import least_difference, program, random_regex, regex
from tests.test_architecture import ROOT

#: Programs that agree on all words, of two layers each; the last one differs first on abba.
SAME = [
    'd = # "a" < # "b"  accept = # d == 0 && # "a" == # "b"',
    'accept = # (# "a" + 1 <= # "b") < 1 && # "a" + # "b" == 2 * # "a"',
]
OTHER = 'd = # "a" + 1 < # "b"  accept = # d == 0 && # "a" == # "b"'


def test_programs_of_two_layers():
    one, two, other = map(program, [*SAME, OTHER])
    assert prove_equal(one, two)
    assert prove_equal(two, one)
    assert least_difference(one, other, 4) is not None
    assert not prove_equal(one, other)


def test_automata_as_the_automata_say():
    rng = np.random.default_rng(5)
    languages = [regex(random_regex(rng, "ab")) for _ in range(8)]
    for one, other in itertools.combinations(languages, 2):
        assert prove_equal(one, other) == (least_difference(one, other, 7) is None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["d-12", "anbncn"])
def test_a_known_hypothesis_in_either_place(name):
    net = loads((ROOT / "specs" / "known" / f"{name}.json").read_text("utf-8"))
    target = build_target(load(name))
    assert prove_equal(net, target) == prove_equal(target, net)
    assert prove_equal(net, net)
