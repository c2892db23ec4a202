"""A scheduler with workers on this machine, in processes of their own, until standard input ends.

It is a process that `LocalScheduler` starts. A worker that dies is replaced, also one that dies while it
starts, at which the nannies of dask give up; the program of a user is not imported anew in every worker; and
where the user's process is killed all of it ends.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import subprocess
import sys
import tempfile
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from idinf.errors import ClusterError
from idinf.runtime.signals import REQUESTS

#: Seconds that the scheduler and its workers have to start, and to end by themselves.
START_S, END_S = 60.0, 10.0

#: Seconds between two looks at whether workers are there.
BEAT_S = 0.2


def program(module: str, *arguments: str) -> list[str]:
    """The command line of a module; nothing is imported from the present folder."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """The environment of such a process: this idinf, and no threads for linear algebra."""
    root = str(Path(__file__).parents[3])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}


class LocalScheduler(AbstractContextManager["LocalScheduler"]):
    """The process of a scheduler on this machine, for one `with`.

    Attributes
    ----------
    address : str
        Where it listens, on 127.0.0.1.

    Raises
    ------
    ClusterError
        If it does not start.
    """

    def __init__(self, workers: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="idinf-cluster-", ignore_cleanup_errors=True)
        shown = None if os.environ.get("IDINF_DEBUG") == "1" else subprocess.DEVNULL
        self._process = subprocess.Popen(
            program("idinf.runtime.cluster.local", str(workers), self._folder.name),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=shown,
            env={**environment(), "DASK_TEMPORARY_DIRECTORY": self._folder.name},
            start_new_session=True,  # Ctrl-C is for the user's process alone
        )
        try:
            self.address = self._read_address()
        except BaseException:
            self.__exit__()
            raise
        if not self.address:
            self.__exit__()
            raise ClusterError(
                f"scheduler local:{workers}: it did not start; expected room for {workers} processes; "
                "name fewer, or look at its messages with IDINF_DEBUG=1"
            )

    def _read_address(self) -> str:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], START_S)
        return self._process.stdout.readline().decode().strip() if ready else ""

    def __exit__(self, *raised: object) -> None:
        """End it with its workers; none is left."""
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._folder.cleanup()


def main() -> None:
    """Serve with so many workers, whose files go to the folder named."""
    from distributed import LocalCluster

    for number in REQUESTS:
        signal.signal(number, signal.SIG_IGN)
    with LocalCluster(
        n_workers=0,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
        local_directory=sys.argv[2],
    ) as cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        _keep_workers(cluster.scheduler_address, int(sys.argv[1]), sys.argv[2])


def _keep_workers(address: str, number: int, folder: str) -> None:
    """Start so many workers, and another one for each that ends, until standard input ends."""
    options = [
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
        "--memory-limit",
        "0",
        "--host",
        "127.0.0.1",
    ]
    command = program("dask", "worker", address, *options, "--local-directory", folder)

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    workers = [start() for _ in range(number)]
    try:
        while not select.select([sys.stdin], [], [], BEAT_S)[0]:
            workers = [worker if worker.poll() is None else start() for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.wait()


if __name__ == "__main__":
    main()
