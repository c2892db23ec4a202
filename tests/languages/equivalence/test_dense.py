"""Dense nets as step machines against the reference, word by word."""

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.languages.equivalence import dense
from idinf.languages.equivalence.dense import DenseMachine, is_uniform, runs_as_machine
from idinf.nets import reference
from idinf.nets.one_hot import NextReads, OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.spec.spec import END, Answer
from idinf.targets.machine import accepts, read_word
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


SET, SYMBOL = Answer.SET, Answer.SYMBOL
#: Whether 0 or 1 leads, as units 0 and 1: which one each of 0, 1 and the end reads; sign, threshold, kind.
READS = [
    ((0, 1, -1), 1, 0, SET), ((1, 0, 0), 1, 0, SET), ((1, 1, 0), -1, -1, SET), ((-1, 0, 1), -1, -1, SET),
    ((-1, 1, 0), 1, 0, SYMBOL), ((-1, 0, 1), 1, 0, SYMBOL), ((0, 1, -1), -1, 0, SYMBOL),
]  # fmt: skip


@pytest.mark.parametrize(("units", "sign", "threshold", "kind"), READS)
def test_next_symbols(units, sign, threshold, kind):
    both = tuple(OneHotUnit(((0, 0, factor),), (0, 0, 0), 0) for factor in (1, -1))
    layer, reads = OneHotLayer((OneHotHead(((0, 1, -1),)),), both), NextReads(kind, units)
    alphabet = Alphabet(("0", "1"))
    net = OneHotTransformer(alphabet, 0, (layer,), (sign,) * 2, threshold, reads=reads).to_dense()
    machine, met = DenseMachine(net), set()
    for word in words_up_to(2, 5):
        named = reference.name_next_symbols(net, word)
        met |= {*named}
        for place in range(len(word) + 1):
            labels = machine.labels(read_word(machine, word[:place]))
            assert labels.shape == (1, 3)
            said = zip((*alphabet.symbols, END), labels[0], strict=True)
            assert tuple(symbol for symbol, holds in said if holds) == named[place]
    assert len(met) > 1
