"""``idinf site`` and two reports for ``idinf report``: where they write, and refusals on one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main
from tests.commands.refusals import refused
from tests.render.reports import golden_dict


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """A folder of reports."""
    folder = tmp_path / "reports"
    folder.mkdir()
    for name in ("majority", "parity"):
        (folder / f"{name}.json").write_text(json.dumps(golden_dict(name)), encoding="utf-8")
    return folder


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)), prog_name="idinf")


def test_a_folder_of_reports_becomes_a_site(reports: Path, tmp_path: Path) -> None:
    place = tmp_path / "new" / "site"
    result = run("site", reports, "-o", place)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert run("site", reports / "parity.json", "-o", place).exit_code == 0
    assert not (place / "targets" / "majority.html").exists()


def test_refusals(reports: Path, tmp_path: Path) -> None:
    refused(run("site", reports, "-o", reports), 3, "holds other files", "--force")
    assert run("site", reports, "-o", reports, "--force").exit_code == 0
    refused(run("site", tmp_path / "nothing", "-o", tmp_path / "site"), 3, "no such file")
    assert run("site", reports).exit_code == 2
    assert run("site", "-o", tmp_path / "site").exit_code == 2
    assert not (tmp_path / "site").exists()


def test_two_reports_side_by_side(reports: Path, tmp_path: Path) -> None:
    page = tmp_path / "pair.html"
    result = run("report", reports / "majority.json", reports / "parity.json", "-o", page)
    assert (result.exit_code, result.output) == (0, "")
    assert "<h1>majority beside parity</h1>" in page.read_text(encoding="utf-8")
    three = run("report", *[reports / "majority.json"] * 3)
    assert (three.exit_code, three.stdout) == (2, "")
    assert "3 reports are given; expected one, or two side by side" in " ".join(three.stderr.split())
