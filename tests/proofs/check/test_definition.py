"""What is right of a word, by definition, beside the machines that the search uses: every shipped target."""

import numpy as np
import pytest

from idinf.base.words import words_up_to
from idinf.proofs.check.definition import TargetDefinition
from idinf.spec.catalogue import list_names, load
from idinf.targets.build import build_target
from idinf.targets.machine import NEVER
from idinf.targets.supervised import supervise
from tests.proofs.check.followed import random_program, spec_of

#: Shipped targets of every kind: programs, regexes, next symbols of both, one next symbol, places, a domain.
QUICK = {"majority", "tomita-4", "dyck-1-next", "tomita-2-next", "induction-argmax-next", "sort-next"}


def compare(spec, length):
    """Answers at every position, which words count and where they are judged."""
    definition, target = TargetDefinition.of(spec), supervise(build_target(spec))
    for word in words_up_to(len(spec.alphabet), length):
        states = [target.start()]
        for code in word:
            states.append(target.step(states[-1], code))
        expected = tuple(tuple(np.atleast_1d(target.labels(row)[0]).tolist()) for row in states)
        assert definition.answers(word) == expected, word
        assert definition.counts(word) == target.is_counted(word), word
        if target.everywhere:
            places = tuple(named is not None for named in target.next_symbols(word))
            assert definition.judged(word) == places, word
        if target.places is None:
            assert definition.matters(word) == bool(target.due(states[-1])[0] < NEVER), word


def length_of(spec, words):
    """The greatest length, at most 20, of which there are no more words."""
    return max(length for length in range(21) if len(spec.alphabet) ** length <= words)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", sorted(QUICK))
def test_shipped_targets_of_every_kind(name):
    spec = load(name)
    compare(spec, length_of(spec, 60))


@pytest.mark.slow
@pytest.mark.parametrize("name", list_names())
def test_all_shipped_targets(name):
    spec = load(name)
    compare(spec, length_of(spec, 600))


@pytest.mark.parametrize(
    ("seeds", "length"), [(range(12), 4), pytest.param(range(25, 225), 6, marks=pytest.mark.slow)]
)
def test_random_programs(seeds, length):
    for seed in seeds:
        text = random_program(np.random.default_rng(seed), "ab")
        compare(spec_of(f"crasp = '''{text}'''"), length)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "lines",
    [
        ('regex = "(ab)*"', 'domain = "a*b*"'),
        ('mode = "next"', 'regex = "(ab)*"', 'domain = "a(a|b)*"'),
        ('mode = "next"', 'regex = "(a|b)*"', 'domain = "a*b"', 'judged = "a*"'),
        ('mode = "next"', 'regex = "(ab)*"', 'judged = "(ab)*a"'),
        ('mode = "next"', 'output = "symbol"', 'regex = "(ab)*"', 'domain = "(ab)*a"', 'judged = "(ab)*a"'),
        (
            'mode = "next"',
            'output = "symbol"',
            'crasp = \'many = # "a" > # "b" even = i mod 2 == 0\'',
            'domain = "a(a|b)*"',
            'judged = "even"',
            "[next]",
            'b = "many"',
            '"$" = "even"',
        ),
        (
            'dfa = { states = ["p", "q"], start = "p", accept = ["q"], transitions = { p = { a = "q" } } }',
            'mode = "next"',
        ),
        ('dfa = { states = ["p"], start = "p", accept = [], transitions = {} }', 'domain = "a?"'),
    ],
)
def test_domains_places_and_one_next_symbol(lines):
    compare(spec_of(*lines), 5)
