"""Kinds of positions: symbols, lengths modulo Δ and units, and which of them exclude each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf

from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.errors import BudgetError

#: Different kinds of positions that are told apart.
MAX_KINDS = 512

#: Units that are combined to find them, and steps that may take.
MAX_UNITS, MAX_STEPS = 16, 2000

#: Which features hold at a position.
Kind = Mapping[s.Expression, bool]


#: A condition and the value it is to have.
_Wanted = tuple[s.Expression, bool]

#: Features, what is known, and the position.
_Question = tuple[tuple[s.Expression, ...], tuple[s.Expression, ...], int | None]

#: For sums of counts what they lie between.
_Bounds = dict[frozenset[tuple[s.Expression, int]], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _World:
    """A position: a symbol, or None for one that is not named; a residue; units whose value is assumed."""

    symbol: str | None
    residue: int
    units: Mapping[str, bool]
    at_sos: bool = False


@dataclass
class Kinds:
    """The kinds of positions of a formula.

    Of the symbols of words None stands for any that is not named; `units` are the definitions so far.
    """

    symbols: tuple[str | None, ...]
    period: int  # a common multiple of all moduli
    units: dict[str, s.Expression] = field(default_factory=dict)
    _known: dict[tuple[str, str | None, int, bool], bool | None] = field(default_factory=dict)
    _found: dict[_Question, list[Kind] | None] = field(default_factory=dict)
    _steps: int = 0

    def at_positions(
        self,
        features: Iterable[s.Expression],
        known: Iterable[s.Expression] = (),
        position: int | None = None,
    ) -> list[Kind]:
        """The values of features (symbols, residues, units) at positions of words where conditions hold.

        Raises `BudgetError` if there are more than `MAX_KINDS` of them, or finding them would take too long.
        """
        key = (tuple(dict.fromkeys(features)), tuple(known), position)
        if key not in self._found:
            self._found[key] = self._all_kinds(*key)
        found = self._found[key]
        if found is None:
            raise BudgetError(
                f"the formula weighs more than {MAX_KINDS} kinds of positions apart; expected fewer; "
                "average fewer units"
            )
        return list(found)

    def _all_kinds(
        self, features: tuple[s.Expression, ...], known: tuple[s.Expression, ...], position: int | None
    ) -> list[Kind] | None:
        """The kinds; None if there are too many."""
        names = [feature.name for feature in features if isinstance(feature, s.Name)]
        if len(names) > MAX_UNITS:
            return None
        self._steps = 0
        found: dict[tuple[bool, ...], Kind] = {}
        residues = range(self.period) if position is None else [position % self.period]
        for symbol, residue in product(self.symbols, residues):
            for world in self._worlds(_World(symbol, residue, {}), names, [(part, True) for part in known]):
                held = tuple(self._truth(feature, world) is True for feature in features)
                found.setdefault(held, dict(zip(features, held, strict=True)))
                if len(found) > MAX_KINDS or self._steps > MAX_STEPS:
                    return None
        return list(found.values())

    def at_sos(self, condition: s.Expression) -> bool:
        """The value before the first symbol: no symbol, length 0, all counts 0."""
        return self._truth(condition, _World(None, 0, {}, at_sos=True)) is True

    def _worlds(self, world: _World, names: Sequence[str], wanted: list[_Wanted]) -> Iterator[_World]:
        """The ways to give units values, one after the other."""
        if not self._is_possible(wanted, world, {}):
            return
        if not names:
            yield world
            return
        name, *others = names
        for value in (False, True):
            units = {**world.units, name: value}
            here = _World(world.symbol, world.residue, units)
            yield from self._worlds(here, others, [*wanted, (self.units[name], value)])

    def _is_possible(self, wanted: Sequence[_Wanted], world: _World, bounds: _Bounds) -> bool:
        """False if bounds on sums of counts show that conditions never have the wanted values together."""
        self._steps += 1
        if not wanted or self._steps > MAX_STEPS:
            return True
        (condition, value), *others = wanted
        known = self._truth(condition, world)
        if known is not None:
            return known is value and self._is_possible(others, world, bounds)
        match condition:
            case s.Name(name):
                return self._is_possible([(self.units[name], value), *others], world, bounds)
            case s.Negated(operand):
                return self._is_possible([(operand, not value), *others], world, bounds)
            case s.Conjunction(left, right) | s.Disjunction(left, right):
                if isinstance(condition, s.Conjunction) is value:
                    return self._is_possible([(left, value), (right, value), *others], world, bounds)
                return any(self._is_possible([(p, value), *others], world, bounds) for p in (left, right))
            case s.Comparison():
                return any(
                    self._is_possible(others, world, narrowed)
                    for narrowed in self._narrowed(condition, value, world, bounds)
                )
        return True

    def _narrowed(
        self, condition: s.Comparison, value: bool, world: _World, bounds: _Bounds
    ) -> Iterator[_Bounds]:
        """The bounds on sums of counts, with those of a comparison or of its opposite."""
        terms, constant = _linear(condition)
        sign = 1
        if terms and terms[max(terms, key=hash)] < 0:  # a sum and its opposite are one form
            terms, sign = {count: -factor for count, factor in terms.items()}, -1
        form = frozenset(terms.items())
        low, high = bounds.get(form) or self._range_of_sum(terms, world)
        for span in _RANGES[condition.relation if value else condition.relation.opposite]:
            start, end = sorted(sign * (edge - constant) for edge in span)
            if max(low, start) <= min(high, end):
                yield {**bounds, form: (max(low, start), min(high, end))}

    def _truth(self, expression: s.Expression, world: _World) -> bool | None:
        """The value where symbol, residue and assumed units fix it, else None."""
        match expression:
            case s.Truth(value):
                return value
            case s.Symbol(symbol):
                return symbol == world.symbol
            case s.Periodic(_, modulus, _, residue):
                return world.residue % modulus == residue
            case s.Name(name):
                if name in world.units:
                    return world.units[name]
                # As far as symbol and residue give it away.
                key = (name, world.symbol, world.residue, world.at_sos)
                if key not in self._known:
                    self._known[key] = self._truth(self.units[name], replace(world, units={}))
                return self._known[key]
            case s.Negated(operand):
                inner = self._truth(operand, world)
                return None if inner is None else not inner
            case s.Conjunction(left, right) | s.Disjunction(left, right):
                final = isinstance(expression, s.Disjunction)
                values = {self._truth(left, world), self._truth(right, world)}
                return final if final in values else None if None in values else not final
            case s.Comparison(relation):
                terms, constant = _linear(expression)
                low, high = self._range_of_sum(terms, world)
                low, high = low + constant, high + constant
                if any(start <= low and high <= end for start, end in _RANGES[relation]):
                    return True
                if all(high < start or end < low for start, end in _RANGES[relation]):
                    return False
        return None

    def _range(self, count: s.Expression, world: _World) -> tuple[float, float]:
        """Least and largest value of a count at such a position, possibly infinite."""
        match count:
            case s.Number(value):
                return value, value
            case s.Count(None, operand):
                here = self._truth(operand, world)
                return (0, 0) if world.at_sos else (int(here is True), inf)
            case s.Count():
                return 0, 0 if world.at_sos else inf
            case s.Conditional(then, condition, otherwise):
                held = self._truth(condition, world)
                ends = [self._range(then, world)] * (held is not False)
                ends += [self._range(otherwise, world)] * (held is not True)
                return min(low for low, _ in ends), max(high for _, high in ends)
        return -inf, inf

    def _range_of_sum(self, terms: Mapping[s.Expression, int], world: _World) -> tuple[float, float]:
        ends = [sorted(factor * end for end in self._range(count, world)) for count, factor in terms.items()]
        return sum(low for low, _ in ends), sum(high for _, high in ends)


def _linear(comparison: s.Comparison) -> tuple[dict[s.Expression, int], int]:
    """The difference of two sides: coefficients of counts, and a constant."""
    parts = [*_terms(comparison.left, 1), *_terms(comparison.right, -1)]
    constant = sum(factor * count.value for count, factor in parts if isinstance(count, s.Number))
    return b.add_up(part for part in parts if not isinstance(part[0], s.Number)), constant


def _terms(count: s.Expression, factor: int) -> Iterator[tuple[s.Expression, int]]:
    match count:
        case s.Added(sign, left, right):
            yield from (*_terms(left, factor), *_terms(right, sign * factor))
        case s.Multiplied(s.Number(times), right):
            yield from _terms(right, times * factor)
        case _:
            yield count, factor


#: Where differences lie that stand in a relation to 0.
_RANGES: dict[s.Relation, list[tuple[float, float]]] = {
    s.Relation.EQ: [(0, 0)],
    s.Relation.NE: [(-inf, -1), (1, inf)],
    s.Relation.GE: [(0, inf)],
    s.Relation.LT: [(-inf, -1)],
    s.Relation.GT: [(1, inf)],
    s.Relation.LE: [(-inf, 0)],
}
