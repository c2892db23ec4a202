"""C-RASP targets: a checked program as a step machine whose state is counters, never the word."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from idinf.crasp.syntax import ProgramTree
from idinf.targets import circuit as c
from idinf.targets.layout import Layout, layout_of
from idinf.targets.machine import BoolArray, IntArray
from idinf.targets.settling import settle
from idinf.words import Alphabet


@dataclass(frozen=True, slots=True)
class CountingTarget:
    """A C-RASP program run left to right.

    Parameters
    ----------
    program : ProgramTree
        Checked over `alphabet`.
    alphabet : Alphabet

    Notes
    -----
    Implements Definition 8 of [HYB25]_. Exact int64 arithmetic: the checker bounds coefficients so that no
    counter leaves its range below length 2^22. A step costs O(nodes · S).

    Examples
    --------
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
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        circuit = c.build_circuit(self.program, self.alphabet)
        object.__setattr__(self, "circuit", circuit)
        object.__setattr__(self, "layout", layout_of(circuit))

    def start(self) -> IntArray:
        """Counters at zero and the label of the empty word; (1, k)."""
        states = np.zeros((1, self.layout.num_columns), dtype=np.int64)
        states[:, -1] = _SymbolReading(self.layout, states, None).run(self.circuit)
        return states

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        reading = _SymbolReading(self.layout, states, symbol)
        label = reading.run(self.circuit)
        return np.stack([*reading.columns(), label.astype(np.int64)], axis=1)

    def labels(self, states: IntArray) -> BoolArray:
        """The label column as truth values; (S, k) → (S,)."""
        positive: BoolArray = states[:, -1] != 0
        return positive

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States for stepping on that behave alike for up to ``left`` more symbols; (S, k) → (S, k)."""
        return settle(self.circuit, self.layout, states, left)


class _SymbolReading:
    """Values of all nodes while one symbol is read; symbol None is SOS, where nothing is counted.

    Mutable: `values` fills up in the order of the nodes, `sums` as forms are met.
    """

    def __init__(self, layout: Layout, states: IntArray, symbol: int | None) -> None:
        self.layout = layout
        self.states = states
        self.symbol = symbol
        self.truths: dict[int, BoolArray] = {}
        self.values: dict[int, IntArray] = {}
        self.sums: dict[c.Form, IntArray] = {}
        self.bits: dict[int, IntArray] = {}

    def run(self, circuit: c.ProgramCircuit) -> BoolArray:
        """Evaluate the circuit; the truth value of its output, (S,)."""
        for number, node in circuit.nodes:
            match node:
                case c.Window() | c.Choice():
                    self.values[number] = self._value(node)
                case _:
                    self.truths[number] = self._truth(node)
        return self.truths[circuit.output]

    def columns(self) -> list[IntArray]:
        """Every column of the next states but the label, each (S,)."""
        layout = self.layout
        sums = [
            self._sum(form) if cap is None else np.minimum(self._sum(form), cap)
            for form, cap in zip(layout.forms, layout.caps, strict=True)
        ]
        histories = [self._history(node) & ((1 << k) - 1) for node, k in layout.histories]
        return [*sums, *histories, *(self._residue(modulus) for modulus in layout.moduli)]

    def _truth(self, node: c.Node) -> BoolArray:
        truth: BoolArray
        match node:
            case c.ConstantNode(value):
                truth = self._everywhere(value)
            case c.SymbolTest(code):
                truth = self._everywhere(self.symbol == code)
            case c.Residue(modulus, residue):
                truth = self._residue(modulus) == residue
            case c.Not(operand):
                truth = ~self.truths[operand]
            case c.And(left, right):
                truth = self.truths[left] & self.truths[right]
            case c.ThresholdTest(form, threshold):
                truth = self._sum(form) >= threshold
            case c.NonNegative(value):
                truth = self._linear(value) >= 0
            case _:
                raise AssertionError(node)  # values are computed elsewhere
        return truth

    def _value(self, node: c.Window | c.Choice) -> IntArray:
        match node:
            case c.Window(low, high, operand):
                # Bit d is the truth value at distance d; SOS and what lies before it were never set.
                mask = (1 << (high + 1)) - (1 << low)
                counted: IntArray = np.bitwise_count(self._history(operand) & mask).astype(np.int64)
                return counted
            case c.Choice(condition, then, otherwise):
                return np.where(self.truths[condition], self._linear(then), self._linear(otherwise))

    def _linear(self, value: c.Linear) -> IntArray:
        total = np.full(len(self.states), value.constant, dtype=np.int64)
        if value.form:
            total += value.scale * self._sum(value.form)
        for coefficient, number in value.rest:
            total += coefficient * self.values[number]
        return total

    def _sum(self, form: c.Form) -> IntArray:
        if form not in self.sums:
            total = self.states[:, self.layout.forms.index(form)].copy()
            if self.symbol is not None:
                for coefficient, operand in form:
                    total += coefficient * self.truths[operand]
            self.sums[form] = total
        return self.sums[form]

    def _history(self, operand: int) -> IntArray:
        """Truth values up to now as bits, the present one lowest; one more than the layout keeps."""
        if operand not in self.bits:
            past = np.zeros(len(self.states), dtype=np.int64)
            for column, (node, _) in enumerate(self.layout.histories, start=len(self.layout.forms)):
                if node == operand:
                    past = self.states[:, column]
            self.bits[operand] = past if self.symbol is None else past << 1 | self.truths[operand]
        return self.bits[operand]

    def _residue(self, modulus: int) -> IntArray:
        layout = self.layout
        column = len(layout.forms) + len(layout.histories) + layout.moduli.index(modulus)
        before = self.states[:, column]
        return before if self.symbol is None else (before + 1) % modulus

    def _everywhere(self, value: bool) -> BoolArray:
        return np.full(len(self.states), value, dtype=np.bool_)
