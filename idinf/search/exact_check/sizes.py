"""How the exact check cuts its work: sizes of tables and of portions, none of which changes an answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckSizes:
    """Sizes at which the exact check takes one of several equal ways.

    Attributes
    ----------
    chunk : int
        Summaries that are extended at a time.
    waiting : int
        Arrivals that may wait to be merged with the others, however few the others are.
    readout_cells : int
        Numbers that one reading of the last layer may hold, prefixes × units.
    reader_cells : int
        Numbers of one chunk of prefixes × N × units: 8 MB, and a few such temporaries.
    table : int
        Feature codes are tabulated up to this many; beyond, only those that occur are.
    table_per_row : int
        A table over all packed integers has up to this many entries for each row; beyond, the integers are
        sorted.
    saturated_from : int
        Summaries from which on those are looked for that behave alike up to the last length only.
    cut_cells : int
        Cells of the cuts of one sum, lengths × values; a sum that takes more is kept as it is.
    comparisons : int
        Comparisons, lengths × classes of features × units, beyond which nothing is tabulated.
    cuts_exact : int
        Comparisons are tabulated while the numbers in them stay below this.
    classes : int
        Classes of features that plain counts may be kept of.
    few_counts : int
        Kept counts up to which one pass serves all hypotheses, whatever they read.
    float64_exact, int64_exact : int
        Sums of integers below these bounds are exact in the kernels of each type; one bit is left as a
        margin. Smaller ones only make the check slower.
    """

    chunk: int = 1 << 15
    waiting: int = 1 << 18
    readout_cells: int = 1 << 22
    reader_cells: int = 1 << 20
    table: int = 512
    table_per_row: int = 16
    saturated_from: int = 256
    cut_cells: int = 1 << 24
    comparisons: int = 1 << 24
    cuts_exact: int = 2**58
    classes: int = 32
    few_counts: int = 2
    float64_exact: int = 2**52
    int64_exact: int = 2**62


#: What every run uses; tests take other sizes to meet each way on short words.
DEFAULT_SIZES = CheckSizes()
