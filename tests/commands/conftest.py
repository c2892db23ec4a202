"""Commands under test anneal for a moment only: no assertion here depends on what is found."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def little_annealing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default number of steps in this process and in those it forks."""
    monkeypatch.setattr("idinf.inference.procedure.DEFAULT_STEPS", 20)
