"""The study of trained transformers: what counts as learned, and that its page is that of its table."""

from dataclasses import replace

import pytest

from tools import trained
from tools.trained import HEADER, LENGTHS, SEEDS, Row, find_trained_n0


def rows_of(right):
    """Rows of one target and architecture, by how many seeds are right at each length."""
    blank = Row(*[""] * len(HEADER))
    return [
        replace(blank, n=str(n), seed=str(seed), first_wrong="" if seed < number else "3")
        for n, number in zip(LENGTHS, right, strict=True)
        for seed in SEEDS
    ]


@pytest.mark.parametrize(
    ("right", "n0"),
    [
        ([0, 0, 0, 0, 0, 0, 0, 0], None),
        ([3, 3, 3, 3, 3, 3, 3, 1], None),
        ([0, 0, 0, 0, 0, 0, 0, 2], 24),
        ([3, 3, 1, 2, 2, 3, 2, 3], 6),
        ([2, 2, 2, 2, 2, 2, 2, 2], 2),
    ],
)
def test_the_trained_n0_is_the_least_from_which_all_are_good(right, n0):
    assert find_trained_n0(rows_of(right)) == n0


def test_what_is_not_trained_is_bad():
    assert find_trained_n0(rows_of([3] * 8)[:-2]) is None


def test_the_page_is_that_of_the_tables(tmp_path, monkeypatch):
    page = tmp_path / "trained.md"
    page.write_text(trained.DOCUMENT.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(trained, "DOCUMENT", page)
    monkeypatch.setattr(trained, "draw", lambda targets: None)
    trained.write_document()
    assert page.read_text(encoding="utf-8") == (trained.RESULTS / "trained.md").read_text(encoding="utf-8")
