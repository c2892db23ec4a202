"""A cluster as an engine: whole runs on its workers, and the units of work of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from idinf.runtime.cluster.connection import Cluster, connected
from idinf.runtime.cluster.far_places import FarPlaces
from idinf.runtime.cluster.far_workers import FarWorkers
from idinf.runtime.cluster.scheduler import Scheduler
from idinf.runtime.learned import Learned
from idinf.runtime.parallel import Beat
from idinf.runtime.places import Engine


class ClusterEngine(Engine):
    """Does work on the workers of a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def places(self) -> FarPlaces:
        """Places for whole tasks."""
        return FarPlaces(self._cluster)

    def workers(
        self,
        memory_bytes: int,
        jobs: int,
        checkpoint: Callable[[], None],
        enter: Callable[[int], None] = Beat(),  # noqa: B008
        memories: Sequence[Learned[Any, Any]] = (),
    ) -> FarWorkers:
        """Workers that do items there; ``jobs`` and ``enter`` are for processes of one machine."""
        cluster = self._cluster
        return FarWorkers(
            max(2, cluster.threads()), checkpoint, enter, [*memories], None, cluster, memory_bytes
        )


@contextmanager
def connect(scheduler: Scheduler) -> Iterator[Engine]:
    """Connect to a scheduler, and end what was started for it.

    Raises
    ------
    MissingPackageError, ClusterError
        As `connected`.
    """
    with connected(scheduler) as cluster:
        yield ClusterEngine(cluster)
