"""What a C-RASP program without nested or local counts says of words by their counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm

from idinf.equivalence.conditions import Conditions, Inequality
from idinf.equivalence.one_layer_programs import condition_of_program, moduli_of
from idinf.equivalence.slices import WordSlice
from idinf.targets.counting import CountingTarget

#: Symbols times modulus, at most.
MAX_COUNTS = 64


@dataclass(frozen=True, slots=True)
class Answers:
    """The answer to words of one last symbol and one length modulo m: a combination of inequalities.

    Parameters
    ----------
    part : WordSlice
        Names the counts.
    conditions : Conditions
    whole : int
        The condition under which such a word is accepted.
    inequalities : mapping of int to Inequality
        What it is made of, by number.
    """

    part: WordSlice
    conditions: Conditions
    whole: int
    inequalities: Mapping[int, Inequality]

    def where(self, decided: Mapping[int, bool]) -> bool:
        """The answer where all inequalities are decided."""
        answer = self.conditions.truth(self.whole, decided)
        if answer is None:
            raise RuntimeError("every inequality is decided, yet the condition is not")
        return answer


def modulus_of(target: CountingTarget) -> int:
    """The least common multiple of the moduli of a program.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> modulus_of(build_target(load("majority")))
    1
    """
    return lcm(*moduli_of(target.circuit))


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
    symbols, modulus = len(target.alphabet), modulus_of(target)
    if symbols * modulus > MAX_COUNTS:
        return None
    part, conditions = WordSlice(symbols, modulus, last, residue), Conditions()
    whole = condition_of_program(target.circuit, part, conditions)
    return None if whole is None else Answers(part, conditions, whole, conditions.inequalities_in(whole))


def is_one_layer(target: CountingTarget) -> bool:
    """Whether `answers_at` has an answer.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> [is_one_layer(build_target(load(name))) for name in ("majority", "dyck-1")]
    [True, False]
    """
    return answers_at(target, 0, 0) is not None
