"""Records in the order of scaled realisations: what is proved of R* and n0 there, beside random nets."""

from __future__ import annotations

import pytest

import idinf
from idinf.errors import UnsupportedBoundError
from idinf.experiments.catalogue import load
from idinf.inference.scaled_order import FLOOR, FLOOR_HEADLESS, find_mixed_length, order_scaled
from idinf.report.value import Outcome
from idinf.transformers import reference
from idinf.transformers.least_scaling import find_least_scaling
from idinf.transformers.regularizer import compute_r_terms
from idinf.words import words_up_to
from tests.compilation.random_hypotheses import random_hypothesis


@pytest.fixture(scope="module")
def report():
    return idinf.identify("ge-2-3", max_n=8, layers=1, units=1)


def test_the_right_hypothesis_falls_below_a_wrong_record(report) -> None:
    order = report.scaled()
    assert [(round(record.r, 3), record.fail) for record in order.records] == [
        (3.5, 1),
        (4.0, 2),
        (6.25, 3),
        (6.901, None),
        (7.016, 7),
    ]
    assert (order.outcome, order.n0) == (Outcome.OPEN, None)
    assert (order.r_lower, round(order.r_upper, 6)) == (6.25, 6.901388)
    target = load("ge-2-3").alphabet
    for record in order.records:
        net = idinf.hypothesis(record.hypothesis)
        assert net.r == pytest.approx(record.r)
        wrong = [
            len(word)
            for word in words_up_to(2, 7)
            if reference.accepts(record.hypothesis, word) != (target.decode(word) in idinf.target("ge-2-3"))
        ]
        assert min(wrong, default=None) == record.fail


def test_n0_is_at_least_what_is_proved(report) -> None:
    """At n = 2 the record of fail 3 has R = 6.25, the least that a head can cost, so n = 2 is bad."""
    assert order_scaled(report).n0_lower == 3
    assert order_scaled(idinf.identify("tomita-1", max_n=4, layers=1, units=1)).n0_lower == 2


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
    assert find_mixed_length(load(name), 8) == length


def test_next_symbols_have_the_lower_floor() -> None:
    assert find_mixed_length(load("dyck-1-next"), 8) is None


def test_a_whole_class_is_refused() -> None:
    report = idinf.identify("majority", max_n=2, hypothesis_class="theta")
    with pytest.raises(UnsupportedBoundError, match="realisation = scaled with class = theta"):
        report.scaled()
