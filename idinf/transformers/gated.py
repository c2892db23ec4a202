"""The searched family: gated Limit Transformers, as the search writes them down.

Numbers here are integers in units of 2^-p. The features of a layer are, in this order: SOS, the
symbols of the alphabet, then the 0/1 outputs of the units of all earlier layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

from idinf.errors import HypothesisFormatError
from idinf.transformers import realisation
from idinf.transformers.limit_transformer import LimitTransformer, Vector
from idinf.words import Alphabet

__all__ = ["GatedHead", "GatedLayer", "GatedTransformer", "GatedUnit"]


@dataclass(frozen=True, slots=True)
class GatedHead:
    """A uniform head: it averages each of its channels over the positions up to the query.

    Parameters
    ----------
    channels : tuple of (F,) tuple of int
        At least one value vector over the features of the layer, none of them zero.
    """

    channels: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class GatedUnit:
    """One Heaviside unit: [ Σ A · channel average + s · features of its own position + b > 0 ].

    Parameters
    ----------
    reads : tuple of (head, channel, A entry)
        In ascending order of head, at most one channel per head; the entry is exactly 2^p (the number
        1) on a channel no other unit reads, and any integer but 0 on a shared one.
    s : (F,) tuple of int
    b : int
    """

    reads: tuple[tuple[int, int, int], ...]
    s: tuple[int, ...]
    b: int


@dataclass(frozen=True, slots=True)
class GatedLayer:
    """Zero or more heads and at least one unit; only these units read the heads."""

    heads: tuple[GatedHead, ...]
    units: tuple[GatedUnit, ...]


@dataclass(frozen=True, slots=True)
class GatedTransformer:
    """A hypothesis of the family: it accepts iff Σ signs · units of the last layer > threshold.

    Parameters
    ----------
    alphabet : Alphabet
    precision : int
        p, bits.
    layers : tuple of GatedLayer
        At least one.
    signs : (m,) tuple of int
        +1 or −1 for each unit of the last layer.
    threshold : int
        In whole units, not in units of 2^-p.

    Raises
    ------
    HypothesisFormatError
        If the value is not in the family.

    Examples
    --------
    Majority with ties: not (#0 − #1 > 0), read by the complement.

    >>> head = GatedHead(((0, 1, -1),))
    >>> unit = GatedUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    >>> majority = GatedTransformer(Alphabet(("0", "1")), 0, (GatedLayer((head,), (unit,)),), (-1,), -1)
    >>> majority.to_dense().width
    5
    >>> majority.effective_values(0, 0)
    ((0, 1, -1),)
    """

    alphabet: Alphabet
    precision: int
    layers: tuple[GatedLayer, ...]
    signs: tuple[int, ...]
    threshold: int

    def __post_init__(self) -> None:
        self._check_precision()
        self._check_has_layers()
        for number, layer in enumerate(self.layers):
            where = f"layers[{number}]"
            _check_has_units(layer, where)
            _check_channels(layer, where, self.num_features(number))
            _check_units(layer, where, self.num_features(number))
            _check_entries(layer, where, self.precision)
        self._check_signs()

    @property
    def num_units(self) -> int:
        """The number of units of all layers together."""
        return sum(len(layer.units) for layer in self.layers)

    def num_features(self, layer: int) -> int:
        """Count the features F that heads and units of a layer (0-based) see."""
        return 1 + len(self.alphabet) + sum(len(earlier.units) for earlier in self.layers[:layer])

    def effective_values(self, layer: int, unit: int) -> tuple[tuple[int, ...], ...]:
        """Compute what a unit weighs the features of attended positions by, one vector per head.

        Exact, in units of 4^-p: the A entry times the channel, and zeros for a head the unit does not
        read. Both indices are 0-based.
        """
        heads = self.layers[layer].heads
        values = [(0,) * self.num_features(layer)] * len(heads)
        for head, channel, entry in self.layers[layer].units[unit].reads:
            values[head] = tuple(entry * value for value in heads[head].channels[channel])
        return tuple(values)

    def to_dense(self) -> LimitTransformer:
        """Write the hypothesis as the dense Limit Transformer that defines its R; exact."""
        return realisation.one_hot(self)

    def parameters_in_file_order(self) -> Vector:
        """Flatten the parameters as a file lists them; the last part of the total order on hypotheses.

        Exact Fractions: K, Q, V and φ of every head, then A, b and B, layer by layer, then the
        unembedding and the threshold. Embeddings and positions are fixed by the family and left out.
        """
        return realisation.parameters_in_file_order(self.to_dense())

    def _check_precision(self) -> None:
        if not isinstance(self.precision, int) or self.precision < 0:
            _refuse("precision", self.precision, "an integer >= 0", "it counts fractional bits")

    def _check_has_layers(self) -> None:
        if not self.layers:
            _refuse("layers", self.layers, "at least one layer", "add a layer")

    def _check_signs(self) -> None:
        num_units = len(self.layers[-1].units)
        if len(self.signs) != num_units or any(sign not in (1, -1) for sign in self.signs):
            _refuse("signs", self.signs, f"+1 or -1 for each of {num_units} units", "read every unit once")


def _check_has_units(layer: GatedLayer, where: str) -> None:
    if not layer.units:
        _refuse(f"{where}.units", layer.units, "at least one unit", "add a unit")


def _check_channels(layer: GatedLayer, where: str, num_features: int) -> None:
    for place, head in enumerate(layer.heads):
        if not head.channels:
            _refuse(f"{where}.heads[{place}].channels", (), "at least one channel", "drop the head")
        for g, values in enumerate(head.channels):
            name = f"{where}.heads[{place}].channels[{g}]"
            _check_vector(name, values, num_features)
            if not any(values):
                _refuse(name, values, "a vector that is not zero", "drop the channel")


def _check_units(layer: GatedLayer, where: str, num_features: int) -> None:
    for u, unit in enumerate(layer.units):
        name = f"{where}.units[{u}]"
        _check_vector(f"{name}.s", unit.s, num_features)
        read_heads = [head for head, _, _ in unit.reads]
        if any(later <= earlier for earlier, later in pairwise(read_heads)):
            _refuse(f"{name}.reads", unit.reads, "ascending heads, each once", "read one channel per head")
        for head, g, _ in unit.reads:
            if not (0 <= head < len(layer.heads) and 0 <= g < len(layer.heads[head].channels)):
                _refuse(f"{name}.reads", unit.reads, "channels of this layer", "count both from 0")


def _check_entries(layer: GatedLayer, where: str, precision: int) -> None:
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
            _refuse(f"readers of {name}", readers, "at least one unit", "drop the channel")
        if len(readers) == 1 and readers[0] != 1 << precision:
            _refuse(
                f"A entry on {name}",
                readers[0],
                f"{1 << precision}, the number 1",
                "scale the channel instead",
            )
        if not all(readers):
            _refuse(f"A entries on {name}", readers, "no zero", "drop the read")


def _check_vector(where: str, values: Sequence[int], num_features: int) -> None:
    if len(values) != num_features:
        _refuse(
            where, values, f"{num_features} entries", "give one for each feature: $, symbols, earlier units"
        )


def _refuse(where: str, value: object, expected: str, remedy: str) -> NoReturn:
    raise HypothesisFormatError(f"{where} = {value!r}; expected {expected}; {remedy}")
