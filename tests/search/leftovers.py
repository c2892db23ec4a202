"""What a test that starts processes must not leave behind."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def children():
    """Processes that this one has started and not yet waited for."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = path.read_text().rpartition(")")[2].split()[1]
        except OSError:  # it ended while we looked
            continue
        if int(parent) == os.getpid():
            found.add(path.parent.name)
    return found


@contextmanager
def nothing_left() -> Iterator[None]:
    """End with the children (a browser of other tests, say) and the file descriptors of the beginning."""
    before = _left()
    yield
    if _left() != before:
        gc.collect()  # garbage may hold a file; to look for it every time takes long beside large caches
    assert _left() == before


def _left() -> tuple[set[str], set[str]]:
    return set(os.listdir("/proc/self/fd")), children()
