"""A hypothesis beside a target, step by step, against the reference and the target's own machine."""

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.nets.one_hot import NextReads, OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.proofs.check.definition import TargetDefinition
from idinf.proofs.check.joint_steps import JointSteps
from idinf.proofs.check.target_steps import Unprovable
from idinf.proofs.check.word_check import WordCheck
from idinf.spec.spec import Answer
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise
from tests.proofs.check.followed import follow, random_hypothesis, spec_of

AB = Alphabet(("a", "b"))


def target_of(*lines):
    return supervise(build_target(spec_of(*lines)))


SPECS = {
    "regular": spec_of('regex = "(a|b)*ab*"'),
    "counting": spec_of('crasp = \'accept = # (# "a" <= # "b") >= 2 && # "a" <= # "b"\''),
    "domain": spec_of('regex = "a*b*"', 'domain = "a(a|b)*"'),
}


TARGETS = {name: supervise(build_target(spec)) for name, spec in SPECS.items()}


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", SPECS)
def test_steps_agree_where_the_answers_do(name):
    """Acceptance of every prefix as a word; where the domain leaves it out, nothing is asked."""
    target, done = TARGETS[name], 0
    for seed in range(9):
        net = random_hypothesis(seed).to_dense()
        words, known, places = WordCheck(TargetDefinition.of(SPECS[name])), {}, {}
        try:
            joint = JointSteps(net, target)
            for word in words_up_to(2, 3):
                *_, (place, counters, agree) = follow(joint, word, known)
                assert agree == (not words.is_wrong(net, word)), (seed, word)
                assert counters[:2] == (word.count(0), word.count(1))
                assert places.setdefault(place.name, place) == place
        except Unprovable:
            continue
        done += len(joint.names) > 2
    assert done >= 2


def test_next_symbols_agree_at_every_position():
    spec = spec_of('mode = "next"', 'regex = "(ab)*"')
    units = (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0), OneHotUnit((), (0, 1, 0), 0))
    layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), units)
    net = OneHotTransformer(AB, 0, (layer,), (1, 1), 0, reads=NextReads(Answer.SET, (-1, 1, 0))).to_dense()
    joint, words, known = (
        JointSteps(net, supervise(build_target(spec))),
        WordCheck(TargetDefinition.of(spec)),
        {},
    )
    for word in words_up_to(2, 5):
        agrees = [agree for *_, agree in follow(joint, word, known)]
        assert all(agrees) == (not words.is_wrong(net, word))


def test_next_symbols_count_only_before_words_of_the_domain():
    """After b no word of a* begins: what is named there does not matter."""
    target = target_of('mode = "next"', 'regex = "(a|b)*"', 'domain = "a*"')
    unit = OneHotUnit((), (1, 1, 0), 0)  # right after $ and a, nothing named after b
    reads = NextReads(Answer.SET, (0, 0, 0))
    net = OneHotTransformer(AB, 0, (OneHotLayer((), (unit,)),), (1,), 0, reads=reads).to_dense()
    joint = JointSteps(net, target)
    for word in words_up_to(2, 3):
        assert all(agree for *_, agree in follow(joint, word, {}))


def test_other_answers_than_asked_disagree():
    net = random_hypothesis(0).to_dense()
    joint = JointSteps(net, target_of('mode = "next"', 'regex = "(ab)*"'))
    assert joint.start[2].agree is False
