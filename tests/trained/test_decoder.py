"""Decoders: the forward pass beside one in plain Python, pieces and offsets, files and damaged ones."""

import json
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from idinf.errors import AlphabetMismatchError, ArgumentError, HypothesisFormatError
from idinf.spec.catalogue import load
from idinf.spec.spec import Answer
from idinf.trained.decoder import CONFIG, WEIGHTS, Shape, read_decoder
from idinf.trained.task import KEY, AnswerReader, Task, Tokens, choose_answer, with_answer
from idinf.trained.tree import Walk
from tests.commands.refusals import refused, runner
from tests.trained.nets import by_last_symbol, random_decoder, slow_logits

#: Vocabulary, positions, width, heads, layers, hidden units.
SHAPES = [(2, 5, 1, 1, 1, 1), (3, 7, 2, 2, 1, 3), (6, 9, 6, 2, 2, 5), (4, 8, 8, 4, 3, 32), (5, 6, 3, 1, 2, 1)]
TOMITA_1 = load("tomita-1")

judge = runner("judge")


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("sizes", SHAPES)
def test_random_nets_beside_plain_python(sizes, tied):
    model = random_decoder(Shape(*sizes), tied=tied)
    tokens = np.random.default_rng(5).integers(sizes[0], size=(3, sizes[1] - 2))
    for offset in (0, 2):
        found = model.logits(tokens, offset)
        wanted = np.array([slow_logits(model, row, offset) for row in tokens.tolist()])
        assert found.shape == (3, sizes[1] - 2, sizes[0])
        assert np.abs(found - wanted).max() < 1e-12
        rough = model.astype(np.float32)
        assert rough.logits(tokens, offset).dtype == np.float32
        assert np.abs(rough.logits(tokens, offset) - wanted).max() < 1e-3


@pytest.mark.parametrize("nope", [False, True])
def test_pieces_offsets_and_rows(nope):
    model = random_decoder(Shape(5, 12, 6, 3, 2, 4), nope=nope)
    assert model.has_positions is not nope
    tokens = np.random.default_rng(6).integers(5, size=(4, 8))
    offsets = np.array([0, 4, 1, 3])
    whole, kept = model.read(model.start(4), tokens, offsets)
    assert kept.length == 8
    for cuts in ([3], [1, 2, 7], range(1, 8)):
        cache, parts = model.start(4), []
        for piece in np.split(tokens, cuts, axis=1):
            logits, cache = model.read(cache, piece, offsets)
            parts.append(logits)
        assert np.abs(np.concatenate(parts, axis=1) - whole).max() < 1e-12
    for row, offset in enumerate(offsets.tolist()):
        assert np.abs(model.logits(tokens[row : row + 1], offset)[0] - whole[row]).max() < 1e-12
    differs = np.abs(model.logits(tokens, 4) - model.logits(tokens, 0)).max()
    assert differs == 0 if nope else differs > 0.1
    _, first = model.read(model.start(4), tokens[:, :7], offsets)
    chosen = np.array([2, 0, 2])
    logits, _ = model.read(first.take(chosen), tokens[chosen, 7:], offsets[chosen])
    assert np.abs(logits[:, 0] - whole[chosen, 7]).max() < 1e-12
    if nope:
        assert model.logits(np.tile(tokens, 4), 10**6).shape == (4, 32, 5)
    else:
        with pytest.raises(IndexError):
            model.logits(tokens, 5)


@pytest.mark.parametrize("tied", [True, False])
def test_what_is_saved_is_read(tied, tmp_path):
    model = random_decoder(Shape(6, 9, 4, 2, 2, 7), tied=tied, config={"idinf": {"answer": "set"}, "seed": 3})
    model = replace(model.astype(np.float32), epsilon=1e-3)
    model.save(tmp_path / "new" / "model")
    for path in ("", CONFIG, WEIGHTS):
        found = read_decoder(tmp_path / "new" / "model" / path)
        assert (found.shape, found.epsilon, found.kind) == (model.shape, 1e-3, np.float64)
        assert found.config["idinf"] == {"answer": "set"}
        assert found.config["seed"] == 3
        assert set(found.tensors) == set(model.tensors)
        assert all((found.tensors[name] == model.tensors[name]).all() for name in model.tensors)
    found.save(tmp_path / "again")
    for name in (CONFIG, WEIGHTS):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "new/model" / name).read_bytes()


def test_defaults_and_older_files(tmp_path):
    """Without n_inner it is 4 d; names without a prefix, half precision and masks are read, too."""
    model = random_decoder(Shape(6, 9, 4, 2, 1, 16)).astype(np.float16)
    model.save(tmp_path)
    edit(tmp_path, {"n_inner": None, "layer_norm_epsilon": ...})
    mask = {"h.0.attn.bias": np.ones((1, 1, 9, 9), dtype=np.uint8), "h.0.attn.masked_bias": np.array(-1e4)}
    save_file({**model.tensors, **mask}, tmp_path / WEIGHTS)
    found = read_decoder(tmp_path)
    assert (found.shape, found.epsilon) == (model.shape, 1e-5)
    assert (found.tensors["wte.weight"] == model.tensors["wte.weight"]).all()
    assert "h.0.attn.bias" not in found.tensors
    edit_tensor(tmp_path, "lm_head.weight", model.tensors["wte.weight"])  # tied ones may both be there
    assert (read_decoder(tmp_path).logits(np.array([[0, 1]])) == found.logits(np.array([[0, 1]]))).all()


def edit(folder, changes):
    config = json.loads((folder / CONFIG).read_text())
    kept = {key: value for key, value in {**config, **changes}.items() if value is not ...}
    (folder / CONFIG).write_text(json.dumps(kept))


def edit_tensor(folder, name, values):
    tensors = load_file(folder / WEIGHTS)
    tensors.pop(name, None)
    save_file(tensors if values is None else {**tensors, name: values}, folder / WEIGHTS)


def shorten(folder, length, name=WEIGHTS):
    (folder / name).write_bytes((folder / name).read_bytes()[:length])


NAN = np.array([[1, np.nan]] * 6, dtype=np.float32)
ONES = np.ones((6, 2), dtype=np.float32)
#: What is done to a good model, which file is named, and what is said of it.
DAMAGES = {
    "no config": (lambda f: (f / CONFIG).unlink(), CONFIG, "no such file"),
    "no weights": (lambda f: (f / WEIGHTS).unlink(), WEIGHTS, "no such file"),
    "no JSON": (lambda f: (f / CONFIG).write_text("{"), CONFIG, "expected the config of a model"),
    "no text": (lambda f: (f / CONFIG).write_bytes(b"\xff\xfe\x00"), CONFIG, "not UTF-8"),
    "list": (lambda f: (f / CONFIG).write_text("[1]"), CONFIG, "[1]; expected an object"),
    "llama": (lambda f: edit(f, {"model_type": "llama"}), CONFIG, "model_type = 'llama'; expected 'gpt2'"),
    "relu": (lambda f: edit(f, {"activation_function": "relu"}), CONFIG, "expected 'gelu_new'"),
    "unscaled": (lambda f: edit(f, {"scale_attn_weights": False}), CONFIG, "scale_attn_weights = False"),
    "heads": (lambda f: edit(f, {"n_head": 3}), CONFIG, "n_head = 3; expected a divisor of n_embd = 2"),
    "negative": (lambda f: edit(f, {"n_layer": -1}), CONFIG, "n_layer = -1; expected an integer"),
    "missing size": (lambda f: edit(f, {"vocab_size": ...}), CONFIG, "vocab_size = None"),
    "inner": (lambda f: edit(f, {"n_inner": -4}), CONFIG, "n_inner = -4"),
    "layers": (lambda f: edit(f, {"n_layer": 2}), WEIGHTS, "missing; expected those of GPT-2"),
    "missing": (lambda f: edit_tensor(f, "transformer.ln_f.bias", None), WEIGHTS, "ln_f.bias missing"),
    "extra": (lambda f: edit_tensor(f, "transformer.h.0.gate", NAN), WEIGHTS, "h.0.gate left over"),
    "shape": (lambda f: edit(f, {"vocab_size": 7}), WEIGHTS, "wte.weight has shape (6, 2); expected (7, 2)"),
    "NaN": (lambda f: edit_tensor(f, "transformer.wte.weight", NAN), WEIGHTS, "wte.weight has a value"),
    "infinite": (lambda f: edit_tensor(f, "transformer.wte.weight", NAN[:, :1] * [[1, np.inf]]), WEIGHTS, ""),
    "twice": (lambda f: edit_tensor(f, "wte.weight", ONES), WEIGHTS, "wte.weight and transformer.wte.weight"),
    "tied": (lambda f: edit_tensor(f, "lm_head.weight", ONES), WEIGHTS, "and wte.weight differ"),
    "untied": (lambda f: edit(f, {"tie_word_embeddings": False}), WEIGHTS, "lm_head.weight missing"),
    "truncated": (lambda f: shorten(f, 900), WEIGHTS, "expected a safetensors file"),
    "empty": (lambda f: shorten(f, 0), WEIGHTS, "expected a safetensors file"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files(damage, tmp_path):
    change, file, said = DAMAGES[damage]
    random_decoder(Shape(6, 9, 2, 1, 1, 3)).save(tmp_path)
    read_decoder(tmp_path)
    change(tmp_path)
    with pytest.raises(HypothesisFormatError) as error:
        read_decoder(tmp_path)
    assert file in str(error.value)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    refused(judge(tmp_path, "--target", "tomita-1", "--answer", "set", "--no-report"), 3, file)


def test_paths_that_are_no_folders(tmp_path):
    (tmp_path / "file").write_text("{}")
    for path in (tmp_path / "file", tmp_path / "none", tmp_path / "file" / "model", tmp_path / "a\nb"):
        refused(judge(path, "--target", "tomita-1"), 3, "expected a folder, or a file in it")
    refused(judge(tmp_path, "--target", "tomita-1"), 3, CONFIG)
    refused(judge(tmp_path / "none" / CONFIG, "--target", "tomita-1"), 3, CONFIG)


def test_numbers_that_overflow_are_refused(tmp_path):
    """Also those of float32 alone, and where layer norm would make a 0 of what is too large."""
    for factor in (1e30, 1e300):
        model = by_last_symbol(TOMITA_1.alphabet, {"<bos>": ("1", "<eos>")})
        for name in ("wte.weight", "h.0.ln_2.weight", "h.0.mlp.c_fc.weight", "h.0.mlp.c_proj.weight"):
            model.tensors[name][:] = factor * (model.tensors[name] + 1)
        speech = AnswerReader.of(model, Task.of(TOMITA_1, Answer.SET))
        rough, one = model.astype(np.float32), np.zeros(1, dtype=np.int64)
        said = r"logits on '0?' are not finite in float.*anew"
        with pytest.raises(HypothesisFormatError, match=said):
            Walk(model, speech).to(3)
        with pytest.raises(HypothesisFormatError, match=said):
            speech.ask(rough, one[:, None], one)
    model = by_last_symbol(TOMITA_1.alphabet, {"<bos>": ("1", "<eos>"), "1": ("1", "<eos>")})
    model.tensors["wte.weight"][1] *= 1e25
    model.save(tmp_path)
    refused(
        judge(tmp_path, "--target", "tomita-1", "--no-report"), 3, "logits on '1' are not finite in float32"
    )


# Tokens, and how logits are read


def speech(config=(), answer=None, target="tomita-1", vocabulary=6, **more):
    model = random_decoder(Shape(vocabulary, 9, 2, 1, 1, 3), config=dict(config))
    return AnswerReader.of(model, Task.of(load(target), answer), **more)


def test_answers_of_acceptance():
    logits = np.array([[2.0, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 3, 1]])
    said = {
        ("0", "1"): "reject accept neither",
        ("1", "0"): "accept reject neither",
        ("1", "<eos>"): "neither reject accept",
    }
    for answers, wanted in said.items():
        found = speech(answers=answers)
        assert " ".join(found.task.show(each) for each in found.read(logits)[0]) == wanted
    with pytest.raises(ArgumentError, match="name them by --answers NO,YES"):
        speech()  # whatever the first two tokens are
    told = with_answer({}, Tokens.of(TOMITA_1.alphabet, answers=True), Answer.ACCEPT)
    assert speech(told, vocabulary=8).answers == ("<no>", "<yes>")
    for answers in (("2", "1"), ("1", "2")):
        with pytest.raises(HypothesisFormatError, match="no token '2'"):
            speech(answers=answers)
    with pytest.raises(ArgumentError, match="--answers NO,YES"):
        speech(target="aa-bb-cc", vocabulary=7)


def test_models_of_other_symbols():
    with pytest.raises(AlphabetMismatchError, match="vocab_size = 7; expected 6"):
        speech(answer=Answer.SET, vocabulary=7)
    special = ["<bos>", "<eos>", "<sep>", "<pad>"]
    with pytest.raises(AlphabetMismatchError, match="symbols a b; expected those of the target, 0 1"):
        speech({KEY: {"tokens": ["a", "b", *special]}}, Answer.SET)
    # Written in another order, the same tokens are found by their names.
    assert speech({KEY: {"tokens": ["1", "0", *special]}}, Answer.SET).columns.tolist() == [1, 0, 3]


TOLD = [3, None, ["set"], {"answer": "yes"}, {"answer": {}}, {"tokens": "ab"}, {"tokens": ["a", "a"]}]


@pytest.mark.parametrize("told", TOLD)
def test_what_the_project_says_of_a_model_is_checked(told, tmp_path):
    random_decoder(Shape(6, 9, 2, 1, 1, 3), config={KEY: told}).save(tmp_path)
    refused(judge(tmp_path, "--target", "tomita-1", "--no-report"), 3, "idinf = ", "expected tokens")


SET, SYMBOL, ACCEPT = Answer.SET, Answer.SYMBOL, Answer.ACCEPT


CHOICES = [
    (["GPT2BCELMHeadModel"], {}, [SET, SET, SET]),
    (["GPT2LMHeadModel"], {}, [None, SYMBOL, ACCEPT]),
    ([], {}, [None, SYMBOL, ACCEPT]),
    (None, {}, [None, SYMBOL, ACCEPT]),
    (["GPT2Other"], {}, [None, None, None]),
    (["GPT2LMHeadModel"], {"answer": "accept"}, [ACCEPT, ACCEPT, ACCEPT]),
    (["GPT2BCELMHeadModel"], {"answer": "symbol"}, [SYMBOL, SYMBOL, SYMBOL]),
]


SET, SYMBOL, ACCEPT = Answer.SET, Answer.SYMBOL, Answer.ACCEPT


SET, SYMBOL, ACCEPT = Answer.SET, Answer.SYMBOL, Answer.ACCEPT


@pytest.mark.parametrize(("architectures", "told", "answers"), CHOICES)
def test_how_a_model_answers(architectures, told, answers):
    config = {"architectures": architectures, KEY: told}
    model = random_decoder(Shape(6, 9, 2, 1, 1, 3), config=config)
    for target, wanted in zip((SET, SYMBOL, ACCEPT), answers, strict=True):
        if wanted is not None:
            assert choose_answer(model, target) is wanted
            continue
        with pytest.raises(HypothesisFormatError, match="do not say how it answers"):
            choose_answer(model, target)
