"""Count expressions as sums, and their comparisons as Booleans: conditionals, min and max become cases."""

from __future__ import annotations

from dataclasses import dataclass, field

from idinf.compilation.circuit import UnitCircuit, Weighted
from idinf.compilation.diagrams import FALSE, TOO_MANY_CASES, TRUE, Node
from idinf.errors import BudgetError

__all__ = [
    "MAX_CASES",
    "CaseSum",
    "Comparisons",
    "CountSum",
    "Indicator",
    "Largest",
    "Total",
    "added",
    "constant",
    "times",
]


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
    then: Total
    otherwise: Total


@dataclass(frozen=True, slots=True)
class Largest:
    """max(C, C')."""

    left: Total
    right: Total


Atom = CountSum | Indicator | CaseSum | Largest


@dataclass(frozen=True, slots=True)
class Total:
    """Σ coefficient · atom + constant.

    Parameters
    ----------
    terms : tuple of (int, int)
        Number of an atom of `Comparisons`, coefficient other than 0; ascending.
    constant : int
    """

    terms: tuple[tuple[int, int], ...] = ()
    constant: int = 0


def constant(number: int) -> Total:
    """A number."""
    return Total((), number)


def times(total: Total, factor: int) -> Total:
    """A multiple; the maximum stays one, its coefficient may be negative."""
    return added(Total(), total, factor)


def added(left: Total, right: Total, factor: int = 1) -> Total:
    """C + factor · C'.

    Examples
    --------
    >>> added(Total(((5, 1),), 2), Total(((5, 1), (7, 2)), 1), -1)
    Total(terms=((7, -2),), constant=1)
    """
    terms = dict(left.terms)
    for atom, coefficient in right.terms:
        terms[atom] = terms.get(atom, 0) + factor * coefficient
    kept = tuple(sorted((a, c) for a, c in terms.items() if c))
    return Total(kept, left.constant + factor * right.constant)


@dataclass
class Comparisons:
    """The atoms of totals, and comparisons of totals with 0, each made once.

    Attributes
    ----------
    circuit : UnitCircuit
    """

    circuit: UnitCircuit
    _atoms: list[Atom] = field(default_factory=list)
    _numbers: dict[Atom, int] = field(default_factory=dict)
    _positive: dict[Total, Node] = field(default_factory=dict)

    def total(self, atom: Atom) -> Total:
        """An atom alone."""
        if atom not in self._numbers:
            self._numbers[atom] = len(self._atoms)
            self._atoms.append(atom)
        return Total(((self._numbers[atom], 1),))

    def positive(self, total: Total) -> Node:
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

    def _split(self, total: Total) -> Node:
        diagrams = self.circuit.diagrams
        for number, coefficient in sorted(total.terms, key=self._turn):
            rest = Total(tuple(term for term in total.terms if term[0] != number), total.constant)
            match self._atoms[number]:
                case Largest(left, right):
                    parts = [self.positive(added(rest, part, coefficient)) for part in (left, right)]
                    return diagrams.either(*parts) if coefficient > 0 else diagrams.both(*parts)
                case CaseSum(node, then, otherwise):
                    parts = [self.positive(added(rest, part, coefficient)) for part in (then, otherwise)]
                    return diagrams.choice(node, *parts)
                case Indicator(node):
                    parts = [self.positive(added(rest, constant(coefficient))), self.positive(rest)]
                    return diagrams.choice(node, *parts)
        atoms = [(self._atoms[number], c) for number, c in total.terms]
        counts = [(atom.node, c) for atom, c in atoms if isinstance(atom, CountSum)]
        return self.circuit.above(counts, -total.constant)

    def _turn(self, term: tuple[int, int]) -> tuple[int, int]:
        """What is split first: maxima, which need no case, then conditionals; counts never are."""
        kinds = (Largest, CaseSum, Indicator, CountSum)
        return kinds.index(type(self._atoms[term[0]])), term[0]

    def _note_vote(self, total: Total, node: Node) -> None:
        """Remember a Boolean that only adds up others: one unit above theirs computes it."""
        atoms = [(self._atoms[number], c) for number, c in total.terms]
        terms = tuple((atom.node, c) for atom, c in atoms if isinstance(atom, Indicator))
        if len(terms) == len(atoms) > 1 and node not in (FALSE, TRUE):
            opposite = tuple((part, -c) for part, c in terms)  # not C > 0 iff 1 − C > 0
            self.circuit.votes.setdefault(node, Weighted(terms, total.constant))
            self.circuit.votes.setdefault(
                self.circuit.diagrams.negated(node), Weighted(opposite, 1 - total.constant)
            )
