"""Whole runs on the workers of a scheduler of dask: each in a process of its own, which can be ended.

A worker of dask has threads, in which nothing can be bounded or ended, and from which nothing may be forked.
So `run_task` there starts this module as a new process, which ends with the worker. A run whose worker is
lost is done again on another one, which dask sees to.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from idinf.base.files import write_all
from idinf.base.quoting import quote
from idinf.errors import ArgumentError, ClusterError, MissingPackageError
from idinf.version import __version__
from idinf.work.executors import Executor, LostTask, Pool, _Running, following

#: Seconds until a scheduler has answered, until it has a worker, and that a run waits where all are gone.
CONNECT_S, WORKERS_S, ALONE_S = 10.0, 60.0, 300.0

#: Seconds between two checks if a task is still wanted.
BEAT_S = 0.25

#: This module as a program; nothing is imported from the present folder.
_ITSELF = sys.executable, "-P", "-m", "idinf.work.cluster"

#: Workers of a scheduler on this machine, at most: each is a process of 100 MiB and more before it works.
MOST_LOCAL = 256

_LOCAL, _REMOTE = re.compile(r"local:([0-9]{1,4})"), re.compile(r"tcp://[^\s/]{1,255}:([0-9]{1,5})/?")


class ClusterExecutor(Executor):
    """Does tasks on the workers of a cluster. Mutable: it knows which are under way."""

    is_remote = True

    def __init__(self, client: Any, address: str, is_local: bool) -> None:
        self._client, self._address, self._peopled = client, address, time.monotonic()
        self._executor = client.get_executor(pure=False)
        super().__init__(self.room if is_local else 1)

    @property
    def room(self) -> int:
        """One task for each thread of a worker."""
        try:
            threads: int = sum(self._client.nthreads().values())
        except Exception as error:  # of sockets, of time, of dask's
            raise ClusterError(
                f"scheduler {self._address} is gone; expected it to stay; start it, and run this anew"
            ) from error
        self._peopled = time.monotonic() if threads else self._peopled
        if time.monotonic() - self._peopled > ALONE_S:
            raise ClusterError(
                f"scheduler {self._address} has had no worker for {ALONE_S:g} s; expected some; start "
                "'dask worker' with its address, and run this anew"
            )
        return max(1, threads)

    def _begin(self, task: Callable[[], object], limit_s: float) -> tuple[Future[Any], Pool | None]:
        message = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
        return self._executor.submit(run_task, message, limit_s), None

    def _result(self, future: Future[Any], run: _Running) -> object:
        error = future.exception()
        if error is None:
            found = future.result()
            return found if isinstance(found, LostTask) else pickle.loads(found)
        if type(error).__name__ == "KilledWorker":
            return LostTask("its worker died, time and again")
        told = " ".join(f"{type(error).__name__}: {error}".split())[:120]
        raise ClusterError(
            f"scheduler {self._address}: a worker could not do a task ({told}); expected this idinf there; "
            "install it there"
        )

    def __exit__(self, *raised: object) -> None:
        """Say that nothing is wanted any more: processes end."""
        self._executor.shutdown(wait=False)
        super().__exit__(*raised)


@contextmanager
def connect(address: str) -> Iterator[Executor]:
    """Connect to a scheduler, ``local:N`` or ``tcp://HOST:PORT``, and end the workers started for it.

    It is refused if it cannot be reached in time, has no worker, or workers of another version.
    """
    workers = count_local(address)
    try:
        import dask
        import distributed
    except ImportError:
        raise MissingPackageError(
            f"scheduler {address} needs dask.distributed, which is not installed; expected the extra "
            "'cluster'; pip install distributed"
        ) from None
    quiet = {
        "distributed.comm.timeouts.connect": f"{CONNECT_S:g}s",
        "distributed.admin.large-graph-warning-threshold": "1TB",
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(quiet))
        for name in list(logging.root.manager.loggerDict):  # stderr is for one line of ours
            if name.split(".")[0] == "distributed":
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        where: Any = address
        if workers:
            folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            quietly = {"dashboard_address": None, "silence_logs": logging.CRITICAL + 1}
            where = stack.enter_context(distributed.LocalCluster(n_workers=0, **quietly))
            stack.enter_context(_workers(workers, where.scheduler_address, folder))
        try:
            client = distributed.Client(where, timeout=CONNECT_S, set_as_default=False)
        except Exception as error:  # of sockets, of time
            told = " ".join(str(error.__cause__ or error).rpartition(">: ")[2].split())[:120]
            raise ClusterError(
                f"scheduler {address} cannot be reached within {CONNECT_S:g} s ({told}); expected a "
                "'dask scheduler' there; start it, or correct the address"
            ) from None
        stack.callback(client.close, timeout=2)
        _check_workers(address, client, max(1, workers))
        yield stack.enter_context(ClusterExecutor(client, address, bool(workers)))


@contextmanager
def _workers(number: int, address: str, folder: str) -> Iterator[None]:
    """Keep so many workers on this machine: one that dies, also while it starts, is replaced."""
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
    command = [*_ITSELF, str(os.getpid()), address, *options, "--local-directory", folder]
    is_over, quiet = threading.Event(), subprocess.DEVNULL

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,  # Ctrl-C is for the user's process alone
            env=_environment(),
        )

    def keep() -> None:
        running = [start() for _ in range(number)]
        while not is_over.wait(BEAT_S):
            running = [worker if worker.poll() is None else start() for worker in running]
        for worker in running:
            worker.kill()
            worker.wait()

    keeper = threading.Thread(target=keep, daemon=True)
    keeper.start()
    try:
        yield
    finally:
        is_over.set()
        keeper.join()


def _environment() -> dict[str, str]:
    """The environment of another process: this idinf, and no threads for linear algebra."""
    path = os.pathsep.join(filter(None, (str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}


def count_local(address: str) -> int:
    """Number of workers that an address starts on this machine; 0: it names a scheduler that has some.

    >>> count_local("local:2"), count_local("tcp://node1:8786")
    (2, 0)
    """
    local, remote = _LOCAL.fullmatch(address), _REMOTE.fullmatch(address)
    if not local and not remote:
        raise ArgumentError(f"scheduler {quote(address)}; expected local:N or tcp://HOST:PORT; name one")
    if local and not 1 <= int(local[1]) <= MOST_LOCAL:
        raise ArgumentError(f"scheduler {address}; expected 1 to {MOST_LOCAL} workers; give another number")
    if remote and not 1 <= int(remote[1]) <= 65535:
        raise ArgumentError(f"scheduler {quote(address)}; expected a port from 1 to 65535; give another one")
    return int(local[1]) if local else 0


def _check_workers(address: str, client: Any, least: int) -> None:
    """Refuse a scheduler without workers, and workers without this idinf."""
    try:
        client.wait_for_workers(least, timeout=WORKERS_S)
    except Exception:
        raise ClusterError(
            f"scheduler {address} has no worker after {WORKERS_S:g} s; expected one; start 'dask worker' "
            "with its address"
        ) from None
    try:
        found = client.run(name_version, on_error="return")
    except Exception as error:
        found = {"": error}
    for worker, version in found.items():
        if version != __version__:
            told = version if isinstance(version, str) else f"{type(version).__name__}: {version}"
            raise ClusterError(
                f"scheduler {address}: worker {worker} cannot work for idinf {__version__} "
                f"({' '.join(told.split())[:120]}); expected this version there; install it there"
            )


def name_version() -> str:
    """Version of idinf of the worker."""
    return __version__


def run_task(task: bytes, at_most_s: float) -> bytes | LostTask:
    """In a worker: do a pickled task in a process of its own; gives its pickled result, or a lost task."""
    from distributed import get_worker

    worker, end, message = get_worker(), time.monotonic() + at_most_s, task or None
    key = worker.get_current_task()
    with subprocess.Popen(
        [*_ITSELF, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env=_environment(),
    ) as process:
        while True:
            try:
                answer, _ = process.communicate(message, BEAT_S)
                break
            except subprocess.TimeoutExpired:
                message, known = None, worker.state.tasks.get(key)
                if time.monotonic() > end or known is None or known.state != "executing":
                    process.kill()
    code = process.returncode
    if code == 0:
        return answer
    return LostTask(f"killed by signal {-code}" if code < 0 else f"exit code {code}", time.monotonic() > end)


def main() -> None:
    """Do the task on standard input, and write its result, or be a worker of dask as the arguments say.

    Either ends with the process that is named first.
    """
    with following(int(sys.argv[1])):
        if len(sys.argv) > 2:
            from distributed.cli.dask_worker import main as work

            work(sys.argv[2:])
            return
        task: Callable[[], object] = pickle.loads(sys.stdin.buffer.read())  # written by idinf
        write_all(sys.stdout.buffer, pickle.dumps(task(), pickle.HIGHEST_PROTOCOL))


if __name__ == "__main__":
    main()
