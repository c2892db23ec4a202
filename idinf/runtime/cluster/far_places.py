"""Places for tasks on the workers of a cluster."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from idinf.runtime.cluster.connection import Cluster, Died, Errands, connected
from idinf.runtime.cluster.scheduler import Scheduler
from idinf.runtime.cluster.worker import run_task
from idinf.runtime.places import Places, Task
from idinf.runtime.processes import Lost

#: How often the process of a task may be lost on machines of its own: the first times the machine may have
#: been, of which its processes end one by one.
DEATHS = 3


@dataclass(eq=False)
class _Far:
    """A task under way."""

    number: int
    message: bytes
    at_most_s: float
    deaths: int = 0


class FarPlaces(Places):
    """Does tasks on the workers of a cluster. Mutable: it knows which are under way.

    A task whose worker dies is done again on another one, which the scheduler sees to.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.are_far = True
        self.sharers = cluster.threads() if cluster.is_local else 1
        self._deaths = 1 if cluster.is_local else DEATHS
        self._errands = Errands(cluster)
        self._running: dict[Any, _Far] = {}

    @property
    def room(self) -> int:
        """One task for each thread of a worker, whose work is in a process of its own."""
        return self._cluster.threads()

    def told(self) -> tuple[str, ...]:
        """How many workers there are, and what they have done."""
        return (self._cluster.line(),)

    def start(self, number: int, task: Task, at_most_s: float | None) -> None:
        """Send a task to the scheduler."""
        limit = math.inf if at_most_s is None else at_most_s
        self._submit(_Far(number, pickle.dumps(task, pickle.HIGHEST_PROTOCOL), limit))

    def _submit(self, far: _Far) -> None:
        self._running[self._errands.submit(run_task, far.message, far.at_most_s)] = far

    def received(self, timeout_s: float) -> Iterator[tuple[int, Any]]:
        """The results of tasks that ended."""
        for future in self._errands.ended(timeout_s):
            far, found = self._running.pop(future), self._cluster.result(future)
            if isinstance(found, Died):
                found = Lost("its worker died, time and again")
            if isinstance(found, Lost) and not found.is_overdue:
                far.deaths += 1
                if far.deaths < self._deaths:
                    self._submit(far)
                    continue
            yield far.number, found if isinstance(found, Lost) else pickle.loads(found)

    def __exit__(self, *raised: object) -> None:
        """End what is under way."""
        self._errands.cancel(self._running)


@contextmanager
def connect(scheduler: Scheduler) -> Iterator[Places]:
    """Connect to a scheduler for places on its workers, and end what was started for it.

    Raises
    ------
    MissingPackageError, ClusterError
        As `connected`.
    """
    with connected(scheduler) as cluster:
        yield FarPlaces(cluster)
