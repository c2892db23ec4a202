"""What a C-RASP program without nested or local counts says of words by their counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from idinf.equivalence.conditions import Conditions, Inequality
from idinf.equivalence.one_layer_programs import condition_of_program, modulus_of
from idinf.equivalence.slices import WordSlice
from idinf.targets.counting import CountingTarget

#: Symbols times modulus, at most.
MAX_COUNTS = 64


@dataclass(frozen=True)
class Answers:
    """The answers to the words of a slice: those that a condition holds of are accepted."""

    part: WordSlice
    conditions: Conditions
    whole: int

    @cached_property
    def inequalities(self) -> dict[int, Inequality]:
        """What the condition is made of, by number."""
        return self.conditions.inequalities_in(self.whole)

    def where(self, decided: Mapping[int, bool]) -> bool:
        """The answer where all inequalities are decided."""
        answer = self.conditions.truth(self.whole, decided)
        if answer is None:
            raise RuntimeError("every inequality is decided, yet the condition is not")
        return answer


def answers_at(target: CountingTarget, last: int, residue: int) -> Answers | None:
    """The answers by last symbol and length modulo `modulus_of`; None if the program is not of one layer.

    Nor if it has too many cases, or too large a modulus.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> answers = answers_at(build_target(load("majority")), 0, 0)
    >>> list(answers.inequalities.values()), answers.where({2: True})
    ([Inequality(coefficients=(-1, 1), bound=0)], True)
    """
    symbols, modulus = len(target.alphabet), modulus_of(target.circuit)
    if symbols * modulus > MAX_COUNTS:
        return None
    part, conditions = WordSlice(symbols, modulus, last, residue), Conditions()
    whole = condition_of_program(target.circuit, part, conditions)
    return None if whole is None else Answers(part, conditions, whole)
