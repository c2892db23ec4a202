"""Tables of the site: a page for each CSV file of the results, with all its rows.

`docs/site/pages.py` takes them into the site; they need no MkDocs themselves.
"""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Sequence
from pathlib import Path

#: Where the CSV files lie, and in the site the pages of their rows.
RESULTS, ROWS = "docs/results", "docs/results/rows"

#: What a page of rows has where its table goes; Markdown would take seconds to read a long table.
PLACE = "<!-- rows -->"

#: A text of more characters is given more room.
LONG = 60

#: A table as Markdown and notebooks write it.
_TABLE = re.compile(r"<table[^>]*>.*?</table>", re.DOTALL)


def list_tables(root: Path) -> dict[str, Path]:
    """The CSV files of the results by the paths that their pages have in the site."""
    found = sorted((root / RESULTS).glob("**/*.csv"))
    return {f"{ROWS}/{_name(root, path)}.md": path for path in found}


def _name(root: Path, path: Path) -> str:
    return "-".join(path.relative_to(root / RESULTS).with_suffix("").parts)


def document_of(root: Path, path: Path) -> Path:
    """The document that explains a CSV file: of its folder, else of the first word of its name."""
    stem = _name(root, path).partition("-")[0]
    return root / RESULTS / f"{stem}.md"


def read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """The heads and the rows of a CSV file, without the columns in which no row has anything."""
    with path.open(encoding="utf-8", newline="") as file:
        heads, *rows = csv.reader(file)
    used = [column for column in range(len(heads)) if any(row[column] for row in rows)]
    return [heads[column] for column in used], [[row[column] for column in used] for row in rows]


def write_page(root: Path, path: Path) -> str:
    """The page of a CSV file: what it is, where it is explained, and the place of its table."""
    heads, rows = read_table(path)
    document = document_of(root, path)
    above = "../" * (ROWS.count("/") - RESULTS.count("/"))
    lines = [  # the search would be slow with them; the box above the table finds them
        "---\nsearch:\n  exclude: true\nhide:\n  - toc\n---\n",
        f"# Rows of {path.relative_to(root / RESULTS).as_posix()}\n",
        f"{len(rows):,} rows, {len(heads)} columns. [{document.name}]({above}{document.name}) says what they "
        f"mean; the file is [{path.name}]({above}{path.relative_to(root / RESULTS).as_posix()}).\n",
        f"{PLACE}\n",
    ]
    return "\n".join(lines)


def link_rows(root: Path, name: str) -> str:
    """A sentence for a document of results that leads to the rows behind it; empty if there are none."""
    found = {page: path for page, path in list_tables(root).items() if document_of(root, path) == root / name}
    links = [f"[{path.stem}]({page.removeprefix(f'{RESULTS}/')})" for page, path in found.items()]
    return f"All rows, to sort and to filter: {', '.join(links)}.\n\n" if links else ""


def write_overview(root: Path) -> str:
    """The page that leads to all of them."""
    lines = ["# All rows\n", "The head of a column sorts by it; the box above a table filters.\n"]
    lines += ["| table | rows | explained in |", "|---|---|---|"]
    for name, path in list_tables(root).items():
        document, shown = document_of(root, path).name, path.relative_to(root / RESULTS).as_posix()
        cells = f"[{shown}]({name.removeprefix(f'{RESULTS}/')})", f"{len(read_table(path)[1]):,}"
        lines.append(f"| {' | '.join(cells)} | [{document}]({document}) |")
    return "\n".join(lines) + "\n"


def write_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table as HTML; the first cell of each row is its head. Ends that HTML may omit are left out.

    Examples
    --------
    >>> print(write_table(["name", "n0"], [["a<b", "3"]]))
    <table><thead><tr><th scope="col">name</th><th scope="col">n0</th></tr></thead><tbody>
    <tr><th scope="row">a&lt;b<td>3
    </tbody></table>
    """
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in heads)
    lines = [f"<table><thead><tr>{head}</tr></thead><tbody>"]
    for first, *others in rows:
        cells = [f"<td{' class=long' * (len(text) > LONG)}>{html.escape(text)}" for text in others]
        lines.append(f'<tr><th scope="row">{html.escape(first)}{"".join(cells)}')
    return "\n".join([*lines, "</tbody></table>"])


def frame_tables(page: str, sorts: bool) -> str:
    """Put every table of a page into a frame of its own, which scrolls by keyboard, too, and may sort."""
    count = 0

    def framed(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        kind = "rows sorts" if sorts and "<thead>" in match[0] else "rows"
        table = match[0].replace("<table>", '<table class="data">', 1)
        return f'<div class="{kind}" role="region" aria-label="Table {count}" tabindex="0">{table}</div>'

    return _TABLE.sub(framed, page)
