"""Programs that accept few words of each length: proofs that a language is in AC0.

A program is read with what it can remember in finitely many states: counts that are only compared with
constants, up to the largest of them, and residues. Every other comparison may hold or not. The words that may
be accepted are a regular language that contains the one of the program. If the ways to acceptance never pass
through two cycles that share a state, there are O(n^k) words of length n, where no way meets more than k + 1
cycles. Then the program accepts O(n^k) words of length n, and an OR of as many ANDs of n literals tells them
from the others: the language is in AC0.

For example, all words of a^n b^n c^n are in a*b*c*, which holds O(n^2) words of each length.
"""

from __future__ import annotations

import numpy as np

from idinf.languages.classification.by_automaton import number_components
from idinf.targets import circuit as c
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import BoolArray, IntArray, explore

#: Most states that are followed.
MAX_STATES = 2_000

#: The least and the greatest value of each count with a cap; residues; whether the word may be accepted.
State = tuple[tuple[tuple[int, int], ...], tuple[int, ...], bool]


def find_growth(target: CountingTarget) -> int | None:
    """A k such that a program accepts O(n^k) words of length n; None if none is found.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> find_growth(build_target(load("anbncn"))), find_growth(build_target(load("dyck-1")))
    (2, None)
    """
    reading = _PartialReading(target)
    states, edges, is_complete = explore(
        reading.start(),
        lambda found: ([reading.step(state, code) for code in reading.codes] for state in found),
        MAX_STATES,
    )
    if not is_complete:
        return None
    table = np.array(edges)
    return measure_growth(table, np.array([state[2] for state in states]))


def measure_growth(table: IntArray, accepting: BoolArray) -> int | None:
    """The least k such that a DFA accepts O(n^k) words of length n; None if there is none."""
    live = accepting.copy()
    while (more := live | live[table].any(axis=1)).sum() > live.sum():
        live = more
    component = number_components(table)
    inside = (component[table] == component[:, None]) & live[table] & live[:, None]
    if (inside.sum(axis=1) > 1).any():  # two ways on that both come back
        return None
    cyclic = np.unique(component[inside.any(axis=1)])
    cycles = np.zeros(int(component.max()) + 1, dtype=np.int64)  # on the ways from each component
    for number in range(len(cycles)):  # those that are led to have smaller numbers
        members = np.flatnonzero((component == number) & live)
        after = table[members][live[table[members]]]
        ahead = cycles[component[after[component[after] != number]]]
        cycles[number] = ahead.max(initial=0) + (number in cyclic)
    return max(0, int(cycles[component[0]]) - 1) if live[0] else 0


class _PartialReading:
    """A program as a machine with finitely many states, whose truth values may be unknown, None."""

    def __init__(self, target: CountingTarget) -> None:
        self.circuit, layout = target.circuit, target.layout
        self.codes = range(len(target.alphabet))
        self.caps = {
            form: cap for form, cap in zip(layout.forms, layout.caps, strict=True) if cap is not None
        }
        self.moduli = layout.moduli

    def start(self) -> State:
        """SOS, where nothing is counted."""
        return self._read(((0, 0),) * len(self.caps), (0,) * len(self.moduli), None)

    def step(self, state: State, code: int) -> State:
        """Read one symbol."""
        residues = tuple((x + 1) % m for x, m in zip(state[1], self.moduli, strict=True))
        return self._read(state[0], residues, code)

    def _read(
        self, counted: tuple[tuple[int, int], ...], residues: tuple[int, ...], code: int | None
    ) -> State:
        truths: dict[int, bool | None] = {}
        before = dict(zip(self.caps, counted, strict=True))
        sums: dict[c.Form, tuple[int, int]] = {}

        def total(form: c.Form) -> tuple[int, int]:
            if form not in sums:
                low, high = before[form]
                for coefficient, operand in form if code is not None else ():
                    low += coefficient * (truths[operand] is True)
                    high += coefficient * (truths[operand] is not False)
                sums[form] = min(low, self.caps[form]), min(high, self.caps[form])
            return sums[form]

        for number, node in self.circuit.nodes:
            match node:
                case c.ConstantNode(value):
                    truths[number] = value
                case c.SymbolTest(own):
                    truths[number] = code == own
                case c.Residue(modulus, residue):
                    truths[number] = residues[self.moduli.index(modulus)] == residue
                case c.Not(operand):
                    held = truths[operand]
                    truths[number] = None if held is None else not held
                case c.And(left, right):
                    pair = truths[left], truths[right]
                    truths[number] = False if False in pair else None if None in pair else True
                case c.ThresholdTest(form, threshold) if form in self.caps:
                    low, high = total(form)
                    truths[number] = True if low >= threshold else False if high < threshold else None
                case _:
                    truths[number] = None
        return tuple(total(form) for form in self.caps), residues, truths[self.circuit.output] is not False
