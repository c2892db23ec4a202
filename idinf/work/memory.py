"""Memory of this process, and a hard bound on it that ends in an error instead of a kill.

Windows and browsers have none: there nothing is bounded, and a command says so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]

#: Growth that is allowed however small the bound, so that a run can end in an orderly way.
LEAST_GROWTH_BYTES = 16 * 2**20

#: The least bound that can be kept: the interpreter with numpy and scipy takes 95 MiB, a short run 20 more.
LEAST_BYTES = 128 * 2**20

#: Bytes that numpy and such libraries map when loaded under a bound; most are never resident.
LIBRARIES_BYTES = 512 * 2**20


@contextmanager
def bound_memory(bound: int) -> Iterator[Callable[[], None]]:
    """Let the resident size of this process grow up to ``bound`` bytes; more is a MemoryError.

    Gives a function that takes the bound back before the block ends.
    """
    if not can_bound():
        yield lambda: None
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    lift = partial(resource.setrlimit, resource.RLIMIT_AS, before)
    share_memory(bound, 1)
    try:
        yield lift
    finally:
        lift()


def can_bound() -> bool:
    """True if this system measures the size of a process, and bounds it."""
    return resource is not None and _sizes() != (0, 0)


def share_memory(bound: int, sharers: int) -> None:
    """Bound the growth of this process by its share of the rest of ``bound`` beyond its present size.

    Only the address space can be bounded. It is larger than resident memory, so its bound is its present size
    and the growth that memory may still have.
    """
    if not can_bound():
        return
    room = LIBRARIES_BYTES
    if "numpy" in sys.modules:
        _warm_up()
        room = 0
    mapped, resident = _sizes()
    growth = max((bound - resident) // sharers, LEAST_GROWTH_BYTES) + room
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limits = [mapped + growth, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))


@contextmanager
def make_room_for_a_library() -> Iterator[None]:
    """Lift the bound while a library is loaded and maps its buffers: some end the process if they cannot.

    Afterwards the bound is higher by the mapped bytes. A library beyond the bound of the system raises
    MemoryError.
    """
    if not can_bound():
        yield
        return
    before, _ = _sizes()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    except ImportError as error:  # idinf is installed with all it needs, so this did not fit
        raise MemoryError(str(error)) from None
    finally:
        if soft != resource.RLIM_INFINITY:
            soft += max(0, _sizes()[0] - before)
            soft = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def measure_resident_bytes() -> int:
    """Bytes of this process in memory now; 0 where the system has no such number."""
    return _sizes()[1]


def measure_peak_bytes() -> int:
    """Largest resident size of this process or of one of its workers; 0 where the system has no such number.

    The kernel's own mark is read where there is one: the number of getrusage for this process includes the
    peak of the program that started it.
    """
    if resource is None:
        return 0
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        own = int(status.partition("VmHWM:")[2].split()[0])
    except (OSError, ValueError, IndexError):
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return max(own, workers) * 1024


def _sizes() -> tuple[int, int]:
    """Bytes mapped and bytes resident; 0 where the system has no such number."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
        size = os.sysconf("SC_PAGE_SIZE")
        return int(pages[0]) * size, int(pages[1]) * size
    except (OSError, ValueError, IndexError):
        return 0, 0


def _warm_up() -> None:
    """Let the linear algebra library map its buffers, which it cannot go without, before the bound holds."""
    numpy = sys.modules["numpy"]
    for kind in (numpy.float32, numpy.float64):
        square = numpy.ones((256, 256), dtype=kind)  # small ones go without buffers
        numpy.matmul(square, square)
