"""What the last layer reads over shared inputs is what it reads over the whole ones."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.transformers.attention import AttentionPattern
from tests.search.random_features import drawn_inputs, drawn_pattern

KINDS = [(), ("uniform",), ("phi",), ("uniform", "phi"), ("phi", "phi"), ("phi", "M")]


@pytest.mark.thinned(5)
@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("new", [0, 1, 3])
@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
def test_new_units_are_read_like_those_of_extended_inputs(kinds, new, deep):
    for seed in range(3):
        rng = np.random.default_rng([seed, new, len(kinds), deep])
        inputs, words, _ = drawn_inputs(rng, 2, 4, 2, 1, deep)
        heads = tuple(
            AttentionPattern(_padded(head.logits, new), head.phi)
            for head in (drawn_pattern(rng, inputs.size, 1, kind) for kind in kinds)
        )
        bits = rng.random((new, len(inputs.tree))) < 0.4
        want = inputs.extend(bits).top(heads, 1)
        last_inputs = LastLayerInputs(inputs, heads, 1)
        some = np.sort(rng.choice(len(words), 7, replace=False))
        for chosen, wanted in ((None, want), (some, want.take(some)), (some[:0], want.take(some[:0]))):
            have = last_inputs.over(bits, chosen)
            for column in ("sums", "last", "scale"):
                assert np.array_equal(getattr(have, column), getattr(wanted, column))


def _padded(logits, new):
    """M over the features that are there, and zeros for the new ones."""
    rows = tuple((*row, *(0,) * new) for row in logits)
    return (*rows, *((0,) * (len(logits) + new),) * new) if logits else ()
