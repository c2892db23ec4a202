"""Strongly connected components of a table of successors, their cycle lengths modulo the period."""

from __future__ import annotations

import numpy as np

from idinf.targets.machine import IntArray


def number_components(table: IntArray) -> IntArray:
    """Number the strongly connected components of a graph.

    Row v of the table, (n, k), lists the successors of v. A component that another one leads to has the
    smaller number; (n,).

    >>> number_components(np.array([[1], [0], [1]])).tolist()
    [0, 0, 1]
    """
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(table)))
    graph.add_edges_from((vertex, after) for vertex, row in enumerate(table.tolist()) for after in row)
    merged = nx.condensation(graph)
    number = np.empty(len(table), dtype=np.int64)
    for count, part in enumerate(reversed(list(nx.topological_sort(merged)))):
        number[list(merged.nodes[part]["members"])] = count
    return number


def measure_levels(table: IntArray, component: IntArray) -> tuple[IntArray, IntArray]:
    """Distances inside each component from its first vertex, and the gcd of its cycle lengths.

    Walks inside a component from u to v have the length level[v] - level[u] modulo its period; levels are
    (n,). The period, (number of components,), of a single vertex without a loop is 0.

    >>> table = np.array([[1], [2], [0], [0]])
    >>> [array.tolist() for array in measure_levels(table, number_components(table))]
    [[0, 1, 2, 0], [3, 0]]
    """
    inside = component[table] == component[:, None]
    level = np.full(len(table), -1, dtype=np.int64)
    frontier, distance = np.unique(component, return_index=True)[1], 0
    while len(frontier):  # breadth-first, in all components at once
        level[frontier] = distance
        frontier = np.unique(table[frontier][inside[frontier]])
        frontier, distance = frontier[level[frontier] < 0], distance + 1
    source, symbol = np.nonzero(inside)
    period = np.zeros(int(component.max(initial=-1)) + 1, dtype=np.int64)
    np.gcd.at(period, component[source], level[source] + 1 - level[table[source, symbol]])
    return level, period
