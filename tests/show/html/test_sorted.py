"""Tables that sort and filter, as those of the site do, in a browser."""

from pathlib import Path

import pytest

from tools.site_tables import frame_tables, write_table

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = (ROOT / "idinf/show/html/sorted.js", ROOT / "docs/site/tables.js")

#: Columns as they stand in the results, then as they are sorted: least first and largest first.
COLUMNS = {
    "numbers": (["10", "9", "", "1,054", "-"], ["9", "10", "1,054", "", "-"], ["1,054", "10", "9", "", "-"]),
    "ends": (
        ["≥ 5", "6", "none", "5", "> 5"],
        ["5", "≥ 5", "> 5", "6", "none"],
        ["6", "≥ 5", "> 5", "5", "none"],
    ),
    "brackets": (
        ["(10.07, 11.34]", "9.8; n0 = 5", "(-1, 2]", "≈ 3", "-2e3"],
        ["-2e3", "(-1, 2]", "≈ 3", "9.8; n0 = 5", "(10.07, 11.34]"],
        ["(10.07, 11.34]", "9.8; n0 = 5", "≈ 3", "(-1, 2]", "-2e3"],
    ),
    "names": (
        ["3-216", "3-27", "", "12-1", "04.04.LT"],
        ["3-27", "3-216", "04.04.LT", "12-1", ""],
        ["12-1", "04.04.LT", "3-216", "3-27", ""],
    ),
    "equal": (["1 x", "2", "1 y", "1", "3"], ["1 x", "1 y", "1", "2", "3"], ["3", "2", "1 x", "1 y", "1"]),
}


@pytest.fixture
def page(open_file, tmp_path: Path):
    """A page with a table of these columns, filled up to more rows than are shown without a filter."""
    rows = [list(row) for row in zip(*(given for given, *_ in COLUMNS.values()), strict=True)]
    table = write_table(["row", *COLUMNS], [[f"row {place}", *row] for place, row in enumerate(rows)])
    long = write_table(["word", "n"], [[f"w{n}", str(n)] for n in range(1_800)])
    scripts = "".join(f"<script>{path.read_text('utf-8')}</script>" for path in SCRIPTS)
    text = f"<!doctype html><html lang=en><meta charset=utf-8><title>x</title>{table}{long}{scripts}"
    (path := tmp_path / "x.html").write_text(frame_tables(text, sorts=True), encoding="utf-8")
    return open_file(path)


def test_columns_sort_by_mouse_and_by_keys(page) -> None:
    for place, (name, (given, least, largest)) in enumerate(COLUMNS.items(), start=1):
        head = page.locator(".rows >> nth=0 >> thead th").nth(place)
        column = f".rows >> nth=0 >> tbody td:nth-child({place + 1})"
        if name == "equal":  # the order that the page has; others sorted it before
            page.reload()
        else:
            assert sorted(page.locator(column).all_inner_texts()) == sorted(given)
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        assert [text.strip() for text in page.locator(column).all_inner_texts()] == least, name
        page.keyboard.press("Enter" if place % 2 else "Space")
        assert head.get_attribute("aria-sort") == "descending"
        assert [text.strip() for text in page.locator(column).all_inner_texts()] == largest, name
        assert page.locator("[aria-sort]").count() == 1
        assert page.inner_text(".sorted >> nth=0") == f"Sorted by {name}, largest first."


def test_a_long_table_has_a_filter(page) -> None:
    assert page.locator(".filter input").count() == 1  # the short one has none
    page.get_by_label("Rows with").fill("W17 9")
    rows = page.locator(".rows >> nth=1 >> tbody tr:visible")
    assert rows.locator("th").all_inner_texts()[:3] == ["w179", "w1709", "w1719"]
    assert page.inner_text(".sorted >> nth=1") == f"{rows.count()} of 1,800 rows."
    page.locator("thead button").last.click()
    page.keyboard.press("Enter")
    assert rows.first.inner_text().split() == ["w1799", "1799"]
    page.get_by_label("Rows with").fill("")
    assert rows.count() == 1_800
    assert rows.first.inner_text().split() == ["w1799", "1799"]
