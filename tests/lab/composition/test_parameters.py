"""Theorem 1.1 as a calculator, beside the exponents of the source and plain powers."""

from __future__ import annotations

import itertools

import pytest

from idinf.errors import CompositionError
from idinf.lab.composition.task import Parameters, at_most_root


def test_exponents_of_hdpl_in_n() -> None:
    powers = [8 * Parameters(layers, 1, 1, 1).domain_exponents[-1] for layers in (1, 2, 3)]
    assert powers == [16, 112, 880]
    assert all(power <= 16**layers for layers, power in enumerate(powers, start=1))


def test_sizes_satisfy_the_identities_of_the_source() -> None:
    three = Parameters(3, 2, 3, 5)
    k = (2 * 3 * 5 * 3) ** 8 * 8**18
    assert three.k == k
    x = [k**exponent for exponent in three.x_exponents]
    assert [x[1] ** 8, x[2] ** 8] == x[:2]
    assert [k**exponent for exponent in three.n_exponents] == [x[1] ** 4, x[2] ** 4]
    assert three.m_exponent == 1 + 8 + 64 + 1
    sizes = list(itertools.accumulate((74, *three.n_exponents)))
    assert three.prompt_length == sum(k**size for size in sizes) + 2


def test_three_answers_at_their_borders() -> None:
    two = Parameters(2, 1, 1, 1)
    assert two.judge(two.prompt_length) == "excluded"
    assert two.judge(two.prompt_length - 1) == two.judge(2**448) == two.judge(1) == "out of range"
    eight = Parameters(1, 2, 2, 2)
    assert eight.judge(8**16 - 1) == "not covered"
    assert eight.judge(8**16) == "out of range"


def test_roots_beside_powers() -> None:
    for value, n, degree in itertools.product(range(1, 12), range(1, 300), range(1, 9)):
        assert at_most_root(value, n, degree) is (value**degree <= n)


@pytest.mark.parametrize(
    "arguments", [(0, 1, 1, 1), (6, 1, 1, 1), (2, 0, 1, 1), (2, 1, 2**65, 1), (2, 1, 1, -1)]
)
def test_numbers_out_of_range(arguments: tuple[int, int, int, int]) -> None:
    with pytest.raises(CompositionError, match=r"expected 1\.\."):
        Parameters(*arguments)


def test_a_prompt_without_tokens_is_refused() -> None:
    with pytest.raises(CompositionError, match="n = 0; expected 1 to"):
        Parameters(1, 1, 1, 1).judge(0)
