"""Booleans that ask how often another held at distances in a row: one head tells, not one for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from idinf.compilation.diagrams import FALSE, TRUE, Diagrams, Node
from idinf.compilation.gates import Counted, Recalled
from idinf.compilation.local_counts import telling


def fuse_windows(
    diagrams: Diagrams,
    compared: Mapping[int, Counted | Recalled],
    node: Node,
    variable_of: Callable[[Recalled], int],
) -> Node:
    """A Boolean with its questions about single distances joined; the same one where that does not do.

    ``compared`` is what variables stand for; ``variable_of`` makes the variable of several distances, if it
    is not there yet.

    Examples
    --------
    >>> from idinf.compilation.circuit import UnitCircuit
    >>> circuit = UnitCircuit(2, 1)
    >>> before = [circuit.recalled(distance, circuit.symbol(0)) for distance in (1, 2)]
    >>> twice = circuit.diagrams.both(*before)
    >>> circuit.units.layer(circuit.value(twice)), circuit.units.made[-1].head
    (1, (1, 2))
    """
    layer = max((diagrams.layers[v] for v in diagrams.variables(node)), default=0)
    result = FALSE
    for rest, condition in diagrams.remainders(node, layer).items():
        joined: Node | None = rest
        if len(diagrams.variables(rest)) > 1:
            joined = _joined(diagrams, compared, rest, variable_of)
        if joined is None:
            return node
        result = diagrams.either(result, diagrams.both(condition, joined))
    return result


def _joined(
    diagrams: Diagrams,
    compared: Mapping[int, Counted | Recalled],
    rest: Node,
    variable_of: Callable[[Recalled], int],
) -> Node | None:
    """A Boolean of the number of hits at distances in a row; None if it asks for something else."""
    asked = {v: compared[v] for v in diagrams.variables(rest) if v in compared}
    past = {v: c for v, c in asked.items() if isinstance(c, Recalled) and c.width == 1}
    distances = sorted(c.distance for c in past.values())
    width = len(diagrams.variables(rest))
    if len(past) < width or distances != list(range(distances[0], distances[0] + width)):
        return None
    values = {c.values for c in past.values()}
    held = [_holds(diagrams, rest, set(list(past)[:hits])) for hits in range(1 + width)]
    steps = [hits for hits in range(1, 1 + width) if held[hits] != held[hits - 1]]
    if len(values) > 1 or not all(telling(distances[0], width, hits) for hits in steps):
        return None
    counted, at_least = TRUE if held[0] else FALSE, _at_least(diagrams, list(past), width)
    for hits in steps:
        counted = diagrams.choice(at_least[hits], TRUE if held[hits] else FALSE, counted)
    if counted != rest:  # it tells the distances apart
        return None
    answers = (TRUE if held[hits] else FALSE for hits in (0, *steps))
    wide = variable_of(Recalled(values.pop(), distances[0], width))
    return diagrams.node(wide, tuple(hits - 1 for hits in steps), tuple(answers))


def _holds(diagrams: Diagrams, node: Node, held: set[int]) -> bool:
    """The value where some variables are 1 and the others 0."""
    while node > TRUE:
        variable, thresholds, children = diagrams.branches[node]
        node = children[sum(t < int(variable in held) for t in thresholds)]
    return node == TRUE


def _at_least(diagrams: Diagrams, variables: list[int], most: int) -> list[Node]:
    """Whether 0, 1, … `most` of some variables are above 0."""
    nodes = [TRUE] + [FALSE] * most
    for variable in reversed(variables):
        held = diagrams.above(variable, 0)
        nodes = [TRUE, *(diagrams.choice(held, nodes[m - 1], nodes[m]) for m in range(1, most + 1))]
    return nodes
