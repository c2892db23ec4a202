"""Forked children: requests to stop stay with the parent, and a child never outlives it."""

from __future__ import annotations

import gc
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, Pipe, wait

from idinf.errors import BudgetError
from idinf.runtime.closing import Closing
from idinf.runtime.pulse import watched
from idinf.runtime.requests import REQUESTS

__all__ = ["Children"]


@contextmanager
def _requests_held_back() -> Iterator[set[signal.Signals]]:
    """Hold back whatever could stop us, so that no child is started or ended by half; yields the old mask."""
    held = (*REQUESTS, signal.SIGALRM)
    before = {signal.Signals(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, held)}
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Children(Closing):
    """Forked processes, each with one pipe to this one. Mutable: it knows which are there.

    Attributes
    ----------
    running : dict
        From our end of a child's pipe to its process id.

    Examples
    --------
    >>> with Children() as children:
    ...     pipe = children.start(lambda pipe: pipe.send_bytes(b"done"))
    ...     [payload for _, payload in children.received(60.0)]
    [b'done']
    """

    def __init__(self) -> None:
        self.running: dict[Connection, int] = {}

    def start(self, life: Callable[[Connection], object]) -> Connection:
        """Start a child that does one thing and ends; it inherits everything there is.

        Parameters
        ----------
        life : callable
            What the child does with its end of the pipe. Nothing of the parent's is flushed, closed or ended
            twice after it.

        Raises
        ------
        BudgetError
            If the system starts no further process.
        """
        with _requests_held_back() as before:
            ours, theirs = Pipe()

            def born() -> None:
                # Ends of the parent that a child kept open would hide the parent's death from others.
                for pipe in (ours, *self.running):
                    pipe.close()
                life(theirs)

            try:
                self.running[ours] = _forked(born, before)
            except BaseException:
                ours.close()
                raise
            finally:
                theirs.close()
        return ours

    def received(self, timeout_s: float) -> Iterator[tuple[Connection, bytes | None]]:
        """One message of each child that sent any, waiting at most ``timeout_s`` for the first.

        None for a child that is gone; whoever meets that calls `ended`.
        """
        ready = wait(list(self.running), timeout_s)
        for pipe in [pipe for pipe in self.running if pipe in ready]:
            try:
                payload = pipe.recv_bytes()
            except (EOFError, OSError):
                yield pipe, None
            else:
                yield pipe, payload

    def ended(self, pipe: Connection) -> str:
        """Wait for the end of a child, and say how that was: its exit code, or the signal that ended it."""
        with _requests_held_back():
            pid = self.running.pop(pipe)
            pipe.close()
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"

    def kill(self, pipe: Connection) -> None:
        """End a child at once; that it is gone is received like a message."""
        os.kill(self.running[pipe], signal.SIGKILL)

    def close(self) -> None:
        """End every child at once; none is left, and no file descriptor."""
        try:
            self._close()
        except KeyboardInterrupt:
            self._close()  # the interrupt came just before requests were held back
            raise

    def _close(self) -> None:
        with _requests_held_back():
            for pipe in self.running:
                self.kill(pipe)
            for pipe in list(self.running):
                self.ended(pipe)

    def __del__(self) -> None:
        self.close()  # where an interrupt came between two instructions that would have


def _forked(life: Callable[[], object], mask: set[signal.Signals]) -> int:
    """Start a process that lives one life, with the given signal mask; its id."""
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
