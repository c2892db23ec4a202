"""Progress of a search on stderr, while a terminal looks at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from idinf.inference.procedure import Progress

__all__ = ["counting", "progress_line", "watching"]


@contextmanager
def watching(quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Give a function that shows progress, or None where nobody would see it.

    The total number of hypotheses is not known beforehand, so counts are shown and no percentage.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("searching") as status:
        yield lambda progress: status.update(progress_line(progress))


def progress_line(progress: Progress) -> str:
    """What is said about a running search.

    Examples
    --------
    >>> from idinf.search.found import Counts
    >>> progress_line(Progress(8.0, 8.25, Counts(enumerated=12000), 2.0))
    '12,000 enumerated, 6,000/s, complete to R = 8.00, now at 8.25, 2 s'
    """
    number = progress.counts.enumerated
    rate = number / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    return (
        f"{number:,} enumerated, {rate:,.0f}/s, complete to R = {max(progress.complete, 0.0):.2f}, "
        f"now at {progress.high:.2f}, {progress.elapsed_s:.0f} s"
    )


@contextmanager
def counting(quiet: bool, total: int) -> Iterator[Callable[[int], None]]:
    """Give a function that shows how many of a known number of runs are finished."""
    if quiet or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console

    with Console(stderr=True).status("searching") as status:
        yield lambda done: status.update(f"{done} of {total} members finished")
