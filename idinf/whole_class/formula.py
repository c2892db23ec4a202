"""Nets of a whole class as formulas in counts, as reports show them."""

from __future__ import annotations

from fractions import Fraction

from idinf.formulas.formula import write_formula as write_one_hot
from idinf.search.exact_check.nets import Nets
from idinf.transformers.attention import AttentionPattern
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
from idinf.words import SOS, Alphabet


def write_formula(nets: Nets, alphabet: Alphabet) -> str:
    """Write what one net of one layer accepts.

    Examples
    --------
    >>> from idinf.whole_class.functions import as_nets
    >>> from idinf.whole_class.token_sets import list_token_sets
    >>> import numpy as np
    >>> tokens = list_token_sets(5.6)[2]
    >>> tokens.sums[:, 0].tolist()
    [0, 1, -1, 0, 0]
    >>> write_formula(as_nets(tokens, np.array([[0, 2, 1]])), Alphabet(("a", "b")))
    'accept iff #b - #a > 0'
    """
    phi = nets.top.heads[0].phi
    if any(value < 0 for value in phi):
        return _write_weighted(nets, alphabet, phi)
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


def _write_weighted(nets: Nets, alphabet: Alphabet, phi: tuple[int, ...]) -> str:
    """Write the average of one question with a negative φ, which formulas of the family do not have."""
    names = (SOS, *alphabet.symbols)
    grid = 1 << nets.precision
    sums, own = nets.top.units.values[0].tolist(), nets.top.units.own[0].tolist()
    values = ", ".join(f"{name}: {value}" for name, value in zip(names, sums, strict=True))
    last = ", ".join(f"{name}: {-value}" for name, value in zip(names, own, strict=True))
    logits = ", ".join(f"φ({k}) = {Fraction(value, grid)}" for k, value in enumerate(phi) if value)
    return f"accept iff the average of ({values}) with {logits} > ({last}) at the last token"
