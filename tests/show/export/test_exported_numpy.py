"""The file of numpy beside the exact evaluator."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from idinf.nets import reference
from idinf.show.export.code import dump_weights, list_arrays
from idinf.show.export.forms import export
from tests.asked_for import few
from tests.show.export import nets
from tests.show.export.agreement import compare_module, read_outputs, sample_words
from tests.show.export.exact_answers import answer_words, runs_fast

#: Words of a hypothesis, about.
WORDS = 4_000

#: A dense hypothesis whose file turns a verdict on a short word.
ROUNDED = 17


def compare(net, words, forward):
    outputs = forward(nets.inputs_of(words))
    np.testing.assert_array_equal(read_outputs(net, outputs), answer_words(net, words))


def compare_short(net, most=WORDS, length=10):
    forward, total = nets.run_file(net, "numpy")["forward"], 0
    for n in range(length + 1):
        total += len(net.alphabet) ** n
        if n > 3 and total > most:
            break
        compare(net, nets.words_of(net, n), forward)


@pytest.mark.thinned(6)
@pytest.mark.parametrize("path", nets.KNOWN, ids=lambda path: path.stem)
def test_shipped_hypotheses_answer_short_words_right(path):
    compare_short(nets.known(path))


@pytest.mark.thinned(8)
@pytest.mark.parametrize("path", nets.KNOWN[5:] + nets.KNOWN[:5], ids=lambda path: path.stem)
def test_shipped_hypotheses_answer_long_words_right(path):
    net = nets.known(path)
    forward = nets.run_file(net, "numpy")["forward"]
    for n in (40, 256, 100, 255, 512)[: few(2, 5)]:
        words = sample_words(len(net.alphabet), n)[:6]
        compare(net, words, forward)


@pytest.mark.thinned(48)
@pytest.mark.parametrize("seed", range(60))
def test_random_hypotheses_answer_right(seed):
    """With weights N^a, logit matrices and periods."""
    net = nets.of_family(seed)
    compare_short(net, 200)
    if runs_fast(net, 300):
        compare(net, sample_words(2, 300), nets.run_file(net, "numpy")["forward"])


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", [seed for seed in range(120) if seed != ROUNDED])
def test_any_hypothesis_answers_right(seed):
    """In any basis, with averages that are read again."""
    compare_short(nets.dense(seed), 60)


def test_a_rounded_average_may_turn_a_verdict():
    """The file says so, and a comparison that never failed would show nothing."""
    with pytest.raises(AssertionError):
        compare_short(nets.dense(ROUNDED), 60)
    assert "Floats are rounded" in export(nets.dense(ROUNDED), "numpy")


@pytest.mark.parametrize("seed", [7, 44])
def test_float32_answers_short_words_right(seed):
    net = nets.of_family(seed)
    found = nets.run_file(net, "numpy")
    as_float32(found)
    for n in range(5, 11):
        compare(net, sample_words(2, n), found["forward"])


def as_float32(found):
    """Turn the arrays of a file into float32."""
    found.update({name: found[name].astype(np.float32) for name in "EPU"})
    layers = []
    for heads, A, b, B, relu in found["LAYERS"]:
        arrays = [array.astype(np.float32) for array in (A, b, B)]
        layers.append(([[x.astype(np.float32) for x in head] for head in heads], *arrays, relu))
    found["LAYERS"] = layers


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["sort-next", "anbncn", "dyck-1-next"])
def test_the_file_answers_words(name, tmp_path):
    net = nets.known(next(path for path in nets.KNOWN if path.stem == name))
    path = tmp_path / "net.py"
    path.write_text(export(net, "numpy"), encoding="utf-8")
    words = [
        "",
        *("".join(net.alphabet.symbols[code] for code in word) for word in [(0, 1), (0, 0, 1, 1, 1)]),
    ]
    done = subprocess.run([sys.executable, path, *words], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.stdout == "".join(f"{word}\t{told(net, word)}\n" for word in words)
    refused = subprocess.run([sys.executable, path, "z"], capture_output=True, text=True, timeout=60)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("'z' is no symbol; expected one of")


def told(net, word):
    run = reference.trace(net, net.alphabet.encode(word))
    if net.output is None:
        return "accept" if run.accepted else "reject"
    return " ".join(",".join(named) or "-" for named in run.next_symbols)


# The module of torch beside the exact evaluator, in both types, with its weights; skipped without torch


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
