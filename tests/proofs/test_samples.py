"""What short words reach, against running every word by itself."""

from __future__ import annotations

import pytest

from idinf.proofs import samples
from idinf.proofs.samples import draw_sample
from idinf.verification.joint_steps import JointSteps
from idinf.words import words_up_to
from tests.proofs.joint_runs import joint_of, majority_net, run
from tests.search.known_hypotheses import KNOWN

D_3 = next(known.hypothesis for known in KNOWN if known.target == "d-3")


@pytest.mark.thinned(6)
@pytest.mark.parametrize("detail", [0, 1, 2])
@pytest.mark.parametrize(("net", "name"), [(D_3, "d-3"), (majority_net(), "majority")])
def test_all_words(net, name, detail):
    joint = JointSteps(net.to_dense(), joint_of(net, name).target, detail)
    reached, expected, early = draw_sample(joint, 8), {}, {}
    for word in words_up_to(2, 8):
        place, counters, agrees = run(joint, word)
        assert agrees
        expected.setdefault(place, set()).add(counters)
        if len(word) <= 4:
            early.setdefault(place, set()).add(counters)
    assert {place: set(map(tuple, rows.tolist())) for place, rows in reached.counters.items()} == expected
    for place, rows in early.items():
        assert set(map(tuple, reached.counters[place][: reached.early[place]].tolist())) == rows
    assert not reached.differs
    assert set(reached.steps) == set(expected)
    assert all(step.to in expected for _, step in reached.taken)


def test_a_difference_is_seen():
    wrong = joint_of(majority_net(b=-1), "majority")
    assert not draw_sample(wrong, 0).differs
    shortest = next(w for w in words_up_to(2, 8) if not run(wrong, w)[2])
    assert not draw_sample(wrong, len(shortest) - 1).differs
    assert draw_sample(wrong, len(shortest)).differs


def test_few_vectors_are_kept_and_all_of_them_are_reached(monkeypatch):
    monkeypatch.setattr(samples, "KEPT", 3)
    joint = joint_of(majority_net(), "majority")
    reached = draw_sample(joint, 8)
    words = {run(joint, word)[1] for word in words_up_to(2, 8)}
    [rows] = reached.counters.values()
    found = set(map(tuple, rows.tolist()))
    assert found < words
    assert {(8, 0), (0, 8)} <= found  # extreme ones stay
