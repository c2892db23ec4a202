"""The depth of counts: small languages by words, written programs, the hierarchy, no empty bracket."""

import random
from itertools import combinations

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import check, read_program
from idinf.crasp.syntax import ProgramTree
from idinf.languages.classification.classes import (
    classify,
    classify_spec,
    classify_text,
)
from idinf.languages.classification.nesting import is_told_by_pairs, measure_longest_way
from idinf.languages.equivalence.affine import AffineProof
from idinf.languages.synthesis.program import write_program
from idinf.spec.catalogue import load
from idinf.spec.parameters import list_minimal_automata
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget
from tests.targets.random_programs import random_program

AB = Alphabet(("a", "b"))


def ordered(seed: int, loops: float = 0.5) -> RegularTarget:
    """A random partially ordered DFA, which is in C-RASP[]."""
    rng = random.Random(seed)
    states, symbols = rng.randrange(3, 8), rng.randrange(2, 4)
    table = [
        [state if rng.random() < loops else rng.randrange(state, states) for _ in range(symbols)]
        for state in range(states)
    ]
    return RegularTarget.minimal(Alphabet(tuple("abc"[:symbols])), table, [rng.random() < 0.5 for _ in table])


def is_function(machine: RegularTarget, key, length: int) -> bool:
    """Whether what a key says of a word that is not empty decides it, for words up to a length."""
    met: dict[object, bool] = {}
    words = (word for word in words_up_to(len(machine.alphabet), length) if word)
    return all(met.setdefault(key(word), said) == said for word in words for said in [accepts(machine, word)])


def end(machine: RegularTarget, word) -> int:
    """The state after a word."""
    state = 0
    for code in word:
        state = machine.table[state, code]
    return int(state)


def subsequences(word, most: int) -> frozenset[tuple[int, ...]]:
    return frozenset(each for k in range(1, most + 1) for each in combinations(word, k))


@pytest.mark.thinned(5)
@pytest.mark.parametrize(("states", "part"), [(2, 0), (1, 0), *((3, part) for part in range(8))])
def test_depths_0_and_1_are_what_last_symbols_and_counts_decide(states: int, part: int) -> None:
    """A last symbol, and the numbers of symbols beside it, on all words up to length 8."""
    found = set()
    for table, accepting in list_minimal_automata(states)[part :: max(1, 8 * (states - 2))]:
        machine = RegularTarget.minimal(AB, table, [accepting >> state & 1 for state in range(states)])
        said = classify(machine)
        if not said.crasp.is_yes:
            continue
        depth = said.nesting
        assert (depth.most == 0) == (depth.least == 0) == is_function(machine, lambda w: w[-1], 8)
        counted = is_function(machine, lambda w: (w[-1], w.count(0), len(w)), 8)
        assert (depth.most <= 1) == (depth.least <= 1) == counted
        found.add(depth.least)
    assert found >= {1: {0}, 2: {0, 1}, 3: {1, 2}}[states]


@pytest.mark.thinned(12)
@pytest.mark.parametrize("seed", range(200))
def test_no_written_program_is_less_deep_and_one_is_within(seed: int) -> None:
    machine = ordered(seed)
    said = classify(machine).nesting
    program = write_program(machine)
    assert isinstance(program, ProgramTree)
    assert AffineProof(machine, 10**7, lambda work: None).decides(program)
    assert said.least <= check(program, machine.alphabet).depth
    assert said.least <= said.most


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(40))
def test_random_programs_are_as_deep_as_they_must(seed: int) -> None:
    """Whatever a program decides, its depth is not below the lower end that is found without it."""
    text = random_program(np.random.default_rng(seed), "ab", 8)
    program = read_program(text, AB)
    facts = check(program, AB)
    said = classify_text("it", program, AB, 1000)
    assert said.nesting.least <= said.nesting.most <= facts.depth or facts.class_name != "C-RASP[]"
    assert said.nesting.least <= facts.depth or said.crasp.is_yes


def test_subsequences_decide_where_it_is_said() -> None:
    """Words with the same subsequences lead to the same state, if they are long enough."""
    pairs, longer = 0, 0
    for seed in range(150):
        machine = ordered(seed, loops=0.7)
        if len(machine.alphabet) > 2 or not classify(machine).piecewise_testable.is_yes:
            continue
        most = measure_longest_way(machine.table)
        for length, told in ((2, is_told_by_pairs(machine.table)), (min(most, 4), most <= 4)):
            met: dict[object, int] = {}
            same = all(
                met.setdefault(subsequences(word, length), state) == state
                for word in words_up_to(2, 7)
                for state in [end(machine, word)]
            )
            assert same or not told
            if length == 2:
                assert same == told
                pairs += told
            longer += told
    assert pairs >= 10
    assert longer > pairs


@pytest.mark.thinned(5)
@pytest.mark.parametrize("k", range(1, 13))
def test_the_hierarchy_is_strict(k: int) -> None:
    """L_k needs depth k, and as a regex has the bracket of its automaton; both are one language."""
    family = classify_spec(load("alternating-k", (("k", k),)))
    assert (family.nesting.least, family.nesting.most) == (k, k)
    regex = "".join(f"{letter}{letter}*" for letter in ("ab" * k)[:k])
    machine = RegularTarget.from_regex(regex, AB)
    plain = classify(machine).nesting
    assert (plain.least, plain.most) == (k, k + (k > 2))
    assert AffineProof(machine, 10**7, lambda work: None).decides(load_program(k))


def load_program(k: int) -> ProgramTree:
    return read_program(load("alternating-k", (("k", k),)).text, AB)
