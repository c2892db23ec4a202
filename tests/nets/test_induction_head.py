"""The induction head beside bigrams that are counted, its bound, and what it copies."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from idinf.base.words import Alphabet, Word, words_up_to
from idinf.nets.attention import AttentionPattern
from idinf.nets.dense import vector
from idinf.nets.generation import generate
from idinf.nets.induction_head import build_induction_head
from idinf.nets.json_format import dumps, loads
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import NextReads, OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.reference import trace
from idinf.spec.catalogue import load
from idinf.spec.spec import Answer
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise
from idinf.translate.formulas.formula import write_formula
from tests.translate.formulas.on_words import next_symbols_of


def is_within_the_bound(net: LimitTransformer, word: Word, scale: int) -> bool:
    """Equation (10) and the bound of the lemma, for words whose last symbol occurred before."""
    followed = [after for before, after in pairwise(word) if before == word[-1]]
    found = trace(net, word)
    bound = Fraction(1, len(followed) * (len(word) + 1) ** (scale - 1))
    counts = [followed.count(code) for code in range(len(net.alphabet))]
    close = all(
        abs(a - Fraction(c, len(followed))) < bound for a, c in zip(found.logits, counts, strict=True)
    )
    return close and counts[net.alphabet.symbols.index(found.next_symbols[-1][0])] == max(counts)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("size", "scale", "length"), [(1, 1, 6), (2, 1, 7), (2, 2, 7), (2, 3, 5), (3, 2, 5)])
def test_frequencies_of_bigrams(size: int, scale: int, length: int) -> None:
    net = build_induction_head(Alphabet(tuple("abc"[:size])), scale)
    assert loads(dumps(net)) == net
    words = [word for word in words_up_to(size, length) if word and word[-1] in word[:-1]]
    assert words
    assert all(is_within_the_bound(net, word, scale) for word in words)


@pytest.mark.parametrize("fault", ["phi", "scale", "half"])
def test_planted_faults_break_the_bound(fault: str) -> None:
    net = build_induction_head(Alphabet(("a", "b")))
    first, second = net.layers
    match fault:
        case "phi":  # two positions back
            first = replace(first, heads=(replace(first.heads[0], phi=vector([0, 0, 1])),))
        case "scale":  # every position weighs the same
            second = replace(second, heads=(replace(second.heads[0], K=net.layers[0].heads[0].K * 2),))
        case "half":  # a unit that is always 1
            first = replace(first, mlp=replace(first.mlp, b=(Fraction(1),) * 2))
    broken = replace(net, layers=(first, second))
    words = [word for word in words_up_to(2, 5) if word and word[-1] in word[:-1]]
    assert not all(is_within_the_bound(broken, word, 2) for word in words)


# Generation beside formulas that are evaluated word by word, and steps that are wrong


BITS = Alphabet(("0", "1"))
PATTERNS = (AttentionPattern(), AttentionPattern(phi=(0, 1)), AttentionPattern(phi=(2,)))


def random_hypothesis(rng: random.Random) -> OneHotTransformer:
    """One head with or without φ, two units, random rows of U."""

    def vector() -> tuple[int, ...]:
        return tuple(rng.randint(-2, 2) for _ in range(3))

    head = OneHotHead(((*vector()[:2], 1),), rng.choice(PATTERNS))
    units = (OneHotUnit(((0, 0, 2),), vector(), rng.randint(-1, 1)), OneHotUnit((), vector(), 1))
    if rng.random() < 0.5:
        reads, threshold = NextReads(Answer.SYMBOL, rng.choice([(0, 1, -1), (-1, 0, 1)])), 0
        signs = (1, 1) if reads.units[0] == -1 else (-1, -1)
    else:
        reads, threshold, signs = NextReads(Answer.SET, rng.choice([(0, 1, 1), (1, 0, -1)])), 0, (1, 1)
    return OneHotTransformer(BITS, 1, (OneHotLayer((head,), units),), signs, threshold, reads=reads)


def test_every_step_is_what_the_formula_says_of_the_word_so_far() -> None:
    rng = random.Random(7)
    ends, lengths = set(), set()
    for seed in [None, *range(40)]:
        hypothesis = random_hypothesis(rng)
        formula = write_formula(hypothesis)
        prompt = tuple(rng.randrange(2) for _ in range(rng.randrange(4)))
        made = generate(hypothesis.to_dense(), prompt, 5, seed)
        word = prompt
        for step in made.steps:
            assert step.named == next_symbols_of(formula, word)[-1]
            assert step.taken in (step.named or (None,))
            assert seed is not None or step.taken == (*step.named, None)[0]
            if step.taken not in (None, "$"):
                word = (*word, BITS.symbols.index(step.taken))
        stuck = made.steps[-1].taken is None
        assert made.ended is (made.answer[-1:] == ("$",))
        assert len(made.steps) == 5 or made.ended or stuck
        ends.add((made.ended, stuck))
        lengths.add(len(made.answer))
    assert ends == {(True, False), (False, True), (False, False)}
    assert len(lengths) > 3


def last_is_not_0(end_after_1: bool) -> OneHotTransformer:
    """About 1*: 1 and $ after SOS and 1, nothing after 0; if asked for, $ after 1 alone."""
    first = OneHotUnit((), (1, 0, 1), 0)
    other = OneHotUnit((), (0, 0, 1), 0)
    units, rows = ((first, other), (-1, 0, 1)) if end_after_1 else ((first,), (-1, 0, 0))
    layer = OneHotLayer((), units)
    return OneHotTransformer(BITS, 0, (layer,), (1,) * len(units), 0, reads=NextReads(Answer.SET, rows))


def test_a_planted_fault_is_found_at_its_step() -> None:
    target = supervise(build_target(load("tomita-1-next")))
    good, bad = (last_is_not_0(fault).to_dense() for fault in (False, True))
    made = generate(good, (), 3, None, target)
    assert (str(made), made.right, [step.right for step in made.steps]) == ("1 1 1 ...", True, [True] * 3)
    made = generate(bad, (), 3, None, target)
    assert (str(made), made.right) == ("1 1 1 ...", False)
    assert [step.right for step in made.steps] == [False, True, True]
    assert str(generate(good, (0,), 3)) == "-"
    # After 01 the last symbol is no 0, but nothing may follow.
    made = generate(good, (0, 1), 1, None, target)
    assert made.steps[0].asked == ()
    assert made.right is False
