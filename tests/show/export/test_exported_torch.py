"""The module of torch beside the exact evaluator, in both types, with its weights; skipped without torch."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.show.export.code import dump_weights, list_arrays
from tests.show.export import nets
from tests.show.export.agreement import compare_module, read_outputs, sample_words
from tests.show.export.exact_answers import answer_words


def module_of(net):
    pytest.importorskip("torch")
    return nets.run_file(net, "torch")["Hypothesis"]()


@pytest.mark.thinned(8)
@pytest.mark.parametrize("path", nets.KNOWN[5:] + nets.KNOWN[:5], ids=lambda path: path.stem)
def test_shipped_hypotheses_agree(path):
    pytest.importorskip("torch")
    found = compare_module(nets.known(path))
    assert (found.float64, found.float32) == (None, None)
    size = len(nets.known(path).alphabet)
    assert found.length == {2: 10, 3: 10, 4: 8, 5: 7}[size]
    assert found.num_words == sum(size**n for n in range(found.length + 1))
    assert found.num_longer > 100


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(0, 60))
def test_random_hypotheses_say_what_numpy_says(seed):
    """In any basis, to the last bits; the two files are one computation."""
    module, net = module_of(nets.dense(seed)), nets.dense(seed)
    import torch

    forward = nets.run_file(net, "numpy")["forward"]
    for n in (0, 1, 5, 20):
        inputs = nets.inputs_of(sample_words(2, n) if n else nets.words_of(net, 0))
        np.testing.assert_allclose(
            module(torch.from_numpy(inputs)).numpy(), forward(inputs), rtol=1e-9, atol=1e-9
        )


def test_weights_are_those_of_the_module(tmp_path):
    pytest.importorskip("safetensors")
    net = nets.of_family(4)
    module = module_of(net)
    from safetensors.torch import load

    weights = load(dump_weights(net))
    assert set(weights) == set(module.state_dict()) == set(list_arrays(net))
    for name, values in module.state_dict().items():
        assert weights[name].dtype == values.dtype
        assert weights[name].equal(values)
    for values in module.parameters():
        values.zero_()
    module.load_state_dict(weights)
    import torch

    words = nets.words_of(net, 4)
    outputs = module(torch.from_numpy(nets.inputs_of(words))).numpy()
    np.testing.assert_array_equal(read_outputs(net, outputs), answer_words(net, words))
    assert dump_weights(net) == dump_weights(net)
