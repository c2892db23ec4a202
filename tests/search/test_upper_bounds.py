"""Upper bounds: checked exactly, as far as it goes, inside the space only; kept when a run is stopped."""

from dataclasses import replace

import pytest

from idinf.base.words import Alphabet
from idinf.errors import HypothesisFormatError, UnsupportedBoundError
from idinf.inference import procedure
from idinf.inference.ladder import Ladder
from idinf.inference.required_predicates import OUTSIDE, synthesize_hypothesis
from idinf.nets import json_format
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit, to_one_hot
from idinf.nets.regularizer import Aggregate, compute_r_terms
from idinf.report.value import Outcome
from idinf.search import upper_bounds
from idinf.search.fail_lengths import FailLengths
from idinf.search.upper_bounds import BoundChecker, UpperBound, choose_bound
from idinf.spec.catalogue import load, read_upper_texts
from idinf.targets.build import build_target
from idinf.work.limits import Limits
from tests.small_runs import prepare
from tests.spaces import small_space

MAJORITY = OneHotTransformer(
    Alphabet(("0", "1")),
    0,
    (OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0),)),),
    (-1,),
    -1,
)
R_MAJORITY = 8.414213562373096


def checker(name, horizon=12, **bounds):
    space = small_space(**{"layers": 4, "heads": 2, "units": 4, "precision": 2, "period": 4, **bounds})
    target = build_target(load(name))
    return BoundChecker(target, space, horizon, Aggregate.MAX, 10**6, FailLengths(target))


def known(name):
    ((origin, text),) = read_upper_texts(name, load(name))
    return to_one_hot(json_format.loads(text, origin))


def checked(checker, hypothesis, **options):
    """The last of the bounds that a check gives."""
    *_, last = checker.checked(hypothesis, **options)
    return last


def test_a_right_hypothesis_bounds_up_to_the_horizon():
    bound = checked(checker("majority"), MAJORITY)
    assert (bound.hypothesis, bound.checked) == (MAJORITY, 12)
    assert bound.r == pytest.approx(R_MAJORITY, abs=1e-9)


def test_a_wrong_hypothesis_is_refused_with_its_least_word():
    with pytest.raises(HypothesisFormatError, match=r"is wrong on '0';.*up to length 12"):
        checked(checker("parity"), MAJORITY)


def test_a_check_that_does_not_fit_says_how_far_it_went(monkeypatch):
    monkeypatch.setattr(upper_bounds, "CHECK_STATES", 100)
    hypothesis = known("aa-bb-cc")
    quick = checked(checker("aa-bb-cc", 20), hypothesis, thorough=False)
    assert 2 < quick.checked < 20
    assert checked(checker("aa-bb-cc", 20), hypothesis).checked == 20
    # The states of the next length are more than the bound: the length stated is the last one decided.
    assert checked(checker("aa-bb-cc", quick.checked), hypothesis, thorough=False).checked == quick.checked


@pytest.mark.parametrize(
    ("name", "bounds", "part"),
    [
        ("d-12", {"layers": 1}, "layers = 2, the space has layers <= 1"),
        ("d-12", {"heads": 1}, "heads = 2, the space has heads <= 1"),
        ("d-12", {"units": 1}, "units = 2, the space has units <= 1"),
        ("d-12", {"precision": 1}, "precision = 2, the space has precision <= 1"),
        ("abab-star", {"period": 2}, "period = 4, the space has period <= 2"),
    ],
)
def test_a_hypothesis_outside_the_space_bounds_nothing(name, bounds, part):
    with pytest.raises(UnsupportedBoundError, match=part):
        checked(checker(name, **bounds), known(name))


def test_the_bound_that_reaches_max_n_comes_first_then_the_least_r():
    short, expensive, cheap = (UpperBound(r, MAJORITY, n) for r, n in ((8.0, 5), (10.0, 16), (9.0, 8)))
    assert choose_bound([short, expensive, cheap], 3, 8) is cheap
    assert choose_bound([short, expensive], 3, 8) is expensive
    assert choose_bound([short], 3, 8) is short
    assert choose_bound([short], 6, 8) is None


def opened(name, max_r, **options):
    """A run that ends open, as its space ends below the R of anything right."""
    space = small_space(layers=3, units=3, precision=0, max_r=max_r)
    return prepare(build_target(load(name)), space, 6, **options)


def test_a_program_is_synthesized_once_and_bounds_an_open_run(monkeypatch):
    made = []

    def counted(*rest):
        made.append(synthesize_hypothesis(*rest))
        return made[-1]

    monkeypatch.setattr(procedure, "synthesize_hypothesis", counted)
    report = Ladder(opened("tomita-1", 7.5), (), None).run()
    assert report.outcome is Outcome.OPEN
    ((r, *_),) = [report.upper_end]
    assert r == pytest.approx(compute_r_terms(made[0].to_dense()).total, abs=1e-9)
    # R*_2 is at most this as well, and its window is the widest of those that are not known.
    assert report.bracket.stop_bound_upper == pytest.approx(r + 1 / 4, abs=1e-9)
    assert len(made) == 1
    same = Ladder(opened("tomita-1", 7.5, jobs=2), (), None).run()
    assert replace(same, seconds=0, peak_bytes=0) == replace(report, seconds=0, peak_bytes=0)


def test_nothing_is_synthesized_where_a_bound_is_known_or_no_program_can_be_right(monkeypatch):
    monkeypatch.setattr(procedure, "synthesize_hypothesis", None)
    assert Ladder(opened("parity", 7.5, needs=lambda: OUTSIDE), (), None).run().bracket.r_upper is None
    run = opened("majority", 7.5)
    run.bound_by(MAJORITY)
    assert Ladder(run, (), None).run().bracket.r_upper == pytest.approx(R_MAJORITY, abs=1e-9)


def test_an_upper_bound_below_what_is_complete_is_a_fault_of_the_search(monkeypatch):
    run = opened("majority", 8.2, limits=Limits())
    run.bound_by(MAJORITY)
    monkeypatch.setattr(run, "_upper", [replace(run._upper[0], r=8.0)])
    with pytest.raises(RuntimeError, match=r"complete up to R = 8\.2.* missed a hypothesis with R = 8\.0"):
        run.run()
