"""Forked processes, and where whole runs are done: here one by one, each in a fork, or on workers of dask.

Requests to stop stay with the parent, and no child outlives it.
"""

from __future__ import annotations

import gc
import math
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from idinf.errors import BudgetError
from idinf.work.signals import REQUESTS, call_at_every_tick

if TYPE_CHECKING:
    from concurrent.futures import Future
    from multiprocessing.process import BaseProcess

#: Seconds that the end of a child takes at most to be known.
_END_S = 5.0

#: Function of a child: it is inherited, as nothing but plain values can be sent.
_work: Callable[..., Any] | None = None

#: Contexts that a child holds to its end.
_for_life = ExitStack()


@cache
def can_fork() -> bool:
    """True if there can be other processes; Windows and browsers fork none."""
    with suppress(ImportError):
        needed = "multiprocessing", "_multiprocessing"  # found, and not loaded: most runs have one process
        return hasattr(os, "fork") and None not in map(find_spec, needed)
    return False


class Pool(AbstractContextManager["Pool"]):
    """Some forked processes that all do one thing. Mutable: it knows which are there.

    >>> with Pool(2, lambda x: x * x) as pool:
    ...     [future.result() for future in map(pool.submit, (6, 7))]
    [36, 49]
    """

    def __init__(self, number: int, work: Callable[..., object]) -> None:
        from concurrent.futures import ProcessPoolExecutor  # most runs have one process
        from multiprocessing import get_context

        with _requests_held_back() as mask:
            begin = os.getpid(), mask, work
            self._executor = ProcessPoolExecutor(number, get_context("fork"), _begin, begin)
        self._children: list[BaseProcess] = []

    def submit(self, *arguments: object) -> Future[Any]:
        """Let a child do its work on something; that no process can be started is a BudgetError.

        Where one is gone without a word, it is a BrokenProcessPool, as of the results.
        """
        from concurrent.futures.process import BrokenProcessPool

        with _requests_held_back(), warnings.catch_warnings():
            # Newer Pythons warn where other threads run: a child uses none of their locks.
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                future = self._executor.submit(_do, *arguments)
            except BrokenProcessPool:
                raise
            except (OSError, RuntimeError) as error:
                told = f"no further process could be started ({getattr(error, 'strerror', error)})"
                raise BudgetError(f"{told}; expected room for it; lower --jobs") from None
            self._children = self._children or list(self._executor._processes.values())
        return future

    def how_lost(self) -> str:
        """End of the child that is gone without a word: its signal or exit code."""
        until, code = time.monotonic() + _END_S, 0
        while not code and time.monotonic() < until:
            codes = [child.exitcode for child in self._children]
            code = next(filter(None, codes), 0)  # the others end in an orderly way
            if None not in codes:
                break
            time.sleep(0.01)
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"

    def kill(self) -> None:
        """End the children at once; their work is lost."""
        for child in self._children:
            child.kill()

    def __exit__(self, *raised: object) -> None:
        """End every child at once; none is left, and no file descriptor."""
        with _requests_held_back():
            self.kill()
            for child in self._children:
                child.join()
            # A child may be gone in the middle of a result, for whose rest a thread of ours would wait.
            self._executor._result_queue._writer.close()  # type: ignore[attr-defined]
            self._executor.shutdown(cancel_futures=True)


def _begin(parent: int, mask: set[signal.Signals], work: Callable[..., object]) -> None:
    """The beginning of a child."""
    global _work
    _work = work
    gc.freeze()  # a collection would write to, and so copy, every inherited page that holds objects
    _for_life.enter_context(following(parent))
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _do(*arguments: object) -> object:
    assert _work is not None
    return _work(*arguments)


@contextmanager
def following(parent: int) -> Iterator[None]:
    """The life of a child: requests to stop are for the parent alone, and when it ends the child does.

    A terminal or a supervisor sends requests to all processes. A child that has used up its processor time
    ends, and the parent says so.
    """
    for number in REQUESTS:
        signal.signal(number, signal.SIG_DFL if number == signal.SIGXCPU else signal.SIG_IGN)

    def look() -> None:
        if os.getppid() != parent:
            os._exit(1)

    with call_at_every_tick(look):
        yield


def end_with_stdin() -> None:
    """End this process as soon as the other end of its stdin is closed, as when its parent is killed.

    Input that was read before is kept, later input is dropped. A process of which this one holds the stdin
    ends in the same way.
    """

    def watch() -> None:
        with suppress(OSError):
            while os.read(0, 1):  # no lock of a file object is held when the interpreter ends
                pass
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _requests_held_back() -> Iterator[set[signal.Signals]]:
    """Hold back all requests to stop, so that no child is started or ended by half; yields the old mask."""
    held = (*REQUESTS, signal.SIGALRM)
    before = {signal.Signals(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, held)}
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(frozen=True, slots=True)
class LostTask:
    """A task whose process is gone, with the end of that process."""

    how: str
    is_overdue: bool = False  #: True if it was ended since its time was over


@dataclass(slots=True)
class _Running:
    """A task under way. Mutable: it may be ended by force."""

    number: int
    end: float  #: when that is
    pool: Pool | None
    is_overdue: bool = False


@dataclass
class Executor(AbstractContextManager["Executor"]):
    """Does tasks one by one, in this process. Mutable: it knows which are under way.

    A task is a value: all its inputs are in it, and it can be pickled. After any end of the block, no
    process is left.
    """

    sharers: int = 1  #: number of tasks that share the memory of one machine; 1: each has all of it
    is_remote = False  #: True if tasks see other files than this process
    running: dict[Future[Any], _Running] = field(default_factory=dict)

    @property
    def room(self) -> int:
        """Number of tasks that may be under way at once."""
        return self.sharers

    def start(self, number: int, task: Callable[[], object], at_most_s: float | None) -> None:
        """Start a task, which is ended by force after that many seconds if that can be."""
        limit_s = math.inf if at_most_s is None else at_most_s
        future, pool = self._begin(task, limit_s)
        self.running[future] = _Running(number, time.monotonic() + limit_s, pool)

    def _begin(self, task: Callable[[], object], limit_s: float) -> tuple[Future[Any], Pool | None]:
        done = Future[Any]()
        done.set_result(task())
        return done, None

    def completed(self, timeout_s: float) -> Iterator[tuple[int, Any]]:
        """The results of tasks that ended, or `LostTask`, with their numbers; waits so long for the first."""
        for run in self.running.values():
            if run.pool is not None and time.monotonic() > run.end:
                run.is_overdue = True
                run.pool.kill()
        ended, _ = wait(self.running, timeout_s, FIRST_COMPLETED)
        for future in ended:
            run = self.running.pop(future)
            yield run.number, self._result(future, run)

    def _result(self, future: Future[Any], run: _Running) -> object:
        return future.result()

    def __exit__(self, *raised: object) -> None:
        """End running tasks at once."""
        for run in self.running.values():
            if run.pool is not None:
                run.pool.__exit__()
        self.running.clear()


class ForkingExecutor(Executor):
    """Does each task in a forked child, which inherits its inputs."""

    def _begin(self, task: Callable[[], object], limit_s: float) -> tuple[Future[Any], Pool | None]:
        pool = Pool(1, task)
        return pool.submit(), pool

    def _result(self, future: Future[Any], run: _Running) -> object:
        assert run.pool is not None
        with run.pool as pool:
            error = future.exception()
            if error is None:
                return future.result()
            is_gone = type(error).__name__ == "BrokenProcessPool"
            return LostTask(pool.how_lost() if is_gone else type(error).__name__, run.is_overdue)
