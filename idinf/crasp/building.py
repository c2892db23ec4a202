"""Expressions put together: constants drop out, and what is added stands where it is positive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import gcd
from typing import TypeVar

from idinf.crasp import syntax as s

#: Σ coefficient · count.
Terms = Sequence[tuple[s.Expression, int]]

Unknown = TypeVar("Unknown")
Factor = TypeVar("Factor", int, Fraction)


TRUE, FALSE = s.Truth(True), s.Truth(False)


def add_up(terms: Iterable[tuple[Unknown, Factor]]) -> dict[Unknown, Factor]:
    """Coefficients by what they belong to, those of equals added, without zeros."""
    total: dict[Unknown, Factor] = {}
    for unknown, factor in terms:
        total[unknown] = total[unknown] + factor if unknown in total else factor
    return {unknown: factor for unknown, factor in total.items() if factor}


def reduce_to_least_terms(
    coefficients: Mapping[Unknown, int], bound: int
) -> tuple[dict[Unknown, int], int] | bool:
    """Σ coefficient · x ≥ bound for integers x ≥ 0: in least terms, or whether it is settled.

    >>> reduce_to_least_terms({"x": 2, "y": -4, "z": 0}, 1)
    ({'x': 1, 'y': -2}, 1)
    >>> reduce_to_least_terms({"x": -1}, 1), reduce_to_least_terms({}, 0)
    (False, True)
    """
    kept = {unknown: c for unknown, c in coefficients.items() if c}
    if all(c > 0 for c in kept.values()) and bound <= 0:
        return True
    if all(c < 0 for c in kept.values()) and bound > 0:
        return False
    divisor = gcd(*kept.values())
    return {unknown: c // divisor for unknown, c in kept.items()}, -(-bound // divisor)


#: The position i: how many positions there are up to it.
length = s.Count(None, TRUE)


def indicator(condition: s.Expression, value: s.Expression) -> s.Conditional:
    """A count where a Boolean holds, 0 elsewhere."""
    return s.Conditional(value, condition, s.Number(0))


def back(distance: int, condition: s.Expression) -> s.Count:
    """1 where a Boolean held so many positions back, 0 elsewhere."""
    return s.Count(s.Predicate("j", s.Relation.EQ, "i", -distance), condition)


def count(terms: Mapping[s.Expression, int]) -> list[tuple[s.Expression, int]]:
    """Σ coefficient · #P."""
    return [(s.Count(None, condition, condition.place), c) for condition, c in terms.items()]


def negated(condition: s.Expression) -> s.Expression:
    """¬P."""
    match condition:
        case s.Truth(value):
            return s.Truth(not value)
        case s.Negated(operand):
            return operand
        case s.Comparison(relation, left, right, place):
            return s.Comparison(relation.opposite, left, right, place)
    return s.Negated(condition)


def all_of(parts: Iterable[s.Expression]) -> s.Expression:
    """P ∧ P' ∧ …"""
    return _joined(parts, s.Conjunction, TRUE, FALSE)


def any_of(parts: Iterable[s.Expression]) -> s.Expression:
    """P ∨ P' ∨ …"""
    return _joined(parts, s.Disjunction, FALSE, TRUE)


def split(condition: s.Expression, either: bool) -> list[s.Expression]:
    """The parts of nested conjunctions, or of disjunctions if it is either of them, in reading order."""
    if not isinstance(condition, s.Disjunction if either else s.Conjunction):
        return [condition]
    return [*split(condition.left, either), *split(condition.right, either)]


def chosen(condition: s.Expression, then: s.Expression, otherwise: s.Expression) -> s.Expression:
    """P where a condition holds, P' elsewhere."""
    if then == otherwise:
        return then
    if TRUE in (then, otherwise):  # P ∨ P', one of them behind its half
        return any_of((condition, otherwise) if then == TRUE else (negated(condition), then))
    return any_of((all_of((condition, then)), all_of((negated(condition), otherwise))))


def compared(terms: Terms, relation: s.Relation, threshold: int) -> s.Expression:
    """Σ coefficient · count compared with a number, in least terms.

    The counts are never negative.

    >>> from idinf.crasp.syntax import format_expression
    >>> a, b = (s.Count(None, s.Symbol(symbol)) for symbol in "ab")
    >>> format_expression(compared([(a, 2), (b, -4)], s.Relation.GT, 1))
    '# "a" > 2 * # "b"'
    >>> compared([(a, -1)], s.Relation.GT, 0)
    Truth(value=False, place=TextPlace(line=1, column=1))
    """
    summed = add_up(terms)
    match list(summed.items()):
        case [(s.Conditional(s.Number(value), condition), c)]:  # two values, that of 0 elsewhere
            on, off = (s.Truth(relation.holds(c * held, threshold)) for held in (value, 0))
            return chosen(condition, on, off)
    if relation in (s.Relation.EQ, s.Relation.NE):
        return _equal(summed, relation, threshold)
    # Σ > t is all that is left of the others: Σ ≤ t iff −Σ > −t − 1.
    if relation in (s.Relation.LE, s.Relation.LT):
        return _above({e: -c for e, c in summed.items()}, -threshold - (relation is s.Relation.LE))
    return _above(summed, threshold - (relation is s.Relation.GE))


def stepwise(terms: Terms, steps: Sequence[tuple[int, s.Expression]]) -> s.Expression:
    """The Boolean of the largest of some values, ascending, which a sum reaches; else that of the first."""
    kept = [step for k, step in enumerate(steps) if k == 0 or step[1] != steps[k - 1][1]]
    if len(kept) == 1:
        return kept[0][1]
    half = len(kept) // 2
    reached = compared(terms, s.Relation.GE, kept[half][0])
    return chosen(reached, stepwise(terms, kept[half:]), stepwise(terms, kept[:half]))


def _above(terms: dict[s.Expression, int], threshold: int) -> s.Expression:
    """Σ > t, in least terms; as Σ ≥ 1 + t, as −Σ ≤ −1 − t, or as Σ > 0."""
    least = reduce_to_least_terms(terms, threshold + 1)
    if isinstance(least, bool):
        return s.Truth(least)
    kept, bound = least
    opposite = {e: -c for e, c in kept.items()}
    if all(c < 0 for c in kept.values()):
        return _equation(opposite, s.Relation.LE if bound else s.Relation.EQ, -bound)
    if bound < 0:
        return _equation(opposite, s.Relation.LE, -bound)
    if bound == 1 and any(c < 0 for c in kept.values()):
        return _equation(kept, s.Relation.GT, 0)
    return _equation(kept, s.Relation.GE, bound)


def _equal(terms: dict[s.Expression, int], relation: s.Relation, value: int) -> s.Expression:
    divisor = gcd(*terms.values())
    if not terms or value % divisor:
        return s.Truth((not terms and not value) is (relation is s.Relation.EQ))
    return _equation({e: c // divisor for e, c in terms.items()}, relation, value // divisor)


def _equation(terms: dict[s.Expression, int], relation: s.Relation, value: int) -> s.Expression:
    """Added terms on the left, subtracted ones on the right."""
    left = [(e, c) for e, c in terms.items() if c > 0]
    right = [(e, -c) for e, c in terms.items() if c < 0]
    return s.Comparison(relation, _sum(left, max(-value, 0)), _sum(right, max(value, 0)))


def _sum(terms: Terms, constant: int) -> s.Expression:
    parts = [e if c == 1 else s.Multiplied(s.Number(c), e) for e, c in terms]
    if constant or not parts:
        parts.append(s.Number(constant))
    return reduce(lambda left, right: s.Added(1, left, right), parts)


def _joined(
    parts: Iterable[s.Expression],
    make: type[s.Conjunction] | type[s.Disjunction],
    neutral: s.Expression,
    final: s.Expression,
) -> s.Expression:
    flat = (each for part in parts for each in split(part, make is s.Disjunction))
    kept = [part for part in dict.fromkeys(flat) if part != neutral]
    if not kept or final in kept:
        return final if kept else neutral
    return reduce(lambda left, right: make(left, right), kept)
