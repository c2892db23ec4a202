"""Work on several processes: forked children inherit their inputs, results come in order."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from idinf.errors import BudgetError
from idinf.work.executors import Pool, can_fork

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")

#: Seconds between two looks at the clock and the progress line while children work.
BEAT_S = 0.1

#: Work of fewer seconds is done without a fork, and without the imports that a fork needs.
PATIENCE_S = 1.0

#: Results that wait for an earlier one: children get nothing further while these take more bytes, or are more
#: than so many for each child.
MAX_UNREAD_BYTES, MAX_AHEAD = 64 * 2**20, 64

#: Items that wait for each child, so that it need not wait for the next one.
QUEUED = 2

#: Errors that a child may have only because several share memory; its item is tried again by itself.
_SHARED_LIMITS = (MemoryError, BudgetError)

K = TypeVar("K", bound=Hashable)

V = TypeVar("V")


@dataclass(frozen=True, slots=True, eq=False)
class Workers:
    """Maps a function over items on several processes, with the results of one process."""

    jobs: int
    #: Called before every item that runs here, and every 0.1 s while others work; may raise to stop.
    checkpoint: Callable[[], None] = lambda: None
    #: Called in every child with their number, before its first item: takes its share of the limits.
    enter: Callable[[int], None] = lambda sharers: None
    #: Dicts whose new entries in children are handed on to this process, and so to children that start later.
    memories: list[Learned[Any, Any]] = field(default_factory=list)
    #: Seconds of work in this process before children are started; None: `PATIENCE_S`.
    patience_s: float | None = None

    def map(self, work: Callable[[T], R], items: Sequence[T], spent: float = 0.0) -> Generator[R, None, None]:
        """Apply ``work`` to every item; results come in the order of the items.

        It must give the same in every process, and after any other items; its changes in a child are lost.
        Its results are pickled between our own processes, items are inherited. ``spent`` are seconds that
        such work took before, which count towards ``patience_s``. A child that ends without a result is a
        BudgetError. An error of ``work`` comes after the results of the items before; a lack of memory is one
        only if the item by itself has it, too. After any end of the iteration, no child is left.

        >>> list(Workers(2, patience_s=0.0).map(lambda x: x * x, [1, 2, 3]))
        [1, 4, 9]
        """
        begin = 0
        patience_s = PATIENCE_S if self.patience_s is None else self.patience_s
        is_alone = self.jobs == 1
        while begin < len(items) and (
            is_alone or len(items) - begin < 2 or spent < patience_s or not can_fork()
        ):
            self.checkpoint()
            started = time.perf_counter()
            result = work(items[begin])
            spent += time.perf_counter() - started
            begin += 1
            yield result
        if begin < len(items):
            yield from self._shared_out(work, items, begin)

    def _shared_out(self, work: Callable[[T], R], items: Sequence[T], begin: int) -> Iterator[R]:
        """The results from an index on, by others; an item too large for a share of memory is done here."""
        unread: dict[int, bytes] = {}
        while begin < len(items):
            with closing(self._messages(work, items, begin, unread)) as messages:
                for message in messages:
                    right, value, told, news = pickle.loads(message)  # written by our own program
                    for memory, learned in zip(self.memories, news, strict=True):
                        memory.update(learned)
                    if not right:
                        value.add_note(told)
                        break
                    begin += 1
                    yield value
            if begin < len(items):
                if not isinstance(value, _SHARED_LIMITS):
                    raise value
                self.checkpoint()
                yield work(items[begin])
                begin += 1

    def _messages(
        self, work: Callable[[T], R], items: Sequence[T], begin: int, unread: dict[int, bytes]
    ) -> Generator[bytes, None, None]:
        """Answers of children to the items from an index on, in order, by `answer_item`.

        ``unread`` has the answers to later items, before and afterwards.
        """
        from concurrent.futures.process import BrokenProcessPool

        pending = deque(index for index in range(begin, len(items)) if index not in unread)
        number = max(1, min(self.jobs, len(pending)))  # none is left where all is known
        asked: dict[int, Future[bytes]] = {}
        for memory in self.memories:
            memory.news()  # children know the entries that they inherit
        with Pool(number, _Child(partial(self.enter, number), self.memories, work, items)) as pool:
            try:
                for index in range(begin, len(items)):
                    while index not in unread:
                        while pending and (pending[0] == index or _has_room(asked, index, number)):
                            asked[pending[0]] = pool.submit(pending[0])
                            pending.popleft()
                        self.checkpoint()
                        with suppress(TimeoutError):
                            unread[index] = asked[index].result(BEAT_S)
                            del asked[index]
                    yield unread.pop(index)
            except BrokenProcessPool:
                raise unexpected_end(pool.how_lost()) from None
            finally:
                ended = [(index, future) for index, future in asked.items() if future.done()]
                unread.update((index, future.result()) for index, future in ended if not future.exception())


def _has_room(asked: Mapping[int, Future[bytes]], index: int, children: int) -> bool:
    """True if children get further items: so they need not wait, and not too many results do."""
    if len(asked) >= MAX_AHEAD * children:
        return False
    if sum(not future.done() for future in asked.values()) < (1 + QUEUED) * children:
        ended = [future for future in asked.values() if future.done() and not future.exception()]
        return sum(len(future.result()) for future in ended) <= MAX_UNREAD_BYTES
    return False


def unexpected_end(how: str) -> BudgetError:
    """The error of a child, or of a process elsewhere, that is gone without a word."""
    return BudgetError(
        f"a worker process ended unexpectedly ({how}), as happens when the machine runs "
        "out of memory; expected it to finish; lower --jobs or --memory"
    )


@dataclass(slots=True)
class _Child(Generic[T]):
    """Work of a child: one item after the other. Mutable: it enters before the first."""

    enter: Callable[[], None]
    memories: list[Learned[Any, Any]]
    work: Callable[[T], object]
    items: Sequence[T]
    has_entered: bool = False

    def __call__(self, index: int) -> bytes:
        if not self.has_entered:
            self.enter()
            self.has_entered = True
        return answer_item(self.memories, self.work, self.items[index])


def answer_item(memories: list[Learned[Any, Any]], work: Callable[[T], object], item: T) -> bytes:
    """Do an item, and write its result for `Workers.map`, with new entries of the memories."""
    try:
        value = work(item)
        news = [memory.news() for memory in memories]
        return pickle.dumps((True, value, "", news), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        import traceback  # needed only here

        told = "in a worker process:\n" + "".join(traceback.format_exception(error))
        failed: tuple[object, ...] = False, _portable(error), told, [{} for _ in memories]
        return pickle.dumps(failed, pickle.HIGHEST_PROTOCOL)


def _portable(error: Exception) -> Exception:
    """The error itself, or its text where it cannot be pickled."""
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:  # any class may refuse in its own way
        pass
    return RuntimeError(f"{type(error).__name__}: {error}")


class Learned(dict[K, V]):
    """A dict that knows the entries that were added since the last call of `news`.

    A child process inherits the entries at its start. Its new ones are handed on with its results, so that
    children which start later have them, too.
    """

    def __init__(self, known: dict[K, V] | None = None) -> None:
        super().__init__(known or {})
        self._new: set[K] = set()

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self._new.add(key)

    def clear(self) -> None:
        """Forget everything."""
        super().clear()
        self._new.clear()

    def news(self) -> dict[K, V]:
        """Entries that were added by ``[key] = value`` since the last call, and are still there."""
        news = {key: self[key] for key in self._new if key in self}
        self._new.clear()
        return news
