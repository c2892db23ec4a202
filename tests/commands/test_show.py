"""``idinf show``: the text of a report, its page, and what is refused on one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from idinf.report.files import read_report
from idinf.show.text.answer import render_answer
from tests.commands.refusals import runner
from tests.show.reports import golden_dict


@pytest.fixture(scope="module")
def majority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a report."""
    path = tmp_path_factory.mktemp("reports") / "majority.json"
    path.write_text(json.dumps(golden_dict("majority")), encoding="utf-8")
    return path


run = runner("show")


def test_a_hypothesis_that_answers_something_else_is_refused(tmp_path: Path) -> None:
    report = golden_dict("majority")
    report["target"] |= {"kind": "regex", "source": "1*", "mode": "next", "output": "set"}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report), encoding="utf-8")
    result = run(str(path), "-o", str(tmp_path / "page.html"))
    assert result.exit_code == 3
    assert f"{path}: records[0].hypothesis: it answers accept; expected set" in result.stderr


def test_the_text_is_that_of_the_report(majority: Path) -> None:
    report = read_report(str(majority))
    assert run(str(majority)).stdout == render_answer(report, False)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--site", "x", "-o", "y.html"), "leave one out"),
        (("--force",), "add --site DIR"),
        (("--open",), "add -o PAGE.html"),
    ],
)
def test_options_that_fit_nothing_are_refused(arguments: tuple[str, ...], part: str, majority: Path) -> None:
    result = run(str(majority), *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert part in result.stderr
