"""Work on several processes: forked children inherit what they work on, results come in order."""

from __future__ import annotations

import itertools
import pickle
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from idinf.errors import BudgetError
from idinf.runtime.learned import Learned

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from idinf.runtime.processes import Children, Lost

T = TypeVar("T")
R = TypeVar("R")

#: Seconds between two looks at the clock and the progress line while children work.
BEAT_S = 0.1

#: Work that is done before this many seconds is not worth a fork, which takes some milliseconds.
PATIENCE_S = 0.05

#: Results that wait for an earlier one: children get nothing further while these take more bytes than this,
MAX_UNREAD_BYTES = 64 * 2**20

#: or while they are more than this many items per child ahead.
MAX_AHEAD = 64

#: Items that a child has at once, so that it need not wait for the next one: where they take no longer than
#: this many seconds on average, and more are left than all children would have.
QUEUED, SHORT_S = 2, 0.1

#: What a child can run into only because several share memory; its item is tried again without the others.
_SHARED_LIMITS = (MemoryError, BudgetError)


class Beat:
    """Calls a function in its process; sent to another one, which has no clock and no user, it does nothing.

    Examples
    --------
    >>> import pickle
    >>> beat = Beat(lambda: print("tick"))
    >>> beat()
    tick
    >>> pickle.loads(pickle.dumps(beat))()
    """

    __slots__ = ("_call",)

    def __init__(self, call: Callable[..., object] | None = None) -> None:
        self._call = call

    def __call__(self, *arguments: int) -> None:
        """Call the function, if there is one; what it raises stops the work."""
        if self._call is not None:
            self._call(*arguments)

    def __reduce__(self) -> tuple[type[Beat], tuple[()]]:
        """Take nothing along."""
        return Beat, ()


@dataclass(frozen=True, slots=True, eq=False)
class Workers:
    """Maps a function over items on several processes, with the results of one process.

    Parameters
    ----------
    jobs : int
        Processes, at least 1.
    checkpoint : callable
        Called before every item that runs in this process, and about every 0.1 s while others work; may
        raise to stop.
    enter : callable
        Called in every child with the number of children, before its first item: shares out what they share.
    memories : list of Learned
        What children learn there is handed on to this process, and so to children that start later.
    patience_s : float, optional
        Seconds of work in this process before children are started for what is left; `PATIENCE_S` if not
        given.
    """

    jobs: int
    checkpoint: Callable[[], None] = field(default_factory=Beat)
    enter: Callable[[int], None] = field(default_factory=Beat)
    memories: list[Learned[Any, Any]] = field(default_factory=list)
    patience_s: float | None = None

    def map(self, work: Callable[[T], R], items: Sequence[T], spent: float = 0.0) -> Generator[R, None, None]:
        """Apply ``work`` to every item.

        Parameters
        ----------
        work : callable
            Must give the same whatever process it runs in and whatever ran before; what it changes in a child
            is lost. Its results are pickled between our own processes, items are inherited.
        spent : float
            Seconds that work of this kind took before, which count towards ``patience_s``.

        Yields
        ------
        object
            The results in the order of the items.

        Raises
        ------
        BudgetError
            If a child ends without a result, as the kernel does to one when memory runs out.
        Exception
            What ``work`` raises, once the results of the items before have been yielded; of a memory limit
            only if the item meets it without other children, too. Whatever ends the iteration, no child
            is left.

        Examples
        --------
        >>> list(Workers(2, patience_s=0.0).map(lambda x: x * x, [1, 2, 3]))
        [1, 4, 9]
        """
        begin = 0
        patience_s = PATIENCE_S if self.patience_s is None else self.patience_s
        while begin < len(items) and (self.jobs == 1 or len(items) - begin < 2 or spent < patience_s):
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
        """What others say of the items from an index on, in order, by `answer_item`.

        ``unread`` is what is known of later ones.
        """
        from idinf.runtime.processes import Children

        pending = [index for index in range(begin, len(items)) if index not in unread]
        number = min(self.jobs, len(pending))
        life = partial(_serve, partial(self.enter, number), self.memories, work, items)
        with Children() as children:
            for _ in range(number):
                children.start(life)
            yield from self._in_order(children, begin, len(items), pending, unread)

    def _in_order(
        self, children: Children, begin: int, end: int, pending: list[int], unread: dict[int, bytes]
    ) -> Iterator[bytes]:
        """Messages of the items begin..end-1 in order; ``unread`` holds those that came before their turn."""
        from idinf.runtime.processes import Lost

        pending = pending[::-1]
        size = sum(map(len, unread.values()))
        busy: dict[Connection, deque[int]] = {pipe: deque() for pipe in children.running}
        started, received = time.perf_counter(), 0
        for index in range(begin, end):
            while True:  # children are looked after at least once for every item
                ahead = index + MAX_AHEAD * len(busy)
                are_short = (time.perf_counter() - started) * len(busy) <= SHORT_S * received
                for queued, pipe in itertools.product(range(QUEUED if are_short else 1), busy):
                    if len(busy[pipe]) > queued or len(pending) <= queued * len(busy):
                        continue
                    if pending[-1] != index and (pending[-1] >= ahead or size > MAX_UNREAD_BYTES):
                        break
                    busy[pipe].append(pending.pop())
                    try:
                        pipe.send(busy[pipe][-1])
                    except OSError:
                        raise unexpected_end(children.ended(pipe)) from None
                for pipe, message in children.received(0.0 if index in unread else BEAT_S):
                    if isinstance(message, Lost):
                        raise unexpected_end(message)
                    place = busy[pipe].popleft()
                    unread[place] = message
                    received += 1
                    size += len(message)
                self.checkpoint()
                if index in unread:
                    break
            size -= len(unread[index])
            yield unread.pop(index)


def unexpected_end(lost: Lost) -> BudgetError:
    """The error of a child, or of what does its work elsewhere, that is gone without a word."""
    return BudgetError(
        f"a worker process ended unexpectedly ({lost.how}), as happens when the machine runs "
        "out of memory; expected it to finish; lower --jobs or --memory"
    )


def _serve(
    enter: Callable[[], None],
    memories: list[Learned[Any, Any]],
    work: Callable[[T], object],
    items: Sequence[T],
    pipe: Connection,
) -> None:
    """The life of a child: one item after the other until the pipe is closed."""
    entered = False
    for memory in memories:
        memory.news()  # the parent knows what is inherited
    with suppress(EOFError, OSError):
        while True:
            index = pipe.recv()
            if not entered:
                enter()
                entered = True
            pipe.send(answer_item(memories, work, items[index])[0])


def answer_item(
    memories: list[Learned[Any, Any]], work: Callable[[T], object], item: T
) -> tuple[bytes, Exception | None]:
    """Do an item, and write what `Workers.map` reads, with what was learned; the error, if there was one."""
    try:
        value = work(item)
        news = [memory.news() for memory in memories]
        return pickle.dumps((True, value, "", news), pickle.HIGHEST_PROTOCOL), None
    except Exception as error:
        import traceback  # needed only here

        told = "in a worker process:\n" + "".join(traceback.format_exception(error))
        message = pickle.dumps(
            (False, _portable(error), told, [{} for _ in memories]), pickle.HIGHEST_PROTOCOL
        )
        return message, error


def _portable(error: Exception) -> Exception:
    """The error itself, or its text where it cannot be pickled."""
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:  # any class may refuse in its own way
        pass
    return RuntimeError(f"{type(error).__name__}: {error}")
