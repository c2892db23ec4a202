"""``idinf report``: what is no page of one target is refused on one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main
from tests.render.reports import golden_dict


@pytest.fixture(scope="module")
def majority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a report."""
    path = tmp_path_factory.mktemp("reports") / "majority.json"
    path.write_text(json.dumps(golden_dict("majority")), encoding="utf-8")
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["report", *arguments], prog_name="idinf")


def test_a_hypothesis_that_answers_something_else_is_refused(tmp_path: Path) -> None:
    report = golden_dict("majority")
    report["target"] |= {"kind": "regex", "source": "1*", "mode": "next", "output": "set"}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report), encoding="utf-8")
    result = run(str(path))
    assert result.exit_code == 3
    assert f"{path}: records[0].hypothesis: it answers accept; expected set" in result.stderr
