"""Exact fail lengths and least counterexamples against words one at a time."""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.errors import StatesExceeded
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.reference import accepts as reference_accepts
from idinf.search.exact_check import reachability
from idinf.search.exact_check.nets import NetBatch, nets_of
from idinf.search.exact_check.reachability import Frontier, blocks, fail_lengths
from idinf.search.exact_check.summaries import DEFAULT_SIZES, CheckSizes
from idinf.space.structures import LayerShape, Structure
from idinf.space.units import Units
from idinf.targets.machine import Target, accepts
from tests.asked_for import few
from tests.search.exact_check.counterexamples import least_counterexample
from tests.search.random_nets import answers, random_net, random_target
from tests.search.word_by_word import (
    KINDS,
    all_answers,
    least_wrong,
    random_family_layer,
    random_family_net,
    varied,
)


def stacked(nets, patterns=(UNIFORM,)):
    """Hypotheses over the same lower layers, with equal patterns, as one ``NetBatch``."""
    parts = [nets_of(net) for net in nets]
    shape = replace(parts[0].structure.layers[-1], heads=patterns)
    structure = replace(parts[0].structure, layers=(*parts[0].structure.hidden, shape))
    tops = [tuple(map(with_one_head, p.top)) for p in parts]
    joined = [replace(p, structure=structure, top=top) for p, top in zip(parts, tops, strict=True)]
    return NetBatch.concatenate(joined)


def with_one_head(units):
    if units.heads:
        return units
    return replace(units, channel=np.zeros_like(units.own), entry=np.zeros((len(units), 1), np.int64))


class EveryState(Target):
    """Majority again, with a state of its own for every word."""

    alphabet = Alphabet(("0", "1"))

    def start(self):
        return np.array([[0, 1]])

    def step(self, states, symbol):
        return np.stack([states[:, 0] + (-1, 1)[symbol], 2 * states[:, 1] + symbol], axis=1)

    def labels(self, states):
        return states[:, 0] >= 0


@pytest.mark.parametrize("factor", [1, 1 << 46, 1 << 54])
def test_large_parameters_are_exact(factor):
    """1/factor + 1s - 0s > 0, which is majority with ties: float64 would lose the 1."""
    one = np.ones((1, 1), np.int64)
    units = Units(0, np.array([[1, -factor, factor]]), one, np.zeros((1, 3), np.int64), 0 * one[0])
    nets = NetBatch(Structure((LayerShape((UNIFORM,), 1),), 0), (), (units,), one, 0 * one[0])
    assert least_counterexample(EveryState(), nets, 9) is None
    unguarded = fail_lengths(EveryState(), nets, 9, sizes=CheckSizes(float64_exact=1 << 62)).tolist()
    assert unguarded == [2 if factor > 1 << 53 else -1]  # a planted fault: floats beyond their bound
    strict = replace(units, channel=np.array([[0, -factor, factor]]))
    assert least_counterexample(EveryState(), replace(nets, top=(strict,)), 9) == ()


FAMILY_LENGTHS = {1: 8, 2: 5, 3: 3}


def family_shape(rng):
    widths = tuple(int(x) for x in rng.integers(1, 4, int(rng.integers(1, 4))))
    return int(rng.integers(1, 4)), widths, int(rng.integers(0, 3)), int(rng.integers(1, 4))


def decided_alike(net, targets, horizon, sizes=DEFAULT_SIZES):
    """Fail length and least counterexample against the definition; the fails met."""
    known = all_answers(net, horizon)
    fails = set()
    for target in targets:
        wrong = (word for word, value in known.items() if value != accepts(target, word))
        want = next(wrong, None)
        assert least_counterexample(target, nets_of(net), horizon, sizes=sizes) == want
        fail = -1 if want is None else len(want)
        assert fail_lengths(target, nets_of(net), horizon, sizes=sizes).tolist() == [fail]
        fails.add(fail)
    return fails


@pytest.mark.thinned(10)
@pytest.mark.parametrize(
    "seed", [*range(10), *(pytest.param(k, marks=pytest.mark.slow) for k in range(10, 80))]
)
def test_random_hypotheses_of_the_whole_family(seed):
    """The others take up to 10 seconds: many wide layers with dense M."""
    rng = np.random.default_rng([31, seed])
    size, widths, precision, period = family_shape(rng)
    net = random_family_net(rng, size, widths, precision, period)
    decided_alike(net, [random_target(rng, size) for _ in range(4)], FAMILY_LENGTHS[size])


@dataclass(frozen=True)
class Table(Target):
    """The answers of a net word by word, one of them flipped; a state for every word."""

    alphabet: Alphabet
    known: dict[tuple[int, ...], bool]

    def start(self):
        return np.zeros((1, 1), dtype=np.int64)

    def step(self, states, symbol):
        return states * len(self.alphabet) + symbol + 1

    def labels(self, states):
        return np.array([*self.known.values()], dtype=np.bool_)[states[:, 0]]


@pytest.mark.thinned(8)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2])
def test_a_single_wrong_word_is_found(size, kind):
    """Every answer of the net itself, one flipped: the flipped word, wherever it is."""
    rng = np.random.default_rng([5, size, KINDS.index(kind)])
    length = {1: 9, 2: 5}[size]
    net = random_family_net(rng, size, (2, 1), 1, 2, kinds=(kind,))
    known = all_answers(net, length)
    assert fail_lengths(Table(net.alphabet, known), nets_of(net), length).tolist() == [-1]
    for place in (0, 1, *rng.integers(0, len(known), 5)):
        word = list(known)[int(place)]
        flipped = Table(net.alphabet, known | {word: not known[word]})
        assert least_counterexample(flipped, nets_of(net), length) == word
        assert fail_lengths(flipped, nets_of(net), length).tolist() == [len(word)]


WAYS = {
    "int64": CheckSizes(float64_exact=0),
    "integers": CheckSizes(float64_exact=0, int64_exact=0),
    "tiny chunks": CheckSizes(cells=5, chunk=2, waiting=3),
    "cuts": CheckSizes(cuts_from=-1),
    "blocks of one": CheckSizes(),
}


@pytest.mark.thinned(8)
@pytest.mark.parametrize("way", WAYS)
def test_every_kernel_decides_alike(way, monkeypatch):
    if way == "blocks of one":
        singles = lambda horizon: [range(N, N + 1) for N in range(1, horizon + 2)]  # noqa: E731
        monkeypatch.setattr(reachability, "blocks", singles)
    rng = np.random.default_rng(77)
    fails = set()
    for _ in range(6):
        size, widths, precision, period = family_shape(rng)
        net = random_family_net(rng, size, widths, precision, period)
        fails |= decided_alike(
            net, [random_target(rng, size) for _ in range(3)], FAMILY_LENGTHS[size] - 1, WAYS[way]
        )
    assert len(fails) > 2


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kinds_below", [("uniform",), ("phi",), KINDS])
def test_several_tops_over_one_lower_net_of_the_family(kinds_below):
    rng = np.random.default_rng([8, len(kinds_below)])
    for size, length in ((1, 7), (2, 4), (3, 3)):
        first = random_family_net(rng, size, (1, 2), 1, 2, kinds_below=kinds_below)
        features = first.num_features(1)
        pattern = random_family_layer(rng, features, 2, 1, heads=1).heads[0].pattern
        nets = []
        while len(nets) < 8:
            layer = random_family_layer(rng, features, 2, 1, heads=1)
            layer = replace(layer, heads=(replace(layer.heads[0], pattern=pattern),))
            nets.append(replace(first, layers=(*first.layers[:-1], layer)))
        joint = stacked(nets, (pattern,))
        for _ in range(few(1, 2)):
            target = random_target(rng, size)
            words = [least_wrong(net, target, length) for net in nets]
            want = [-1 if word is None else len(word) for word in words]
            assert fail_lengths(target, joint, length).tolist() == want


def test_the_length_that_was_decided_is_told():
    """Summaries that never merge: 2^L of them at length L; no fail up to exact_to is missed."""
    rng = np.random.default_rng(21)
    told = set()
    for kind in ("uniform", "phi", "both"):
        net = random_family_net(rng, 2, (1, 1), 0, 1, kinds=(kind,))
        right = Table(net.alphabet, all_answers(net, 5))
        for max_states in (1, 3, 10):
            with pytest.raises(StatesExceeded, match=r"all words up to length \d+ were decided") as error:
                fail_lengths(right, nets_of(net), 12, max_states)
            exact_to = error.value.exact_to
            told.add(exact_to)
            assert fail_lengths(right, nets_of(net), exact_to).tolist() == [-1]
            again = pickle.loads(pickle.dumps(error.value))
            assert (str(again), again.exact_to) == (str(error.value), exact_to)
    assert told == {1, 2, 4}


def test_blocks_are_halved_before_giving_up(monkeypatch):
    """As if two N were all that fits from length 3 on: the same fails, and no N is left out."""
    rng = np.random.default_rng(18)
    cases = []
    for _ in range(12):
        net = random_family_net(rng, 2, (1, 1), 1, 1, kinds=("phi", "both"))
        target = random_target(rng, 2)
        cases.append((net, target, fail_lengths(target, nets_of(net), 20).tolist()))
    widest = []

    def narrow(self, arrivals, length, last, block, extended=reachability.Frontier._extended):
        if block is not None:
            widest.append(len(block))
            if len(block) > 2 and length >= 3:
                raise StatesExceeded("", max(length, block[0] - 2))
        return extended(self, arrivals, length, last, block)

    monkeypatch.setattr(reachability.Frontier, "_extended", narrow)
    for net, target, want in cases:
        assert fail_lengths(target, nets_of(net), 20).tolist() == want
    assert {1, 2, 8}.issubset(widest)
    assert any(want[0] > 4 for _, _, want in cases) or any(want == [-1] for _, _, want in cases)


def test_the_judge_of_these_tests_is_the_reference():
    rng = np.random.default_rng(9)
    for size, widths in ((1, (2, 1)), (2, (1, 1)), (2, (2,)), (3, (1, 2, 1))):
        for precision in (0, 1):
            net = random_net(rng, size, widths, precision)
            dense = net.to_dense()
            for word, answer in answers(net, 3).items():
                assert reference_accepts(dense, word) == answer


@pytest.mark.parametrize("horizon", [0, 1, 7, 8, 23, 24, 128, 400])
def test_blocks_cover_every_N_once(horizon):
    listed = [N for block in blocks(horizon) for N in block]
    assert listed == list(range(1, horizon + 2))
    assert max(map(len, blocks(horizon))) <= reachability.MAX_BLOCK


class OneLetterWord(Target):
    """#1 ≥ #0, but for one word of equal symbols."""

    alphabet = Alphabet(("0", "1"))

    def __init__(self, symbol, length):
        self.wrong = (-length, length)[symbol]

    def start(self):
        return np.zeros((1, 2), dtype=np.int64)

    def step(self, states, symbol):
        return states + np.array([-1 + 2 * symbol, 1])

    def labels(self, states):
        return (states[:, 0] >= 0) ^ ((states[:, 0] == self.wrong) & (states[:, 1] == abs(self.wrong)))


@pytest.mark.thinned(8)
@pytest.mark.parametrize(("chunk", "waiting"), [(1, 4), (1, 1 << 18), (2, 0), (5, 1 << 18)])
@pytest.mark.parametrize("symbol", [0, 1])
def test_no_summary_is_lost_while_arrivals_wait(chunk, waiting, symbol):
    """More arrivals wait than the bound allows, but the merged ones fit: n + 1 of them at length n."""
    sizes = CheckSizes(chunk=chunk, waiting=waiting)
    head = OneHotHead(((0, 1, -1),))
    layer = OneHotLayer((head,), (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0),))
    net = nets_of(OneHotTransformer(OneLetterWord.alphabet, 0, (layer,), (-1,), -1))
    target, word = OneLetterWord(symbol, 9), (symbol,) * 9
    for max_states in range(7, 14):
        if max_states >= 9:
            assert fail_lengths(target, net, 12, max_states, sizes=sizes).tolist() == [9]
            assert least_counterexample(target, net, 12, max_states, sizes=sizes) == word
        else:
            with pytest.raises(StatesExceeded) as error:
                fail_lengths(target, net, 12, max_states, sizes=sizes)
            assert error.value.exact_to == max_states


MERGED_AT_ONCE = CheckSizes(cuts_from=-1)


def agree(one, other, horizon, sizes=DEFAULT_SIZES):
    run = Frontier([nets_of(one), nets_of(other)], None, sizes=sizes)
    return run.fail_lengths(horizon).tolist() == [-1]


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("size", "length"), [(1, 7), (2, 4), pytest.param(3, 3, marks=pytest.mark.slow)])
def test_nets_of_the_family_and_nets_one_step_away(size, length):
    """One number changed: most pairs agree on short words, and the first difference comes at any length."""
    rng = np.random.default_rng([6, size])
    first_lengths = set()
    for _ in range(5):
        widths = tuple(int(x) for x in rng.integers(1, 3, int(rng.integers(1, 4))))
        one = random_family_net(rng, size, widths, int(rng.integers(0, 3)), int(rng.integers(1, 4)))
        other = varied(rng, one)
        known, others = all_answers(one, length), all_answers(other, length)
        first = next((len(word) for word in known if known[word] != others[word]), length + 1)
        first_lengths.add(first)
        for horizon in {max(first - 1, 0), min(first, length)}:
            assert agree(one, other, horizon) == agree(other, one, horizon) == (horizon < first)
    assert len(first_lengths) > 1


@pytest.mark.thinned(16)
@pytest.mark.parametrize("seed", range(8))
def test_agreement_where_sums_are_merged(seed):
    """Two last layers in one pass, merged from the first length on: every horizon, and long words."""
    rng = np.random.default_rng([15, seed])
    size = int(rng.integers(1, 3))
    length, far = {1: (8, 40), 2: (5, 14)}[size]
    for _ in range(3):
        widths = tuple(int(x) for x in rng.integers(1, 3, int(rng.integers(1, 3))))
        kinds = ("uniform", "uniform", "phi") if rng.random() < 0.3 else ("uniform",)
        one = random_family_net(rng, size, widths, int(rng.integers(0, 2)), int(rng.integers(1, 4)), kinds)
        other = varied(rng, one)
        known, others = all_answers(one, length), all_answers(other, length)
        first = next((len(word) for word in known if known[word] != others[word]), length + 1)
        for horizon in range(length + 1):
            assert agree(one, other, horizon, sizes=MERGED_AT_ONCE) == (horizon < first)
        merged = agree(one, other, far, sizes=MERGED_AT_ONCE)
        assert agree(one, other, far, sizes=CheckSizes(cuts_from=10**9)) == merged


@pytest.mark.parametrize("seed", [0, 24, 71])
def test_a_prefix_counts_for_its_own_N_alone(seed):
    """Units below a count depend on N: with seeds that notice when prefixes of other N are judged, too."""
    rng = np.random.default_rng([9, seed])
    head = OneHotHead((tuple(rng.integers(-4, 5, 3).tolist()),), AttentionPattern(phi=(0, 1)))
    below = OneHotLayer((head,), (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0),))
    counted = *rng.integers(-1, 2, 3).tolist(), int(rng.choice([-2, 2]))
    top = OneHotLayer((OneHotHead((counted,)),), (OneHotUnit(((0, 0, 1),), (0,) * 4, 0),))
    net = OneHotTransformer(Alphabet(("a", "b")), 0, (below, top), (1,), 0)
    assert fail_lengths(Table(net.alphabet, all_answers(net, 5)), nets_of(net), 5).tolist() == [-1]


def test_alike_for_a_layer_means_equal_units_below_at_the_position_itself():
    """Few c before and more a than b so far: words with equally many c differ in the unit below alone."""
    more_a = OneHotLayer((OneHotHead(((0, 1, -1, 0),)),), (OneHotUnit(((0, 0, 1),), (0,) * 4, 0),))
    few_c = OneHotHead(((0, 0, 0, -2, 0),), AttentionPattern(phi=(0, 1)))
    both = OneHotLayer((few_c,), (OneHotUnit(((0, 0, 1),), (0, 0, 0, 0, 1), 0),))
    top = OneHotLayer((), (OneHotUnit((), (0, 0, 0, 0, 0, 1), 0),))
    net = OneHotTransformer(Alphabet(("a", "b", "c")), 0, (more_a, both, top), (1,), 0)
    assert fail_lengths(Table(net.alphabet, all_answers(net, 5)), nets_of(net), 5).tolist() == [-1]
