"""Keys of a report: those that are written, and no others."""

from __future__ import annotations

import pytest

from idinf.report.comparison import ReportFormatError, read_results
from idinf.report.json_text import dumps
from idinf.report.keys import KEYS, unknown_key
from idinf.report.writer import report_object


@pytest.mark.parametrize("name", ["identified", "opened", "bracketed"])
def test_what_is_written_has_these_keys_and_no_others(name, request):
    report = report_object(*request.getfixturevalue(name).arguments)
    assert unknown_key(report) is None
    for place, known in KEYS.items():
        value = report if not place else report[place.removesuffix("[]")]
        for item in value if isinstance(value, list) else [value]:
            assert item is None or list(item) == list(known)


@pytest.mark.parametrize("place", KEYS)
def test_an_unknown_key_is_named(place, opened, tmp_path):
    report = report_object(*opened.arguments)
    report["proofs"] = [{}]  # none are written where nothing is proved
    value = report if not place else report[place.removesuffix("[]")]
    (value[-1] if isinstance(value, list) else value)["colour"] = 1
    path = tmp_path / "r.json"
    path.write_text(dumps(report))
    with pytest.raises(
        ReportFormatError, match=r"r\.json: .*colour is an unknown key; expected only .*; remove it"
    ):
        read_results(str(path))
