"""The words that two languages share: one program where both are programs, else two machines in step."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from idinf.crasp import syntax as s
from idinf.equivalence.dense import Decider, DenseMachine, is_uniform, runs_as_machine
from idinf.equivalence.machines import Joint
from idinf.errors import HypothesisFormatError
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target
from idinf.transformers.limit_transformer import LimitTransformer


def intersection(one: Decider, other: Decider) -> Target:
    """Make one machine for the words that both languages have.

    Raises
    ------
    HypothesisFormatError
        If a hypothesis is one that no step machine runs.

    Examples
    --------
    >>> from idinf.targets.machine import accepts
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.words import Alphabet
    >>> sigma = Alphabet(("a", "b"))
    >>> both = intersection(*(RegularTarget.from_regex(text, sigma) for text in ("a*b*", "(ab)*")))
    >>> accepts(both, (0, 1)), accepts(both, (0, 1, 0, 1))
    (True, False)
    """
    if isinstance(one, CountingTarget) and isinstance(other, CountingTarget):
        return CountingTarget(_joined(one.program, other.program), one.alphabet)
    return Joint((_machine(one), _machine(other)), np.logical_and)


def _machine(side: Decider) -> Target:
    if not isinstance(side, LimitTransformer):
        return side
    if runs_as_machine(side) and is_uniform(side):
        return DenseMachine(side)
    raise HypothesisFormatError(
        "a hypothesis whose weights depend on the length of the word is no step machine; expected one with "
        "uniform heads; compare it for equality"
    )


def _joined(one: s.ProgramTree, other: s.ProgramTree) -> s.ProgramTree:
    """Both programs under names of their own, and an operation that holds where both last ones do."""
    rows = [
        replace(row, name=prefix + row.name, expression=_with_prefix(row.expression, prefix))
        for prefix, program in (("one_", one), ("other_", other))
        for row in program.definitions
    ]
    here = s.TextPlace(1, 1)
    left, right = (s.Name(rows[last].name, here) for last in (len(one.definitions) - 1, -1))
    return s.ProgramTree((*rows, s.Definition("both", s.Conjunction(left, right, here), here)))


def _with_prefix(part: s.Expression, prefix: str) -> s.Expression:
    """An expression whose names of operations have a prefix."""
    if isinstance(part, s.Name):
        return replace(part, name=prefix + part.name)
    operands = {
        item.name: _with_prefix(value, prefix)
        for item in fields(part)
        if isinstance(value := getattr(part, item.name), s.Expression)
    }
    return replace(part, **operands)  # type: ignore[arg-type]
