"""What runs in a worker of dask: tasks by name, each handed to a helper process and waited for.

Nothing of dask's is imported before a worker calls.
"""

from __future__ import annotations

import math
import pickle
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from idinf.errors import ClusterError
from idinf.runtime.cluster.agent import GONE, MORE, NEW
from idinf.runtime.cluster.local import environment, program
from idinf.runtime.places import Task
from idinf.runtime.processes import Lost
from idinf.runtime.program import Build

#: First byte of a message to a session: what items have in common, or items; and of its last answer.
WAVE, ITEMS, ENDING = b"W", b"I", b"E"

#: Seconds between two looks at whether a task is still wanted.
BEAT_S = 0.25

#: Modules that a helper loads before it forks, so that not every child does.
PRELOADED = ("idinf.sweeps.sweep", "idinf.inference.procedure", "idinf.search.last_layer.exclusion")


class LostSession(Exception):
    """The child of a session is gone before it answered, or is to go.

    Attributes
    ----------
    is_over : bool
        Whether it has ended by itself, so that its helper can go on.
    """

    def __init__(self, how: str, is_over: bool = False) -> None:
        super().__init__(how)
        self.is_over = is_over


class Helper:
    """A helper process, with a session or without. Mutable: it goes from session to session."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                program("idinf.runtime.cluster.agent", str(theirs.fileno()), *PRELOADED),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env=environment(),
            )
        self._pipe = Connection(ours.detach())
        self.holds: list[str] = []  #: names of what the session was given
        self._number = 0  #: of the session

    def begin(self, session: bytes) -> None:
        """Begin a session, ending the one before."""
        self.holds.clear()
        self._number += 1
        self._send(NEW + session)

    def give(self, message: bytes) -> None:
        """Send a message to the session."""
        self._send(MORE + message)

    def _send(self, message: bytes) -> None:
        try:
            self._pipe.send_bytes(message)
        except OSError:
            raise LostSession("helper process ended") from None

    def answer(self, is_wanted: Callable[[], bool]) -> bytes:
        """The next answer of the session.

        Raises
        ------
        LostSession
            If its child, or the helper, ended instead; or if nobody wants it any more.
        """
        while True:
            while not self._pipe.poll(BEAT_S):
                if not is_wanted():
                    raise LostSession("not wanted")
            try:
                message = self._pipe.recv_bytes()
            except (EOFError, OSError):
                raise LostSession("helper process ended") from None
            number, kind, content = int.from_bytes(message[:8]), message[8:9], message[9:]
            if number != self._number:
                continue  # of a session that ended, and said so after its last answer
            if kind == GONE:
                raise LostSession(content.decode(), is_over=True)
            return content

    def end(self) -> None:
        """End the helper with its session."""
        self._pipe.close()
        self._process.kill()
        self._process.wait()


_idle: list[Helper] = []
_lock = threading.Lock()


@contextmanager
def helper(holding: str | None = None) -> Iterator[Helper]:
    """A helper that nobody else has meanwhile, if possible one that was given something already.

    Of one whose session does not end by itself another one takes the place.
    """
    with _lock:
        places = [place for place, idle in enumerate(_idle) if holding in idle.holds]
        chosen = _idle.pop(places[0] if places else -1) if _idle else None
    chosen = Helper() if chosen is None else chosen
    is_sound = False
    try:
        yield chosen
        is_sound = True
    except LostSession as lost:
        chosen.holds.clear()
        is_sound = lost.is_over
        raise
    finally:
        if is_sound:
            with _lock:
                _idle.append(chosen)
        else:
            chosen.end()


def wanted_until(end: float) -> Callable[[], bool]:
    """Whether the task of this thread is still wanted, and its time not over."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state == "executing" and time.monotonic() < end

    return is_wanted


def describe() -> Build:
    """Which program the worker has."""
    return Build.here()


def check_build(build: Build) -> None:
    """Refuse work of another program.

    Raises
    ------
    ClusterError
    """
    if (difference := build.differs(Build.here())) is not None:
        raise ClusterError(f"a worker has {difference}; expected the same; install the same there")


def run_task(build: Build, task: bytes, at_most_s: float) -> bytes | Lost:
    """Do a pickled task in a session of its own; its pickled result, or how its process was lost."""
    check_build(build)
    end = time.monotonic() + at_most_s
    try:
        with helper() as mine:
            mine.begin(pickle.dumps(OneTask(task)))
            return mine.answer(wanted_until(end))
    except LostSession as lost:
        return Lost(str(lost), time.monotonic() >= end)


def run_items(
    build: Build, wave: bytes, name: str, session: bytes, session_name: str, items: bytes
) -> bytes | Lost:
    """Do pickled items of a wave in a session, which goes on: a list of answers, or how it was lost."""
    check_build(build)
    try:
        with helper(session_name) as mine:
            if session_name not in mine.holds:
                mine.begin(session)
                mine.holds[:] = [session_name]
            if name not in mine.holds:
                mine.give(WAVE + wave)
                mine.holds[:] = [session_name, name]
            mine.give(ITEMS + items)
            answer = mine.answer(wanted_until(math.inf))
            if answer[:1] == ENDING:
                mine.holds.clear()
            return answer[1:]
    except LostSession as lost:
        return Lost(str(lost))


class OneTask:
    """A session that does one task."""

    def __init__(self, task: bytes) -> None:
        self.task = task

    def __call__(self, receive: Callable[[], bytes], send: Callable[[bytes], None]) -> None:
        """Do it, say the result, and wait for the end of the session."""
        task: Task = pickle.loads(self.task)
        send(pickle.dumps(task(lambda told: None), pickle.HIGHEST_PROTOCOL))
        receive()
