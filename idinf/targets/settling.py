"""What a counting machine need not remember when only so many symbols are left, and what is settled: exact.

A form that cannot reach another comparison in the steps left, or that only settled parts read, is replaced by
a value that every such state shares. A word that broke an order for ever then has one state, not one for each
difference of counts.
"""

from __future__ import annotations

import numpy as np

from idinf.targets import circuit as c
from idinf.targets.machine import BoolArray, IntArray


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
