"""Nets of a whole class as formulas in counts, as reports show them."""

from __future__ import annotations

from fractions import Fraction

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.search.exact_check.nets import Nets
from idinf.translate.formulas import condition as c
from idinf.translate.formulas.condition import Average, Condition, Weighting, list_terms
from idinf.translate.formulas.formula import Formula
from idinf.translate.formulas.formula import write_formula as write_one_hot


def write_formula(nets: Nets, alphabet: Alphabet) -> str:
    """Write what one net of one layer accepts.

    >>> from idinf.search.whole.functions import as_nets
    >>> from idinf.search.whole.token_sets import list_token_sets
    >>> import numpy as np
    >>> tokens = list_token_sets(5.6)[2]
    >>> tokens.sums[:, 0].tolist()
    [0, 1, -1, 0, 0]
    >>> write_formula(as_nets(tokens, np.array([[0, 2, 1]])), Alphabet(("a", "b")))
    'accept iff #b - #a > 0'
    """
    phi = nets.top.heads[0].phi
    if any(value < 0 for value in phi):
        return str(_weigh(nets, alphabet, phi))
    return str(write_one_hot(_as_one_hot(nets, alphabet, phi)))


def _as_one_hot(nets: Nets, alphabet: Alphabet, phi: tuple[int, ...]) -> OneHotTransformer:
    """Write a one-hot net of the same function, of much larger R."""
    channels: list[tuple[int, ...]] = []
    units = []
    for sums, own in zip(nets.top.units.values.tolist(), nets.top.units.own.tolist(), strict=True):
        reads: tuple[tuple[int, int, int], ...] = ()
        if any(sums):
            reads = ((0, len(channels), 1 << nets.precision),)
            channels.append(tuple(sums))
        units.append(OneHotUnit(reads, tuple(own), 0))
    heads = (OneHotHead(tuple(channels), AttentionPattern(phi=phi)),) if channels else ()
    layer = OneHotLayer(heads, tuple(units))
    signs, threshold = tuple(nets.signs[0].tolist()), int(nets.threshold[0])
    return OneHotTransformer(alphabet, nets.precision, (layer,), signs, threshold, nets.period)


def _weigh(nets: Nets, alphabet: Alphabet, phi: tuple[int, ...]) -> Formula:
    """Write the one question of a net with a negative φ, which the one-hot family does not have.

    The average of values is the value of SOS plus the average of the differences from it.
    """
    (start, *values), (at_start, *own) = (
        rows[0].tolist() for rows in (nets.top.units.values, nets.top.units.own)
    )
    terms = list_terms({place: value - start for place, value in enumerate(values)})
    parts = ((Weighting(phi=phi, precision=nets.precision), terms),) if terms else ()

    def asks(last: int) -> Condition:
        bound = Fraction(-last - start)
        return Average(parts, bound) if parts else c.ConstantCondition(bound < 0)

    rows = tuple((c.BackIn(0, (code,)), asks(last)) for code, last in enumerate(own))
    accept: Condition = c.Cases(rows, c.ConstantCondition(at_start + start > 0))
    if len({at_start, *own}) == 1:  # ε is as any other word then
        accept = asks(at_start)
    return Formula(alphabet, (), accept)
