"""Tables as Parquet, with the types of their columns; it needs pyarrow, the extra ``parquet``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from idinf.errors import MissingPackageError
from idinf.tables.csv_tables import Cell


def encode_parquet(columns: Mapping[str, type], rows: Iterable[Sequence[Cell]]) -> bytes:
    """Write rows of cells, None as a missing one; equal rows give equal bytes.

    Raises
    ------
    MissingPackageError
        If pyarrow is not installed.
    """
    arrow, parquet = load_pyarrow()
    kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    schema = arrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [arrow.array(column, field.type) for column, field in zip(cells, schema, strict=True)]
    sink = arrow.BufferOutputStream()
    parquet.write_table(arrow.table(arrays, schema=schema), sink)
    return bytes(sink.getvalue())


def load_pyarrow() -> tuple[Any, Any]:
    """Import pyarrow and its module of Parquet; a MissingPackageError where it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise MissingPackageError(
            "pyarrow is not installed; expected it for .parquet files; run pip install 'idinf[parquet]', or "
            "name a .csv file"
        ) from None
    return pyarrow, pyarrow.parquet
