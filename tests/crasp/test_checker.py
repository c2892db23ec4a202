"""Names, sorts, locality, numbers: one fault at a time, with its place."""

from __future__ import annotations

import time

import pytest

from idinf.crasp import syntax as s
from idinf.crasp.checker import MAX_COEFFICIENT, MAX_REACH, find_window, read_program
from idinf.errors import ProgramError
from idinf.words import Alphabet

SIGMA = Alphabet(("a", "b"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = y", "line 1, column 5: 'y' is not defined"),
        ("x = x", "line 1, column 5: 'x' is used in its own definition"),
        ("first = true x = frist", "line 1, column 18: 'frist' is not defined; .*did you mean 'first'"),
        ("y = later\nlater = true", "line 1, column 5: 'later' is defined later, on line 2; .*move its"),
        (
            "x = y\ny = z\nz = !x",
            "line 1, column 5: 'y' is defined later, .*needs 'x'; break the cycle",
        ),
        ("x = y\ny = z\nz = !z", "line 1, column 5: 'y' is defined later, .*move its definition up"),
        ("x = pos_even", "line 1, column 5: 'pos_even' is not defined; .*add '#import pos_even'"),
        ("x = true\nx = false", "line 2, column 1: 'x' is defined twice"),
        ("i = true", "line 1, column 1: 'i' is a word of the language"),
        ("true = true", "line 1, column 1: 'true' is a word of the language"),
        ('x = "c"', "line 1, column 5: symbol 'c' is not in the alphabet; expected one of: a b"),
        ('x = "$"', "line 1, column 5: '\\$' is the start symbol"),
        ('x = "a" <= 3', "line 1, column 5: '<=' has a Boolean here; expected a count"),
        ('x = 3 <= "a"', "line 1, column 10: '<=' has a Boolean here; expected a count"),
        ("x = 3 == true", "line 1, column 10: '==' has a Boolean here"),
        ('x = !(# "a")', "line 1, column 7: '!' has a count here; expected a Boolean"),
        ("x = # 1 > 0", "line 1, column 7: '#' has a count here; expected a Boolean"),
        ('x = # "a" && "b"', "line 1, column 5: '&&' has a count here; .* into brackets$"),
        ('x = "b" || 1', "line 1, column 12: '\\|\\|' has a count here"),
        ('x = "b" + 1 > 0', "line 1, column 5: '\\+' has a Boolean here"),
        ('x = 1 - "b" > 0', "line 1, column 9: '-' has a Boolean here"),
        ('x = -"b" > 0', "line 1, column 6: '-' has a Boolean here"),
        ('x = 2 * "b" > 0', "line 1, column 9: '\\*' has a Boolean here"),
        ('x = min("b", 1) > 0', "line 1, column 9: 'min' has a Boolean here"),
        ('x = max(1, "b") > 0', "line 1, column 12: 'max' has a Boolean here"),
        ('x = ("a" if true else 1) > 0', "line 1, column 6: 'if' has a Boolean here"),
        ("x = (1 if 1 else 1) > 0", "line 1, column 11: 'if' has a count here"),
        ('x = (1 if true else "a") > 0', "line 1, column 21: 'else' has a Boolean here"),
        ('b = "a"\nx = b <= 1', "line 2, column 5: '<=' has a Boolean here"),
        ('c = # "a"\nx = !c', "line 2, column 6: '!' has a count here"),
        ('x = # "a"', "line 1, column 1: the last operation 'x' is a count; expected a Boolean"),
        ('x = # "a" * # "b" > 0', "line 1, column 5: product of two counts"),
        ('x = #[j < i+1] "a" > 0', "line 1, column 7: predicate looks 1 ahead"),
        ('x = #[j < i] (# "a") > 0', "line 1, column 15: '#' has a count here"),
        ('x = #[j <= i-64] "a" > 0', "line 1, column 7: distance 63; expected at most"),
        ('x = #[j != i-2] "a" > 0', "line 1, column 7: predicate j != i-2 is not local"),
        ('x = #[j = i+1] "a" > 0', "line 1, column 7: predicate looks 1 ahead"),
        ('x = #[i = j-1] "a" > 0', "line 1, column 7: predicate of 'i' and 'j'"),
        ('x = #[j = j-1] "a" > 0', "line 1, column 7: predicate of 'j' and 'j'"),
        (
            'x = #[pred] "a" > 0',
            "line 1, column 7: predicate 'pred' is not defined; .*'#import pred'",
        ),
        (
            'x = #[near] "a" > 0',
            "line 1, column 7: predicate 'near' is not defined; .*as #\\[j = i-1\\]$",
        ),
        ('#import pred99\nx = #[pred99] "a" > 0', "line 2, column 7: distance 99; expected at most"),
        (
            f'x = #[j = i-{MAX_REACH + 1}] "a" > 0',
            f"line 1, column 7: distance {MAX_REACH + 1}; expected at most",
        ),
        ("x = (i mod 0 == 0)", "line 1, column 6: modulus 0; expected an integer from 1"),
        ("x = (i mod 2 == 2)", "line 1, column 6: residue 2 of modulus 2; expected an integer from 0 to 1"),
        ("x = (j mod 2 == 0)", "line 1, column 6: 'j' mod 2; expected the position i"),
        ("x = (i mod 2 <= 0)", "line 1, column 6: i mod 2 <= 0; expected '=='"),
        (f"x = (i mod {2**70} == 0)", "line 1, column 6: modulus 1180591620717411303424"),
        (f'x = # "a" <= {2**63}', "line 1, column 14: coefficients add up to 9223372036854775808"),
        (f'x = {2**63} * # "a" <= 1', "line 1, column 5: coefficients add up to"),
        (
            f'c = {2**30} * # "a"\nx = {2**30} * c > 0',
            "line 2, column 5: coefficients add up to 1152921504606846976",
        ),
        (f'c = {2**40} * # "a" + 1\nx = c > 0', "line 1, column 5: coefficients add up to 1099511627777"),
    ],
)
def test_one_fault_at_a_time(text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=rf"^{message}") as caught:
        read_program(text, SIGMA)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        'x = "a" && !"b" || (i mod 1 == 0)',
        f'x = {MAX_COEFFICIENT} * # "a" <= 1',
        f'x = #[j = i-{MAX_REACH}] "a" > 0',
        'two = 2 k = -two * 3 x = # "a" * k + (1 + 1) * # "b" == k',
        'x = # "a" - 1 >= min(2, #[j > i] "b") c = 1 y = x',
    ],
)
def test_good_programs(text: str) -> None:
    assert read_program(text, SIGMA).definitions


@pytest.mark.parametrize(
    ("relation", "offset", "distances"),
    [
        (s.Relation.EQ, 0, {0}),
        (s.Relation.EQ, -3, {3}),
        (s.Relation.GE, -2, {0, 1, 2}),
        (s.Relation.GT, -2, {0, 1}),
        (s.Relation.GT, 0, set()),
    ],
)
def test_window_is_the_set_of_admitted_distances(
    relation: s.Relation, offset: int, distances: set[int]
) -> None:
    low, high = find_window(s.Predicate("j", relation, "i", offset, s.TextPlace(1, 1)))
    assert set(range(low, high + 1)) == distances
    i = 10
    assert distances == {i - j for j in range(1, i + 1) if relation.holds(j, i + offset)}


def test_what_would_explode_is_refused_in_time() -> None:
    begin = time.perf_counter()
    primes = [n for n in range(2, 400) if all(n % k for k in range(2, n))]
    moduli = "\n".join(f"x{n} = (i mod {n} == 0)" for n in primes) + "\naccept = x2"
    for text, message in (
        ("accept = true\n" * 10**5, "characters; expected at most 262144"),
        (moduli, r"line 1\d, .*common multiple [0-9]+; expected at most 4611686018427387904 \(2\^62\)"),
        (f"accept = {'9' * 10**5} > 0", "a number of 100000 digits"),
        (f"accept = i mod {'9' * 40} == 0", "modulus an integer of 133 bits; expected an integer from 1 to"),
        (f"accept = {'n' * 10**5} > 0", "'nnn.*…n+' is not defined"),
        (f'accept = # "{"s" * 10**5}" > 0', "symbol 'sss.*…s+' is not in the alphabet; expected one of: a b"),
        (f"#import {'n' * 10**5}\naccept = true", "'#import nnn.*…n+' is an unknown predicate"),
        (f"accept = #[{'n' * 10**5}] true > 0", "predicate 'nnn.*…n+' is not defined"),
    ):
        with pytest.raises(ProgramError, match=message) as caught:
            read_program(text, Alphabet(("a", "b")))
        assert len(str(caught.value)) < 350
    assert time.perf_counter() - begin < 20
