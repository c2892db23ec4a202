"""A plain interpreter that judges the one on arrays: one word at a time, straight from the definition.

Slow on purpose: a guarded count asks the predicate for every pair of positions.
"""

from dataclasses import dataclass

from idinf.base.words import Alphabet, Word
from idinf.crasp import syntax as s

__all__ = ["accepts", "table"]


def accepts(program: s.ProgramTree, alphabet: Alphabet, word: Word) -> bool:
    """Value of the last operation at the last position of a word; of ε at position 0, SOS."""
    return bool(table(program, alphabet, word)[program.definitions[-1].name][-1])


def table(program: s.ProgramTree, alphabet: Alphabet, word: Word) -> dict[str, tuple[int, ...]]:
    """Values of every operation at SOS and at positions 1..n."""
    run = _Run(word, alphabet, {})
    last = len(word)
    for definition in program.definitions:
        run.table[definition.name] = tuple(run.value(definition.expression, i) for i in range(last + 1))
    return run.table


@dataclass(frozen=True, slots=True)
class _Run:
    """One word and the values of the operations so far; ``table[name][i]`` is the value at position i."""

    word: Word
    alphabet: Alphabet
    table: dict[str, tuple[int, ...]]

    def value(self, expression: s.Expression, i: int) -> int:
        """Value at position i, 1-based, 0 for SOS; Booleans are 0 and 1."""
        match expression:
            case s.Name(name):
                return self.table[name][i]
            case s.Symbol(symbol):
                return i >= 1 and self.alphabet.symbols[self.word[i - 1]] == symbol
            case s.Truth(value) | s.Number(value):
                return value
            case s.Periodic(_, modulus, _, residue):
                return i % modulus == residue
            case s.Negated(operand):
                return not self.value(operand, i)
            case s.Conjunction(left, right):
                return self.value(left, i) and self.value(right, i)
            case s.Disjunction(left, right):
                return self.value(left, i) or self.value(right, i)
            case s.Comparison(relation, left, right):
                return relation.holds(self.value(left, i), self.value(right, i))
            case s.Count(predicate, operand):
                return sum(self.value(operand, j) for j in range(1, i + 1) if _admits(predicate, i, j))
            case s.Added(sign, left, right):
                return self.value(left, i) + sign * self.value(right, i)
            case s.Multiplied(left, right):
                return self.value(left, i) * self.value(right, i)
            case s.Negative(operand):
                return -self.value(operand, i)
            case s.Conditional(then, condition, otherwise):
                return self.value(then if self.value(condition, i) else otherwise, i)
            case s.Extremum(largest, left, right):
                return (max if largest else min)(self.value(left, i), self.value(right, i))


def _admits(predicate: s.Predicate | None, i: int, j: int) -> bool:
    """ψ(i, j) as written: ``j relation i + offset``."""
    return predicate is None or predicate.relation.holds(j, i + predicate.offset)
