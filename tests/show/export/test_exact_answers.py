"""Many words decided at once, beside the reference word by word."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.nets import reference
from tests.show.export import nets
from tests.show.export.agreement import sample_words
from tests.show.export.exact_answers import answer_words, runs_fast
from tests.show.export.prefix_answers import answer_by_prefixes


def by_reference(net, words):
    """What is said of each word, one after another."""
    runs = [reference.trace(net, tuple(word)) for word in words.tolist()]
    if net.output is None:
        return [run.accepted for run in runs]
    return [[[s in here for s in net.output.symbols] for here in run.next_symbols] for run in runs]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("path", nets.KNOWN, ids=lambda path: path.stem)
def test_shipped_hypotheses(path):
    net = nets.known(path)
    assert runs_fast(net, 512)
    for words in (nets.words_of(net, 0), sample_words(len(net.alphabet), 8)[:4]):
        expected = by_reference(net, words)
        assert answer_words(net, words).tolist() == expected
        assert answer_by_prefixes(net, words).tolist() == expected


@pytest.mark.thinned(20)
@pytest.mark.parametrize("seed", range(40))
def test_random_hypotheses(seed):
    """With φ, logit matrices, periods, precision: all words of a length, and few of its prefixes."""
    net = nets.of_family(seed)
    for words in (nets.words_of(net, 0), nets.words_of(net, 4), sample_words(2, 9)):
        expected = by_reference(net, words)
        assert answer_words(net, words).tolist() == expected
        assert answer_by_prefixes(net, words).tolist() == expected


@pytest.mark.thinned(15)
@pytest.mark.parametrize("seed", range(30))
def test_any_hypothesis(seed):
    net = nets.dense(seed)
    words = nets.words_of(net, 4)
    assert answer_words(net, words).tolist() == by_reference(net, words)


def test_weights_beyond_floats_are_left_to_fractions():
    """Logits up to 3 over words of length 512: products of two heads have more than 53 bits."""
    net = nets.of_family(9)
    assert answer_by_prefixes(net, nets.words_of(net, 5)) is not None
    assert answer_by_prefixes(net, np.zeros((1, 512), dtype=np.int64)) is None
    assert not runs_fast(net, 512)
    assert answer_by_prefixes(nets.dense(0), nets.words_of(nets.dense(0), 2)) is None
