"""What a run that ended open is told, and what a language is known to need."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import pytest
from click.testing import CliRunner

import idinf
from idinf.commands import main
from idinf.experiments.catalogue import load
from idinf.inference.advice import advise
from idinf.inference.needs import find_needs, synthesize_hypothesis
from idinf.inference.run import RunOptions, run
from idinf.runtime.limits import Limits
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget
from idinf.transformers.reference import accepts as reference_accepts
from idinf.transformers.regularizer import Aggregate
from idinf.words import Alphabet, words_up_to


def needs_of(name):
    spec = load(name)
    return find_needs(spec, build_target(spec))


@pytest.mark.parametrize(
    ("name", "window", "modulus", "is_outside"),
    [
        ("majority", 0, 1, False),
        ("contains-ab", 0, 1, False),
        ("contains-ab-abc", 1, 1, False),
        ("aaaa-star", 0, 4, False),
        ("parity", 0, 1, True),
    ],
)
def test_needs(name, window, modulus, is_outside):
    needs = needs_of(name)
    assert (needs.window, needs.modulus, needs.is_outside) == (window, modulus, is_outside)


@pytest.mark.parametrize("name", ["contains-ab", "tomita-7", "aaaa-star"])
def test_a_synthesized_hypothesis_is_right(name):
    target = build_target(load(name))
    hypothesis = synthesize_hypothesis(target, 1, Aggregate.MAX, 3000)
    net = hypothesis.to_dense()
    for word in words_up_to(len(target.alphabet), 6):
        assert reference_accepts(net, word) == accepts(target, word)
    assert synthesize_hypothesis(build_target(load("parity")), 1, Aggregate.MAX, 3000) is None


def advice_for(name, **bounds):
    preset = bounds.pop("preset", None)
    settings = RunOptions(max_n=4, preset=preset, bounds=bounds, anneal_steps=0).about(load(name), name)
    return advise(run(settings, Limits()).report, needs_of(name))


def test_advice_is_about_what_was_seen():
    assert advice_for("majority") == ()
    assert advice_for("parity", max_r=8.0) == ()
    assert advice_for("contains-ab-abc", preset="nope", max_r=8.0)[0].startswith("--space local")
    assert advice_for("aaaa-star", preset="nope", max_r=6.0)[0].startswith("--period 4")
    assert "--work 400" in advice_for("tomita-2", work=40)


def test_a_language_outside_has_no_n0_whatever_is_searched():
    result = CliRunner().invoke(main, ["identify", "parity", "--work", "60", "--max-n", "4"])
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout.startswith(
        "no n0 in the one-hot family: no net of the one-hot family decides parity:"
    )
    assert "the budget of 60 steps of work was spent" in result.stdout


@pytest.mark.parametrize(
    "options", [["--content-max", "2", "--logit-max", "1"], ["--work", "0"], ["--layers", "65"]]
)
def test_impossible_bounds_are_usage_errors(options):
    result = CliRunner().invoke(main, ["identify", "majority", *options])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


class _Enough(Exception):
    """What a limit raises here."""


@dataclass
class _Counted:
    """Steps of work as they are counted; so many looks at the clock at most."""

    looks: float = math.inf
    steps: list[int] = field(default_factory=list)

    def __call__(self, work: int) -> None:
        self.steps.append(work)
        if len(self.steps) > self.looks:
            raise _Enough


def test_the_work_of_a_synthesized_hypothesis_is_counted_and_bounded():
    """Two a's, then two b's, then two c's: seconds, with all the work that a command allows."""
    target = RegularTarget.from_regex(".*a.*a.*b.*b.*c.*c.*", Alphabet(("a", "b", "c")))
    for steps in (40, 400):
        counted = _Counted()
        synthesize_hypothesis(target, 0, Aggregate.MAX, steps, counted)
        assert max(counted.steps) <= 40  # milliseconds between two looks at the clock
        assert sum(counted.steps) <= steps + 3 * 40  # the last of each kind may go beyond
    for looks in (0, 1, 5, 50, len(counted.steps) - 1):
        with pytest.raises(_Enough):
            synthesize_hypothesis(target, 0, Aggregate.MAX, 400, _Counted(looks))


def test_a_time_limit_ends_the_synthesis():
    idinf.identify("contains-ab", max_n=2)  # what is loaded once does not count
    began = time.perf_counter()
    report = idinf.identify(regex=".*a.*a.*b.*b.*c.*c.*", alphabet="abc", time_limit=0.3)
    assert report.outcome.value == "open"
    assert time.perf_counter() - began < 4.0  # it takes many times as long without the limit


def test_nothing_is_said_where_nothing_is_known():
    report = idinf.identify("tomita-2-next", max_n=2, work=50)
    assert needs_of("tomita-2-next").text == ""
    assert "What is known" not in str(report)
    assert "program in C-RASP[]" in needs_of("majority-next").text
