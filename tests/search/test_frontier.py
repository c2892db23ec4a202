"""Blocks of N, bits of sets, and the bound on parameters."""

from __future__ import annotations

import numpy as np
import pytest
from random_nets import random_dfa
from word_by_word import random_family_net

from idinf.search import frontier
from idinf.search.frontier import Frontier, FrontierFull, blocks
from idinf.search.joint_layers import joint_layers
from idinf.search.nets import nets_of
from idinf.search.summaries import LinearForms


@pytest.mark.parametrize("horizon", [0, 1, 7, 8, 23, 24, 128, 400])
def test_blocks_cover_every_N_once(horizon):
    listed = [N for block in blocks(horizon) for N in block]
    assert listed == list(range(1, horizon + 2))
    assert max(map(len, blocks(horizon))) <= frontier.MAX_BLOCK


@pytest.mark.parametrize("width", [1, 7, 8, 9, 63, 64])
def test_flags_as_bits(width):
    flags = np.random.default_rng(width).random((20, width)) < 0.5
    want = [sum(1 << k for k in np.flatnonzero(row).tolist()) for row in flags]
    assert [int(x) for x in frontier._packed(flags)] == want


def made(kind, max_states=10**6):
    rng = np.random.default_rng(2)
    net = random_family_net(rng, 2, (1, 1), 1, 1, kinds=(kind,))
    space, lower, readouts = joint_layers([nets_of(net)])
    summary = LinearForms(space, [*lower, readouts[0].layer])
    return Frontier(space, lower, readouts, summary, random_dfa(rng, 2, 3), max_states)


@pytest.mark.parametrize("kind", ["uniform", "phi"])
def test_every_length_is_yielded_once(kind):
    run = made(kind)
    assert run.depends_on_N == (kind == "phi")
    passes = [None] if kind == "uniform" else blocks(20)
    lengths = [step.length for block in passes for step in run.steps(20, block)]
    assert lengths == list(range(21))


def test_a_full_frontier_says_where():
    with pytest.raises(FrontierFull) as full:
        list(made("uniform", max_states=2).steps(20, None))
    assert full.value.states > 2
    assert full.value.length >= 1
