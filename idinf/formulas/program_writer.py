"""From diagrams back to text: a Boolean of a circuit as a C-RASP program, without dead or doubled parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import gcd

from idinf.compilation.circuit import RESIDUE, TOKEN, UnitCircuit, Written
from idinf.compilation.diagrams import TRUE, Node
from idinf.crasp import syntax as s
from idinf.words import Alphabet

__all__ = ["write_program"]

_HERE = s.TextPlace(1, 1)


def write_program(circuit: UnitCircuit, node: Node, alphabet: Alphabet) -> s.Program:
    """Write a Boolean as a program that checks over the alphabet.

    Parameters
    ----------
    circuit : UnitCircuit
    node : Node
    alphabet : Alphabet
        That of the circuit.

    Returns
    -------
    Program
        An operation for every Boolean that is counted and is more than a symbol; the last one is ``accept``.

    Examples
    --------
    >>> from idinf.crasp.printer import program_text
    >>> circuit = UnitCircuit(2, 1)
    >>> more = circuit.above([(circuit.symbol(1), 2), (circuit.symbol(0), -2)], 0)
    >>> print(program_text(write_program(circuit, more, Alphabet(("0", "1")))), end="")
    accept = # "1" > # "0"
    """
    writer = _Writer(circuit, alphabet)
    last = writer.boolean(node)
    return s.Program((*writer.definitions, s.Definition("accept", last, _HERE)))


@dataclass
class _Writer:
    """The operations written so far."""

    circuit: UnitCircuit
    alphabet: Alphabet
    definitions: list[s.Definition] = field(default_factory=list)
    _names: dict[Node, s.Expression] = field(default_factory=dict)

    def named(self, node: Node) -> s.Expression:
        """A Boolean that stands behind ``#``: a symbol, or the name of an operation."""
        if node not in self._names:
            expression = self.boolean(node)
            simple = expression.operand if isinstance(expression, s.Negated) else expression
            if not isinstance(simple, s.Symbol | s.Truth):
                name = f"p{len(self.definitions) + 1}"
                self.definitions.append(s.Definition(name, expression, _HERE))
                expression = s.Name(name, _HERE)
            self._names[node] = expression
        return self._names[node]

    def boolean(self, node: Node) -> s.Expression:
        """The shortest of a disjunction of conjunctions, the opposite of one, and a sum known to be it."""
        if node <= TRUE:
            return s.Truth(node == TRUE, _HERE)
        diagrams = self.circuit.diagrams
        if len(diagrams.variables(node)) == 1:
            return self._literal(node)
        vote = self.circuit.votes.pop(node, None)  # used once: Booleans may be votes of each other
        lengths = (diagrams.num_paths(node), diagrams.num_paths(diagrams.negated(node)))
        if vote is not None and min(lengths) >= len(vote.terms) > 2:
            terms = [(self._vote(part), weight) for part, weight in vote.terms]
            return _compared(terms, s.Relation.GT, -vote.constant)
        positive = self.circuit.conjunctions(node)
        negative = self.circuit.conjunctions(diagrams.negated(node))
        if len(positive) <= len(negative):
            return _any(_all(map(self._part, path)) for path in positive)
        return _all(_any(self._part(diagrams.negated(part)) for part in path) for path in negative)

    def _vote(self, node: Node) -> s.Expression:
        """1 where a Boolean holds, 0 elsewhere."""
        variable, _, children = self.circuit.diagrams.branches[node]
        if len(self.circuit.diagrams.variables(node)) == 1 and variable > RESIDUE and children[1] == TRUE:
            written = self.circuit.written[variable]
            if written.distance:
                return self._count_back(written)
        one, zero = s.Number(1, _HERE), s.Number(0, _HERE)
        return s.Conditional(one, self._part(node), zero, _HERE)

    def _part(self, node: Node) -> s.Expression:
        """A condition on one variable, or a Boolean too large to be written out here."""
        return self._literal(node) if len(self.circuit.diagrams.variables(node)) == 1 else self.named(node)

    def _literal(self, node: Node) -> s.Expression:
        variable, thresholds, children = self.circuit.diagrams.branches[node]
        if variable == TOKEN:
            return self._token(node)
        if variable == RESIDUE:
            return self._residue(node)
        written = self.circuit.written[variable]
        if written.distance:
            return self._past(written, children[1] == TRUE)
        return self._between(written, thresholds, [child == TRUE for child in children])

    def _token(self, node: Node) -> s.Expression:
        held = self.circuit.values_of(node, range(1 + len(self.alphabet)))
        chosen = [symbol for symbol, h in zip(self.alphabet.symbols, held[1:], strict=True) if h != held[0]]
        named = _any(s.Symbol(symbol, _HERE) for symbol in chosen)
        return s.Negated(named, _HERE) if held[0] else named

    def _residue(self, node: Node) -> s.Expression:
        period = self.circuit.period
        held = self.circuit.values_of(node, range(period))
        divisors = (d for d in range(1, period + 1) if period % d == 0)
        modulus = next(d for d in divisors if held == held[:d] * (period // d))
        few = sum(held[:modulus]) * 2 <= modulus
        named = _any(
            s.Periodic("i", modulus, s.Relation.EQ, r, _HERE) for r in range(modulus) if held[r] == few
        )
        return named if few else s.Negated(named, _HERE)

    def _past(self, written: Written, held: bool) -> s.Expression:
        count = self._count_back(written)
        relation, number = (s.Relation.GE, 1) if held else (s.Relation.EQ, 0)
        return s.Comparison(relation, count, s.Number(number, _HERE), _HERE)

    def _count_back(self, written: Written) -> s.Count:
        predicate = s.Predicate("j", s.Relation.EQ, "i", -written.distance, _HERE)
        return s.Count(predicate, self.named(written.counts[0][0]), _HERE)

    def _between(self, written: Written, thresholds: Sequence[int], held: list[bool]) -> s.Expression:
        """A count within certain bounds: the intervals that hold, or those that do not."""
        counts, factor = self._reduced(written)
        bounds = [None, *thresholds, None]
        inside = [(bounds[k], bounds[k + 1]) for k, h in enumerate(held) if h]
        outside = [(bounds[k], bounds[k + 1]) for k, h in enumerate(held) if not h]
        if len(inside) <= len(outside):
            return _any(self._interval(counts, factor, *interval) for interval in inside)
        low, high = outside[0]
        if len(outside) == 1 and low is not None and high == low + 1:
            return _compared(counts, s.Relation.NE, factor * high)
        return s.Negated(_any(self._interval(counts, factor, *interval) for interval in outside), _HERE)

    def _interval(
        self, counts: list[tuple[s.Expression, int]], factor: int, low: int | None, high: int | None
    ) -> s.Expression:
        """low < L ≤ high, for the L of which the counts are `factor` times."""
        if low is not None and high == low + 1:
            return _compared(counts, s.Relation.EQ, factor * high)
        parts = []
        for bound, above in ((low, True), (high, False)):
            if bound is None:
                continue
            if factor < 0:  # L > t iff −L < −t, and L ≤ t iff −L ≥ −t
                relation = s.Relation.LT if above else s.Relation.GE
            else:
                relation = s.Relation.GT if above else s.Relation.LE
            parts.append(_compared(counts, relation, factor * bound))
        return _all(parts)

    def _reduced(self, written: Written) -> tuple[list[tuple[s.Expression, int]], int]:
        """The counts of a variable with equal ones joined, counts of symbols apart, and no common divisor."""
        by_symbol = [0] * len(self.alphabet)
        others: dict[Node, int] = {}
        for node, coefficient in written.counts:
            if node <= TRUE or self.circuit.diagrams.variables(node) == (TOKEN,):
                held = self.circuit.values_of(node, range(1, 1 + len(self.alphabet)))
                by_symbol = [old + coefficient * h for old, h in zip(by_symbol, held, strict=True)]
            else:
                others[node] = others.get(node, 0) + coefficient
        everywhere = max(by_symbol, key=by_symbol.count)
        if not everywhere or by_symbol.count(everywhere) < 2 or len(by_symbol) < 2:
            everywhere = 0
        terms: list[tuple[Node, int]] = [(TRUE, everywhere)]
        terms += [(self.circuit.symbol(code), c - everywhere) for code, c in enumerate(by_symbol)]
        terms = [(node, c) for node, c in (*terms, *others.items()) if c]
        divisor = gcd(*(c for _, c in terms))
        counts: list[tuple[s.Expression, int]] = [
            (s.Count(None, self.named(node), _HERE), c // divisor) for node, c in terms
        ]
        return counts, written.factor // divisor


def _compared(counts: list[tuple[s.Expression, int]], relation: s.Relation, number: int) -> s.Comparison:
    """Σ coefficient · #P compared with a number, everything on the side where it is positive."""
    left = [(expression, c) for expression, c in counts if c > 0]
    right = [(expression, -c) for expression, c in counts if c < 0]
    other, step = _NEIGHBOURS.get(relation, (relation, 0))
    if abs(number + step) < abs(number):
        relation, number = other, number + step
    one_sided = s.Relation.GE if not left else s.Relation.LE if not right else None
    if relation is one_sided and not number:
        relation = s.Relation.EQ  # counts are not negative
    if not left and number <= 0:
        return s.Comparison(_MIRRORED[relation], _sum(right, 0), s.Number(-number, _HERE), _HERE)
    return s.Comparison(relation, _sum(left, max(-number, 0)), _sum(right, max(number, 0)), _HERE)


#: Another way to compare integers, and what it adds to the number on the right.
_NEIGHBOURS = {
    s.Relation.GT: (s.Relation.GE, 1),
    s.Relation.GE: (s.Relation.GT, -1),
    s.Relation.LT: (s.Relation.LE, -1),
    s.Relation.LE: (s.Relation.LT, 1),
}


#: The same relation, read from right to left.
_MIRRORED = {
    s.Relation.GT: s.Relation.LT,
    s.Relation.GE: s.Relation.LE,
    s.Relation.LT: s.Relation.GT,
    s.Relation.LE: s.Relation.GE,
    s.Relation.EQ: s.Relation.EQ,
    s.Relation.NE: s.Relation.NE,
}


def _sum(terms: list[tuple[s.Expression, int]], number: int) -> s.Expression:
    parts: list[s.Expression] = []
    for expression, coefficient in terms:
        factor = s.Number(coefficient, _HERE)
        parts.append(expression if coefficient == 1 else s.Multiplied(factor, expression, _HERE))
    if number or not parts:
        parts.append(s.Number(number, _HERE))
    return reduce(lambda left, right: s.Added(1, left, right, _HERE), parts)


def _any(parts: Iterable[s.Expression]) -> s.Expression:
    return _joined(parts, s.Disjunction, False)


def _all(parts: Iterable[s.Expression]) -> s.Expression:
    return _joined(parts, s.Conjunction, True)


def _joined(
    parts: Iterable[s.Expression], make: type[s.Conjunction] | type[s.Disjunction], neutral: bool
) -> s.Expression:
    listed = list(parts)
    if not listed:
        return s.Truth(neutral, _HERE)
    return reduce(lambda left, right: make(left, right, _HERE), listed)
