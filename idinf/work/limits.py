"""The limits of a piece of work: its time, its memory, and the requests of its user to stop.

Work that can stop at a safe point asks `Limits.why_stop` there. Work that does not ask is ended at any
point, a moment after the limit: by `TimeIsUp`, KeyboardInterrupt or MemoryError. Code that catches one of
them calls `Limits.closing`, and has a little time to report the results up to then.
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from idinf.base.numbers import format_r
from idinf.errors import BudgetError, MissingPackageError
from idinf.work.memory import LEAST_GROWTH_BYTES, bound_memory, measure_resident_bytes, share_memory
from idinf.work.signals import Requests, call_at_every_tick

#: Bytes that work may take by default: a small part of the memory of a laptop.
DEFAULT_MEMORY = 2**30

#: Seconds that work has to reach a safe point.
GRACE_S = 0.3

#: Seconds for the report at the end, where the clock or the user ended the work, and where nobody waits.
CLOSING_S, PATIENT_S = 1.5, 20.0

#: Seconds of the clock that the report at the end may take on a busy machine.
STARVED_S = 10.0

#: Seconds until work that does not stop is ended again, so that code that tidies up is not disturbed.
AGAIN_S = 1.0


class StopReason(enum.Enum):
    """Why a run of the procedure ended; the values stand in its report."""

    #: Complete to the stop bound: nothing of larger R can be selected.
    STOP_BOUND = "stop-bound"
    #: The deterministic budget ended first.
    MAX_R = "max-r"
    #: All nets of a whole class below its floor of R were searched.
    FLOOR = "floor"
    #: The other deterministic budget, steps of work, ended first.
    WORK = "work"
    TIME = "time-limit"
    MEMORY = "memory"
    #: Something to be listed, counted or checked exactly was larger than the bounds allow.
    SIZE = "size"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Ending:
    """Reason that ended a piece of work, and its text for people."""

    reason: StopReason
    text: str


def tell_stop_bound(complete: float) -> str:
    """Say that a run reached its stop bound.

    >>> tell_stop_bound(8.5)
    'complete to the stop bound R = 8.500000000'
    """
    return f"complete to the stop bound R = {format_r(complete)}"


def tell_max_r(max_r: float) -> str:
    """Say that the budget of R ended first."""
    return f"the budget max_r = {max_r:g} ended before the stop bound; raise --max-r"


def tell_work(work: float) -> str:
    """Say that the budget of steps ended first."""
    return f"the budget of {work:,} steps of work was spent"


#: Said of a report whose hypotheses are not all the first in the total order; its pick may be unknown.
PARTIAL = "; some records show the first realisation that was met, all were too many to list"


class TimeIsUp(BaseException):
    """The time limit ended work that had not stopped by itself.

    No `Exception`, as KeyboardInterrupt is none: code that continues after any error must end after this one.
    """


class Stop(Exception):
    """A limit was met at a safe point."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending = ending

    def __str__(self) -> str:
        return self.ending.text


#: Said of work that its user stopped.
_INTERRUPTED = Ending(StopReason.INTERRUPTED, "interrupted")

#: Every way in which a limit ends work.
ENDS = (Stop, TimeIsUp, BudgetError, MemoryError, KeyboardInterrupt)


class Limits:
    """Limits of a piece of work: seconds of the clock, bytes of all processes together, a request to stop.

    Mutable: its clock runs from the moment it is made. The system enforces both limits if they are
    ``enforced``; otherwise they hold where the work itself checks them.
    """

    def __init__(
        self,
        time_limit_s: float | None = None,
        memory_bytes: int = DEFAULT_MEMORY,
        enforced: bool = False,
    ) -> None:
        self.time_limit_s, self.memory_bytes, self.enforced = time_limit_s, memory_bytes, enforced
        self.requests = Requests()
        self._began = time.perf_counter()
        self._ends = math.inf if time_limit_s is None else self._began + time_limit_s
        self._rest_ends = self._ends  # when a part would end that had all the time there is
        self._next = 0.0  # when work that did not stop is ended again
        self._held = self._is_closing = self._is_let_go = False
        self._closing_cpu_s = -math.inf  # processor time that the report at the end may use in any case
        self._lift: Callable[[], None] = lambda: None
        self._most = memory_bytes  # bytes that may be resident now

    @property
    def elapsed_s(self) -> float:
        """Seconds since the clock started, that of a part if there is one."""
        return time.perf_counter() - self._began

    @property
    def left_s(self) -> float:
        """Seconds until the work has to stop; infinite where there is no time limit."""
        return max(self._ends - time.perf_counter(), 0.0)

    @property
    def is_over(self) -> bool:
        """True if the time that was given at first has passed."""
        return self.time_limit_s is not None and self.elapsed_s >= self.time_limit_s

    def why_stop(self) -> Ending | None:
        """Reason to stop at this safe point; None while the work may continue."""
        if self._is_let_go:
            return None
        if self.requests.waiting_s:
            return _INTERRUPTED
        return Ending(StopReason.TIME, self._time_reason) if time.perf_counter() >= self._ends else None

    def check(self) -> None:
        """Raise `Stop` at this safe point, if the work should stop."""
        if (ending := self.why_stop()) is not None:
            raise Stop(ending)

    def ending(self, end: BaseException) -> Ending:
        """Reason and text of work that one of `ENDS` ended.

        >>> Limits(memory_bytes=2**30).ending(MemoryError()).text
        'the memory bound of 1024 MiB was reached; raise --memory, or lower --max-r, --units or --jobs'
        """
        match end:
            case Stop():
                return end.ending
            case KeyboardInterrupt():
                return _INTERRUPTED
            case MemoryError():
                bound = f"the memory bound of {self.memory_bytes / 2**20:.0f} MiB was reached"
                knobs = "raise --memory, or lower --max-r, --units or --jobs"
                return Ending(StopReason.MEMORY, f"{bound}; {knobs}")
            case TimeIsUp():
                return Ending(StopReason.TIME, str(end))
            case _:
                return Ending(StopReason.SIZE, str(end))

    def closing(self) -> None:
        """After a stop: give a little time, and memory anew, to the report.

        Where neither the clock nor the user ended the work, it has more time, but none beyond the limit.
        """
        now = time.perf_counter()
        hurried = self._is_closing or self.requests.waiting_s or now >= self._ends
        patient = now if hurried else min(self._ends, now + PATIENT_S)
        self.requests.answer()
        self._ends, self._next, self._is_closing = max(now + CLOSING_S, patient), 0.0, True
        self._closing_cpu_s = time.process_time() + CLOSING_S
        if self._held:
            self._lift()
            self._make_room()
            share_memory(self.memory_bytes, 1)

    def _make_room(self) -> None:
        """Let the report at the end take some memory, for any present size."""
        least = measure_resident_bytes() + LEAST_GROWTH_BYTES if self._is_closing else 0
        self._most = max(self.memory_bytes, least)

    @contextmanager
    def let_go(self) -> Iterator[None]:
        """Let only a second request end a block, which reports the results so far."""
        self._is_let_go = True
        try:
            yield
        finally:
            self._is_let_go = False

    def hurry(self) -> None:
        """From here on the clock alone counts, as in all that is said beside an answer."""
        self._closing_cpu_s = -math.inf

    @contextmanager
    def part(self, share: float = 1.0) -> Iterator[None]:
        """Give a block a share of the time that is left, and a clock of its own.

        A limit that ends the block takes nothing from later work, which has the rest of the time.

        >>> limits = Limits(time_limit_s=8.0)
        >>> with limits.part(0.5):
        ...     print(round(limits.left_s))
        4
        >>> round(limits.left_s)
        8
        """
        now = time.perf_counter()
        before = self._began, self._ends, self._rest_ends
        self._began, self._rest_ends = now, self._ends
        self._ends = now + share * max(self._ends - now, 0.0)
        try:
            yield
        finally:
            self._began, self._ends, self._rest_ends = before
            self._next, self._is_closing, self._closing_cpu_s = 0.0, False, -math.inf

    @contextmanager
    def held(self) -> Iterator[None]:
        """Enforce the limits on a block, which TimeIsUp, KeyboardInterrupt or MemoryError ends where it is.

        One inside another changes nothing.
        """
        if self._held or not self.enforced:
            yield
            return
        with ExitStack() as stack:
            self._lift = stack.enter_context(bound_memory(self.memory_bytes))
            stack.enter_context(call_at_every_tick(self._end_overdue))
            self._make_room()
            self._held = True
            try:
                yield
            except (ModuleNotFoundError, MissingPackageError):
                raise
            except ImportError as error:  # a library is installed, and found no room when it was loaded
                raise MemoryError(str(error)) from None
            finally:
                self._held = False

    @property
    def _time_reason(self) -> str:
        if self._is_closing:
            return "the report of a stopped run leaves out what takes longer"
        part = f" after its part of {self._ends - self._began:.1f} s" if self._ends < self._rest_ends else ""
        return f"the time limit of {self.time_limit_s or 0.0:g} s ended the run{part}"

    def _end_overdue(self) -> None:
        """End work that had its time to stop by itself."""
        now = time.perf_counter()
        if not self._held or now < self._next:
            return
        self._next = now + AGAIN_S
        if self.requests.waiting_s > GRACE_S:
            raise KeyboardInterrupt
        is_starved = time.process_time() < self._closing_cpu_s and now < self._ends + STARVED_S
        if now > self._ends + GRACE_S and not is_starved:
            raise TimeIsUp(self._time_reason)
        if measure_resident_bytes() > self._most:  # the system bounds mapped memory, not resident one
            raise MemoryError
        self._next = 0.0
