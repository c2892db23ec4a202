"""Targets as steps over counters: the control holds the finite part of a state, and counters its counts.

A step asks for signs of linear forms in the counters; each path of answers is a step with its guard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Protocol, TypeVar

import numpy as np

from idinf.crasp import circuit as c
from idinf.languages.equivalence.conditions import Affine, Inequality, combine_forms
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import IntArray, Target
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import Continuations, Operations

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

    A question that a single earlier answer decides is not asked again.
    """

    script: tuple[bool, ...] = ()
    answers: list[bool] = field(default_factory=list)
    #: Inequalities of the counters that these answers say.
    guard: list[Inequality] = field(default_factory=list)

    def above(self, form: Affine) -> bool:
        """True if a form is above 0."""
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


#: The finite part of a state.
Control = tuple[int, ...]

#: State of a machine: its control, its own counters or their growth, its answers.
Arrival = tuple[Control, tuple[int, ...], tuple[bool, ...]]


class Unprovable(Exception):
    """The steps are not of the kind that can be proved; says why."""


class Side(Protocol):
    """One of two machines that run beside each other, over counters that it owns and the Parikh vector.

    Forms are over all counters of both machines: the Parikh vector first, then from ``first`` on the own
    ones, then a constant.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The own counters."""

    def start(self) -> Arrival:
        """Control, own counters and answers after SOS alone."""

    def step(self, control: Control, symbol: int, first: int, size: int, asked: SymbolicRun) -> Arrival:
        """Control after one more symbol, by how much the own counters grow, and the answers there."""


def build_target_side(target: Target) -> Side:
    """A target as steps over counters.

    Raises `Unprovable` if it is none of a regular language, a program, or next symbols of either.
    """
    match target:
        case RegularTarget():
            return _finite(target, target)
        case CountingTarget():
            return _CountingSide(target)
        case Continuations():
            return _finite(target.machine, target)
        case Operations():
            return _OperationsSide(
                tuple(_Never() if part is None else build_target_side(part) for part in target.parts)
            )
    raise Unprovable(f"a target of the kind {type(target).__name__} has no steps over counters")


@dataclass(frozen=True, eq=False)
class _Finite:
    """A target with a minimal DFA; its state is the control, and says the answers."""

    table: IntArray
    answers: list[tuple[bool, ...]]
    names: tuple[str, ...] = ()

    def start(self) -> Arrival:
        return (0,), (), self.answers[0]

    def step(self, control: Control, symbol: int, first: int, size: int, asked: SymbolicRun) -> Arrival:
        state = int(self.table[control[0], symbol])
        return (state,), (), self.answers[state]


def _finite(automaton: RegularTarget, target: Target) -> _Finite:
    labels = target.labels(np.arange(len(automaton.table))[:, None])
    return _Finite(automaton.table, [tuple(row) for row in labels.reshape(len(labels), -1).tolist()])


@dataclass(frozen=True, eq=False)
class _Never:
    """A symbol that may never come next, as a side without counters."""

    names: tuple[str, ...] = ()

    def start(self) -> Arrival:
        return (), (), (False,)

    def step(self, control: Control, symbol: int, first: int, size: int, asked: SymbolicRun) -> Arrival:
        return self.start()


@dataclass(frozen=True, eq=False)
class _CountingSide:
    """A program: a counter for every Boolean that is counted and reads more than the present symbol.

    One more for every modulus holds the whole part of i / m, so that i mod m is a matter of equations.
    """

    target: CountingTarget

    @property
    def names(self) -> tuple[str, ...]:
        turns = [f"target i div {modulus}" for modulus in self.target.layout.moduli]
        return (*(f"target #{number}" for number in self.own), *turns)

    @cached_property
    def static(self) -> dict[int, tuple[bool, ...]]:
        """The nodes that read nothing but the present symbol, with their truth at each."""
        return c.find_letter_sets(self.target.circuit, len(self.target.alphabet))

    @cached_property
    def own(self) -> dict[int, int]:
        """The nodes with a counter of their own, numbered."""
        counted = {node for form in self.target.layout.forms for _, node in form}
        return {node: place for place, node in enumerate(sorted(counted - self.static.keys()))}

    def start(self) -> Arrival:
        control = (0,) * (len(self.target.layout.histories) + len(self.target.layout.moduli))
        label = bool(self.target.labels(self.target.start())[0])
        return control, (0,) * len(self.names), (label,)

    def step(self, control: Control, symbol: int, first: int, size: int, asked: SymbolicRun) -> Arrival:
        layout = self.target.layout
        pasts = dict(zip((node for node, _ in layout.histories), control, strict=False))
        residues = [(r + 1) % m for m, r in zip(layout.moduli, control[len(layout.histories) :], strict=True)]
        run = _ProgramSteps(
            self, pasts, dict(zip(layout.moduli, residues, strict=True)), symbol, first, size, asked
        )
        run.run(self.target.circuit.nodes)
        label = run.truths[self.target.circuit.output]
        histories = [run.history(node) & ((1 << k) - 1) for node, k in layout.histories]
        grown = (*(int(run.truths[node]) for node in self.own), *(int(residue == 0) for residue in residues))
        return (*histories, *residues), grown, (label,)


@dataclass(frozen=True, eq=False)
class _OperationsSide:
    """One side for each next symbol, beside each other."""

    parts: tuple[Side, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{name} of {place}" for place, part in enumerate(self.parts) for name in part.names)

    def start(self) -> Arrival:
        return _joined([part.start() for part in self.parts])

    def step(self, control: Control, symbol: int, first: int, size: int, asked: SymbolicRun) -> Arrival:
        results, begin = [], 0
        for part in self.parts:
            end = begin + len(part.start()[0])
            results.append(part.step(control[begin:end], symbol, first, size, asked))
            begin, first = end, first + len(part.names)
        return _joined(results)


def _joined(results: list[Arrival]) -> Arrival:
    controls, counters, answers = zip(*results, strict=True)
    return sum(controls, ()), sum(counters, ()), sum(answers, ())


@dataclass(eq=False)
class _ProgramSteps(c.Fold[bool, Affine]):
    """All nodes of a program at one position.

    ``pasts`` are the last truths of nodes before it, as bits; ``residues`` are i mod m by m.
    """

    side: _CountingSide
    pasts: dict[int, int]
    residues: dict[int, int]
    symbol: int
    first: int
    size: int
    questions: SymbolicRun

    def __post_init__(self) -> None:
        super().__init__()

    def given(self, node: c.ConstantNode | c.SymbolTest | c.Residue) -> bool:
        match node:
            case c.ConstantNode(value):
                return value
            case c.SymbolTest(code):
                return self.symbol == code
            case c.Residue(modulus, residue):
                return self.residues[modulus] == residue

    def negated(self, operand: bool) -> bool:
        return not operand

    def compared(self, node: c.ThresholdTest | c.NonNegative) -> bool:
        if isinstance(node, c.NonNegative):
            return self._above(self._linear(node.value), 1)
        return self._above(self._sum(node.form), 1 - node.threshold)

    def value(self, node: c.Window | c.Choice) -> Affine:
        if isinstance(node, c.Choice):
            return self._linear(node.then if self.truths[node.condition] else node.otherwise)
        return self._constant((self.history(node.operand) & node.mask).bit_count())

    def _above(self, form: Affine, more: int) -> bool:
        return self.questions.above(combine_forms([(1, form), (1, self._constant(more))], self.size))

    def _linear(self, value: c.Linear) -> Affine:
        parts = [(k, self.values[number]) for k, number in value.rest]
        parts += [(value.scale, self._sum(value.form)), (1, self._constant(value.constant))]
        return combine_forms(parts, self.size)

    def _sum(self, form: c.Form) -> Affine:
        """Σ c · #P with this position."""
        total = [0] * (self.size + 1)
        for coefficient, node in form:
            if node in self.side.own:
                total[self.first + self.side.own[node]] += coefficient
                total[-1] += coefficient * self.truths[node]
            else:
                static = self.side.static[node]
                for code, holds in enumerate(static):
                    total[code] += coefficient * holds
                total[-1] += coefficient * static[self.symbol]
        return tuple(Fraction(entry) for entry in total)

    def _constant(self, value: int) -> Affine:
        return (*(Fraction(0),) * self.size, Fraction(value))

    def history(self, operand: int) -> int:
        """The truths of a node up to here, the last one in the lowest bit."""
        return self.pasts.get(operand, 0) << 1 | self.truths[operand]
