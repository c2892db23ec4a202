"""Rows of results as tables: for pandas where it is installed, and for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar

from idinf.errors import MissingPackageError

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")

#: Columns that hold whole objects are left out of tables.
_PLAIN = (str, int, float, bool, type(None))


class Rows(tuple[T, ...]):
    """A tuple of frozen values with the same attributes, which is also a table.

    >>> from idinf.report.value import SearchCounts
    >>> Rows([SearchCounts(1, 2, 3, 4)]).to_frame().columns.tolist()
    ['enumerated', 'distinct', 'exact', 'dp']
    """

    __slots__ = ()

    def to_frame(self) -> pandas.DataFrame:
        """Make a pandas table of the plain attributes, one row each; errors as of `build_frame`."""
        return build_frame([_plain(row) for row in self])

    def _repr_html_(self) -> str:
        return render_table([_plain(row) for row in self])


def build_frame(rows: Sequence[dict[str, Any]]) -> pandas.DataFrame:
    """Make a pandas table of rows with the same keys; a MissingPackageError if pandas is not installed."""
    try:
        import pandas
    except ModuleNotFoundError:
        raise MissingPackageError(
            "pandas is not installed; expected it for tables; install it, or use the rows themselves"
        ) from None
    return pandas.DataFrame.from_records(rows)


def render_table(rows: Sequence[dict[str, Any]]) -> str:
    """Write rows with the same keys as an HTML table, every text escaped.

    >>> render_table([{"n": 1, "word": "<a>"}])
    '<table><thead><tr><th>n</th><th>word</th></tr></thead><tbody><tr><td>1</td><td>&lt;a&gt;</td></tr></tbody></table>'
    """
    names = list(rows[0]) if rows else []
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    cells = [["" if row[name] is None else escape(str(row[name])) for name in names] for row in rows]
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _plain(row: object) -> dict[str, Any]:
    assert is_dataclass(row)
    values = {item.name: getattr(row, item.name) for item in fields(row)}
    return {name: value for name, value in values.items() if isinstance(value, _PLAIN)}
