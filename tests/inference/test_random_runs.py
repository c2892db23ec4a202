"""Whole runs on random targets in random spaces, beside all hypotheses there.

`pytest -m slow tests/inference/test_random_runs.py --hypothesis-seed=N` draws other cases for another N.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.inference.random_runs import check


@pytest.mark.parametrize("seed", [5, 11])
def test_a_few_cases(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@given(st.integers(0, 10**9))
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_more_cases(seed: int) -> None:
    check(seed)


def test_a_planted_fault_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idinf.report.value.Regularizer.window", lambda rule, n: 0.0)
    faults = 0
    for seed in range(3, 6):
        try:
            check(seed)
        except AssertionError:
            faults += 1
    assert faults
