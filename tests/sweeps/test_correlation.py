"""Correlations against scipy, brackets against every completion, and what is said of few languages."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner
from scipy import stats

import idinf
from idinf.commands import main
from idinf.errors import ArgumentError, ReportFormatError
from idinf.sweeps.accuracies import parse_accuracies
from idinf.sweeps.correlation import METHODS, RESAMPLES, SEED, correlate_all
from idinf.sweeps.row import Row, format_csv


def data_of(values: dict[str, float]):
    lines = [f"{name},{value}" for name, value in values.items()]
    return parse_accuracies("target,accuracy\n" + "\n".join(lines), "m.csv")


def random_rows(count: int, seed: int) -> tuple[list[Row], dict[str, float]]:
    """Rows with many ties, and accuracies."""
    draw = random.Random(seed)
    rows = [
        Row(
            f"t{k}",
            n0=(n0 := draw.randint(1, 6)),
            n0_lower=n0,
            r_star=(r := draw.choice([8.0, 8.5, 9.0])),
            r_lower=r,
        )
        for k in range(count)
    ]
    return rows, {row.target: draw.randint(0, 8) / 8 for row in rows}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_coefficients_and_intervals_are_those_of_scipy(method: str, seed: int) -> None:
    rows, accuracies = random_rows(11, seed)
    found = {one.quantity: one for one in correlate_all(rows, data_of(accuracies), method)}
    plain = stats.spearmanr if method == "spearman" else stats.kendalltau
    for quantity in ("n0", "r_star"):
        x = [float(getattr(row, quantity)) for row in rows]
        y = [accuracies[row.target] for row in rows]
        assert found[quantity].coefficient == pytest.approx(plain(x, y).statistic, abs=1e-4)
        import numpy as np

        drawn = np.random.default_rng(SEED).integers(len(x), size=(RESAMPLES, len(x)))[:40]
        again = [plain([x[k] for k in row], [y[k] for k in row]).statistic for row in drawn]
        assert found[quantity].low <= np.quantile(again, 0.5) <= found[quantity].high
        assert found[quantity].low <= found[quantity].coefficient <= found[quantity].high
    assert found["states"].languages == 0


def test_brackets_order_just_the_pairs_that_every_completion_orders() -> None:
    draw = random.Random(7)
    rows = []
    for k in range(7):
        low = draw.randint(1, 5)
        known = draw.random() < 0.4
        high = low if known else low + draw.randint(1, 3)
        rows.append(Row(f"t{k}", r_star=low if known else None, r_lower=float(low), r_upper=float(high)))
    accuracies = {row.target: draw.randint(0, 3) / 3 for row in rows}
    found = correlate_all(rows, data_of(accuracies))[0]
    signs, ordered = [], 0
    for a, b in itertools.combinations(rows, 2):
        # Open: above the lower bound, at most the upper one; halves stand for all values between.
        values = [
            [row.r_star]
            if row.r_star
            else [row.r_lower + step / 2 for step in range(1, int(2 * (row.r_upper - row.r_lower)) + 1)]
            for row in (a, b)
        ]
        orders = {(x > y) - (x < y) for x in values[0] for y in values[1]}
        if orders in ({1}, {-1}):
            ordered += 1
            (order,) = orders
            x, y = accuracies[a.target], accuracies[b.target]
            signs.append(order * ((x > y) - (x < y)))
    decided = [sign for sign in signs if sign]
    assert found.ordered == ordered > 0
    assert found.agreeing == pytest.approx(sum(decided) / len(decided), abs=1e-4)
    assert found.languages == sum(row.r_star is not None for row in rows)
    assert found.left_out == tuple(row.target for row in rows if row.r_star is None)


def test_constant_values_have_no_correlation() -> None:
    rows = [Row(f"t{k}", n0=3, n0_lower=3) for k in range(6)]
    found = correlate_all(rows, data_of({row.target: k / 6 for k, row in enumerate(rows)}))[1]
    assert (found.languages, found.coefficient, found.low, found.agreeing) == (6, None, None, None)


def test_what_does_not_fit_is_refused() -> None:
    rows, data = [Row("x", n0=3, n0_lower=3)], data_of({"x": 1.0})
    with pytest.raises(ArgumentError, match="method = 'pearson'; expected spearman or kendall"):
        correlate_all(rows, data, "pearson")
    with pytest.raises(ReportFormatError, match="two rows of 'x' that disagree"):
        correlate_all([*rows, Row("x", n0=4, n0_lower=4)], data)
    assert correlate_all([*rows, *rows], data) == correlate_all(rows, data)
    with pytest.raises(ReportFormatError, match="accuracies of y; expected some of the targets of the batch"):
        correlate_all(rows, data_of({"y": 1.0}))


def test_the_command_and_the_library_say_the_same(tmp_path: Path) -> None:
    rows, accuracies = random_rows(12, 3)
    rows += [Row("open", outcome="open", n0_lower=4, r_lower=9.0)]
    (tmp_path / "r.csv").write_text(format_csv(rows))
    lines = [f"{name},{value}" for name, value in {**accuracies, "open": 0.5, "else": 1.0}.items()]
    (tmp_path / "m.csv").write_text("target,accuracy\n" + "\n".join(lines) + "\n")
    files = [str(tmp_path / "r.csv"), str(tmp_path / "m.csv")]
    result = CliRunner().invoke(main, ["correlate", *files])
    found = idinf.correlate(*files)
    assert (result.exit_code, result.stdout) == (0, f"{found}\n")
    for told in (
        "Left out, as only a bracket of n0 is known: open.",
        "With accuracies, but not in the batch: else.",
        "Low power below 31 languages: only a correlation beyond about 0.74 with 12",
    ):
        assert told in result.stdout
    assert all(len(line) <= 80 for line in str(found).splitlines()[:6])
    written = json.loads(CliRunner().invoke(main, ["correlate", *files, "--json"]).stdout)
    assert written == json.loads(json.dumps(found.to_dict()))
    assert [row["quantity"] for row in written["correlations"]] == ["r_star", "n0", "states"]
    assert found.to_frame()["languages"].tolist() == [12, 12, 0]
    assert CliRunner().invoke(main, ["correlate", files[1], files[1]]).exit_code == 3
