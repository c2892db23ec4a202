"""The searched family: one-hot Limit Transformers, as the search writes them down.

Numbers here are integers in units of 2^-p. The features of a layer are, in this order: SOS, the
symbols of the alphabet, the residues 0..Δ−1 of the position if Δ > 1, then the 0/1 outputs of the units
of all earlier layers.
"""

from __future__ import annotations

from dataclasses import dataclass

from idinf.experiments.spec import Answer
from idinf.transformers import realisation
from idinf.transformers.limit_transformer import LimitTransformer, Vector
from idinf.transformers.one_hot_checks import check_layer, refuse
from idinf.transformers.one_hot_parts import NextReads, OneHotLayer
from idinf.words import Alphabet


@dataclass(frozen=True, slots=True)
class OneHotTransformer:
    """A hypothesis of the family: it accepts iff Σ signs · units of the last layer > threshold.

    Parameters
    ----------
    alphabet : Alphabet
    precision : int
        p, bits.
    layers : tuple of OneHotLayer
        At least one.
    signs : (m,) tuple of int
        +1 or −1 for each unit of the last layer.
    threshold : int
        In whole units, not in units of 2^-p.
    period : int
        Δ, the number of residue features; 1 for a transformer without positions.
    reads : NextReads, optional
        Of a hypothesis about next symbols; ``signs`` are then the one sign of all rows, for each unit.

    Raises
    ------
    HypothesisFormatError
        If the value is not in the family.

    Examples
    --------
    Majority with ties: not (#0 − #1 > 0), read by the complement.

    >>> from idinf.transformers.one_hot_parts import OneHotHead, OneHotUnit
    >>> head = OneHotHead(((0, 1, -1),))
    >>> unit = OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    >>> majority = OneHotTransformer(Alphabet(("0", "1")), 0, (OneHotLayer((head,), (unit,)),), (-1,), -1)
    >>> majority.to_dense().width
    5
    >>> majority.effective_values(0, 0)
    ((0, 1, -1),)
    """

    alphabet: Alphabet
    precision: int
    layers: tuple[OneHotLayer, ...]
    signs: tuple[int, ...]
    threshold: int
    period: int = 1
    reads: NextReads | None = None

    def __post_init__(self) -> None:
        self._check_precision()
        self._check_period()
        self._check_has_layers()
        for number, layer in enumerate(self.layers):
            check_layer(layer, f"layers[{number}]", self.num_features(number), self.precision)
        self._check_signs()
        if self.reads is not None:
            self._check_reads(self.reads)

    @property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """U on the units of the last layer: one row for acceptance, one for every next symbol."""
        if self.reads is None:
            return (self.signs,)
        return tuple(
            tuple(sign if u == unit else 0 for u, sign in enumerate(self.signs)) for unit in self.reads.units
        )

    @property
    def reach(self) -> int:
        """τ, the largest distance at which the φ of some head is not 0; 0 without φ."""
        return max((head.pattern.reach for layer in self.layers for head in layer.heads), default=0)

    @property
    def num_units(self) -> int:
        """The number of units of all layers together."""
        return sum(len(layer.units) for layer in self.layers)

    def num_features(self, layer: int) -> int:
        """Count the features F that heads and units of a layer (0-based) see."""
        residues = self.period if self.period > 1 else 0
        units = sum(len(earlier.units) for earlier in self.layers[:layer])
        return 1 + len(self.alphabet) + residues + units

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
        return realisation.realise(
            self.alphabet, self.precision, self.period, self.layers, self.rows, self.threshold, self.reads
        )

    def parameters_in_file_order(self) -> Vector:
        """Flatten the parameters as a file lists them; the last part of the total order on hypotheses.

        Exact Fractions: K, Q, V and φ of every head, then A, b and B, layer by layer, then the
        unembedding and the threshold. Embeddings and positions are fixed by the family and left out.
        """
        return realisation.parameters_in_file_order(self.to_dense())

    def _check_precision(self) -> None:
        if not isinstance(self.precision, int) or self.precision < 0:
            refuse("precision", self.precision, "an integer >= 0", "it counts fractional bits")

    def _check_period(self) -> None:
        if not isinstance(self.period, int) or self.period < 1:
            refuse("period", self.period, "an integer >= 1", "1 means no positions")

    def _check_has_layers(self) -> None:
        if not self.layers:
            refuse("layers", self.layers, "at least one layer", "add a layer")

    def _check_signs(self) -> None:
        num_units = len(self.layers[-1].units)
        if len(self.signs) != num_units or any(sign not in (1, -1) for sign in self.signs):
            refuse("signs", self.signs, f"+1 or -1 for each of {num_units} units", "read every unit once")

    def _check_reads(self, reads: NextReads) -> None:
        num_units, outputs = len(self.layers[-1].units), len(self.alphabet) + 1
        if len(reads.units) != outputs or any(not -1 <= unit < num_units for unit in reads.units):
            expected = f"a unit from 0 to {num_units - 1}, or -1, for each of {outputs} next symbols"
            refuse("reads", reads.units, expected, "list the symbols in order, then end-of-string")
        if set(range(num_units)) - set(reads.units):
            refuse("reads", reads.units, "every unit of the last layer", "drop what no symbol reads")
        if len(set(self.signs)) > 1:
            refuse("signs", self.signs, "one sign of all rows", "read all units by + or all by -")
        is_symbol = reads.kind is Answer.SYMBOL
        if is_symbol:
            self._check_single(reads)
        threshold = 0 if is_symbol or self.signs[0] > 0 else -1
        if self.threshold != threshold:
            refuse("threshold", self.threshold, f"{threshold}", "it follows from the sign of the rows")

    def _check_single(self, reads: NextReads) -> None:
        """The rows of one next symbol are a decision list, with the zero row that decides last."""
        num_units = len(self.signs)
        read = [place for place, unit in enumerate(reads.units) if unit >= 0]
        listed = read[0] > 0 if self.signs[0] > 0 else read == list(range(num_units))
        if len(read) != num_units or not listed or num_units == len(reads.units):
            expected = "every unit once, by + not in row 0, by - in the first rows but not in all"
            refuse("reads", reads.units, expected, "one row that is zero is the default")
