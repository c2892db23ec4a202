"""Imported predicates are what the public interpreter means by them; whole programs of its dialect run."""

from __future__ import annotations

import pytest

from idinf.base.words import words_up_to
from idinf.crasp.checker import check
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.parser import parse

#: Programs written as people write them for the public interpreter, and what they mean, never of ε.
DIALECT = {
    "even length": (
        '\n#import pos_even\n\nN = # !"a"\nonly = (N == 0)\nD = !pos_even && only\n\n',
        lambda w: len(w) % 2 == 0 and set(w) <= {"a"},
    ),
    "a bigram": (
        '#import pred\n\nC_ab = #[pred] "a"\nP_ab = "b" && (C_ab >= 1)\nL = (#P_ab >= 1)\n\n',
        lambda w: "ab" in w,
    ),
    "brackets": (
        '// comment\nopen = # "("\nclose = # ")"\nV = open < close\nM = (#V == 0)\n'
        "B = (open == close)\nD = M && B",
        lambda w: (
            w.count("(") == w.count(")") and all(w[:k].count("(") >= w[:k].count(")") for k in range(len(w)))
        ),
    ),
    "as long as twice the repetitions": (
        '\n// two halves of length 2\n\n#import pred2\n\nsame_a = "a" && ((#[pred2] "a") == 1)\n'
        'same_b = "b" && ((#[pred2] "b") == 1)\ntotal = #true\nsame = #same_a + #same_b\n'
        "done = (same + same == total)\n",
        lambda w: 2 * sum(w[k] == w[k - 2] for k in range(2, len(w))) == len(w),
    ),
    "a first symbol and a list": (
        'all = #true\nfirst = (all == 1)\nones = #"1" - (1 if "1" else 0)\ncarry = (ones == all-1) || first\n'
        'bit = (carry || "1") && !(carry && "1")\nzero = !bit // no 1\nD = #bit > #zero',
        lambda w: sum((c == "1") != ("0" not in w[:k]) for k, c in enumerate(w)) * 2 > len(w),
    ),
}


@pytest.mark.parametrize("name", DIALECT)
def test_programs_of_the_dialect_run_unchanged(name: str) -> None:
    text, member = DIALECT[name]
    program = parse(text)
    alphabet = check(program).alphabet()
    if name == "a first symbol and a list":
        alphabet = type(alphabet)(("0", "1"))
    check(program, alphabet)
    words = list(words_up_to(len(alphabet), 7))[1:]
    found = compute_labels(program, alphabet, lay_out_words(words)).tolist()
    assert found == [member(alphabet.decode(word)) for word in words]
    assert True in found
