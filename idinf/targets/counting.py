"""C-RASP targets: a checked program as a step machine whose state is counters, never the word.

When only so many symbols are left, a form that cannot reach another comparison, or that only settled parts
read, is replaced by a value that every such state shares: a word that broke an order for ever then has one
state, not one for each difference of counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from idinf.base.words import Alphabet
from idinf.crasp.syntax import ProgramTree
from idinf.targets import circuit as c
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
        states[:, -1] = _SymbolReading(self.layout, states, None).run(self.circuit)
        return states

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        reading = _SymbolReading(self.layout, states, symbol)
        label = reading.run(self.circuit)
        return np.stack([*reading.columns(), label.astype(np.int64)], axis=1)

    def labels(self, states: IntArray) -> BoolArray:
        """The label column as truth values; (S, k) → (S,)."""
        return np.asarray(states[:, -1] != 0)

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States for stepping on that behave alike for up to ``left`` more symbols; (S, k) → (S, k)."""
        return settle(self.circuit, self.layout, states, left)

    def foretold(self, states: IntArray, left: int) -> IntArray:
        """The label after any 1 to ``left`` more symbols, or −1 where it is not settled; (S, k) → (S,)."""
        return foretell(self.circuit, self.layout, states, left)


class _SymbolReading:
    """Values of all nodes while one symbol is read; symbol None is SOS, where nothing is counted.

    Mutable: `truths` and `values` fill up in the order of the nodes, `sums` and `bits` as they are asked for.
    """

    def __init__(self, layout: c.Layout, states: IntArray, symbol: int | None) -> None:
        self.layout, self.size, self.symbol = layout, len(states), symbol
        columns = iter(states.T)
        self.counted = {form: next(columns) for form in layout.forms}
        self.past = {node: next(columns) for node, _ in layout.histories}
        self.residues = {modulus: next(columns) for modulus in layout.moduli}
        if symbol is not None:
            self.residues = {modulus: (before + 1) % modulus for modulus, before in self.residues.items()}
        self.truths: dict[int, BoolArray] = {}
        self.values: dict[int, IntArray] = {}
        self.sums: dict[c.Form, IntArray] = {}
        self.bits: dict[int, IntArray] = {}

    def run(self, circuit: c.ProgramCircuit) -> BoolArray:
        """Evaluate the circuit; the truth value of its output, (S,)."""
        for number, node in circuit.nodes:
            self._evaluate(number, node)
        return self.truths[circuit.output]

    def columns(self) -> list[IntArray]:
        """Every column of the next states but the label, each (S,)."""
        layout = self.layout
        sums = [
            self._sum(form) if cap is None else np.minimum(self._sum(form), cap)
            for form, cap in zip(layout.forms, layout.caps, strict=True)
        ]
        histories = [self._history(node) & ((1 << k) - 1) for node, k in layout.histories]
        return [*sums, *histories, *self.residues.values()]

    def _evaluate(self, number: int, node: c.Node) -> None:
        match node:
            case c.ConstantNode(value):
                self.truths[number] = np.full(self.size, value)
            case c.SymbolTest(code):
                self.truths[number] = np.full(self.size, self.symbol == code)
            case c.Residue(modulus, residue):
                self.truths[number] = self.residues[modulus] == residue
            case c.Not(operand):
                self.truths[number] = ~self.truths[operand]
            case c.And(left, right):
                self.truths[number] = self.truths[left] & self.truths[right]
            case c.ThresholdTest(form, threshold):
                self.truths[number] = self._sum(form) >= threshold
            case c.NonNegative(linear):
                self.truths[number] = self._linear(linear) >= 0
            case c.Window(low, high, operand):
                # Bit d is the truth value at distance d; SOS and what lies before it were never set.
                mask = (1 << (high + 1)) - (1 << low)
                self.values[number] = np.bitwise_count(self._history(operand) & mask).astype(np.int64)
            case c.Choice(condition, then, otherwise):
                chosen = np.where(self.truths[condition], self._linear(then), self._linear(otherwise))
                self.values[number] = chosen

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


def foretell(circuit: c.ProgramCircuit, layout: c.Layout, states: IntArray, left: int) -> IntArray:
    """The label after any 1 to ``left`` more symbols, 0 or 1; −1 where it is not settled; (S,)."""
    settling, output = _SettledNodes(circuit, layout, states, left), circuit.output
    return np.where(settling.true[output], 1, np.where(settling.false[output], 0, -1))


def _changes(form: c.Form) -> tuple[int, int]:
    """Least and greatest that one symbol can add to a form: at most 0 and at least 0."""
    coefficients = [coefficient for coefficient, _ in form]
    return sum(min(k, 0) for k in coefficients), sum(max(k, 0) for k in coefficients)


class _SettledNodes:
    """Which nodes are settled, and what is needed, for every state. Mutable while it is computed."""

    def __init__(self, circuit: c.ProgramCircuit, layout: c.Layout, states: IntArray, left: int) -> None:
        self.circuit, self.layout, self.size = circuit, layout, len(states)
        never = np.zeros(self.size, dtype=np.bool_)
        self.true: dict[int, BoolArray] = {}
        self.false: dict[int, BoolArray] = {}
        for number, node in circuit.nodes:
            true: BoolArray = never
            false: BoolArray = never
            match node:
                case c.ConstantNode(constant):
                    true, false = (~never, never) if constant else (never, ~never)
                case c.Not(operand):
                    true, false = self.false[operand], self.true[operand]
                case c.And(one, other):
                    true = self.true[one] & self.true[other]
                    false = self.false[one] | self.false[other]
                case c.ThresholdTest(form, threshold):
                    value = states[:, layout.forms.index(form)]
                    down, up = _changes(form)
                    true, false = value + left * down >= threshold, value + left * up < threshold
            self.true[number], self.false[number] = true, false

    def needs(self) -> tuple[dict[c.Form, BoolArray], dict[int, BoolArray]]:
        """For which states each form, and the history of each operand, is needed."""
        needed = {number: np.zeros(self.size, dtype=np.bool_) for number, _ in self.circuit.nodes}
        forms = {form: np.zeros(self.size, dtype=np.bool_) for form in self.layout.forms}
        histories = {operand: np.zeros(self.size, dtype=np.bool_) for operand, _ in self.layout.histories}
        needed[self.circuit.output][:] = True
        for number, node in reversed(self.circuit.nodes):
            here = needed[number]
            match node:
                case c.And(one, other):
                    needed[one] |= here & (self.false[one] | ~self.false[other])
                    needed[other] |= here & ~self.false[one]
                    continue
                case c.ThresholdTest(form, _):
                    forms[form] |= here
                    here = here & ~(self.true[number] | self.false[number])
                case c.Window(_, _, operand) if operand in histories:
                    histories[operand] |= here
            for value in c.list_linears(node):
                if value.form:
                    forms[value.form] |= here
            for part in c.list_parts(node):
                needed[part] |= here
        return forms, histories
