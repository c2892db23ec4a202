"""Fail lengths by proofs, and remembered ones: the same as by words alone, whatever was asked before."""

import random
from dataclasses import replace
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest

from idinf.inference import procedure
from idinf.inference.all_lengths import Prover
from idinf.search import fail_lengths as module
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import fail_lengths
from idinf.search.fail_lengths import FailLengths
from idinf.search.slice_types import Mode
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from tests.asked_for import few
from tests.inference.test_procedure import answers_of
from tests.search.patterned.planted import Draw, answers, draw_net
from tests.search.random_nets import random_net, random_target
from tests.search.tiny_targets import by_word
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


def with_other_columns(seed):
    """A net of two layers whose last head has an M, and nets in which that differs in some entries."""
    rng, draw = random.Random(seed), Draw(((1, 1), (1, 1)), content=1.0, both=0.3, reach=1, rich=True)
    net = draw_net(rng, draw)
    while not net.layers[1].heads[0].pattern.logits:
        net = draw_net(rng, draw)
    nets, (below, layer) = [net], net.layers
    logits = list(map(list, layer.heads[0].pattern.logits))
    for _ in range(12):
        logits[rng.randrange(4)][rng.randrange(1, 4)] = rng.choice((0, 1, 2))
        if any(map(any, logits)):
            pattern = replace(layer.heads[0].pattern, logits=tuple(map(tuple, logits)))
            heads = (replace(layer.heads[0], pattern=pattern),)
            nets.append(replace(net, layers=(below, replace(layer, heads=heads))))
    return nets


def decided_class_by_class(seeds, length=4):
    """How many nets are decided otherwise than by words, and of how many right ones no word was looked at."""
    wrong = spared = 0
    for seed in seeds:
        nets = with_other_columns(seed)
        target = by_word(nets[0].alphabet, answers(nets[0], length).__getitem__)
        known = FailLengths(target)
        for net in nets:
            batch = nets_of(net)
            want = int(fail_lengths(target, batch, length)[0])
            with pytest.MonkeyPatch.context() as patch:
                by_words = Mock(side_effect=fail_lengths)
                patch.setattr(module, "fail_lengths", by_words)
                wrong += int(known.decide(batch, written([net]), length)[0]) != want
            spared += want < 0 and not by_words.called
    return wrong, spared


def test_nets_are_decided_class_by_class():
    wrong, spared = decided_class_by_class(range(few(3, 60)))
    assert wrong == 0
    assert spared > few(5, 60)


def test_a_column_that_is_forgotten_is_noticed(monkeypatch):
    """A planted fault: names of classes say nothing of M."""
    names = module.name_classes

    def blind(nets):
        shape = nets.structure.layers[-1]
        shape = replace(shape, heads=(replace(shape.heads[0], logits=((0,) * 4,) * 4),))
        return names(replace(nets, structure=replace(nets.structure, layers=(*nets.structure.hidden, shape))))

    monkeypatch.setattr(module, "name_classes", blind)
    assert any(decided_class_by_class((seed,))[0] for seed in range(8))
