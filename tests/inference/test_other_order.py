"""Records in the order of other prices: what is proved of R* and n0, beside random nets and nested loops."""

from __future__ import annotations

import pytest

import idinf
from idinf.errors import ArgumentError, UnsupportedBoundError
from idinf.experiments.catalogue import load
from idinf.inference.needed_heads import find_needed_heads
from idinf.inference.other_order import order
from idinf.inference.prices import FLOOR, FLOOR_BEYOND_ONE_SYMBOL, FLOOR_HEADLESS, take_price
from idinf.report.value import Outcome
from idinf.transformers import reference
from idinf.transformers.least_scaling import find_least_scaling
from idinf.transformers.regularizer import compute_r_terms
from idinf.words import Alphabet, words_up_to
from tests.compilation.random_hypotheses import random_hypothesis
from tests.search.brute_force import Space, hypotheses, table


@pytest.fixture(scope="module")
def report():
    return idinf.identify("ge-2-3", max_n=8, layers=1, units=1, space="spec")


def test_the_right_hypothesis_falls_below_a_wrong_record(report) -> None:
    found = report.order("scaled")
    assert [(round(record.r, 3), record.fail) for record in found.records] == [
        (3.5, 1),
        (4.0, 2),
        (6.25, 3),
        (6.901, None),
        (7.016, 7),
    ]
    assert (found.outcome, found.n0) == (Outcome.OPEN, None)
    assert (found.r_lower, round(found.r_upper, 6)) == (6.25, 6.901388)
    target, alphabet = idinf.target("ge-2-3"), load("ge-2-3").alphabet
    for record in found.records:
        net = idinf.hypothesis(record.hypothesis)
        assert net.r == pytest.approx(record.r)
        wrong = [
            len(word)
            for word in words_up_to(2, 7)
            if reference.accepts(record.hypothesis, word) != (alphabet.decode(word) in target)
        ]
        assert min(wrong, default=None) == record.fail


def test_where_logits_have_to_be_1_and_0_scaling_keeps_them() -> None:
    """Then ‖U‖ ‖B‖ ≥ 1, so ‖U‖ + ‖B‖ ≥ 2, and a net with a head costs 3 + p + 2 + 3 · 2^-p ≥ 7.5."""
    found = idinf.identify("majority", max_n=4, layers=1, units=1, match="logits", space="spec").order(
        "scaled"
    )
    assert found.r_upper == pytest.approx(7.866025, abs=1e-6)
    target = load("majority").alphabet
    for record in found.records:
        for word in words_up_to(2, min(record.fail or 99, 5) - 1):
            label = target.decode(word) in idinf.target("majority")
            assert reference.trace(record.hypothesis, word).logits == (label,)


def test_n0_is_at_least_what_is_proved(report) -> None:
    """At n = 2 the record of fail 3 has R = 6.25, the least that a head can cost, so n = 2 is bad."""
    assert order(report, "scaled").n0_lower == 3
    assert order(idinf.identify("tomita-1", max_n=4, layers=1, units=1, space="spec"), "scaled").n0_lower == 2


@pytest.mark.slow
def test_floors_hold_of_random_nets() -> None:
    """Nets that tell apart words of one length with one last symbol cost more, the others less at times."""
    cheapest = {True: 99.0, False: 99.0}
    for seed in range(60):
        net = random_hypothesis(seed, largest=1).to_dense()
        r = compute_r_terms(find_least_scaling(net)).total
        labels: dict[tuple[int, int], set[bool]] = {}
        for word in words_up_to(2, 4):
            if word:
                labels.setdefault((len(word), word[-1]), set()).add(reference.accepts(net, word))
        mixed = any(len(answers) == 2 for answers in labels.values())
        cheapest[mixed] = min(cheapest[mixed], r)
    assert cheapest[True] >= FLOOR == 6.25
    assert FLOOR > cheapest[False] >= FLOOR_HEADLESS == 3.5


@pytest.mark.parametrize(
    ("name", "length"), [("majority", 2), ("tomita-1", 2), ("aa-star", None), ("tomita-4", 3)]
)
def test_where_the_last_symbol_and_the_length_are_not_enough(name: str, length: int | None) -> None:
    assert find_needed_heads(load(name), 8).mixed == length


def test_next_symbols_have_the_lower_floor() -> None:
    assert find_needed_heads(load("dyck-1-next"), 8).mixed is None


@pytest.mark.parametrize(
    ("name", "length"), [("majority", 3), ("contains-ab", 2), ("tomita-1", None), ("dyck-1-next", None)]
)
def test_where_one_symbol_is_not_enough(name: str, length: int | None) -> None:
    assert find_needed_heads(load(name), 8).beyond_one_symbol == length


def test_what_costs_less_than_the_floor_says_whether_one_symbol_occurs() -> None:
    """All nets with a head and R < 2 + √2 in Definition 50; they have R <= 10 in Definition 5."""
    space = Space(1, 1, 1, 0, 10.0, logit_max=1, content_max=1, shapes=(((1, 1),),))
    words = [word for word in words_up_to(2, 3) if word]
    simple = {tuple((symbol in word) ^ sign for word in words) for symbol in range(3) for sign in (0, 1)}
    count = 0
    for _, _, _, p, patterns, (layer,), inputs in hypotheses(space, Alphabet(("a", "b")), "max", horizon=3):
        (pattern,) = patterns[0]
        if max(layer.terms[1:]) < 1.4 and not pattern.phi:
            row = tuple(map(bool, inputs.row(patterns[0], layer.values[0], layer.units[0], p, words)))
            assert row in simple
            count += 1
    assert count > 100
    assert pytest.approx(2 + 2**0.5) == FLOOR_BEYOND_ONE_SYMBOL


def test_r_star_of_definition_50() -> None:
    found = idinf.identify("majority", max_n=8, layers=1, space="spec").order("definition-50")
    assert (found.outcome, found.n0) == (Outcome.OPEN, None)
    assert found.r_star == pytest.approx(2 + 2**0.5)
    assert [record.r for record in found.records][:2] == [2.0, 2.0]
    by_sum = idinf.identify("majority", max_n=8, layers=1, aggregate="sum", space="spec").order(
        "definition-50"
    )
    assert by_sum.r_star == found.r_star
    family = idinf.identify("majority", max_n=8).order("definition-50")
    assert family.r_lower <= found.r_star


def test_a_run_that_was_stopped_at_once_has_shown_nothing() -> None:
    report = idinf.identify("majority", max_n=4, layers=1, time_limit=1e-9, space="spec")
    assert [stage.r_star_lower for stage in report.stages] == [0.0] * 4
    found = report.order("definition-50")
    # At n = 4 words show that a head is needed, and more than one symbol; at n = 1 they show nothing.
    assert found.r_lower == pytest.approx(2 + 2**0.5)
    assert take_price("definition-50", report).floor(1) == 2.0


def test_without_periods_delta_one_changes_nothing_but_r() -> None:
    report = idinf.identify("majority", max_n=8, space="nope", layers=1)
    found = report.order("delta-one")
    assert (found.outcome, found.n0, found.is_shift) == (report.outcome, report.n0, True)
    assert found.r_star == pytest.approx(report.stages[-1].r_star + 1)
    stopped = idinf.identify("d-2", max_n=4, space="nope", max_r=8.5, anneal_steps=0)
    assert stopped.outcome is Outcome.OPEN
    found = stopped.order("delta-one")
    assert (found.outcome, found.r_lower, found.r_star) == (Outcome.OPEN, 9.5, None)


#: Regex, alphabet and largest R of nets that are listed; it is above R* + 1 + 1/2.
WITH_PERIODS = [
    ("(aa)*", "a", 9.6),
    ("a(aa)*", "a", 9.6),
    ("a*", "a", 6.6),
    ("b*", "ab", 9.6),
    ("(a|b)*a", "ab", 7.1),
]


@pytest.mark.parametrize(("regex", "alphabet", "max_r"), WITH_PERIODS)
def test_delta_one_beside_every_net_with_and_without_a_period(
    regex: str, alphabet: str, max_r: float
) -> None:
    sizes = {"layers": 1, "heads": 1, "units": 1, "precision": 0, "period": 2}
    report = idinf.identify(
        regex=regex, alphabet=alphabet, space="periodic", max_n=3, max_r=max_r, anneal_steps=0, **sizes
    )
    found, target = report.order("delta-one"), idinf.target(regex=regex, alphabet=alphabet)
    letters = Alphabet(tuple(alphabet))
    entries = table(
        Space(1, 1, 1, 0, max_r, period=2), letters, lambda word: letters.decode(word) in target, horizon=6
    )
    priced = [(entry.r + (entry.key[3] == 1), entry.fail or 99) for entry in entries]
    verdicts = []
    for n in (1, 2, 3):
        right = [(r, fail) for r, fail in priced if fail > n]
        least = min(r for r, _ in right)
        assert least + 1 / (2 * n) <= max_r
        verdicts.append(all(fail > 2 * n for r, fail in right if r <= least + 1 / (2 * n) + 1e-9))
    assert found.r_star == pytest.approx(least)
    assert found.n0 == max((n for n, good in enumerate(verdicts, start=1) if not good), default=0) + 1
    lower = report.order("definition-50").r_lower
    for entry in entries:
        if (entry.fail or 99) > 3:
            terms = compute_r_terms(entry.hypothesis.to_dense())
            assert sum(terms.by_definition_50().values()) >= lower - 1e-8


def test_a_whole_class_is_refused() -> None:
    report = idinf.identify("majority", max_n=2, hypothesis_class="theta")
    for name in ("scaled", "definition-50", "delta-one"):
        with pytest.raises(UnsupportedBoundError, match=f"order {name} with class = theta"):
            report.order(name)
    with pytest.raises(ArgumentError, match="order 'x'; expected one of: scaled, definition-50, delta-one"):
        report.order("x")
