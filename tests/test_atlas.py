"""`make atlas`: the document shows what the committed CSV files say, and the files what the sweeps say."""

import csv
import io
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from idinf.spec.parameters import list_minimal_automata, swap_letters
from idinf.tables.row import read_rows
from tools import atlas, atlas_rows, atlas_small, readings
from tools.atlas_sections import SECTIONS
from tools.suite import ROOT

#: Rows of each CSV that the slow test runs again, and the seed that draws them.
AGAIN, SEED = 2, 19


def plain(name: str) -> list[dict[str, str]]:
    """The rows of a CSV, read by nothing but the module csv."""
    with (atlas_rows.FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def shown(name: str) -> str:
    """What the document has between the marks of a section."""
    begin, end = atlas.marks(name)
    before, _, rest = atlas.DOCUMENT.read_text(encoding="utf-8").partition(f"{begin}\n")
    text, _, _ = rest.partition(f"\n{end}")
    assert before, f"{begin} is missing"
    return text


@pytest.mark.parametrize("name", SECTIONS)
def test_the_document_shows_the_tables(name: str) -> None:
    assert shown(name) == SECTIONS[name]()


def test_a_changed_cell_changes_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted faults: one n0, and one class."""
    for name, column, value, section in (
        ("threshold", "n0", "7", "threshold"),
        ("small-outside", "crasp_periodic_local", "yes", "outcomes"),
    ):
        for other in atlas_rows.RUNS:
            text = (atlas_rows.FOLDER / f"{other}.csv").read_text(encoding="utf-8")
            (tmp_path / f"{other}.csv").write_text(text, encoding="utf-8")
        rows = plain(name)
        rows[-1][column] = value
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        (tmp_path / f"{name}.csv").write_text(out.getvalue(), encoding="utf-8")
        with monkeypatch.context() as patch:
            patch.setattr(atlas_rows, "FOLDER", tmp_path)
            atlas_rows.read.cache_clear()
            assert SECTIONS[section]() != shown(section)
        atlas_rows.read.cache_clear()


def test_the_table_of_readings_is_that_of_its_file() -> None:
    before, _, rest = readings.DOCUMENT.read_text(encoding="utf-8").partition(f"{readings.BEGIN}\n")
    assert before
    assert rest.partition(f"\n{readings.END}")[0] == readings.render_markdown(read_rows(str(readings.TABLE)))


def test_all_small_languages_are_there_once() -> None:
    """2 + 24 + 1028 languages; what a row stands for is counted again from the list of all automata."""
    rows = atlas_small.small()
    assert len({row.row.target for row in rows}) == len(rows) == 2 + 14 + 524
    assert atlas_small.weigh(rows) == 2 + 24 + 1028
    for k in (1, 2, 3):
        every = list_minimal_automata(k)
        fixed = sum(swap_letters(*one) == one for one in every)
        weights = Counter(atlas_small.weight(row) for row in rows if row.value("k") == k)
        assert weights == Counter({1: fixed, 2: (len(every) - fixed) // 2}) - Counter()


def test_rows_have_answers_that_fit_together() -> None:
    for name in atlas_rows.RUNS:
        for row in plain(name):
            assert not row["error"], row["target"]
            if row["n0"]:
                assert int(row["n0_canonical"] or 0) <= int(row["n0"]) <= int(row["max_n"])
            else:
                assert row["outcome"] in ("open", "never")
            if row["smaller_r_star"]:
                assert float(row["r_lower"]) <= float(row["smaller_r_star"])


def test_the_family_costs_no_more_than_a_named_space() -> None:
    """A part of the family has no cheaper hypothesis than the family."""
    for name in (each for each in atlas_rows.RUNS if f"{each}-family" in atlas_rows.RUNS):
        named = {row["target"]: row for row in plain(name)}
        for row in plain(f"{name}-family"):
            other = named[row["target"]]
            assert (row.get("preset", ""), other["preset"]) == ("", "spec")
            if other["r_star"] and int(row["max_n"]) <= int(other["max_n"]):
                assert float(row["r_lower"]) <= float(other["r_star"])


@pytest.mark.slow
@pytest.mark.parametrize("name", atlas_rows.RUNS)
def test_rows_are_found_again(name: str) -> None:
    """Some rows of every CSV, run anew, have the same answers; where one is open, the brackets of R* meet.

    How far a budget gets, and what is looked at on the way, may change with the version.
    """
    rows = plain(name)
    for row in random.Random(f"{SEED} {name}").sample(rows, min(AGAIN, len(rows))):
        arguments = _about(name, row)
        done = subprocess.run(
            [sys.executable, str(ROOT / "cli.py"), *arguments, "-o", "-", "-q"],
            capture_output=True,
            text=True,
            check=False,
            timeout=1800,
        )
        (found,) = csv.DictReader(io.StringIO(done.stdout))
        assert are_one_answer(found, row), (arguments, found, done.stderr)


def are_one_answer(one: dict[str, str], other: dict[str, str]) -> bool:
    """Whether two rows about one target can both be right."""
    if "open" not in (one["outcome"], other["outcome"]):
        # A row alone has no column of readings where its own is the usual one.
        return all(one[name] == other[name] for name in one.keys() & other.keys() - {"hypotheses"})
    ends = [
        (float(row["r_star"] or row["r_lower"]), float(row["r_star"] or row["r_upper"] or "inf"))
        for row in (one, other)
    ]
    return max(low for low, _ in ends) <= min(high for _, high in ends)


def test_rows_that_cannot_both_be_right_are_told_apart() -> None:
    known = {"outcome": "identified", "n0": "5", "r_star": "9.5", "r_lower": "9.5", "r_upper": "9.5"}
    known |= {"hypotheses": "3"}
    unsettled = {**known, "outcome": "open", "n0": "", "r_star": "", "r_lower": "9.25", "r_upper": ""}
    assert are_one_answer(known, {**known, "hypotheses": "4"})
    assert are_one_answer(known, unsettled)
    assert not are_one_answer(known, {**known, "n0": "4"})
    assert not are_one_answer(known, {**unsettled, "r_lower": "9.75"})


def _about(name: str, row: dict[str, str]) -> list[str]:
    """The arguments of a sweep, for one of its rows."""
    family, *options = atlas.command(name)[1:]
    pairs = zip(options[::2], options[1::2], strict=True)
    kept = [part for pair in pairs if pair[0] not in ("--set", "--readings", "--only") for part in pair]
    columns = list(row)
    parameters = columns[columns.index("family") + 1 : columns.index("size")]
    values = [part for each in parameters for part in ("--set", f"{each}={row[each]}")]
    readings = ["--readings", row["reading"]] if "reading" in row else []
    return ["batch", family, *values, *readings, *kept]
