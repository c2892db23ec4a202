"""The semantics against values worked out by hand, ε included, and against a plain interpreter."""

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp import interpreter, parser
from idinf.crasp.checker import MAX_COEFFICIENT, check, read_program
from idinf.crasp.interpreter import (
    WordBatch,
    choose_count_dtype,
    compute_labels,
    compute_values,
    lay_out_words,
)
from idinf.crasp.parser import write_out_masks
from tests.crasp.plain_interpreter import accepts, table
from tests.crasp.plain_interpreter import accepts as plainly_accepts
from tests.targets.random_programs import random_program

SIGMA = Alphabet(("a", "b"))


def words(length: int) -> list[str]:
    return [SIGMA.decode(word) for word in words_up_to(2, length)]


def language(text: str, length: int = 4) -> set[str]:
    """Accepted words up to a length."""
    found = compute_labels(read_program(text, SIGMA), SIGMA, lay_out_words(list(words_up_to(2, length))))
    return {word for word, label in zip(words(length), found, strict=True) if label}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = true", lambda w: True),
        ('x = "a"', lambda w: w.endswith("a")),
        ("x = (i mod 3 == 0)", lambda w: len(w) % 3 == 0),
        ('x = # "a" == 2', lambda w: w.count("a") == 2),
        ('x = # "a" < # "b"', lambda w: w.count("a") < w.count("b")),
        ("x = # true >= 3", lambda w: len(w) >= 3),
        ('x = #[j = i-2] !"a" >= 1', lambda w: len(w) >= 3 and w[-3] != "a"),
        ('x = #[j > i] "a" == 0', lambda w: True),
        ("x = #[j >= i-62] true == 3", lambda w: len(w) == 3),
        ('x = min(# "a", # "b") >= 1', lambda w: "a" in w and "b" in w),
        ('x = (# "a" if "a" else 5) >= 3', lambda w: w.count("a") >= 3 if w.endswith("a") else True),
        ('x = # (#[j = i-1] "a" == 1 && "b") >= 1', lambda w: "ab" in w),
        ("x = # (i mod 2 == 0) == 2", lambda w: len(w) in (4, 5)),
        ('#import pred2 x = #[pred2] "a" == 1', lambda w: len(w) >= 3 and w[-3] == "a"),
    ],
)
def test_languages_worked_out_by_hand(text: str, expected: object) -> None:
    assert callable(expected)
    assert language(text) == {word for word in words(4) if expected(word)}


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_as_the_plain_interpreter_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = read_program(random_program(rng, SIGMA.symbols), SIGMA)
    short = list(words_up_to(2, 5))
    found = compute_labels(program, SIGMA, lay_out_words(short))
    assert found.tolist() == [plainly_accepts(program, SIGMA, word) for word in short]
    word = tuple(rng.integers(0, 2, 30).tolist())
    rows = {row.name: row.at for row in compute_values(program, SIGMA, word)}
    assert rows == {name: tuple(map(int, at)) for name, at in table(program, SIGMA, word).items()}


LOCAL = read_program(
    'near = #[j >= i-2] "a" - 2 * #[j = i-1] "b" far = #[j > i-5] (near >= 1) '
    "x = (# (far == 3) if i mod 3 == 1 else min(far, near) + 1) > 1",
    SIGMA,
)


def random_batch(count: int, longest: int) -> WordBatch:
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 2, (count, longest)).astype(np.uint8)
    return WordBatch(codes, rng.integers(0, longest + 1, count))


def word_of(batch: WordBatch, row: int) -> tuple[int, ...]:
    return tuple(batch.codes[row, : batch.lengths[row]].tolist())


@pytest.mark.parametrize("cells", [1, 500, 2**20])
def test_lengths_mix_and_chunks_do_not_matter(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "CHUNK_CELLS", cells)
    batch = random_batch(interpreter.WIDE + 10, 25)
    expected = [plainly_accepts(LOCAL, SIGMA, word_of(batch, row)) for row in range(len(batch))]
    assert compute_labels(LOCAL, SIGMA, batch).tolist() == expected
    assert 0 < sum(expected) < len(batch)


@pytest.mark.parametrize(
    ("size", "length", "dtype"),
    [
        (1, 2**15 - 2, np.int16),
        (1, 2**15 - 1, np.int32),
        (2**31 - 1, 0, np.int32),
        (2**31, 0, np.int64),
        (MAX_COEFFICIENT, 2**23 - 2, np.int64),
        (MAX_COEFFICIENT, 2**23 - 1, object),
    ],
)
def test_the_guard_of_the_width_is_tight(size: int, length: int, dtype: object) -> None:
    assert choose_count_dtype(size, length) is dtype


def test_values_beyond_64_bits_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idinf.crasp.checker.MAX_COEFFICIENT", 2**100)
    text = f'x = {2**62} * # "a" - {2**62} * # "b" == {2**63}'
    assert language(text, 5) == {w for w in words(5) if w.count("a") - w.count("b") == 2}


# Words as arrays: the same codes as one by one, any lengths, any symbols


def rows(batch: WordBatch) -> list[tuple[int, ...]]:
    return [tuple(codes[:length].tolist()) for codes, length in zip(batch.codes, batch.lengths, strict=True)]


# Strict masks against the plain interpreter, which reads them as written


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
