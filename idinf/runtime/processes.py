"""Forked children: requests to stop stay with the parent, and a child never outlives it."""

from __future__ import annotations

import gc
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from idinf.errors import BudgetError
from idinf.runtime.signals import REQUESTS, call_at_every_tick

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


@dataclass(frozen=True, slots=True)
class Lost:
    """The last message of a child: it is gone, with an exit code, or by the signal that ended it."""

    how: str
    is_overdue: bool = False  #: whether it was ended since its time was over


@contextmanager
def _requests_held_back() -> Iterator[set[signal.Signals]]:
    """Hold back whatever could stop us, so that no child is started or ended by half; yields the old mask."""
    held = (*REQUESTS, signal.SIGALRM)
    before = {signal.Signals(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, held)}
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Children(AbstractContextManager["Children"]):
    """Forked processes, each with one pipe to this one. Mutable: it knows which are there.

    Attributes
    ----------
    running : dict
        From our end of a child's pipe to its process id.

    Examples
    --------
    >>> with Children() as children:
    ...     pipe = children.start(lambda pipe: pipe.send(6 * 7))
    ...     [message for _, message in children.received(60.0)]
    [42]
    """

    def __init__(self) -> None:
        self.running: dict[Connection, int] = {}

    def start(self, life: Callable[[Connection], object]) -> Connection:
        """Start a child that does one thing and ends; it inherits everything there is.

        Parameters
        ----------
        life : callable
            What the child does with its end of the pipe. What it raises ends the child without a word.
            Nothing of the parent's is flushed, closed or ended twice after it.

        Raises
        ------
        BudgetError
            If the system starts no further process.
        """
        from multiprocessing.connection import Pipe  # most runs have one process

        parent = os.getpid()
        with _requests_held_back() as before:
            ours, theirs = Pipe()
            try:
                with warnings.catch_warnings():
                    # Newer Pythons warn where other threads run (the linear algebra library's, the progress
                    # line's): a child uses none of their locks, and the library shuts its own threads down
                    # around a fork.
                    warnings.simplefilter("ignore", DeprecationWarning)
                    pid = os.fork()
                if pid == 0:
                    try:
                        # Ends of the parent that a child kept open would hide the parent's death from others.
                        for pipe in (ours, *self.running):
                            pipe.close()
                        with of_parent(parent, before):
                            life(theirs)
                    finally:
                        os._exit(0)
            except OSError as error:
                ours.close()
                told = f"no further process could be started ({error.strerror}); expected room for it"
                raise BudgetError(f"{told}; lower --jobs") from None
            finally:
                theirs.close()
            self.running[ours] = pid
        return ours

    def received(self, timeout_s: float) -> Iterator[tuple[Connection, Any]]:
        """One message of each child that sent any, waiting at most ``timeout_s`` for the first.

        The last one of every child is `Lost`, of one that has said all as well.
        """
        from multiprocessing.connection import wait

        ready = wait(list(self.running), timeout_s)
        for pipe in [pipe for pipe in self.running if pipe in ready]:
            try:
                message = pipe.recv()  # pickled by our own child
            except (EOFError, OSError):
                message = self.ended(pipe)
            yield pipe, message

    def ended(self, pipe: Connection) -> Lost:
        """Wait for the end of a child, and say how that was."""
        with _requests_held_back():
            pid = self.running.pop(pipe)
            pipe.close()
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return Lost(f"killed by signal {-code}" if code < 0 else f"exit code {code}")

    def kill(self, pipe: Connection) -> None:
        """End a child at once; that it is lost is received like a message."""
        os.kill(self.running[pipe], signal.SIGKILL)

    def __exit__(self, *raised: object) -> None:
        """End every child at once; none is left, and no file descriptor."""
        try:
            self._end_all()
        except KeyboardInterrupt:
            self._end_all()  # the interrupt came just before requests were held back
            raise

    def _end_all(self) -> None:
        with _requests_held_back():
            for pipe in self.running:
                self.kill(pipe)
            for pipe in list(self.running):
                self.ended(pipe)

    def __del__(self) -> None:
        self.__exit__()  # where an interrupt came between two instructions that would have


@contextmanager
def of_parent(parent: int, mask: set[signal.Signals]) -> Iterator[None]:
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

    with call_at_every_tick(look):
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        yield
