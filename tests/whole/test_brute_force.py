"""The whole class below its floor against all matrices of small width, and random nets of every kind."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.nets.dense import Activation, Head, Layer, Mlp
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.reference import accepts
from idinf.nets.regularizer import compute_r_terms
from idinf.search.exact_check.reachability import fail_lengths
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.spec.bounds import HypothesisClass
from idinf.targets.regular import RegularTarget
from idinf.whole.floors import FLOOR, least_of_logits
from idinf.whole.functions import WeighedWords, as_nets, name_choices
from idinf.whole.search import WholeClassSearch
from idinf.whole.token_sets import list_periodic_sets, list_token_sets, list_unit_sets
from tests.asked_for import few


def vectors(width: int, norm: float) -> list[tuple[int, ...]]:
    """All integer vectors up to a norm."""
    largest = range(-int(norm), int(norm) + 1)
    return [v for v in itertools.product(largest, repeat=width) if math.hypot(*v) <= norm]


def names_by_matrices(width: int, p: int, most: float) -> dict[tuple[int, ...], float]:
    """Least R of every function of two tokens that reads more than the last one, by all U, V and E."""
    least: dict[tuple[int, ...], float] = {}
    rows = vectors(width, most - 2)  # the two others have norms of at least 1
    for V in itertools.product(rows, repeat=width):
        matrix = np.array(V)
        norm, rank = float(np.linalg.norm(matrix, 2)), int(np.linalg.matrix_rank(matrix))
        if not rank or norm + 2 > most:
            continue
        for U in rows:
            left = most - norm - math.hypot(*U)
            if left < 1 or not any(U):
                continue
            read = matrix.T @ np.array(U)
            shortest: dict[tuple[int, int], float] = {}
            for E in vectors(width, left):
                pair = int(np.dot(U, E)), int(read @ np.array(E))
                shortest[pair] = min(shortest.get(pair, math.inf), math.hypot(*E))
            for tokens in itertools.product(shortest.items(), repeat=2):
                s, t = (tuple(pair[k] for pair, _ in tokens) for k in range(2))
                if not any(t):
                    continue
                both = [2**p * x for x in s] + list(t)
                name = tuple(x // math.gcd(*both) for x in both)
                r = 2 + p + rank + (norm + math.hypot(*U) + max(length for _, length in tokens)) / 2**p
                least[name] = min(least.get(name, math.inf), r)
    return least


def random_net(generator: random.Random, alphabet: Alphabet) -> LimitTransformer | None:
    """A net of any parts on a small grid, with R below the floor; None if it has more."""
    p, width = generator.choice([0, 1, 1, 1, 2, 2, 2]), generator.choice([1, 2, 3])

    def row(chance: float, size: int = width) -> tuple[Fraction, ...]:
        entries = (generator.choice([-1, 1, 1, 2]) if generator.random() < chance else 0 for _ in range(size))
        return tuple(Fraction(entry, 2**p) for entry in entries)

    heads = generator.choice([0, 1, 1, 1, 1])
    units = generator.choice([0, 0, 1, 2])
    each = 1.2 / width
    made = []
    for _ in range(heads):
        K, Q = (row(each * generator.randrange(2)),), (row(each * generator.randrange(2)),)
        made.append(Head(K, Q, tuple(row(each) for _ in range(width))))
    mlp = Mlp(
        tuple(row(each) for _ in range(units)),
        row(0.2, units),
        tuple(row(each, units) for _ in range(width)),
        tuple(generator.choice([*Activation]) for _ in range(units)),
    )
    embedding = tuple(row(each) for _ in range(len(alphabet) + 1))
    positions = (row(each * generator.randrange(2)),)
    net = LimitTransformer(alphabet, p, embedding, positions, (Layer(tuple(made), mlp),), (row(each),))
    return net if compute_r_terms(net).total < FLOOR - 1e-9 else None


ONE, TWO = Alphabet(("a",)), Alphabet(("a", "b"))
EVERY = RegularTarget.from_regex("(a|b)*", TWO)


def names_by_sets(p: int, below: float) -> dict[tuple[int, ...], float]:
    """The same by the token sets, of one p alone."""
    least: dict[tuple[int, ...], float] = {}
    for tokens in list_token_sets(FLOOR):
        if tokens.precision != p or tokens.x is None or tokens.r >= below:
            continue
        choice = np.array([*itertools.product(range(len(tokens.vectors)), repeat=2)])
        choice = choice[tokens.sums[choice].any(axis=(1, 2))]
        for name in map(tuple, name_choices(tokens, choice).tolist()):
            least[name] = min(least.get(name, math.inf), tokens.r)
    return least


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("width", "p", "most"), [(1, 1, 4.5), (2, 1, 3.9), (2, 2, 3.6), (2, 0, 3.2), (3, 1, 3.2)]
)
def test_every_matrix_of_small_width_is_in_a_token_set(width, p, most):
    """All V of every rank, all U and all E: the same functions, each with the same least R, and no others."""
    by_matrices = names_by_matrices(width, p, most)
    by_sets = names_by_sets(p, 3 + p + most / 2**p)
    cheaper = names_by_sets(1, 6.3) | names_by_sets(2, 6.3) | names_by_sets(0, 6.3)
    for name, r in by_matrices.items():
        known = min(by_sets.get(name, math.inf), cheaper.get(name, math.inf))
        assert known <= r + 1e-9, (name, r)
    if width >= 2:
        for name, r in by_sets.items():
            if r < 3 + p + 3.5 / 2**p:  # two coordinates are enough for so little
                assert by_matrices[name] <= r + 1e-9, (name, r)


def test_written_nets_have_the_answers_and_the_r_of_their_sets():
    """The matrices of a choice are judged by the reference, word by word; R is read off them."""
    generator = random.Random(5)
    words = ShortWords.of(EVERY, 4)
    weighed = WeighedWords.of(words)
    for tokens in (*list_token_sets(FLOOR), *list_unit_sets())[:: few(3, 1)]:
        choice = np.array([[generator.randrange(len(tokens.vectors)) for _ in range(3)] for _ in range(2)])
        answers = weighed.answers(tokens, choice)
        for row, answered in zip(choice, answers, strict=True):
            net = tokens.write(TWO, row.tolist())
            assert compute_r_terms(net).total <= tokens.r + 1e-9
            asked = generator.sample(range(len(words.labels)), 8)
            assert [accepts(net, words.word(k)) for k in asked] == [bool(answered[k]) for k in asked]


def test_the_exact_check_reads_the_same_nets():
    """Fail lengths against the language of all words are the first words that a net rejects."""
    generator = random.Random(6)
    words = ShortWords.of(EVERY, 6)
    weighed = WeighedWords.of(words)
    for tokens in (*list_token_sets(FLOOR)[3:40], *list_unit_sets())[:: few(3, 1)]:
        choice = np.array([[generator.randrange(len(tokens.vectors)) for _ in range(3)] for _ in range(3)])
        first = words.first_difference(weighed.answers(tokens, choice))
        assert fail_lengths(EVERY, as_nets(tokens, choice), 6).tolist() == first.tolist()


def test_no_random_net_below_the_floor_is_missing():
    """Whatever parts a net has, what it does on short words is done by a listed net of no larger R."""
    generator = random.Random(7)
    words = ShortWords.of(EVERY, 3)
    met: dict[bytes, float] = {}
    weighed = WeighedWords.of(words)
    for tokens in (*list_token_sets(FLOOR), *list_unit_sets()):
        choice = np.array([*itertools.product(range(len(tokens.vectors)), repeat=3)])
        for answered in np.unique(np.packbits(weighed.answers(tokens, choice), axis=1), axis=0):
            met.setdefault(answered.tobytes(), tokens.r)
    seen = 0
    while seen < few(40, 400):
        net = random_net(generator, TWO)
        if net is None or not any(map(any, net.unembedding)):
            continue
        answered = np.array([accepts(net, words.word(k)) for k in range(len(words.labels))])
        seen += 1
        assert met[np.packbits(answered).tobytes()] <= compute_r_terms(net).total + 1e-9


def test_logits_need_what_the_lemma_says():
    """All integer 2 by 2 matrices and vectors at p = 1: no logit above half a step with smaller norms."""
    matrices = np.array([*itertools.product(range(-5, 6), repeat=4)])
    both = [*itertools.product(vectors(2, 2.3), repeat=2)]
    products = np.array([np.outer(key, query).ravel() for key, query in both])
    norms = np.linalg.norm(matrices.reshape(-1, 2, 2), 2, axis=(1, 2)) / 4
    lengths = np.array([max(math.hypot(*key), math.hypot(*query)) for key, query in both]) / 2
    above = np.abs(matrices @ products.T) > 4  # in sixteenths: more than 1/4
    least = (norms[:, None] + lengths)[above].min()
    assert least_of_logits(1) - 1e-9 <= least < least_of_logits(1) + 0.1


def test_counts_that_confuse_the_target_leave_nothing():
    """ab and ba have equal counts; with c after them no net of one uniform head tells them apart."""
    target = RegularTarget.from_regex("abc", Alphabet(("a", "b", "c")))
    search = WholeClassSearch(target, HypothesisClass.THETA, 8)
    assert [*search.level(5.5, 3)] == []
    assert any(len(found) for found in search.level(5.5, 2))


def test_no_random_net_with_a_period_is_missing():
    """Limit Transformers without a head: token and residue, with and without a unit, of periods 2 and 3."""
    generator = random.Random(11)
    words = ShortWords.of(EVERY, 4)
    weighed = WeighedWords.of(words)
    met: dict[bytes, float] = {}
    for tokens in (*list_token_sets(6.3)[:2], *list_periodic_sets()):
        choice = np.array([*itertools.product(range(len(tokens.vectors)), repeat=3)])
        for answered in np.unique(np.packbits(weighed.answers(tokens, choice), axis=1), axis=0):
            key = answered.tobytes()
            met[key] = min(tokens.r, met.get(key, math.inf))
    seen = with_unit = 0
    while seen < few(50, 300):
        p, width, period = (
            generator.choice([0, 1, 1, 2, 2]),
            generator.choice([1, 2]),
            generator.choice([2, 2, 3]),
        )

        def row(size: int = width, chance: float = 0.6, grid: int = 2**p) -> tuple[Fraction, ...]:
            entries = (generator.choice([-1, 1]) if generator.random() < chance else 0 for _ in range(size))
            return tuple(Fraction(entry, grid) for entry in entries)

        units = generator.choice([0, 1, 1])
        A, b = tuple(row() for _ in range(units)), row(units, 0.1)
        mlp = Mlp(A, b, tuple(row(units) for _ in range(width)), (generator.choice([*Activation]),) * units)
        positions = tuple(row() for _ in range(period))
        if len(set(positions)) == 1:
            continue
        embedding = tuple(row(chance=0.3) for _ in range(3))
        net = LimitTransformer(TWO, p, embedding, positions, (Layer((), mlp),), (row(),))
        if compute_r_terms(net).total >= FLOOR - 1e-9:
            continue
        answered = np.array([accepts(net, words.word(k)) for k in range(len(words.labels))])
        seen, with_unit = seen + 1, with_unit + units
        assert met[np.packbits(answered).tobytes()] <= compute_r_terms(net).total + 1e-9
    assert with_unit > few(15, 50)


def test_periodic_sets_are_written_and_checked_alike():
    """The matrices are judged by the reference, and the exact check reads the same nets."""
    generator = random.Random(12)
    words = ShortWords.of(EVERY, 5)
    weighed = WeighedWords.of(words)
    for tokens in list_periodic_sets()[: 120 : few(3, 1)]:
        choice = np.array([[generator.randrange(len(tokens.vectors)) for _ in range(3)]])
        net, answers = tokens.write(TWO, choice[0].tolist()), weighed.answers(tokens, choice)
        assert compute_r_terms(net).total <= tokens.r + 1e-9
        for place in generator.sample(range(len(words.labels)), 6):
            assert accepts(net, words.word(place)) == answers[0, place]
        assert (
            fail_lengths(EVERY, as_nets(tokens, choice), 5).tolist()
            == words.first_difference(answers).tolist()
        )
