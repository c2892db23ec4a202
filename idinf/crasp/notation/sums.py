"""Sums of a formula: counts, units as 0 or 1, and averages, compared with a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.notation.kinds import Kind, Kinds
from idinf.crasp.notation.local import LocalSum, Unsettled
from idinf.crasp.notation.ranked import Rank, ranked_sign
from idinf.errors import BudgetError, ProgramError

_BY_LENGTH = "whose effect depends on N, the length of the whole word + 1"

_Features = dict[s.Expression, Fraction]


@dataclass(frozen=True, slots=True)
class Entry:
    """A logit of an average.

    Parameters
    ----------
    key : str, int or Expression
        ``$`` or ``p``, a distance of φ, or a feature.
    given : tuple of (Expression, bool)
        A unit and its value at the position of the average; or nothing.
    logit : Fraction
    """

    key: str | int | s.Expression
    given: tuple[tuple[s.Expression, bool], ...]
    logit: Fraction


@dataclass(frozen=True, slots=True)
class Weights:
    """How an average weighs positions, and how that is written."""

    entries: tuple[Entry, ...]
    text: str
    place: s.TextPlace


@dataclass(frozen=True, slots=True)
class PrintedSum:
    """Σ counts + Σ units + Σ averages + constant."""

    counts: _Features
    units: _Features
    averages: tuple[tuple[Weights, _Features], ...]
    constant: Fraction

    def plus(self, factor: Fraction | int, other: PrintedSum) -> PrintedSum:
        """C + factor · C'."""
        return PrintedSum(
            _added(self.counts, factor, other.counts),
            _added(self.units, factor, other.units),
            (*self.averages, *((w, _added({}, factor, terms)) for w, terms in other.averages)),
            self.constant + factor * other.constant,
        )

    def whole(self) -> PrintedSum:
        """A multiple without fractions."""
        maps = (self.counts, self.units, *(terms for _, terms in self.averages))
        denominators = [value.denominator for terms in maps for value in terms.values()]
        return PrintedSum({}, {}, (), Fraction(0)).plus(lcm(self.constant.denominator, *denominators), self)


def _added(left: _Features, factor: Fraction | int, right: _Features) -> _Features:
    total = dict(left)
    for feature, value in right.items():
        total[feature] = total.get(feature, Fraction(0)) + factor * value
    return {feature: value for feature, value in total.items() if value}


def compared(
    difference: PrintedSum, relation: s.Relation, kinds: Kinds, known: Sequence[s.Expression], last: bool
) -> s.Expression:
    """A sum in a relation to 0.

    Parameters
    ----------
    difference : PrintedSum
    relation : Relation
    kinds : Kinds
    known : sequence of Expression
        What holds where this is asked.
    last : bool
        Whether it is asked at the end of the word only, where N is i + 1.

    Raises
    ------
    ProgramError
        If no comparison of counts expresses an average; the message names it.
    """
    total = difference.whole()
    if not total.averages:
        return b.compared(_terms(total, b.number(1)), relation, -int(total.constant))
    above = _positive(total, kinds, known, last)
    match relation:
        case s.Relation.GT:
            return above
        case s.Relation.LE:
            return b.negated(above)
    below = _positive(total.plus(-2, total), kinds, known, last)
    match relation:
        case s.Relation.LT:
            return below
        case s.Relation.GE:
            return b.negated(below)
        case s.Relation.NE:
            return b.any_of((above, below))
    return b.all_of((b.negated(above), b.negated(below)))


def _terms(total: PrintedSum, one: s.Expression) -> list[tuple[s.Expression, int]]:
    """Counts, and for every unit a number where it holds."""
    counts: list[tuple[s.Expression, int]] = [
        (s.Count(None, e, e.place), int(c)) for e, c in total.counts.items()
    ]
    return counts + [(b.indicator(unit, one), int(c)) for unit, c in total.units.items()]


def _positive(total: PrintedSum, kinds: Kinds, known: Sequence[s.Expression], last: bool) -> s.Expression:
    """Σ averages + Σ units + constant > 0."""
    weights = total.averages[0][0]
    if total.counts:
        raise _refused(weights, "beside a count")
    merged: dict[tuple[Entry, ...], _Features] = {}
    for each, terms in total.averages:
        merged[each.entries] = _added(merged.get(each.entries, {}), 1, terms)
    merged = {entries: terms for entries, terms in merged.items() if terms}
    if len(merged) > 1:
        raise _refused(weights, "beside an average of other weights")
    entries, terms = next(iter(merged.items()), ((), {}))
    if not entries:
        # An average is a sum over i + 1.
        position = s.Added(1, b.length, b.number(1), b.length.place)
        counts = _terms(PrintedSum(terms, total.units, (), Fraction(0)), position)
        constant = int(total.constant)
        return b.compared([*counts, (b.length, constant)], s.Relation.GT, -constant)
    if any(entry.key == "p" or entry.logit.denominator > 1 for entry in entries):
        raise _refused(weights, "of rounded powers of N")
    return _by_own(entries, terms, total, kinds, known, last, weights)


def _by_own(
    entries: tuple[Entry, ...],
    terms: _Features,
    total: PrintedSum,
    kinds: Kinds,
    known: Sequence[s.Expression],
    last: bool,
    weights: Weights,
) -> s.Expression:
    """The same for all values of the units at the position of the average: what they add, and those asked."""
    asked = list(dict.fromkeys(unit for entry in entries for unit, _ in entry.given))
    node: s.Expression = b.FALSE
    for kind in _kinds_here(asked, kinds, known):
        literals = [unit if held else b.negated(unit) for unit, held in kind.items()]
        chosen = [entry for entry in entries if all(kind[unit] is held for unit, held in entry.given)]
        own = _terms(PrintedSum({}, total.units, (), Fraction(0)), b.number(1))
        steps = []
        values, are_all_found = _own_values(total.units, kinds, (*known, *literals))
        for value in values:
            here = (*known, *literals, *([b.compared(own, s.Relation.EQ, value)] if are_all_found else []))
            try:
                sign = _of_query(chosen, terms, value + int(total.constant), kinds, here, last)
            except Unsettled:
                raise _refused(
                    weights, "whose effect depends on N, the length of the whole word + 1"
                ) from None
            except ValueError as error:
                raise _refused(weights, str(error)) from None
            steps.append((value, sign))
        if steps:
            node = b.any_of((node, b.all_of((*literals, b.stepwise(own, steps)))))
    return node


def _kinds_here(asked: Iterable[s.Expression], kinds: Kinds, known: Sequence[s.Expression]) -> list[Kind]:
    """The values of units where what is known holds, in the word and before its first symbol."""
    found = kinds.at_positions(asked, known)
    if all(kinds.at_sos(condition) for condition in known):
        start = {unit: kinds.at_sos(unit) for unit in asked}
        found += [start] if start not in found else []
    return found


def _own_values(units: _Features, kinds: Kinds, known: Sequence[s.Expression]) -> tuple[list[int], bool]:
    """What units can add up to; and whether that is exact, or perhaps more."""
    try:
        found = _kinds_here(units, kinds, known)
    except BudgetError:
        return sorted(_sums_of(units)), False
    return sorted({sum(int(units[unit]) for unit, held in kind.items() if held) for kind in found}), True


def _sums_of(features: Mapping[s.Expression, Fraction | int]) -> set[int]:
    """All sums of some of the coefficients."""
    sums = {0}
    for factor in features.values():
        sums |= {old + int(factor) for old in sums}
    return sums


def _of_query(
    entries: Sequence[Entry],
    terms: _Features,
    more: int,
    kinds: Kinds,
    known: Sequence[s.Expression],
    last: bool,
) -> s.Expression:
    """Σ weight · (x + c) > 0 where the units at the position of the average are known."""
    logits: dict[str | int | s.Expression, int] = {}
    for entry in entries:
        logits[entry.key] = logits.get(entry.key, 0) + int(entry.logit)
    logits = {key: logit for key, logit in logits.items() if logit}
    phi = {key: logit for key, logit in logits.items() if isinstance(key, int)}
    if any(logit < 0 for logit in logits.values()):
        raise ValueError("of weights below 1")
    if phi and len(phi) < len(logits):
        raise ValueError("weighed by distance and by content at once")
    listed = tuple((feature, int(c)) for feature, c in terms.items())
    if phi:
        here = {
            position: _values(listed, kinds, known, position) for position in (None, *range(1, 1 + max(phi)))
        }
        here = {position: values for position, values in here.items() if values}
        if all(kinds.at_sos(condition) for condition in known):
            here[0] = (0,)
        return LocalSum(listed, phi, more, _values(listed, kinds), here, last).positive()
    start = logits.pop("$", 0)
    keys = {key: logit for key, logit in logits.items() if not isinstance(key, str | int)}
    return ranked_sign(_ranks(keys, start, listed, more, kinds), last)


def _values(
    terms: Iterable[tuple[s.Expression, int]],
    kinds: Kinds,
    known: Sequence[s.Expression] = (),
    position: int | None = None,
) -> tuple[int, ...]:
    """What a sum of features can be at positions of the word; perhaps more where there are many kinds."""
    factors = dict(terms)
    try:
        found = kinds.at_positions(factors, known, position)
    except BudgetError:
        return tuple(sorted(_sums_of(factors)))
    return tuple(sorted({sum(c for feature, c in factors.items() if kind[feature]) for kind in found}))


def _ranks(
    keys: Mapping[s.Expression, int],
    start: int,
    terms: tuple[tuple[s.Expression, int], ...],
    more: int,
    kinds: Kinds,
) -> list[Rank]:
    """The keys by exponent."""
    added: dict[int, dict[int, list[s.Expression]]] = {start: {}}
    for kind in kinds.at_positions(dict.fromkeys([*keys, *(feature for feature, _ in terms)])):
        exponent = sum(logit for feature, logit in keys.items() if kind[feature])
        value = more + sum(c for feature, c in terms if kind[feature])
        added.setdefault(exponent, {}).setdefault(value, []).append(_literals(kind))
    return [
        Rank(
            exponent,
            tuple((b.any_of(where), value) for value, where in found.items() if value),
            more if exponent == start else None,
        )
        for exponent, found in sorted(added.items())
    ]


def _literals(kind: Kind) -> s.Expression:
    """A kind of positions as a condition: its symbol says that it is no other."""
    named = [feature for feature, held in kind.items() if held]
    symbols = [feature for feature in named if isinstance(feature, s.Symbol)]
    denied = [
        b.negated(feature)
        for feature, held in kind.items()
        if not held and not (symbols and isinstance(feature, s.Symbol))
    ]
    return b.all_of([*named, *denied])


def _refused(weights: Weights, why: str) -> ProgramError:
    return ProgramError(
        f"{weights.place}: {weights.text} is an average {why}; expected averages of one weight, or whole "
        "powers of N whose effect counts express for every N; take averages without weights, or "
        "local ones that settle every answer"
    )
