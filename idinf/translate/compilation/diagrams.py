"""Booleans as decision diagrams: equal functions are equal numbers, and common parts exist once.

A variable is a whole number that a position has: its token, its residue, a count, a bit of the past. A node
asks where its variable lies between ascending thresholds, so ``#a - #b > 0`` and ``#a - #b > 2`` are one
question with three answers.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise

from idinf.crasp.syntax import find_reached
from idinf.errors import BudgetError

Node = int

FALSE: Node = 0
TRUE: Node = 1

#: Nodes of all diagrams of a program together; what people write needs dozens.
MAX_NODES = 100_000

#: Different comparisons of a program, a count against several numbers being one; diagrams are recursed over.
MAX_VARIABLES = 250

TOO_MANY_CASES = (
    "the comparisons of the program split into too many cases; expected fewer conditionals, min, max and "
    "local counts inside of one comparison; compare their parts apart"
)

Branch = tuple[int, tuple[int, ...], tuple[Node, ...]]


@dataclass(eq=False)
class Diagrams:
    """A table of nodes; only its own methods may make them.

    ``layers`` has for every variable the layer that can first compare it with a threshold; no node asks for a
    variable of an earlier layer than that of a node above it. Variables of a layer come in order.
    ``branches`` has node k at place k; child number c is for values above exactly c of the thresholds.

    >>> table = Diagrams()
    >>> x = table.variable(1)
    >>> low, high = table.above(x, 0), table.above(x, 2)
    >>> table.both(low, high) == high, table.either(low, table.negated(low)) == TRUE
    (True, True)
    """

    layers: list[int] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=lambda: [(-1, (), ()), (-1, (), ())])
    _numbers: dict[Branch, Node] = field(default_factory=dict)
    _both: dict[tuple[Node, Node], Node] = field(default_factory=dict)
    _negated: dict[Node, Node] = field(default_factory=lambda: {FALSE: TRUE, TRUE: FALSE})

    def variable(self, layer: int) -> int:
        """A new variable.

        Raises `BudgetError` beyond `MAX_VARIABLES`.
        """
        if len(self.layers) >= MAX_VARIABLES:
            raise BudgetError(
                f"the program compares more than {MAX_VARIABLES} different counts; expected fewer; split it"
            )
        self.layers.append(layer)
        return len(self.layers) - 1

    def above(self, variable: int, threshold: int) -> Node:
        """A node that holds where a variable exceeds a threshold."""
        return self.node(variable, (threshold,), (FALSE, TRUE))

    def among(self, variable: int, held: Sequence[bool]) -> Node:
        """A node that holds where a variable with the values 0, 1, … has a marked one."""
        return self.node(variable, tuple(range(len(held) - 1)), tuple(TRUE if h else FALSE for h in held))

    def node(self, variable: int, thresholds: tuple[int, ...], children: tuple[Node, ...]) -> Node:
        """The node with these children, thresholds between equal ones left out.

        Raises `BudgetError` beyond `MAX_NODES`.
        """
        kept = [place for place in range(len(thresholds)) if children[place] != children[place + 1]]
        if not kept:
            return children[0]
        left = tuple(thresholds[place] for place in kept)
        branch = (variable, left, (*(children[place] for place in kept), children[-1]))
        if branch not in self._numbers:
            if len(self.branches) >= MAX_NODES:
                raise BudgetError(TOO_MANY_CASES)
            self._numbers[branch] = len(self.branches)
            self.branches.append(branch)
        return self._numbers[branch]

    def negated(self, node: Node) -> Node:
        """¬P."""
        if node not in self._negated:
            variable, thresholds, children = self.branches[node]
            flipped = self.node(variable, thresholds, tuple(map(self.negated, children)))
            self._negated[node], self._negated[flipped] = flipped, node
        return self._negated[node]

    def both(self, left: Node, right: Node) -> Node:
        """P ∧ P'."""
        if left in (right, FALSE) or right == TRUE:
            return left
        if left == TRUE or right == FALSE:
            return right
        key = (min(left, right), max(left, right))
        if key not in self._both:
            variable = min(self.branches[left][0], self.branches[right][0], key=self._rank)
            thresholds = sorted({*self._thresholds(left, variable), *self._thresholds(right, variable)})
            children = tuple(
                self.both(self._child(left, variable, bound), self._child(right, variable, bound))
                for bound in (-math.inf, *thresholds)
            )
            self._both[key] = self.node(variable, tuple(thresholds), children)
        return self._both[key]

    def either(self, left: Node, right: Node) -> Node:
        """P ∨ P'."""
        return self.negated(self.both(self.negated(left), self.negated(right)))

    def choice(self, condition: Node, then: Node, otherwise: Node) -> Node:
        """P where the condition holds, P' where it does not."""
        return self.either(self.both(condition, then), self.both(self.negated(condition), otherwise))

    def variables(self, node: Node) -> tuple[int, ...]:
        """The variables a diagram asks for, in order."""
        return tuple(sorted({self.branches[part][0] for part in self.parts(node)}, key=self._rank))

    def parts(self, node: Node) -> tuple[Node, ...]:
        """All nodes of a diagram but the constants, ascending."""
        parts = find_reached([node], lambda part: self.branches[part][2])
        return tuple(sorted(parts - {FALSE, TRUE}))

    def possible(self, node: Node, free: Iterable[int]) -> Node:
        """A node: P holds for some values of the free variables, whatever these are in truth."""
        wanted = frozenset(free)
        found = {FALSE: FALSE, TRUE: TRUE}
        for part in self._upwards(node):
            variable, thresholds, children = self.branches[part]
            results = tuple(found[child] for child in children)
            if variable in wanted:
                found[part] = reduce(self.either, results)
            else:
                found[part] = self.node(variable, thresholds, results)
        return found[node]

    def value(self, node: Node, held: Sequence[int]) -> Node:
        """`TRUE` or `FALSE`, where some variables are 1 and the others 0."""
        while node > TRUE:
            variable, thresholds, children = self.branches[node]
            node = children[bisect_left(thresholds, int(variable in held))]
        return node

    def at_least(self, variables: Sequence[int]) -> list[Node]:
        """Nodes that hold where at least 0, 1, … or all of some variables are above 0."""
        nodes = [TRUE] + [FALSE] * len(variables)
        for variable in reversed(variables):
            held = self.above(variable, 0)
            nodes = [TRUE, *(self.choice(held, fewer, same) for fewer, same in pairwise(nodes))]
        return nodes

    def remainders(self, node: Node, layer: int) -> dict[Node, Node]:
        """Split at a layer: what is still asked from that layer on, each with the condition that leads there.

        The conditions exclude each other and one of them holds.
        """
        found: dict[Node, dict[Node, Node]] = {FALSE: {FALSE: TRUE}, TRUE: {TRUE: TRUE}}
        for part in self._upwards(node):
            variable, thresholds, children = self.branches[part]
            if self.layers[variable] >= layer:
                found[part] = {part: TRUE}
                continue
            below = [found[child] for child in children]
            found[part] = {
                rest: self.node(variable, thresholds, tuple(b.get(rest, FALSE) for b in below))
                for rest in dict.fromkeys(rest for b in below for rest in b)
            }
        return found[node]

    def groups(self, node: Node) -> list[tuple[Node, Node]]:
        """The answers to the topmost question: (the condition on its variable, what is left to decide)."""
        variable, thresholds, children = self.branches[node]
        return [
            (self.node(variable, thresholds, tuple(TRUE if c == child else FALSE for c in children)), child)
            for child in dict.fromkeys(children)
        ]

    def num_paths(self, node: Node) -> int:
        """The number of `paths`."""
        counts = {FALSE: 0, TRUE: 1}
        for part in self._upwards(node):
            counts[part] = sum(counts[child] for child in dict.fromkeys(self.branches[part][2]))
        return counts[node]

    def paths(self, node: Node) -> list[tuple[Node, ...]]:
        """Conjunctions of conditions on one variable each that exclude each other; their union is P."""
        if node <= TRUE:
            return [()] if node == TRUE else []
        return [(here, *rest) for here, child in self.groups(node) for rest in self.paths(child)]

    def _upwards(self, node: Node) -> tuple[Node, ...]:
        """All parts of a diagram, children before parents."""
        return tuple(sorted(self.parts(node), key=lambda part: self._rank(self.branches[part][0])))[::-1]

    def _rank(self, variable: int) -> tuple[int, int]:
        return self.layers[variable], variable

    def _thresholds(self, node: Node, variable: int) -> tuple[int, ...]:
        return self.branches[node][1] if self.branches[node][0] == variable else ()

    def _child(self, node: Node, variable: int, bound: float) -> Node:
        """The rest of a node where its variable is the next value above a bound."""
        asked, thresholds, children = self.branches[node]
        return children[bisect_right(thresholds, bound)] if asked == variable else node
