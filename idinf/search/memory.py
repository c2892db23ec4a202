"""Memory of this process: what values take, and a hard bound that ends in an error instead of a kill."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np

__all__ = [
    "array_bytes",
    "bounded_memory",
    "peak_bytes",
    "resident_bytes",
    "room_for_a_library",
    "share_memory",
]

#: Growth that is allowed however small the bound, so that a run can end in an orderly way.
LEAST_GROWTH_BYTES = 16 * 2**20

_UNLIMITED = resource.RLIM_INFINITY


def array_bytes(value: object) -> int:
    """Bytes of the arrays in nested tuples, lists and dataclasses; one met twice counts twice.

    Examples
    --------
    >>> array_bytes((np.zeros(3), [np.zeros((2, 2), dtype=np.uint8)], "text"))
    28
    """
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple | list):
        return sum(map(array_bytes, value))
    if is_dataclass(value):
        return sum(array_bytes(getattr(value, field.name)) for field in fields(value))
    return 0


@contextmanager
def bounded_memory(bound: int | None) -> Iterator[None]:
    """Let the resident size of this process grow up to ``bound`` bytes; more is a MemoryError.

    Parameters
    ----------
    bound : int or None
        None, or a system that does not tell sizes: no bound.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if bound is not None:
        share_memory(bound, 1)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def share_memory(bound: int, sharers: int) -> None:
    """Bound the growth of this process by its share of what ``bound`` leaves beyond its size now.

    The address space is what can be bounded. It is larger than what is resident, so its bound is put as far
    above its present size as memory may still grow.
    """
    _warm_up()
    sizes = _sizes()
    if sizes is None:
        return
    mapped, resident = sizes
    growth = max((bound - resident) // sharers, LEAST_GROWTH_BYTES)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limits = [mapped + growth, *(limit for limit in (soft, hard) if limit != _UNLIMITED)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))


@contextmanager
def room_for_a_library() -> Iterator[None]:
    """Lift the bound while a library is loaded and maps its buffers: some end the process if they cannot.

    Afterwards the bound is higher by what was mapped.

    Raises
    ------
    MemoryError
        If it does not fit the limit that the system has set.
    """
    before = _sizes()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    except ImportError as error:  # what idinf needs is installed with it: it did not fit
        raise MemoryError(str(error)) from None
    finally:
        after = _sizes()
        if soft != _UNLIMITED and before is not None and after is not None:
            soft += max(0, after[0] - before[0])
            soft = soft if hard == _UNLIMITED else min(soft, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def resident_bytes() -> int:
    """Bytes of this process in memory now; 0 where the system does not tell."""
    sizes = _sizes()
    return 0 if sizes is None else sizes[1]


def peak_bytes() -> int:
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


def _sizes() -> tuple[int, int] | None:
    """Bytes mapped and bytes resident."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
        size = resource.getpagesize()
        return int(pages[0]) * size, int(pages[1]) * size
    except (OSError, ValueError, IndexError):
        return None


def _warm_up() -> None:
    """Let the linear algebra library map its buffers, which it cannot go without, before the bound holds."""
    for kind in (np.float32, np.float64):
        square = np.ones((256, 256), dtype=kind)  # small ones go without buffers
        np.matmul(square, square)
