"""The files of numpy and torch beside the exact evaluator."""

import subprocess
import sys

import numpy as np
import pytest

from idinf.nets import reference
from idinf.show.export.code import dump_weights, list_arrays
from idinf.show.export.forms import export
from idinf.spec.spec import Answer
from tests.asked_for import few
from tests.show.export import nets

#: A dense hypothesis whose file turns a verdict on a short word.
ROUNDED = 17


def exact(net, words):
    """What the reference says of each word."""
    runs = [reference.trace(net, tuple(word)) for word in words.tolist()]
    if net.output is None:
        return [run.accepted for run in runs]
    return [[[s in here for s in net.output.symbols] for here in run.next_symbols] for run in runs]


def rounded(net, outputs):
    """What the outputs U y_i of a file say, (W, n + 1, rows)."""
    if net.output is None:
        return (outputs[:, -1, net.accept_row] > float(net.threshold)).tolist()
    values = outputs[..., list(net.output.rows)]
    if net.output.kind is Answer.SET:
        return (values > float(net.threshold)).tolist()
    return (np.arange(values.shape[-1]) == values.argmax(-1)[..., None]).tolist()


def compare(net, most, *lengths, forward=None):
    """Compare on all words up to a length, about so many, and on some longer ones."""
    forward, total, n = forward or nets.run_file(net, "numpy")["forward"], 0, 0
    while total < most and n < 11:
        words = nets.words_of(net, n)
        assert rounded(net, forward(nets.inputs_of(words))) == exact(net, words)
        total, n = total + len(words), n + 1
    for n in lengths:
        words = nets.sample_words(len(net.alphabet), n)
        assert rounded(net, forward(nets.inputs_of(words))) == exact(net, words)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("path", nets.KNOWN, ids=lambda path: path.stem)
def test_shipped_hypotheses_answer_right(path):
    compare(nets.known(path), few(200, 1_000), 23, *[100] * few(0, 1))


@pytest.mark.thinned(30)
@pytest.mark.parametrize("seed", range(60))
def test_random_hypotheses_answer_right(seed):
    """With weights N^a, logit matrices and periods; in float32, too."""
    found = nets.run_file(nets.of_family(seed), "numpy")
    compare(nets.of_family(seed), 60, 12, 20, forward=found["forward"])
    found.update({name: found[name].astype(np.float32) for name in "EPU"})
    found["LAYERS"] = [
        (
            [[x.astype(np.float32) for x in head] for head in heads],
            *(x.astype(np.float32) for x in (A, b, B)),
            relu,
        )
        for heads, A, b, B, relu in found["LAYERS"]
    ]
    compare(nets.of_family(seed), 1, 7, forward=found["forward"])


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", [seed for seed in range(120) if seed != ROUNDED])
def test_any_hypothesis_answers_right(seed):
    """In any basis, with averages that are read again."""
    compare(nets.dense(seed), 60)


def test_a_rounded_average_may_turn_a_verdict():
    """The file says so, and a comparison that never failed would show nothing."""
    with pytest.raises(AssertionError):
        compare(nets.dense(ROUNDED), 60)
    assert "Floats are rounded" in export(nets.dense(ROUNDED), "numpy")


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


# The module of torch, with its weights; skipped without torch


def module_of(net):
    pytest.importorskip("torch")
    return nets.run_file(net, "torch")["Hypothesis"]()


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(0, 60))
def test_random_hypotheses_say_what_numpy_says(seed):
    """In any basis, to the last bits; the two files are one computation."""
    module, net = module_of(nets.dense(seed)), nets.dense(seed)
    import torch

    forward = nets.run_file(net, "numpy")["forward"]
    for n in (1, 5, 20):
        inputs = nets.inputs_of(nets.sample_words(2, n))
        said = module(torch.from_numpy(inputs)).numpy()
        np.testing.assert_allclose(said, forward(inputs), rtol=1e-9, atol=1e-9)


def test_weights_are_those_of_the_module():
    pytest.importorskip("safetensors")
    net = nets.of_family(4)
    module = module_of(net)
    from safetensors.torch import load

    weights = load(dump_weights(net))
    assert set(weights) == set(module.state_dict()) == set(list_arrays(net))
    for name, values in module.state_dict().items():
        assert weights[name].dtype == values.dtype
        assert weights[name].equal(values)
    assert dump_weights(net) == dump_weights(net)
