"""Rows of the tables about stages and records, as texts and pages write them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from idinf.numbers import MISSING, r_text, range_text, short, word_text
from idinf.report.value import Record, Report, Stage


def level_text(stage: Stage) -> str:
    """Write R*_n, or what it is proved to be above."""
    return f"> {short(stage.r_star_lower)}" if stage.r_star is None else r_text(stage.r_star)


def stage_cells(stage: Stage) -> tuple[str, ...]:
    """Write R*_n, what is selected, how much of it is wrong, the verdict and a counterexample.

    Examples
    --------
    >>> stage_cells(Stage(2, 5.0, 5.0, 2, 1, False, False, "001", 3))
    ('5.000000000', '≥ 2', '≥ 1', 'bad', '001')
    >>> stage_cells(Stage(2, None, 9.5, 0, 0, False, None, None, None))
    ('> 9.5', '-', '-', 'undetermined', '-')
    """
    if stage.r_star is None:
        return level_text(stage), MISSING, MISSING, stage.verdict, MISSING
    at_least = "" if stage.num_selected_exact else "≥ "
    counts = f"{at_least}{stage.num_selected}", f"{at_least}{stage.num_selected_bad}"
    return level_text(stage), *counts, stage.verdict, word_text(stage.counterexample)


def joined_stages(
    report: Report, cells_of: Callable[[Stage], tuple[str, ...]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Write the cells of every stage, neighbours with equal cells as one row, after their n."""
    for cells, stages in itertools.groupby(report.stages, cells_of):
        yield range_text([stage.n for stage in stages]), cells


def fail_text(record: Record, report: Report) -> str:
    """Write the fail length of a record, or the length up to which there is none."""
    return f"> {report.horizon}" if record.fail is None else str(record.fail)
