"""Forked children: requests to stop stay with the parent, and a child never outlives it."""

from __future__ import annotations

import gc
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from idinf.errors import BudgetError
from idinf.runtime.pulse import watched
from idinf.runtime.requests import REQUESTS

__all__ = ["fork_child", "how_it_ended", "reap", "requests_held_back"]


@contextmanager
def requests_held_back() -> Iterator[set[signal.Signals]]:
    """Hold back whatever could stop us, so that no child is started or ended by half; yields the old mask."""
    held = (*REQUESTS, signal.SIGALRM)
    before = {signal.Signals(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, held)}
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
            with _of_parent(parent, mask):
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


@contextmanager
def _of_parent(parent: int, mask: set[signal.Signals]) -> Iterator[None]:
    """The life of a child: requests to stop are for the parent alone, and when it ends the child does.

    A terminal or a supervisor sends requests to all processes. A child that has used up its processor time
    ends, and the parent says so.
    """
    gc.freeze()  # a collection would write to, and so copy, every inherited page that holds objects
    for number in REQUESTS:
        signal.signal(number, signal.SIG_DFL if number == signal.SIGXCPU else signal.SIG_IGN)

    def look() -> None:
        """End a child whose parent is gone."""
        if os.getppid() != parent:
            os._exit(1)

    with watched(look):
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        yield
