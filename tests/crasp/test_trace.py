"""Traces: a row per operation, or per part, a column per position."""

from __future__ import annotations

from idinf.crasp.checker import Sort
from idinf.crasp.library import load
from idinf.crasp.trace import trace_of

WORD = (0, 1, 1, 0)


def test_rows_and_columns() -> None:
    loaded = load("dyck-1")
    trace = trace_of(loaded.program, loaded.alphabet(), WORD)
    assert (trace.word, trace.symbols, trace.accepted) == ("abba", ("$", "a", "b", "b", "a"), False)
    assert [(row.name, row.sort, row.at) for row in trace.rows] == [
        ("opened", Sort.COUNT, (0, 1, 1, 1, 2)),
        ("closed", Sort.COUNT, (0, 0, 1, 2, 2)),
        ("violation", Sort.BOOLEAN, (0, 0, 0, 1, 0)),
        ("accept", Sort.BOOLEAN, (1, 0, 1, 0, 0)),
    ]


def test_parts_stand_above_what_they_are_parts_of() -> None:
    loaded = load("contains-ab")
    trace = trace_of(loaded.program, loaded.alphabet(), (0, 1), parts=True)
    assert [row.name for row in trace.rows] == [
        '"a"',
        '#[j = i-1] "a"',
        "follows_a",
        '"b"',
        '"b" && follows_a',
        '# ("b" && follows_a)',
        "accept",
    ]
