"""Sequences and their distances, against prefixes counted one by one and closed forms by long prefixes."""

import itertools
from fractions import Fraction
from math import exp

import pytest

from idinf.errors import SpecError
from idinf.lab.continuity.predictors import exp as enclosed
from idinf.lab.continuity.sequences import compare_prefixes, decide_equality, find_limit, sequence


def test_symbols_are_those_of_the_definitions() -> None:
    thue_morse = sequence("thue-morse").prefix(512)
    assert thue_morse == "".join("01"[i.bit_count() % 2] for i in range(512))
    assert sequence("10(011)").prefix(9) == "100110110"


@pytest.mark.parametrize("text", ["1(01)", "(0)", "(011)", "thue-morse"])
def test_every_kth_place_is_changed(text: str) -> None:
    for every in (1, 2, 3, 7):
        a, b = sequence(text).prefix(100), sequence(f"{text}@{every}").prefix(100)
        assert [i for i in range(1, 101) if a[i - 1] != b[i - 1]] == list(range(every, 101, every))


def test_prefixes_are_compared_by_the_definition() -> None:
    for n in range(1, 6):
        for a, b in itertools.product(map("".join, itertools.product("01", repeat=n)), repeat=2):
            found = compare_prefixes(a, b)
            assert found.hamming == Fraction(sum(x != y for x, y in zip(a, b, strict=True)), n)
            assert found.same_last == (a[-1] == b[-1])
            before = Fraction(sum(x != y for x, y in zip(a[:-1], b[:-1], strict=True)), max(n - 1, 1))
            assert found.star == (a[-1] != b[-1]) + before


CLOSED = [
    ("(01)", "(0011)", "1/2"),
    ("(0)", "(001)", "1/3"),
    ("0110(01)", "(01)", "0"),
    ("thue-morse", "(0)", "1/2"),
    ("thue-morse", "1(01011)", "1/2"),
    ("thue-morse", "thue-morse@5", "1/5"),
]


@pytest.mark.parametrize(("one", "other", "shown"), CLOSED)
def test_closed_forms_agree_with_long_prefixes(one: str, other: str, shown: str) -> None:
    a, b = sequence(one), sequence(other)
    found = find_limit(a, b)
    assert str(found) == shown
    assert find_limit(b, a) == found
    n = 1 << 14
    counts = itertools.accumulate(x != y for x, y in zip(a.prefix(4 * n), b.prefix(4 * n), strict=True))
    shares = [count / m for m, count in enumerate(counts, start=1) if m >= n]
    assert min(shares) == pytest.approx(float(found.lower), abs=5e-3)
    assert max(shares) == pytest.approx(float(found.upper), abs=5e-3)


def test_what_has_no_closed_form_is_a_range_and_says_so() -> None:
    found = find_limit(sequence("thue-morse@2"), sequence("thue-morse@3"), 64)
    assert found.proof is None
    assert str(found).endswith("over [64, 128]; the limit is not known")
    assert decide_equality(sequence("thue-morse"), sequence("thue-morse@3@3"), 64).equal is None


def test_equality_in_the_end() -> None:
    a = sequence("(01)")
    assert str(decide_equality(sequence("0110(01)"), a)) == "yes, from place 5 on"
    assert str(decide_equality(a, a)) == "yes, from place 1 on"
    assert decide_equality(sequence("(0)@50"), sequence("(0)")).equal is False
    assert decide_equality(sequence("thue-morse"), a).equal is False


@pytest.mark.parametrize(
    ("text", "symbols", "message"),
    [
        ("thue-mors", None, "did you mean"),
        ("01", None, "expected START"),
        ("(ab)", "01", "symbol 'a' is not in the alphabet '01'"),
        ("(a)@3", None, "one to change into"),
        ("(0)@99999999", None, "k is too large"),
    ],
)
def test_bad_sequences_are_refused(text: str, symbols: str | None, message: str) -> None:
    with pytest.raises(SpecError, match=message.replace("(", r"\(")):
        sequence(text, alphabet=symbols)


def test_exponentials_are_enclosed() -> None:
    for numerator in (-2000, -77, -1, 1, 5, 64, 777, 4000):
        x = Fraction(numerator, 16)
        found = enclosed(x)
        assert found.low <= found.high
        assert float(found.high) == pytest.approx(exp(numerator / 16), rel=1e-12, abs=1e-40)
        assert found.high - found.low <= max(found.high, Fraction(1)) / 2**120
        opposite = enclosed(-x)
        assert found.low * opposite.low <= 1 <= found.high * opposite.high
