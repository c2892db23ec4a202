"""Units of work: groups of consecutive items, recalled or worked out, always in the order of one process."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from idinf.runtime.parallel import Workers

if TYPE_CHECKING:
    from idinf.runtime.journal import Journal

T = TypeVar("T")
R = TypeVar("R")

#: Items of one unit of work. A fixed number: keys of the journal must not depend on jobs or memory.
GROUP = 4

#: Units whose items are held at once, at most, and the bytes of arrays they may have together. More units
#: mean fewer starts of workers, and that what one unit teaches reaches others later.
MAX_UNITS_AT_ONCE, MAX_BYTES_AT_ONCE = 256, 64 * 2**20


@dataclass(frozen=True, slots=True)
class UnitsOfWork:
    """Runs units of work on workers, and keeps finished ones in a journal if there is one."""

    workers: Workers
    journal: Journal | None = None

    def run(
        self,
        key: tuple[object, ...] | None,
        items: Iterator[T],
        begin_wave: Callable[[], Callable[[tuple[T, ...]], R]],
        last: Callable[[], R] | None = None,
    ) -> Generator[R, None, None]:
        """Apply some work to every group of ``GROUP`` consecutive items.

        Groups come in waves, each as large as all before it, up to ``MAX_UNITS_AT_ONCE``.

        Parameters
        ----------
        key : tuple, optional
            What the items and the results depend on, plain values and stored classes; None: keep nothing.
        items : iterator
            Consumed in this process, lazily and in bounded portions; not touched if everything is recalled.
        begin_wave : callable
            Gives the work of a wave, as for `Workers.map`, once the results of all waves before it have been
            taken, so that it may depend on them. Results must not be None.
        last : callable, optional
            Called in this process after the last item; its result is the last one, and kept as well.

        Yields
        ------
        object
            The results in order, the same for any number of workers and any journal.

        Examples
        --------
        >>> list(UnitsOfWork(Workers(1)).run(None, iter(range(10)), lambda: sum))
        [6, 22, 17]
        """
        ready = 0
        end = self._recall(key, "end")
        if end is not None:
            finished = (self._recall(key, k) for k in range(end[0]))
            for value in itertools.takewhile(lambda value: value is not None, finished):
                ready += 1
                yield value
            if ready == end[0]:
                if last is not None:
                    yield end[1]
                return
        number, spent = 0, 0.0
        for begin, groups in _portions(items):
            number = begin + len(groups)
            work = begin_wave()
            known = {k: self._recall(key, k) for k in range(max(begin, ready), number)}
            pending = [groups[k - begin] for k, value in known.items() if value is None]
            started = time.perf_counter()
            with closing(self.workers.map(work, pending, spent)) as results:
                for k, value in known.items():
                    if value is None:
                        value = next(results)
                        self._keep(key, k, value)
                    yield value
            spent += time.perf_counter() - started
        final = None if last is None else last()
        self._keep(key, "end", (number, final))
        if final is not None:
            yield final

    def _recall(self, key: tuple[object, ...] | None, part: int | str) -> Any:
        if self.journal is None or key is None:
            return None
        return self.journal.recall((*key, part))

    def _keep(self, key: tuple[object, ...] | None, part: int | str, value: object) -> None:
        if self.journal is not None and key is not None:
            self.journal.keep((*key, part), value)


def count_array_bytes(value: object) -> int:
    """Bytes of the arrays in nested tuples, lists and dataclasses; one met twice counts twice.

    Examples
    --------
    >>> count_array_bytes((np.zeros(3), [np.zeros((2, 2), dtype=np.uint8)], "text"))
    28
    """
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple | list):
        return sum(map(count_array_bytes, value))
    if is_dataclass(value):
        return sum(count_array_bytes(getattr(value, field.name)) for field in fields(value))
    return 0


def _portions(items: Iterator[T]) -> Iterator[tuple[int, list[tuple[T, ...]]]]:
    """Consecutive groups in portions that fit memory, each with the number of its first group."""
    begin, groups, size = 0, list[tuple[T, ...]](), 0
    while group := tuple(itertools.islice(items, GROUP)):
        groups.append(group)
        size += count_array_bytes(group)
        if len(groups) >= min(max(begin, 1), MAX_UNITS_AT_ONCE) or size >= MAX_BYTES_AT_ONCE:
            yield begin, groups
            begin, groups, size = begin + len(groups), [], 0
    if groups:
        yield begin, groups
