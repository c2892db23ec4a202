"""From a hypothesis of the searched family back to a C-RASP program, by the conditions of its formula."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.notation import writer as w
from idinf.crasp.notation.writer import Entry, PrintedSum, Weights
from idinf.errors import BudgetError, HypothesisFormatError, ProgramError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotTransformer, share_letters, to_one_hot
from idinf.translate.formulas import condition as c
from idinf.translate.formulas.condition import Average, Terms, Weighting
from idinf.translate.formulas.formula import Formula, write_formula
from idinf.translate.formulas.notation import Notation, order_terms, pair_opposites

_HERE = s.TextPlace(1, 1)


def decompile(hypothesis: OneHotTransformer) -> s.ProgramTree:
    """Write a hypothesis as a program over its alphabet that accepts the same words, ε among them.

    Raises `HypothesisFormatError` if the answer of a unit depends on the weights N^a in a way that counts do
    not express for all N; the message has the average that its formula has there. `BudgetError` if it needs
    too many cases.

    The converse of Theorem 9 of [HYB25] for the searched family. With uniform weights a unit compares
    Σ v + (i + 1) · (s + b) with 0, a sum of counts for each value of s + b. With φ its sign is decided for
    all N from bounds on the sums, with M if higher weights outrank lower ones
    (`idinf.crasp.notation.averages`).

    >>> from idinf.crasp.parser import parse
    >>> from idinf.crasp.syntax import format_program
    >>> from idinf.translate.compilation.compiler import compile_program
    >>> from idinf.base.words import Alphabet
    >>> text = 'as = # "a" dead = # as == 2 accept = 2 * as >= 2 * # "b" + 2'
    >>> net = compile_program(parse(text.replace("# as", "as")), Alphabet(("a", "b")))
    >>> print(format_program(decompile(net)), end="")
    accept = # "a" > # "b"
    """
    if hypothesis.reads is not None:
        raise HypothesisFormatError(
            "the hypothesis names next symbols; expected one that accepts words, as its programs do"
        )
    try:
        return _ProgramWriter(write_formula(hypothesis)).program()
    except ProgramError as error:
        raise HypothesisFormatError(f"its formula, {error}") from None
    except RecursionError:
        raise BudgetError("the hypothesis needs too many cases as a program; expected fewer units") from None


def decompile_net(net: LimitTransformer) -> s.ProgramTree:
    """Write a net of the family as a program over all its letters; errors as of `decompile`.

    Letters of one embedding are one symbol of the hypothesis, which the program spells out.
    """
    member = to_one_hot(share_letters(net))
    classes = member.alphabet.classes

    def spell(part: s.Expression) -> s.Expression:
        if isinstance(part, s.Symbol):
            return b.any_of(
                s.Symbol(letter, part.place) for letter in classes.get(part.symbol, (part.symbol,))
            )
        return s.replace_parts(part, spell)

    program = decompile(member)
    return s.ProgramTree(tuple(replace(row, expression=spell(row.expression)) for row in program.definitions))


class _ProgramWriter:
    """Writes one formula. Mutable: the unit in which an average stands, for messages."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self.symbols = formula.alphabet.symbols
        self.notation = Notation(formula.alphabet, formula.period)
        self.writer = w.FormulaWriter(self.symbols)
        self.origin = ""

    def program(self) -> s.ProgramTree:
        """Units in order, then the acceptance."""
        for index, unit in enumerate(self.formula.units):
            self.origin = self.notation.unit(index)
            self.writer.units[self.origin] = self._condition(unit), _HERE
        self.origin = "accept"
        return self.writer.write(self._condition(self.formula.accept), _HERE)

    def _condition(self, condition: c.Condition) -> w.Clause:
        match condition:
            case c.ConstantCondition(value):
                return w.plain(b.truth(value))
            case c.BackIn(0, codes, positive) if len(codes) == len(self.symbols):
                return w.is_empty(not positive)
            case c.BackIn(distance, codes, positive):
                return w.symbol_at(distance or None, map(self._feature, codes), positive)
            case c.LengthIn(period, residues):
                return w.plain(b.any_of(self.writer.residues(period, residues, _HERE)))
            case c.UnitHolds(unit, positive):
                return w.plain(self._unit(unit) if positive else b.negated(self._unit(unit)))
            case c.CountInequality(terms, threshold):
                return self._compared(terms, s.Relation.GE, threshold)
            case Average():
                return self._average(condition)
            case c.AtLeastOf(number, parts):
                if condition.is_between:
                    return w.at_least(number, [self._condition(part) for part in parts])
                return self._group(condition)
            case c.Cases(rows, otherwise):
                pairs = [(self._condition(guard), self._condition(part)) for guard, part in rows]
                return w.cases(pairs, self._condition(otherwise))

    def _group(self, group: c.AtLeastOf) -> w.Clause:
        """The parts, opposite inequalities as one equation."""
        parts = []
        for part in pair_opposites(group):
            if isinstance(part, tuple):
                terms, value = part
                relation = s.Relation.EQ if group.is_all else s.Relation.NE
                parts.append(self._compared(terms, relation, value))
            else:
                parts.append(self._condition(part))
        return w.joined(parts, group.is_all)

    def _compared(self, terms: Terms, relation: s.Relation, threshold: int) -> w.Clause:
        counts: PrintedSum = {("count", self._feature(place)): Fraction(factor) for place, factor in terms}
        return w.compared({**counts, ("constant", b.TRUE): Fraction(-threshold)}, relation)

    def _average(self, condition: Average) -> w.Clause:
        """Averages, what units add, and the bound."""
        total: dict[tuple[str | Weights, s.Expression], Fraction] = {}
        for weighting, terms in condition.parts:
            weights = self._weights(weighting)
            for place, factor in order_terms(terms):
                total[weights, self._feature(place)] = Fraction(factor)
        for unit, factor in condition.own:
            total["unit", self._unit(unit)] = Fraction(factor)
        total["constant", b.TRUE] = -condition.bound
        return w.compared(total, s.Relation.GT if condition.positive else s.Relation.LE)

    def _weights(self, weighting: Weighting) -> Weights:
        entries = []
        for sign, key, given, logit in weighting.list_entries():
            name = self._feature(key) if sign == "#" else key if sign == "φ" else sign
            asked = ((self._unit(given[0]), given[1]),) if given else ()
            entries.append(Entry(name, asked, logit))
        return Weights(tuple(entries), f"avg{self.notation.weighting(weighting)}", self.origin)

    def _feature(self, place: int) -> s.Expression:
        """A symbol, a residue or a unit."""
        beyond = place - len(self.symbols)
        residues = self.formula.period if self.formula.period > 1 else 0
        if beyond < 0:
            return self.writer.symbol(self.symbols[place], _HERE)
        if beyond < residues:
            return self.writer.residues(residues, [beyond], _HERE)[0]
        return self._unit(beyond - residues)

    def _unit(self, index: int) -> s.Expression:
        return self.writer.unit(self.notation.unit(index), _HERE)
