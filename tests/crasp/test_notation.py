"""Formulas, as hypotheses are printed, read as programs: every sign, what is refused, and where."""

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.parser import is_formula, parse
from idinf.crasp.syntax import format_program
from idinf.errors import ProgramError

AB = Alphabet(("a", "b"))

#: A formula, and the language in Python, over words as strings.
SIGNS = [
    ("accept iff #a - #b >= 0", lambda w: w.count("a") >= w.count("b")),
    ("accept iff 2 #a - 3 #b > 1", lambda w: 2 * w.count("a") - 3 * w.count("b") > 1),
    ("accept iff #a = 2", lambda w: w.count("a") == 2),
    ("accept iff #a - #b != 1", lambda w: w.count("a") - w.count("b") != 1),
    ("accept iff 2 #a = 3", lambda w: False),
    ("accept iff #a <= 1 or #b < 1", lambda w: w.count("a") <= 1 or w.count("b") < 1),
    ("accept iff 1/2 >= #a - #b", lambda w: w.count("a") <= w.count("b")),
    ("accept iff last = a", lambda w: w.endswith("a")),
    ("accept iff last != a", lambda w: not w.endswith("a")),
    ("accept iff last in {a, b} and not last = a", lambda w: w.endswith("b")),
    ("accept iff last not in {a, b}", lambda w: not w),
    ("accept iff last-1 = a", lambda w: w[-2:-1] == "a"),
    ("accept iff last-2 not in {a, b}", lambda w: len(w) < 3),
    ("accept iff nonempty and i even", lambda w: len(w) > 0 and len(w) % 2 == 0),
    ("accept iff empty or i odd", lambda w: len(w) == 0 or len(w) % 2 == 1),
    ("accept iff i mod 3 in {0, 2}", lambda w: len(w) % 3 != 1),
    ("accept iff i mod 3 != 1", lambda w: len(w) % 3 != 1),
    ("accept iff #(i odd) - #b >= 1", lambda w: (len(w) + 1) // 2 - w.count("b") >= 1),
    ("accept iff #(i mod 3 = 1) = 1", lambda w: 1 <= len(w) <= 3),
    ("accept iff true", lambda w: True),
    ("accept iff {last = a: #b = 2, else: #a > 1}",
     lambda w: w.count("b") == 2 if w.endswith("a") else w.count("a") > 1),
    ("accept iff at least 2 of (last = a, last-1 = a, #b >= 1)",
     lambda w: (w.endswith("a")) + (w[-2:-1] == "a") + ("b" in w) >= 2),
    ("u1 := #a - #b > 0; accept iff #u1 >= 2 and not u1",
     lambda w: sum(w[:k].count("a") > w[:k].count("b") for k in range(1, len(w) + 1)) >= 2
     and w.count("a") <= w.count("b")),
    ("u1 := last = a; u2 := last-1 = a; accept iff #b + 2 u1 - u2 > 1;",
     lambda w: w.count("b") + 2 * w.endswith("a") - (w[-2:-1] == "a") > 1),
    ("accept iff avg(2 #a - #b) > 1/2", lambda w: 2 * (2 * w.count("a") - w.count("b")) > len(w) + 1),
    ("accept iff avg[φ(1)=1](#a) > 1/2", lambda w: w[-2:-1] == "a"),
    ("accept iff avg[#a=1](#a - #b) > 0", lambda w: "a" in w),
    ("// two lines\naccept iff\n  #a >= 1 // at least one", lambda w: "a" in w),
]  # fmt: skip


@pytest.mark.parametrize(("text", "member"), SIGNS)
def test_signs(text, member) -> None:
    words = list(words_up_to(2, 6))
    assert is_formula(text)
    program = parse(text, AB)
    expected = [bool(member(AB.decode(word))) for word in words]
    assert compute_labels(program, AB, lay_out_words(words)).tolist() == expected
    assert compute_labels(parse(format_program(program)), AB, lay_out_words(words)).tolist() == expected


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("accept iff #1 - #0 >= 0", 'accept = # "1" >= # "0"\n'),
        ('accept iff #"(" >= 2 and last = """', 'accept = # "(" >= 2 && """\n'),
        ('accept iff last in {left, "and", "u1"}', 'accept = "left" || "and" || "u1"\n'),
        ("u_1 := last = u1; accept iff #u_1 + #u1 > 1", 'u_1 = "u1"\naccept = # u_1 + # "u1" >= 2\n'),
        ("accept iff avg[φ(1)=1, φ(2)=1](#a) > 1/3", 'accept = #[j = i-1] "a" + #[j = i-2] "a" >= 1\n'),
    ],
)
def test_programs_that_formulas_are(text: str, program: str) -> None:
    assert format_program(parse(text)) == program


@pytest.mark.parametrize(
    ("text", "says"),
    [
("accept iff #a >", "line 1, column 16: unexpected the end; expected a sum"),
("u1 := last = a; u1 := last = b; accept iff u1", "line 1, column 17: 'u1' is defined twice"),
("accept iff #a > 1/0", "line 1, column 17: a fraction of denominator 0"),
("accept iff avg[#a=1, φ(1)=1](#a) > 0", "weighed by distance and by content at once; expected"),
("accept iff avg(avg(#a)) > 0", "column 16: an average of 'avg.#a.'; expected counts"),
(f"accept iff {'not ' * 5000}last = a", "nested more than 100 deep; expected a flatter expression"),
],
)  # fmt: skip
def test_what_is_refused(text: str, says: str) -> None:
    with pytest.raises(ProgramError, match=says):
        parse(text)
