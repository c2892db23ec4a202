"""Hypotheses read back as programs: the same words, also after compiling again, or a refusal."""

from dataclasses import replace

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp import syntax as s
from idinf.crasp.checker import check
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.parser import parse
from idinf.crasp.programs import list_names, load
from idinf.crasp.syntax import format_program
from idinf.errors import HypothesisFormatError, ProgramError
from idinf.nets import reference
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.translate.compilation.compiler import compile_program
from idinf.translate.formulas.formula import write_formula
from idinf.translate.formulas.program import decompile
from tests.asked_for import few
from tests.translate.compilation.deep_programs import deep_program
from tests.translate.compilation.random_hypotheses import random_hypothesis

AB = Alphabet(("a", "b"))

LENGTHS = {1: 12, 2: 9, 3: 6, 4: 5, 5: 4}


def answers(program, alphabet):
    """Labels of all short words."""
    return compute_labels(
        program, alphabet, lay_out_words(list(words_up_to(len(alphabet), LENGTHS[len(alphabet)])))
    ).tolist()


def check_round_trip(program, alphabet, precision):
    """Program, hypothesis, program, hypothesis, program: one language; texts parse to what they were."""
    wanted = answers(program, alphabet)
    first = decompile(compile_program(program, alphabet, precision))
    assert answers(parse(format_program(first)), alphabet) == wanted
    second = decompile(compile_program(first, alphabet, precision))
    assert answers(second, alphabet) == wanted


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", list_names())
def test_round_trips_of_the_library(name: str) -> None:
    loaded = load(name)
    check_round_trip(loaded.program, loaded.alphabet(), 1)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(12))
def test_round_trips_of_random_programs(seed: int) -> None:
    check_round_trip(parse(deep_program(seed)), AB, 0)


def agrees(hypothesis, length):
    """Whether a hypothesis and its program answer alike; None if it is refused."""
    try:
        program = decompile(hypothesis)
    except HypothesisFormatError:
        return None
    words = list(words_up_to(2, length))
    dense = hypothesis.to_dense()
    read = compute_labels(program, AB, lay_out_words(words)).tolist()
    return read == [reference.accepts(dense, word) for word in words]


def test_random_hypotheses() -> None:
    found = [agrees(random_hypothesis(seed), 4) for seed in range(few(15, 40))]
    assert False not in found
    assert found.count(True) > len(found) * 5 // 8


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ('dead = # "a" accept = 4 * # "a" > 6 * # "b"', 'accept = 2 * # "a" > 3 * # "b"\n'),
        ("accept = # true >= 0", "accept = true\n"),
        ("accept = i mod 6 == 2 || i mod 6 == 5", "accept = i mod 3 == 2\n"),
        ('accept = # "a" > 2 && # "a" <= 4', 'accept = # "a" >= 3 && # "a" <= 4\n'),
    ],
)
def test_programs_come_back_simplified(program: str, text: str) -> None:
    assert format_program(decompile(compile_program(parse(program), AB))) == text


@pytest.mark.parametrize("symbols", [('a",b', "a"), ('"', '",'), ("//", "u1"), ('"}', "not"), ("1/2", "²")])
def test_symbols_of_any_signs_are_read_back(symbols: tuple[str, str]) -> None:
    """The program is that over other symbols, but for their names."""
    names = dict(zip(AB.symbols, symbols, strict=True))

    def renamed(part: s.Expression) -> s.Expression:
        return s.Symbol(names[part.symbol]) if isinstance(part, s.Symbol) else s.replace_parts(part, renamed)

    for seed in range(6):
        over_ab = random_hypothesis(seed)
        found = decompile(replace(over_ab, alphabet=Alphabet(symbols, spaced=True)))
        for row, wanted in zip(found.definitions, decompile(over_ab).definitions, strict=True):
            assert s.format_expression(row.expression) == s.format_expression(renamed(wanted.expression))


def test_numbers_of_any_size_are_read_back() -> None:
    head, unit = OneHotHead(((0, 10**60 + 1, -3),)), OneHotUnit(((0, 0, 1),), (0, 0, 0), 0)
    large = OneHotTransformer(AB, 0, (OneHotLayer((head,), (unit,)),), (-1,), -1)
    assert format_program(decompile(large)) == f'accept = 3 * # "b" >= {10**60 + 1} * # "a"\n'


# Refusals


def one_head(pattern: AttentionPattern, precision: int = 0) -> OneHotTransformer:
    """Two layers; the first has one unit that reads a by a head with this pattern."""
    lower = OneHotLayer(
        (OneHotHead(((0, 2, -1),), pattern),), (OneHotUnit(((0, 0, 1 << precision),), (0, 0, 0), 0),)
    )
    upper = OneHotLayer((OneHotHead(((0, 0, 0, 1),)),), (OneHotUnit(((0, 0, 1 << precision),), (0,) * 4, 0),))
    return OneHotTransformer(AB, precision, (lower, upper), (1,), 0)


@pytest.mark.parametrize(
    ("hypothesis", "says"),
    [
        (
            one_head(AttentionPattern(phi=(0, 1))),
            r"formula, u1: avg\[φ\(1\)=1\] is .* on N, .*; expected .* counts express for",
        ),
        (
            one_head(AttentionPattern(((0, 0, 0), (0, 0, 0), (1, 1, 1)))),
            r"avg\[#b=1\] is an average whose effect depends on N, .*; expected averages",
        ),
        (one_head(AttentionPattern(((0, 0, 0), (1, 1, 1), (0, 0, 0))), 1), "p=1. is an average of rounded"),
        (one_head(AttentionPattern(phi=(0, 1)), 1), r"φ\(1\)=1/2, p=1\] is .* rounded powers of N; expected"),
    ],
)
def test_weights_that_are_no_counts_are_refused(hypothesis: OneHotTransformer, says: str) -> None:
    with pytest.raises(HypothesisFormatError, match=says):
        decompile(hypothesis)


def test_averages_of_different_weights_are_refused() -> None:
    heads = (OneHotHead(((0, 1, 0),)), OneHotHead(((0, 0, 1),), AttentionPattern(phi=(0, 1))))
    unit = OneHotUnit(((0, 0, 1), (1, 0, 1)), (0, 0, 0), 0)
    with pytest.raises(HypothesisFormatError, match="beside an average of other weights; expected averages"):
        decompile(OneHotTransformer(AB, 0, (OneHotLayer(heads, (unit,)),), (1,), 0))


# The printed formula is a program


def printed_agrees(hypothesis, symbols):
    """Whether the text of the formula is a program of the same words; None if it is refused."""
    try:
        program = parse(str(write_formula(hypothesis)), symbols)
    except ProgramError:
        return None
    check(program, AB)
    words = list(words_up_to(2, 4))
    dense = hypothesis.to_dense()
    return compute_labels(program, AB, lay_out_words(words)).tolist() == [
        reference.accepts(dense, word) for word in words
    ]


def test_printed_formulas_are_programs_wherever_there_is_one() -> None:
    for hypothesis in [
        random_hypothesis(seed, *more) for seed in range(few(5, 40)) for more in ((), (0.8, 1))
    ]:
        assert printed_agrees(hypothesis, AB) is agrees(hypothesis, 2)
