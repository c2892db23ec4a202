"""A run that misses a hypothesis which it was given, or finds in a part of its space, ends with both."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from idinf.inference import ladder
from idinf.inference.run import run
from idinf.nets import json_format
from idinf.report.value import Report
from idinf.search.enumeration import Search
from idinf.search.slice_types import HypothesisBatch
from idinf.work.limits import Limits
from tests.commands.refusals import runner
from tests.inference.test_budgets import asked

command = runner()

#: A space in which nothing is lost.
ONE_UNIT = ("--max-n", "3", "--space", "nope", "--layers", "1", "--units", "1", "--precision", "0")


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of a space that loses right hypotheses of R = 8, but not with a single unit in one layer."""
    whole = Search.slice

    def slice_(search: Search, *rest: object) -> Iterator[HypothesisBatch]:
        for found in whole(search, *rest):
            kept = np.flatnonzero((found.fail >= 0) | (abs(found.r - 8) > 1e-6))
            yield found if search.bounds.units == 1 else found.take(kept)

    monkeypatch.setattr(Search, "slice", slice_)


@pytest.fixture(scope="module")
def right() -> Report:
    """The words of b alone, in a part of the family that holds "no a", of R = 8."""
    return run(asked("b*", None, space="spec"), Limits()).report


def test_one_that_was_given(right: Report, lost: None, tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(json_format.dumps(right.selected.hypothesis))
    ask = ("identify", "regex:b*", "--alphabet", "ab", *ONE_UNIT, "--upper-bound", str(path))
    told = command(*ask)
    assert (told.exit_code, told.stderr) == (0, "")
    told = command(*ask, "--units", "2")
    assert (told.exit_code, told.stdout) == (70, "")
    missed = (
        "the search found R*_2 = 8.414213562 and missed a hypothesis with R = 8.000000000, which is right "
        "up to length 6: accept iff #a = 0; "
    )
    assert missed in told.stderr


def test_a_witness_against_a_report(right: Report, lost: None) -> None:
    """What else the report says fits together, so nothing but the witness shows that it is wrong."""
    settings = asked("b*", None, space="spec")
    report = run(replace(settings, bounds=replace(settings.bounds, units=2)), Limits()).report
    assert report.verify(length=3).right
    found = {check.place: check for check in report.verify(length=3, witness=[right]).checks if check.faults}
    assert found["witness[0]"].faults == (
        "R*_2 = 8.414213562; expected at most R = 8.000000000 of what is right up to length 6",
    )
    assert len(found) == 1


def test_one_of_a_part(lost: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "USUAL_PART", 0.25)
    settings = asked("b*", 400)
    with pytest.raises(RuntimeError, match=r"missed .* R = 8\.0+, .* 6: accept iff #a = 0"):
        run(replace(settings, smaller=settings.smaller[:1]), Limits())
