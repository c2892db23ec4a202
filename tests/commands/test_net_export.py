from __future__ import annotations

import pytest
from click.testing import CliRunner

import idinf
from idinf.commands import main
from idinf.report.files import dump_report


def run(*args):
    return CliRunner().invoke(main, ["net", "export", *args])


@pytest.fixture
def report(identified, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(dump_report(identified.report), encoding="utf-8")
    return str(path)


def test_of_an_open_run_it_is_the_upper_end(bracketed, tmp_path):
    path = tmp_path / "open.json"
    path.write_text(dump_report(bracketed.report), encoding="utf-8")
    told = run(str(path), "--as", "json")
    assert told.exit_code == 0
    assert idinf.hypothesis(str(path)).export("json") == told.stdout


@pytest.mark.parametrize("form", ["json", "crasp", "numpy", "latex", "dot"])
def test_command_and_library_write_the_same(form, report, tmp_path):
    told = run(report, "--as", form)
    assert (told.exit_code, told.stderr) == (0, "")
    assert run(report, "--as", form, "-o", "-").stdout == told.stdout
    assert run(report, "--as", form, "-o", str(tmp_path / "out")).stdout == ""
    assert (tmp_path / "out").read_text(encoding="utf-8") == told.stdout
    assert idinf.read_report(report).export(form, tmp_path / "again") == told.stdout
    assert (tmp_path / "again").read_text(encoding="utf-8") == told.stdout
