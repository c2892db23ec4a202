"""The comparison with nested loops is sharp: every planted fault of the search makes it fail.

What the enumeration gives is compared in ``test_against_brute_force.py``.
"""

from dataclasses import replace

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Regularizer
from idinf.search import enumeration, hypotheses
from idinf.search.enumeration import Search
from idinf.search.last_layer import intervals, several_units, solver
from idinf.search.lower_layers import normal_form
from idinf.search.short_words import features
from idinf.search.short_words.features import Inputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.search.slice_types import Mode
from idinf.space import layers, structures
from idinf.space.structures import Structure
from idinf.space.units import Units
from idinf.spec.bounds import SpaceBounds
from idinf.targets.regular import RegularTarget
from tests.search import test_against_brute_force, test_hypotheses
from tests.search.brute_force import Space
from tests.search.lower_layers import test_builder as test_stacks
from tests.search.tiny_spaces import LOCAL, Case, local_in
from tests.search.tiny_targets import A, by_word


def tolerance_one_over_n(patch):
    """The window is 1/n instead of 1/(2n)."""
    patch.setattr(Regularizer, "window", lambda _, n: 1.0 / n)


def counts_without_sos(patch):
    """SOS is no key: the count of $ is 0."""
    right = Inputs.first

    def wrong(*args):
        inputs = right(*args)
        return replace(inputs, counts=inputs.counts * (np.arange(inputs.size) > 0)[:, None])

    patch.setattr(Inputs, "first", wrong)


def z_off_by_one(patch):
    """⌊x⌋ instead of ⌊x⌋ + 1: Heaviside(0) counts as 1."""
    right = intervals._bounds_of_y
    patch.setattr(intervals, "_bounds_of_y", lambda least, *rest: right(least - 1, *rest))


def z_by_ceiling(patch):
    """⌈x⌉ + 1 instead of ⌊x⌋ + 1."""

    class Wrong:
        floor = staticmethod(np.ceil)

        def __getattr__(self, name):
            return getattr(np, name)

    patch.setattr(intervals, "np", Wrong())


def own_weights_are_free(patch):
    """‖A‖ is left out of R."""
    right = Units.costs
    patch.setattr(Units, "costs", lambda self, *args: right(self, *args) * np.array([1.0, 1.0, 0.0, 1.0]))


def forms_without_bound(patch):
    """Normal forms forget the constant, so different functions are taken for one."""
    right = normal_form._half_space

    def wrong(*args):
        form = right(*args)
        form[:, -1] = 0
        return form

    patch.setattr(normal_form, "_half_space", wrong)


def no_complement(patch):
    """The reading by (−1, threshold −1) is forgotten."""
    right = solver.next_readings

    def wrong(*args):
        found = right(*args)
        return replace(found, readings=tuple(r for r in found.readings if r.threshold == 0))

    patch.setattr(solver, "next_readings", wrong)


def slices_with_gaps(patch):
    """A sliver above every border of a slice is lost."""
    right = enumeration.Search.slice
    patch.setattr(
        enumeration.Search, "slice", lambda self, low, high, *rest: right(self, low + 0.2, high, *rest)
    )


def no_shared_channels(patch):
    """Units never read one channel together."""
    right = layers.Readers.of

    def wrong(*asked):
        readers = right(*asked)
        return readers.take(np.flatnonzero(~readers.shared.any(axis=1)))

    patch.setattr(layers.Readers, "of", staticmethod(wrong))


def no_channel_of_three(patch):
    """At most two units share a channel."""
    right = layers._is_whole

    def wrong(sets, shared, *rest):
        names = shared[sets.chosen]
        alike = ((names[:, :, None] == names[:, None]) & (names >= 0)[:, None]).sum(axis=2)
        return right(sets, shared, *rest) & (alike < 3).all(axis=(1, 2))

    patch.setattr(layers, "_is_whole", wrong)


def with_pattern(patch, change):
    """Short words are read with other attention than the net has."""
    right = Inputs._weights
    patch.setattr(Inputs, "_weights", lambda self, pattern, *rest: right(self, change(pattern), *rest))


def phi_is_ignored(patch):
    with_pattern(patch, lambda pattern: AttentionPattern(pattern.logits))


def phi_is_reversed(patch):
    """φ(τ − k) for φ(k)."""
    with_pattern(patch, lambda pattern: AttentionPattern(pattern.logits, pattern.phi[::-1]))


def logits_are_transposed(patch):
    """M[query, key] for M[key, query]."""
    with_pattern(
        patch, lambda pattern: AttentionPattern(tuple(zip(*pattern.logits, strict=True)), pattern.phi)
    )


def logits_are_ignored(patch):
    with_pattern(patch, lambda pattern: AttentionPattern((), pattern.phi))


def weights_are_cut_off(patch):
    """⌊2^p N^a⌋ instead of rounding."""
    patch.setattr(
        features, "compute_scaled_weight", lambda N, logit, p: int(2**p * N ** (logit / 2**p) + 1e-6)
    )


def weights_by_prefix(patch):
    """N = i + 1 instead of n + 1 at positions i < n."""
    right = ShortWords.forest.func
    patch.setattr(
        ShortWords, "forest", property(lambda self: replace(right(self), total=right(self).lengths + 1))
    )


def one_denominator(patch):
    """The denominator of the second head is forgotten."""

    def wrong(weights, sums, size):
        return (weights[0].total if weights else np.ones(size, np.int64)), sums

    patch.setattr(features, "cleared", wrong)


def residues_are_shifted(patch):
    """Position 0 has residue 1."""
    right = Inputs.first

    def wrong(words, period):
        inputs = right(words, period)
        tokens = words.symbols + 1
        last = np.concatenate([inputs.last[:tokens], np.roll(inputs.last[tokens:], 1, axis=0)])
        return replace(inputs, last=last, counts=inputs.tree.accumulate(last))

    patch.setattr(Inputs, "first", wrong)


def positions_are_free(patch):
    """‖p_i‖ and Δ are left out of R."""
    right = Structure.base
    patch.setattr(
        Structure,
        "base",
        lambda self, aggregate: right(self, aggregate) - (self.period + 1) * (self.period > 1),
    )


def heads_of_one_pattern(patch):
    """Two heads always have the same pattern."""
    right = structures.choose_heads

    def wrong(*args):
        return (choice for choice in right(*args) if len(set(choice[0])) < 2)

    patch.setattr(structures, "choose_heads", wrong)


def no_votes(patch):
    """Of several output units one suffices, never all are asked for."""
    right = several_units.vote_readings

    def wrong(*args):
        found = right(*args)
        return replace(found, readings=tuple(r for r in found.readings if r.least == 1))

    patch.setattr(several_units, "vote_readings", wrong)


def logits_stay(patch):
    """Where units below are exchanged, M is not."""
    patch.setattr(hypotheses, "replace", lambda pattern, logits: pattern)


#: The cheapest way to tell n < 5 from n ≥ 5 here: at i = 1, below, by the weight √(n + 1) of the key $.
OF_THE_WHOLE_INPUT = Case(
    by_word(A, lambda word: len(word) >= 5),
    Space(2, 1, 1, 1, 10.37, (((1, 1), (1, 1)),), **LOCAL, precisions=(1,), only=local_in(0)),
    5,
)

FAULTS = {
    no_shared_channels: "even-unary-shared-channel",
    z_off_by_one: "unary-3-layers",
    no_complement: "unary-3-layers",
    slices_with_gaps: "unary-3-layers",
    counts_without_sos: "dyck-head-above",
    forms_without_bound: "dyck-head-below",
    tolerance_one_over_n: "majority-1-layer",
    z_by_ceiling: "majority-1-layer",
    own_weights_are_free: "majority-1-layer",
    phi_is_ignored: "local",
    phi_is_reversed: "local",
    weights_are_cut_off: "local-at-0",
    weights_by_prefix: "of-the-whole-input",
    logits_are_ignored: "two-heads-content",
    logits_are_transposed: "content",
    one_denominator: "two-heads-half",
    heads_of_one_pattern: "two-heads-one-local",
    residues_are_shifted: "period-2-letters",
    positions_are_free: "period-3",
    no_votes: "two-outputs-above",
}


@pytest.fixture(autouse=True)
def _weights_of_this_test():
    """Weights that are kept hide a fault in them, and a fault leaves wrong ones to later tests."""
    features._weight_table.cache_clear()
    yield
    features._weight_table.cache_clear()


@pytest.fixture(autouse=True)
def _one_more_case(monkeypatch):
    monkeypatch.setitem(test_against_brute_force.CASES, "of-the-whole-input", OF_THE_WHOLE_INPUT)


@pytest.mark.slow
@pytest.mark.parametrize(("tolerance", "screening"), [(None, None), (None, 2)])
def test_weights_of_the_whole_input(tolerance, screening):
    test_against_brute_force.test_report_equals_brute_force("of-the-whole-input", tolerance, screening)


#: These take seconds: of two faults of content-dependent logits, the slower; weights have others.
SLOW = {logits_are_transposed, weights_by_prefix}


@pytest.mark.thinned(9)
@pytest.mark.parametrize(
    ("fault", "name"),
    [
        pytest.param(
            *pair, marks=pytest.mark.slow if pair[0] in SLOW else (), id=f"{pair[0].__name__}-{pair[1]}"
        )
        for pair in FAULTS.items()
    ],
)
def test_planted_fault_is_caught(fault, name, monkeypatch):
    fault(monkeypatch)
    with pytest.raises((AssertionError, KeyError, StopIteration, RuntimeError)):  # the run may notice it, too
        test_against_brute_force.test_report_equals_brute_force(name, None, None)


#: No tiny space needs these features; the comparisons of lower layers and of written hypotheses do.
FAULTS_OF_PARTS = {
    no_channel_of_three: lambda: test_stacks.test_every_behaviour_once_with_its_pareto_costs(
        "three-units", Aggregate.MAX
    ),
    logits_stay: lambda: test_hypotheses.test_first_of_all_orders_of_units_and_heads("content-above"),
}


@pytest.mark.parametrize("fault", FAULTS_OF_PARTS, ids=lambda x: x.__name__)
def test_planted_fault_of_a_part_is_caught(fault, monkeypatch):
    fault(monkeypatch)
    with pytest.raises(AssertionError):
        FAULTS_OF_PARTS[fault]()


def test_what_is_said_of_longer_words_than_are_screened_is_not_compared():
    """Words up to length 6 count here, and those up to 3 are screened; over one letter it is 20."""
    bounds = SpaceBounds.from_preset("nope", layers=2, units=2, precision=1)
    target = RegularTarget.from_regex("(ab)*", Alphabet(("a", "b")))
    search = Search(target, bounds, 16, screening=3)
    found = [r for batch in search.slice(10.2, 10.25, 6, Mode()) for r in batch.r[batch.fail < 0]]
    assert {round(float(r), 6) for r in found} == {10.239354}
