"""Parameters of families: which values are members, in which order, and one fault at a time."""

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.errors import SpecError
from idinf.spec.catalogue import load_family
from idinf.spec.parameters import Parameters, read_parameters
from idinf.spec.reader import parse_family, parse_spec


@given(st.randoms(use_true_random=False))
def test_members_are_what_nested_loops_give(choose: random.Random) -> None:
    lows = [choose.randint(0, 2) for _ in range(choose.randint(1, 3))]
    ranges = tuple(("abc"[i], low, low + choose.randint(0, 4)) for i, low in enumerate(lows))
    size, gcd = choose.choice(["max", "sum"]), choose.choice([None, 1, 2])
    up_to = choose.choice([None, 3, 5])
    parameters = Parameters(ranges, gcd, size, up_to)
    combine = max if size == "max" else sum
    wanted = [
        numbers
        for numbers in itertools.product(*(range(low, high + 1) for _, low, high in ranges))
        if (gcd is None or math.gcd(*numbers) == gcd) and (up_to is None or combine(numbers) <= up_to)
    ]
    found = [tuple(value for _, value in values) for values in parameters.members()]
    assert found == sorted(wanted, key=lambda numbers: (combine(numbers), numbers))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, r"parameters: no parameter"),
        ({"k": [1]}, r"parameters.k = \[1\]; expected a range"),
        ({"k": [-1, 1]}, r"parameters.k = \[-1, 1\]; expected a range"),
        ({"k-1": [1, 2]}, r"parameters: 'k-1' is not a name"),
        ({"k": [1, 2], "max_n_cap": "9"}, r"parameters.max_n_cap = '9'; expected an integer"),
        ({"k": [2, 2], "j": [4, 4], "gcd": 1}, r"parameters: no values are left"),
    ],
)
def test_one_fault_at_a_time(table: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=f"^{message}"):
        read_parameters(table)


# Families: members with texts of their own, and how many


FAMILY = """\
name = "ge-{k}-{j}"
alphabet = ["0", "1"]
crasp = 'accept = {k} * # "1" >= {j} * # "0"'
source = "{k} and {j}"
max_n = 8
[parameters]
k = [1, 3]
j = [1, 2]
gcd = 1
up_to = 2
"""


def test_members() -> None:
    family = parse_family(FAMILY, "own.toml")
    assert (family.name, family.origin, family.max_n_cap) == ("ge-k-j", "own.toml", 64)
    assert [(spec.name, family.parameters.size_of(spec.parameters)) for spec in family.members()] == [
        ("ge-1-1", 1),
        ("ge-1-2", 2),
        ("ge-2-1", 2),
    ]
    assert [spec.name for spec in family.members({"k": [3]})] == ["ge-3-1", "ge-3-2"]
    member = family.members({"k": [3]})[-1]
    assert member.text == 'accept = 3 * # "1" >= 2 * # "0"'
    assert (member.source, member.parameters) == ("3 and 2", (("k", 3), ("j", 2)))
    written = FAMILY.split("[parameters]")[0].replace("{k}", "3").replace("{j}", "2")
    assert member.digest == parse_spec(written).digest
    assert len(load_family("ge-k-j").members()) == 63
