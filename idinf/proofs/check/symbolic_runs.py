"""Runs of a function that asks for signs of linear forms in counters: all its paths, each with its guard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import gcd, lcm
from typing import TypeVar

from idinf.languages.equivalence.conditions import Affine, Inequality

_Result = TypeVar("_Result")


def read_sign(form: Affine) -> Inequality | bool:
    """Form > 0 of integers as an inequality without common divisor, or its constant truth.

    >>> from fractions import Fraction
    >>> read_sign((Fraction(2), Fraction(-4), Fraction(-1)))   # 2x − 4y − 1 > 0
    Inequality(coefficients=(1, -2), bound=1)
    >>> read_sign((Fraction(0), Fraction(1, 2)))
    True
    """
    if not any(form[:-1]):
        return form[-1] > 0
    scale = lcm(*(entry.denominator for entry in form))
    *coefficients, constant = (int(entry * scale) for entry in form)
    divisor = gcd(*coefficients)
    return Inequality(tuple(k // divisor for k in coefficients), -((constant - 1) // divisor))


@dataclass(eq=False)
class SymbolicRun:
    """Answers to questions about counters, by a script first and "yes" from then on. Mutable: it is asked.

    What earlier answers imply by themselves is not asked again.
    """

    script: tuple[bool, ...] = ()
    answers: list[bool] = field(default_factory=list)
    #: What holds of the counters where the answers are these.
    guard: list[Inequality] = field(default_factory=list)

    def above(self, form: Affine) -> bool:
        """Whether a form is above 0."""
        asked = read_sign(form)
        if isinstance(asked, bool):
            return asked
        for known in self.guard:
            for answer, other in ((True, asked), (False, asked.negated)):
                if known.coefficients == other.coefficients and known.bound >= other.bound:
                    return answer
        answer = self._answer(asked)
        self.answers.append(answer)
        self.guard.append(asked if answer else asked.negated)
        return answer

    def _answer(self, asked: Inequality) -> bool:
        """The answer to a question that earlier ones leave open."""
        place = len(self.answers)
        return self.script[place] if place < len(self.script) else True


@dataclass(eq=False)
class CountedRun(SymbolicRun):
    """A run that answers as given counters do, and so goes one way of all. Mutable: it is asked.

    >>> from fractions import Fraction
    >>> run = CountedRun(counters=(3,))
    >>> run.above((Fraction(1), Fraction(0))), run.above((Fraction(-1), Fraction(2))), run.answers
    (True, False, [True, False])
    """

    counters: tuple[int, ...] = ()

    def _answer(self, asked: Inequality) -> bool:
        return asked.holds(self.counters)


def iter_paths(run: Callable[[SymbolicRun], _Result]) -> Iterator[tuple[SymbolicRun, _Result]]:
    """All ways a function can go; their guards exclude each other and cover all integers.

    >>> from fractions import Fraction
    >>> def run(asked):
    ...     return asked.above((Fraction(1), Fraction(0))) and asked.above((Fraction(-1), Fraction(2)))
    >>> [(asked.answers, result) for asked, result in iter_paths(run)]
    [([True, True], True), ([True, False], False), ([False], False)]
    """
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        questions = SymbolicRun(waiting.pop())
        result = run(questions)
        yield questions, result
        asked = range(len(questions.script), len(questions.answers))
        waiting.extend((*questions.answers[:place], False) for place in asked)
