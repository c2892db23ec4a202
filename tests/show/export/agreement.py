"""An exported `torch.nn.Module` beside the exact evaluator, word for word, in float64 and in float32."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from idinf.nets.limit_transformer import LimitTransformer
from idinf.show.export.code import write_code
from idinf.spec.spec import Answer
from idinf.targets.machine import BoolArray, IntArray
from tests.show.export.exact_answers import answer_words, runs_fast

#: All words up to this length are tried, or up to a smaller one, so that there are at most so many: three
#: letters have fewer. Where fractions decide, in milliseconds for each word, it is the smaller number.
LENGTH, WORDS, FEW_WORDS = 10, 100_000, 4_000

#: Lengths of longer words that are tried.
LENGTHS = (12, 16, 23, 32, 45, 64, 90, 128, 181, 256, 362, 512)

#: Words of each of these lengths: as many as there are if they are decided fast, else one.
FEW = 1

#: Numbers of a batch: words of length 512 are run a few at a time.
CELLS = 2**21


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a module says beside the exact evaluator; of the lengths tried the first where the two differ."""

    symbols: int
    length: int  #: all words up to this length were tried
    num_words: int
    num_longer: int  #: longer words, up to the last of `LENGTHS`
    float64: int | None  #: None: nowhere
    float32: int | None


def compare_module(net: LimitTransformer) -> Agreement:
    """Run the exported module on words, and compare what it says."""
    import torch

    exported: dict[str, Any] = {"__name__": "exported"}
    exec(compile(write_code(net, "torch"), "<exported>", "exec"), exported)  # text of our own
    modules = exported["Hypothesis"](), exported["Hypothesis"]().float()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # many small products: threads would wait for each other
    first: list[int | None] = [None, None]
    length, counts = 0, [0, 0]
    for words in _list_words(net):
        n = words.shape[1]
        exact = answer_words(net, words)
        inputs = torch.from_numpy(np.pad(words + 1, ((0, 0), (1, 0)))).split(max(1, CELLS // (n + 1) ** 2))
        for place, module in enumerate(modules):
            outputs = np.concatenate([module(part).numpy() for part in inputs])
            if first[place] is None and not np.array_equal(read_outputs(net, outputs), exact):
                first[place] = n
        counts[n in LENGTHS] += len(words)
        length = length if n in LENGTHS else n
    torch.set_num_threads(threads)
    return Agreement(len(net.alphabet), length, *counts, *first)


def read_outputs(net: LimitTransformer, outputs: Any) -> BoolArray:
    """Read U y_i of words, (W, n + 1, rows), as `answer_words` writes what is said of them."""
    if net.output is None:
        return np.asarray(outputs[:, -1, net.accept_row] > float(net.threshold))
    values = outputs[..., list(net.output.rows)]
    if net.output.kind is Answer.SET:
        return np.asarray(values > float(net.threshold))
    return np.asarray(np.arange(values.shape[-1]) == values.argmax(-1)[..., None])


def sample_words(size: int, n: int) -> IntArray:
    """Words of length n, the same ones always: balanced, where two sides are equal, beside them, and random.

    Examples
    --------
    >>> sample_words(2, 4)[:3].tolist()
    [[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]]
    """
    rng = random.Random(n)
    blocks = [place * size // n for place in range(n)]
    words = [blocks, blocks[::-1], [place % size for place in range(n)]]
    for _ in range(4):
        mixed = rng.sample(blocks, n)
        words += [mixed, [*mixed[:-1], (mixed[-1] + 1) % size], [rng.randrange(size) for _ in range(n)]]
    return np.array(words, dtype=np.int64)


def _list_words(net: LimitTransformer) -> Iterator[IntArray]:
    """All short words, then longer ones; an array of codes for each length."""
    size, total = len(net.alphabet), 0
    most = WORDS if runs_fast(net, LENGTH) else FEW_WORDS
    for n in range(LENGTH + 1):
        total += size**n
        if total > most and n > 1:
            break
        yield np.array(list(product(range(size), repeat=n)), dtype=np.int64).reshape(size**n, n)
    for n in LENGTHS:
        words = sample_words(size, n)
        yield words if runs_fast(net, n) else words[-FEW:]
