"""What makes a layer of the family valid; every rule is refused with the place where it is broken."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NoReturn

from idinf.errors import HypothesisFormatError
from idinf.quoting import quoted
from idinf.transformers.attention import AttentionPattern
from idinf.transformers.one_hot_parts import OneHotLayer


def check_layer(layer: OneHotLayer, where: str, num_features: int, precision: int) -> None:
    """Check one layer of a one-hot Limit Transformer.

    Parameters
    ----------
    layer : OneHotLayer
    where : str
        Its place in the hypothesis, for messages.
    num_features : int
        F, the features its heads and units see.
    precision : int
        p, bits.

    Raises
    ------
    HypothesisFormatError
        If it has no unit, a vector or a pattern does not fit the features, a pattern has a negative or
        superfluous entry, or a channel is zero, unread or read with an entry outside the family.

    Examples
    --------
    >>> from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
    >>> from idinf.transformers.attention import AttentionPattern
    >>> head = OneHotHead(((0, 1),), AttentionPattern(phi=(0, -1)))
    >>> check_layer(OneHotLayer((head,), (OneHotUnit(((0, 0, 1),), (0, 0), 0),)), "layers[0]", 2, 0)
    Traceback (most recent call last):
        ...
    idinf.errors.HypothesisFormatError: layers[0].heads[0].phi[1] = -1; expected an integer >= 0; \
use larger logits for the other keys
    """
    _check_has_units(layer, where)
    _check_channels(layer, where, num_features)
    for place, head in enumerate(layer.heads):
        _check_logits(head.pattern, f"{where}.heads[{place}]", num_features)
        _check_phi(head.pattern, f"{where}.heads[{place}]")
    _check_units(layer, where, num_features)
    _check_entries(layer, where, precision)


def refuse(where: str, value: object, expected: str, remedy: str) -> NoReturn:
    """Raise the one form of message: what was found where, what was expected, what to do.

    Raises
    ------
    HypothesisFormatError
        Always.

    Examples
    --------
    >>> refuse("signs", (), "+1", "add one")
    Traceback (most recent call last):
        ...
    idinf.errors.HypothesisFormatError: signs = (); expected +1; add one
    """
    raise HypothesisFormatError(f"{where} = {quoted(value)}; expected {expected}; {remedy}")


def _check_has_units(layer: OneHotLayer, where: str) -> None:
    if not layer.units:
        refuse(f"{where}.units", layer.units, "at least one unit", "add a unit")


def _check_channels(layer: OneHotLayer, where: str, num_features: int) -> None:
    for place, head in enumerate(layer.heads):
        if not head.channels:
            refuse(f"{where}.heads[{place}].channels", (), "at least one channel", "drop the head")
        for g, values in enumerate(head.channels):
            name = f"{where}.heads[{place}].channels[{g}]"
            _check_vector(name, values, num_features)
            if not any(values):
                refuse(name, values, "a vector that is not zero", "drop the channel")


def _check_logits(pattern: AttentionPattern, where: str, num_features: int) -> None:
    if not pattern.logits:
        return
    if len(pattern.logits) != num_features:
        refuse(f"rows of {where}.logits", len(pattern.logits), f"{num_features}", "give one for each feature")
    for key, row in enumerate(pattern.logits):
        _check_vector(f"{where}.logits[{key}]", row, num_features)
        for query, entry in enumerate(row):
            _check_logit(f"{where}.logits[{key}][{query}]", entry)
    if not any(map(any, pattern.logits)):
        refuse(f"{where}.logits", pattern.logits, "an entry that is not zero", "leave the matrix empty")


def _check_phi(pattern: AttentionPattern, where: str) -> None:
    for distance, value in enumerate(pattern.phi):
        _check_logit(f"{where}.phi[{distance}]", value)
    if pattern.phi and not pattern.phi[-1]:
        refuse(f"{where}.phi", pattern.phi, "no zero at the end", "shorten it; φ is 0 beyond its end")


def _check_logit(where: str, value: object) -> None:
    if not isinstance(value, int) or value < 0:
        refuse(where, value, "an integer >= 0", "use larger logits for the other keys")


def _check_units(layer: OneHotLayer, where: str, num_features: int) -> None:
    for u, unit in enumerate(layer.units):
        name = f"{where}.units[{u}]"
        _check_vector(f"{name}.s", unit.s, num_features)
        read_heads = [head for head, _, _ in unit.reads]
        if any(later <= earlier for earlier, later in pairwise(read_heads)):
            refuse(f"{name}.reads", unit.reads, "ascending heads, each once", "read one channel per head")
        for head, g, _ in unit.reads:
            if not (0 <= head < len(layer.heads) and 0 <= g < len(layer.heads[head].channels)):
                refuse(f"{name}.reads", unit.reads, "channels of this layer", "count both from 0")


def _check_entries(layer: OneHotLayer, where: str, precision: int) -> None:
    """Every channel is read; with entry 1 by a single reader, with any entry but 0 by several."""
    entries: dict[tuple[int, int], list[int]] = {
        (place, g): [] for place, head in enumerate(layer.heads) for g in range(len(head.channels))
    }
    for unit in layer.units:
        for head, g, entry in unit.reads:
            entries[head, g].append(entry)
    for (place, g), readers in entries.items():
        name = f"{where}.heads[{place}].channels[{g}]"
        if not readers:
            refuse(f"readers of {name}", readers, "at least one unit", "drop the channel")
        if len(readers) == 1 and readers[0] != 1 << precision:
            refuse(
                f"A entry on {name}",
                readers[0],
                f"{1 << precision}, the number 1",
                "scale the channel instead",
            )
        if not all(readers):
            refuse(f"A entries on {name}", readers, "no zero", "drop the read")


def _check_vector(where: str, values: Sequence[int], num_features: int) -> None:
    if len(values) != num_features:
        refuse(
            where,
            values,
            f"{num_features} entries",
            "give one for each feature: $, symbols, residues, earlier units",
        )
