"""Columns and cells about learners of finite automata."""

from __future__ import annotations

import dataclasses

import pytest

from idinf.baselines.automata import Baseline
from idinf.experiments.catalogue import load
from idinf.render.text.answer import render_answer
from idinf.render.text.baselines import BaselineColumns, measure_baseline_columns
from idinf.report.value import Outcome
from idinf.targets.build import build_target
from tests.perf.suite import baseline_cells

#: As of parity, k = 2.
RPNI = Baseline((False, False, True, True, True))


def machine(name: str):
    return build_target(load(name))


def text_with(run, columns: BaselineColumns | None) -> list[str]:
    return render_answer(run.report, baselines=columns).splitlines()


def test_columns_and_cells_of_a_shipped_target() -> None:
    pytest.importorskip("aalpy")
    assert measure_baseline_columns(machine("tomita-2")) == BaselineColumns(
        3, 4, Baseline((False, False, True, True, True, True, True))
    )
    assert baseline_cells(machine("tomita-2")) == ("4", "2")


def test_rows_are_split_where_a_column_changes(opened) -> None:
    plain, wide = text_with(opened, None), text_with(opened, BaselineColumns(3, 4, RPNI))
    start = plain.index(next(line for line in plain if line.startswith("  n ")))
    assert [line.split()[0] for line in plain[start + 1 : start + 4]] == ["1", "2", "3..4"]
    assert wide[start : start + 7] == [
        "  n  R*_n         selected  wrong at 2n  verdict       shortest counterexample  n >= 2k - 2  RPNI",
        "  1  5.000000000  ≥ 1       ≥ 1          bad           10 (length 2)            not yet      wrong",
        "  2  9.242640687  ≥ 1       ≥ 1          bad           111 (length 3)           not yet      has it",
        "  3  > 9.3        -         -            undetermined  -                        not yet      has it",
        "  4  > 9.3        -         -            undetermined  -                        settled      has it",
        "k = 3 states, n0 not decided; from n = 2k - 2 = 4 on all words up to n leave one automaton of at "
        "most k states",
        "RPNI has it from n = 2 to 4; larger samples are not run, but characteristic for it from n = 2k - 2 "
        "on",
    ]
    assert [*plain[:start], *plain[start + 4 :]] == [*wide[:start], *wide[start + 7 :]]


def test_the_legend_gives_n0_as_far_as_it_is_known(identified, not_identified) -> None:
    columns = BaselineColumns(2, 2, Baseline((False, False)))
    first, second = columns.legend(identified.report)
    assert first.startswith("k = 2 states, n0 = 3; from n = 2k - 2 = 2 on all words")
    assert second.startswith("RPNI is wrong at n = 1; larger samples are not run, but characteristic")
    assert "n0 = 3 " in " ".join(text_with(identified, columns))
    assert not_identified.inference.outcome is Outcome.NOT_IDENTIFIED
    assert columns.legend(not_identified.report)[0].startswith("k = 2 states, no n0 up to 2; ")
    opened = dataclasses.replace(not_identified.inference, outcome=Outcome.OPEN)
    assert columns.legend(opened)[0].startswith("k = 2 states, n0 not decided; ")
