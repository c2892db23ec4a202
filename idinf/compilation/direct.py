"""Theorem 9 of [HYB25] word for word: one dimension for each operation, conditionals by ReLU."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce

from idinf.compilation.affine import ONE, ZERO, Affine
from idinf.compilation.direct_layers import stacked
from idinf.compilation.local_counts import local_head
from idinf.compilation.moduli import common_period
from idinf.compilation.operations import needed_definitions
from idinf.compilation.stream import Stream
from idinf.compilation.tallies import Tallies, Tally, added
from idinf.crasp import syntax as s
from idinf.crasp.checker import check, window
from idinf.errors import BudgetError, ProgramError
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Alphabet

__all__ = ["MAX_POSITIONS", "compile_directly"]

#: Largest Δ: a file has a row for each residue.
MAX_POSITIONS = 1 << 14


def compile_directly(program: s.Program, alphabet: Alphabet, precision: int = 0) -> LimitTransformer:
    """Compile a program by the construction of the theorem, however many conditionals it has.

    Parameters
    ----------
    program : Program
    alphabet : Alphabet
        Has every symbol the program names.
    precision : int
        p. With p > 0 what Heaviside units read is divided by 2^p, which can lower R.

    Returns
    -------
    LimitTransformer
        Accepts the same words, the empty word as well. Integer parameters if p = 0; no φ without local
        counts, no positions without periodic predicates. It need not lie in the searched family.

    Raises
    ------
    ProgramError
        If the program breaks a rule of `check`, or its moduli have a common multiple above `MAX_POSITIONS`.
    BudgetError
        If it needs too many dimensions or entries.

    Notes
    -----
    Implements Theorem 9 of [HYB25]. A head for each distance of a layer of counting, and uniform attention
    for all other counts of it. A layer without heads is added where a Boolean joins several made in one
    layer, where a conditional is compared or asks for one made in the layer of its counts, and where the
    truth value of a Boolean is added to counts.

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> text = 'accept = max(# "a", # "b") > 2'
    >>> net = compile_directly(parse(text), Alphabet(("a", "b")))
    >>> net.depth, [kind.value for kind in net.layers[0].mlp.activation]
    (2, ['relu'])
    """
    check(program, alphabet)
    period = common_period(program, MAX_POSITIONS, ProgramError, "the positions repeat no sooner")
    reading = _Reading(alphabet, period, Stream(1 + len(alphabet)))
    try:
        for definition in needed_definitions(program):
            reading.named[definition.name] = reading.value(definition.expression)
    except RecursionError:
        raise BudgetError(
            "the program is nested too deep to be compiled; expected fewer brackets in each other; "
            "name its parts as operations"
        ) from None
    decision = reading.named[program.definitions[-1].name]
    if isinstance(decision, Tally):
        raise TypeError("the count of an unchecked program does not decide")
    return stacked(alphabet, reading.stream, decision, precision)


@dataclass
class _Reading:
    """The values of the operations so far: combinations of dimensions for Booleans, tallies for counts."""

    alphabet: Alphabet
    period: int
    stream: Stream
    named: dict[str, Affine | Tally] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tallies = Tallies(self.stream)

    def value(self, expression: s.Expression) -> Affine | Tally:
        """The value of a checked expression."""
        match expression:
            case s.Name(name):
                return self.named[name]
            case s.Symbol(symbol):
                return self.stream.token(1 + self.alphabet.symbols.index(symbol))
            case s.Truth(truth):
                return ONE if truth else ZERO
            case s.Periodic(_, modulus, _, residue):
                return self.stream.of_residue(tuple(r % modulus == residue for r in range(self.period)))
            case s.Negated(operand):
                return ONE - self.boolean(operand)
            case s.Conjunction():
                return self.stream.conjunction(map(self.boolean, _chain(expression, s.Conjunction)))
            case s.Disjunction():
                return self.stream.disjunction(map(self.boolean, _chain(expression, s.Disjunction)))
            case s.Comparison(relation, left, right):
                return self._compared(relation, added(self.count(left), self.count(right), -1))
            case _:
                return self._count(expression)

    def boolean(self, expression: s.Expression) -> Affine:
        """A checked Boolean."""
        value = self.value(expression)
        if isinstance(value, Tally):
            raise TypeError(f"{expression.place}: the count of an unchecked program is no Boolean")
        return value

    def count(self, expression: s.Expression) -> Tally:
        """A checked count."""
        value = self.value(expression)
        if isinstance(value, Affine):
            raise TypeError(f"{expression.place}: the Boolean of an unchecked program is no count")
        return value

    def _compared(self, relation: s.Relation, difference: Tally) -> Affine:
        """The relation to 0; at most one of C > 0 and −C > 0 holds."""
        above, below = ZERO, ZERO
        if relation not in (s.Relation.LT, s.Relation.GE):
            above = self.tallies.positive(difference)
        if relation not in (s.Relation.GT, s.Relation.LE):
            below = self.tallies.positive(added(Tally(), difference, -1))
        strict = relation in (s.Relation.GT, s.Relation.LT, s.Relation.NE)
        return above + below if strict else ONE - above - below

    def _count(self, expression: s.Expression) -> Tally:
        match expression:
            case s.Number(number):
                return Tally(Affine((), number))
            case s.Count(predicate, operand):
                return self._counted(predicate, self.boolean(operand))
            case s.Added(sign, left, right):
                return added(self.count(left), self.count(right), sign)
            case s.Negative(operand):
                return added(Tally(), self.count(operand), -1)
            case s.Multiplied(left, right):
                first, second = self.count(left), self.count(right)
                if first.rate.terms or first.indicators:
                    first, second = second, first
                return added(Tally(), second, first.rate.constant)
            case s.Conditional(then, condition, otherwise):
                return self.tallies.chosen(self.boolean(condition), self.count(then), self.count(otherwise))
            case s.Extremum(largest, left, right):
                sign = 1 if largest else -1  # min(C, C') = −max(−C, −C')
                signed = (added(Tally(), self.count(part), sign) for part in (left, right))
                return added(Tally(), self.tallies.largest(*signed), sign)
        raise TypeError(f"{expression.place}: {type(expression).__name__} is no count")

    def _counted(self, predicate: s.Predicate | None, held: Affine) -> Tally:
        if predicate is None:
            return self.tallies.counted(held)
        low, high = window(predicate)
        recalled = (self._recalled(distance, held) for distance in range(low, high + 1))
        return reduce(added, map(self.tallies.indicator, recalled), Tally())

    def _recalled(self, distance: int, held: Affine) -> Affine:
        """Whether a Boolean held so far back, at a position of the word: a local head and its threshold."""
        values = self.stream.without_sos(held)
        if distance == 0 or values == ZERO:
            return values
        head = local_head(distance)
        average = self.stream.averaged(values + self.stream.token(0).times(head.at_sos), distance)
        return self.stream.heaviside(average.times(2) - ONE)


def _chain(expression: s.Expression, kind: type[s.Conjunction] | type[s.Disjunction]) -> list[s.Expression]:
    """The parts of P ∧ Q ∧ … in order, however they are bracketed."""
    parts, waiting = [], [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, kind):
            waiting.extend((part.right, part.left))
        else:
            parts.append(part)
    return parts
