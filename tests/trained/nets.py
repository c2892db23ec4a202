"""Small decoders for tests: random ones, ones made by hand, and their forward pass in plain Python."""

import math
from dataclasses import replace

import numpy as np

from idinf.spec.reader import parse_spec
from idinf.spec.spec import Answer
from idinf.targets.machine import read_word
from idinf.trained.decoder import Decoder, Shape
from idinf.trained.task import BOS, NO, SEP, YES, AnswerReader, Tokens, with_answer


def spec_of(regex, symbols="01", **more):
    """A spec that accepts a regular language."""
    given = {"name": "made-here", "regex": regex, "alphabet": list(symbols), **more}
    return parse_spec("".join(f"{key} = {value!r}\n" for key, value in given.items()), "made-here.toml")


def random_decoder(shape, seed=0, tied=True, nope=False, config=None, spread=1.0):
    """A decoder whose tensors are all random; nope: all positions have one vector, that is not zero."""
    rng = np.random.default_rng([77, seed])
    tensors = {name: rng.normal(0, 0.7, size) for name, size in shape.list_tensors().items()}
    tensors["wpe.weight"] *= spread
    if nope:
        tensors["wpe.weight"][:] = tensors["wpe.weight"][0]
    if not tied:
        tensors["lm_head.weight"] = rng.normal(0, 1, (shape.vocabulary, shape.width))
    return Decoder(shape, tensors, dict(config or {}))


def slow_logits(decoder, tokens, offset=0):
    """The forward pass of one sequence, in lists of floats: written from the description of GPT-2 alone."""
    w = {name: values.tolist() for name, values in decoder.tensors.items()}
    width, size = decoder.shape.width, decoder.shape.width // decoder.shape.heads

    def dot(x, y):
        return sum(a * b for a, b in zip(x, y, strict=True))

    def add(*vectors):
        return [sum(entries) for entries in zip(*vectors, strict=True)]

    def norm(x, name):
        mean = sum(x) / len(x)
        deviation = math.sqrt(sum((a - mean) ** 2 for a in x) / len(x) + decoder.epsilon)
        rows = zip(x, w[f"{name}.weight"], w[f"{name}.bias"], strict=True)
        return [(a - mean) / deviation * scale + bias for a, scale, bias in rows]

    def linear(x, name):
        columns = zip(*w[f"{name}.weight"], strict=True)
        return add([dot(x, column) for column in columns], w[f"{name}.bias"])

    def activate(a):
        return 0.5 * a * (1 + math.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a**3)))

    stream = [add(w["wte.weight"][t], w["wpe.weight"][offset + i]) for i, t in enumerate(tokens)]
    for at in (f"h.{layer}." for layer in range(decoder.shape.layers)):
        read = [linear(norm(x, at + "ln_1"), at + "attn.c_attn") for x in stream]
        for i, x in enumerate(stream):
            mixed = []
            for start in range(0, width, size):
                query, keys = read[i][start:][:size], [y[width + start :][:size] for y in read[: i + 1]]
                scores = [dot(query, key) / math.sqrt(size) for key in keys]
                weights = [math.exp(score - max(scores)) for score in scores]
                columns = zip(*(y[2 * width + start :][:size] for y in read[: i + 1]), strict=True)
                mixed += [dot(weights, column) / sum(weights) for column in columns]
            x = add(x, linear(mixed, at + "attn.c_proj"))
            hidden = [activate(a) for a in linear(norm(x, at + "ln_2"), at + "mlp.c_fc")]
            stream[i] = add(x, linear(hidden, at + "mlp.c_proj"))
    rows = w.get("lm_head.weight", w["wte.weight"])
    return [[dot(norm(x, "ln_f"), row) for row in rows] for x in stream]


def fitted(task, words, nope=False, width=16, offsets=(0,), positions=16):
    """A random decoder whose output matrix fits the right answers in some words: often right, often wrong."""
    tokens = Tokens.of(task.alphabet, answers=task.answer is Answer.ACCEPT)
    shape, config = Shape(len(tokens.names), positions, width, 2, 2, 6), with_answer({}, tokens, task.answer)
    model = random_decoder(shape, nope=nope, config=config, spread=0.05)
    speech = AnswerReader.of(model, task)
    hidden = replace(model, tensors={**model.tensors, "lm_head.weight": np.eye(width)})
    rows, right = [], []
    for word in sorted({each[:k] for each in words for k in range(len(each) + 1)}):
        states = read_word(task.target, word)
        if not task.is_asked(states)[0]:
            continue
        label, wanted = task.labels(states)[0, :-1], np.full(len(tokens.names), -1.0)
        ends = [tokens.number(SEP)] if task.answer is Answer.ACCEPT else []
        wanted[speech.columns] = np.where(label, 1, -1)
        if ends and not label[0]:
            wanted[tokens.number(NO)] = 1
        asked = np.array([[tokens.number(BOS), *tokens.encode(task.alphabet, word).tolist(), *ends]])
        for offset in (each for each in offsets if nope or each + asked.size <= positions):
            rows.append(hidden.logits(asked, offset)[0, -1])
            right.append(wanted)
    head = np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0].T
    return replace(model, tensors={**model.tensors, "lm_head.weight": head}), speech


def table_of(tokens, answer, extra=0, positions=2):
    """Zeros in which token j is +1 at coordinate 2j and -1 at 2j + 1: layer norm leaves zeros exact."""
    size = len(tokens.names)
    shape = Shape(size, positions, 2 * size + extra, 1, 1, 1)
    tensors = {name: np.zeros(wanted) for name, wanted in shape.list_tensors().items()}
    for name in ("h.0.ln_1.weight", "ln_f.weight"):
        tensors[name][:] = 1
    tensors["wte.weight"][:, : 2 * size] = np.kron(np.eye(size), [1, -1])
    tensors["lm_head.weight"] = np.zeros((size, shape.width))
    return Decoder(shape, tensors, with_answer({}, tokens, answer))


def by_last_symbol(alphabet, may_follow, **more):
    """Says behind each symbol, and ``<bos>``, the tokens that may follow; attention and MLP are zero."""
    tokens = Tokens.of(alphabet)
    model = table_of(tokens, Answer.SET, **more)
    for last, following in may_follow.items():
        signs = [1 if name in following else -1 for name in tokens.names]
        model.tensors["lm_head.weight"][:, 2 * tokens.number(last)] = signs
    return model


def by_majority(alphabet, ties=1000.0):
    """Accepts iff (#1 - #0) / N + 1 / ties > 0, over all N = n + 2 tokens: majority, as long as N < ties."""
    tokens = Tokens.of(alphabet, answers=True)
    model = table_of(tokens, Answer.ACCEPT, extra=2)
    width, (zero, one, sep) = model.shape.width, (2 * tokens.number(name) for name in ("0", "1", SEP))
    model.tensors["h.0.attn.c_attn.weight"][[[one], [zero]], [-2, -1]] = [1, -1], [-1, 1]
    model.tensors["h.0.attn.c_proj.weight"] += np.eye(width)
    head = model.tensors["lm_head.weight"]
    head[:, sep], head[tokens.number(NO), sep] = -10, 0
    normed = 1 / math.sqrt(2 / width + 1e-5)  # what layer norm makes of the 1 of a token
    head[tokens.number(YES), [-2, sep]] = 1, normed / ties
    return model
