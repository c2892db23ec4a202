"""Hypotheses that are known to be right: what they cost, and that they answer as their targets do."""

import itertools

import numpy as np
import pytest

from idinf.base.words import words_up_to
from idinf.nets import json_format
from idinf.nets.reference import accepts, name_next_symbols
from idinf.nets.regularizer import EPSILON, compute_r_terms
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import fail_lengths
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.drawing import UniformWords, make_near_miss
from idinf.targets.machine import accepts as target_accepts
from tests.asked_for import few
from tests.search.known_hypotheses import KNOWN, SHIPPED, Known

LONGEST = 24


@pytest.mark.thinned(5)
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.target)
def test_known_hypotheses_are_right_and_cost_what_they_say(known: Known) -> None:
    target, dense = build_target(load(known.target)), known.hypothesis.to_dense()
    assert compute_r_terms(dense).total == pytest.approx(known.r, abs=EPSILON)
    size, rng = len(target.alphabet), np.random.default_rng(5)
    words = list(words_up_to(size, {1: 40, 2: 6, 3: 4, 4: 3, 5: 3}[size]))
    members = UniformWords(target, target.labels, LONGEST)
    for length in rng.integers(1, LONGEST + 1, size=few(15, 60)).tolist():
        words.append(tuple(rng.integers(size, size=length).tolist()))
        if members.count(length):
            word = tuple(members.draw(length, 1, rng)[0].tolist())
            near = make_near_miss(word, size, rng)
            words += [word, near, make_near_miss(near, size, rng)]
    assert [word for word in words if accepts(dense, word) != target_accepts(target, word)] == []


@pytest.mark.slow
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.target)
def test_known_hypotheses_are_right_on_all_words_up_to_the_length_they_state(known: Known) -> None:
    target = build_target(load(known.target))
    assert fail_lengths(target, nets_of(known.hypothesis), 128, 8_000_000).tolist() == [-1]


#: R that an earlier study reached for the targets whose specs name an upper bound.
REACHED = {
    "aa-bb-cc": 12.030,
    "aa-bb-cc-dd-ee": 14.780,
    "ab-d-bc": 11.121,
    "abab-star": 15.189,
    "anbncn": 11.618,
    "contains-ab-abc": 11.091,
    "d-12": 12.225,
    "d-4": 11.441,
    "tomita-4": 12.450,
}


def test_known_hypotheses_of_open_specs_reach_what_was_reached_before() -> None:
    assert {known.target: known.r for known in KNOWN if load(known.target).upper}.keys() == REACHED.keys()
    assert all(known.r <= REACHED[known.target] for known in KNOWN if known.target in REACHED)


def test_the_shipped_hypothesis_about_next_symbols_sorts_all_short_words() -> None:
    net = json_format.loads((SHIPPED / "sort-next.json").read_text("utf-8"))
    assert compute_r_terms(net).total == pytest.approx(14.386665774, abs=1e-9)
    for length in range(6):
        for bits in itertools.product((0, 1), repeat=length):
            named = name_next_symbols(net, (*bits, 2, *sorted(bits)))[length + 1 :]
            assert named == (*((str(bit),) for bit in sorted(bits)), ("$",))
