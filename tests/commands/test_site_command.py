"""``idinf site``: what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main
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
