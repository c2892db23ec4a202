"""Formulas as programs: units become operations, conditions what they say where they are asked.

``last-k = a`` is a local count, ``at least`` a sum of truth values; an average of weights other than 1
becomes what it says for every N, if counts express that (`idinf.crasp.notation.sums`). That may depend on
what is known where the average is asked, so a condition is first put together and written at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import lcm

from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.notation.kinds import Kinds
from idinf.crasp.notation.sums import PrintedSum, Query, Weights
from idinf.crasp.scanner import MAX_DEPTH, TOO_DEEP
from idinf.errors import ProgramError


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition of a formula, and whether an average stands in it."""

    write: Callable[[Query], s.Expression]
    has_average: bool = False


def plain(expression: s.Expression) -> Clause:
    """A condition that is written already."""
    return Clause(lambda query: expression)


def symbol_at(distance: int | None, symbols: Iterable[s.Expression], positive: bool) -> Clause:
    """Some symbol, or none of them, stands last (None) or so many places before that."""
    named = b.any_of(symbols)
    if distance is None:
        return plain(named if positive else b.negated(named))
    relation = s.Relation.GE if positive else s.Relation.EQ
    return plain(b.compared([(b.back(distance, named), 1)], relation, int(positive)))


def is_empty(value: bool) -> Clause:
    """Whether the prefix is empty, or is not."""
    return plain(b.compared([(b.length, 1)], s.Relation.EQ if value else s.Relation.GE, int(not value)))


def compared(difference: PrintedSum, relation: s.Relation) -> Clause:
    """A sum in a relation to 0."""
    has_average = any(isinstance(kind, Weights) for kind, _ in difference)
    return Clause(lambda query: query.compared(difference, relation), has_average)


def negated(part: Clause) -> Clause:
    """Not the condition."""
    return Clause(lambda query: b.negated(part.write(query)), part.has_average)


def joined(parts: Sequence[Clause], is_conjunction: bool) -> Clause:
    """All or some of the parts; one with an average is asked where the others leave the answer to it."""

    def write(query: Query) -> s.Expression:
        sure = {k: part.write(query) for k, part in enumerate(parts) if not part.has_average}
        here = query.given(*(read if is_conjunction else b.negated(read) for read in sure.values()))
        written = [sure[k] if k in sure else part.write(here) for k, part in enumerate(parts)]
        return b.all_of(written) if is_conjunction else b.any_of(written)

    return parts[0] if len(parts) == 1 else Clause(write, any(part.has_average for part in parts))


def at_least(number: int, parts: Sequence[Clause]) -> Clause:
    """At least so many of the parts."""

    def write(query: Query) -> s.Expression:
        votes = [(_vote(part.write(query)), 1) for part in parts]
        return b.compared(votes, s.Relation.GE, number)

    return Clause(write, any(part.has_average for part in parts))


def cases(rows: Sequence[tuple[Clause, Clause]], otherwise: Clause) -> Clause:
    """The first row whose guard holds."""

    def write(query: Query, k: int = 0) -> s.Expression:
        if k == len(rows):
            return otherwise.write(query)
        guard = rows[k][0].write(query)
        then = rows[k][1].write(query.given(guard))
        return b.chosen(guard, then, write(query.given(b.negated(guard)), k + 1))

    parts = [otherwise, *(part for row in rows for part in row)]
    return Clause(write, any(part.has_average for part in parts))


class FormulaWriter:
    """Writes one formula. Mutable: the symbols, moduli and units that are named so far."""

    def __init__(self, symbols: tuple[str, ...] | None) -> None:
        """``symbols``: the alphabet; None where words may have symbols that the formula does not name."""
        self.symbols = symbols
        self.period = 1
        self.units: dict[str, tuple[Clause, s.TextPlace]] = {}
        self._features: dict[tuple[type, object], s.Expression] = {}

    def symbol(self, symbol: str, place: s.TextPlace) -> s.Expression:
        """A symbol as a feature of positions."""
        return self._once(s.Symbol(symbol, place), symbol)

    def unit(self, name: str, place: s.TextPlace) -> s.Expression:
        """An earlier unit as a feature of positions."""
        return self._once(s.Name(name, place), name)

    def residues(self, modulus: int, residues: Iterable[int], place: s.TextPlace) -> list[s.Expression]:
        """Lengths modulo a number as features of positions."""
        self.period = lcm(self.period, modulus)
        return [
            self._once(s.Periodic("i", modulus, s.Relation.EQ, residue, place), (modulus, residue))
            for residue in residues
        ]

    def _once(self, expression: s.Expression, key: object) -> s.Expression:
        """One copy of equal features, so that places do not tell them apart."""
        return self._features.setdefault((type(expression), key), expression)

    def write(self, accept: Clause, place: s.TextPlace) -> s.ProgramTree:
        """The units, and the condition of acceptance.

        Raises `ProgramError` if no counts express an average, or an expression is too deep.
        """
        named = [feature.symbol for feature in self._features.values() if isinstance(feature, s.Symbol)]
        kinds = Kinds((*named, None) if self.symbols is None else self.symbols, self.period)
        rows = []
        for name, (condition, where) in self.units.items():
            kinds.units[name] = condition.write(Query(kinds, (), last=False))
            rows.append(s.Definition(name, kinds.units[name], where))
        rows.append(s.Definition("accept", accept.write(Query(kinds, (), last=True)), place))
        for row in rows:
            _check_depth(row)
        return s.ProgramTree(tuple(rows))


def _check_depth(definition: s.Definition) -> None:
    """Refuse what later stages cannot recurse over: cases of averages are nested."""
    level: tuple[s.Expression, ...] = (definition.expression,)
    for _ in range(MAX_DEPTH):
        level = tuple(child for expression in level for child in s.list_children(expression))
        if not level:
            return
    raise ProgramError(f"{definition.place}: {TOO_DEEP}")


def _vote(condition: s.Expression) -> s.Expression:
    """1 where a condition holds, 0 elsewhere; a local count that is asked to be 1 is that itself."""
    match condition:
        case s.Comparison(s.Relation.GE, s.Count(s.Predicate()) as count, s.Number(1)):
            return count
    return b.indicator(condition, b.number(1))
