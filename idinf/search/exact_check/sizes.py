"""How the exact check cuts its work: sizes of tables and of portions, none of which changes an answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckSizes:
    """Sizes at which the exact check takes one of several equal ways."""

    #: Summaries that are extended at a time.
    chunk: int = 1 << 15
    #: Arrivals that may wait to be merged with the others, however few the others are.
    waiting: int = 1 << 18
    #: Numbers that one reading of the last layer may hold, prefixes × units.
    readout_cells: int = 1 << 22
    #: Numbers of one chunk of prefixes × N × units: 8 MB, and a few such temporaries.
    reader_cells: int = 1 << 20
    #: Feature codes are tabulated up to this many; beyond, only those that occur are.
    table: int = 512
    #: A table over all packed integers has up to this many entries for each row; beyond, the integers are
    #: sorted.
    table_per_row: int = 16
    #: Summaries from which on those are looked for that behave alike up to the last length only.
    saturated_from: int = 256
    #: Comparisons that are tabulated for this in the time of one summary.
    comparisons_per_summary: int = 100
    #: Summaries from which on those are dropped that others dominate.
    dominated_from: int = 256
    #: Cells of the cuts of one sum, lengths × values; a sum that takes more is kept as it is.
    cut_cells: int = 1 << 24
    #: Comparisons, lengths × classes of features × units, beyond which nothing is tabulated.
    comparisons: int = 1 << 24
    #: Comparisons are tabulated while the numbers in them stay below this.
    cuts_exact: int = 2**58
    #: Sums of integers below these bounds are exact in the kernels of each type; one bit is left as a margin.
    #: Smaller ones only make the check slower.
    float64_exact: int = 2**52
    int64_exact: int = 2**62


#: What every run uses; tests take other sizes to meet each way on short words.
DEFAULT_SIZES = CheckSizes()
