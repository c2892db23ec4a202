"""Readings in a batch: known values and brackets."""

import pytest

import idinf
from idinf.api.batch import Batch
from idinf.tables.batch_plan import READINGS

#: Nothing besides the search.
QUICK = {"prove": False, "asks_smaller": False}


def read(target: str, *names: str, **settings: object) -> Batch:
    return idinf.batch([target], readings=names, **QUICK, **settings)


@pytest.mark.slow
def test_majority_in_every_reading() -> None:
    """R* is that of one-hot nets, with a bias turned round, and of any net; n0 is 3 and N0 is 8."""
    rows = {item.row.reading: item.row for item in read("majority", "all", max_n=8)}
    assert list(rows) == [reading.name for reading in READINGS]
    stars = {name: row.r_star for name, row in rows.items()}
    assert stars["one-hot"] == stars["sum"] == stars["tolerance 0"] == 8.414213562
    assert stars["threshold zero"] == stars["logits"] == 8.732050808
    assert stars["theta"] == stars["limit"] == 5.5
    assert {name: row.n0 for name, row in rows.items() if row.n0 != 3} == {"lengths of the paper": 8}


def test_open_rows_are_brackets() -> None:
    [item] = read("contains-ab", "theta", max_n=4)
    row = item.row
    assert (row.outcome, row.r_star, row.n0, row.r_upper) == ("open", None, None, None)
    assert row.r_lower is not None
    assert row.r_lower > 6.28
    assert row.n0_lower is not None


def test_next_symbols_have_the_readings_of_their_own() -> None:
    names = [item.row.reading for item in read("tomita-1-next", "all", max_n=2, work=300)]
    assert "theta" not in names
    assert "threshold zero" not in names
    assert "tolerance 0" in names
