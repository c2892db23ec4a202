"""C-RASP targets: a checked program as a step machine whose state is counters, never the word.

When only so many symbols are left, a form that cannot reach another comparison, or that only settled parts
read, is replaced by a value that every such state shares: a word that broke an order for ever then has one
state, not one for each difference of counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from idinf.base.words import Alphabet
from idinf.crasp import circuit as c
from idinf.crasp.syntax import ProgramTree
from idinf.targets.machine import BoolArray, IntArray, Target


@dataclass(frozen=True, slots=True)
class CountingTarget(Target):
    """A C-RASP program, checked over an alphabet, run left to right.

    Implements Definition 8 of [HYB25]_. Exact int64 arithmetic: the checker bounds coefficients so that no
    counter leaves its range below length 2^22. A step costs O(nodes · S).

    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("0", "1"))
    >>> majority = CountingTarget(read_program('accept = # "0" <= # "1"', sigma), sigma)
    >>> state = majority.step(majority.start(), 0)   # columns: #0 - #1, label
    >>> state.tolist(), majority.labels(state).tolist()
    ([[1, 0]], [False])
    """

    program: ProgramTree
    alphabet: Alphabet
    circuit: c.ProgramCircuit = field(init=False)
    layout: c.Layout = field(init=False)

    def __post_init__(self) -> None:
        circuit = c.build_circuit(self.program, self.alphabet)
        object.__setattr__(self, "circuit", circuit)
        object.__setattr__(self, "layout", c.collect_layout(circuit))

    def start(self) -> IntArray:
        """Counters at zero and the label of the empty word; (1, k)."""
        states = np.zeros((1, self.layout.num_columns), dtype=np.int64)
        states[:, -1] = _SymbolReading(self, states, None).label
        return states

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        return _SymbolReading(self, states, symbol).after()

    def labels(self, states: IntArray) -> BoolArray:
        """The label column as truth values; (S, k) → (S,)."""
        return np.asarray(states[:, -1] != 0)

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States for stepping on that behave alike for up to ``left`` more symbols; (S, k) → (S, k)."""
        return settle(self.circuit, self.layout, states, left)

    def foretold(self, states: IntArray, left: int) -> IntArray:
        """The label after any 1 to ``left`` more symbols, or −1 where it is not settled; (S, k) → (S,)."""
        return label_if_fixed(self.circuit, self.layout, states, left)


class _SymbolReading(c.Fold[BoolArray, IntArray]):
    """All nodes while one symbol is read; symbol None is SOS, where nothing is counted.

    Mutable: `sums` and `bits` fill up as they are asked for.
    """

    def __init__(self, target: CountingTarget, states: IntArray, symbol: int | None) -> None:
        super().__init__()
        self.layout, self.size, self.symbol = target.layout, len(states), symbol
        columns = iter(states.T)
        self.counted = {form: next(columns) for form in self.layout.forms}
        self.past = {node: next(columns) for node, _ in self.layout.histories}
        self.residues = {modulus: next(columns) for modulus in self.layout.moduli}
        if symbol is not None:
            self.residues = {modulus: (before + 1) % modulus for modulus, before in self.residues.items()}
        self.sums: dict[c.Form, IntArray] = {}
        self.bits: dict[int, IntArray] = {}
        self.run(target.circuit.nodes)
        self.label = self.truths[target.circuit.output]

    def after(self) -> IntArray:
        """The states that follow; (S, k)."""
        layout = self.layout
        sums = [
            self._sum(form) if cap is None else np.minimum(self._sum(form), cap)
            for form, cap in zip(layout.forms, layout.caps, strict=True)
        ]
        histories = [self._history(node) & ((1 << k) - 1) for node, k in layout.histories]
        return np.stack([*sums, *histories, *self.residues.values(), self.label.astype(np.int64)], axis=1)

    def given(self, node: c.ConstantNode | c.SymbolTest | c.Residue) -> BoolArray:
        match node:
            case c.ConstantNode(value):
                return np.full(self.size, value)
            case c.SymbolTest(code):
                return np.full(self.size, self.symbol == code)
            case c.Residue(modulus, residue):
                return np.asarray(self.residues[modulus] == residue)

    def compared(self, node: c.ThresholdTest | c.NonNegative) -> BoolArray:
        if isinstance(node, c.NonNegative):
            return self._linear(node.value) >= 0
        return self._sum(node.form) >= node.threshold

    def value(self, node: c.Window | c.Choice) -> IntArray:
        if isinstance(node, c.Choice):
            then, otherwise = self._linear(node.then), self._linear(node.otherwise)
            return np.asarray(np.where(self.truths[node.condition], then, otherwise))
        # Bit d is the truth value at distance d; SOS and what lies before it were never set.
        return np.asarray(np.bitwise_count(self._history(node.operand) & node.mask), dtype=np.int64)

    def _linear(self, value: c.Linear) -> IntArray:
        total = np.full(self.size, value.constant, dtype=np.int64)
        if value.form:
            total += value.scale * self._sum(value.form)
        for coefficient, number in value.rest:
            total += coefficient * self.values[number]
        return total

    def _sum(self, form: c.Form) -> IntArray:
        if form not in self.sums:
            total = self.counted[form].copy()
            if self.symbol is not None:
                for coefficient, operand in form:
                    total += coefficient * self.truths[operand]
            self.sums[form] = total
        return self.sums[form]

    def _history(self, operand: int) -> IntArray:
        """Truth values up to now as bits, the present one lowest; one more than the layout keeps."""
        if operand not in self.bits:
            past = self.past.get(operand, np.zeros(self.size, dtype=np.int64))
            self.bits[operand] = past if self.symbol is None else past << 1 | self.truths[operand]
        return self.bits[operand]


def settle(circuit: c.ProgramCircuit, layout: c.Layout, states: IntArray, left: int) -> IntArray:
    """States that give the same labels as the given ones on up to ``left`` more symbols, (S, k) → (S, k).

    Exact, by two replacements that no label sees. (1) A form that is only compared with constants, T among
    them, changes by d_min to d_max for each symbol. Outside [T_min − left · d_max − 1, T_max − left · d_min]
    all values answer all comparisons to come alike: it is clipped. (2) A node whose truth value can no longer
    change needs only what keeps it there: one settled false part of a conjunction, and a form clipped as
    above, whatever it goes on to count. What nothing needs is set to 0. The label column is one of these, as
    no step reads it.
    """
    settling = _SettledNodes(circuit, layout, states, left)
    needed_forms, needed_histories = settling.needs()
    out = np.zeros_like(states)
    for column, (form, ends) in enumerate(zip(layout.forms, layout.constants, strict=True)):
        values = states[:, column]
        if ends is not None:
            (down, up), (low, high) = _changes(form), ends
            values = np.clip(values, low - left * up - 1, high - left * down)
        out[:, column] = np.where(needed_forms[form], values, 0)
    for column, (operand, _) in enumerate(layout.histories, start=len(layout.forms)):
        out[:, column] = np.where(needed_histories[operand], states[:, column], 0)
    residues = slice(len(layout.forms) + len(layout.histories), layout.num_columns - 1)
    out[:, residues] = states[:, residues]
    return out


def label_if_fixed(circuit: c.ProgramCircuit, layout: c.Layout, states: IntArray, left: int) -> IntArray:
    """The label after any 1 to ``left`` more symbols, 0 or 1; −1 where it is not settled; (S,)."""
    settling, output = _SettledNodes(circuit, layout, states, left), circuit.output
    known = settling.truths[output]
    return np.where(known.true, 1, np.where(known.false, 0, -1))


@cache
def _changes(form: c.Form) -> tuple[int, int]:
    """Least and greatest that one symbol can add to a form: at most 0 and at least 0."""
    coefficients = [coefficient for coefficient, _ in form]
    return sum(min(k, 0) for k in coefficients), sum(max(k, 0) for k in coefficients)


class _SettledNodes(c.Fold[c.Known, None]):
    """For every state the nodes whose truth can no longer change, and what the others need."""

    def __init__(self, circuit: c.ProgramCircuit, layout: c.Layout, states: IntArray, left: int) -> None:
        super().__init__()
        self.circuit, self.layout, self.states, self.left = circuit, layout, states, left
        self.never = np.zeros(len(states), dtype=np.bool_)
        self.unknown = c.Known(self.never, self.never)
        self.run(circuit.nodes)

    def given(self, node: c.ConstantNode | c.SymbolTest | c.Residue) -> c.Known:
        if isinstance(node, c.ConstantNode):
            return c.Known(self.never | node.value, self.never | (not node.value))
        return self.unknown

    def compared(self, node: c.ThresholdTest | c.NonNegative) -> c.Known:
        if isinstance(node, c.NonNegative):
            return self.unknown
        value, left = self.states[:, self.layout.forms.index(node.form)], self.left
        down, up = _changes(node.form)
        return c.Known(value + left * down >= node.threshold, value + left * up < node.threshold)

    def value(self, node: c.Window | c.Choice) -> None:
        """Windows and choices are not followed."""

    def needs(self) -> tuple[dict[c.Form, BoolArray], dict[int, BoolArray]]:
        """For which states each form, and the history of each operand, is needed."""
        needed = {number: self.never.copy() for number, _ in self.circuit.nodes}
        forms = {form: self.never.copy() for form in self.layout.forms}
        histories = {operand: self.never.copy() for operand, _ in self.layout.histories}
        needed[self.circuit.output][:] = True
        for number, node in reversed(self.circuit.nodes):
            here = needed[number]
            match node:
                case c.And(one, other):
                    needed[one] |= here & (self.truths[one].false | ~self.truths[other].false)
                    needed[other] |= here & ~self.truths[one].false
                    continue
                case c.ThresholdTest(form, _):
                    forms[form] |= here
                    here = here & ~(self.truths[number].true | self.truths[number].false)
                case c.Window(_, _, operand) if operand in histories:
                    histories[operand] |= here
            for value in c.list_linears(node):
                if value.form:
                    forms[value.form] |= here
            for part in c.list_parts(node):
                needed[part] |= here
        return forms, histories
