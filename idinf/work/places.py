"""Where whole runs are done: here one by one, in a forked process for each, or on the workers of dask."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from idinf.work.processes import Pool

#: A piece of work as a value: what it needs is in it, and it can be pickled.
Task = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Lost:
    """What is left of a task whose process is gone: how it ended."""

    how: str
    is_overdue: bool = False  #: whether it was ended since its time was over


@dataclass(slots=True)
class _Running:
    """A task under way. Mutable: it may be ended by force."""

    number: int
    end: float | None  #: when that is
    pool: Pool | None = None
    is_overdue: bool = False


@dataclass
class Places(AbstractContextManager["Places"]):
    """Does tasks one by one, in this process. Mutable: it knows which are under way.

    Whatever ends the block, no process is left.

    >>> with Places() as places:
    ...     places.start(7, lambda: 6 * 7, None)
    ...     list(places.received(60.0))
    [(7, 42)]
    """

    sharers: int = 1  #: how many tasks share the memory of one machine; 1: each has all that it is given
    are_far = False  #: whether they see other files than this process
    running: dict[Future[Any], _Running] = field(default_factory=dict)

    @property
    def room(self) -> int:
        """How many tasks may be under way at once."""
        return self.sharers

    def start(self, number: int, task: Task, at_most_s: float | None) -> None:
        """Start a task, which is ended by force after that many seconds if that can be."""
        future, run = self._begun(task, at_most_s)
        run.number = number
        self.running[future] = run

    def _begun(self, task: Task, at_most_s: float | None) -> tuple[Future[Any], _Running]:
        done = Future[Any]()
        done.set_result(task())
        return done, _Running(0, None)

    def received(self, timeout_s: float) -> Iterator[tuple[int, Any]]:
        """The results of tasks that ended, or `Lost`, with their numbers; waits so long for the first."""
        for run in self.running.values():
            if run.pool is not None and run.end is not None and time.monotonic() > run.end:
                run.is_overdue = True
                run.pool.kill()
        ended, _ = wait(self.running, timeout_s, FIRST_COMPLETED)
        for future in ended:
            run = self.running.pop(future)
            yield run.number, self._result(future, run)

    def _result(self, future: Future[Any], run: _Running) -> object:
        return future.result()

    def __exit__(self, *raised: object) -> None:
        """End what is under way."""
        self.running.clear()


class Forked(Places):
    """Does each task in a forked child, which inherits what it works on."""

    def _begun(self, task: Task, at_most_s: float | None) -> tuple[Future[Any], _Running]:
        pool = Pool(1, task)
        end = None if at_most_s is None else time.monotonic() + at_most_s
        return pool.submit(), _Running(0, end, pool)

    def _result(self, future: Future[Any], run: _Running) -> object:
        assert run.pool is not None
        with run.pool as pool:
            error = future.exception()
            if error is None:
                return future.result()
            is_gone = type(error).__name__ == "BrokenProcessPool"
            return Lost(pool.how_lost() if is_gone else type(error).__name__, run.is_overdue)

    def __exit__(self, *raised: object) -> None:
        """End every child at once."""
        while self.running:
            _, run = self.running.popitem()
            assert run.pool is not None
            run.pool.__exit__()
