"""The operations of a program as diagrams and sums of atoms; only those that the last one needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from idinf.affine import ZERO, Affine, combination
from idinf.compilation.circuit import UnitCircuit
from idinf.compilation.counts import CaseSum, Comparisons, CountSum, Indicator, Largest
from idinf.compilation.diagrams import FALSE, TRUE, Node
from idinf.crasp import syntax as s
from idinf.crasp.meaning import SumAlgebra
from idinf.words import Alphabet


def last_operation(program: s.ProgramTree, alphabet: Alphabet, circuit: UnitCircuit) -> Node:
    """The Boolean that decides, in a circuit over the same alphabet.

    Parameters
    ----------
    program : Program
        Checked over `alphabet`.
    alphabet : Alphabet
    circuit : UnitCircuit
        Its period is a multiple of every modulus that the last operation needs.
    """
    return _Operations(alphabet, circuit).decision(program)


class _Operations(SumAlgebra[Node]):
    """Booleans are nodes of a circuit, counts sums of atoms."""

    def __init__(self, alphabet: Alphabet, circuit: UnitCircuit) -> None:
        super().__init__(alphabet)
        self.circuit, self.comparisons = circuit, Comparisons(circuit)

    def symbol(self, code: int) -> Node:
        return self.circuit.symbol(code)

    def truth(self, value: bool) -> Node:
        return TRUE if value else FALSE

    def residue(self, modulus: int, residue: int) -> Node:
        return self.circuit.residues(modulus, residue)

    def negated(self, operand: Node) -> Node:
        return self.circuit.diagrams.negated(operand)

    def conjunction(self, parts: Sequence[Node]) -> Node:
        return reduce(self.circuit.diagrams.both, parts)

    def disjunction(self, parts: Sequence[Node]) -> Node:
        return reduce(self.circuit.diagrams.either, parts)

    def positive(self, total: Affine) -> Node:
        return self.comparisons.positive(total)

    def counted(self, operand: Node) -> Affine:
        return ZERO if operand == FALSE else self.comparisons.total(CountSum(operand))

    def windowed(self, low: int, high: int, operand: Node) -> Affine:
        held = [self.circuit.recalled(distance, operand) for distance in range(low, high + 1)]
        return combination((self.comparisons.total(Indicator(node)), 1) for node in held if node != FALSE)

    def chosen(self, condition: Node, then: Affine, otherwise: Affine) -> Affine:
        if condition in (FALSE, TRUE) or then == otherwise:
            return then if condition == TRUE else otherwise
        return self.comparisons.total(CaseSum(condition, then, otherwise))

    def largest(self, left: Affine, right: Affine) -> Affine:
        return left if left == right else self.comparisons.total(Largest(left, right))
