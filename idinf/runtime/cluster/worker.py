"""What runs in a worker of dask: a whole task, in a process of its own that can be bounded and ended.

A worker of dask has threads, in which nothing can be bounded or ended, and from which nothing may be forked.
So a task goes to a new process of this module, which ends with the worker.
"""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable

from idinf.errors import ClusterError
from idinf.runtime.cluster.local import environment, program
from idinf.runtime.places import Task
from idinf.runtime.processes import Lost, of_parent
from idinf.version import __version__

#: Seconds between two looks at whether a task is still wanted.
BEAT_S = 0.25


def name_version() -> str:
    """Which idinf the worker has."""
    return __version__


def run_task(version: str, task: bytes, at_most_s: float = math.inf) -> bytes | Lost:
    """Do a pickled task in a process of its own; its pickled result, or how the process was lost.

    Raises
    ------
    ClusterError
        If the task is of another version of idinf.
    """
    if version != __version__:
        raise ClusterError(
            f"a worker has idinf {__version__} and not {version}; expected the same; install it there"
        )
    end, is_wanted = time.monotonic() + at_most_s, _ask_worker()
    with subprocess.Popen(
        program("idinf.runtime.cluster.worker", str(os.getpid())),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env=environment(),
    ) as process:
        message: bytes | None = task
        while True:
            try:
                answer, _ = process.communicate(message, BEAT_S)
                break
            except subprocess.TimeoutExpired:
                message = None  # it is on its way
                if time.monotonic() > end or not is_wanted():
                    process.kill()
    code = process.returncode
    if code == 0:
        return answer
    return Lost(f"killed by signal {-code}" if code < 0 else f"exit code {code}", time.monotonic() > end)


def _ask_worker() -> Callable[[], bool]:
    """Whether the task of this thread is still wanted."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state == "executing"

    return is_wanted


def main() -> None:
    """Do the task on standard input, and write what it gives; ends with the process that is named."""
    with of_parent(int(sys.argv[1]), set()):
        task: Task = pickle.loads(sys.stdin.buffer.read())  # written by idinf
        sys.stdout.buffer.write(pickle.dumps(task(lambda told: None), pickle.HIGHEST_PROTOCOL))


if __name__ == "__main__":
    main()
