"""Work in a process of its own for every item: what ends one of them unexpectedly ends no other."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection, Pipe, wait
from types import TracebackType

from idinf.runtime.processes import fork_child, how_it_ended, reap, requests_held_back

__all__ = ["Event", "Isolated", "Message"]


class Event(Enum):
    """What a message is: words on the way, the result, or the end of a process without one."""

    TOLD = "told"
    RESULT = "result"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Message:
    """Something a process sent.

    Attributes
    ----------
    key : int
        Of the item.
    event : Event
    value : object
        What was told, the result, or how the process ended (str).
    """

    key: int
    event: Event
    value: object


class Isolated:
    """Processes that run one item each. Mutable: it knows which are running.

    Examples
    --------
    >>> with Isolated() as processes:
    ...     processes.start(7, lambda tell: 6 * 7)
    ...     [message.value for message in processes.messages(60.0)]
    [42]
    """

    def __init__(self) -> None:
        self._running: dict[Connection, tuple[int, int]] = {}

    def __enter__(self) -> Isolated:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._running)

    def start(self, key: int, work: Callable[[Callable[[object], None]], object]) -> None:
        """Run ``work`` in a new process.

        Parameters
        ----------
        key : int
            Names the item in messages.
        work : callable
            Called with a function that tells this process something. What it raises ends its process without
            a result. Everything sent is pickled between our own processes.

        Raises
        ------
        BudgetError
            If the system starts no further process.
        """
        with requests_held_back() as before:
            ours, theirs = Pipe()

            def life() -> None:
                for pipe in (ours, *self._running):
                    pipe.close()
                result = work(lambda value: theirs.send_bytes(_packed(Event.TOLD, value)))
                theirs.send_bytes(_packed(Event.RESULT, result))

            try:
                pid = fork_child(life, before)
            except BaseException:
                ours.close()
                raise
            finally:
                theirs.close()
            self._running[ours] = key, pid

    def messages(self, timeout_s: float) -> Iterator[Message]:
        """What came since the last call, waiting at most ``timeout_s`` for the first; one per process."""
        for pipe in wait(list(self._running), timeout_s):
            assert isinstance(pipe, Connection)
            key = self._running[pipe][0]
            try:
                event, value = pickle.loads(pipe.recv_bytes())  # written by our own child
            except (EOFError, OSError):
                yield Message(key, Event.LOST, how_it_ended(self._end(pipe)))
                continue
            if event is Event.RESULT:
                self._end(pipe)
            yield Message(key, event, value)

    def kill(self, key: int) -> None:
        """End the process of an item, which tells that it is lost."""
        for number, pid in self._running.values():
            if number == key:
                os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """End every process at once; none is left, and no file descriptor."""
        for key, _ in list(self._running.values()):
            self.kill(key)
        for pipe in list(self._running):
            self._end(pipe)

    def _end(self, pipe: Connection) -> int:
        """Wait for the end of a process; how `reap` puts it."""
        with requests_held_back():
            _, pid = self._running.pop(pipe)
            pipe.close()
            return reap(pid)


def _packed(event: Event, value: object) -> bytes:
    return pickle.dumps((event, value), pickle.HIGHEST_PROTOCOL)
