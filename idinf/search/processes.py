"""Forked children: requests to stop stay with the parent, and a child never outlives it."""

from __future__ import annotations

import gc
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from idinf.errors import BudgetError

__all__ = ["ORPHAN_S", "fork_child", "how_it_ended", "reap", "requests_held_back"]

#: Seconds after which a busy child notices that its parent is gone.
ORPHAN_S = 0.5

#: Requests to stop are for the parent alone, also when a terminal or supervisor sends them to all processes.
_REQUESTS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def requests_held_back() -> Iterator[set[signal.Signals]]:
    """Hold back requests to stop, so that no child is started or ended by half; yields the mask of before."""
    before = {signal.Signals(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, _REQUESTS)}
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def fork_child(life: Callable[[], object], mask: set[signal.Signals]) -> int:
    """Start a child that does one thing and ends; it inherits everything there is.

    Parameters
    ----------
    life : callable
        What the child does. Nothing of the parent's is flushed, closed or ended twice after it.
    mask : set of Signals
        What `requests_held_back`, within which this must be called, yields.

    Returns
    -------
    int
        The process id, in the parent.

    Raises
    ------
    BudgetError
        If the system starts no further process.
    """
    parent = os.getpid()
    try:
        with warnings.catch_warnings():
            # Newer Pythons warn where other threads run (the linear algebra library's, the progress line's):
            # a child uses none of their locks, and the library shuts its own threads down around a fork.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
    except OSError as error:
        raise BudgetError(
            f"no further process could be started ({error.strerror}); expected room for it; lower --jobs"
        ) from None
    if pid == 0:
        try:
            _become_child(parent, mask)
            life()
        finally:
            os._exit(0)
    return pid


def reap(pid: int) -> int:
    """Wait for a child's end; its exit code, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def how_it_ended(status: int) -> str:
    """Say what `reap` gave.

    Examples
    --------
    >>> how_it_ended(-9), how_it_ended(1)
    ('killed by signal 9', 'exit code 1')
    """
    return f"killed by signal {-status}" if status < 0 else f"exit code {status}"


def _become_child(parent: int, mask: set[signal.Signals]) -> None:
    """Leave requests to stop to the parent, and end when it does."""
    gc.freeze()  # a collection would write to, and so copy, every inherited page that holds objects
    for number in _REQUESTS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def look(number: int, frame: object) -> None:
        if os.getppid() != parent:
            os._exit(1)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, ORPHAN_S, ORPHAN_S)
