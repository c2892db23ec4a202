"""The classes by their definitions, on whole monoids and all simple cycles; shares nothing with the package.

A DFA is a pair (rows of successors, accepting states), state 0 being the start; a transformation is a tuple.
"""

import itertools
import random
from fractions import Fraction

Table = tuple[tuple[int, ...], ...]
Element = tuple[int, ...]


def random_dfa(rng: random.Random, most_states: int, size: int) -> tuple[Table, tuple[bool, ...]]:
    """Some DFA, half of them with a sink, a third of them drifting forwards."""
    states = rng.randint(1, most_states)
    kind = rng.random()
    rows = []
    for state in range(states):
        low = state if kind < 0.3 else max(0, state - 1) if kind < 0.5 else 0
        rows.append([rng.randrange(low, states) for _ in range(size)])
    if rng.random() < 0.5:
        for row in rows:
            for code in range(size):
                if rng.random() < 0.3:
                    row[code] = states - 1
        rows[-1] = [states - 1] * size
    return tuple(map(tuple, rows)), tuple(rng.random() < 0.5 for _ in range(states))


def minimal(table: Table, accepting: tuple[bool, ...]) -> tuple[Table, tuple[bool, ...]]:
    """The minimal complete DFA, by Moore's algorithm."""
    reached = [0]
    for state in reached:
        reached += [q for q in dict.fromkeys(table[state]) if q not in reached]
    block = {q: int(accepting[q]) for q in reached}
    while True:
        signature = {q: (block[q], *(block[p] for p in table[q])) for q in reached}
        names = {s: number for number, s in enumerate(dict.fromkeys(signature.values()))}
        finer = {q: names[signature[q]] for q in reached}
        if len(set(finer.values())) == len(set(block.values())):
            break
        block = finer
    first: dict[int, int] = {}
    for q in reached:
        first.setdefault(block[q], q)
    number = {own: place for place, own in enumerate(first)}
    rows = tuple(tuple(number[block[p]] for p in table[q]) for q in first.values())
    return rows, tuple(accepting[q] for q in first.values())


def then(x: Element, y: Element) -> Element:
    """First x, then y."""
    return tuple(y[state] for state in x)


def letters(table: Table) -> list[Element]:
    """How each symbol acts."""
    return list(zip(*table, strict=True))


def monoid(table: Table) -> list[Element]:
    """All products of symbols, by plain closure."""
    identity = tuple(range(len(table)))
    found = [identity]
    known = {identity}
    for x in found:
        for y in letters(table):
            if then(x, y) not in known:
                known.add(then(x, y))
                found.append(then(x, y))
    return found


def omega(x: Element) -> Element:
    """The idempotent power."""
    power = x
    while then(power, power) != power:
        power = then(power, x)
    return power


def is_aperiodic(elements: list[Element]) -> bool:
    """x^n = x^(n+1) for n as large as the monoid."""
    for x in elements:
        power = x
        for _ in elements:
            power = then(power, x)
        if then(power, x) != power:
            return False
    return True


def is_quasi_aperiodic(table: Table) -> bool:
    """No image of Σ^t contains a group of two elements, for every t; the images repeat."""
    images = [frozenset(letters(table))]
    while True:
        following = frozenset(then(x, y) for x in images[-1] for y in letters(table))
        if following in images:
            break
        images.append(following)
    for image in images:
        for g in image:
            cyclic = [g]
            while then(cyclic[-1], g) not in cyclic:
                cyclic.append(then(cyclic[-1], g))
            if then(cyclic[-1], g) == g and len(cyclic) > 1 and set(cyclic) <= image:
                return False
    return True


def is_r_trivial(elements: list[Element]) -> bool:
    """x·M = y·M only for x = y."""
    return len({frozenset(then(x, m) for m in elements) for x in elements}) == len(elements)


def is_j_trivial(elements: list[Element]) -> bool:
    """M·x·M = M·y·M only for x = y."""
    ideals = {
        frozenset(then(then(left, x), right) for left in elements for right in elements) for x in elements
    }
    return len(ideals) == len(elements)


def is_in_da(elements: list[Element]) -> bool:
    """(xyz)^ω y (xyz)^ω = (xyz)^ω."""
    for x, y, z in itertools.product(elements, repeat=3):
        power = omega(then(then(x, y), z))
        if then(then(power, y), power) != power:
            return False
    return True


def satisfies_knast(table: Table) -> bool:
    """Knast's equation on the images of non-empty words, all quadruples."""
    semigroup = set(letters(table))
    while True:
        larger = semigroup | {then(x, y) for x in semigroup for y in letters(table)}
        if larger == semigroup:
            break
        semigroup = larger
    idempotents = [e for e in semigroup if then(e, e) == e]
    for e, f in itertools.product(idempotents, repeat=2):
        there = {then(then(e, x), f) for x in semigroup}
        back = {then(then(f, x), e) for x in semigroup}
        for p, q, r, s in itertools.product(there, back, there, back):
            first, last = omega(then(p, q)), omega(then(r, s))
            if then(then(then(first, p), s), last) != then(first, last):
                return False
    return True


def is_in_crasp(table: Table, accepting: tuple[bool, ...]) -> bool:
    """Whether a program that reads the last symbol decides it: counts decide Lσ⁻¹ for every σ."""
    quotients = [tuple(accepting[row[code]] for row in table) for code in range(len(table[0]))]
    return all(is_decided_by_counts(minimal(table, ends)[0]) for ends in quotients)


def is_decided_by_counts(table: Table) -> bool:
    """The decision procedure word for word: labels of edges, a garbage state, every simple cycle."""
    return all(_component_is_separated(table, part) for part in components_by_reach(table))


def components_by_reach(table: Table) -> list[set[int]]:
    reach = []
    for state in range(len(table)):
        seen = [state]
        for q in seen:
            seen += [p for p in dict.fromkeys(table[q]) if p not in seen]
        reach.append(set(seen))
    parts = []
    for state in range(len(table)):
        part = {q for q in reach[state] if state in reach[q]}
        if part not in parts:
            parts.append(part)
    return parts


GARBAGE = -1


def _component_is_separated(table: Table, part: set[int]) -> bool:
    inner = [(q, code, p) for q in sorted(part) for code, p in enumerate(table[q]) if p in part]
    symbols = sorted({code for _, code, _ in inner})
    edges = list(inner)
    for q in sorted(part):
        edges += [(q, code, GARBAGE) for code in symbols if table[q][code] not in part]
    labels: dict[tuple[int, int, int], object] = {edge: edge[1] for edge in edges}
    while True:
        names = list(dict.fromkeys(labels.values()))
        rows = [
            [Fraction(sum(labels[edge] == name for edge in cycle)) for name in names]
            for cycle in _simple_cycles(inner)
        ]
        basis = fraction_kernel(rows, len(names))
        numbers = {name: tuple(vector[place] for vector in basis) for place, name in enumerate(names)}
        values = {min(part): tuple(Fraction(0) for _ in basis)}
        while len(values) < len(part):
            for q, code, p in inner:
                if q in values and p not in values:
                    values[p] = _added(values[q], numbers[labels[q, code, p]])
        labels = {edge: (labels[edge], _added(values[edge[0]], numbers[labels[edge]])) for edge in edges}
        if len(set(labels.values())) == len(names):
            break
    outgoing = [frozenset(labels[edge] for edge in edges if edge[0] == q) for q in sorted(part)]
    return len(set(outgoing)) == len(outgoing) or len(part) == 1


def _added(one: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _simple_cycles(edges: list[tuple[int, int, int]]) -> list[list[tuple[int, int, int]]]:
    """Every cycle that meets no state twice, from its least state."""
    found: list[list[tuple[int, int, int]]] = []

    def extend(path: list[tuple[int, int, int]], start: int) -> None:
        at = path[-1][2]
        if at == start:
            found.append(path)
            return
        met = {edge[0] for edge in path}
        for edge in edges:
            if edge[0] == at and edge[2] >= start and (edge[2] == start or edge[2] not in met):
                extend([*path, edge], start)

    for edge in edges:
        if edge[2] >= edge[0]:
            extend([edge], edge[0])
    return found


def fraction_kernel(rows: list[list[Fraction]], width: int) -> list[list[Fraction]]:
    """A basis of the solutions, by Gauss in fractions."""
    rows = [row[:] for row in rows]
    pivots: list[int] = []
    for column in range(width):
        place = next((k for k in range(len(pivots), len(rows)) if rows[k][column]), None)
        if place is None:
            continue
        own = len(pivots)
        rows[own], rows[place] = rows[place], rows[own]
        rows[own] = [entry / rows[own][column] for entry in rows[own]]
        for k in range(len(rows)):
            if k != own and rows[k][column]:
                rows[k] = [a - rows[k][column] * b for a, b in zip(rows[k], rows[own], strict=True)]
        pivots.append(column)
    basis = []
    for free in (column for column in range(width) if column not in pivots):
        vector = [Fraction(0)] * width
        vector[free] = Fraction(1)
        for own, column in enumerate(pivots):
            vector[column] = -rows[own][free]
        basis.append(vector)
    return basis
