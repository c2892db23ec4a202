"""Regular languages without an automaton, beside those through automata-lib and beside Python's matching."""

import random

from idinf.base.words import Alphabet, words_up_to
from idinf.proofs.check.definition import read_automaton, read_regex
from idinf.spec.spec import FiniteAutomaton
from idinf.targets.regular import RegularTarget
from tests.asked_for import few

AB = Alphabet(("a", "b"))


def after(language, word):
    state = language.start
    for code in word:
        state = language.step(state, code)
    return state


def compare(language, machine, length):
    """Words of both, and what begins a word: a state from which an accepting one is reached."""
    alive = machine.accepting.copy()
    for _ in alive:
        alive |= alive[machine.table].any(axis=1)
    for word in words_up_to(len(machine.alphabet), length):
        states = machine.start()
        for code in word:
            states = machine.step(states, code)
        state = after(language, word)
        assert language.accepts(state) == bool(machine.labels(states)[0]), word
        assert language.begins(state) == bool(alive[states[0, 0]]), word


def random_regex(rng, depth):
    """Every operator, nested; repeated operators and branches without a symbol are among them."""
    if depth == 0:
        return rng.choice(["a", "b", ".", "()"])
    parts = [random_regex(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    joined = rng.choice(["", "|"]).join(parts)
    return f"({joined})" + rng.choice(["", "", "*", "+", "?", "*?", "+?", "+*", "{2}", "{0}", "{3}*"])


def check_random_regexes(seeds, length):
    members = 0
    for seed in seeds:
        text = random_regex(random.Random(seed), 1 + seed % 3)
        language = read_regex(text, AB)
        compare(language, RegularTarget.from_regex(text, AB), length)
        number = sum(language.accepts(after(language, word)) for word in words_up_to(2, length))
        members += 0 < number < 2 ** (length + 1) - 1
    return members


def test_random_regexes_are_those_of_the_automata():
    assert check_random_regexes(range(few(25, 60)), 5) >= few(12, 30)


def test_many_copies_take_no_more_than_their_square():
    """Each of 250 copies may be the next to match, before and after any of them."""
    language = read_regex("(a?){250}b", AB)
    state = language.start
    for _ in range(250):
        assert language.accepts(language.step(state, 1))
        state = language.step(state, 0)
    assert language.accepts(language.step(state, 1))
    assert not language.begins(language.step(state, 0))


def random_automaton(seed):
    rng = random.Random(seed)
    states = tuple("pqrst"[: rng.randint(1, 5)])
    rows = [(s, c, rng.choice(states)) for s in states for c in "ab" if rng.random() < 0.8]
    accept = tuple(s for s in states if rng.random() < 0.4)
    return FiniteAutomaton(states, rng.choice(states), accept, tuple(rows))


def test_random_automata_are_those_of_the_search():
    for seed in range(60):
        automaton = random_automaton(seed)
        compare(read_automaton(automaton, AB), RegularTarget.from_automaton(automaton, AB), 5)
