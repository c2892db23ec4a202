"""The work of a search in steps, which are the same on every machine and for any number of processes.

A step is about a millisecond, computed from the sizes of arrays before each part of the work. Units of work
run in any process; the steps of a unit count when its result is taken in, in the order of one process, and
the result of a unit that one process would not have reached is not taken in. The steps of listing a unit
count with the unit, so that a run that recalls it from a journal counts the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace

from idinf.search.slice_types import Counts, WorkDone


class Meter:
    """Counts steps up to an allowance. Mutable.

    ``beat``: called at every step; may raise to stop.

    >>> meter = Meter(lambda: None)
    >>> meter.count(3)
    >>> meter.allowance = 4
    >>> meter.add(Counts(work=2))
    Traceback (most recent call last):
        ...
    idinf.search.slice_types.WorkDone
    >>> meter.counts.work
    3
    """

    def __init__(self, beat: Callable[[], None]) -> None:
        self.beat = beat
        self.counts = Counts()
        self.allowance = math.inf  #: steps after which the work stops

    def count(self, work: float = 1) -> None:
        """Count some steps before they are done, and stop here if it is too much.

        Parts of a step are counted in multiples of a power of two, so that sums are exact in any order.

        Raises WorkDone
        """
        self.counts.work += work
        self._check(0)
        self.beat()

    def _check(self, more: float) -> None:
        if self.counts.work + more > self.allowance:
            raise WorkDone

    def add(self, counts: Counts) -> None:
        """Add the counts of a unit of work; if that is too much nothing of the unit counts.

        Raises WorkDone
        """
        self._check(counts.work)
        self.counts.add(counts)

    @contextmanager
    def unit(self) -> Iterator[Counts]:
        """Count a unit of work apart: the value has its counts at the end; they are taken off here again."""
        before, told = replace(self.counts), Counts()
        try:
            yield told
        finally:
            for item in fields(told):
                setattr(told, item.name, getattr(self.counts, item.name) - getattr(before, item.name))
            self.counts = before
