"""Tables of the site: rows from the CSV files; tests/show/html/test_sorted.py sorts them."""

import csv
from pathlib import Path

from tools.site_tables import (
    PLACE,
    document_of,
    frame_tables,
    link_rows,
    list_tables,
    read_table,
    write_overview,
    write_page,
    write_table,
)

ROOT = Path(__file__).resolve().parents[1]


def test_every_csv_has_a_page_and_a_document() -> None:
    pages = list_tables(ROOT)
    assert sorted(pages.values()) == sorted((ROOT / "docs" / "results").rglob("*.csv")) != []
    overview = write_overview(ROOT)
    for page, path in pages.items():
        assert document_of(ROOT, path).is_file()
        assert PLACE in write_page(ROOT, path)
        assert f"({page.removeprefix('docs/results/')})" in overview
    assert "[mlregtest-runs](rows/mlregtest-runs.md)" in link_rows(ROOT, "docs/results/mlregtest.md")
    assert link_rows(ROOT, "docs/results/benchmark.md") == ""


def test_no_row_is_lost() -> None:
    heads, rows = read_table(path := ROOT / "docs" / "results" / "mlregtest.csv")
    with path.open(encoding="utf-8", newline="") as file:
        given = list(csv.DictReader(file))
    assert len(rows) == len(given) == 1_800
    assert [dict(zip(heads, row, strict=True)) for row in rows] == [
        {head: row[head] for head in heads} for row in given
    ]
    text = write_table(heads, rows)
    assert text.count("<tr>") == 1_801
    assert write_page(ROOT, path).count("1,800 rows") == 1


def test_a_column_without_values_is_left_out(tmp_path: Path) -> None:
    (path := tmp_path / "x.csv").write_text('a,b,c\n1,,"x, y"\n2,,\n', encoding="utf-8")
    assert read_table(path) == (["a", "c"], [["1", "x, y"], ["2", ""]])


def test_tables_are_framed() -> None:
    framed = frame_tables("<table><thead></thead></table><p><table border=1></table>", sorts=True)
    assert framed.count('tabindex="0"') == 2
    assert framed.count('class="rows sorts"') == framed.count('class="data"') == 1
    assert 'class="rows sorts"' not in frame_tables("<table><thead></thead></table>", sorts=False)
