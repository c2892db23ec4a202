"""Every row of Tables 2 and 3 of [HYB25], as `idinf classify` says it."""

import json

import pytest
from click.testing import CliRunner

from idinf.commands import main

#: C-RASP[], C-RASP[periodic,local], star-free, dot-depth, in AC0.
TABLE_2 = {
    "tomita-1": ("yes", "yes", "yes", "1", "yes"),
    "tomita-2": ("yes", "yes", "yes", "1", "yes"),
    "tomita-3": ("no", "no", "no", "none", "yes"),
    "tomita-4": ("no", "yes", "yes", "1", "yes"),
    "tomita-5": ("no", "no", "no", "none", "no"),
    "tomita-6": ("no", "no", "no", "none", "no"),
    "tomita-7": ("yes", "yes", "yes", "1", "yes"),
    "d-2": ("yes", "yes", "yes", "2", "yes"),
    "d-3": ("yes", "yes", "yes", "3", "yes"),
    "d-4": ("yes", "yes", "yes", "4", "yes"),
    "d-12": ("yes", "yes", "yes", "12", "yes"),
    "parity": ("no", "no", "no", "none", "no"),
    "aa-star": ("no", "yes", "no", "none", "yes"),
    "aaaa-star": ("no", "yes", "no", "none", "yes"),
    "abab-star": ("no", "yes", "no", "none", "yes"),
    "aa-bb-cc-dd-ee": ("yes", "yes", "yes", "1", "yes"),
    "ab-d-bc": ("yes", "yes", "yes", "1", "yes"),
    "012-02": ("no", "no", "yes", "2", "yes"),
}

#: C-RASP[], C-RASP[periodic,local], in AC0. For majority-interleave in C-RASP[] the table has "none found";
#: that there is none is the lemma of `idinf.languages.classification.same_counts`.
TABLE_3 = {
    "majority": ("yes", "yes", "no"),
    "majority-interleave": ("no", "yes", "no"),
    "majority-26": ("yes", "yes", "no"),
    "sort": ("yes", "yes", "yes"),
    "copy-unique": ("no", "yes", "yes"),
    "copy-repeat": ("no", "no", "yes"),
    "parity": ("no", "no", "no"),
    "addition": ("no", "no", "yes"),
}


def rows(name: str) -> dict[str, dict[str, str]]:
    result = CliRunner().invoke(main, ["classify", name, "--json"], prog_name="idinf")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert found["target"] == name
    verdicts = {key: value for key, value in found.items() if isinstance(value, dict)}
    assert all(finding["reason"] for finding in verdicts.values())
    return verdicts


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", TABLE_2)
def test_rows_of_table_2(name: str) -> None:
    found = rows(name)
    keys = ("crasp", "crasp_periodic_local", "star_free", "dot_depth", "ac0")
    assert tuple(found[key]["verdict"] for key in keys) == TABLE_2[name]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", TABLE_3)
def test_rows_of_table_3(name: str) -> None:
    found = rows(name)
    assert tuple(found[key]["verdict"] for key in ("crasp", "crasp_periodic_local", "ac0")) == TABLE_3[name]


@pytest.mark.thinned(8)
@pytest.mark.parametrize("name", sorted({*TABLE_3, "equality"} - {"sort", "copy-unique", "parity"}))
def test_tasks_that_are_not_regular(name: str) -> None:
    found = rows(name)
    for key in ("star_free", "r_trivial", "piecewise_testable", "da"):
        assert found[key]["verdict"] == "no"
    assert found["star_free"]["reason"].startswith("not regular")
    assert found["dot_depth"] == {"verdict": "none", "reason": "not regular, so in no level"}
