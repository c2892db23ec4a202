"""A found hypothesis as a counting formula that people can read, true to it on every word.

A unit of the family is 1 iff Σ_h (average of ⟨v_h, features⟩ by head h) + ⟨s, features of its position⟩ + b
is above 0. At the positions of one symbol, one length modulo Δ and given values of the earlier units, that is
one comparison: between counts if attention is uniform, between weighted averages if it is not. What follows
only simplifies (`idinf.translate.formulas.builder`). All arithmetic is in exact integers and fractions.
"""

from __future__ import annotations

from dataclasses import dataclass

from idinf.base.words import Alphabet
from idinf.nets.one_hot import OneHotTransformer
from idinf.spec.spec import Answer
from idinf.translate.formulas.builder import FormulaBuilder, order_next
from idinf.translate.formulas.condition import AllOf, Condition
from idinf.translate.formulas.notation import Notation


@dataclass(frozen=True, slots=True)
class Formula:
    """Definitions of units, and the condition under which a word is accepted, or those of next symbols.

    `units`: each may read the counts and values of those before it. `accept`: of next symbols all their
    conditions together. `period`: Δ; there are counts of lengths modulo Δ if it is above 1. `outputs`: of
    next symbols: a symbol, or `END`, and where it is one. For one symbol instead of a set the first whose
    condition holds at a prefix is the one.
    """

    alphabet: Alphabet
    units: tuple[Condition, ...]
    accept: Condition
    period: int = 1
    answer: Answer = Answer.ACCEPT
    outputs: tuple[tuple[str, Condition], ...] = ()

    def __str__(self) -> str:
        """Definitions in order, then the acceptance: ``u1 := …; accept iff …``, or the next symbols."""
        return "; ".join(self.list_lines())

    def list_lines(self) -> list[str]:
        """The same, a definition to the line, whatever signs the symbols are."""
        notation = Notation(self.alphabet, self.period)
        lines = [f"{notation.unit(k)} := {notation.condition(unit)}" for k, unit in enumerate(self.units)]
        if self.answer is Answer.ACCEPT:
            return [*lines, f"accept iff {notation.condition(self.accept)}"]
        if self.answer is Answer.SYMBOL:
            *named, (default, _) = self.outputs
            lines += [f"next is {symbol} if {notation.condition(condition)}" for symbol, condition in named]
            return [*lines, f"otherwise {default}" if named else f"next is {default}"]
        alike: dict[Condition, list[str]] = {}
        for symbol, condition in self.outputs:
            alike.setdefault(condition, []).append(symbol)
        lines += [
            f"next {', '.join(symbols)} iff {notation.condition(condition)}"
            for condition, symbols in alike.items()
        ]
        return lines


def write_formula(hypothesis: OneHotTransformer) -> Formula:
    """Write a hypothesis as a formula that accepts the same words.

    >>> from idinf.nets.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
    >>> head, unit = OneHotHead(((0, 1, -1),)), OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    >>> print(
    ...     write_formula(
    ...         OneHotTransformer(Alphabet(("0", "1")), 0, (OneHotLayer((head,), (unit,)),), (-1,), -1)
    ...     )
    ... )
    accept iff #1 - #0 >= 0
    """
    builder = FormulaBuilder(hypothesis)
    if hypothesis.reads is None:
        return Formula(hypothesis.alphabet, *builder.build(), hypothesis.period)
    units, conditions = builder.build_next()
    outputs = tuple(zip(order_next(hypothesis), conditions, strict=True))
    answer, together = hypothesis.reads.kind, AllOf(conditions)
    return Formula(hypothesis.alphabet, units, together, hypothesis.period, answer, outputs)
