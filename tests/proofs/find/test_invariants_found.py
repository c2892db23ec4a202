"""Proofs that are found pass the check; wrong hypotheses are never proved."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import read_program
from idinf.languages.equivalence.one_layer import compare_one_layer
from idinf.nets import reference
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.proofs.check.invariant import check
from idinf.proofs.check.joint_steps import JointSteps
from idinf.proofs.check.target_steps import Unprovable
from idinf.proofs.find import finder
from idinf.proofs.find.finder import find_invariant, prove_equal
from idinf.report.value import PROOF, Proof
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from idinf.targets.supervised import supervise
from idinf.translate.compilation.compiler import compile_program
from tests.languages.equivalence.languages_by_words import (
    least_difference,
    program,
    random_one_layer,
    random_regex,
    regex,
)
from tests.proofs.check.followed import follow
from tests.proofs.check.small_reports import read
from tests.search.known_hypotheses import KNOWN, shipped
from tests.search.word_by_word import varied


def target_of(name):
    return supervise(build_target(load(name)))


def joint_of(net, name):
    return JointSteps(net.to_dense(), target_of(name))


def majority_net(b=0, values=(0, 1, -1)):
    """Not Σ values > 0, for majority right with these values."""
    unit = OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=b)
    layer = OneHotLayer((OneHotHead((values,)),), (unit,))
    return OneHotTransformer(Alphabet(("0", "1")), 0, (layer,), (-1,), -1)


NET = read("proved").proofs[0].hypothesis
QUICK = (0, 3, 6)
HYPOTHESES = {known.target: known.hypothesis for known in KNOWN} | {"dyck-1-next": shipped("dyck-1-next")}


def proved(joint):
    """A proof that passes the check as it is and after it was written and read."""
    found = find_invariant(joint)
    assert found is not None
    again = PROOF.read(PROOF.write(Proof(0.0, NET, found))).invariant
    assert check(found, joint) == check(again, joint)
    return found


@cache
def tomita_7():
    """A joint machine, and its proof."""
    joint = joint_of(HYPOTHESES["tomita-7"], "tomita-7")
    return joint, proved(joint)


def test_a_known_hypothesis():
    _, proof = tomita_7()
    assert sum(map(len, proof.claims.values())) < 40


def test_claims_hold_on_all_short_words():
    """The invariant is one: no word leads out of it."""
    joint, proof = tomita_7()
    joint = replace(joint, detail=proof.detail)
    known = {}
    for word in words_up_to(2, 9):
        *_, (place, counters, agrees) = follow(joint, word, known)
        assert agrees
        assert all(claim.holds(counters) for claim in proof.claims[place.name]), word


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=() if seed in QUICK else pytest.mark.slow) for seed in range(24)]
)
def test_wrong_hypotheses_are_never_proved(seed):
    """Each weight of a right one a step off, against all words up to a length."""
    rng = np.random.default_rng([41, seed])
    name = ("tomita-7", "contains-ab-abc", "d-2")[seed % 3]
    target, changed = target_of(name), HYPOTHESES[name]
    while True:
        changed = varied(rng, changed)
        try:
            found = find_invariant(JointSteps(changed.to_dense(), target))
        except Unprovable:  # φ can be changed to one that counters do not decide
            continue
        break
    words = words_up_to(len(target.alphabet), 7)
    if any(reference.accepts(changed.to_dense(), word) != accepts(target.machine, word) for word in words):
        assert found is None
    elif found is not None:
        check(found, JointSteps(changed.to_dense(), target))


def test_majority_one_off():
    target = target_of("majority")
    proved(JointSteps(majority_net().to_dense(), target))
    changed = ({"b": 1}, {"b": -1}, {"values": (1, 1, -1)}, {"values": (0, 2, -1)})
    for wrong in (majority_net(**one) for one in changed):
        assert find_invariant(JointSteps(wrong.to_dense(), target)) is None


def one_layer_pair(seed):
    """A program, and one layer that computes it or is a step off; whether they are equal."""
    rng = np.random.default_rng([42, seed])
    alphabet = Alphabet(("a", "b"))
    while True:
        program = read_program(random_one_layer(rng, "ab", bool(seed % 2)), alphabet)
        net = compile_program(program, alphabet)
        if len(net.layers) > 1 or net.num_units > 3:
            continue
        net = (varied(rng, net) if seed % 4 > 1 else net).to_dense()
        target = CountingTarget(program, alphabet)
        verdict = compare_one_layer(net, target)
        if verdict is not False:  # too many branches
            return net, target, verdict


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(6))
def test_one_layer_against_a_program_is_decided(seed):
    net, target, verdict = one_layer_pair(seed)
    joint = JointSteps(net, supervise(target))
    found = find_invariant(joint)
    assert (found is not None) == (verdict is True)
    if found is not None:
        check(found, joint)
    assert (least_difference(net, target, 7) is None) or found is None


def test_limits(monkeypatch):
    joint = joint_of(HYPOTHESES["tomita-7"], "tomita-7")
    monkeypatch.setattr(finder, "MAX_ALL_GOALS", 10)
    assert find_invariant(joint) is None
    monkeypatch.undo()
    beats = []

    def beat():
        beats.append(1)
        if len(beats) == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_invariant(joint, beat)


def test_automata_as_the_automata_say():
    rng = np.random.default_rng(5)
    languages = [regex(random_regex(rng, "ab")) for _ in range(8)]
    for one, other in itertools.combinations(languages, 2):
        assert prove_equal(one, other) == (least_difference(one, other, 7) is None)


OTHER = 'd = # "a" + 1 < # "b"  accept = # d == 0 && # "a" == # "b"'


SAME = [
    'd = # "a" < # "b"  accept = # d == 0 && # "a" == # "b"',
    'accept = # (# "a" + 1 <= # "b") < 1 && # "a" + # "b" == 2 * # "a"',
]


def test_programs_of_two_layers():
    one, two, other = map(program, [*SAME, OTHER])
    assert prove_equal(one, two)
    assert prove_equal(two, one)
    assert least_difference(one, other, 4) is not None
    assert not prove_equal(one, other)
