"""Comparisons of formulas as Booleans of programs, where they are asked.

An average of weights other than 1 becomes what it says for every N, if counts express that
(`idinf.crasp.notation.averages`). That may depend on what is known where the average is asked, so the reader
puts a condition together first and has it written at the end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm

from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.notation.averages import LocalSum, Rank, Unsettled, write_ranked_sign
from idinf.crasp.notation.kinds import Kind, Kinds
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
    """The weights that an average gives to positions, and their text."""

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
    """The positions at which a comparison is asked."""

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
            terms = [*b.count(_of(whole, "count")), *_held(_of(whole, "unit"), s.Number(1))]
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
            own = _held(units, s.Added(1, b.length, s.Number(1), b.length.place))
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
        own = _held(units, s.Number(1))
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
