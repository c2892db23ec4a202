"""Units of work: items of several lists, recalled or worked out, always in the order of one process."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from idinf.work.parallel import Workers

if TYPE_CHECKING:
    from idinf.work.journal import Journal

T = TypeVar("T")
R = TypeVar("R")

#: Units of a wave: usually at least, and at most. Fixed numbers: knowledge of units reaches the next wave,
#: and results must not depend on jobs or memory. Larger waves learn later, and keep several processes busy.
LEAST_WAVE, GROWTH, LARGEST_WAVE = 32, 3, 256

#: Bytes of the arrays of items that are held at once.
MAX_BYTES_AT_ONCE = 64 * 2**20


class Remembered(dict[tuple[object, ...], Any]):
    """Finished work in memory by key, as a `Journal` keeps it in a file."""

    recall, keep = dict.get, dict.__setitem__


@dataclass(eq=False)
class WorkList(Generic[T, R]):
    """Units of work of one kind: items, and the work on each. Mutable: its items are consumed."""

    #: All inputs of items and results, as plain values and stored classes; None: keep nothing.
    key: tuple[object, ...] | None
    #: Consumed in this process, lazily and in bounded portions; not touched if everything is recalled.
    items: Iterator[T]
    #: Gives the work on an item in a wave, as for `Workers.map`; results must not be None. It may depend on
    #: the results of all waves before, and on no others.
    begin_wave: Callable[[], Callable[[T], R]]
    taken: int = field(default=0, init=False)  #: items so far

    def next_item(self) -> tuple[T, ...]:
        """The next item, alone; nothing at the end."""
        item = tuple(itertools.islice(self.items, 1))
        self.taken += len(item)
        return item

    def item(self, number: int) -> T:
        """An item that is not taken yet; those before it are left out."""
        while self.taken < number:
            self.next_item()
        return self.next_item()[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Slot(Generic[T, R]):
    """The place of a result: that of item ``number`` of a list, or of its end, which has no work to do."""

    work: WorkList[T, R]
    number: int
    item: tuple[T, ...] = ()  #: none where a result is expected to be recalled
    is_end: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class UnitsOfWork:
    """Runs units of work on workers, and keeps finished ones in a journal if there is one."""

    workers: Workers
    journal: Journal | Remembered | None = None

    def run(
        self,
        lists: Iterator[WorkList[Any, R]],
        between_waves: Callable[[], Iterable[R]] = tuple,
        least: int = LEAST_WAVE,
        spent: float = 0.0,
    ) -> Generator[R, None, None]:
        """Do the work of every list on every item; the results are the same for any workers and journal.

        Items come in waves, the first of ``least``, each ``GROWTH`` times as large as all before it but for
        the bounds, across lists. Lists are consumed as lazily as their items: one may depend on
        the results of all waves before. ``between_waves`` is called before every wave, and at the end: from
        then on these results may be used. It gives further results. ``spent`` is as for `Workers.map`.
        """
        slots = itertools.chain.from_iterable(map(self._slots, lists))
        done = 0
        while True:
            yield from between_waves()
            size = min(max(GROWTH * done, least), LARGEST_WAVE)
            number, wave = 0, dict[WorkList[Any, R], Callable[[Any], R]]()
            for portion in _portions(itertools.islice(slots, size)):
                number += len(portion)
                started = time.perf_counter()
                yield from self._done(portion, wave, spent)
                spent += time.perf_counter() - started
            if not number:
                return
            done += number

    def once(self, key: tuple[object, ...] | None, work: Callable[[], T]) -> T:
        """The result of some work in this process, recalled if it was done before."""
        if self.journal is None or key is None:
            return work()
        known: T | None = self.journal.recall(key)
        if known is None:
            self.journal.keep(key, known := work())
        return known

    def _slots(self, work: WorkList[T, R]) -> Iterator[_Slot[T, R]]:
        """The slots of a list: those that a journal knows, and then those of items that are left."""
        end = self._recall(work, "end")
        if end is not None:
            yield from (_Slot(work, number) for number in range(end))
        else:
            while item := work.next_item():
                yield _Slot(work, work.taken - 1, item)
        yield _Slot(work, work.taken, is_end=True)

    def _done(
        self, portion: list[_Slot[T, R]], wave: dict[WorkList[T, R], Callable[[T], R]], spent: float
    ) -> Iterator[R]:
        """The results of some slots of one wave in order; the work of a list is begun once."""
        known = [None if slot.is_end else self._recall(slot.work, slot.number) for slot in portion]
        pending: list[tuple[Callable[[T], R], T] | None] = []
        for slot, value in zip(portion, known, strict=True):
            if value is None and not slot.is_end:
                if slot.work not in wave:
                    wave[slot.work] = slot.work.begin_wave()
                item = slot.item[0] if slot.item else slot.work.item(slot.number)
                pending.append((wave[slot.work], item))
        done = 0
        with closing(self.workers.map(_apply, pending, spent)) as results:
            for value in known:
                slot = portion.pop(0)  # the work on an item may take memory as long as the item lives
                if slot.is_end:
                    if self._recall(slot.work, "end") is None:
                        self._keep(slot.work, "end", slot.number)
                    continue
                if value is None:
                    value = next(results)
                    pending[done] = None
                    done += 1
                    self._keep(slot.work, slot.number, value)
                yield value

    def _recall(self, work: WorkList[T, R], name: int | str) -> Any:
        if self.journal is None or work.key is None:
            return None
        return self.journal.recall((*work.key, name))

    def _keep(self, work: WorkList[T, R], name: int | str, value: object) -> None:
        if self.journal is not None and work.key is not None:
            self.journal.keep((*work.key, name), value)


def _apply(work_on: tuple[Callable[[T], R], T] | None) -> R:
    assert work_on is not None  # finished units are not run again
    work, item = work_on
    return work(item)


def count_array_bytes(value: object, met: set[int]) -> int:
    """Bytes of the arrays in nested tuples, lists and dataclasses that were not ``met``, by their identities.

    >>> count_array_bytes((np.zeros(3),) * 2, set())
    24
    """
    arrays = {id(array): array.nbytes for array in _iter_arrays(value) if id(array) not in met}
    met |= arrays.keys()
    return sum(arrays.values())


def _iter_arrays(value: object) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, np.ndarray):
        yield value
    if isinstance(value, tuple) and value and isinstance(value[0], int):
        return  # plain numbers, of which a certificate has many
    parts = (
        value
        if isinstance(value, tuple | list)
        else [getattr(value, name) for name in _names_of_fields(value)]
    )
    for part in parts:
        yield from _iter_arrays(part)


def _names_of_fields(value: object) -> Iterable[str]:
    """The names of the fields of a dataclass; none of anything else."""
    names: Iterable[str] = getattr(value, "__dataclass_fields__", ())
    return names


def digest_arrays(value: object) -> str:
    """Digest of the arrays, and of all other values, in nested tuples, lists and dataclasses.

    >>> digest_arrays((np.zeros(3), 1)) == digest_arrays([np.zeros(3), 1]) != digest_arrays((np.ones(3), 1))
    True
    """
    digest = hashlib.blake2b(digest_size=16)

    def add(value: object) -> None:
        if isinstance(value, np.ndarray):
            digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
        elif isinstance(value, tuple | list):
            digest.update(repr(len(value)).encode())
            for work in value:
                add(work)
        elif names := _names_of_fields(value):
            for name in names:
                add(getattr(value, name))
        else:
            digest.update(repr(value).encode())

    add(value)
    return digest.hexdigest()


def _portions(slots: Iterator[_Slot[T, R]]) -> Iterator[list[_Slot[T, R]]]:
    """Consecutive slots in portions whose items fit memory; they share arrays."""
    portion, size, met = list[_Slot[T, R]](), 0, set[int]()
    for slot in slots:
        portion.append(slot)
        size += count_array_bytes(slot.item, met)
        if size >= MAX_BYTES_AT_ONCE:
            yield portion
            portion, size = [], 0
            met.clear()
    if portion:
        yield portion
