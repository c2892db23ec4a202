"""Random features and attention patterns, and their averages in Fractions from the definition."""

from idinf.base.words import words_up_to
from idinf.nets.attention import AttentionPattern
from idinf.search.short_words.features import Inputs
from idinf.search.short_words.prefix_trees import ShortWords
from tests.search.random_nets import random_target


def drawn_inputs(rng, size, length, period, lower, deep):
    """Inputs with random lower units, and the features of every row by (N, prefix)."""
    short = ShortWords.of(random_target(rng, size), length)
    inputs = Inputs.first(short, period)
    if deep:
        inputs = inputs.lifted()
    bits = rng.random((lower, len(inputs.tree))) < 0.5
    inputs = inputs.extend(bits)
    words = list(words_up_to(size, length))
    of_row = {}
    for N in range(1, length + 2):
        for row, word in enumerate(inputs.tree.word):
            prefix = words[word]
            if len(prefix) < N and (not deep or inputs.tree.total[row] == N):
                token = prefix[-1] + 1 if prefix else 0
                residues = [int(len(prefix) % period == k) for k in range(period)] if period > 1 else []
                own = [*(int(token == t) for t in range(size + 1)), *residues, *bits[:, row].astype(int)]
                of_row[N, prefix] = tuple(own)
    return inputs, words, of_row


def drawn_pattern(rng, features, precision, kind):
    """φ up to 2 and M with entries up to 2, both on the grid; M is not symmetric."""
    most = 2 * 2**precision
    phi, logits = (), ()
    if kind in ("phi", "both"):
        phi = (*(int(x) for x in rng.integers(0, most + 1, int(rng.integers(0, 4)))), int(most))
    if kind in ("M", "both"):
        matrix = rng.integers(0, most + 1, (features, features)) * (rng.random((features, features)) < 0.4)
        matrix[0, 1], matrix[1, 0] = 1, 2
        logits = tuple(tuple(int(x) for x in row) for row in matrix)
    return AttentionPattern(logits, phi)
