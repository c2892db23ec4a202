"""Memory of this process: what values take, and a hard bound that ends in an error instead of a kill."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

#: Growth that is allowed however small the bound, so that a run can end in an orderly way.
LEAST_GROWTH_BYTES = 16 * 2**20

#: The least bound that can be kept: the interpreter with numpy and scipy takes 95 MiB, a short run 20 more.
LEAST_BYTES = 128 * 2**20

#: What numpy and libraries like it map, most of which is never resident, where they are loaded under a bound.
LIBRARIES_BYTES = 512 * 2**20

_UNLIMITED = resource.RLIM_INFINITY


@contextmanager
def bound_memory(bound: int) -> Iterator[Callable[[], None]]:
    """Let the resident size of this process grow up to ``bound`` bytes; more is a MemoryError.

    There is no bound on a system that does not tell sizes, see `tells_sizes`.

    Yields
    ------
    callable
        Takes the bound back before the block ends.
    """
    before = resource.getrlimit(resource.RLIMIT_AS)
    lift = partial(resource.setrlimit, resource.RLIMIT_AS, before)
    share_memory(bound, 1)
    try:
        yield lift
    finally:
        lift()


def tells_sizes() -> bool:
    """Whether this system tells how large a process is, so that it can be bounded."""
    return _sizes() != (0, 0)


def share_memory(bound: int, sharers: int) -> None:
    """Bound the growth of this process by its share of what ``bound`` leaves beyond its size now.

    The address space is what can be bounded. It is larger than what is resident, so its bound is put as far
    above its present size as memory may still grow.
    """
    room = LIBRARIES_BYTES
    if "numpy" in sys.modules:
        _warm_up()
        room = 0
    if not tells_sizes():
        return
    mapped, resident = _sizes()
    growth = max((bound - resident) // sharers, LEAST_GROWTH_BYTES) + room
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limits = [mapped + growth, *(limit for limit in (soft, hard) if limit != _UNLIMITED)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))


@contextmanager
def make_room_for_a_library() -> Iterator[None]:
    """Lift the bound while a library is loaded and maps its buffers: some end the process if they cannot.

    Afterwards the bound is higher by what was mapped.

    Raises
    ------
    MemoryError
        If it does not fit the limit that the system has set.
    """
    before, _ = _sizes()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    except ImportError as error:  # what idinf needs is installed with it: it did not fit
        raise MemoryError(str(error)) from None
    finally:
        if soft != _UNLIMITED:
            soft += max(0, _sizes()[0] - before)
            soft = soft if hard == _UNLIMITED else min(soft, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def measure_resident_bytes() -> int:
    """Bytes of this process in memory now; 0 where the system does not tell."""
    return _sizes()[1]


def measure_peak_bytes() -> int:
    """Largest resident size of this process or of one of its workers.

    The kernel's own mark is read where there is one: what getrusage tells of this process also holds the
    peak of the program that started it.
    """
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        own = int(status.partition("VmHWM:")[2].split()[0])
    except (OSError, ValueError, IndexError):
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return max(own, workers) * 1024


def _sizes() -> tuple[int, int]:
    """Bytes mapped and bytes resident; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
        size = resource.getpagesize()
        return int(pages[0]) * size, int(pages[1]) * size
    except (OSError, ValueError, IndexError):
        return 0, 0


def _warm_up() -> None:
    """Let the linear algebra library map its buffers, which it cannot go without, before the bound holds."""
    numpy = sys.modules["numpy"]
    for kind in (numpy.float32, numpy.float64):
        square = numpy.ones((256, 256), dtype=kind)  # small ones go without buffers
        numpy.matmul(square, square)
