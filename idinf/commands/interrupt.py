"""Ctrl-C as a request to stop: the run ends at its next safe point and still writes its report."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["deferred_interrupt"]


@contextmanager
def deferred_interrupt() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C into a flag; yields the function that reads it. The second one interrupts."""
    asked = False

    def ask(number: int, frame: FrameType | None) -> None:
        """Note the first request; give way to the second."""
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)
