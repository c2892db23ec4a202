"""JSON text: parsed back it is the report, and it is laid out for people."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.report.json_text import dumps
from idinf.report.writer import report_object

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.text(), values, max_size=4))
def test_parsed_back_it_is_the_same(value) -> None:
    text = dumps(value)
    assert json.loads(text) == value
    assert list(json.loads(text)) == list(value)
    assert text.endswith("\n")
    assert text.isascii()


def test_a_report_survives(identified) -> None:
    report = report_object(*identified.arguments)
    text = dumps(report)
    assert json.loads(text) == report
    assert dumps(json.loads(text)) == text
    assert '\n    "alphabet": ["0", "1"],\n' in text
    assert max(len(line) for line in text.splitlines() if '"source"' not in line) < 100


def test_numbers_that_json_lacks_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dumps({"r": float("nan")})
