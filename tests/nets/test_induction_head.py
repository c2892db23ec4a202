"""The induction head beside bigrams that are counted, its bound, and what it copies."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from idinf.base.words import Alphabet, Word, words_up_to
from idinf.nets.dense import vector
from idinf.nets.generation import generate
from idinf.nets.induction_head import build_induction_head
from idinf.nets.json_format import dumps, loads
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.reference import trace
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise
from tests.asked_for import few


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


@pytest.mark.slow
def test_it_is_right_about_the_target_of_the_gallery() -> None:
    net, target = (
        build_induction_head(Alphabet(("a", "b"))),
        supervise(build_target(load("induction-argmax-next"))),
    )
    for word in words_up_to(2, few(6, 7)):
        named = trace(net, word).next_symbols
        assert all(
            asked in (None, said) for asked, said in zip(target.next_symbols(word), named, strict=True)
        )


def test_it_copies_distinct_symbols_over_and_over() -> None:
    sigma = Alphabet(tuple("acb#"))
    made = generate(build_induction_head(sigma), sigma.encode("#acb#"), most=8)
    assert "".join(made.answer) == "acb#acb#"
