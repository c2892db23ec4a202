"""From a spec to its report: one answer for every command, further max_n, bounds from above, every end."""

from contextlib import nullcontext
from dataclasses import replace

import pytest

from idinf.errors import BudgetError
from idinf.inference import run as module
from idinf.inference import walks
from idinf.inference.run import Run, run
from idinf.inference.settings import KnownHypothesis, RunSettings, Settings
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import Aggregate
from idinf.proofs.check.report_check import check_report
from idinf.report.files import report_from_dict, report_to_dict
from idinf.report.value import Outcome, Regularizer, Report
from idinf.spec.bounds import HypothesisClass
from idinf.spec.catalogue import load, load_family
from idinf.work.limits import Limits, StopReason, TimeIsUp
from tests.spaces import small_space

SMALL = small_space(layers=1, units=1, precision=0)


def answers_of(report: Report) -> Report:
    """Everything but how long it took."""
    return replace(report, seconds=0.0, peak_bytes=0)


def small(name: str = "majority", max_n: int = 4, **more: object) -> RunSettings:
    """A question that takes a moment."""
    bounds = replace(SMALL, **more)
    return replace(Settings(max_n=max_n, space="spec").about(load(name), name), bounds=bounds)


def of_class(name: str, kind: HypothesisClass = HypothesisClass.THETA) -> RunSettings:
    """A question about a whole class."""
    return Settings(max_n=4, hypothesis_class=kind).about(load(name), name)


def majority() -> LimitTransformer:
    """A hypothesis that is right on all words of majority."""
    return run(small(), Limits()).report.records[-1].hypothesis


def known(hypothesis: LimitTransformer, is_given: bool) -> tuple[KnownHypothesis, ...]:
    return (KnownHypothesis("net.json", hypothesis, is_given),)


# What is asked


def test_what_a_spec_suggests_is_asked_where_nothing_is_said() -> None:
    spec = load("dyck-1-next")
    settings = Settings(space="spec").about(spec, "dyck-1-next")
    assert (settings.spec, settings.bounds, settings.max_n) == (spec, spec.space, spec.max_n)
    assert settings.max_n_cap == spec.max_n
    assert settings.regularizer == Regularizer(Aggregate.MAX, None)
    assert [one.is_given for one in settings.known] == [False]
    assert settings.proves
    given = KnownHypothesis("net.json", settings.known[0].hypothesis, True)
    both = Settings(space="spec").about(spec, "dyck-1-next", (given,)).known
    assert both == (given, *settings.known)


def test_a_member_of_a_family_may_go_further() -> None:
    spec, family = load("ge-k-j", (("k", 2), ("j", 3))), load_family("ge-k-j")
    assert spec.max_n < family.max_n_cap
    assert Settings(space="spec").about(spec, "ge-k-j").max_n_cap == family.max_n_cap
    assert Settings(max_n=8, space="spec").about(spec, "ge-k-j").max_n_cap == 8


# Further max_n


def test_max_n_doubles_until_n0_is_well_inside() -> None:
    spec, asked = load("ge-k-j", (("k", 2), ("j", 3))), []

    def journal_of(settings: RunSettings) -> nullcontext[None]:
        asked.append(settings.max_n)
        return nullcontext()

    bounds = spec.space.overridden(layers=1, units=1)
    settings = replace(Settings(max_n=4, space="spec").about(spec, "ge-k-j"), bounds=bounds, max_n_cap=64)
    found = run(settings, Limits(), journal_of=journal_of).report
    assert asked == [4, 8, 16]
    assert (found.outcome, found.n0, found.max_n) == (Outcome.IDENTIFIED_FOR_ALL_N, 7, 16)
    assert answers_of(found) == answers_of(run(replace(settings, max_n=16), Limits()).report)
    capped = run(replace(settings, max_n_cap=6), Limits(), journal_of=journal_of).report
    assert (asked[3:], capped.max_n) == ([4, 6], 6)


def test_an_earlier_answer_counts_where_a_further_run_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """n0 = 3 of 4 is not well inside; the run at 8 has no time."""
    once = module._run_to

    def ended(settings: RunSettings, limits: Limits, *rest: object) -> Run:
        return once(settings, limits if settings.max_n == 4 else Limits(0.0), *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_run_to", ended)
    result = run(replace(small(), max_n_cap=8), Limits())
    assert (result.report.max_n, result.report.n0, result.report.stop) == (4, 3, StopReason.STOP_BOUND)
    assert result.limited == "the time limit of 0 s ended the run"


# Bounds from above


def test_a_hypothesis_that_was_given_bounds_an_open_run(monkeypatch: pytest.MonkeyPatch) -> None:
    net, settings = majority(), small(max_r=8.0)
    monkeypatch.setattr(module, "_compile", lambda *_: (None, None))
    unknown = run(settings, Limits()).report
    assert unknown.first_unknown == 2
    assert unknown.bracket is not None
    assert unknown.bracket.r_upper is None
    bounded = run(replace(settings, known=known(net, True)), Limits())
    assert bounded.notes == ()
    bracket = bounded.report.bracket
    assert bracket is not None
    assert (bracket.r_upper, bracket.upper_length, bracket.hypothesis) == (8.414213562, 8, net)
    assert bracket.stop_bound_upper == pytest.approx(8.664213562, abs=1e-9)


def test_the_compiled_program_bounds_an_open_run_too() -> None:
    """Of a program that is a hypothesis of the space."""
    result = run(small(max_r=8.0), Limits())
    bracket = result.report.bracket
    assert bracket is not None
    assert bracket.hypothesis is not None
    assert result.compiled == pytest.approx(8.414213562, abs=1e-9)
    assert (bracket.r_upper, bracket.upper_length) == (8.414213562, 8)


# Ends


def stopped_by(end: BaseException, monkeypatch: pytest.MonkeyPatch) -> Report:
    """A run whose search is ended where it is."""

    def run_(self: walks.SliceWalk) -> None:
        raise end

    monkeypatch.setattr(walks.SliceWalk, "run", run_)
    return run(small(), Limits()).report


def test_every_reason_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    met = {
        StopReason.STOP_BOUND: run(small(), Limits()).report,
        StopReason.MAX_R: run(small(max_r=8.0), Limits()).report,
        StopReason.WORK: run(small(work=20), Limits()).report,
        StopReason.FLOOR: run(of_class("parity"), Limits()).report,
        StopReason.TIME: run(small(), Limits(0.0)).report,
    }
    for reason, end in (
        (StopReason.MEMORY, MemoryError()),
        (StopReason.SIZE, BudgetError("too large; lower it")),
        (StopReason.INTERRUPTED, KeyboardInterrupt()),
    ):
        with monkeypatch.context() as patch:
            met[reason] = stopped_by(end, patch)
    assert set(met) == set(StopReason)
    for reason, report in met.items():
        assert (report.stop, report.stopped) == (reason, reason not in list(met)[:4])
        assert (report.outcome is Outcome.OPEN) is (reason is not StopReason.STOP_BOUND)
        result = check_report(report, 3)
        assert result.right, [check for check in result.checks if check.faults]


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", ["parity", "012-02", "tomita-3", "tomita-5", "tomita-6"])
@pytest.mark.parametrize("preset", ["nope", "periodic", "local", "family"])
def test_what_no_net_decides_has_no_n0_in_any_space(name: str, preset: str) -> None:
    """Whatever the space and however little of it was searched; and the search does not contradict it."""
    asked = Settings(max_n=3, space=preset, bounds={"work": 30})
    found = run(asked.about(load(name), name), Limits()).report
    assert (found.outcome, found.n0, found.n0_canonical) == (Outcome.NEVER, None, None)
    assert found.beyond is not None
    assert "is rejected" in found.beyond
    assert all(record.fail is not None for record in found.records)
    assert check_report(found, 3).right


@pytest.mark.parametrize(
    ("end", "stop", "text"),
    [
        (TimeIsUp("the time limit ended the run"), StopReason.TIME, "the time limit ended the run"),
        (MemoryError(), StopReason.MEMORY, "the memory bound of 1024 MiB was reached; "),
        (BudgetError("too large; lower it"), StopReason.SIZE, "too large; lower it"),
        (KeyboardInterrupt(), StopReason.INTERRUPTED, "interrupted"),
    ],
)
def test_a_run_that_is_ended_before_its_search_knows_nothing(
    monkeypatch: pytest.MonkeyPatch, end: BaseException, stop: StopReason, text: str
) -> None:
    def build(spec: object) -> object:
        raise end

    monkeypatch.setattr(module, "build_target", build)
    result = run(small(), Limits())
    report = result.report
    assert (result.compiled, result.notes) == (None, ())
    assert (report.outcome, report.stop, report.complete_up_to_r) == (Outcome.OPEN, stop, 0.0)
    assert report.stop_reason.startswith(text)
    assert report.stop_reason.endswith("before anything was searched") is (stop is not StopReason.INTERRUPTED)
    assert result.limited == report.stop_reason
    assert [stage.good for stage in report.stages] == [None] * 4
    assert report_from_dict(report_to_dict(report)) == report
    monkeypatch.undo()
    assert check_report(report, 2).right
