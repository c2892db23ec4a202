"""Beyond max_n: what is proved there, what is in the way, and limits that end the attempt but not the run."""

import pytest

from idinf.base.words import words_up_to
from idinf.errors import BudgetError
from idinf.inference import all_lengths
from idinf.nets import reference
from idinf.proofs.check.invariant import check
from idinf.proofs.check.joint_steps import JointSteps
from idinf.report.value import Outcome
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise
from idinf.work.limits import StopReason
from tests.inference.test_procedure import run
from tests.small_runs import prepare

SMALL = {"layers": 1, "units": 1}
ONE = "the one hypothesis that can be selected is proved right on all words"


def member(k, j, max_n, **options):
    """A run of a member of the family ge-k-j."""
    spec = load("ge-k-j", (("k", k), ("j", j)))
    return prepare(build_target(spec), spec.space.overridden(**SMALL), max_n, proves=True, **options).run()


def selected(result):
    """The record that is selected at max_n."""
    return next(record for record in result.records if record.fail is None or record.fail > result.max_n)


def majority(**options):
    return run("majority", 4, 9.0, SMALL, proves=True, **options)


def check_proofs(result, target):
    for proof in result.proofs:
        check(proof.invariant, JointSteps(proof.hypothesis, supervise(target)))


def test_majority_for_all_n():
    result = majority()
    assert (result.outcome, result.n0, result.beyond) == (Outcome.IDENTIFIED_FOR_ALL_N, 3, ONE)
    assert [proof.r for proof in result.proofs] == [selected(result).r]
    check_proofs(result, build_target(load("majority")))


def test_a_wide_tolerance_needs_every_hypothesis_in_it():
    target = build_target(load("tomita-1"))
    result = run("tomita-1", 3, 9.0, SMALL, proves=True, tolerance=0.8)
    assert result.outcome is Outcome.IDENTIFIED_FOR_ALL_N
    assert len(result.proofs) == 4
    assert result.beyond == "each of the 4 hypotheses that can be selected is proved right on all words"
    assert all(proof.r <= result.proofs[0].r + 0.8 for proof in result.proofs)
    check_proofs(result, target)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("k", "j", "max_n", "fail"), [(3, 4, 4, 9), (4, 5, 5, 11), (5, 6, 6, 13)])
def test_what_fails_later_stays_identified(k, j, max_n, fail):
    """The hypothesis fails above 2 · max_n, and is bad from then on."""
    result = member(k, j, max_n)
    assert (result.outcome, result.n0, result.proofs) == (Outcome.IDENTIFIED, 3, ())
    assert result.beyond.endswith(f"that can be selected fails at length {fail}")
    target = build_target(load("ge-k-j", (("k", k), ("j", j))))
    wrong = selected(result).hypothesis

    def is_right(word):
        return reference.accepts(wrong, word) == (k * sum(word) >= j * (len(word) - sum(word)))

    assert target.alphabet.symbols == ("0", "1")
    sorted_words = [(0,) * zeros + (1,) * (n - zeros) for n in range(fail) for zeros in range(n + 1)]
    assert all(map(is_right, sorted_words))
    assert all(is_right(word) for word in words_up_to(2, 7))
    # With that length in sight the same run is bad.
    assert member(k, j, fail // 2 + 1).n0 != 3


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("k", "j", "n0"), [(1, 1, 3), (2, 3, 7), (3, 2, 8), (3, 4, 9)])
def test_members_of_a_family(k, j, n0):
    result = member(k, j, 16)
    assert (result.outcome, result.n0) == (Outcome.IDENTIFIED_FOR_ALL_N, n0)


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        (KeyboardInterrupt(), "no proof was finished: interrupted"),
        (
            MemoryError(),
            "no proof was finished: the memory bound of 1024 MiB was reached; raise --memory, or lower "
            "--max-r, --units or --jobs",
        ),
        (BudgetError("too many; lower it"), "no proof was finished: too many; lower it"),
    ],
)
def test_limits_end_the_attempt_only(monkeypatch, raised, reason):
    def stopped(joint, beat):
        beat()
        raise raised

    expected = run("majority", 4, 9.0, SMALL)
    monkeypatch.setattr(all_lengths, "find_invariant", stopped)
    result = majority()
    assert (result.outcome, result.beyond, result.proofs) == (Outcome.IDENTIFIED, reason, ())
    assert result.records == expected.records
    assert result.stages == expected.stages
    assert result.stop is StopReason.STOP_BOUND
