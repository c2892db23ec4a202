"""A connection to a scheduler of dask: checked once, then tasks go out by name and results come back."""

from __future__ import annotations

import itertools
import logging
import queue
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from idinf.errors import ClusterError, MissingPackageError
from idinf.runtime.cluster.local import LocalScheduler
from idinf.runtime.cluster.scheduler import Scheduler
from idinf.runtime.cluster.worker import name_version
from idinf.version import __version__

#: Seconds until a scheduler has answered, until it has a worker, and between two looks at its workers.
CONNECT_S, WORKERS_S, LOOK_S = 10.0, 60.0, 1.0

#: Seconds that a run waits where all workers are gone.
ALONE_S = 300.0

#: Counts the tasks of this process, whose names must not be those of other clients.
_numbers = itertools.count()


class Cluster:
    """Tasks on the workers of a scheduler. Mutable: it knows which are under way.

    Attributes
    ----------
    address : str
        Of the scheduler, as the user named it.
    is_local : bool
        Whether the workers share this machine, and so its memory.
    done : int
        Tasks that have ended.
    """

    def __init__(self, client: Any, address: str, is_local: bool) -> None:
        self.client, self.address, self.is_local = client, address, is_local
        self.done = 0
        self._looked, self._threads, self._peopled = -LOOK_S, 1, time.monotonic()
        self.worker_count = 0  #: when they were counted last

    def threads(self) -> int:
        """How many tasks the workers do at once, as of a second ago; at least one."""
        if time.monotonic() - self._looked > LOOK_S:
            try:
                found = self.client.nthreads()
            except Exception as error:  # of sockets, of time, of dask's
                raise self.lost() from error
            self.worker_count, self._threads = len(found), max(1, sum(found.values()))
            self._looked = time.monotonic()
            self._peopled = self._looked if found else self._peopled
            if self._looked - self._peopled > ALONE_S:
                raise ClusterError(
                    f"scheduler {self.address} has had no worker for {ALONE_S:g} s; expected some; start "
                    "'dask worker' with its address, and run this anew"
                )
        return self._threads

    def lost(self) -> ClusterError:
        """The error of a scheduler that does not answer any more."""
        return ClusterError(
            f"scheduler {self.address} is gone; expected it to stay; start it, and run this anew"
        )

    def line(self) -> str:
        """What a person who waits wants to know, as of the last look at the workers."""
        return f"{self.address}: {self.worker_count} workers, {self.done} tasks done"

    def result(self, future: Any) -> Any:
        """What a future that ended gives; `Died` if workers died at it, time and again.

        Raises
        ------
        ClusterError
            If a worker refused it, or cannot do it.
        """
        from distributed.scheduler import KilledWorker

        if future.status == "finished":
            try:
                return future.result()
            except Exception as error:
                raise self.lost() from error
        if future.status != "error":
            raise self.lost()
        raised = future.exception()
        if isinstance(raised, KilledWorker):
            return Died()
        if isinstance(raised, ClusterError):
            raise ClusterError(f"scheduler {self.address}: {raised}")
        told = " ".join(f"{type(raised).__name__}: {raised}".split())[:120]
        raise ClusterError(
            f"scheduler {self.address}: a worker could not do a task ({told}); expected this idinf there; "
            "install it there"
        )


class Errands:
    """Tasks of one user of a cluster, who takes what ends. Mutable: it knows what has ended."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._client = cluster, cluster.client
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function by its name on a worker; `ended` gives the future when it is done."""
        future = self._client.submit(function, __version__, *arguments, key=_name(), pure=False)
        future.add_done_callback(self._ended.put)
        return future

    def ended(self, timeout_s: float) -> list[Any]:
        """Futures that have ended since the last call, waiting at most so long for the first.

        Raises
        ------
        ClusterError
            If the scheduler is gone.
        """
        futures = []
        with suppress(queue.Empty):
            futures.append(self._ended.get(timeout=timeout_s) if timeout_s else self._ended.get_nowait())
            while True:
                futures.append(self._ended.get_nowait())
        self._cluster.done += len(futures)
        if not futures and self._client.status not in ("running", "connecting"):
            raise self._cluster.lost()
        return futures

    def cancel(self, futures: Iterable[Any]) -> None:
        """Say that some are not wanted any more: their processes end."""
        if (left := list(futures)) and self._client.status == "running":
            self._client.cancel(left, force=True)


class Died:
    """A task at which workers died as often as the scheduler allows."""


@contextmanager
def connected(scheduler: Scheduler) -> Iterator[Cluster]:
    """Connect to a scheduler, check its workers, and end what was started.

    Raises
    ------
    MissingPackageError
        If dask.distributed is not installed.
    ClusterError
        If it cannot be reached in time, has no worker, or workers of another version.
    """
    try:
        import dask
        import distributed  # noqa: F401
    except ImportError:
        raise MissingPackageError(
            f"scheduler {scheduler.address} needs dask.distributed, which is not installed; expected the "
            "extra 'cluster'; pip install 'idinf[cluster]'"
        ) from None
    quiet = {
        "distributed.comm.timeouts.connect": f"{CONNECT_S:g}s",
        "distributed.admin.large-graph-warning-threshold": "1TB",
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(quiet))
        stack.enter_context(_silence())
        address = scheduler.address
        if scheduler.workers:
            address = stack.enter_context(LocalScheduler(scheduler.workers)).address
        client = stack.enter_context(_client(scheduler, address))
        _check_workers(scheduler, client)
        yield Cluster(client, scheduler.address, bool(scheduler.workers))


@contextmanager
def _silence() -> Iterator[None]:
    """Leave stderr to idinf: what dask logs of lost connections is told once, as an error."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]
    before = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in before:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in before.items():
            logger.setLevel(level)


@contextmanager
def _client(scheduler: Scheduler, address: str) -> Iterator[Any]:
    from distributed import Client

    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except Exception as error:  # of sockets, of time
        told = " ".join(str(error.__cause__ or error).rpartition(">: ")[2].split())[:120]
        raise ClusterError(
            f"scheduler {scheduler.address} cannot be reached within {CONNECT_S:g} s ({told}); expected a "
            "'dask scheduler' there; start it, or correct the address"
        ) from None
    try:
        yield client
    finally:
        client.close(timeout=2)


def _check_workers(scheduler: Scheduler, client: Any) -> None:
    """Refuse a scheduler without workers, and workers without this idinf."""
    try:
        client.wait_for_workers(max(1, scheduler.workers), timeout=WORKERS_S)
    except Exception:
        raise ClusterError(
            f"scheduler {scheduler.address} has no worker after {WORKERS_S:g} s; expected one; start "
            "'dask worker' with its address"
        ) from None
    try:
        found = client.run(name_version, on_error="return")
    except Exception as error:
        found = {"": error}
    for worker, version in found.items():
        if version != __version__:
            told = version if isinstance(version, str) else f"{type(version).__name__}: {version}"
            raise ClusterError(
                f"scheduler {scheduler.address}: worker {worker} cannot work for idinf {__version__} "
                f"({' '.join(told.split())[:120]}); expected this version there; install it there"
            )


def _name() -> str:
    import os
    import uuid

    return f"idinf-{os.getpid()}-{next(_numbers)}-{uuid.uuid4().hex[:8]}"
