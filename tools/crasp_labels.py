"""Speed of the C-RASP interpreter: many words beside plain loops, and one long word. No time is asserted."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from idinf.crasp.checker import read_program
from idinf.crasp.interpreter import WordBatch, compute_labels, read_texts
from idinf.crasp.programs import load
from tests.crasp.plain_interpreter import accepts

#: The task: all these words, of this length, through Dyck-1, a program of depth 2.
WORDS, LENGTH = 10**6, 100

#: How many of them go through the interpreter of the tests, and through a loop written for Dyck-1.
PLAIN_WORDS, WRITTEN_WORDS = 50, 20_000

#: Length of the long word, and of the one it is compared with.
LONG, SHORT = 10**5, 10**4

RUNS = 3


def best(action: Callable[[], object], runs: int = RUNS) -> float:
    """Least seconds of some calls."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)


def written_loop(words: list[tuple[int, ...]]) -> list[bool]:
    """Dyck-1 as one would write it by hand, one word after the other."""
    found = []
    for word in words:
        height, violations = 0, 0
        for code in word:
            height += 1 if code == 0 else -1
            if height < 0:
                violations += 1
        found.append(height == 0 and violations == 0)
    return found


def bench_labels() -> dict[str, object]:
    """Members and random words by turns, by arrays and by loops."""
    loaded = load("dyck-1")
    sigma = loaded.alphabet()
    codes = np.random.default_rng(0).integers(0, 2, (WORDS, LENGTH)).astype(np.uint8)
    codes[::2] = np.tile(np.array([0, 1], dtype=np.uint8), LENGTH // 2)  # members, too
    batch = WordBatch(codes, np.full(WORDS, LENGTH))
    texts = [sigma.decode(tuple(row)) for row in codes[:WRITTEN_WORDS].tolist()]
    words = [tuple(row) for row in codes[:WRITTEN_WORDS].tolist()]
    found = compute_labels(loaded.program, sigma, batch)
    plain = [accepts(loaded.program, sigma, word) for word in words[:PLAIN_WORDS]]
    if written_loop(words) != found[:WRITTEN_WORDS].tolist() or plain != found[:PLAIN_WORDS].tolist():
        raise RuntimeError("the interpreter and the loops of the benchmark do not agree")
    seconds = best(lambda: compute_labels(loaded.program, sigma, batch))
    reading = best(lambda: read_texts(sigma, texts)) * WORDS / WRITTEN_WORDS
    rates = {
        "plain interpreter": PLAIN_WORDS
        / best(lambda: [accepts(loaded.program, sigma, word) for word in words[:PLAIN_WORDS]], 1),
        "loop written for it": WRITTEN_WORDS / best(lambda: written_loop(words)),
    }
    return {
        "name": "crasp labels",
        "what": f"dyck-1, {WORDS} words of length {LENGTH}; reading them as text takes {reading:.2f} s more",
        "best_s": seconds,
        "words_per_s": WORDS / seconds,
        "loops_per_s": rates,
        "ratios": {name: WORDS / seconds / rate for name, rate in rates.items()},
    }


def bench_long_word() -> dict[str, object]:
    """One long word through nested local counts; linear means a ratio of times below that of lengths."""
    loaded = load("dyck-1")
    sigma = loaded.alphabet()
    program = read_program(
        'near = #[j >= i-20] (#[j = i-1] "a" == 1)\naccept = # (near >= 15 && i mod 3 == 1) >= 9', sigma
    )
    codes = np.random.default_rng(1).integers(0, 2, (1, LONG)).astype(np.uint8)

    def run(length: int) -> object:
        return compute_labels(program, sigma, WordBatch(codes[:, :length], np.array([length])))

    seconds = {length: best(partial(run, length), 9) for length in (SHORT, LONG)}
    return {
        "name": "crasp long word",
        "what": f"one word of length {LONG}, local counts inside counts",
        "best_s": seconds[LONG],
        "times_as_long": LONG / SHORT,
        "times_the_seconds": seconds[LONG] / seconds[SHORT],
    }
