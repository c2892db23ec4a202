"""A shorter program of the same language: parts are left out, and what is written at length is written anew.

What is left is tried on words first, and proved in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from idinf.crasp import syntax as s
from idinf.crasp.building import FALSE, TRUE, all_of, any_of, back, compared, negated, split
from idinf.crasp.syntax import list_needed_definitions
from idinf.languages.synthesis.letters import Letters

#: Shorter programs that are tried, at most, before the first proof and after it.
MAX_TRIED = 2000

Definitions = tuple[s.Definition, ...]


def iter_shorter(
    definitions: Definitions, letters: Letters, keeps: Callable[[s.ProgramTree], bool]
) -> Iterator[Definitions]:
    """Programs of ever fewer parts that are kept, the first one tidied, after at most `MAX_TRIED` tries.

    Every part of every operation is tried to be left out, from the last operation to the first, until
    nothing more can go.
    """
    best, begin, left = tidy(definitions, letters), 0, MAX_TRIED
    weight = _weigh(best)
    yield best
    while True:
        for k, candidate in enumerate(shorter_definitions(best)):
            if k < begin:
                continue
            if not left:
                return
            left -= 1
            if not keeps(s.ProgramTree(candidate)):
                continue
            candidate = tidy(candidate, letters)
            if _weigh(candidate) < weight:
                best, begin, weight = candidate, k, _weigh(candidate)
                yield best
                break
        else:
            if not begin:
                return
            begin = 0


def _weigh(definitions: Definitions) -> int:
    """The parts of a program, operations written out wherever they are read."""
    weights: dict[str, int] = {}
    for definition in definitions:
        parts = s.iter_parts(definition.expression)
        weights[definition.name] = sum(weights[p.name] if isinstance(p, s.Name) else 1 for p in parts)
    return weights[definitions[-1].name]


def measure(definitions: Definitions, letters: Letters) -> int:
    """Characters of the text."""
    return len(s.format_program(letters.spell_out(definitions)))


def shorter_definitions(definitions: Definitions) -> Iterator[Definitions]:
    """Programs with one part less, then those with repeated symbols counted."""
    weaker = {d.name: tuple(_weakened(d.expression)) for d in definitions}
    for change in (lambda each: _parts_left_out(each, weaker), _repeats_counted):
        for place in reversed(range(len(definitions))):
            definition = definitions[place]
            for expression in change(definition.expression):
                changed = replace(definition, expression=expression)
                yield (*definitions[:place], changed, *definitions[place + 1 :])


def _weakened(expression: s.Expression) -> Iterator[s.Expression]:
    """A symbol, or whether it was ever read, of an operation that says so of some states alone."""
    match expression:
        case s.Conjunction():
            yield from (part for part in (expression.left, expression.right) if isinstance(part, s.Symbol))
        case s.Comparison(s.Relation.GE, s.Count(None, s.Conjunction() as inside) as count, s.Number(1)):
            for part in s.iter_parts(inside):
                if isinstance(part, s.Symbol):
                    yield compared([(s.Count(None, part, count.place), 1)], s.Relation.GE, 1)


def _parts_left_out(
    expression: s.Expression, weaker: Mapping[str, Sequence[s.Expression]]
) -> Iterator[s.Expression]:
    match expression:
        case s.Name(name):
            yield from weaker.get(name, ())
        case s.Conjunction() | s.Disjunction():
            if isinstance(expression, s.Disjunction) and isinstance(expression.right, s.Symbol):
                yield TRUE  # one of some symbols: any one
            yield from (expression.left, expression.right)
        case s.Comparison(relation, s.Count(predicate, operand) as count, s.Conditional(then)):
            # A count of what was before now: of all until now, of others, or of one more.
            yield compared([(count, 1)], relation, 0)
            yield TRUE
            for others in _parts_left_out(operand, {}) if isinstance(operand, s.Disjunction) else ():
                yield compared([(s.Count(predicate, others, count.place), 1)], relation, 0)
            if isinstance(then, s.Number):
                yield compared([(count, 1)], relation, then.value)
        case s.Comparison(relation, s.Count(None, operand), s.Number(bound)):
            # Whether something ever was, or never: whether it is now.
            if (relation, bound) == (s.Relation.GE, 1):
                yield operand
            if (relation, bound) in ((s.Relation.LT, 1), (s.Relation.EQ, 0)):
                yield negated(operand)
            yield from (TRUE, FALSE)
        case s.Comparison() | s.Periodic() | s.Negated():
            yield from (TRUE, FALSE)
    yield from _changed(expression, lambda part: _parts_left_out(part, weaker))


def _changed(
    expression: s.Expression, change: Callable[[s.Expression], Iterator[s.Expression]]
) -> Iterator[s.Expression]:
    """The expression with one of its direct parts changed."""
    for name, part in s.name_parts(expression).items():
        for new in change(part):
            yield replace(expression, **{name: new})  # type: ignore[arg-type]  # by the names of its fields


def _repeats_counted(expression: s.Expression) -> Iterator[s.Expression]:
    """Formulas that count what last symbols repeat: after aaa there are 3 a among the last 3 symbols."""
    parts = split(expression, False)
    lags = {lag: symbol for lag, symbol in map(_read_symbol, parts) if symbol is not None}
    for begin in lags:
        end = next(lag for lag in range(begin, len(lags) + begin + 1) if lag not in lags)
        word = [lags[lag] for lag in range(begin, end)]
        while len(word) > 1 and not _find_period(word):
            word.pop()
        size, period = len(word), _find_period(word)
        if not period:
            continue
        others = [part for part in parts if _read_symbol(part)[0] not in range(begin, begin + size)]
        once = all_of(_symbol_was(lag, symbol) for lag, symbol in enumerate(word[:period]))
        reach = s.Predicate("j", s.Relation.GT, "i", period - begin - size - 1)
        often = compared([(s.Count(reach, once), 1)], s.Relation.GE, size // period)
        yield all_of([*others, often])
    yield from _changed(expression, _repeats_counted)


def _find_period(word: list[s.Expression]) -> int:
    """The length of what a word repeats, 0 if it repeats nothing."""
    periods = (p for p in range(1, len(word)) if len(word) % p == 0 and word[p:] == word[:-p])
    return next(periods, 0)


def _symbol_was(lag: int, symbol: s.Expression) -> s.Expression:
    return compared([(back(lag, symbol), 1)], s.Relation.GE, 1) if lag else symbol


def _read_symbol(part: s.Expression) -> tuple[int, s.Expression | None]:
    """The number of places a part looks back, and its one symbol; None if it is no such part."""
    match part:
        case s.Symbol():
            return 0, part
        case s.Comparison(
            s.Relation.GE, s.Count(s.Predicate(_, s.Relation.EQ, _, lag), s.Symbol() as symbol), s.Number(1)
        ):
            return -lag, symbol
    return -1, None


def tidy(definitions: Definitions, letters: Letters) -> Definitions:
    """The same without constants, unread operations, and names of what is short or read once."""
    while True:
        uses = Counter(
            part.name
            for definition in definitions
            for part in s.iter_parts(definition.expression)
            if isinstance(part, s.Name)
        )
        judged = _list_judged(definitions)
        known: dict[str, s.Expression] = {}
        same: dict[s.Expression, str] = {}
        kept = []
        for definition in definitions:
            expression = _folded(definition.expression, known, letters, definition.name not in judged)
            short = isinstance(expression, s.Name | s.Symbol | s.Truth | s.Periodic)
            if definition is not definitions[-1] and (short or uses[definition.name] == 1):
                known[definition.name] = expression
                continue
            if definition is not definitions[-1] and expression in same:
                known[definition.name] = s.Name(same[expression], expression.place)
                continue
            same[expression] = definition.name
            kept.append(replace(definition, expression=expression))
        tidied = list_needed_definitions(s.ProgramTree(tuple(kept)))
        if tidied == definitions:
            return tidied
        definitions = tidied


def _list_judged(definitions: Definitions) -> set[str]:
    """The operations that decide about the empty word: those read outside of all counts."""
    names = {definitions[-1].name}
    for definition in reversed(definitions):
        waiting = [definition.expression] if definition.name in names else []
        for part in waiting:  # grows while it is read
            if isinstance(part, s.Name):
                names.add(part.name)
            elif not isinstance(part, s.Count):
                waiting += s.list_children(part)
    return names


def _folded(
    expression: s.Expression, known: Mapping[str, s.Expression], letters: Letters, free: bool
) -> s.Expression:
    """With known names replaced, and constants and sets of letters folded; ``free`` if not read at SOS."""
    if isinstance(expression, s.Name):
        return known.get(expression.name, expression)
    if isinstance(expression, s.Symbol):
        return letters.write((frozenset((expression.symbol,)), False), free)
    inside = free or isinstance(expression, s.Count)
    folded = s.replace_parts(expression, lambda part: _folded(part, known, letters, inside))
    match folded:
        case s.Conjunction(left, right) | s.Disjunction(left, right):
            either = isinstance(folded, s.Disjunction)
            return _join_bounds(letters.join((left, right), either, free), either)
        case s.Negated(s.Conjunction() | s.Disjunction() as operand) if letters.read(operand) is None:
            either = isinstance(operand, s.Conjunction)
            pushed = letters.join(map(negated, split(operand, not either)), either, free)
            return min(pushed, negated(operand), key=lambda each: len(s.format_expression(each)))
        case s.Negated(operand):
            return letters.join((negated(operand),), True, free)
    return folded


def _join_bounds(chain: s.Expression, either: bool) -> s.Expression:
    """At least 1 and less than 2 is 1; less than 1 or at least 2 is not 1."""
    parts = split(chain, either)
    for low, high in permutations(parts, 2):
        (least, bound), (most, end) = _read_bound(low), _read_bound(negated(high))
        if least is not None and least == most and bound - end == (1 if either else -1):
            exact = compared([(least, 1)], s.Relation.NE if either else s.Relation.EQ, min(bound, end))
            kept = [exact if part is low else part for part in parts if part is not high]
            return _join_bounds((any_of if either else all_of)(kept), either)
    return chain


def _read_bound(part: s.Expression) -> tuple[s.Expression | None, int]:
    """The count that a part bounds from below, and the bound; None if it bounds none."""
    match part:
        case s.Comparison(s.Relation.GE | s.Relation.GT as relation, count, s.Number(value)):
            return count, value + (relation is s.Relation.GT)
    return None, 0
