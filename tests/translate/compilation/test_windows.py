"""Local counts at several distances read by one head: layers, heads, the same words."""

from __future__ import annotations

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.parser import parse
from idinf.nets import reference
from idinf.translate.compilation import circuit as circuits
from idinf.translate.compilation import units
from idinf.translate.compilation.compiler import compile_program
from idinf.translate.formulas.program import decompile

AB = Alphabet(("a", "b"))


def shape_and_differences(text, length=5):
    """(layers, heads), and the words on which compiled program or what it reads back as is wrong."""
    program, words = parse(text), list(words_up_to(2, length))
    net = compile_program(program, AB)
    dense = net.to_dense()
    wanted = compute_labels(program, AB, lay_out_words(words)).tolist()
    back = compute_labels(decompile(net), AB, lay_out_words(words)).tolist()
    found = [reference.accepts(dense, word) for word in words]
    wrong = [w for w, *answers in zip(words, wanted, found, back, strict=True) if len(set(answers)) > 1]
    return (dense.depth, dense.num_heads), wrong


@pytest.mark.thinned(6)
@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ('accept = #[j = i-1] "a" == 1 && #[j = i-2] "a" == 1', (1, 1)),
        ('accept = #[j = i-1] "a" == 1 || #[j = i-2] "a" == 1', (1, 1)),
        ('accept = #[j >= i-2] "a" == 3', (1, 1)),
        ('accept = # (#[j >= i-2] "a" == 3) > 1', (2, 1)),
        ('accept = # (#[j >= i-2] "a" >= 1) == 2', (2, 1)),
        ('p = # "a" > # "b" accept = # (#[j = i-1] p + #[j = i-2] p == 2) > 0', (3, 1)),
        ('accept = # ("a" && #[j = i-2] "a" + #[j = i-3] "a" + #[j = i-4] "a" < 3) > 1', (2, 1)),
        ('accept = # (#[j = i-1] "a" + #[j = i-2] "a" + #[j = i-3] "a" >= 2) > 0', (2, 1)),
        ('accept = # (#[j >= i-3] "a" >= 2) > 1', (2, 1)),  # one of three or two, by what is here
        ('accept = #[j >= i-3] "a" < 2', (1, 1)),
        ('accept = # (#[j >= i-2] "a" == 2) > 0', (2, 1)),
        ('accept = # (#[j >= i-3] "a" != 1) > 1', (2, 1)),
        # Not what one head tells: other Booleans, a gap, two of four.
        ('accept = # (#[j = i-1] "a" == 1 && #[j = i-2] "b" == 1) > 0', (3, 2)),
        ('accept = # (#[j = i-1] "a" == 1 && #[j = i-3] "a" == 1) > 0', (3, 2)),
        ('accept = #[j >= i-4] "a" >= 3', (1, 4)),
    ],
)
def test_one_head_for_several_distances(text: str, shape: tuple[int, int]) -> None:
    assert shape_and_differences(text) == (shape, [])


def test_a_head_that_does_not_tell_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'accept = # (#[j = i-1] "a" + #[j = i-2] "a" + #[j = i-3] "a" >= 2) > 0'
    for module in (circuits, units):
        monkeypatch.setattr(module, "find_telling", lambda distance, width, hits: (1, 0))
    program, words = parse(text), list(words_up_to(2, 4))
    dense = compile_program(program, AB).to_dense()
    wanted = compute_labels(program, AB, lay_out_words(words)).tolist()
    assert [reference.accepts(dense, word) for word in words] != wanted
