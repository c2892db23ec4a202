"""Strict masks against the plain interpreter, which reads them as written."""

from __future__ import annotations

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp import parser
from idinf.crasp.checker import check, read_program
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.parser import write_out_masks
from tests.crasp.plain_interpreter import accepts

AB = Alphabet(("a", "b"))


@pytest.mark.parametrize(
    ("text", "class_name"),
    [
        ('x = #[j < i] "a" >= 2', "C-RASP[]"),
        ("x = #[j < i] true == 2", "C-RASP[]"),
        ('x = #[j <= i] ("a" && !"b") == #[j < i] ("a" || "b")', "C-RASP[]"),
        ('x = #[j < i] (#[j < i] "a" > #[j < i] !"a") >= #[j < i] (#[j < i] "b" == 1)', "C-RASP[]"),
        ('x = #[j <= i-1] "a" != #[j < i-2] "a"', "C-RASP[local]"),
        ("x = #[j <= i-3] (i mod 2 == 0) > 0", "C-RASP[periodic,local]"),
        ('masked1 = # "a" x = #[j < i] (#[j < i] !"b" >= masked1) != 1', "C-RASP[]"),
        ("x = #[j < i] !(#[j < i] true > 0) == 0", "C-RASP[]"),
    ],
)
def test_masks_mean_what_they_say(text: str, class_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = read_program(text, AB)
    assert check(program).class_name == class_name
    with monkeypatch.context() as patch:
        patch.setattr(parser, "write_out_masks", lambda tree: tree)
        as_written = parser.parse(text, AB)
    words = list(words_up_to(2, 6))
    found = compute_labels(program, AB, lay_out_words(words)).tolist()
    assert found == [accepts(as_written, AB, word) for word in words]
    assert write_out_masks(program) == program


def test_masks_inside_of_masks_are_not_repeated() -> None:
    deep = '"a"'
    for _ in range(20):
        deep = f"(#[j < i] {deep} > 1)"
    assert len(read_program(f"x = {deep}", AB).definitions) == 20
