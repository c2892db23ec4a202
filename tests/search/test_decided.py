"""Fail lengths by proofs, and remembered ones: the same as by words alone, whatever was asked before."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from idinf.inference import procedure
from idinf.inference.all_lengths import Prover
from idinf.search.decided import FailLengths, Refutation
from idinf.search.enumeration import Search
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import fail_lengths
from idinf.search.found import Mode
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from tests.asked_for import few
from tests.inference.test_procedure import answers_of
from tests.search.random_nets import random_net, random_target
from tests.small_runs import prepare
from tests.spaces import small_space

EARLY = {"flat": 1, "deep": 1, "failures": 10**6}

RUNS = {
    "majority": ({"layers": 1}, 6, 8.7),
    "dyck-1": ({"units": 1, "precision": 1}, 4, 9.9),
    "tomita-1": ({"layers": 1}, 5, 8.0),
    "parity": ({"layers": 1}, 4, 8.5),
    "aa-star": ({"layers": 1, "period": 2}, 4, 8.5),
}


def run(name, monkeypatch=None, **options):
    """A run in which all that is right on words of one letter is proved, or is not."""
    space, max_n, max_r = RUNS[name]
    if monkeypatch is not None:
        monkeypatch.setattr(procedure, "FailLengths", partial(FailLengths, **EARLY))
    bounds = small_space(max_r=max_r, **{"layers": 2, **space})
    return answers_of(prepare(build_target(load(name)), bounds, max_n, screening=1, **options).run())


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "dyck-1" else ()) for name in RUNS]
)
def test_proofs_change_no_answer(name, monkeypatch):
    want = run(name, mode=Mode(use_proofs=False))
    proved = []

    def counted(self, hypothesis, beat):
        proved.append(is_proved := Prover.find(self, hypothesis, beat) is not None)
        return is_proved

    monkeypatch.setattr(Prover, "proves", counted)
    assert run(name, monkeypatch) == want
    assert any(proved) or name == "parity"


def test_a_false_proof_is_noticed(monkeypatch):
    want = run("majority", mode=Mode(use_proofs=False))
    monkeypatch.setattr(Prover, "proves", lambda self, hypothesis, beat: True)
    assert run("majority", monkeypatch) != want


def written(nets):
    """Writes the hypothesis at a place."""
    return lambda place: nets[place]


def test_what_is_remembered_is_what_words_say():
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(few(1, 3)):
        target = random_target(rng, 1)
        nets = [random_net(rng, 1, widths, 0) for widths in ((1,), (2,), (1, 1)) for _ in range(4)]
        nets += [replace(net, signs=tuple(-sign for sign in net.signs)) for net in nets]
        decider = FailLengths(target)
        for horizon in (2, 3, 1, few(8, 12)):
            for place in rng.permutation(len(nets)).tolist():
                net = nets[place]
                want = fail_lengths(target, nets_of(net), horizon).tolist()
                assert decider.decide(nets_of(net), written([net]), horizon).tolist() == want
                seen |= {*want}
    assert {-1, 0, 1}.issubset(seen)
    assert max(seen) > 1


def listed(use):
    """What a slice of Dyck-1 holds, and how many hypotheses were decided exactly."""
    space = small_space(layers=2, units=1, precision=1, max_r=9.9)
    search = Search(build_target(load("dyck-1")), space, 16, screening=2)
    found = [
        (str(batch.structure), round(float(r), 9), int(fail), bits.tobytes())
        for batch in search.slice(9.0, 9.9, 7, Mode(use_refutation=use))
        for r, fail, bits in zip(batch.r, batch.fail, batch.outputs, strict=True)
    ]
    return sorted(found), search.counts.exact


def test_words_that_refuted_save_exact_checks_and_lose_nothing(monkeypatch):
    (found, less), (want, more) = map(listed, (True, False))
    assert found == want != []
    assert 4 * less < more
    right = Refutation.wrong
    monkeypatch.setattr(Refutation, "wrong", lambda self, batch: np.where(right(self, batch) < 0, 7, -1))
    assert listed(True)[0] != want  # a planted fault: what a word says is turned around
