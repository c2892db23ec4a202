"""Where tasks are done: in forked children of this process, or wherever else keeps the same promises."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from idinf.runtime.processes import Children, Lost

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class Task(Protocol):
    """A piece of work as a value: what it needs is in it, and it can be pickled."""

    def __call__(self, tell: Callable[[str], None]) -> object:
        """Do it, and say now and then how it goes; the result is no text."""


class Places(AbstractContextManager["Places"], Protocol):
    """Does tasks, several at once, each in a process of its own; whatever ends it, none is left."""

    sharers: int  #: how many tasks share the memory of one machine; 1: each has all that it is given
    are_far: bool  #: whether they see other files than this process

    @property
    def room(self) -> int:
        """How many tasks may be under way at once."""

    def told(self) -> tuple[str, ...]:
        """Lines about the places themselves, for a person who waits."""
        return ()

    def start(self, number: int, task: Task, at_most_s: float | None) -> None:
        """Start a task, which is ended by force after that many seconds."""

    def received(self, timeout_s: float) -> Iterator[tuple[int, Any]]:
        """What tasks say, with their numbers, waiting at most so long for the first.

        That is texts; and at the end the result, or `Lost`.
        """


class Forked(Places):
    """Forked children, which inherit what they work on. Mutable: it knows which are there.

    Examples
    --------
    >>> with Forked(2) as places:
    ...     places.start(7, lambda tell: 6 * 7, None)
    ...     list(places.received(60.0))
    [(7, 42)]
    """

    def __init__(self, jobs: int) -> None:
        self.sharers, self.are_far = jobs, False
        self._children = Children()
        #: By the pipe of a child the number of its task, and when it is to be ended.
        self._running: dict[Connection, tuple[int, float | None]] = {}
        self._overdue: set[Connection] = set()

    @property
    def room(self) -> int:
        """One task for each of the jobs."""
        return self.sharers

    def start(self, number: int, task: Task, at_most_s: float | None) -> None:
        """Start a child for a task."""
        pipe = self._children.start(lambda pipe: pipe.send(task(pipe.send)))
        self._running[pipe] = number, None if at_most_s is None else time.monotonic() + at_most_s

    def received(self, timeout_s: float) -> Iterator[tuple[int, Any]]:
        """What children say; one that does not end by itself, not even when it is interrupted, is ended."""
        for pipe, (_, end) in self._running.items():
            if end is not None and time.monotonic() > end and pipe not in self._overdue:
                self._overdue.add(pipe)
                self._children.kill(pipe)
        for pipe, message in self._children.received(timeout_s):
            number, _ = self._running[pipe]
            if not isinstance(message, str):
                del self._running[pipe]
                if isinstance(message, Lost):
                    message = Lost(message.how, pipe in self._overdue)
                else:
                    self._children.ended(pipe)
            yield number, message

    def __exit__(self, *raised: object) -> None:
        """End every child at once."""
        self._children.__exit__(*raised)
