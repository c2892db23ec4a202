"""Settled states against the states they stand for, program by program."""

import itertools

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import read_program
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from tests.targets.random_programs import random_program

SIGMA = Alphabet(("a", "b", "c"))

PROGRAMS = {
    "difference": 'accept = # "a" == # "b"',
    "order": 'late = "a" && # "b" >= 1\naccept = # late == 0 && # "a" == # "b"',
    "either": 'many = # "a" >= 3\naccept = many || 2 * # "b" <= # "c"',
    "both orders": 'x = # "a" >= 2\ny = # "b" >= 2\nz = # "a" == # "c"\naccept = (z || x) && (y || z)',
    "several thresholds": 'd = # "a" - # "b"\naccept = d >= 2 || (d <= -1 && # "c" >= 1)',
    "counted comparisons": 'more = # "a" >= # "b"\naccept = # more == # "c" + 1',
    "choice": 'x = # "a" >= 2\naccept = (# "a" if x else 2 * # "b") <= # "c"',
    "choice alone": 'accept = (# "a" if "c" else 2 * # "b") <= # "c"',
    "choice of a compared count": (
        'x = # "a" >= 2\ny = # "b" >= 2\naccept = y && (# "a" if x else # "b") <= # "c"'
    ),
    "compared twice": 'accept = # "a" >= 2 && # "a" + #[j = i-1] "b" - # "c" >= 3',
    "compared and local": 'accept = # "a" >= 2 && # "a" + #[j = i-1] "b" >= 4',
    "negative": 'accept = 3 >= # "a" && !(# "b" - # "a" - # "c" >= -1)',
    "steep": 'accept = 3 * # "a" - 2 * # "b" >= 1 || (# "c" - 3 * # "b" >= -2 && # "c" >= 2)',
    "local": 'before = #[j = i-1] "a" >= 1\naccept = # (before && "b") == 1 && # "c" <= 1',
}


def built(name):
    return CountingTarget(read_program(PROGRAMS[name], SIGMA), SIGMA)


def labels_after(target, states, left):
    """Labels of a state on every word of 1 to ``left`` symbols."""
    out = []
    for length in range(1, left + 1):
        for word in itertools.product(range(len(target.alphabet)), repeat=length):
            now = states
            for symbol in word:
                now = target.step(now, symbol)
            out.append(target.labels(now))
    return np.array(out)


def check_foretold(target, states, left):
    """What is foretold of a state is the label of all words to come."""
    foretold = target.foretold(states, left)
    sure = foretold >= 0
    assert not left or (labels_after(target, states[sure], left) == foretold[sure]).all()


def reached(target, length):
    states = target.start()
    for _ in range(length):
        states = np.concatenate([target.step(states, symbol) for symbol in range(len(target.alphabet))])
        states = np.unique(states, axis=0)
    return states


def check_settling(target, lengths, last):
    """All states of short words with all numbers of symbols left, and settled again at every step."""
    fewer = 0
    for length in range(lengths):
        states = reached(target, length)
        for left in range(4):
            settled = target.settled(states, left)
            assert settled.shape == states.shape
            assert np.array_equal(labels_after(target, settled, left), labels_after(target, states, left))
            check_foretold(target, states, left)
            fewer += len(states) - len(np.unique(settled, axis=0))
    known = {(): target.settled(target.start(), last)}
    for word in words_up_to(len(target.alphabet), last):
        if word:
            stepped = target.step(known[word[:-1]], word[-1])
            assert bool(target.labels(stepped)[0]) == accepts(target, word)
            known[word] = target.settled(stepped, last - len(word))
    return fewer


@pytest.mark.thinned(10)
@pytest.mark.parametrize("name", PROGRAMS)
def test_settled_states_give_the_same_labels(name):
    # where one count is compared with two others nothing is settled
    assert check_settling(built(name), 7, 6) > 0 or name.startswith("choice")


@pytest.mark.thinned(10)
@pytest.mark.parametrize(
    "seed", [*range(16), *(pytest.param(k, marks=pytest.mark.slow) for k in range(16, 120))]
)
def test_settled_states_of_random_programs(seed):
    rng = np.random.default_rng([41, seed])
    size = int(rng.integers(1, 4))
    alphabet, last = Alphabet(SIGMA.symbols[:size]), {1: 8, 2: 5, 3: 4}[size]
    for _ in range(3):
        program = read_program(random_program(rng, alphabet.symbols, int(rng.integers(2, 9))), alphabet)
        check_settling(CountingTarget(program, alphabet), last, last)
