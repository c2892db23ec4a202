"""What a run that ended open is told, and what a language is known to need."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from idinf.commands import main
from idinf.experiments.catalogue import load
from idinf.inference.advice import advise
from idinf.inference.needs import find_needs, synthesize_hypothesis
from idinf.inference.run import RunOptions, run
from idinf.runtime.limits import Limits
from idinf.space.cells import Cell
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.transformers.reference import accepts as reference_accepts
from idinf.transformers.regularizer import Aggregate
from idinf.words import words_up_to


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
    local, periodic = Cell(1, 1, 1, 0, 1, 1, 1), Cell(1, 1, 1, 0, 4)
    assert (needs.weigh(local) == 1.0) is bool(window)
    assert (needs.weigh(periodic) == 1.0) is (modulus == 4)


@pytest.mark.parametrize("name", ["contains-ab", "tomita-7", "aaaa-star"])
def test_a_synthesized_hypothesis_is_right(name):
    target = build_target(load(name))
    hypothesis = synthesize_hypothesis(target, 1, Aggregate.MAX)
    net = hypothesis.to_dense()
    for word in words_up_to(len(target.alphabet), 6):
        assert reference_accepts(net, word) == accepts(target, word)
    assert synthesize_hypothesis(build_target(load("parity")), 1, Aggregate.MAX) is None


def advice_for(name, **bounds):
    preset = bounds.pop("preset", None)
    settings = RunOptions(max_n=4, preset=preset, bounds=bounds, anneal_steps=0).about(load(name), name)
    return advise(run(settings, Limits()).report, needs_of(name))


def test_advice_is_about_what_was_seen():
    assert advice_for("majority") == ()
    assert advice_for("parity", max_r=8.0) == ()
    assert advice_for("contains-ab-abc", preset="nope", max_r=8.0)[0].startswith("--space local")
    assert advice_for("aaaa-star", preset="nope", max_r=6.0)[0].startswith("--period 4")
    assert "--work 400" in advice_for("tomita-2", preset="auto", work=40)


def test_a_language_outside_has_no_n0_whatever_is_searched():
    result = CliRunner().invoke(
        main, ["identify", "parity", "--space", "auto", "--work", "60", "--max-n", "4"]
    )
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "\nnever: no n0; no net of the one-hot family decides parity: in words" in result.stdout
    assert "the budget of 60 steps of work was spent" in result.stdout


@pytest.mark.parametrize(
    "options", [["--content-max", "2", "--logit-max", "1"], ["--work", "0"], ["--layers", "9"]]
)
def test_impossible_bounds_are_usage_errors(options):
    result = CliRunner().invoke(main, ["identify", "majority", "--space", "auto", *options])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_a_dry_run_searches_nothing():
    result = CliRunner().invoke(main, ["identify", "d-3", "--space", "auto", "--dry-run"])
    assert result.exit_code == 0
    assert result.stdout.startswith("space       auto: layers 5")
