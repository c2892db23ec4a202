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

#: Units of a wave: at least where nothing else is asked for, and at most. Fixed numbers: what units teach
#: reaches the next wave, and results must not depend on jobs or memory. Larger waves learn later, and keep
#: several processes busy.
LEAST_WAVE, GROWTH, LARGEST_WAVE = 32, 3, 256

#: Bytes of the arrays of items that are held at once.
MAX_BYTES_AT_ONCE = 64 * 2**20


@dataclass(eq=False)
class Part(Generic[T, R]):
    """Units of work of one kind: items, and what is done with each. Mutable: its items are consumed."""

    #: What the items and the results depend on, plain values and stored classes; None: keep nothing.
    key: tuple[object, ...] | None
    #: Consumed in this process, lazily and in bounded portions; not touched if everything is recalled.
    items: Iterator[T]
    #: Gives the work on an item in a wave, as for `Workers.map`; results must not be None. It may depend on
    #: the results of all waves before, and on no others.
    begin_wave: Callable[[], Callable[[T], R]]
    #: Called in this process after the last item; its result is the last one, and kept as well.
    last: Callable[[], R] | None = None
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
class _Place(Generic[T, R]):
    """The place of a result: that of item ``number`` of a part, or of its end, which has no work to do."""

    part: Part[T, R]
    number: int
    item: tuple[T, ...] = ()  #: none where a result is expected to be recalled
    is_end: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class UnitsOfWork:
    """Runs units of work on workers, and keeps finished ones in a journal if there is one."""

    workers: Workers
    journal: Journal | None = None
    #: Called once the work of parts is begun, before any is done: makes what every child would make anew.
    prepare: Callable[[], None] = lambda: None

    def run(
        self,
        parts: Iterator[Part[Any, R]],
        between_waves: Callable[[], Iterable[R]] = tuple,
        least: int = LEAST_WAVE,
        spent: float = 0.0,
    ) -> Generator[R, None, None]:
        """Do the work of every part on every item; the results are the same for any workers and journal.

        Items come in waves, the first of ``least``, each ``GROWTH`` times as large as all before it but for
        the bounds, whatever part they are of. Parts are consumed as lazily as their items: one may depend on
        the results of all waves before. ``between_waves`` is called before every wave, and at the end: from
        then on these results may be used. It gives further results. ``spent`` is as for `Workers.map`.
        """
        places = itertools.chain.from_iterable(map(self._places, parts))
        done = 0
        while True:
            yield from between_waves()
            size = min(max(GROWTH * done, least), LARGEST_WAVE)
            number, wave = 0, dict[Part[Any, R], Callable[[Any], R]]()
            for portion in _portions(itertools.islice(places, size)):
                number += len(portion)
                started = time.perf_counter()
                yield from self._done(portion, wave, spent)
                spent += time.perf_counter() - started
            if not number:
                return
            done += number

    def _places(self, part: Part[T, R]) -> Iterator[_Place[T, R]]:
        """The places of a part: those that a journal knows, and then those of items that are left."""
        end = self._recall(part, "end")
        if end is not None:
            yield from (_Place(part, number) for number in range(end[0]))
        else:
            while item := part.next_item():
                yield _Place(part, part.taken - 1, item)
        yield _Place(part, part.taken, is_end=True)

    def _done(
        self, portion: list[_Place[T, R]], wave: dict[Part[T, R], Callable[[T], R]], spent: float
    ) -> Iterator[R]:
        """The results of some places of one wave in order; the work of parts in it is begun once."""
        known = [None if place.is_end else self._recall(place.part, place.number) for place in portion]
        pending: list[tuple[Callable[[T], R], T] | None] = []
        for place, value in zip(portion, known, strict=True):
            if value is None and not place.is_end:
                if place.part not in wave:
                    wave[place.part] = place.part.begin_wave()
                item = place.item[0] if place.item else place.part.item(place.number)
                pending.append((wave[place.part], item))
        self.prepare()
        done = 0
        with closing(self.workers.map(_apply, pending, spent)) as results:
            for value in known:
                place = portion.pop(0)  # what is done with an item may take memory as long as the item lives
                if place.is_end:
                    value = self._end(place)
                elif value is None:
                    value = next(results)
                    pending[done] = None
                    done += 1
                    self._keep(place.part, place.number, value)
                if value is not None:
                    yield value

    def _end(self, place: _Place[T, R]) -> R | None:
        """The last result of a part, kept with how many items it has."""
        part, end = place.part, self._recall(place.part, "end")
        if end is None:
            end = place.number, None if part.last is None else part.last()
            self._keep(part, "end", end)
        last: R | None = end[1]
        return last

    def _recall(self, part: Part[T, R], name: int | str) -> Any:
        if self.journal is None or part.key is None:
            return None
        return self.journal.recall((*part.key, name))

    def _keep(self, part: Part[T, R], name: int | str, value: object) -> None:
        if self.journal is not None and part.key is not None:
            self.journal.keep((*part.key, name), value)


def _apply(work_on: tuple[Callable[[T], R], T] | None) -> R:
    assert work_on is not None  # those that are done are not asked for again
    work, item = work_on
    return work(item)


def count_array_bytes(value: object, met: set[int] | None = None) -> int:
    """Bytes of the arrays in nested tuples, lists and dataclasses; one met twice counts twice.

    With a set of the arrays that were ``met``, by their identities, each counts once.

    >>> count_array_bytes((np.zeros(3), [np.zeros((2, 2), dtype=np.uint8)], "text"))
    28
    >>> twice = (np.zeros(3),) * 2
    >>> count_array_bytes(twice), count_array_bytes(twice, set())
    (48, 24)
    """
    if isinstance(value, np.ndarray):
        if met is not None:
            if id(value) in met:
                return 0
            met.add(id(value))
        return value.nbytes
    if isinstance(value, tuple | list):
        return sum(count_array_bytes(part, met) for part in value)
    return sum(count_array_bytes(getattr(value, name), met) for name in _names_of_fields(value))


def _names_of_fields(value: object) -> Iterable[str]:
    """The names of the fields of a dataclass; none of anything else."""
    names: Iterable[str] = getattr(value, "__dataclass_fields__", ())
    return names


def digest_arrays(value: object) -> str:
    """Digest of the arrays, and of what else there is, in nested tuples, lists and dataclasses.

    >>> digest_arrays((np.zeros(3), 1)) == digest_arrays([np.zeros(3), 1]) != digest_arrays((np.ones(3), 1))
    True
    """
    digest = hashlib.blake2b(digest_size=16)

    def add(value: object) -> None:
        if isinstance(value, np.ndarray):
            digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
        elif isinstance(value, tuple | list):
            digest.update(repr(len(value)).encode())
            for part in value:
                add(part)
        elif names := _names_of_fields(value):
            for name in names:
                add(getattr(value, name))
        else:
            digest.update(repr(value).encode())

    add(value)
    return digest.hexdigest()


def _portions(places: Iterator[_Place[T, R]]) -> Iterator[list[_Place[T, R]]]:
    """Consecutive places in portions whose items fit memory; they share arrays."""
    portion, size, met = list[_Place[T, R]](), 0, set[int]()
    for place in places:
        portion.append(place)
        size += count_array_bytes(place.item, met)
        if size >= MAX_BYTES_AT_ONCE:
            yield portion
            portion, size = [], 0
            met.clear()
    if portion:
        yield portion
