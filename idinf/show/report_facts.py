"""Values that texts, pages and figures read out of a report: rows of tables, formulas, its supervision."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

from idinf.base.numbers import MISSING, format_above, format_r, format_range, format_word
from idinf.errors import HypothesisFormatError, IdinfError, ReportFormatError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import to_one_hot
from idinf.report.target import TargetDescription
from idinf.report.value import SLACK, Record, Report, Stage
from idinf.targets.build import build_target
from idinf.targets.supervised import SupervisedTarget, supervise
from idinf.translate.formulas.formula import Formula, write_formula
from idinf.translate.formulas.legend import list_legend


def format_level(stage: Stage) -> str:
    """Write R*_n, or its proved lower bound."""
    return format_above(stage.r_star_lower) if stage.r_star is None else format_r(stage.r_star)


def format_stage(stage: Stage) -> tuple[str, ...]:
    """Write R*_n, the numbers of selected and of wrong functions, the verdict and a counterexample.

    >>> format_stage(Stage(2, 5.0, 5.0, 2, 1, False, False, "001", 3))
    ('5.000000000', '≥ 2', '≥ 1', 'bad', '001')
    >>> format_stage(Stage(2, None, 9.5, 0, 0, False, None, None, None))
    ('> 9.5', '-', '-', 'undetermined', '-')
    """
    if stage.r_star is None:
        return format_level(stage), MISSING, MISSING, stage.verdict, MISSING
    at_least = "" if stage.num_selected_exact else "≥ "
    bad = "0" if stage.good else f"{at_least}{stage.num_selected_bad}"
    counts = f"{at_least}{stage.num_selected}", bad
    return format_level(stage), *counts, stage.verdict, format_word(stage.counterexample)


def join_stages(
    report: Report, cells_of: Callable[[Stage], tuple[str, ...]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Write the cells of every stage, neighbours with equal cells as one row, after their n."""
    for cells, stages in itertools.groupby(report.stages, cells_of):
        yield format_range([stage.n for stage in stages]), cells


def list_worst(report: Report) -> Iterator[tuple[str, Record]]:
    """List the worst selected hypothesis of each bad n, with all n whose worst it is."""
    for record in report.worst:
        numbers = [stage.n for stage in report.stages if report.worst_of(stage) is record]
        yield format_range(numbers), record


def format_fail(record: Record, report: Report) -> str:
    """Write the fail length of a record, or the length up to which there is none."""
    return f"> {report.horizon}" if record.fail is None else str(record.fail)


def write_formula_if_one_hot(hypothesis: LimitTransformer) -> Formula | None:
    """Read the formula of a hypothesis; None if it is written otherwise than the family is."""
    try:
        return write_formula(to_one_hot(hypothesis))
    except HypothesisFormatError:
        return None


def collect_legend(records: Iterable[Record]) -> list[str]:
    """Explain the signs in the formulas of some records."""
    formulas = (write_formula_if_one_hot(record.hypothesis) for record in records)
    return list_legend([formula for formula in formulas if formula is not None])


def build_supervision(target: TargetDescription) -> SupervisedTarget | None:
    """Build the supervision of a target, or raise a ReportFormatError; None for acceptance of every word.

    >>> from idinf.spec.reader import parse_spec
    >>> spec = parse_spec('name = "ones"\\nalphabet = "01"\\nregex = "1*"\\nmode = "next"')
    >>> build_supervision(TargetDescription.of(spec)).next_symbols((1, 0))
    (('1', '$'), ('1', '$'), ())
    """
    if target.mode == "accept" and target.domain is None:
        return None
    try:
        return supervise(build_target(target.spec()))
    except (IdinfError, ValueError, RecursionError) as error:
        raise ReportFormatError(f"{error}; write the report again with 'idinf identify -o'") from None


def is_selected(report: Report, record: Record, stage: Stage) -> bool:
    """True if a record is in the window of selection at a stage; False where R*_n is not known."""
    if stage.r_star is None or not record.fits(stage.n):
        return False
    return record.r <= stage.r_star + report.regularizer.window(stage.n) + SLACK
