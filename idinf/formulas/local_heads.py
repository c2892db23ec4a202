"""The sign of a unit over a local head, for every N: the heavy keys one by one, the others by their bounds.

At a query i a head with φ gives the key i − k the weight N^φ(k), and 1 to every other one. A unit fires iff
T = Σ_k N^φ(k) · a_{i−k} + Σ_{other j} a_j > 0, where a_j is the value of key j plus what the unit's own
features and its bias add. The values of the heavy keys are told apart by Booleans of the past. Where they
leave a polynomial in N that is not 0, the others, each between two bounds, must not be able to change the
sign, whatever N is; in the last layer the only position that counts is the last one, so there N = i + 1.
At a position within the reach of φ all keys are told apart if the bounds do not decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from idinf.compilation.circuit import UnitCircuit
from idinf.compilation.diagrams import FALSE, TRUE, Node
from idinf.formulas.n_free import MAX_TRIED, at, first_settled, never_positive, plus, positive

__all__ = ["MAX_EXCEPTIONS", "LocalUnit", "Unsettled"]

#: Lengths of the input that are compared one by one, where the leading term of N does not decide yet.
MAX_EXCEPTIONS = 32

Heavy = Mapping[int, int]


class Unsettled(Exception):
    """The answer of a unit depends on N, or on N in a way that no comparison of counts expresses."""


@dataclass(frozen=True, slots=True)
class LocalUnit:
    """A unit at positions where its own features add one number.

    Parameters
    ----------
    circuit : UnitCircuit
    values : dict of int to Node
        The values of keys, each with where it is taken.
    at_sos : int
        The value of SOS.
    counts : tuple of (Node, int)
        Σ coefficient · #P is what the keys j ≥ 1 have as values together.
    own : int
        What the unit's own features and its bias add.
    exponents : dict of int to int
        φ(k) > 0 by distance k, at least one.
    last : bool
        Whether the unit is of the last layer, where N = i + 1.
    """

    circuit: UnitCircuit
    values: dict[int, Node]
    at_sos: int
    counts: tuple[tuple[Node, int], ...]
    own: int
    exponents: dict[int, int]
    last: bool

    def fires(self, where: Node) -> Node:
        """Whether T > 0, right at every position where a condition holds.

        Raises
        ------
        Unsettled
            If that depends on N.
        """
        return self._told_apart(where, 0, sorted(self.exponents), {})

    def _told_apart(self, where: Node, first: int, distances: list[int], heavy: Heavy) -> Node:
        """T > 0 at positions i ≥ first, with the values at some distances known and at others to be asked."""
        if not distances:
            return self._beyond(heavy) if self._feasible(where) else FALSE
        distance, *further = distances
        # No value at a distance k: i ≤ k. What cannot be is left free, so the order matters to size only.
        node = self._within(where, first, distance, heavy)
        branches = [
            (held, self._told_apart(both, distance + 1, further, {**heavy, distance: value + self.own}))
            for value, held in self._in_word().items()
            if (both := self.circuit.diagrams.both(where, self._past(distance, held))) != FALSE
        ]
        for held, branch in sorted(branches, key=lambda option: option[1] != node):
            node = self.circuit.diagrams.choice(self._past(distance, held), branch, node)
        return node

    def _within(self, where: Node, first: int, last: int, heavy: Heavy) -> Node:
        """T > 0 at the positions first..last, of which the last one has SOS at a heavy distance."""
        node = self._at(where, last, heavy)
        for position in range(last - 1, first - 1, -1):
            later = self._later(position)
            node = self.circuit.diagrams.choice(later, node, self._at(where, position, heavy))
        return node

    def _at(self, where: Node, position: int, heavy: Heavy) -> Node:
        """T > 0 at one position i: SOS is the key at the distance i."""
        diagrams = self.circuit.diagrams
        in_word = self.circuit.in_word()
        where = diagrams.both(where, in_word if position else diagrams.negated(in_word))
        if where == FALSE:
            return FALSE
        known = {**heavy, position: self.at_sos + self.own}
        weighed = plus(*({self.exponents.get(d, 0): a} for d, a in known.items()))
        ends = [plus(weighed, {0: (position + 1 - len(known)) * bound}) for bound in self._bounds()]
        sign = self._sign(ends[:1], ends[1:], position + 1, only=self.last)
        if sign is not None:
            return sign
        unknown = next((d for d in range(position) if d not in known), None)
        if unknown is None:
            raise Unsettled
        return self._asked(
            where, unknown, lambda both, value: self._at(both, position, {**heavy, unknown: value})
        )

    def _asked(self, where: Node, distance: int, then: Callable[[Node, int], Node]) -> Node:
        """One answer for each value at a distance at which there is one."""
        node = FALSE
        for value, held in self._in_word().items():
            both = self.circuit.diagrams.both(where, self._past(distance, held))
            if both != FALSE:
                branch = then(both, value + self.own)
                node = self.circuit.diagrams.choice(self._past(distance, held), branch, node)
        return node

    def _beyond(self, heavy: Heavy) -> Node:
        """T > 0 at positions i beyond the reach of φ, all heavy keys known."""
        weighed = plus(*({self.exponents[d]: a} for d, a in heavy.items()))
        sos = self.at_sos + self.own
        reach, others = max(heavy), -len(heavy)  # other keys j ≥ 1, less i
        low, high = (
            [
                plus(weighed, {0: sos + (reach + 1 + others) * bound}),  # i = reach + 1
                plus(weighed, {1: bound, 0: sos + (others - 1) * bound}),  # i = N − 1
            ][self.last :]
            for bound in self._bounds()
        )
        sign = self._sign(low, high, reach + 2)
        if sign is not None:
            return sign
        if not weighed:
            return self._compared(-sum(heavy.values()))
        if not self.last:
            raise Unsettled
        return self._at_the_end(weighed, heavy, low[0], high[0])

    def _sign(
        self, low: list[dict[int, int]], high: list[dict[int, int]], start: int, only: bool = False
    ) -> Node | None:
        """TRUE or FALSE where bounds decide for every N ≥ start, or for that N only."""
        if all(at(part, start) > 0 if only else positive(part, start) for part in low):
            return TRUE
        if all(at(part, start) <= 0 if only else never_positive(part, start) for part in high):
            return FALSE
        return None

    def _at_the_end(
        self, weighed: dict[int, int], heavy: Heavy, low: dict[int, int], high: dict[int, int]
    ) -> Node:
        """With N = i + 1: a comparison if the weights are linear in N, else cases of small N and the rest."""
        less = -sum(heavy.values())
        if max(weighed) == 1:
            return self._compared(less, weighed[1])
        start = max(MAX_TRIED if N is None else N for N in (first_settled(low), first_settled(high)))
        tail = self._sign([low], [high], start)
        if tail is None or start > max(heavy) + 2 + MAX_EXCEPTIONS:
            raise Unsettled
        node = tail
        for N in range(start - 1, max(heavy) + 1, -1):
            here = self._compared(at(weighed, N) + less)
            node = self.circuit.diagrams.choice(self._later(N - 1), node, here)
        return node

    def _compared(self, number: int, per_position: int = 0) -> Node:
        """Σ v + (i + 1) · (own + per_position) + number > 0."""
        own = self.own + per_position
        return self.circuit.above([*self.counts, (TRUE, own)], -self.at_sos - own - number)

    def _later(self, position: int) -> Node:
        """i > position."""
        return self.circuit.above([(TRUE, 1)], position) if position else self.circuit.in_word()

    def _past(self, distance: int, held: Node) -> Node:
        return self.circuit.recalled(distance, held)

    def _feasible(self, where: Node) -> bool:
        return self.circuit.diagrams.both(where, self.circuit.in_word()) != FALSE

    def _in_word(self) -> dict[int, Node]:
        """The values of keys j ≥ 1."""
        return {value: node for value, node in self.values.items() if self._feasible(node)}

    def _bounds(self) -> tuple[int, int]:
        """Bounds on what a key j ≥ 1 adds."""
        values = self._in_word()
        return min(values) + self.own, max(values) + self.own
