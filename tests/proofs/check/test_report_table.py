"""What follows from records in numbers, by hand; falsifications of whole reports are in test_report_check."""

from dataclasses import replace

import pytest

from idinf.nets.regularizer import Aggregate
from idinf.proofs.check.definition import TargetDefinition
from idinf.proofs.check.report_table import ReportTable
from idinf.report.value import Regularizer
from tests.proofs.check.small_reports import read


def table(name, **changes):
    report = replace(read(name), **changes)
    return ReportTable(report, TargetDefinition.of(report.target.spec()))


def test_what_is_selected():
    """1* up to 4: at n = 1 the record of R = 5 alone; with more tolerance the next one too."""
    assert [record.r for record in table("proved").selected(1)] == [5.0]
    wide = Regularizer(Aggregate.MAX, 3.0)
    assert [record.r for record in table("proved", regularizer=wide).selected(1)] == [5.0, 8.0]
    short = table("proved", regularizer=wide, complete_up_to_r=7.9)
    assert [record.r for record in short.selected(1)] == [5.0]
    assert table("unknown").selected(3) == []


@pytest.mark.parametrize(
    ("good", "n0"),
    [
        ([False, True, True, True], 2),
        ([True, False, True, True], 3),
        ([True, True, True, False], None),
        ([True, True, True, None], None),
    ],
)
def test_n0_is_the_least_from_which_all_are_good(good, n0):
    rows = zip(read("proved").stages, good, strict=True)
    stages = tuple(replace(stage, good=value) for stage, value in rows)
    shown = "null" if n0 is None else n0
    checked = table("proved", stages=stages, n0=99)
    assert next(iter(checked.n0_faults())) == f"n0 = 99; expected {shown}"
    assert list(table("proved", stages=stages, n0=n0, n0_canonical=n0).n0_faults()) == []


def test_no_records_do_not_break_it():
    for name in ("proved", "open"):
        checked = table(name, records=())
        assert all("; expected " in fault for fault in checked.r_star_faults())
        assert len(list(checked.r_star_faults())) == 8
        assert list(checked.good_faults())
        assert [*checked.outcome_faults(), *checked.bracket_faults()]
