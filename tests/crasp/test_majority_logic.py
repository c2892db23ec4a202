"""Proposition 31: formulas of programs against the interpreter, and by hand what their signs mean."""

from dataclasses import replace
from fractions import Fraction

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import read_program
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.majority_logic import (
    TRUE,
    Abbreviation,
    All,
    Exists,
    Formula,
    Majority,
    MajorityFormula,
    Not,
    OrderTest,
    Residue,
    SymbolAt,
    to_majority_logic,
)
from idinf.crasp.programs import list_names, load
from tests.translate.compilation.deep_programs import deep_program

AB = Alphabet(("a", "b"))


class Plain:
    """Definition 30 with one position for each variable; a named formula is read at each position once."""

    def __init__(self, formula: MajorityFormula, word: str) -> None:
        self.word, self.named = word, dict(formula.named)
        self.known: dict[tuple[str, int], bool] = {}

    def holds(self, formula: Formula, places: dict[str, int]) -> bool:
        def inner(part: Formula, **moved: int) -> bool:
            return self.holds(part, places | moved)

        everywhere = range(1, len(self.word) + 1)
        match formula:
            case SymbolAt(symbol, at):
                return self.word[places[at] - 1] == symbol
            case Residue(at, modulus, residue):
                return places[at] % modulus == residue
            case OrderTest(left, right, True):
                return places[left] + 1 == places[right]
            case OrderTest(left, right):
                return places[left] < places[right]
            case Abbreviation(name, at):
                place = places[at]
                if (name, place) not in self.known:
                    self.known[name, place] = self.holds(self.named[name], {"x": place})
                return self.known[name, place]
            case Not(operand):
                return not inner(operand)
            case All(parts):
                return all(inner(part) for part in parts)
            case Exists(variable, operand):
                return any(inner(operand, **{variable: i}) for i in everywhere)
            case Majority(variable, parts):
                held = sum(times * inner(part, **{variable: i}) for part, times in parts for i in everywhere)
                return Fraction(held, len(self.word) * sum(times for _, times in parts)) > Fraction(1, 2)


def check(program, alphabet, length: int, plain: int) -> MajorityFormula:
    """Compare with the interpreter up to one length, and with the definition up to a shorter one."""
    formula = to_majority_logic(program, alphabet)
    words = list(words_up_to(len(alphabet), length))
    labels = compute_labels(program, alphabet, lay_out_words(words)).tolist()
    assert [formula.accepts(word) for word in words] == labels
    for word, label in zip(words, labels, strict=True):
        if 0 < len(word) <= plain:
            assert Plain(formula, alphabet.decode(word)).holds(formula.sentence, {}) == label
    return formula


@pytest.mark.thinned(8)
@pytest.mark.parametrize("name", list_names())
def test_shipped_programs(name: str) -> None:
    loaded = load(name)
    alphabet = loaded.alphabet()
    length = {1: 9, 2: 6, 3: 4}.get(len(alphabet), 3)
    used = check(loaded.program, alphabet, length, 3).class_name
    assert "+1" not in used or loaded.facts.local_counts
    assert "mod" not in used or loaded.facts.period > 1


@pytest.mark.thinned(9)
@pytest.mark.parametrize("seed", range(30))
def test_random_programs_with_every_construct(seed: int) -> None:
    check(read_program(deep_program(seed), AB), AB, 5, 2)


def test_what_is_planted_is_noticed() -> None:
    formula = to_majority_logic(load("majority").program, Alphabet(("0", "1")))
    ((name, right),) = formula.named
    assert isinstance(right, Not)
    assert isinstance(right.operand, Majority)
    zeros = right.operand.parts[0]
    for wrong in (right.operand, Not(Majority("y", (zeros, (TRUE, 1))))):
        planted = replace(formula, named=((name, wrong),))
        words = words_up_to(2, 3)
        assert any(planted.accepts(word) != formula.accepts(word) for word in words)
