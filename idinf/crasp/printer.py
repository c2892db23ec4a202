"""Syntax trees as text that parses to the same tree, with no more brackets than that needs."""

from __future__ import annotations

from idinf.crasp import syntax as s

# How tightly constructs bind, loosest first; see the grammar.
_CHOICE, _OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _UNARY, _ATOM = range(9)


def format_program(program: s.ProgramTree) -> str:
    """Write a program, one operation per line.

    >>> from idinf.crasp.parser import parse
    >>> print(format_program(parse('#import pred ab = "b" && (#[pred] "a") >= 1 accept = #ab >= 1')), end="")
    ab = "b" && #[j = i-1] "a" >= 1
    accept = # ab >= 1
    """
    return "".join(f"{d.name} = {format_expression(d.expression)}\n" for d in program.definitions)


def format_expression(expression: s.Expression) -> str:
    """Write one expression.

    >>> from idinf.crasp.parser import parse
    >>> program = parse('x = !(("a") || ((i mod 2 == 0))) && (# ! y) - (1 - 2) > 0')
    >>> format_expression(program.definitions[0].expression)
    '!("a" || i mod 2 == 0) && # !y - (1 - 2) > 0'
    """
    return _text(expression, _CHOICE)


def _text(expression: s.Expression, least: int) -> str:
    """Text that binds at least so tightly."""
    level, text = _written(expression)
    return text if level >= least else f"({text})"


def _written(expression: s.Expression) -> tuple[int, str]:
    """How tightly the text of an expression binds, and the text."""
    match expression:
        case s.Name(name):
            return _ATOM, name
        case s.Symbol(symbol):
            return _ATOM, f'"{symbol}"'
        case s.Truth(value):
            return _ATOM, str(value).lower()
        case s.Number(number):
            return (_ATOM, str(number)) if number >= 0 else (_UNARY, f"-{-number}")
        case s.Periodic(variable, modulus, relation, residue):
            return _COMPARED, f"{variable} mod {modulus} {relation} {residue}"
        case s.Negated(operand):
            return _NOT, f"!{_text(operand, _NOT)}"
        case s.Conjunction(left, right):
            return _AND, f"{_text(left, _AND)} && {_text(right, _NOT)}"
        case s.Disjunction(left, right):
            return _OR, f"{_text(left, _OR)} || {_text(right, _AND)}"
        case s.Comparison(relation, left, right):
            return _COMPARED, f"{_text(left, _SUM)} {relation} {_text(right, _SUM)}"
        case s.Count(predicate, operand):
            return _UNARY, f"#{_predicate(predicate)} {_operand(operand)}"
        case s.Added(sign, left, right):
            return _SUM, f"{_text(left, _SUM)} {'+' if sign > 0 else '-'} {_text(right, _PRODUCT)}"
        case s.Multiplied(left, right):
            return _PRODUCT, f"{_text(left, _PRODUCT)} * {_text(right, _UNARY)}"
        case s.Negative(operand):
            return _UNARY, f"-{_text(operand, _UNARY)}"
        case s.Conditional(then, condition, otherwise):
            choice = f"{_text(then, _OR)} if {_text(condition, _OR)} else {_text(otherwise, _CHOICE)}"
            return _CHOICE, choice
        case s.Extremum(largest, left, right):
            name = "max" if largest else "min"
            return _ATOM, f"{name}({_text(left, _CHOICE)}, {_text(right, _CHOICE)})"


def _operand(expression: s.Expression) -> str:
    """The operand of ``#``: an atom, or a negated one."""
    if isinstance(expression, s.Negated):
        return f"!{_operand(expression.operand)}"
    return _text(expression, _ATOM)


def _predicate(predicate: s.Predicate | None) -> str:
    if predicate is None:
        return ""
    relation = "=" if predicate.relation is s.Relation.EQ else predicate.relation
    distance = f"{predicate.offset:+d}" if predicate.offset else ""
    return f"[{predicate.variable} {relation} {predicate.anchor}{distance}]"
