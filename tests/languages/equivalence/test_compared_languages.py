"""Verdicts: which way is taken, and what it proves."""

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.languages.equivalence import comparison
from idinf.languages.equivalence.comparison import ComparedAnswer, compare
from idinf.languages.equivalence.dense import accepts
from idinf.nets.limit_transformer import LimitTransformer
from tests.languages.equivalence.languages_by_words import (
    least_difference,
    program,
    random_dense,
    random_regex,
    regex,
)
from tests.search.word_by_word import random_family_net

AB = Alphabet(("a", "b"))


DYCK = 'v = # "a" < # "b" x = # "a" == # "b" && # v == 0'


def test_one_definition():
    assert compare(program(DYCK), program("y = 3 " + DYCK), 4, 1000) == ComparedAnswer(
        None, None, comparison.SAME
    )
    net = random_dense(np.random.default_rng(1), 2)
    assert compare(net, net, 4, 1000).method == comparison.SAME


def test_finite_machines_are_decided_for_ever():
    assert compare(regex("(ab)*a"), regex("a(ba)*"), 1, 1000) == ComparedAnswer(None, None, comparison.PAIRS)
    late = compare(regex("a{40}b"), regex("a{40}(b|a)"), 3, 1000)
    assert late == ComparedAnswer((0,) * 41, 40, comparison.PAIRS)  # beyond --max-n, and still true


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(4))
def test_every_mix_of_kinds(seed):
    """Family, dense with and without φ, program, regex: all pairs against all words up to length 4."""
    rng = np.random.default_rng([71, seed])
    sides = [
        random_family_net(rng, 2, (1, 1), 0, 1, ("uniform", "phi")).to_dense(),
        random_dense(rng, 2, 2, 1),
        random_dense(rng, 2, 1, 1, phi=True),
        program(f'x = # "a" <= # "b" + {int(rng.integers(0, 3))}'),
        regex(str(rng.choice(["(ab)*", "a*", ".*b", ".*"]))),
    ]
    renamed = [_over_ab(side) for side in sides]
    for one in renamed:
        for other in renamed:
            wanted = least_difference(one, other, 4)
            verdict = compare(one, other, 4, 100_000)
            if wanted is None:
                assert verdict.word is None or len(verdict.word) > 4
                assert verdict.up_to is None or verdict.up_to >= 4
            else:
                assert (verdict.word, verdict.up_to) == (wanted, len(wanted) - 1)
                assert accepts(one, wanted) != accepts(other, wanted)


def _over_ab(side):
    from dataclasses import replace

    return replace(side, alphabet=AB) if isinstance(side, LimitTransformer) else side


def test_word_by_word_finds_the_least():
    rng = np.random.default_rng(61)
    lengths = set()
    for _ in range(5):
        net = _with_logits(random_dense(rng, 2, 1, 0), 1)
        for other in (regex(random_regex(rng, "ab")), _with_logits(random_dense(rng, 2, 1, 0), 1)):
            beaten = []
            verdict = compare(_over_ab(net), _over_ab(other), 4, 1000, beaten.append)
            assert verdict.method == comparison.WORDS
            assert verdict.word == least_difference(net, other, 4)
            assert beaten[-1] == (3 if verdict.word is None else len(verdict.word) - 1)
            lengths.add(beaten[-1])
    assert len(lengths) > 2


def _with_logits(net, logit):
    from dataclasses import replace

    from idinf.nets.dense import Head, matrix

    row = matrix([[logit] + [0] * (net.width - 1)])
    zero = matrix([[0] * net.width] * net.width)
    layer = net.layers[0]
    return replace(net, layers=(replace(layer, heads=(*layer.heads, Head(row, row, zero))),))


def test_one_layer_is_decided_for_ever():
    """The word is the least one up to --max-n, and one of the shortest beyond."""
    majority = program('x = # "a" <= # "b"')
    same = compare(majority, program('x = 2 * # "a" < 2 * # "b" + 1'), 3, 1000, most_pairs=50)
    assert same == ComparedAnswer(None, None, comparison.PROGRAMS)
    other = program('x = 12 * # "a" <= 13 * # "b" || "a" && # "b" > 30')
    near = compare(majority, other, 25, 1000, most_pairs=50)
    assert near == ComparedAnswer((0,) * 13 + (1,) * 12, 24, comparison.REACHABILITY)
    far = compare(majority, other, 24, 1000, most_pairs=50)
    assert (far.up_to, far.method, far.is_least) == (24, comparison.PROGRAMS, False)
    assert far.word is not None
    assert len(far.word) == 25
    assert accepts(majority, far.word) != accepts(other, far.word)
    # A limit that ends the search for the least one leaves what is known.
    full = compare(majority, other, 25, 5, most_pairs=50)
    assert (full.word, full.up_to, full.is_least) == (far.word, 24, False)
    assert "more than the 5 that fit" in full.stop_reason
