"""From diagrams to units: in which layer a Boolean is known, and as what combination of units."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd

from idinf.base.linear_algebra import ONE, ZERO, Affine, combine, read_feature
from idinf.translate.compilation.diagrams import FALSE, TRUE, Diagrams, Node
from idinf.translate.compilation.local_counts import find_telling
from idinf.translate.compilation.units import (
    NO_HEAD,
    Acceptance,
    CompiledUnit,
    CompiledUnits,
    CountCombination,
    Gate,
    RecallCount,
    build_threshold_unit,
)

#: The variables that every circuit has: 0 for SOS, 1 + code for a symbol; i mod Δ.
TOKEN, RESIDUE = 0, 1

#: Conjunctions that one Boolean may be written as; one with more is computed question by question.
MAX_PATHS = 64


@dataclass(eq=False)
class UnitCircuit:
    """Booleans of a program and what computes them.

    The diagrams have the variables `TOKEN` and `RESIDUE`, which are there before the first layer. ``votes``
    are Booleans that are known to be where a sum of others, with weights and a constant, is above 0.

    ``#1 > #0`` is one unit of the first layer:

    >>> circuit = UnitCircuit(2, 1)
    >>> more = circuit.above([(circuit.symbol(1), 1), (circuit.symbol(0), -1)], 0)
    >>> circuit.value(more), circuit.layer(more)
    (Affine(terms=((4, 1),), constant=0), 1)
    """

    num_symbols: int
    period: int
    diagrams: Diagrams = field(default_factory=Diagrams)
    votes: dict[Node, Affine] = field(default_factory=dict)
    _compared: dict[int, CountCombination | RecallCount] = field(default_factory=dict)
    _variables: dict[tuple[tuple[int, int], Affine], int] = field(default_factory=dict)
    _values: dict[Node, Affine] = field(default_factory=lambda: {FALSE: ZERO, TRUE: ONE})

    def __post_init__(self) -> None:
        self.units = CompiledUnits(1 + self.num_symbols, self.period)
        for _ in (TOKEN, RESIDUE):
            self.diagrams.variable(0)

    # Booleans

    def symbol(self, code: int) -> Node:
        """Q_σ for the symbol of a code."""
        return self.diagrams.among(TOKEN, [token == 1 + code for token in range(self.units.num_tokens)])

    def in_word(self) -> Node:
        """A node that holds at positions of the word: everywhere but at SOS."""
        return self.diagrams.above(TOKEN, 0)

    def residues(self, modulus: int, residue: int) -> Node:
        """i mod modulus = residue; the modulus divides Δ."""
        return self.diagrams.among(RESIDUE, [r % modulus == residue for r in range(self.period)])

    def recalled(self, distance: int, node: Node) -> Node:
        """A node: a Boolean held `distance` positions back, at a position of the word."""
        if distance == 0:
            return self.diagrams.both(self.in_word(), node)
        values = self.units.without_sos(self.value(node))
        if values == ZERO:
            return FALSE
        return self.diagrams.above(self._variable(RecallCount(values, distance)), 0)

    def above(self, counts: list[tuple[Node, int]], threshold: int) -> Node:
        """Σ coefficient · #P > threshold."""
        values = self._normal(combine((self.value(node), c) for node, c in counts))
        if values == ZERO:
            return TRUE if threshold < 0 else FALSE
        divisor = gcd(*(c for _, c in values.terms))
        sign = 1 if values.terms[0][1] > 0 else -1
        values = Affine(tuple((f, sign * c // divisor) for f, c in values.terms))
        low, high = self.units.range_of(values)
        ends = [sum(c for _, c in counts if c < 0), sum(c for _, c in counts if c > 0)]
        if sign < 0:
            ends = [-end for end in reversed(ends)]
        low, high = max(low, -(-ends[0] // divisor)), min(high, ends[1] // divisor)
        # L > t/d iff L > ⌊t/d⌋, and −L > t iff not L > −t − 1, for integers L and t.
        limit = threshold // divisor
        limit = limit if sign > 0 else -limit - 1
        if low >= 0 > limit:
            exceeds = TRUE
        elif high <= 0 <= limit:
            exceeds = FALSE
        else:
            exceeds = self.diagrams.above(self._variable(CountCombination(values, low, high)), limit)
        return exceeds if sign > 0 else self.diagrams.negated(exceeds)

    def _variable(self, compared: CountCombination | RecallCount) -> int:
        reach = (compared.distance, compared.width) if isinstance(compared, RecallCount) else (0, 0)
        key = (reach, compared.values)
        if key not in self._variables:
            variable = self.diagrams.variable(1 + self.units.layer(compared.values))
            self._variables[key], self._compared[variable] = variable, compared
        return self._variables[key]

    def fused(self, node: Node) -> Node:
        """The same Boolean, with what it asks of several distances asked of one head where that can tell."""
        result = FALSE
        for rest, condition in self.diagrams.remainders(node, self.latest(node)[0]).items():
            joined = rest if len(self.diagrams.variables(rest)) <= 1 else self._joined(rest)
            if joined is None:
                return node
            result = self.diagrams.either(result, self.diagrams.both(condition, joined))
        return result

    def _joined(self, rest: Node) -> Node | None:
        """A Boolean of the number of hits at distances in a row; None if it asks for something else."""
        variables = self.diagrams.variables(rest)
        asked = {v: self._compared[v] for v in variables if v in self._compared}
        past = {v: c for v, c in asked.items() if isinstance(c, RecallCount) and c.width == 1}
        distances, width = sorted(c.distance for c in past.values()), len(variables)
        if len(past) < width or distances != list(range(distances[0], distances[0] + width)):
            return None
        values = {c.values for c in past.values()}
        held = [self.diagrams.value(rest, variables[:hits]) for hits in range(1 + width)]
        steps = [hits for hits in range(1, 1 + width) if held[hits] != held[hits - 1]]
        if len(values) > 1 or not all(find_telling(distances[0], width, hits) for hits in steps):
            return None
        counted, at_least = held[0], self.diagrams.at_least(variables)
        for hits in steps:
            counted = self.diagrams.choice(at_least[hits], held[hits], counted)
        if counted != rest:  # it tells the distances apart
            return None
        wide = self._variable(RecallCount(values.pop(), distances[0], width))
        answers = tuple(held[hits] for hits in (0, *steps))
        return self.diagrams.node(wide, tuple(hits - 1 for hits in steps), answers)

    def _normal(self, values: Affine) -> Affine:
        """The one way to write values at positions j ≥ 1: 0 at SOS, nothing for residue 0."""
        values = self.units.without_sos(values)
        first = self.units.num_tokens
        base = dict(values.terms).get(first, 0)
        if not base or self.period == 1:
            return values
        residues = Affine(tuple((first + r, 1) for r in range(self.period)))
        return self.units.without_sos(values - residues.times(base) + self.units.all_tokens.times(base))

    # Layers

    def layer(self, node: Node) -> int:
        """The last layer that the value of a Boolean needs."""
        return self.units.layer(self.value(node))

    def latest(self, node: Node) -> tuple[int, tuple[int, ...]]:
        """The last layer in which a Boolean compares, and the variables it compares there."""
        variables = self.diagrams.variables(node)
        layer = max((self.diagrams.layers[v] for v in variables), default=0)
        return layer, tuple(v for v in variables if layer and self.diagrams.layers[v] == layer)

    def value(self, node: Node) -> Affine:
        """A Boolean as a combination of features, exact at every position; its units are made."""
        if node not in self._values:
            self._values[node] = self._made(node)
        return self._values[node]

    def _made(self, node: Node) -> Affine:
        layer, late = self.latest(node)
        if not late:
            return self._of_position(node)
        single = self.clauses(node, layer, late[0]) if len(late) == 1 else None
        if single is not None and len(single) == 1:
            return single[0]
        remainders = self.diagrams.remainders(node, layer)
        if all(self._is_step(rest, condition, layer) for rest, condition in remainders.items()):
            return self._stepwise(remainders, layer)
        wide = self.fused(node)
        if wide != node:
            return self.value(wide)
        vote = self.votes.pop(node, None)  # used once: Booleans may be votes of each other
        return self._conjoined(node) if vote is None else self._voted(vote)

    def _of_position(self, node: Node) -> Affine:
        """A Boolean of token and residue."""
        variables = self.diagrams.variables(node)
        if len(variables) > 1:
            return self._conjoined(node)
        tokens = self.units.num_tokens
        first, size = (0, tokens) if variables[0] == TOKEN else (tokens, self.period)
        _, thresholds, children = self.diagrams.branches[node]
        held = [v for v in range(size) if children[bisect_left(thresholds, v)] == TRUE]
        return Affine(tuple((first + value, 1) for value in held))

    def _stepwise(self, remainders: dict[Node, Node], layer: int) -> Affine:
        """Steps of one variable each are left to ask: the step at the bottom, then up or down."""
        always = FALSE
        parts = []
        for rest, condition in remainders.items():
            if rest == TRUE:
                always = self.diagrams.either(always, condition)
            if rest <= TRUE:
                continue
            variable, thresholds, children = self.diagrams.branches[rest]
            if children[0] == TRUE:
                always = self.diagrams.either(always, condition)
            for threshold, after in zip(thresholds, children[1:], strict=True):
                for gate in self._gates(condition, layer):
                    unit = build_threshold_unit(self.units, layer, self._compared[variable], threshold, gate)
                    parts.append((unit, 1 if after == TRUE else -1))
        return combine([(self.value(always), 1), *parts])

    def _is_step(self, rest: Node, condition: Node, layer: int) -> bool:
        """True if one variable at most is left to ask, and units can be told when to ask it."""
        if len(self.diagrams.variables(rest)) != 1:
            return rest <= TRUE
        few = self.diagrams.num_paths(condition) <= MAX_PATHS
        return few or self.signals(self.diagrams.negated(condition), layer) is not None

    def _gates(self, condition: Node, layer: int) -> list[Gate]:
        """Gates that are open, one at a time, where a condition on earlier layers holds."""
        closed = self.signals(self.diagrams.negated(condition), layer)
        if closed is not None:
            return [Gate(closed)]
        paths = self.diagrams.paths(condition)
        return [Gate(tuple(ONE - self.value(literal) for literal in path)) for path in paths]

    def signals(self, node: Node, layer: int) -> tuple[Affine, ...] | None:
        """Forms of earlier layers, never negative, whose sum is above 0 exactly where a Boolean holds."""
        if node == FALSE:
            return ()
        if self.diagrams.num_paths(self.diagrams.negated(node)) == 1:
            (path,) = self.diagrams.paths(self.diagrams.negated(node))
            if len(path) > 1:
                return tuple(self.value(self.diagrams.negated(literal)) for literal in path)
        if self.layer(node) < layer:
            return (self.value(node),)
        return None

    def clauses(self, node: Node, layer: int, variable: int) -> list[Affine] | None:
        """A Boolean of one late variable as a conjunction of units, or None if it is none.

        Where earlier layers fix everything else, the variable must lie between two bounds.
        """
        never, bounds = FALSE, dict[tuple[bool, int], Node]()
        for rest, condition in self.diagrams.remainders(node, layer).items():
            if rest == FALSE:
                never = self.diagrams.either(never, condition)
            if rest <= TRUE:
                continue
            _, thresholds, children = self.diagrams.branches[rest]
            if len(children) > 3 or (len(children) == 3 and children[1] == FALSE):
                return None
            for threshold, before in zip(thresholds, children[:-1], strict=True):
                side = (before == FALSE, threshold)
                bounds[side] = self.diagrams.either(bounds.get(side, FALSE), condition)
        units = []
        for (from_below, threshold), asked in bounds.items():
            passed = self.diagrams.negated(self.diagrams.either(asked, never))
            off, on = self.signals(never, layer), self.signals(passed, layer)
            if off is None or on is None:
                return None
            gate, never = Gate(off, on) if from_below else Gate(on, off), FALSE
            unit = build_threshold_unit(self.units, layer, self._compared[variable], threshold, gate)
            units.append(unit if from_below else ONE - unit)
        return units

    def conjunctions(self, node: Node) -> list[tuple[Node, ...]]:
        """Conjunctions of conditions that exclude each other and make up a Boolean."""
        if self.diagrams.num_paths(node) <= MAX_PATHS:
            return self.diagrams.paths(node)
        groups = self.diagrams.groups(node)
        return [(here,) if child == TRUE else (here, child) for here, child in groups if child != FALSE]

    def _conjoined(self, node: Node) -> Affine:
        """A sum of units that each test one conjunction, or 1 minus such a sum."""
        positive, negative = self.conjunctions(node), self.conjunctions(self.diagrams.negated(node))
        if len(positive) <= len(negative):
            return combine((self.conjunction(path), 1) for path in positive)
        return combine([(ONE, 1), *((self.conjunction(path), -1) for path in negative)])

    def conjunction(self, literals: tuple[Node, ...], layer: int = 0) -> Affine:
        """A conjunction: its one literal itself, or a unit without heads as soon as all are known."""
        if len(literals) == 1 and not layer:
            return self.value(literals[0])
        off = tuple(self.value(self.diagrams.negated(literal)) for literal in literals)
        layer = layer or 1 + max(map(self.units.layer, off))
        return build_threshold_unit(self.units, layer, None, 0, Gate(off))

    def _voted(self, vote: Affine) -> Affine:
        total = combine([(self.value(node), w) for node, w in vote.terms]).plus(vote.constant)
        return read_feature(self.units.make(CompiledUnit(1 + self.units.layer(total), NO_HEAD, ZERO, total)))


def compile_acceptance(circuit: UnitCircuit, node: Node) -> Acceptance:
    """Read a Boolean off units of the layer that compares last, or of one more where that does not do.

    The last layer does if the Boolean is a conjunction or a disjunction of comparisons made there, each
    behind a gate of what earlier layers know, or adds up Booleans of that layer.

    >>> circuit = UnitCircuit(2, 1)
    >>> compile_acceptance(circuit, circuit.above([(circuit.symbol(1), 1), (circuit.symbol(0), -1)], -1))
    Acceptance(units=(4,), signs=(-1,), threshold=-1)
    """
    if node <= TRUE:
        silent = read_feature(circuit.units.make(CompiledUnit(1, NO_HEAD, ZERO, ZERO)))
        return _all_of([ONE - silent]) if node == TRUE else _any_of([silent])
    for same in dict.fromkeys((circuit.fused(node), node)):
        conjuncts = _conjuncts(circuit, same)
        if conjuncts is not None:
            return _all_of(conjuncts)
        opposite = _conjuncts(circuit, circuit.diagrams.negated(same))
        if opposite is not None:
            return _any_of([ONE - part for part in opposite])
    return _voted(circuit, node) or _one_layer_up(circuit, node)


def _conjuncts(circuit: UnitCircuit, node: Node) -> list[Affine] | None:
    """Units of the layer that compares last, or 1 less them, whose conjunction is P; None if it is none."""
    diagrams = circuit.diagrams
    layer, late = circuit.latest(node)
    if not late:
        off = circuit.signals(diagrams.negated(node), 1)
        return None if off is None else [build_threshold_unit(circuit.units, 1, None, 0, Gate(off))]
    product, parts = TRUE, []
    for variable in late:
        part = diagrams.possible(node, (other for other in late if other != variable))
        product = diagrams.both(product, part)
        parts.append((part, variable))
    if product != node:
        return None
    units = []
    for part, variable in parts:
        clauses = circuit.clauses(part, layer, variable)
        if clauses is None:
            return None
        units.extend(clauses)
    return units


def _voted(circuit: UnitCircuit, node: Node) -> Acceptance | None:
    """A sum of Booleans of the last layer that compares, each counting once."""
    vote = circuit.votes.get(node)
    if vote is None or any(abs(weight) != 1 for _, weight in vote.terms):
        return None
    layer, _ = circuit.latest(node)
    if any(circuit.layer(part) > layer for part, _ in vote.terms):
        return None
    threshold, signs = -vote.constant, dict[int, int]()
    for part, weight in vote.terms:
        value = circuit.value(part)
        if circuit.units.layer(value) < layer:  # passed on by a unit
            value = circuit.conjunction((part,), layer)
        if len(value.terms) != 1:
            return None
        ((unit, sign),) = value.terms
        signs[unit] = signs.get(unit, 0) + weight * sign
        threshold -= weight * value.constant
    if not signs or any(abs(sign) != 1 for sign in signs.values()):
        return None
    return Acceptance(tuple(signs), tuple(signs.values()), threshold)


def _one_layer_up(circuit: UnitCircuit, node: Node) -> Acceptance:
    """Conjunctions of what all layers know, in one more layer without heads."""
    positive = circuit.conjunctions(node)
    negative = circuit.conjunctions(circuit.diagrams.negated(node))
    chosen = positive if len(positive) <= len(negative) else negative
    layer = 1 + max(circuit.layer(literal) for path in chosen for literal in path)
    units = [circuit.conjunction(path, layer) for path in chosen]
    return _any_of(units) if chosen is positive else _all_of([ONE - unit for unit in units])


def _all_of(parts: Sequence[Affine]) -> Acceptance:
    """Conjunction: no part is missing; every part is u or 1 − u for a unit u."""
    signs = dict(part.terms[0] for part in parts)
    return Acceptance(tuple(signs), tuple(signs.values()), sum(s for s in signs.values() if s > 0) - 1)


def _any_of(parts: Sequence[Affine]) -> Acceptance:
    """Disjunction: more than when every part is missing."""
    signs = dict(part.terms[0] for part in parts)
    return Acceptance(tuple(signs), tuple(signs.values()), sum(s for s in signs.values() if s < 0))
