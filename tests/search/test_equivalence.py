"""A hypothesis as a target, and agreement of hypotheses, against words one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from random_nets import answers, random_net

from idinf.search.equivalence import NetTarget, agree, nets_of
from idinf.targets.machine import accepts
from idinf.transformers.gated import GatedTransformer
from idinf.transformers.reference import accepts as reference_accepts


@pytest.mark.parametrize(("size", "widths"), [(1, (1, 1)), (2, (2,)), (2, (2, 1)), (3, (1,)), (2, (1, 2, 2))])
def test_labels_are_those_of_the_reference(size, widths):
    rng = np.random.default_rng([3, size, *widths])
    for _ in range(3):
        net = random_net(rng, size, widths, int(rng.integers(0, 3)))
        target = NetTarget(net.alphabet, nets_of(net))
        dense = net.to_dense()
        for word, answer in answers(net, 4 if size < 3 else 3).items():
            assert accepts(target, word) == answer == reference_accepts(dense, word)


def test_states_are_stepped_side_by_side():
    rng = np.random.default_rng(1)
    net = random_net(rng, 2, (2, 1), 1)
    target = NetTarget(net.alphabet, nets_of(net))
    states, words = target.start(), [()]
    for _ in range(5):
        states = np.concatenate([target.step(states, 0), target.step(states, 1)])
        words = [(*w, 0) for w in words] + [(*w, 1) for w in words]
    known = answers(net, 5)
    assert target.labels(states).tolist() == [known[w] for w in words]
    assert target.step(states[:0], 1).shape == (0, states.shape[1])


def test_agreement():
    rng = np.random.default_rng(2)
    verdicts = set()
    for _ in range(60):
        one, other = (random_net(rng, 2, widths, 0) for widths in ((1,), (1, 1)))
        known, others = answers(one, 4), answers(other, 4)
        want = known == others
        assert agree(one, other, 4) == agree(other, one, 4) == want
        verdicts.add(want)
    assert verdicts == {True, False}


def test_agreement_ends_at_the_horizon():
    """Two nets that differ first at length 3, found among random ones."""
    rng = np.random.default_rng(4)
    for _ in range(2000):
        one, other = (random_net(rng, 1, (1, 1), 0) for _ in range(2))
        known, others = answers(one, 3), answers(other, 3)
        wrong = [len(w) for w in known if known[w] != others[w]]
        if wrong and wrong[0] == 3:
            assert agree(one, other, 2)
            assert not agree(one, other, 3)
            return
    pytest.fail("no such pair")


def test_complement_reading_is_the_complement():
    rng = np.random.default_rng(8)
    net = random_net(rng, 2, (1, 1), 1)
    sign = -net.signs[0]
    other = GatedTransformer(net.alphabet, 1, net.layers, (sign,), -1 if sign < 0 else 0)
    assert [not a for a in answers(net, 4).values()] == list(answers(other, 4).values())
    assert not agree(net, other, 0)
