"""The table of readings: known values, brackets, errors as rows, and the same rows from the library."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

import idinf
from idinf.commands import main
from idinf.errors import ArgumentError
from idinf.render.text.readings_table import render_markdown
from idinf.sweeps.readings import READINGS, read_readings


def test_majority_in_every_reading():
    """R* is that of one-hot nets, with a bias turned round, and of any net; n0 is 3 and N0 is 8."""
    rows = {row.reading: row for row in idinf.readings(["majority"], max_n=8, work=60_000)}
    assert list(rows) == [reading.name for reading in READINGS]
    stars = {name: row.r_star for name, row in rows.items()}
    assert stars["one-hot"] == stars["sum"] == stars["tolerance 0"] == 8.414213562
    assert stars["threshold zero"] == stars["logits"] == 8.732050808
    assert stars["theta"] == stars["limit"] == 5.5
    assert {name: row.n0 for name, row in rows.items() if row.n0 != 3} == {"lengths of the paper": 8}


def test_open_rows_are_brackets():
    [row] = idinf.readings(["contains-ab"], ["theta"], max_n=4)
    assert (row.outcome, row.r_star, row.n0) == ("open", None, None)
    assert row.r_above > 6.28
    assert row.r_upper is None
    assert row.n0_lower >= 1


@pytest.mark.slow
def test_next_symbols_have_the_readings_of_their_own():
    names = [row.reading for row in idinf.readings(["tomita-1-next"], max_n=2, work=300)]
    assert "theta" not in names
    assert "threshold zero" not in names
    assert "tolerance 0" in names


@pytest.mark.slow
def test_the_command_writes_the_rows_of_the_library(tmp_path):
    path = tmp_path / "readings.csv"
    line = ["readings", "tomita-1", "--reading", "one-hot", "--reading", "theta", "--max-n", "4"]
    shown = CliRunner().invoke(main, line)
    assert shown.exit_code == 0
    assert "tomita-1  theta    5.500000000  3" in shown.stdout
    assert CliRunner().invoke(main, [*line, "-o", str(path)]).exit_code == 0
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = idinf.readings(["tomita-1"], ["one-hot", "theta"], max_n=4)
    assert [(row["reading"], row["n0"]) for row in rows] == [(row.reading, str(row.n0)) for row in found]


def test_what_cannot_be_read_is_a_row_or_refused(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text('name = "bad"\n', encoding="utf-8")
    [row] = idinf.readings([bad])  # one row, whatever the readings are
    assert row.error is not None
    assert "bad.toml" in row.error
    with pytest.raises(ArgumentError, match="reading 'all'; expected one of: one-hot"):
        idinf.readings(["majority"], ["all"])
    answer = CliRunner().invoke(main, ["readings", "majority", "--reading", "all"])
    assert answer.exit_code == 2


def test_the_document_shows_the_table():
    """docs/results/readings.md holds docs/results/readings.csv."""
    results = Path(__file__).parents[2] / "docs" / "results"
    page = (results / "readings.md").read_text(encoding="utf-8")
    rows = read_readings((results / "readings.csv").read_text(encoding="utf-8"))
    before, rest = page.split("by `make readings` -->\n", 1)
    shown, after = rest.split("<!-- end of readings -->", 1)
    table = render_markdown(rows)
    if os.environ.get("IDINF_GOLDEN") == "1":
        (results / "readings.md").write_text(
            f"{before}by `make readings` -->\n{table}<!-- end of readings -->{after}", encoding="utf-8"
        )
        shown = table
    assert shown == table
    assert {row.reading for row in rows} == {reading.name for reading in READINGS}
