"""Tables of users: every fault is named by file, line and column."""

from pathlib import Path

import pytest

from idinf.errors import ReportFormatError
from idinf.tables.accuracies import EVERY, Bin, parse_accuracies
from idinf.tables.row import COLUMNS, Row, format_csv, read_rows


def test_lengths_may_be_written_in_three_ways() -> None:
    for header, cells in (
        ("bin", "51-100"),
        ("bin", "51–100"),
        ("bin", "51..100"),
        ("bin_lo,bin_hi", "51,100.0"),
    ):
        found = parse_accuracies(f"target,{header},accuracy\nx,{cells},.5\n".replace(".5", "0.5"), "m.csv")
        assert found.bins == (Bin(51, 100),)
    assert parse_accuracies("target,length,accuracy\nx,64,1\n", "m.csv").bins == (Bin(64, 64),)
    assert parse_accuracies("target,bin,accuracy\nx,64,1\n", "m.csv").bins == (Bin(64, 64),)
    assert parse_accuracies("accuracy,target\n1,x\n", "m.csv").bins == (EVERY,)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "m.csv: no row; expected a header"),
        ("target,acc\nx,1\n", "line 1: 'target,acc'; expected the column accuracy; add it to the header"),
        ("target,accuracy,target\nx,1,x\n", "line 1: the column 'target' comes twice"),
        ("target,accuracy\nx,1.5\n", "line 2: accuracy = '1.5'; expected a number from 0 to 1"),
        ("target,accuracy\nx,nan\n", "line 2: accuracy = 'nan'; expected a number from 0 to 1"),
        ("target,accuracy,length\nx,1,2.5\n", "line 2: length = '2.5'; expected a whole number"),
        ("target,accuracy,bin\nx,1,long\n", "line 2: bin = 'long'; expected lengths as in 51-100"),
        ('target,accuracy\n"x,1\n', "line 2: unexpected end of data; expected a CSV"),
    ],
)
def test_faults_are_named(text: str, told: str) -> None:
    with pytest.raises(ReportFormatError) as caught:
        parse_accuracies(text, "m.csv")
    assert str(caught.value).startswith("m.csv: ")
    assert told in str(caught.value)
    assert len(str(caught.value)) < 300


def test_rows_of_a_batch_are_read_back(tmp_path: Path) -> None:
    rows = (
        Row("x", n0=3, r_star=8.5, formula="a, b", in_space="yes", dot_depth="none", states=2),
        Row("=1", error="'no', said \"it\""),
        Row("-2"),
    )
    path = tmp_path / "r.csv"
    path.write_text(format_csv(rows))
    assert read_rows(str(path)) == rows
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(path, keep_default_na=True)[[*reversed(COLUMNS)]]  # 3 becomes 3.0
    table.to_csv(path, index=False)
    assert read_rows(str(path))[0] == rows[0]
    path.write_text("target,n0\nx,3\n")
    with pytest.raises(
        ReportFormatError,
        match=r"r\.csv: line 1: 'target,n0'; expected the columns outcome, max_n, r_star, .*, crasp",
    ):
        read_rows(str(path))
    path.write_text(format_csv([Row("x")]).replace("x,,,,,,,,,", "x,,,,,,,,three,"))
    with pytest.raises(ReportFormatError, match=r"r\.csv: line 2: n0 = 'three'; expected a number"):
        read_rows(str(path))
