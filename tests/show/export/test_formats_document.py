"""The forward pass as docs/formats.md tells it, done literally by somebody else, beside the reference."""

import json
from fractions import Fraction
from math import floor

import pytest

from idinf.base.words import words_up_to
from idinf.nets import json_format, reference
from tests.show.export import nets, plain_evaluator


def said(net, word):
    if net.output is None:
        return reference.accepts(net, word)
    return [list(named) for named in reference.name_next_symbols(net, word)]


def differs(net, word):
    content = json.loads(json_format.dumps(net))
    symbols = [net.alphabet.symbols[code] for code in word]
    return plain_evaluator.evaluate(content, symbols) != said(net, word)


def compare(net, length):
    assert [word for word in words_up_to(len(net.alphabet), length) if differs(net, word)] == []


@pytest.mark.slow
@pytest.mark.thinned(2)
@pytest.mark.parametrize("path", nets.KNOWN, ids=lambda path: path.stem)
def test_the_document_is_enough_for_shipped_hypotheses(path):
    net = nets.known(path)
    compare(net, 3 if len(net.alphabet) < 3 else 2)


@pytest.mark.thinned(10)
@pytest.mark.parametrize("seed", range(40))
def test_the_document_is_enough_for_the_family(seed):
    compare(nets.of_family(seed), 3)


@pytest.mark.thinned(12)
@pytest.mark.parametrize("seed", range(60))
def test_the_document_is_enough_for_any_hypothesis(seed):
    compare(nets.dense(seed), 3)


def test_all_that_the_document_speaks_of_is_met():
    """The random hypotheses have every construct, and both answers of each kind."""
    drawn = [nets.dense(seed) for seed in range(60)]
    kinds = {"accept" if net.output is None else net.output.kind.value for net in drawn}
    heads = [head for net in drawn for layer in net.layers for head in layer.heads]
    assert kinds == {"accept", "set", "symbol"}
    assert {net.period for net in drawn} == {1, 2}
    assert {net.precision for net in drawn} == {0, 1, 2}
    assert any(head.has_logits for head in heads)
    assert any(x < 0 for head in heads for x in head.phi)
    assert any(not layer.heads for net in drawn for layer in net.layers)
    weights = {w for net in drawn for w in weights_of(net)}
    assert {0, 1} < weights
    assert any(w.denominator == 4 for w in weights)


def weights_of(net):
    run = reference.trace(net, (0, 1, 1))
    return {w for layer in run.layers for head in layer.heads for row in head.weights for w in row}


def test_a_misreading_is_noticed(monkeypatch):
    """Weights that are rounded half up instead of half to even: another hypothesis answers otherwise."""

    def half_up(N, a, p):
        return Fraction(floor(float(N) ** float(a) * 2**p + 0.5), 2**p)

    monkeypatch.setattr(plain_evaluator, "weight", half_up)
    drawn = [nets.dense(33), nets.dense(45)]  # weights that lie halfway
    assert any(differs(net, word) for net in drawn for word in words_up_to(2, 3))
