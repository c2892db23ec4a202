"""Booleans that ask how often another held at distances in a row: one head tells, not one for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from idinf.translation.diagrams import FALSE, TRUE, Diagrams, Node
from idinf.translation.gates import Counted, Recalled
from idinf.translation.local_counts import telling

__all__ = ["fused"]


def fused(
    diagrams: Diagrams,
    compared: Mapping[int, Counted | Recalled],
    node: Node,
    variable_of: Callable[[Recalled], int],
) -> Node:
    """A Boolean with its questions about single distances joined; the same one where that does not do.

    Parameters
    ----------
    diagrams : Diagrams
    compared : dict of int to (Counted or Recalled)
        What variables stand for.
    node : Node
    variable_of : callable
        Makes the variable of several distances, if it is not there yet.

    Examples
    --------
    >>> from idinf.translation.circuit import Circuit
    >>> circuit = Circuit(2, 1)
    >>> before = [circuit.recalled(distance, circuit.symbol(0)) for distance in (1, 2)]
    >>> twice = circuit.diagrams.both(*before)
    >>> circuit.units.layer(circuit.value(twice)), circuit.units.made[-1].head
    (1, (1, 2))
    """
    layer = max((diagrams.layers[v] for v in diagrams.variables(node)), default=0)
    result = FALSE
    for rest, condition in diagrams.remainders(node, layer).items():
        joined = rest
        if len(diagrams.variables(rest)) > 1:
            found = _joined(diagrams, compared, rest, variable_of)
            if found is None:
                return node
            joined = found
        result = diagrams.either(result, diagrams.both(condition, joined))
    return result


def _joined(
    diagrams: Diagrams,
    compared: Mapping[int, Counted | Recalled],
    rest: Node,
    variable_of: Callable[[Recalled], int],
) -> Node | None:
    """At least m hits at distances in a row, or fewer; None if it asks for something else."""
    asked = {v: compared[v] for v in diagrams.variables(rest) if v in compared}
    past = {v: c for v, c in asked.items() if isinstance(c, Recalled) and c.width == 1}
    distances = sorted(c.distance for c in past.values())
    width = len(diagrams.variables(rest))
    if len(past) < width or distances != list(range(distances[0], distances[0] + width)):
        return None
    values = {c.values for c in past.values()}
    if len(values) > 1:
        return None
    opposite = diagrams.negated(rest)
    for hits, node in enumerate(_at_least(diagrams, list(past), width)):
        if node in (rest, opposite) and hits and telling(distances[0], width, hits):
            wide = Recalled(values.pop(), distances[0], width)
            enough = diagrams.above(variable_of(wide), hits - 1)
            return enough if node == rest else diagrams.negated(enough)
    return None


def _at_least(diagrams: Diagrams, variables: list[int], most: int) -> list[Node]:
    """Whether 0, 1, … `most` of some variables are above 0."""
    nodes = [TRUE] + [FALSE] * most
    for variable in reversed(variables):
        held = diagrams.above(variable, 0)
        nodes = [TRUE, *(diagrams.choice(held, nodes[m - 1], nodes[m]) for m in range(1, most + 1))]
    return nodes
