"""Correlations against definitions, brackets against every completion, and what is said of few languages."""

import itertools
import math
import random

import pytest

from idinf.tables.accuracies import LEAST, METHODS, correlate_all, parse_accuracies
from idinf.tables.row import Row


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


def by_definition(x: list[float], y: list[float], method: str) -> float:
    """Pearson's coefficient of middle ranks, or the pairs in order less those against it, ties left out."""
    if method == "spearman":
        x, y = ([sum(b < a for b in v) + sum(b == a for b in v) / 2 for a in v] for v in (x, y))
        a, b = ([value - sum(v) / len(v) for value in v] for v in (x, y))
    else:
        pairs = list(itertools.combinations(range(len(x)), 2))
        a, b = ([(v[i] > v[j]) - (v[i] < v[j]) for i, j in pairs] for v in (x, y))
    return sum(map(math.prod, zip(a, b, strict=True))) / math.sqrt(
        sum(c * c for c in a) * sum(c * c for c in b)
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_coefficients_are_those_of_the_definition(method: str, seed: int) -> None:
    rows, accuracies = random_rows(11, seed)
    rows += [Row("open", n0_lower=9, r_lower=7.0, r_upper=9.0)]  # without a rank
    found = {one.quantity: one for one in correlate_all(rows, data_of({**accuracies, "open": 1.0}), method)}
    for quantity in ("n0", "r_star"):
        x = [float(getattr(row, quantity)) for row in rows[:-1]]
        y = [accuracies[row.target] for row in rows[:-1]]
        assert found[quantity].coefficient == pytest.approx(by_definition(x, y, method), abs=1e-4)
        assert found[quantity].low < found[quantity].coefficient < found[quantity].high
        assert (found[quantity].languages, found[quantity].left_out) == (11, ("open",))
    assert found["states"].languages == 0


@pytest.mark.parametrize("method", METHODS)
def test_few_languages_have_no_coefficient(method: str) -> None:
    for count in range(2, LEAST + 2):
        rows = [Row(f"t{k}", n0=k, n0_lower=k) for k in range(count)]
        found = correlate_all(rows, data_of({f"t{k}": k / 9 for k in range(count)}), method)[1]
        assert found.languages == count
        if count < LEAST:
            assert (found.coefficient, found.low, found.high, found.agreeing) == (None, None, None, None)
        else:
            assert (found.coefficient, found.high, found.agreeing) == (1, 1, 1)
            assert found.low < 0.4


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("together", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("count", [LEAST, 6, 12])
def test_intervals_hold_the_true_value_in_most_samples(method: str, together: float, count: int) -> None:
    draw = random.Random(1)
    angle = math.asin(together) * 2 / math.pi
    true = math.asin(together / 2) * 6 / math.pi if method == "spearman" else angle
    held = 0
    for _ in range(400):
        x = [draw.gauss(0, 1) for _ in range(count)]
        y = [together * a + math.sqrt(1 - together**2) * draw.gauss(0, 1) for a in x]
        rows = [Row(f"t{k}", r_star=a, r_lower=a) for k, a in enumerate(x)]
        found = correlate_all(rows, data_of({f"t{k}": 0.5 + b / 20 for k, b in enumerate(y)}), method)[0]
        held += found.low <= true <= found.high
    assert held >= 0.9 * 400


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
    signs = []
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
            (order,) = orders
            x, y = accuracies[a.target], accuracies[b.target]
            signs.append(order * ((x > y) - (x < y)))
    decided = [sign for sign in signs if sign]
    assert found.ordered == len(decided) > 0
    assert found.agreeing == pytest.approx(sum(decided) / len(decided), abs=1e-4)
    assert found.languages == sum(row.r_star is not None for row in rows)
    assert found.left_out == tuple(row.target for row in rows if row.r_star is None)
