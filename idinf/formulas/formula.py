"""A found hypothesis as a counting formula that people can read, true to it on every word.

A unit of the family is 1 iff Σ_h (average of ⟨v_h, features⟩ by head h) + ⟨s, features of its position⟩ + b
is above 0. At the positions of one symbol, one length modulo Δ and given values of the earlier units, that is
one comparison: between counts if attention is uniform, between weighted averages if it is not. What follows
only simplifies (`idinf.formulas.builder`). All arithmetic is in exact integers and fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from idinf.experiments.spec import Answer
from idinf.formulas.builder import FormulaBuilder, next_order
from idinf.formulas.condition import AllOf, Condition
from idinf.formulas.notation import Notation
from idinf.formulas.prefix import Prefix
from idinf.transformers.one_hot import OneHotTransformer
from idinf.words import Alphabet, Word


@dataclass(frozen=True, slots=True)
class Formula:
    """Definitions of units, and the condition under which a word is accepted, or those of next symbols.

    Parameters
    ----------
    alphabet : Alphabet
    units : tuple of Condition
        Each may read the counts and values of those before it.
    accept : Condition
        Of next symbols all their conditions together.
    period : int
        Δ; there are counts of lengths modulo Δ if it is above 1.
    answer : Answer
    outputs : tuple of (str, Condition)
        Of next symbols: a symbol, or `END`, and where it is one. For one symbol instead of a set the first
        whose condition holds at a prefix is the one.
    """

    alphabet: Alphabet
    units: tuple[Condition, ...]
    accept: Condition
    period: int = 1
    answer: Answer = Answer.ACCEPT
    outputs: tuple[tuple[str, Condition], ...] = ()

    def holds(self, word: Word) -> bool:
        """Whether the formula accepts a word; exact. ε is a word like any other."""
        *_, last = self._prefixes(word)
        return self.accept.holds(last)

    def next_symbols(self, word: Word) -> tuple[tuple[str, ...], ...]:
        """The next symbols after every prefix of a word, those of the reference; exact."""
        sets = [
            tuple(symbol for symbol, condition in self.outputs if condition.holds(prefix))
            for prefix in self._prefixes(word)
        ]
        return tuple(sets if self.answer is Answer.SET else [named[:1] for named in sets])

    def _prefixes(self, word: Word) -> Iterator[Prefix]:
        """Every prefix of a word, ε first; averages are those in words of this length."""
        residues = self.period if self.period > 1 else 0
        before = Prefix(None, (0,) * (len(self.alphabet) + residues + len(self.units)), (), (), len(word) + 1)
        prefix = self._at(before, None)
        yield prefix
        for position, code in enumerate(word, start=1):
            column = [int(code == k) for k in range(len(self.alphabet))]
            column += [int(position % self.period == residue) for residue in range(residues)]
            prefix = self._at(prefix, code, tuple(column))
            yield prefix

    def _at(self, before: Prefix, last: int | None, column: tuple[int, ...] = ()) -> Prefix:
        """Go on by a position: its units in order, and counted; SOS is not counted."""
        values: tuple[bool, ...] = ()
        for unit in (*self.units, None):
            counts = tuple(c + x for c, x in zip(before.counts, column, strict=False)) if column else ()
            counts += before.counts[len(column) :]
            columns = (*before.columns, column) if column else before.columns
            prefix = Prefix(last, counts, values, columns, before.N)
            if unit is None:
                break
            values += (unit.holds(prefix),)
            column += (int(values[-1]),) if column else ()
        return prefix

    def __str__(self) -> str:
        """Definitions in order, then the acceptance: ``u1 := …; accept iff …``, or the next symbols."""
        notation = Notation(self.alphabet, self.period)
        lines = [f"{notation.unit(k)} := {notation.condition(unit)}" for k, unit in enumerate(self.units)]
        if self.answer is Answer.ACCEPT:
            return "; ".join([*lines, f"accept iff {notation.condition(self.accept)}"])
        if self.answer is Answer.SYMBOL:
            *named, (default, _) = self.outputs
            lines += [f"next is {symbol} if {notation.condition(condition)}" for symbol, condition in named]
            return "; ".join([*lines, f"otherwise {default}" if named else f"next is {default}"])
        alike: dict[Condition, list[str]] = {}
        for symbol, condition in self.outputs:
            alike.setdefault(condition, []).append(symbol)
        lines += [
            f"next {', '.join(symbols)} iff {notation.condition(condition)}"
            for condition, symbols in alike.items()
        ]
        return "; ".join(lines)


def formula_of(hypothesis: OneHotTransformer) -> Formula:
    """Write a hypothesis as a formula that accepts the same words.

    Examples
    --------
    >>> from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
    >>> head, unit = OneHotHead(((0, 1, -1),)), OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    >>> print(
    ...     formula_of(
    ...         OneHotTransformer(Alphabet(("0", "1")), 0, (OneHotLayer((head,), (unit,)),), (-1,), -1)
    ...     )
    ... )
    accept iff #1 - #0 >= 0
    """
    builder = FormulaBuilder(hypothesis)
    if hypothesis.reads is None:
        return Formula(hypothesis.alphabet, *builder.build(), hypothesis.period)
    units, conditions = builder.build_next()
    outputs = tuple(zip(next_order(hypothesis), conditions, strict=True))
    answer, together = hypothesis.reads.kind, AllOf(conditions)
    return Formula(hypothesis.alphabet, units, together, hypothesis.period, answer, outputs)
