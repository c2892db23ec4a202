"""A pulse: several times a second watchers are called in the main thread, wherever its Python code is then.

Work that looks at no clock can be ended so, by what a watcher raises. There is one timer in a process, the
real-time one, and this module has it while somebody watches. In a thread other than the main one nothing
ticks; work there ends where it looks itself.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Seconds between two ticks.
PULSE_S = 0.1

_watchers: list[Callable[[], None]] = []


@contextmanager
def watched(watcher: Callable[[], None]) -> Iterator[None]:
    """Call a function at every tick, until the block ends; what it raises is raised in the block.

    A system call that a tick interrupts goes on by itself, and forked children start without watchers.

    Examples
    --------
    >>> def enough():
    ...     raise TimeoutError
    >>> with watched(enough):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
        ...
    TimeoutError
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGALRM)
    _watchers.append(watcher)
    try:
        signal.signal(signal.SIGALRM, _tick)
        signal.setitimer(signal.ITIMER_REAL, PULSE_S, PULSE_S)
        yield
    finally:
        _watchers.remove(watcher)
        if not _watchers:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _tick(number: int, frame: object) -> None:
    for watcher in tuple(_watchers):
        watcher()


os.register_at_fork(after_in_child=_watchers.clear)
