"""Limits of time and memory of one call, kept as a command keeps its own.

They hold at any place of the work, in any thread, by a pulse and a bound on the memory of the process beyond
its present size.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from idinf.base.quoting import quote
from idinf.errors import ArgumentError, LimitReached
from idinf.work.limits import DEFAULT_MEMORY, Limits, TimeIsUp
from idinf.work.memory import LEAST_BYTES, measure_resident_bytes

#: Longest time limit, some thirty years.
LONGEST_S = 1e9


def take_limits(time_limit: float | Limits | None, memory: int | None = DEFAULT_MEMORY) -> Limits:
    """Check the limits that a call is given; an ArgumentError if one is none.

    A command gives its own in place of seconds; their clock goes already. Numbers are enforced where one is
    given. The usual bound of memory is then one of growth, as the process belongs to somebody who may have
    filled it before.

    >>> take_limits(3, "512M")
    Traceback (most recent call last):
        ...
    idinf.errors.ArgumentError: memory = '512M'; expected whole bytes, at least 134217728; correct it
    """
    if isinstance(time_limit, Limits):
        return time_limit
    is_number = isinstance(time_limit, int | float) and not isinstance(time_limit, bool)
    if time_limit is not None and not (is_number and 0 < time_limit < LONGEST_S):
        raise ArgumentError(
            f"time_limit = {quote(time_limit)}; expected seconds above 0, or None; correct it"
        )
    if memory is not None and (type(memory) is not int or not LEAST_BYTES <= memory < 2**62):
        raise ArgumentError(
            f"memory = {quote(memory)}; expected whole bytes, at least {LEAST_BYTES}; correct it"
        )
    is_usual = memory in (None, DEFAULT_MEMORY)
    is_enforced = time_limit is not None or not is_usual
    if memory is None or (is_usual and is_enforced):
        memory = DEFAULT_MEMORY + measure_resident_bytes()
    return Limits(time_limit, memory, enforced=is_enforced)


@contextmanager
def hold(limits: Limits) -> Iterator[None]:
    """Hold a block to its limits; a LimitReached if one ends it."""
    with telling(limits, "time_limit", "memory"), limits.held() if limits.enforced else nullcontext():
        yield


@contextmanager
def telling(limits: Limits, time: str, memory: str) -> Iterator[None]:
    """Raise LimitReached if limits end a block; ``time`` and ``memory`` are their names for users."""
    try:
        yield
    except TimeIsUp:
        if limits.time_limit_s is None:
            raise  # it is that of a block around this one
        raise LimitReached(f"the time limit of {limits.time_limit_s:g} s was reached; raise {time}") from None
    except MemoryError:
        if not limits.enforced:
            raise
        bound = f"{limits.memory_bytes / 2**20:.0f} MiB"
        raise LimitReached(f"the memory bound of {bound} was reached; raise {memory}") from None
