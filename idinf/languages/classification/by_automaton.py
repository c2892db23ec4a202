"""Findings, and those that the minimal DFA alone decides: R-trivial, piecewise testable, definite, finite.

It decides them in polynomial time, where the syntactic monoid of V states may have V^V elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from idinf.base.words import Alphabet, Word
from idinf.spec.spec import Verdict
from idinf.targets.machine import IntArray, find_least_word
from idinf.targets.regular import RegularTarget

#: Longer words are told by their beginning and their length.
LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict with its reason: a theorem or construction, and a witness where there is one.

    `notes`: what a proof by counts lets every position show: how many of the last symbols, and the length
    modulo which number.
    """

    verdict: Verdict
    reason: str
    notes: tuple[int, int] | None = None

    @property
    def is_yes(self) -> bool:
        """True if membership is proved."""
        return self.verdict is Verdict.YES

    @property
    def is_no(self) -> bool:
        """True if membership is refuted."""
        return self.verdict is Verdict.NO

    def to_dict(self) -> dict[str, str]:
        """The object of --json."""
        return {"verdict": str(self.verdict), "reason": self.reason}


#: A proved membership, a refuted one, and neither, each with its reason.
yes, no, unknown = (partial(Finding, verdict) for verdict in (Verdict.YES, Verdict.NO, Verdict.UNKNOWN))


def show_word(alphabet: Alphabet, codes: Word) -> str:
    """A word inside a reason: ε for the empty one, long ones by their beginning.

    >>> sigma = Alphabet(("a", "b"))
    >>> show_word(sigma, ()), show_word(sigma, (0, 1)), show_word(sigma, (0,) * 41)[-18:]
    ('ε', 'ab', 'a… (41 characters)')
    """
    word = alphabet.decode(codes)
    if len(word) <= LONGEST_SHOWN:
        return word or "ε"
    return f"{word[:LONGEST_SHOWN]}… ({len(word)} characters)"


def word_to(machine: RegularTarget, state: int) -> str:
    """A least word that leads to a state: what a reader can check, unlike its number.

    >>> machine = RegularTarget.from_regex("(ab)*", Alphabet(("a", "b")))
    >>> [word_to(machine, state) for state in range(3)]
    ['ε', 'a', 'b']
    """
    return show_word(machine.alphabet, find_least_word(machine.table, state))


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


def decide_r_trivial(machine: RegularTarget) -> Finding:
    """Decide whether the syntactic monoid is R-trivial: iff the minimal DFA is partially ordered."""
    component = number_components(machine.table)
    order = np.argsort(component, kind="stable")
    repeated = np.flatnonzero(component[order][1:] == component[order][:-1])
    if not len(repeated):
        return yes("the minimal DFA is partially ordered: no state is met again once left (Brzozowski, Fich)")
    one, other = order[repeated[0] : repeated[0] + 2].tolist()
    return no(
        f"after {word_to(machine, one)} and after {word_to(machine, other)} the minimal DFA is in two states "
        "that reach each other (Brzozowski, Fich)"
    )


def decide_piecewise_testable(machine: RegularTarget, ordered: Finding) -> Finding:
    """Decide piecewise testability, a J-trivial monoid: partially ordered and confluent.

    Partially ordered, a DFA is confluent iff for any two symbols a and b every state has one place where
    reading a and b ends: then q·a and q·b meet on words over {a, b}, and conversely, by Newman's lemma.
    """
    if not ordered.is_yes:
        return no(f"not R-trivial, as a J-trivial monoid is (Simon 1975): {ordered.reason}")
    table, symbols = machine.table, machine.alphabet.symbols
    for one in range(len(symbols)):
        for other in range(one):
            ends = _ends(table[:, one], table[:, other])
            split = ends[table[:, one]] != ends[table[:, other]]
            if split.any():
                state = int(np.argmax(split))
                return no(
                    f"after {word_to(machine, state)}, words over {symbols[other]} and {symbols[one]} that "
                    "begin differently never meet in the minimal DFA (Simon 1975; Klíma, Polák 2013)"
                )
    return yes("the minimal DFA is partially ordered and confluent (Simon 1975; Klíma, Polák 2013)")


def is_finite_or_cofinite(machine: RegularTarget) -> bool:
    """True if the words of the language, or those outside it, are finitely many."""
    table = machine.table
    component = number_components(table)
    on_cycle = np.flatnonzero(measure_levels(table, component)[1][component])
    # Only one state may lie on a cycle, and it is a sink then: some state always does.
    return len(on_cycle) == 1 and bool((table[on_cycle] == on_cycle).all())


def _ends(one: IntArray, other: IntArray) -> IntArray:
    """The state that reading one and other in turn ends in, by state of a partially ordered DFA; (V,)."""
    power = other[one]
    for _ in range(len(one).bit_length()):
        power = power[power]
    return power


@dataclass(frozen=True, slots=True)
class EndLengths:
    """So many first and last symbols decide whether a word that has as many is in a language."""

    first: int
    last: int

    def __str__(self) -> str:
        parts = [f"first {self.first}" if self.first else "", f"last {self.last}" if self.last else ""]
        kind = "generalised " if self.first and self.last else "reverse " if self.first else ""
        return f"{kind}definite: the {' and '.join(filter(None, parts))} symbols of a word decide"


def find_ends(table: IntArray) -> EndLengths | None:
    """Numbers of symbols at both ends that decide, by a minimal complete DFA, (V, |Σ|); else None.

    This is so iff e·s·e = e for all idempotents e of the syntactic semigroup and all s. If a cycle of the DFA
    can be left, take a word e that goes around it and s that leaves it; and if two states of a component
    return to themselves by one word e, take s that leads from one to the other. So a component with a
    cycle must be closed, and words of one length must lead all its states to one. Conversely a word then
    enters a closed component by its first symbols, and by its last ones forgets where.
    """
    component = number_components(table)
    leaves = np.zeros(int(component.max()) + 1, dtype=np.bool_)
    leaves[component[(component[table] != component[:, None]).any(axis=1)]] = True
    is_cyclic = measure_levels(table, component)[1] > 0
    if (leaves & is_cyclic).any():
        return None
    closed = ~leaves[component]
    # States that words of length ``last`` lead to one, merged; others keep numbers of their own.
    classes, number, last = np.arange(len(table)), len(table), 0
    wanted = len(np.unique(component[closed])) + int((~closed).sum())
    while number > wanted:
        rows = np.where(closed[:, None], classes[table], -1 - np.arange(len(table))[:, None])
        classes = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        merged = int(classes.max()) + 1
        if merged == number:
            return None
        number, last = merged, last + 1
    first, frontier = 0, np.zeros(1, dtype=np.int64)
    while len(frontier := frontier[~closed[frontier]]):
        first, frontier = first + 1, np.unique(table[frontier])
    return EndLengths(first, last)
