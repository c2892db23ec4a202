"""Real reports of small runs, and ways to spoil them."""

import json
from functools import cache
from typing import Any

from click.testing import CliRunner

from idinf.commands import main
from idinf.report.files import parse_report
from idinf.report.value import Report

RUNS = {
    # Proved for all n, by inequalities with coefficients.
    "proved": "tomita-1 --space spec --max-n 4 --units 1 --precision 1",
    # Several hypotheses are proved; next symbols.
    "next": "tomita-2-next --space spec --max-n 4",
    # The last record fails beyond the lengths that a test tries.
    "not-identified": "ge-2-3 --space spec --max-n 6 --layers 1 --max-r 9.5",
    # The budget ends before the stop bound; a correct hypothesis is known.
    "open": "at-least-3-ones --space spec --max-n 4 --layers 1 --max-r 9.2",
    # The budget ends before R* is known at all.
    "unknown": "majority --space spec --max-n 3 --layers 1 --max-r 8",
    # No net decides it, so there is no n0; and the budget ends before R* is known.
    "never": "tomita-5 --max-n 3 --work 40",
    # Two layers above, by a known hypothesis; next symbols of words in a domain.
    "layers": "sort-next --space spec --max-n 2 --max-r 6",
    # Every run of the procedure at n may select what has R up to 1 more.
    "wide": "majority --space spec --max-n 4 --layers 1 --tolerance 1 --aggregate sum",
    # What is wrong at n = 1 is so on bb, and right on the earlier word ab.
    "alone": "regex:(a|b)*bb --space nope --layers 1 --units 1 --max-n 2",
}


@cache
def _text(name: str) -> str:
    result = CliRunner().invoke(main, ["identify", *RUNS[name].split(), "--json"])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def text_of(name: str) -> str:
    """The text of a report, as `idinf identify` wrote it."""
    return _text(name)


def report_of(name: str) -> dict[str, Any]:
    """A report of its own for every caller."""
    return json.loads(_text(name))


@cache
def read(name: str) -> Report:
    """A report as a value."""
    return parse_report(_text(name), "r.json")


def place_of(report: Any, path: tuple[str | int, ...]) -> Any:
    """What stands at a path."""
    for key in path:
        report = report[key]
    return report


#: Leaves of which another value is not wrong, or is said not to be checked; some claim less then.
UNCHECKED = {
    *("idinf_version", "name", "digest", "stop_reason"),  # what comes after its beginning
    *("num_selected", "num_selected_bad", "num_selected_exact", "n0_canonical", "complete_up_to_r"),
    *("layers", "heads", "units", "precision", "period", "reach", "logit_max", "max_r", "work", "threshold"),
    "upper_length",
}

#: What differs from run to run.
UNTOLD = ("seconds", "peak_bytes", "counts")


def leaves_of(value, path=()):
    """Every number, text and truth value of a report, and its place."""
    items = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    )
    if items is None:
        yield path, value
    for key, item in items or ():
        yield from leaves_of(item, (*path, key))
