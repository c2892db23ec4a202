"""Prefixes that others dominate: without following them, the same fail lengths."""

from dataclasses import replace

import numpy as np
import pytest

from idinf.nets.one_hot import OneHotTransformer
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import Frontier, fail_lengths
from idinf.search.exact_check.summaries import CheckSizes, Summaries
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.search.exact_check.test_reachability import stacked
from tests.search.known_hypotheses import KNOWN
from tests.search.random_nets import alphabet_of, random_net
from tests.search.word_by_word import all_answers, random_family_net, varied

#: What may be dropped is, from the first length on; or nothing ever.
ON, OFF = CheckSizes(dominated_from=-1), CheckSizes(dominated_from=1 << 60)


def hypothesis_for(name):
    return next(known.hypothesis for known in KNOWN if known.target == name)


def frontier_of(nets, target, sizes):
    return Frontier([nets], target, 10**7, sizes=sizes)


def random_target_with_sinks(rng, size):
    """A random automaton of which one or two states are never left, often reached from all others."""
    states = int(rng.integers(2, 5))
    table = rng.integers(0, states + 2, (states, size)).clip(max=states)
    sinks = np.repeat([[states], [states + 1]], size, axis=1)
    table = np.concatenate([np.where(rng.random(table.shape) < 0.2, states + 1, table), sinks])
    return RegularTarget(alphabet_of(size), table, rng.random(states + 2) < 0.5)


def thinned_out(rng, net):
    """The net with about half of its numbers set to 0, so that more is read with one sign only."""

    def fewer(values):
        kept = tuple(value * int(rng.random() < 0.5) for value in values)
        return kept if any(kept) else values

    layers = []
    for layer in net.layers:
        heads = tuple(replace(head, channels=tuple(map(fewer, head.channels))) for head in layer.heads)
        units = tuple(replace(unit, s=fewer(unit.s)) for unit in layer.units)
        layers.append(replace(layer, heads=heads, units=units))
    return replace(net, layers=tuple(layers))


def stepped(run, rows, length, symbol, block):
    """Which of some summaries accept after one more symbol, (S,), and the summaries then, (S, k)."""
    masks, steps = np.ones(len(rows), dtype=np.uint64), np.zeros((len(rows), 2), dtype=np.int32)
    arrived = run._arrived(Summaries(rows, masks, steps), 0, length, block)
    arrived = arrived.take(arrived.tokens == (symbol + 1 if length else 0))
    features = run.space.rows(arrived.tokens, length, arrived.bits)
    kept = arrived.kept + run.summary.increments(features)
    recent = run._recent.shifted(arrived.recent, arrived.codes(run.space))
    accepted = run._wrong(arrived, block[-1] - 1)[:, 0]  # no word is in the language
    return accepted, np.concatenate([kept, recent, arrived.states], axis=1)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kinds", [("uniform",), ("uniform", "phi")])
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 40))])
def test_what_dominates_accepts_wherever_the_other_does(kinds, seed):
    """The claim itself, for sums that words reach and for others."""
    rng = np.random.default_rng([70, seed, len(kinds)])
    tried = 0
    for _ in range(few(75, 150)):
        size = int(rng.integers(1, 4))
        widths = tuple(int(x) for x in rng.integers(1, 3, int(rng.integers(1, 4))))
        period, precision = int(rng.integers(1, 3)), int(rng.integers(0, 2))
        net = thinned_out(rng, random_family_net(rng, size, widths, precision, period, kinds=kinds))
        nothing = RegularTarget(
            net.alphabet, np.zeros((1, size), dtype=np.int64), np.zeros(1, dtype=np.bool_)
        )
        run = frontier_of(nets_of(net), nothing, OFF)
        dominance = run._dominance
        if not dominance:
            continue
        word = [int(x) for x in rng.integers(0, size, int(rng.integers(4, 10)))]
        length, block = int(rng.integers(1, len(word))), range(len(word) + 1, len(word) + 2)
        rows = run._start(block).rows
        for place in range(length):
            _, rows = stepped(run, rows, place, word[place - 1], block)
        rows = np.repeat(rows, 40, axis=0)
        sums = np.arange(rows.shape[1]) < dominance._number
        rows += rng.integers(-3, 4, rows.shape) * sums
        more = rng.integers(0, 4, (len(rows), len(dominance._moving)))
        larger = rows + rng.integers(-9, 10, rows.shape) * sums  # what nothing depends on may be anything
        larger[:, dominance._fixed] = rows[:, dominance._fixed]
        larger[:, dominance._moving] = rows[:, dominance._moving] + more * dominance._direction
        both = np.concatenate([rows, larger])
        masks = rng.integers(0, 2, len(both)).astype(np.uint64)
        kept = [dominance.undominated(both, masks, np.full(len(both), verdict)) for verdict in (0, 1)]
        for place in range(length, len(word) + 1):
            accepted, both = stepped(run, both, place, word[place - 1], block)
        smaller, greater = np.split(accepted, 2)
        assert not (smaller & ~greater).any()
        tried += int((smaller != greater).any())
        for differs, places in zip((accepted, ~accepted), kept, strict=True):
            for mask in (0, 1):
                assert differs[places][masks[places] == mask].any() == differs[masks == mask].any()
    assert tried > 3


@pytest.mark.thinned(6)
@pytest.mark.parametrize("kinds", [("uniform",), ("uniform", "phi")])
@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(k, marks=pytest.mark.slow) for k in range(6, 60))]
)
def test_against_the_word_by_word_judge(kinds, seed):
    rng = np.random.default_rng([71, seed, len(kinds)])
    size = int(rng.integers(1, 4))
    widths = tuple(int(x) for x in rng.integers(1, 3, int(rng.integers(1, 4))))
    net = random_family_net(rng, size, widths, int(rng.integers(0, 2)), int(rng.integers(1, 3)), kinds=kinds)
    length = {1: 9, 2: 6, 3: 4}[size]
    known = all_answers(net, length)
    for _ in range(8):
        target = random_target_with_sinks(rng, size)
        wrong = (len(word) for word, value in known.items() if value != accepts(target, word))
        assert fail_lengths(target, nets_of(net), length, sizes=ON).tolist() == [next(wrong, -1)]


@pytest.mark.thinned(8)
@pytest.mark.parametrize("name", ["d-2", "d-3", "d-4", "contains-ab-abc", "ab-d-bc", "anbncn"])
def test_hypotheses_that_are_almost_right(name):
    """Variants of right hypotheses fail late, so that many prefixes are dropped before."""
    rng = np.random.default_rng([72, len(name)])
    spec = load(name)
    target = build_target(spec)
    net = hypothesis_for(name)
    horizon, met = 20 if len(spec.alphabet) < 3 else 14, set()
    assert fail_lengths(target, nets_of(net), horizon, sizes=ON).tolist() == [-1]
    for _ in range(few(10, 24)):
        changed = varied(rng, net)
        [fail] = fail_lengths(target, nets_of(changed), horizon, sizes=ON).tolist()
        assert [fail] == fail_lengths(target, nets_of(changed), horizon, sizes=OFF).tolist()
        met.add(fail)
    assert len(met) > 3


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", range(3))
def test_several_hypotheses_that_share_lower_layers(seed):
    """What one accepts the more readily may be what another one accepts the less readily."""
    rng = np.random.default_rng([73, seed])
    first = random_net(rng, 2, (1, 1), 1)
    others = [random_net(rng, 2, (1, 1), 1) for _ in range(7)]
    nets = [
        OneHotTransformer(o.alphabet, 1, (*first.layers[:-1], o.layers[-1]), o.signs, o.threshold)
        for o in (first, *others)
    ]
    for _ in range(6):
        target = random_target_with_sinks(rng, 2)
        alone = [fail_lengths(target, nets_of(net), 9, sizes=OFF).tolist()[0] for net in nets]
        assert fail_lengths(target, stacked(nets), 9, sizes=ON).tolist() == alone
