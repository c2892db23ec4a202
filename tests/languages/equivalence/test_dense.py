"""Dense nets as step machines against the reference, word by word."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.base.words import words_up_to
from idinf.languages.equivalence import dense
from idinf.languages.equivalence.dense import DenseMachine, is_uniform, runs_as_machine
from idinf.nets import reference
from idinf.targets.machine import accepts
from tests.languages.equivalence.languages_by_words import random_dense


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(12))
def test_uniform_nets_with_relu_units(seed):
    rng = np.random.default_rng([31, seed])
    size = int(rng.integers(1, 3))
    net = random_dense(rng, size, int(rng.integers(1, 4)), int(rng.integers(0, 3)))
    assert runs_as_machine(net)
    assert is_uniform(net)
    machine = DenseMachine(net)
    for word in words_up_to(size, 6 if size == 1 else 4):
        assert accepts(machine, word) == reference.accepts(net, word), word


def test_random_nets_are_no_trivial_languages():
    rng = np.random.default_rng(32)
    nets = [random_dense(rng, 2) for _ in range(8)]
    answers = [{accepts(DenseMachine(net), word) for word in words_up_to(2, 3)} for net in nets]
    assert sum(len(found) == 2 for found in answers) > 2


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(6))
def test_local_nets_are_made_for_one_length(seed):
    rng = np.random.default_rng([33, seed])
    net = random_dense(rng, 1, 2, 1, phi=True)
    for word in words_up_to(1, 6):
        assert accepts(DenseMachine(net, len(word) + 1), word) == reference.accepts(net, word), word


def test_numbers_of_any_size(monkeypatch):
    """Without a bound for int64, every product is one of Python's integers."""
    rng = np.random.default_rng(34)
    net = random_dense(rng, 2, 3)
    wanted = [reference.accepts(net, word) for word in words_up_to(2, 3)]
    monkeypatch.setattr(dense, "EXACT", 1 << 20)
    assert [accepts(DenseMachine(net), word) for word in words_up_to(2, 3)] == wanted
