"""Blocks of N, and summaries that wait while others arrive."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.errors import StatesExceeded
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.search.exact_check import reachability as arrivals
from idinf.search.exact_check.merging import CheckSizes
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import blocks, fail_lengths
from idinf.targets.machine import Target
from tests.search.exact_check.counterexamples import least_counterexample


@pytest.mark.parametrize("horizon", [0, 1, 7, 8, 23, 24, 128, 400])
def test_blocks_cover_every_N_once(horizon):
    listed = [N for block in blocks(horizon) for N in block]
    assert listed == list(range(1, horizon + 2))
    assert max(map(len, blocks(horizon))) <= arrivals.MAX_BLOCK


class OneLetterWord(Target):
    """#1 ≥ #0, but for one word of equal symbols."""

    alphabet = Alphabet(("0", "1"))

    def __init__(self, symbol, length):
        self.wrong = (-length, length)[symbol]

    def start(self):
        return np.zeros((1, 2), dtype=np.int64)

    def step(self, states, symbol):
        return states + np.array([-1 + 2 * symbol, 1])

    def labels(self, states):
        return (states[:, 0] >= 0) ^ ((states[:, 0] == self.wrong) & (states[:, 1] == abs(self.wrong)))


@pytest.mark.thinned(8)
@pytest.mark.parametrize(("chunk", "waiting"), [(1, 4), (1, 1 << 18), (2, 0), (5, 1 << 18)])
@pytest.mark.parametrize("symbol", [0, 1])
def test_no_summary_is_lost_while_arrivals_wait(chunk, waiting, symbol):
    """More arrivals wait than the bound allows, but the merged ones fit: n + 1 of them at length n."""
    sizes = CheckSizes(chunk=chunk, waiting=waiting)
    head = OneHotHead(((0, 1, -1),))
    layer = OneHotLayer((head,), (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0),))
    net = nets_of(OneHotTransformer(OneLetterWord.alphabet, 0, (layer,), (-1,), -1))
    target, word = OneLetterWord(symbol, 9), (symbol,) * 9
    for max_states in range(7, 14):
        if max_states >= 9:
            assert fail_lengths(target, net, 12, max_states, sizes=sizes).tolist() == [9]
            assert least_counterexample(target, net, 12, max_states, sizes=sizes) == word
        else:
            with pytest.raises(StatesExceeded) as error:
                fail_lengths(target, net, 12, max_states, sizes=sizes)
            assert error.value.exact_to == max_states
