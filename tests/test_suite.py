"""The table of `docs/results/benchmark.md` is what `make suite` gives: every row run again (slow)."""

import re

import pytest

from tools import suite

#: Targets that have to be identified in the family.
REQUIRED = ("majority", "dyck-1", "tomita-1", "aa-star", "contains-ab")

#: Targets outside C-RASP[periodic, local].
INEXPRESSIBLE = ("parity", "tomita-3", "tomita-5", "tomita-6", "012-02")


def shown() -> dict[str, list[str]]:
    """Rows of the table in the document, by target, without CPU and memory."""
    text = suite.DOCUMENT.read_text(encoding="utf-8")
    table = text.partition(suite.BEGIN)[2].partition(suite.END)[0]
    rows = [re.split(r" \| ", line.strip("| ")) for line in table.splitlines() if line.startswith("| ")]
    return {row[0]: row[1:-2] for row in rows[1:]}


def test_what_the_table_shows_is_what_was_asked_for() -> None:
    rows = shown()
    assert tuple(rows) == suite.ROWS
    for name in REQUIRED:
        outcome, _, n0 = rows[name][:3]
        assert outcome == "identified-for-all-n"
        assert n0.isdigit()
    for name in INEXPRESSIBLE:
        outcome, r, n0 = rows[name][:3]
        assert (outcome, n0) == ("never", "none")
        assert re.fullmatch(r"\(\d+(\.\d+)?, ∞\]", r)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(shown()))
def test_a_row_is_what_a_run_gives(name: str) -> None:
    line = suite.line_of(name, suite.measure(name))
    assert re.split(r" \| ", line.strip("| "))[1:-2] == shown()[name]
