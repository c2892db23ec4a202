"""Formulas as programs: units become operations, conditions what they say where they are asked.

``last-k = a`` is a local count, ``at least`` a sum of truth values; an average of weights other than 1
becomes what it says for every N, if counts express that (`idinf.crasp.notation.averages`). That may depend on
what is known where the average is asked, so a condition is first put together and written at the end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm

from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.notation.averages import LocalSum, Rank, Unsettled, write_ranked_sign
from idinf.crasp.notation.kinds import Kind, Kinds
from idinf.crasp.scanner import check_depth
from idinf.errors import BudgetError, ProgramError

#: Coefficients of symbols, residues and units.
_Features = Mapping[s.Expression, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """A logit of an average."""

    key: str | int | s.Expression  # ``$`` or ``p``, a distance of φ, or a feature
    given: tuple[
        tuple[s.Expression, bool], ...
    ]  # a unit and its value at the position of the average, or nothing
    logit: Fraction


@dataclass(frozen=True, slots=True)
class Weights:
    """How an average weighs positions, and how that is written."""

    entries: tuple[Entry, ...]
    text: str = field(compare=False)
    origin: str = field(compare=False)  # a place of a text, or a unit


#: Coefficients of (count, feature), (unit, unit) as 0 or 1, (`Weights`, feature) averaged, (constant, true).
PrintedSum = Mapping[tuple[str | Weights, s.Expression], Fraction]


def add(left: PrintedSum, factor: Fraction | int, right: PrintedSum) -> PrintedSum:
    """C + factor · C', without zeros."""
    return b.add_up([*left.items(), *((term, c * factor) for term, c in right.items())])


@dataclass(frozen=True, slots=True)
class Query:
    """Where a comparison is asked."""

    kinds: Kinds
    known: tuple[s.Expression, ...]  # what holds there
    last: bool  # whether that is the end of the word only, where N is i + 1

    def given(self, *conditions: s.Expression) -> Query:
        """The same where more conditions hold."""
        return replace(self, known=(*self.known, *conditions))

    def compared(self, difference: PrintedSum, relation: s.Relation) -> s.Expression:
        """A sum in a relation to 0.

        Raises `ProgramError` if no comparison of counts expresses an average; the message names it.
        """
        whole = add({}, lcm(*(value.denominator for value in difference.values())), difference)
        if not any(isinstance(kind, Weights) for kind, _ in whole):
            terms = [*b.count(_of(whole, "count")), *_held(_of(whole, "unit"), b.number(1))]
            return b.compared(terms, relation, -_constant(whole))
        signs = []
        if relation not in (s.Relation.LT, s.Relation.GE):
            signs.append(self._positive(whole))
        if relation not in (s.Relation.GT, s.Relation.LE):
            signs.append(self._positive(add({}, -1, whole)))
        either = b.any_of(signs)
        return either if relation in (s.Relation.GT, s.Relation.LT, s.Relation.NE) else b.negated(either)

    def _positive(self, total: PrintedSum) -> s.Expression:
        """Σ averages + Σ units + constant > 0."""
        weights, *others = dict.fromkeys(kind for kind, _ in total if isinstance(kind, Weights))
        if _of(total, "count"):
            raise _refused(weights, "beside a count")
        if others:
            raise _refused(weights, "beside an average of other weights")
        terms, units, constant = _of(total, weights), _of(total, "unit"), _constant(total)
        if not weights.entries:
            # An average is a sum over i + 1.
            own = _held(units, s.Added(1, b.length, b.number(1), b.length.place))
            return b.compared([*b.count(terms), *own, (b.length, constant)], s.Relation.GT, -constant)
        if any(entry.key == "p" or entry.logit.denominator > 1 for entry in weights.entries):
            raise _refused(weights, "of rounded powers of N")
        try:
            return self._by_own(weights.entries, terms, units, constant)
        except Unsettled as error:
            raise _refused(weights, str(error)) from None

    def _by_own(
        self, entries: Sequence[Entry], terms: _Features, units: _Features, constant: int
    ) -> s.Expression:
        """The same for all values of the units at the position of the average: those asked, those added."""
        asked = dict.fromkeys(unit for entry in entries for unit, _ in entry.given)
        found = self.kinds.at_positions(asked, self.known)
        own = _held(units, b.number(1))
        node: s.Expression = b.FALSE
        for kind in [*found, *(start for start in self._at_sos(asked) if start not in found)]:
            literals = [unit if held else b.negated(unit) for unit, held in kind.items()]
            chosen = [entry for entry in entries if all(kind[unit] is held for unit, held in entry.given)]
            here = self.given(*literals)
            steps = []
            try:
                values, are_all_found = here._sums(units, here._at_sos(units)), True
            except BudgetError:
                values, are_all_found = _any_sums(units), False
            for value in values:
                equal = [b.compared(own, s.Relation.EQ, value)] if are_all_found else []
                steps.append((value, here.given(*equal)._weighed(chosen, terms, value + constant)))
            if steps:
                node = b.any_of((node, b.all_of((*literals, b.stepwise(own, steps)))))
        return node

    def _at_sos(self, features: Iterable[s.Expression]) -> list[Kind]:
        """The values of features before the first symbol, if this is asked there."""
        if all(self.kinds.at_sos(condition) for condition in self.known):
            return [{feature: self.kinds.at_sos(feature) for feature in features}]
        return []

    def _values(self, terms: _Features, position: int | None = None) -> list[int]:
        """The values that a sum of features can have here; perhaps more where there are many kinds."""
        try:
            return self._sums(terms, (), position)
        except BudgetError:
            return _any_sums(terms)

    def _sums(self, terms: _Features, more: Sequence[Kind], position: int | None = None) -> list[int]:
        found = [*self.kinds.at_positions(terms, self.known, position), *more]
        return sorted({sum(c for feature, c in terms.items() if kind[feature]) for kind in found})

    def _weighed(self, entries: Sequence[Entry], terms: _Features, more: int) -> s.Expression:
        """Σ weight · (x + c) > 0 where the units at the position of the average are known."""
        logits = defaultdict[str | int | s.Expression, int](int)
        for entry in entries:
            logits[entry.key] += int(entry.logit)
        phi = {key: logit for key, logit in logits.items() if isinstance(key, int) and logit}
        keys = {key: logit for key, logit in logits.items() if isinstance(key, s.Expression) and logit}
        if any(logit < 0 for logit in logits.values()):
            raise Unsettled("of weights below 1")
        if phi and (keys or logits["$"]):
            raise Unsettled("weighed by distance and by content at once")
        if not phi:
            return write_ranked_sign(self._ranks(keys, logits["$"], terms, more), self.last)
        positions = (None, *range(1, 1 + max(phi)))
        here = {position: values for position in positions if (values := self._values(terms, position))}
        if self._at_sos(()):
            here[0] = [0]
        anywhere = replace(self, known=())._values(terms)
        return LocalSum(terms, phi, more, anywhere, here, self.last).positive()

    def _ranks(self, keys: Mapping[s.Expression, int], start: int, terms: _Features, more: int) -> list[Rank]:
        """The keys by exponent."""
        found: dict[int, dict[int, list[s.Expression]]] = {start: {}}
        for kind in self.kinds.at_positions({**keys, **terms}):
            exponent = sum(logit for feature, logit in keys.items() if kind[feature])
            value = more + sum(c for feature, c in terms.items() if kind[feature])
            found.setdefault(exponent, {}).setdefault(value, []).append(_literals(kind))
        ranks = []
        for exponent, values in sorted(found.items()):
            adding = {b.any_of(where): value for value, where in values.items() if value}
            ranks.append(Rank(exponent, adding, more if exponent == start else None))
        return ranks


def _of(total: PrintedSum, wanted: str | Weights) -> dict[s.Expression, int]:
    return {feature: int(value) for (kind, feature), value in total.items() if kind == wanted}


def _constant(total: PrintedSum) -> int:
    return _of(total, "constant").get(b.TRUE, 0)


def _any_sums(terms: _Features) -> list[int]:
    """All sums of some of the coefficients."""
    sums = {0}
    for factor in terms.values():
        sums |= {old + factor for old in sums}
    return sorted(sums)


def _held(units: _Features, one: s.Expression) -> list[tuple[s.Expression, int]]:
    """For every unit a number where it holds."""
    return [(b.indicator(unit, one), c) for unit, c in units.items()]


def _literals(kind: Kind) -> s.Expression:
    """A kind of positions as a condition: its symbol says that it is no other."""
    named = [feature for feature, held in kind.items() if held]
    has_symbol = any(isinstance(feature, s.Symbol) for feature in named)
    denied = [
        b.negated(feature)
        for feature, held in kind.items()
        if not held and not (has_symbol and isinstance(feature, s.Symbol))
    ]
    return b.all_of([*named, *denied])


def _refused(weights: Weights, why: str) -> ProgramError:
    return ProgramError(
        f"{weights.origin}: {weights.text} is an average {why}; expected averages of one weight, or whole "
        "powers of N whose effect counts express for every N; take averages without weights, or "
        "local ones that settle every answer"
    )


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
            check_depth(row.expression, row.place)
        return s.ProgramTree(tuple(rows))


def _vote(condition: s.Expression) -> s.Expression:
    """1 where a condition holds, 0 elsewhere; a local count that is asked to be 1 is that itself."""
    match condition:
        case s.Comparison(s.Relation.GE, s.Count(s.Predicate()) as count, s.Number(1)):
            return count
    return b.indicator(condition, b.number(1))
