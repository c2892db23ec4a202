"""Slices over several processes: independent shards, merged in the order of one process."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from types import TracebackType

from idinf.search.enumeration import Search
from idinf.search.found import Counts, Found, Mode, Slice
from idinf.space.structures import Structure

__all__ = ["Pool"]

#: Seconds between two looks at the clock and the progress line while shards run elsewhere.
BEAT_S = 0.1

_search: Search | None = None


def _adopt(search: Search) -> None:
    """Start of a worker: it inherits the search and leaves Ctrl-C to its parent."""
    global _search
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    search.checkpoint = lambda: None
    _search = search


Shard = tuple[Structure, Slice, int, int]


def _work(shard: Shard) -> tuple[list[tuple[int, Found]], Counts]:
    """Run one shard: the stacks of a structure whose number is ``part`` modulo ``parts``."""
    if _search is None:
        raise RuntimeError("a worker was started without a search")
    _search.counts = Counts()
    return list(_search.shard(*shard)), _search.counts


class Pool:
    """A search on several processes, which gives the same batches in the same order as on one."""

    def __init__(self, search: Search, jobs: int) -> None:
        self.search, self.jobs = search, jobs
        self._pool = ProcessPoolExecutor(
            jobs, multiprocessing.get_context("fork"), initializer=_adopt, initargs=(search,)
        )

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            for process in list((self._pool._processes or {}).values()):
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def slice(self, low: float, high: float, consistent: int, mode: Mode) -> Iterator[Found]:
        """List a slice as ``Search.slice`` does."""
        tasks: list[Future[tuple[list[tuple[int, Found]], Counts]]] = [
            self._pool.submit(_work, (structure, Slice(low, high, consistent, mode), part, self.jobs))
            for structure in self.search.reached(high, mode)
            for part in range(self.jobs)
        ]
        pending = set(tasks)
        while pending:
            _, pending = wait(pending, timeout=BEAT_S)
            self.search.checkpoint()
        for begin in range(0, len(tasks), self.jobs):
            results = [task.result() for task in tasks[begin : begin + self.jobs]]
            for _, counts in results:
                self.search.counts.add(counts)
            numbered = [item for found, _ in results for item in found]
            yield from (found for _, found in sorted(numbered, key=lambda item: item[0]))
