"""Agreement of hypotheses against words one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.search.exact_check.merging import CheckSizes
from idinf.search.exact_check.reachability import agree
from tests.asked_for import few
from tests.search.random_nets import answers, random_net
from tests.search.word_by_word import all_answers, random_family_net, varied

MERGED_AT_ONCE = CheckSizes(saturated_from=-1, comparisons_per_summary=1 << 60)


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


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("size", "length"), [(1, 7), (2, 4), pytest.param(3, 3, marks=pytest.mark.slow)])
def test_nets_of_the_family_and_nets_one_step_away(size, length):
    """One number changed: most pairs agree on short words, and the first difference comes at any length."""
    rng = np.random.default_rng([6, size])
    first_lengths = set()
    for _ in range(5):
        widths = tuple(int(x) for x in rng.integers(1, 3, int(rng.integers(1, 4))))
        one = random_family_net(rng, size, widths, int(rng.integers(0, 3)), int(rng.integers(1, 4)))
        other = varied(rng, one)
        known, others = all_answers(one, length), all_answers(other, length)
        first = next((len(word) for word in known if known[word] != others[word]), length + 1)
        first_lengths.add(first)
        for horizon in {max(first - 1, 0), min(first, length)}:
            assert agree(one, other, horizon) == agree(other, one, horizon) == (horizon < first)
    assert len(first_lengths) > 1


def test_periods_precisions_and_depths_may_differ():
    """Two and three residues, p = 0 and 2: weights are rounded to each net's own precision."""
    rng = np.random.default_rng(12)
    verdicts = set()
    for _ in range(few(10, 30)):
        one = random_family_net(rng, 1, (1, 1), 0, 2)
        other = random_family_net(rng, 1, (1,), 2, 3)
        want = all_answers(one, 7) == all_answers(other, 7)
        assert agree(one, other, 7) == want
        verdicts.add(want)
    assert verdicts == {True, False}


@pytest.mark.thinned(16)
@pytest.mark.parametrize("seed", range(8))
def test_agreement_where_sums_are_merged(seed):
    """Two last layers in one pass, merged from the first length on: every horizon, and long words."""
    rng = np.random.default_rng([15, seed])
    size = int(rng.integers(1, 3))
    length, far = {1: (8, 40), 2: (5, 14)}[size]
    for _ in range(3):
        widths = tuple(int(x) for x in rng.integers(1, 3, int(rng.integers(1, 3))))
        kinds = ("uniform", "uniform", "phi") if rng.random() < 0.3 else ("uniform",)
        one = random_family_net(rng, size, widths, int(rng.integers(0, 2)), int(rng.integers(1, 4)), kinds)
        other = varied(rng, one)
        known, others = all_answers(one, length), all_answers(other, length)
        first = next((len(word) for word in known if known[word] != others[word]), length + 1)
        for horizon in range(length + 1):
            assert agree(one, other, horizon, sizes=MERGED_AT_ONCE) == (horizon < first)
        merged = agree(one, other, far, sizes=MERGED_AT_ONCE)
        assert agree(one, other, far, sizes=CheckSizes(saturated_from=10**9)) == merged
