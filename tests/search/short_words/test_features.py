"""What units can read on every row, against averages in Fractions from the definition."""

from fractions import Fraction

import numpy as np
import pytest

from idinf.errors import PrecisionError
from idinf.nets.attention import AttentionPattern
from idinf.search.short_words.features import Inputs
from idinf.search.short_words.prefix_trees import ShortWords
from tests.search.random_features import average, drawn_inputs, drawn_pattern
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
SEVERAL = [
    ("uniform", "uniform"),
    ("uniform", "phi"),
    ("phi", "phi"),
    ("M", "uniform"),
    ("phi", "M"),
    ("both", "both"),
    ("uniform", "uniform", "phi"),
    ("uniform", "phi", "phi"),
    ("phi", "M", "both"),
    ("M", "uniform", "phi", "uniform"),
]


@pytest.mark.thinned(15)
@pytest.mark.parametrize("deep", [False, True], ids=["words", "prefixes"])
@pytest.mark.parametrize("kinds", KINDS + SEVERAL, ids="-".join)
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


def test_weights_beyond_exact_floats_are_refused():
    """On words of length 1, where N = 2 and weights are powers of two."""
    short = ShortWords.of(random_target(np.random.default_rng(5), 1), 1)
    inputs = Inputs.first(short, 1)
    inputs.top((AttentionPattern(phi=(42,)),), 0)
    with pytest.raises(PrecisionError, match=rf"weights of {2**43} and more .*--content-max"):
        inputs.top((AttentionPattern(phi=(43,)),), 0)
    with pytest.raises(PrecisionError, match=rf"weights of {2**43} and more .*--content-max"):
        inputs.top((AttentionPattern(phi=(84,)),), 1)  # 2^42 in halves
    local = AttentionPattern(phi=(26, 26))
    inputs.top((AttentionPattern(phi=(25,)), local), 0)
    with pytest.raises(PrecisionError, match=rf"all heads reach {(2**26 + 1) * 2**27}, .*--logit-max"):
        inputs.top((AttentionPattern(phi=(26,)), local), 0)
