"""Tiny targets for the comparison of the search with nested loops."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from idinf.base.words import Alphabet
from idinf.targets.machine import Target


@dataclass(frozen=True)
class Machine(Target):
    """A target from plain functions on one integer state per word."""

    alphabet: Alphabet
    step_of: object
    accept: object

    def start(self):
        return np.zeros((1, 1), dtype=np.int64)

    def step(self, states, symbol):
        return np.array([[self.step_of(int(s), symbol)] for s in states[:, 0]], dtype=np.int64).reshape(-1, 1)

    def labels(self, states):
        return np.array([self.accept(int(s)) for s in states[:, 0]], dtype=bool)

    def label(self, word):
        state = 0
        for symbol in word:
            state = self.step_of(state, symbol)
        return self.accept(state)


def difference(*weights):
    return lambda state, symbol: state + weights[symbol]


def by_word(alphabet, accept):
    """A target from a predicate on whole words; its state is the word as a number."""
    base = len(alphabet) + 1

    def word_of(state):
        word = []
        while state:
            state, digit = divmod(state, base)
            word.append(digit - 1)
        return tuple(reversed(word))

    return Machine(alphabet, lambda s, a: s * base + a + 1, lambda s: bool(accept(word_of(s))))


A, AB, ABC, BITS = (Alphabet(tuple(text)) for text in ("a", "ab", "abc", "01"))

MAJORITY = Machine(BITS, difference(-1, 1), lambda s: s >= 0)
PARITY = Machine(BITS, lambda s, a: (s + a) % 2, lambda s: s == 0)
DYCK = Machine(AB, lambda s, a: -99 if s < 0 or s + (1, -1)[a] < 0 else s + (1, -1)[a], lambda s: s == 0)
SOME_B = Machine(AB, lambda s, a: s | a, lambda s: s == 1)
EVEN = Machine(A, lambda s, a: 1 - s, lambda s: s == 0)
AT_LEAST_2 = Machine(A, lambda s, a: s + 1, lambda s: s >= 2)
NONE_OF_C = Machine(ABC, lambda s, a: s | (a == 2), lambda s: s == 0)
PLURALITY = Machine(ABC, difference(1, -1, 0), lambda s: s > 0)
BALANCED = Machine(AB, difference(1, -1), lambda s: s == 0)

THIRD = by_word(A, lambda w: len(w) % 3 == 0)
TWO_LETTERS = by_word(A, lambda w: len(w) == 2)
AT_LEAST_4 = by_word(A, lambda w: len(w) >= 4)
ONE_TO_3 = by_word(A, lambda w: 1 <= len(w) <= 3)
EVEN_FROM_4 = by_word(A, lambda w: len(w) >= 4 and len(w) % 2 == 0)
B_AT_EVEN = by_word(AB, lambda w: w[-1:] == (1,) and len(w) % 2 == 0)
CONTAINS_AB = by_word(AB, lambda w: (0, 1) in pairwise(w))
#: The first of the last two symbols is an a.
A_BEFORE_LAST = by_word(AB, lambda w: w[-2:][:1] == (0,))
#: The last two symbols differ.
CHANGES = by_word(AB, lambda w: len(set(w[-2:])) == 2)
#: All symbols are equal.
ALL_EQUAL = by_word(ABC, lambda w: len(set(w)) <= 1)
#: More b than a, the last symbol counted twice.
LAST_TWICE = by_word(AB, lambda w: sum(2 * a - 1 for a in (*w, *w[-1:])) > 0)
#: After a last a no b, after a last b more a than b: the query decides how much a key b weighs.
A_UNANSWERED = by_word(AB, lambda w: w.count(1) == 0 < len(w) if w[-1:] == (0,) else w.count(0) > w.count(1))
MORE_B_THAN_SOME_A = by_word(AB, lambda w: w.count(1) > w.count(0) > 0)
