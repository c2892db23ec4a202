"""Weighted sums of features as Booleans: where a sum has which value, and where it exceeds a number."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add

from idinf.compilation.diagrams import FALSE, TRUE, Diagrams, Node
from idinf.errors import BudgetError

__all__ = ["MAX_CASES", "Group", "VectorGroup", "cases_of", "exceeds", "switch", "vector_cases"]

#: Different values that a sum may have.
MAX_CASES = 256

#: Weights and Booleans of which exactly one holds.
Group = Sequence[tuple[int, Node]]
VectorGroup = Sequence[tuple[tuple[int, ...], Node]]


def switch(diagrams: Diagrams, weight: int, node: Node) -> Group:
    """A weight where a Boolean holds, 0 elsewhere."""
    return ((weight, node), (0, diagrams.negated(node)))


def cases_of(diagrams: Diagrams, groups: Sequence[Group], where: str) -> dict[int, Node]:
    """The values of a sum of one weight of each group, each with where it is taken.

    Raises
    ------
    BudgetError
        If there are more than `MAX_CASES`; ``where`` names the sum in the message.

    Examples
    --------
    >>> table = Diagrams()
    >>> x = table.above(table.variable(1), 0)
    >>> cases_of(table, [switch(table, 2, x), switch(table, -2, x)], "unit") == {0: TRUE}
    True
    """
    vectors = [[((weight,), node) for weight, node in group] for group in groups]
    return {total: node for (total,), node in vector_cases(diagrams, vectors, 1, where).items()}


def vector_cases(
    diagrams: Diagrams, groups: Sequence[VectorGroup], size: int, where: str
) -> dict[tuple[int, ...], Node]:
    """As `cases_of`, for vectors of a size."""
    cases = {(0,) * size: TRUE}
    for group in groups:
        grown: dict[tuple[int, ...], Node] = {}
        for total, node in cases.items():
            for weight, member in group:
                both = diagrams.both(node, member)
                if both != FALSE:
                    summed = tuple(map(add, total, weight))
                    grown[summed] = diagrams.either(grown.get(summed, FALSE), both)
        if len(grown) > MAX_CASES:
            raise BudgetError(
                f"{where}: its features add up to more than {MAX_CASES} different sums; expected fewer; "
                "a program would need a case for each"
            )
        cases = grown
    return cases


def exceeds(diagrams: Diagrams, groups: Sequence[Group], threshold: int) -> Node:
    """Where a sum of one weight of each group is above a number; nothing is asked once that is settled.

    Examples
    --------
    >>> table = Diagrams()
    >>> x, y = (table.above(table.variable(1), 0) for _ in range(2))
    >>> exceeds(table, [switch(table, 1, x), switch(table, 1, y)], 1) == table.both(x, y)
    True
    """
    # From the last group on, what must still be exceeded decides; least and most are what is left to come.
    least, most = [0], [0]
    for group in reversed(groups):
        least.append(least[-1] + min(weight for weight, _ in group))
        most.append(most[-1] + max(weight for weight, _ in group))
    known: dict[tuple[int, int], Node] = {}

    def _above(left: int, needed: int) -> Node:
        if least[left] > needed or most[left] <= needed:
            return TRUE if least[left] > needed else FALSE
        if (left, needed) not in known:
            node = FALSE
            for weight, member in groups[len(groups) - left]:
                node = diagrams.either(node, diagrams.both(member, _above(left - 1, needed - weight)))
            known[left, needed] = node
        return known[left, needed]

    return _above(len(groups), threshold)
