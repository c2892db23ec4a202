"""Counts as sums of atoms, and their comparisons as Booleans: conditionals, min and max become cases."""

from __future__ import annotations

from dataclasses import dataclass, field

from idinf.affine import ONE, Affine, combination, feature
from idinf.compilation.circuit import UnitCircuit
from idinf.compilation.diagrams import FALSE, TOO_MANY_CASES, TRUE, Node
from idinf.errors import BudgetError

#: Comparisons that conditionals, maxima and local counts of a program may split into.
MAX_CASES = 20_000


@dataclass(frozen=True, slots=True)
class CountSum:
    """#P over all positions up to here."""

    node: Node


@dataclass(frozen=True, slots=True)
class Indicator:
    """1 where P holds, 0 elsewhere."""

    node: Node


@dataclass(frozen=True, slots=True)
class CaseSum:
    """C where P holds, C' elsewhere."""

    node: Node
    then: Affine
    otherwise: Affine


@dataclass(frozen=True, slots=True)
class Largest:
    """max(C, C')."""

    left: Affine
    right: Affine


Atom = CountSum | Indicator | CaseSum | Largest


@dataclass
class Comparisons:
    """The atoms of counts, each with a number, and comparisons of sums of them with 0, each made once.

    Attributes
    ----------
    circuit : UnitCircuit
    """

    circuit: UnitCircuit
    _atoms: list[Atom] = field(default_factory=list)
    _numbers: dict[Atom, int] = field(default_factory=dict)
    _positive: dict[Affine, Node] = field(default_factory=dict)

    def total(self, atom: Atom) -> Affine:
        """An atom alone."""
        if atom not in self._numbers:
            self._numbers[atom] = len(self._atoms)
            self._atoms.append(atom)
        return feature(self._numbers[atom])

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
        diagrams = self.circuit.diagrams
        for number, coefficient in sorted(total.terms, key=self._turn):
            rest = total - feature(number).times(coefficient)
            match self._atoms[number]:
                case Largest(left, right):
                    parts = [self.positive(rest + part.times(coefficient)) for part in (left, right)]
                    return diagrams.either(*parts) if coefficient > 0 else diagrams.both(*parts)
                case CaseSum(node, then, otherwise):
                    parts = [self.positive(rest + part.times(coefficient)) for part in (then, otherwise)]
                    return diagrams.choice(node, *parts)
                case Indicator(node):
                    parts = [self.positive(rest.plus(coefficient)), self.positive(rest)]
                    return diagrams.choice(node, *parts)
        atoms = [(self._atoms[number], c) for number, c in total.terms]
        counts = [(atom.node, c) for atom, c in atoms if isinstance(atom, CountSum)]
        return self.circuit.above(counts, -total.constant)

    def _turn(self, term: tuple[int, int]) -> tuple[int, int]:
        """What is split first: maxima, which need no case, then conditionals; counts never are."""
        kinds = (Largest, CaseSum, Indicator, CountSum)
        return kinds.index(type(self._atoms[term[0]])), term[0]

    def _note_vote(self, total: Affine, node: Node) -> None:
        """Remember a Boolean that only adds up others: one unit above theirs computes it."""
        atoms = [(self._atoms[number], c) for number, c in total.terms]
        terms = [(atom.node, c) for atom, c in atoms if isinstance(atom, Indicator)]
        if len(terms) == len(atoms) > 1 and node not in (FALSE, TRUE):
            vote = combination([(feature(part), c) for part, c in terms]).plus(total.constant)
            self.circuit.votes.setdefault(node, vote)
            self.circuit.votes.setdefault(self.circuit.diagrams.negated(node), ONE - vote)
