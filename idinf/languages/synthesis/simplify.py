"""Make a program shorter as long as it is proved to decide its language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from idinf.crasp import syntax as s
from idinf.crasp.building import FALSE, TRUE, all_of, any_of, compared, negated
from idinf.crasp.syntax import list_needed_definitions

#: Shorter programs that are tried, at most, before the first proof and after it.
MAX_TRIED = 1000

Definitions = tuple[s.Definition, ...]


def simplify(
    program: s.ProgramTree,
    proves: Callable[[s.ProgramTree], bool],
    admits: Callable[[s.ProgramTree], bool] = lambda _: True,
    most: int = MAX_TRIED,
) -> s.ProgramTree | None:
    """Leave out whatever is not needed.

    Every part of every operation is tried to be left out, from the last operation to the first, until
    nothing more can go or ``most`` programs were tried. What is admitted is left out at first, and only the
    shortest program is proved. If there is no proof, one on the way there that has one is made shorter step
    by step, with a proof of each step.

    `proves`: whether a program is proved to decide the language. `admits`: whether nothing known speaks
    against a program: quick, and true of every right one.

    A proved one, if there is one on the way from ``program`` to the shortest that is admitted.
    """
    first = _tidy(program.definitions)
    steps = [first, *_iter_shorter(first, admits, most)]
    proved, unproved = -1, len(steps)
    at = unproved - 1
    while unproved - proved > 1:
        if proves(s.ProgramTree(steps[at])):
            proved = at
        else:
            unproved = at
        at = (proved + unproved) // 2
    if proved < 0:
        return None
    if proved < len(steps) - 1:
        steps = [steps[proved], *_iter_shorter(steps[proved], lambda p: admits(p) and proves(p), most)]
    return s.ProgramTree(steps[-1])


def _iter_shorter(
    definitions: Definitions, keeps: Callable[[s.ProgramTree], bool], most: int
) -> Iterator[Definitions]:
    """Ever shorter programs that are kept, after at most so many tries."""
    best, begin, left = definitions, 0, most
    while True:
        for k, candidate in enumerate(shorter_definitions(best)):
            if k < begin:
                continue
            if not left:
                return
            left -= 1
            if keeps(s.ProgramTree(candidate)):
                best, begin = _tidy(candidate), k
                yield best
                break
        else:
            if not begin:
                return
            begin = 0


def shorter_definitions(definitions: Definitions) -> Iterator[Definitions]:
    """Programs with one part less."""
    weaker = {d.name: tuple(_weakened(d.expression)) for d in definitions}
    for place in reversed(range(len(definitions))):
        definition = definitions[place]
        for expression in _parts_left_out(definition.expression, weaker):
            yield (
                *definitions[:place],
                replace(definition, expression=expression),
                *definitions[place + 1 :],
            )


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
    for name, part in s.name_parts(expression).items():
        for shorter in _parts_left_out(part, weaker):
            yield _with_parts(expression, {name: shorter})


def _with_parts(expression: s.Expression, parts: Mapping[str, s.Expression]) -> s.Expression:
    changed: s.Expression = replace(expression, **parts)  # type: ignore[arg-type]  # by the names of its fields
    return changed


def _tidy(definitions: Definitions) -> Definitions:
    """The same without constants, unread operations, and names of what is short or read once."""
    while True:
        uses = Counter(
            part.name
            for definition in definitions
            for part in s.iter_parts(definition.expression)
            if isinstance(part, s.Name)
        )
        known: dict[str, s.Expression] = {}
        same: dict[s.Expression, str] = {}
        kept = []
        for definition in definitions:
            expression = _folded(definition.expression, known)
            short = isinstance(expression, s.Name | s.Symbol | s.Truth | s.Periodic)
            if definition is not definitions[-1] and (short or uses[definition.name] == 1):
                known[definition.name] = expression
                continue
            if definition is not definitions[-1] and expression in same:
                known[definition.name] = s.Name(same[expression], expression.place)
                continue
            same[expression] = definition.name
            kept.append(replace(definition, expression=expression))
        tidy = list_needed_definitions(s.ProgramTree(tuple(kept)))
        if tidy == definitions:
            return tidy
        definitions = tidy


def _folded(expression: s.Expression, known: dict[str, s.Expression]) -> s.Expression:
    """With known names replaced, and constants folded."""
    if isinstance(expression, s.Name):
        return known.get(expression.name, expression)
    parts = {name: _folded(part, known) for name, part in s.name_parts(expression).items()}
    match expression:
        case s.Conjunction():
            return all_of(parts.values())
        case s.Disjunction():
            return any_of(parts.values())
        case s.Negated():
            return negated(parts["operand"])
    return _with_parts(expression, parts) if parts else expression
