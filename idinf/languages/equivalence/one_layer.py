"""Languages of one layer of counting, compared on all words by integer programs over Parikh counts.

What a program without nested or local counts says of a word, and what one layer of uniform heads does,
depends on its last symbol, its length modulo m, and how often each symbol stands at each residue: in every
slice it is a Boolean combination of linear inequalities.

The least counts that meet one, or a proof that none do, are exact throughout. Linear programs are solved by
the dual simplex method in Fractions, so that a row that cannot be met is itself the proof (Farkas); integer
programs by branching, on undecided inequalities first and on fractions then. Branches are taken in the order
of their bounds, so the first point found is the least.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain, product
from math import floor, lcm
from typing import TypeVar

import numpy as np

from idinf.base.words import Word
from idinf.crasp import circuit as c
from idinf.crasp.syntax import find_reached
from idinf.languages.equivalence.conditions import FALSE, TRUE, Conditions, Form, Inequality, WordSlice
from idinf.languages.equivalence.dense import Decider, accepts, is_uniform, runs_as_machine
from idinf.nets.dense import Activation
from idinf.nets.limit_transformer import LimitTransformer
from idinf.targets.counting import CountingTarget

#: Units of a net, at most: their answers are told apart one by one.
MAX_UNITS = 8

#: Branches of the integer programs of one comparison, at most: some seconds.
MAX_BRANCHES = 2_000

#: Unknowns of a slice, at most.
MAX_UNKNOWNS = 24

#: Cases of a condition, at most: the parts of it grow with their product.
MAX_CONDITIONS = 4_000

#: Symbols times modulus, at most.
MAX_COUNTS = 64

_Item = TypeVar("_Item")

#: Cases of one value, at most.
MAX_CASES = 64

#: A count by cases: a condition, and the form it equals there. One condition holds for every word.
Cases = list[tuple[int, Form]]


def compare_one_layer(
    one: Decider,
    other: Decider,
    beat: Callable[[], None] = lambda: None,
    *,
    most_branches: int = MAX_BRANCHES,
) -> Word | bool:
    """Compare two languages of one layer on all words.

    A shortest word that exactly one accepts; True if there is none; False if this cannot be told: not one
    layer, or too many branches.
    """
    readers = [reader for reader in (_reader(one), _reader(other)) if reader is not None]
    period, symbols = lcm(*(period for period, _ in readers)), len(one.alphabet)
    if len(readers) < 2 or WordSlice(symbols, period, 0, 0).size > MAX_UNKNOWNS:
        return False
    if accepts(one, ()) != accepts(other, ()):
        return ()
    most, words = most_branches // (symbols * period), []
    for last, residue in product(range(symbols), range(period)):
        part, conditions = WordSlice(symbols, period, last, residue), Conditions()
        left, right = (read(part, conditions) for _, read in readers)
        if left is None or right is None or len(conditions.nodes) > MAX_CONDITIONS:
            return False
        try:
            wanted = conditions.differ(left, right)
            point = find_least_point(conditions, wanted, part.words(), part.costs, most, beat)
        except BranchLimit:
            return False
        if point is not None:
            words.append(part.least_word(point))
    return min(words, key=lambda word: (len(word), word)) if words else True


def _reader(side: Decider) -> tuple[int, Callable[[WordSlice, Conditions], int | None]] | None:
    """The modulus that a language of one layer needs, and what gives the accepted words of a slice."""
    match side:
        case CountingTarget(circuit=c.ProgramCircuit() as circuit):
            return find_modulus(circuit), partial(build_condition_of_program, circuit)
        case LimitTransformer() as net if has_one_layer(net):
            return net.period, partial(build_condition_of_hypothesis, net)
    return None


def has_one_layer(net: LimitTransformer) -> bool:
    """True if a net has one layer, whose heads are uniform, and few units."""
    return net.depth == 1 and net.num_units <= MAX_UNITS and is_uniform(net) and runs_as_machine(net)


def build_condition_of_hypothesis(net: LimitTransformer, part: WordSlice, conditions: Conditions) -> int:
    """A condition: a net that `has_one_layer` accepts a word of a slice; its period divides the modulus.

    Everything is multiplied by n + 1: Y_n becomes (n + 1) y_n + Σ_h V_h Σ_j y_j, and a unit and the answer
    are signs of forms in the counts once it is settled which units are above 0.
    """
    layer, width = net.layers[0], net.width
    embedding, residues = (np.array(rows, dtype=object) for rows in (net.embedding, net.positions))
    A, b, B = (np.array(rows, dtype=object) for rows in (layer.mlp.A, layer.mlp.b, layer.mlp.B))
    U = np.array(net.unembedding[net.accept_row], dtype=object)
    positions = part.positions

    # Forms are rows, with a column for each unknown and one for the constant.
    entering = [
        embedding[1 + code] + residues[rho % net.period]
        for code, rho in product(range(part.symbols), range(part.modulus))
    ]
    columns = [*entering, *[0 * U] * (part.modulus > 1), embedding[0] + residues[0]]
    sums = np.stack(columns, axis=1)
    stream = np.outer(entering[part.last * part.modulus + part.residue], positions)
    for head in layer.heads:
        stream = stream + np.array(head.V, dtype=object) @ sums
    units = A.reshape(-1, width) @ stream + np.outer(b, positions)
    written = U @ B.reshape(width, -1)

    above = [conditions.positive(form) for form in units]
    whole = FALSE
    for fired in product((False, True), repeat=len(units)):
        guard, answer = TRUE, U @ stream - net.threshold * positions
        for unit, fires in enumerate(fired):
            guard = conditions.both(guard, above[unit] if fires else conditions.negated(above[unit]))
            if fires:
                is_relu = layer.mlp.activation[unit] is Activation.RELU
                answer = answer + written[unit] * (units[unit] if is_relu else positions)
        whole = conditions.either(whole, conditions.both(guard, conditions.positive(answer)))
    return whole


class _NotOneLayer(Exception):
    """The program is not of one layer, or has too many cases."""


def find_modulus(circuit: c.ProgramCircuit) -> int:
    """The least common multiple of the moduli of the periodic predicates."""
    return lcm(*(node.modulus for _, node in circuit.nodes if isinstance(node, c.Residue)))


def build_condition_of_program(
    circuit: c.ProgramCircuit,
    part: WordSlice,
    conditions: Conditions,
    *,
    before: Collection[int] | None = None,
) -> int | None:
    """The condition of the words of a slice that a program accepts; None if counts are nested or local.

    The modulus of the slice is a multiple of those of the program. A program with more than `MAX_CASES` cases
    of one value is left alone, too. With ``before`` only words are meant that hold no other symbols
    before the last one. A nested count does no harm where nothing depends on it, nor if it counts what is
    nowhere before the position.
    """
    allowed = tuple(range(part.symbols) if before is None else before)
    try:
        return _SliceValues(circuit, part, conditions, allowed).held(circuit.output)
    except _NotOneLayer:
        return None


@dataclass(frozen=True)
class Answers:
    """The answers to the words of a slice: those that a condition holds of are accepted."""

    part: WordSlice
    conditions: Conditions
    whole: int

    @cached_property
    def inequalities(self) -> dict[int, Inequality]:
        """The parts of the condition, by number."""
        return self.conditions.inequalities_in(self.whole)

    def where(self, decided: Mapping[int, bool]) -> bool:
        """The answer where all inequalities are decided."""
        answer = self.conditions.truth(self.whole, decided)
        if answer is None:
            raise RuntimeError("every inequality is decided, yet the condition is not")
        return answer


def compute_answers_at(
    target: CountingTarget,
    last: int,
    residue: int,
    *,
    before: Collection[int] | None = None,
    modulus: int = 1,
) -> Answers | None:
    """The answers by last symbol and length modulo m; None if the program is not of one layer.

    Nor if it has too many cases, or too large a modulus. m is the least common multiple of ``modulus`` and
    `find_modulus`. With ``before`` the answers are those to words that hold these symbols alone before the
    last one: a count of another one is known there, so a program that first asks for a separator may be of
    one layer.
    """
    symbols, modulus = len(target.alphabet), lcm(modulus, find_modulus(target.circuit))
    if symbols * modulus > MAX_COUNTS:
        return None
    part, conditions = WordSlice(symbols, modulus, last, residue), Conditions()
    whole = build_condition_of_program(target.circuit, part, conditions, before=before)
    return None if whole is None else Answers(part, conditions, whole)


class _KnownOnes(dict[int, _Item]):
    """Entries of known nodes; asking for another one says that the program is not of one layer."""

    def __missing__(self, number: int) -> _Item:
        raise _NotOneLayer


class _SliceValues(c.Fold[int, Cases]):
    """Truths, as conditions, and values of nodes at the last position of a slice.

    A slice of no symbols stands for a position inside of what is counted: what counts say there is known only
    if they count nothing before it. A truth or value that is not known is left out.
    """

    def __init__(
        self,
        circuit: c.ProgramCircuit,
        part: WordSlice,
        conditions: Conditions,
        before: tuple[int, ...],
    ) -> None:
        super().__init__()
        self.truths, self.values = _KnownOnes[int](), _KnownOnes[Cases]()
        self.circuit, self.part, self.conditions = circuit, part, conditions
        self.before = before
        self.read: set[int] = set()
        self.counted = {
            code: [
                _SliceValues(circuit, WordSlice(0, part.modulus, code, rho), conditions, before)
                for rho in range(part.modulus)
            ]
            for code in ({*before, part.last} if part.symbols else ())
        }
        for inside in chain.from_iterable(self.counted.values()):
            inside.counted = self.counted

    def held(self, wanted: int) -> int:
        """The condition under which a node holds."""
        nodes = dict(self.circuit.nodes)
        needed = find_reached([wanted], lambda k: () if k in self.read else c.list_parts(nodes[k]))
        for number, node in self.circuit.nodes:
            if number in needed and number not in self.read:
                self.read.add(number)
                with suppress(_NotOneLayer):
                    self.run([(number, node)])
        return self.truths[wanted]

    def value(self, node: c.Window | c.Choice) -> Cases:
        match node:
            case c.Window(0, 0, operand):
                held = self.truths[operand]
                one, none = (self.part.constant(k) for k in (1, 0))
                return [(held, one), (self.conditions.negated(held), none)]
            case c.Choice(condition, then, otherwise):
                held = self.truths[condition]
                return [
                    (both, form)
                    for guard, value in ((held, then), (self.conditions.negated(held), otherwise))
                    if guard != FALSE
                    for case, form in self._cases(value)
                    if (both := self.conditions.both(guard, case)) != FALSE
                ]
        raise _NotOneLayer

    def given(self, node: c.ConstantNode | c.SymbolTest | c.Residue) -> int:
        match node:
            case c.ConstantNode(value):
                return TRUE if value else FALSE
            case c.SymbolTest(code):
                return TRUE if code == self.part.last else FALSE
            case c.Residue(modulus, residue):
                return TRUE if self.part.residue % modulus == residue else FALSE

    def negated(self, operand: int) -> int:
        return self.conditions.negated(operand)

    def both(self, left: int, right: int) -> int:
        if FALSE in (self.truths.get(left), self.truths.get(right)):
            return FALSE
        return self.conditions.both(self.truths[left], self.truths[right])

    def compared(self, node: c.ThresholdTest | c.NonNegative) -> int:
        if isinstance(node, c.ThresholdTest):
            return self.conditions.non_negative(self._form(node.form) - self.part.constant(node.threshold))
        whole = FALSE
        for guard, case in self._cases(node.value):
            whole = self.conditions.either(
                whole, self.conditions.both(guard, self.conditions.non_negative(case))
            )
        return whole

    def _cases(self, linear: c.Linear) -> Cases:
        """A linear value by the cases of its parts."""
        own = linear.scale * self._form(linear.form) + self.part.constant(linear.constant)
        cases: Cases = [(TRUE, own)]
        for coefficient, number in linear.rest:
            cases = [
                (guard, form + coefficient * added)
                for (first, form), (second, added) in product(cases, self.values[number])
                if (guard := self.conditions.both(first, second)) != FALSE
            ]
            if len(cases) > MAX_CASES:
                raise _NotOneLayer
        return cases

    def _form(self, form: c.Form) -> Form:
        """Σ c · #P, for every P that reads nothing but a symbol and a residue."""
        total, nowhere = self.part.constant(0), [FALSE] * self.part.modulus
        for coefficient, operand in form:
            if self.part.symbols:
                held = {code: [one.held(operand) for one in self.counted[code]] for code in self.before}
                rows = [held.get(code, nowhere) for code in range(self.part.symbols)]
                total = total + coefficient * self.part.count(rows)
                if self.part.last not in self.before:  # it is there once
                    once = self.counted[self.part.last][self.part.residue].held(operand)
                    total = total + coefficient * self.part.constant(once)
            elif any(inside.held(operand) for code in self.before for inside in self.counted[code]):
                raise _NotOneLayer  # a count inside of what is counted
            else:
                total = total + coefficient * self.part.constant(self.truths[operand])
        return total


class BranchLimit(Exception):
    """More branches than the bound; nothing is known."""


def find_least_point(
    conditions: Conditions,
    wanted: int,
    always: Sequence[Inequality],
    costs: Sequence[int],
    most: int,
    beat: Callable[[], None] = lambda: None,
) -> tuple[int, ...] | None:
    """Non-negative integers of least cost that meet a condition and inequalities; None if there are none.

    Every unknown has a cost of at least 0. ``beat`` is called before every branch, of which there are at most
    ``most``. Raises `BranchLimit` if there are more branches.
    """
    root: _Program | None = _Program.of(costs)
    for inequality in always:
        root = None if root is None else root.with_row(inequality)
    inequalities, branches = conditions.inequalities_in(wanted), 0
    waiting: list[tuple[Fraction, int, _Program, Mapping[int, bool]]] = []
    if root is not None:
        waiting.append((root.cost, 0, root, {}))
    while waiting:
        beat()
        _, _, program, decided = heapq.heappop(waiting)
        truth = conditions.truth(wanted, decided)
        if truth is False:
            continue
        point = program.point()
        if all(x.denominator == 1 for x in point):
            here = {number: inequality.holds(point) for number, inequality in inequalities.items()}
            if conditions.truth(wanted, here):
                return tuple(int(x) for x in point)
        if truth is None:
            number = next(k for k in inequalities if k not in decided)
            yes = inequalities[number]
            splits = [(yes, {**decided, number: True}), (yes.negated, {**decided, number: False})]
        else:
            k = next(k for k, x in enumerate(point) if x.denominator != 1)
            below = tuple(-int(j == k) for j in range(len(point)))
            at_most = Inequality(below, -floor(point[k]))
            splits = [(at_most, dict(decided)), (at_most.negated, dict(decided))]
        for row, known in splits:
            branches += 1
            if branches > most:
                raise BranchLimit
            narrowed = program.with_row(row)
            if narrowed is not None:
                heapq.heappush(waiting, (narrowed.cost, branches, narrowed, known))
    return None


@dataclass(frozen=True)
class _Program:
    """A solved linear program as a dictionary: basic variables as forms in the others, which are 0.

    Variables are numbered, the unknowns first. ``rows[v]`` is the constant of the basic variable v, at least
    0, and its coefficients; ``objective`` is likewise the cost, with coefficients that are at least 0.
    """

    size: int
    free: tuple[int, ...]
    rows: Mapping[int, tuple[Fraction, ...]]
    objective: tuple[Fraction, ...]

    @staticmethod
    def of(costs: Sequence[int]) -> _Program:
        objective = (Fraction(0), *(Fraction(cost) for cost in costs))
        return _Program(len(costs), tuple(range(len(costs))), {}, objective)

    @property
    def cost(self) -> Fraction:
        return self.objective[0]

    def point(self) -> tuple[Fraction, ...]:
        return tuple(self.rows[k][0] if k in self.rows else Fraction(0) for k in range(self.size))

    def with_row(self, inequality: Inequality) -> _Program | None:
        """The program with one inequality more, solved; None if it has no solution."""
        row = [Fraction(-inequality.bound)] + [Fraction(0)] * len(self.free)
        for k, coefficient in enumerate(inequality.coefficients):
            if coefficient and k in self.rows:
                row = [entry + coefficient * more for entry, more in zip(row, self.rows[k], strict=True)]
            elif coefficient:
                row[1 + self.free.index(k)] += coefficient
        slack = len(self.rows) + len(self.free)
        free, rows, objective = list(self.free), {**self.rows, slack: tuple(row)}, self.objective
        # Dual simplex with the rule of least numbers, which cannot cycle.
        while (leaving := min((v for v, form in rows.items() if form[0] < 0), default=None)) is not None:
            row = list(rows.pop(leaving))
            raising = [(objective[c] / row[c], free[c - 1], c) for c in range(1, len(row)) if row[c] > 0]
            if not raising:
                return None  # a negative constant, and nothing that could raise it
            _, entering, column = min(raising)
            pivot = row[column]
            # entering = (leaving − constant − the other terms) / pivot
            solved = [-entry / pivot for entry in row]
            solved[column] = 1 / pivot
            free[column - 1] = leaving
            rows = {v: _replaced(form, column, solved) for v, form in rows.items()}
            objective = _replaced(objective, column, solved)
            rows[entering] = tuple(solved)
        return _Program(self.size, tuple(free), rows, objective)


def _replaced(row: tuple[Fraction, ...], column: int, solved: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """A row with the variable of a column replaced by its form."""
    factor = row[column]
    if not factor:
        return row
    out = [entry + factor * more if more else entry for entry, more in zip(row, solved, strict=True)]
    out[column] = factor * solved[column]
    return tuple(out)
