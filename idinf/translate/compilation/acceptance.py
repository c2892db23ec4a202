"""How the last Boolean is read off the last layer: units with signs and a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from idinf.base.linear_algebra import ONE, ZERO, Affine, read_feature
from idinf.translate.compilation.circuit import UnitCircuit
from idinf.translate.compilation.diagrams import TRUE, Node
from idinf.translate.compilation.gates import Gate, build_threshold_unit
from idinf.translate.compilation.units import NO_HEAD, CompiledUnit


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Accept iff Σ sign · unit > threshold."""

    units: tuple[int, ...]  # features; units of one layer, each once
    signs: tuple[int, ...]  # +1 or −1
    threshold: int


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
