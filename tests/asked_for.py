"""What is asked for: `make test` makes no slow case of a long table, and tries few examples of a property."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["asked_for", "few"]

#: Whether slow tests are asked for; the conftest says so before anything is collected.
slow_too = True


def asked_for(cases: Iterable[Any]) -> list[Any]:
    """Those ``pytest.param`` that may run; a mark says that a case is slow."""
    return [case for case in cases if slow_too or not case.marks]


def few(quick: int, otherwise: int) -> int:
    """How many examples to try: few, and many where slow tests are asked for."""
    return otherwise if slow_too else quick
