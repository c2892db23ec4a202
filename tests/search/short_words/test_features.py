"""What units can read on every row, against averages in Fractions from the definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from idinf.errors import PrecisionError
from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.short_words import features as module
from idinf.search.short_words.features import FirstInputs, HeadWeights, Inputs, cleared
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.transformers.attention import UNIFORM, AttentionPattern
from idinf.words import words_up_to
from tests.search.random_features import average, drawn_inputs, drawn_pattern, weights_of
from tests.search.random_nets import random_target


def check(features, rows, heads, precision, of_row):
    """Every row has the averages of all heads over one positive denominator, and its own features."""
    assert len(features.scale) == len(rows)
    assert features.heads == len(heads)
    for k, (N, prefix) in enumerate(rows):
        own = of_row[N, prefix]
        assert features.last[k].tolist() == list(own)
        assert features.scale[k] > 0
        want = [x for pattern in heads for x in average(pattern, precision, of_row, N, prefix)]
        assert [Fraction(int(s), int(features.scale[k])) for s in features.sums[k]] == want


KINDS = [(), ("uniform",), ("phi",), ("M",), ("both",)]
PAIRS = [
    ("uniform", "uniform"),
    ("uniform", "phi"),
    ("phi", "phi"),
    ("M", "uniform"),
    ("phi", "M"),
    ("both", "both"),
]


@pytest.mark.thinned(15)
@pytest.mark.parametrize("deep", [False, True], ids=["words", "prefixes"])
@pytest.mark.parametrize("kinds", KINDS + PAIRS, ids="-".join)
@pytest.mark.parametrize(("size", "length", "period", "lower"), [(1, 6, 1, 1), (2, 3, 2, 1), (2, 3, 1, 2)])
def test_sums_over_scale_are_the_attended_averages(size, length, period, lower, kinds, deep):
    met = set()
    for precision in (0, 1, 2):
        rng = np.random.default_rng([size, length, period, lower, len(kinds), precision])
        inputs, words, of_row = drawn_inputs(rng, size, length, period, lower, deep)
        heads = tuple(drawn_pattern(rng, inputs.size, precision, kind) for kind in kinds)
        assert all(pattern.uniform == (kind == "uniform") for pattern, kind in zip(heads, kinds, strict=True))
        check(inputs.top(heads, precision), [(len(w) + 1, w) for w in words], heads, precision, of_row)
        grown, features = inputs.hidden(heads, precision)
        met.add(grown.deep)
        tree = grown.tree
        rows = [(int(N), words[k]) for N, k in zip(tree.total, tree.word, strict=True)]
        check(features, rows, heads, precision, of_row)
        assert np.array_equal(grown.counts, tree.accumulate(grown.last))
        assert features.rows[0][features.rows[1]].shape == features.scale.shape
    # Uniform heads leave rows that serve every N; any other head needs one row for every N.
    assert met == {deep or bool(set(kinds) - {"uniform"})}


def test_first_features_are_tokens_and_residues():
    rng = np.random.default_rng(0)
    for size, length, period in [(1, 7, 1), (2, 4, 3), (3, 3, 4)]:
        short = ShortWords.of(random_target(rng, size), length)
        inputs = Inputs.first(short, period)
        assert inputs.size == size + 1 + (period if period > 1 else 0)
        for k, word in enumerate(words_up_to(size, length)):
            tokens = [0, *(code + 1 for code in word)]
            residues = [i % period for i in range(len(tokens))] if period > 1 else []
            listed = [(tokens, t) for t in range(size + 1)] + [(residues, r) for r in range(period)]
            listed = listed[: inputs.size]
            assert inputs.counts[:, k].tolist() == [series.count(x) for series, x in listed]
            assert inputs.last[:, k].tolist() == [int(series[-1] == x) for series, x in listed]


@pytest.mark.parametrize("most", [1, 2, 64])
def test_what_is_remembered_is_what_is_read_anew(most, monkeypatch):
    monkeypatch.setattr(module, "MOST_REMEMBERED", most)
    target, known = random_target(np.random.default_rng(2), 2), FirstInputs()
    local = AttentionPattern((), (1, 0)), AttentionPattern((), (1, 1))
    for length, period in ((3, 1), (3, 2), (4, 1)):
        short = ShortWords.of(target, length)
        for pattern, precision in ((p, k) for p in (*local, UNIFORM, *local) for k in (0, 1)):
            kept, heads = known.of(short, period).under((pattern,)), (pattern,)
            anew = Inputs.first(short, period).under(heads)
            pairs = [(kept.everywhere(heads, precision), anew.everywhere(heads, precision))]
            last = LastLayerInputs.of(kept, heads, precision)
            pairs.append((last.features, LastLayerInputs(anew, heads, precision).features))
            for one, other in pairs:
                assert np.array_equal(one.sums, other.sums)
                assert np.array_equal(one.last, other.last)
                assert np.array_equal(one.scale, other.scale)
            if most == 64:
                assert LastLayerInputs.of(known.of(short, period).under(heads), heads, precision) is last


@pytest.mark.parametrize("kind", ["uniform", "phi", "M", "both"])
def test_weights_of_a_head_near_and_far(kind):
    rng = np.random.default_rng(3)
    inputs, words, of_row = drawn_inputs(rng, 2, 4, 1, 1, deep=True)
    pattern = drawn_pattern(rng, inputs.size, 1, kind)
    rows = np.sort(rng.choice(len(inputs.tree), 40, replace=False))
    (weights,) = inputs.weights((pattern,), 1, rows)
    assert isinstance(weights, HeadWeights)
    bits = rng.random((3, 2, len(inputs.tree))) < 0.5
    sums = weights.sums(bits.astype(np.int64), inputs.tree.accumulate(bits))
    tree = inputs.tree
    place = {(int(N), words[k]): r for r, (N, k) in enumerate(zip(tree.total, tree.word, strict=True))}
    for k, row in enumerate(rows):
        N, prefix = int(inputs.tree.total[row]), words[inputs.tree.word[row]]
        want = weights_of(pattern, 1, of_row, N, prefix)
        if pattern.uniform:
            want = [1] * len(want)
        have = [
            int(weights.far[k]) + (int(weights.near[d, k]) if d < len(weights.near) else 0)
            for d in range(len(prefix), -1, -1)
        ]
        assert have == want
        assert weights.total[k] == sum(want)
        assert not weights.near[len(prefix) + 1 :, k].any()
        keys = [place[N, prefix[:j]] for j in range(len(prefix) + 1)]
        assert sums[..., k].tolist() == (bits[..., keys] * np.array(want)).sum(axis=-1).tolist()


def test_equal_denominators_count_once():
    rng = np.random.default_rng(4)
    inputs, _, _ = drawn_inputs(rng, 2, 3, 1, 1, deep=False)
    local = AttentionPattern(phi=(0, 1))
    one = inputs.top((local,), 0)
    twice = inputs.top((local, local), 0)
    assert twice.scale.tolist() == one.scale.tolist()
    assert twice.sums.tolist() == np.concatenate([one.sums, one.sums], axis=1).tolist()
    mixed = inputs.top((UNIFORM, local), 0)
    assert mixed.scale.tolist() == (one.scale * (inputs.tree.lengths + 1)).tolist()
    assert cleared((), [], 3)[0].tolist() == [1, 1, 1]


def test_weights_beyond_exact_floats_are_refused():
    """On words of length 1, where N = 2 and weights are powers of two."""
    short = ShortWords.of(random_target(np.random.default_rng(5), 1), 1)
    inputs = Inputs.first(short, 1)
    inputs.top((AttentionPattern(phi=(42,)),), 0)
    with pytest.raises(PrecisionError, match=rf"the attention weight {2**43} is .*--content-max"):
        inputs.top((AttentionPattern(phi=(43,)),), 0)
    with pytest.raises(PrecisionError, match=rf"the attention weight {2**43} is .*--content-max"):
        inputs.top((AttentionPattern(phi=(84,)),), 1)  # 2^42 in halves
    local = AttentionPattern(phi=(26, 26))
    inputs.top((AttentionPattern(phi=(25,)), local), 0)
    with pytest.raises(PrecisionError, match=rf"two heads multiply to {(2**26 + 1) * 2**27}, .*--logit-max"):
        inputs.top((AttentionPattern(phi=(26,)), local), 0)
