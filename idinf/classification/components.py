"""Strongly connected components of a table of successors, their cycle lengths modulo the period."""

from __future__ import annotations

from math import gcd

import numpy as np

from idinf.targets.machine import IntArray


def components(table: IntArray) -> IntArray:
    """Number the strongly connected components of a graph.

    Parameters
    ----------
    table : (n, k) ndarray of int64
        Row v lists the successors of v.

    Returns
    -------
    (n,) ndarray of int64
        The component of every vertex; a component that another one leads to has the smaller number.

    Examples
    --------
    >>> components(np.array([[1], [0], [1]])).tolist()
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


def levels(table: IntArray, component: IntArray) -> tuple[IntArray, IntArray]:
    """Distances inside each component from its first vertex, and the gcd of its cycle lengths.

    Returns
    -------
    level : (n,) ndarray of int64
        All walks inside a component from u to v have length level[v] - level[u] modulo its period.
    period : (number of components,) ndarray of int64
        0 for a single vertex without a loop.

    Examples
    --------
    >>> table = np.array([[1], [2], [0], [0]])
    >>> [array.tolist() for array in levels(table, components(table))]
    [[0, 1, 2, 0], [3, 0]]
    """
    successors, numbers = table.tolist(), component.tolist()
    level = [-1] * len(successors)
    period = [0] * (max(numbers, default=-1) + 1)
    for root, own in enumerate(numbers):
        if level[root] >= 0:
            continue
        level[root] = 0
        order = [root]
        for vertex in order:  # grows while it is read: breadth-first
            for following in successors[vertex]:
                if numbers[following] == own and level[following] < 0:
                    level[following] = level[vertex] + 1
                    order.append(following)
        for vertex in order:
            for following in successors[vertex]:
                if numbers[following] == own:
                    period[own] = gcd(period[own], level[vertex] + 1 - level[following])
    return np.array(level, dtype=np.int64), np.array(period, dtype=np.int64)
