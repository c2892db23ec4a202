"""Search up to renaming: the group, its action, and what is listed, against brute force and the reference."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from idinf.search.enumeration import Search
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import fail_lengths
from idinf.search.found import Mode
from idinf.search.hypotheses import first_hypothesis
from idinf.search.last_layer.arrays import list_behaviours
from idinf.search.lower_layers import symmetry as module
from idinf.search.lower_layers.symmetry import Symmetry, keeps_target
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.structures import LayerShape, Structure
from idinf.targets.machine import accepts as labelled
from idinf.transformers.attention import AttentionPattern
from idinf.transformers.reference import accepts
from idinf.transformers.regularizer import Aggregate, compute_r_terms
from idinf.words import words_up_to
from tests.asked_for import few
from tests.search import comparison
from tests.search.random_nets import random_dfa
from tests.search.test_against_brute_force import brute_table
from tests.search.tiny_spaces import CASES, SYMMETRIC_CASES
from tests.search.tiny_targets import AB, ABC, BALANCED, Machine, by_word

#: Rotating the letters keeps it, exchanging two of them does not.
CYCLIC = by_word(ABC, lambda w: bool(w) and (w[0] + 1) % 3 == w[-1])

NAMES = (*SYMMETRIC_CASES, "no-c")


def renamed(word, renaming):
    return tuple(renaming[code] for code in word)


def keeps(target, renaming, horizon):
    """By the definition, word by word."""
    words = words_up_to(len(renaming), horizon)
    return all(labelled(target, word) == labelled(target, renamed(word, renaming)) for word in words)


@pytest.mark.slow
@pytest.mark.parametrize("horizon", [2, 5])
def test_group_is_that_of_the_definition(horizon):
    rng = np.random.default_rng(0)
    targets = [CYCLIC, BALANCED, *(random_dfa(rng, 3, 2) for _ in range(40))]
    sizes = set()
    for target in targets:
        size = len(target.alphabet)
        want = [x for x in itertools.permutations(range(size)) if keeps(target, x, horizon)]
        assert list(Symmetry.of(target, ShortWords.of(target, 2), horizon).group) == want
        sizes.add((size, len(want)))
    assert sizes >= {(3, 1), (3, 2), (3, 6), (2, 2)} | ({(3, 3)} if horizon > 2 else set())


def test_renaming_must_keep_words_beyond_the_short_ones_up_to_the_horizon():
    target = by_word(AB, lambda w: w == (0,) * 5)
    words = ShortWords.of(target, 3)
    assert Symmetry.of(target, words, 4).group == ((0, 1), (1, 0))
    assert Symmetry.of(target, words, 5).group == ((0, 1),)
    assert [keeps_target(target, (1, 0), horizon) for horizon in (4, 5)] == [True, False]


def test_too_many_pairs_of_states_leave_the_identity():
    words = ShortWords.of(BALANCED, 3)
    assert Symmetry.of(BALANCED, words, 20, most=21).group == ((0, 1), (1, 0))
    assert Symmetry.of(BALANCED, words, 20, most=20).group == ((0, 1),)


def test_large_alphabets_have_the_identity_alone():
    target = Machine("abcdef", lambda s, a: s, lambda s: True)
    assert Symmetry.of(target, ShortWords.of(target, 2), 3).group == ((0, 1, 2, 3, 4, 5),)


def test_structures_without_lower_layers_or_with_logits_are_left_alone():
    words = ShortWords.of(BALANCED, 3)
    symmetry = Symmetry.of(BALANCED, words, 6)
    plain, local, asked = (
        LayerShape((AttentionPattern(logits, phi),), 1)
        for logits, phi in (((), ()), ((), (0, 1)), (((0, 0, 0),) * 2 + ((1, 0, 0),), ()))
    )
    assert symmetry.acts_on(Structure((plain, plain), 0))
    assert symmetry.acts_on(Structure((local, plain, local), 0))
    assert not symmetry.acts_on(Structure((plain,), 0))
    assert not symmetry.acts_on(Structure((asked, plain), 0))
    assert not symmetry.acts_on(Structure((plain, asked), 0))
    assert not replace(symmetry, group=((0, 1),)).acts_on(Structure((plain, plain), 0))


def whole_group(size, length):
    words = ShortWords.of(by_word(ABC if size == 3 else AB, lambda w: True), length)
    return Symmetry(words, tuple(itertools.permutations(range(size))))


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("size", [2, 3])
def test_one_layer_of_every_orbit_is_least_and_leads_to_the_others(deep, size):
    """Layers of two random units, each a function of N and prefix, written down word by word."""
    symmetry = whole_group(size, 2)
    words, tree = symmetry.words, symmetry.words.forest if deep else symmetry.words.tree
    names = [
        (int(tree.total[row]) if deep else 0, words.word(int(tree.word[row]))) for row in range(len(tree))
    ]
    rng = np.random.default_rng(1)

    def units_of(layer):
        return np.array([[unit[name] for name in names] for unit in layer])

    def as_set(layer):
        return tuple(sorted(tuple(unit[name] for name in names) for unit in layer))

    for _ in range(few(20, 60)):
        kind = rng.integers(3)
        draws = [{name: int(rng.integers(2)) for name in names} for _ in range(2)]
        if kind:  # units that some renamings keep
            draws = [{(N, w): int(w.count(k) > kind - 1) for N, w in names} for k in rng.integers(0, size, 2)]
        orbit = {}
        for renaming in symmetry.group:
            moved = [{(N, w): unit[N, renamed(w, renaming)] for N, w in names} for unit in draws]
            orbit.setdefault(as_set(moved), moved)
        assert sum(symmetry.is_least(units_of(layer), tree) for layer in orbit.values()) == 1
        for layer in orbit.values():
            others = symmetry.others(units_of(layer), tree)
            led = [
                as_set([{(N, w): unit[N, renamed(w, renaming)] for N, w in names} for unit in layer])
                for renaming in others
            ]
            assert len(led) == len(set(led))
            assert {*led, as_set(layer)} == set(orbit)


def search_of(case, **options):
    """A search of a tiny space that screens all words up to the horizon."""
    space, aggregate = case.space, Aggregate(case.aggregate)
    search = Search(case.target, comparison.bounds_of(space), 2 * case.max_n, aggregate, **options)
    search.structures = comparison.Restricted(space, aggregate, len(case.target.alphabet))
    return search


def functions(case):
    """Least R of every function that is right on all words of length 0 and 1."""
    search = search_of(case, screening=2 * case.max_n)
    found = {}
    for batch in search.slice(0.0, case.space.max_r, 1, Mode(expand=True)):
        answers = np.unpackbits(batch.outputs, axis=1, count=len(search.words.labels)).astype(bool)
        for r, row in zip(batch.r.tolist(), answers.tolist(), strict=True):
            found[tuple(row)] = min(r, found.get(tuple(row), np.inf))
    return found


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.slow if x == "no-c" else ()) for x in NAMES]
)
def test_functions_equal_brute_force(name):
    want = {}
    for entry in brute_table(name):
        want[entry.answers] = min(entry.r, want.get(entry.answers, np.inf))
    have = functions(CASES[name])
    assert have.keys() == want.keys()
    assert [have[key] for key in want] == pytest.approx(list(want.values()), abs=1e-9)


def listed(case, mode, screening):
    """How often every hypothesis of a slice comes, by what its units do on short words."""
    search = search_of(case, screening=screening)
    counted = Counter()
    for found in search.slice(0.0, case.space.max_r, 1, mode):
        lower = list_behaviours(found, search.words)[:-1]
        rows = zip(found.r.round(9), found.fail, found.outputs, found.signs, found.threshold, strict=True)
        for r, fail, outputs, signs, threshold in rows:
            counted[found.structure, lower, r, fail, outputs.tobytes(), tuple(signs), threshold] += 1
    return counted, search.counts


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_same_is_listed_as_often_without_the_reduction(name):
    saved = []
    alone = Mode(use_confusion=False, use_headless_bound=False, use_alternation=False)
    for mode, screening in ((Mode(), 1), (alone, 3), (Mode(raw=True), 3), (Mode(expand=True), 2)):
        less, counts = listed(CASES[name], mode, screening)
        want, more = listed(CASES[name], replace(mode, use_symmetry=False), screening)
        assert less == want
        saved.append(more.lower_layers - counts.lower_layers)
    assert min(saved) >= 0
    assert max(saved) > 0


@pytest.mark.thinned(7)
@pytest.mark.parametrize("name", NAMES)
def test_renamed_hypotheses_are_what_they_say(name):
    """Answers, R and fail of renamed batches against the reference, the matrices and the exact check."""
    case = CASES[name]
    search, alphabet = search_of(case, screening=3), case.target.alphabet
    words = list(words_up_to(len(alphabet), 3))
    rng = np.random.default_rng(2)
    batches = list(search.slice(0.0, case.space.max_r, 1, Mode(use_symmetry=False, expand=True)))
    for place in rng.permutation(len(batches))[:4]:
        found = batches[place]
        for renaming in search.symmetry.group:
            copy = search.symmetry.renamed(found, renaming)
            assert copy.r.tolist() == found.r.tolist()
            assert copy.fail.tolist() == found.fail.tolist()
            row = int(rng.integers(len(found)))
            high = float(found.r[row]) + 1e-9
            hypothesis = first_hypothesis(copy, np.array([row]), high, alphabet, search.aggregate)
            original = first_hypothesis(found, np.array([row]), high, alphabet, search.aggregate)
            answers = [accepts(hypothesis.to_dense(), word) for word in words]
            assert answers == [accepts(original.to_dense(), renamed(word, renaming)) for word in words]
            assert answers == np.unpackbits(copy.outputs[row], count=len(words)).astype(bool).tolist()
            assert compute_r_terms(hypothesis.to_dense(), search.aggregate).total == pytest.approx(
                high, abs=1e-7
            )
            fail = fail_lengths(case.target, nets_of(hypothesis), search.horizon)
            assert fail.tolist() == [found.fail[row]]


def no_copies(patch):
    patch.setattr(Symmetry, "others", lambda *_: ())


def all_copies(patch):
    """One copy for every renaming, whether or not it leads elsewhere."""
    patch.setattr(Symmetry, "others", lambda self, *_: self.group[1:])


def sos_for_the_first_symbol(patch):
    """Token columns are taken to begin with the first symbol."""
    right = module._renamed_units

    def wrong(units, renaming):
        return right(units, (*(code - 1 for code in renaming),))

    patch.setattr(module, "_renamed_units", wrong)


def values_stay(patch):
    """Only own weights are renamed."""
    right = module._renamed_units
    patch.setattr(
        module,
        "_renamed_units",
        lambda units, renaming: replace(right(units, renaming), channel=units.channel),
    )


def answers_stay(patch):
    patch.setattr(Symmetry, "_renamed_outputs", lambda self, packed, rows: packed)


def every_layer_is_least(patch):
    patch.setattr(Symmetry, "is_least", lambda *_: True)


def rows_of_words_in_the_forest(patch):
    patch.setattr(
        Symmetry,
        "_rows_of_forest",
        property(lambda self: tuple(rows[self.words.forest.word] for rows in self._rows)),
    )


def words_by_the_inverse(patch):
    """Answers are renamed by σ⁻¹, parameters by σ."""
    right = module._renamed_words
    patch.setattr(
        module, "_renamed_words", lambda words, renaming: right(words, tuple(np.argsort(renaming).tolist()))
    )


FAULTS = {
    no_copies: lambda: test_functions_equal_brute_force("symmetric-pair"),
    all_copies: lambda: test_the_same_is_listed_as_often_without_the_reduction("symmetric-three"),
    every_layer_is_least: lambda: test_the_same_is_listed_as_often_without_the_reduction("symmetric-local"),
    sos_for_the_first_symbol: lambda: test_renamed_hypotheses_are_what_they_say("symmetric-three"),
    values_stay: lambda: test_renamed_hypotheses_are_what_they_say("symmetric-both"),
    answers_stay: lambda: test_functions_equal_brute_force("symmetric-local"),
    rows_of_words_in_the_forest: lambda: test_one_layer_of_every_orbit_is_least_and_leads_to_the_others(
        True, 3
    ),
    words_by_the_inverse: lambda: test_renamed_hypotheses_are_what_they_say("symmetric-three"),
}


#: It takes seconds to see this one.
LONG = (every_layer_is_least,)


@pytest.mark.thinned(6)
@pytest.mark.parametrize(
    "fault",
    [pytest.param(fault, marks=pytest.mark.slow if fault in LONG else ()) for fault in FAULTS],
    ids=lambda x: x.__name__,
)
def test_planted_fault_is_caught(fault, monkeypatch):
    fault(monkeypatch)
    with pytest.raises(AssertionError):
        FAULTS[fault]()
