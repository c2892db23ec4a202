"""Limit Transformers with one layer of uniform heads as conditions on the counts of a slice."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from idinf.equivalence.conditions import FALSE, TRUE, Affine, Conditions, affine
from idinf.equivalence.dense import is_uniform, runs_as_machine
from idinf.equivalence.slices import WordSlice
from idinf.transformers.limit_transformer import Activation, LimitTransformer, Vector

#: Units, at most: their answers are told apart one by one.
MAX_UNITS = 8


def has_one_layer(net: LimitTransformer, *, most_units: int = MAX_UNITS) -> bool:
    """Whether a net has one layer, whose heads are uniform, and few units."""
    return net.depth == 1 and net.num_units <= most_units and is_uniform(net) and runs_as_machine(net)


def condition_of_hypothesis(net: LimitTransformer, part: WordSlice, conditions: Conditions) -> int:
    """Which words of a slice a net accepts that `has_one_layer`; its period divides the modulus of the slice.

    Notes
    -----
    Everything is multiplied by n + 1: Y_n becomes (n + 1) y_n + Σ_h V_h Σ_j y_j, and a unit and the answer
    are signs of forms in the counts once it is settled which units are above 0.

    Examples
    --------
    >>> from idinf.transformers.one_hot import OneHotTransformer
    >>> from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
    >>> from idinf.words import Alphabet
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0),))
    >>> more_0 = OneHotTransformer(Alphabet(("0", "1")), 0, (layer,), (1,), 0).to_dense()
    >>> conditions = Conditions()
    >>> conditions.inequalities_in(condition_of_hypothesis(more_0, WordSlice(2, 1, 0, 0), conditions))
    {2: Inequality(coefficients=(-1, 1), bound=0)}
    """
    stream = _stream(net, part)
    mlp, [row] = net.layers[0].mlp, [net.unembedding[net.accept_row]]
    units = [
        affine([*zip(read, stream, strict=True), (bias, part.positions)], part.size)
        for read, bias in zip(mlp.A, mlp.b, strict=True)
    ]
    written = [
        sum((u * entries[unit] for u, entries in zip(row, mlp.B, strict=True)), Fraction(0))
        for unit in range(len(units))
    ]
    above = [conditions.positive(form) for form in units]
    answer = affine([*zip(row, stream, strict=True), (-net.threshold, part.positions)], part.size)
    whole = FALSE
    for fired in product((False, True), repeat=len(units)):
        guard, parts = TRUE, [(Fraction(1), answer)]
        for unit, fires in enumerate(fired):
            guard = conditions.both(guard, above[unit] if fires else conditions.negated(above[unit]))
            if fires:
                is_relu = mlp.activation[unit] is Activation.RELU
                parts.append((written[unit], units[unit] if is_relu else part.positions))
        accepted = conditions.positive(affine(parts, part.size))
        whole = conditions.either(whole, conditions.both(guard, accepted))
    return whole


def _stream(net: LimitTransformer, part: WordSlice) -> list[Affine]:
    """(n + 1) Y_n, coordinate by coordinate."""

    def entering(token: int, residue: int) -> Vector:
        pairs = zip(net.embedding[token], net.positions[residue % net.period], strict=True)
        return tuple(a + b for a, b in pairs)

    at_sos, here = entering(0, 0), entering(1 + part.last, part.residue)
    sums = []
    for k in range(net.width):
        weights = [
            [entering(1 + code, rho)[k] for rho in range(part.modulus)] for code in range(part.symbols)
        ]
        sums.append(affine([(1, part.count(weights)), (1, part.constant(at_sos[k]))], part.size))
    stream = []
    for k in range(net.width):
        parts: list[tuple[Fraction | int, Affine]] = [(here[k], part.positions)]
        for head in net.layers[0].heads:
            parts.extend(zip(head.V[k], sums, strict=True))
        stream.append(affine(parts, part.size))
    return stream
