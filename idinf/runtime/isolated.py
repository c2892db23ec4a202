"""Work in a process of its own for every item: what ends one of them unexpectedly ends no other."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection

from idinf.runtime.closing import Closing
from idinf.runtime.processes import Children

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


class Isolated(Closing):
    """Processes that run one item each. Mutable: it knows which are running.

    Examples
    --------
    >>> with Isolated() as processes:
    ...     processes.start(7, lambda tell: 6 * 7)
    ...     [message.value for message in processes.messages(60.0)]
    [42]
    """

    def __init__(self) -> None:
        self._children, self._keys = Children(), dict[Connection, int]()

    def __len__(self) -> int:
        return len(self._children.running)

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

        def life(pipe: Connection) -> None:
            result = work(lambda value: pipe.send_bytes(_packed(Event.TOLD, value)))
            pipe.send_bytes(_packed(Event.RESULT, result))

        self._keys[self._children.start(life)] = key

    def messages(self, timeout_s: float) -> Iterator[Message]:
        """What came since the last call, waiting at most ``timeout_s`` for the first; one per process."""
        for pipe, payload in self._children.received(timeout_s):
            key = self._keys[pipe]
            if payload is None:
                yield Message(key, Event.LOST, self._children.ended(pipe))
                continue
            event, value = pickle.loads(payload)  # written by our own child
            if event is Event.RESULT:
                self._children.ended(pipe)
            yield Message(key, event, value)

    def kill(self, key: int) -> None:
        """End the process of an item, which tells that it is lost."""
        for pipe in self._children.running:
            if self._keys[pipe] == key:
                self._children.kill(pipe)

    def close(self) -> None:
        """End every process at once; none is left, and no file descriptor."""
        self._children.close()


def _packed(event: Event, value: object) -> bytes:
    return pickle.dumps((event, value), pickle.HIGHEST_PROTOCOL)
