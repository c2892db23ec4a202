"""Lines and cells about learners of finite automata."""

from __future__ import annotations

import pytest

from idinf.baselines.automata import Baseline, BaselineError
from idinf.reports import baselines
from idinf.reports.baselines import baseline_cells, baseline_lines
from idinf.spec.catalogue import load
from idinf.targets.build import build_target


def machine(name: str):
    return build_target(load(name))


def test_targets_that_are_not_regular_have_none() -> None:
    assert baseline_lines(machine("dyck-1"), 5) == []
    assert baseline_lines(machine("d-2-next"), 5) == []
    assert baseline_cells(machine("majority")) == ("-", "-")


def test_lines_and_cells() -> None:
    pytest.importorskip("aalpy")
    assert baseline_lines(machine("tomita-2"), 4) == [
        "baselines: from which n on all words up to n give a learner of finite automata the target",
        "  2k - 2 = 4: all words up to there leave one automaton of at most k = 3 states",
        "  RPNI = 2: right for every n from there to 6; larger samples are not tried",
        "  n0 = 4: the procedure, over transformers",
    ]
    assert baseline_cells(machine("tomita-2")) == ("4", "2")


def test_what_is_not_reached_is_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "baseline", lambda _: Baseline(None, 7))
    lines = baseline_lines(machine("d-12"), None)
    assert lines[2:] == [
        "  RPNI > 7: wrong there; larger samples are not tried",
        "  n0 is not decided: the procedure, over transformers",
    ]
    assert baseline_cells(machine("d-12")) == ("26", "> 7")


def test_without_aalpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: object) -> None:
        raise BaselineError("RPNI needs AALpy")

    monkeypatch.setattr(baselines, "baseline", missing)
    assert baseline_lines(machine("parity"), None)[2] == "  RPNI was not run: RPNI needs AALpy"
