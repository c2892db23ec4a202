"""Ctrl-C or SIGTERM as a request to stop: the run ends at its next safe point and still writes its report."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["deferred_interrupt"]

#: What asks a run to end: the user at the terminal, or a supervisor such as `timeout` or a batch system.
_REQUESTS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def deferred_interrupt() -> Iterator[Callable[[], signal.Signals | None]]:
    """Turn the first request to stop into a flag; the second one interrupts.

    Yields
    ------
    callable
        Gives the signal that asked, or None. A program that it ends leaves with 128 plus its number.
    """
    asked: signal.Signals | None = None

    def ask(number: int, frame: FrameType | None) -> None:
        """Note the first request; give way to the second."""
        nonlocal asked
        if asked is not None:
            raise KeyboardInterrupt
        asked = signal.Signals(number)

    before = {number: signal.signal(number, ask) for number in _REQUESTS}
    try:
        yield lambda: asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
