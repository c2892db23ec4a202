"""Sets of letters in a program: joined, and written in the shortest way.

An automaton that only asks whether a letter is a or b reads c to z as one, so its program is written over one
letter of each class. A word of letters is read as the word of their classes: a program whose symbols stand
for classes answers the first as it answers the second, and what is proved of it for one letter of each class
is so for all. In the end the letter c is spelled as `!("a" || "b")`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.building import TRUE, all_of, any_of, compared, length, negated, split
from idinf.targets.letters import find_symbols
from idinf.targets.regular import RegularTarget

#: Letters, each by the first of its class, and whether SOS is among them, which is none.
LetterSet = tuple[frozenset[str], bool]


@dataclass(frozen=True, slots=True)
class Letters:
    """The letters of each class that an automaton does not tell apart, by the first, which stands for all.

    >>> machine = RegularTarget.from_regex(".*a.*", Alphabet(("a", "b", "c")))
    >>> letters = Letters.of(machine)
    >>> letters.classes, letters.merge(machine).alphabet.symbols
    ({'a': ('a',), 'b': ('b', 'c')}, ('a', 'b'))
    """

    classes: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, machine: RegularTarget) -> Letters:
        """The classes of a machine."""
        symbols, classes = machine.alphabet.symbols, dict[str, tuple[str, ...]]()
        for symbol, first in zip(symbols, find_symbols(machine), strict=True):
            classes[symbols[first]] = (*classes.get(symbols[first], ()), symbol)
        return cls(classes)

    def merge(self, machine: RegularTarget) -> RegularTarget:
        """The machine over one letter of each class."""
        return machine.over(Alphabet(tuple(self.classes), machine.alphabet.spaced))

    def write(self, found: LetterSet, free: bool) -> s.Expression:
        """A set by its letters, or by those that are not in it; ``free`` if it is never read at SOS."""
        inside, at_sos = found
        others = [first for first in self.classes if first not in inside]
        if not others and (free or at_sos):
            return TRUE
        if at_sos if not free else self._size(others) < self._size(inside):
            return negated(any_of(s.Symbol(first) for first in others))
        return any_of(s.Symbol(first) for first in self.classes if first in inside)

    def _size(self, firsts: Collection[str]) -> int:
        return sum(len(self.classes[first]) for first in firsts)

    def read(self, expression: s.Expression) -> LetterSet | None:
        """The set that an expression is; None if it asks for more than the letter at a position."""
        match expression:
            case s.Symbol(symbol):
                return frozenset((symbol,)), False
            case s.Truth(value):
                return frozenset(self.classes if value else ()), value
            case s.Negated(operand):
                found = self.read(operand)
                return found and (frozenset(self.classes) - found[0], not found[1])
            case s.Conjunction(left, right) | s.Disjunction(left, right):
                one = self.read(left)
                other = one and self.read(right)
                return one and other and _joined(one, other, isinstance(expression, s.Disjunction))
        return None

    def join(self, parts: Iterable[s.Expression], either: bool, free: bool) -> s.Expression:
        """All parts, or any, the sets among them as one."""
        kept: list[s.Expression] = []
        place, found = 0, (frozenset() if either else frozenset(self.classes), not either)
        for part in (one for chain in parts for one in split(chain, either)):
            here = self.read(part)
            if here is None:
                kept.append(part)
            else:
                place, found = min(place, len(kept)), _joined(found, here, either)
        kept.insert(place, self.write(found, free))
        return (any_of if either else all_of)(kept)

    def spell(self, expression: s.Expression) -> s.Expression:
        """Every letter that stands for a class as all letters of the class."""
        if isinstance(expression, s.Symbol):
            own = self.classes[expression.symbol]
            others = [symbol for symbols in self.classes.values() if symbols is not own for symbol in symbols]
            if len(others) < len(own) - 1:  # a letter, and none of the others
                outside = any_of(s.Symbol(symbol) for symbol in others)
                return all_of((compared([(length, 1)], s.Relation.GE, 1), negated(outside)))
            return any_of(s.Symbol(symbol) for symbol in own)
        spelled = s.replace_parts(expression, self.spell)
        match spelled:
            case s.Conjunction(left, right):
                return all_of((left, right))
            case s.Disjunction(left, right):
                return any_of((left, right))
        return spelled

    def spell_out(self, definitions: Iterable[s.Definition]) -> s.ProgramTree:
        """A program over all letters."""
        return s.ProgramTree(
            tuple(replace(row, expression=self.spell(row.expression)) for row in definitions)
        )


def _joined(one: LetterSet, other: LetterSet, either: bool) -> LetterSet:
    if either:
        return one[0] | other[0], one[1] or other[1]
    return one[0] & other[0], one[1] and other[1]
