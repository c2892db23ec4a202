"""The expected term of φ: against all fourth moments one by one, and against draws."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import pytest
from click.testing import CliRunner

from idinf import errors, lab
from idinf.commands import main
from idinf.lab.positions import compute_expected_causal_penalty, compute_expected_penalty, sample_penalty


def moment(factors: list[tuple[object, ...]], width: int) -> Fraction:
    """E of a product of independent normal entries of variance 1/width: 1, 3 for squares, fourth powers."""
    found = Fraction(1)
    for power in Counter(factors).values():
        if power % 2:
            return Fraction(0)
        for odd in range(1, power, 2):
            found *= Fraction(odd, width)
    return found


def square_by_moments(query: int, key: int, width: int) -> Fraction:
    """E (p_i^T K^T Q p_j)², the square written out as a double sum over entries."""
    terms = [
        [("p", query, a), ("K", c, a), ("Q", c, b), ("p", key, b)]
        for a, b, c in itertools.product(range(width), repeat=3)
    ]
    return sum((moment(one + other, width) for one in terms for other in terms), Fraction(0))


@pytest.mark.parametrize(("positions", "width"), [(1, 1), (3, 1), (2, 2), (3, 3)])
def test_expectations_by_moments(positions: int, width: int) -> None:
    apart, same = square_by_moments(0, 1, width), square_by_moments(0, 0, width)
    assert compute_expected_penalty(positions, width) == (positions - 1) * apart + same
    pairs = positions * (positions - 1) // 2
    assert compute_expected_causal_penalty(positions, width) == (pairs * apart + positions * same) / positions


@pytest.mark.parametrize(("positions", "width"), [(6, 3), (12, 12)])
def test_draws_agree(positions: int, width: int) -> None:
    for causal, expected in enumerate((compute_expected_penalty, compute_expected_causal_penalty)):
        found = sample_penalty(positions, width, 4000, 7, bool(causal))
        assert abs(found.mean - float(expected(positions, width))) < 4 * found.error
    assert abs(found.mean - float(expected(positions + 2, width))) > 4 * found.error


def test_the_expectation_is_bounded_where_the_width_grows_with_positions() -> None:
    assert all(compute_expected_penalty(n, n) <= 3 for n in range(1, 200))


def test_the_command() -> None:
    result = CliRunner().invoke(
        main, ["lab", "positions", "initial", "--positions", "100", "--width", "50", "--draws", "3"]
    )
    assert result.exit_code == 0
    head, row = result.stdout.splitlines()
    assert head.split()[:2] == ["N", "D"]
    assert row.split()[:4] == ["100", "50", "2501/1250", "2.0008"]
    with pytest.raises(errors.ArgumentError, match="expected positive numbers and at least 2 draws"):
        lab.initial_penalty(0)
