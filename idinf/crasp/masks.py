"""Counts strictly before a position, ``#[j < i] P`` and ``#[j <= i-k] P``, as differences of other counts."""

from __future__ import annotations

from dataclasses import replace

from idinf.crasp import syntax as s


def write_out_masks(program: s.ProgramTree) -> s.ProgramTree:
    """Replace strict masks, so that no later stage meets one.

    What is counted and counts itself becomes an operation of its own, so that it is not repeated. Masks that
    look ahead are left for the checker, which refuses them.

    Implements Proposition 39 of [HYB25]_: #[j < i] P is #P less 1 if P, in C-RASP[]; at SOS, which is never
    counted, but where P may be true, it is 0. A mask of more than one position needs a local count.

    >>> from idinf.crasp.parser import parse
    >>> from idinf.crasp.printer import format_program
    >>> print(format_program(parse('accept = #[j < i] "a" >= #[j <= i-3] (# "a" > 1)')), end="")
    masked1 = # "a" > 1
    accept = # "a" - (1 if "a" else 0) >= # masked1 - #[j >= i-2] masked1
    """
    rows: list[s.Definition] = []
    taken = {row.name for row in program.definitions}

    def written(expression: s.Expression) -> s.Expression:
        expression = s.replace_parts(expression, written)
        match expression:
            case s.Count(s.Predicate("j", s.Relation.LT | s.Relation.LE, "i") as mask, operand) if (
                mask.offset <= 0
            ):
                if any(isinstance(part, s.Count) for part in s.iter_parts(operand)):
                    name = s.fresh_name("masked", taken)
                    rows.append(s.Definition(name, operand, operand.place))
                    operand = s.Name(name, operand.place)
                return _strictly_before(mask, operand, expression.place)
        return expression

    for row in program.definitions:
        own = written(row.expression)  # which appends what it counts
        rows.append(replace(row, expression=own))
    return s.ProgramTree(tuple(rows))


def _strictly_before(mask: s.Predicate, operand: s.Expression, here: s.TextPlace) -> s.Expression:
    """How often a Boolean held at a distance that a mask admits."""
    least = (mask.relation is s.Relation.LT) - mask.offset
    everywhere = s.Count(None, operand, here)
    if least == 0:
        return everywhere
    if least > 1:
        recent = replace(mask, relation=s.Relation.GE, offset=1 - least)
        return s.Added(-1, everywhere, s.Count(recent, operand, here), here)
    held = s.Conditional(s.Number(1, here), operand, s.Number(0, here), here)
    before = s.Added(-1, everywhere, held, here)
    return before if _is_false_at_sos(operand) else s.Extremum(True, before, s.Number(0, here), here)


def _is_false_at_sos(expression: s.Expression) -> bool:
    """Whether that is plain to see."""
    match expression:
        case s.Symbol() | s.Truth(False):
            return True
        case s.Conjunction(left, right):
            return _is_false_at_sos(left) or _is_false_at_sos(right)
        case s.Disjunction(left, right):
            return _is_false_at_sos(left) and _is_false_at_sos(right)
    return False
