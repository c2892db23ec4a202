"""The operations of a program as diagrams; counts are sums of atoms, whose comparisons become cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from idinf.base.linear_algebra import ONE, ZERO, Affine, combine, read_feature
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.meaning import SumAlgebra, list_needed_definitions
from idinf.errors import BudgetError
from idinf.translate.compilation.circuit import UnitCircuit
from idinf.translate.compilation.diagrams import FALSE, TOO_MANY_CASES, TRUE, Node

#: Comparisons that conditionals, maxima and local counts of a program may split into.
MAX_CASES = 20_000


def find_last_operation(program: s.ProgramTree, alphabet: Alphabet, circuit: UnitCircuit) -> Node:
    """The Boolean that decides a program, checked over the alphabet of a circuit, from what it needs.

    The period of the circuit is a multiple of every modulus that the last operation needs.
    """
    return _Operations(alphabet, circuit).decision(list_needed_definitions(program))


@dataclass(frozen=True, slots=True)
class _CountSum:
    """#P over all positions up to here."""

    node: Node


@dataclass(frozen=True, slots=True)
class _Indicator:
    """1 where P holds, 0 elsewhere."""

    node: Node


@dataclass(frozen=True, slots=True)
class _CaseSum:
    """C where P holds, C' elsewhere."""

    node: Node
    then: Affine
    otherwise: Affine


@dataclass(frozen=True, slots=True)
class _Largest:
    """max(C, C')."""

    left: Affine
    right: Affine


_Atom = _CountSum | _Indicator | _CaseSum | _Largest


class _Operations(SumAlgebra[Node]):
    """Booleans are nodes of a circuit, counts sums of atoms; every comparison with 0 is made once."""

    def __init__(self, alphabet: Alphabet, circuit: UnitCircuit) -> None:
        super().__init__(alphabet)
        self.circuit, self.diagrams = circuit, circuit.diagrams
        self._atoms: list[_Atom] = []
        self._numbers: dict[_Atom, int] = {}
        self._positive: dict[Affine, Node] = {}

    def symbol(self, code: int) -> Node:
        return self.circuit.symbol(code)

    def truth(self, value: bool) -> Node:
        return TRUE if value else FALSE

    def residue(self, modulus: int, residue: int) -> Node:
        return self.circuit.residues(modulus, residue)

    def negated(self, operand: Node) -> Node:
        return self.diagrams.negated(operand)

    def conjunction(self, parts: Sequence[Node]) -> Node:
        return reduce(self.diagrams.both, parts)

    def disjunction(self, parts: Sequence[Node]) -> Node:
        return reduce(self.diagrams.either, parts)

    def counted(self, operand: Node) -> Affine:
        return ZERO if operand == FALSE else self._atom(_CountSum(operand))

    def windowed(self, low: int, high: int, operand: Node) -> Affine:
        held = [self.circuit.recalled(distance, operand) for distance in range(low, high + 1)]
        return combine((self._atom(_Indicator(node)), 1) for node in held if node != FALSE)

    def chosen(self, condition: Node, then: Affine, otherwise: Affine) -> Affine:
        if condition in (FALSE, TRUE) or then == otherwise:
            return then if condition == TRUE else otherwise
        return self._atom(_CaseSum(condition, then, otherwise))

    def largest(self, left: Affine, right: Affine) -> Affine:
        return left if left == right else self._atom(_Largest(left, right))

    def _atom(self, atom: _Atom) -> Affine:
        if atom not in self._numbers:
            self._numbers[atom] = len(self._atoms)
            self._atoms.append(atom)
        return read_feature(self._numbers[atom])

    def positive(self, total: Affine) -> Node:
        """Whether C > 0.

        A maximum is an "or" where it counts for C and an "and" where it counts against it; a conditional
        and the truth value of a Boolean split the comparison into one for each case.
        """
        if total not in self._positive:
            if len(self._positive) >= MAX_CASES:
                raise BudgetError(TOO_MANY_CASES)
            node = self._split(total)
            self._positive[total] = node
            self._note_vote(total, node)
        return self._positive[total]

    def _split(self, total: Affine) -> Node:
        for number, coefficient in sorted(total.terms, key=self._turn):
            rest = total - read_feature(number).times(coefficient)
            match self._atoms[number]:
                case _Largest(left, right):
                    parts = [self.positive(rest + part.times(coefficient)) for part in (left, right)]
                    return self.diagrams.either(*parts) if coefficient > 0 else self.diagrams.both(*parts)
                case _CaseSum(node, then, otherwise):
                    parts = [self.positive(rest + part.times(coefficient)) for part in (then, otherwise)]
                    return self.diagrams.choice(node, *parts)
                case _Indicator(node):
                    parts = [self.positive(rest.plus(coefficient)), self.positive(rest)]
                    return self.diagrams.choice(node, *parts)
        return self.circuit.above(self._nodes(total, _CountSum), -total.constant)

    def _turn(self, term: tuple[int, int]) -> tuple[int, int]:
        """The part that is split first: maxima, which need no case, then conditionals; counts never are."""
        kinds = (_Largest, _CaseSum, _Indicator, _CountSum)
        return kinds.index(type(self._atoms[term[0]])), term[0]

    def _nodes(self, total: Affine, kind: type[_CountSum] | type[_Indicator]) -> list[tuple[Node, int]]:
        """The Booleans of the atoms of one kind, with their coefficients."""
        atoms = ((self._atoms[number], c) for number, c in total.terms)
        return [(atom.node, c) for atom, c in atoms if isinstance(atom, kind)]

    def _note_vote(self, total: Affine, node: Node) -> None:
        """Remember a Boolean that only adds up others: one unit above theirs computes it."""
        terms = self._nodes(total, _Indicator)
        if len(terms) == len(total.terms) > 1 and node not in (FALSE, TRUE):
            vote = combine([(read_feature(part), c) for part, c in terms]).plus(total.constant)
            self.circuit.votes.setdefault(node, vote)
            self.circuit.votes.setdefault(self.diagrams.negated(node), ONE - vote)
