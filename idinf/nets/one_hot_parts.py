"""What hypotheses of the searched family are made of: heads, units, layers, and rows of next symbols.

Numbers are integers in units of 2^-p, vectors run over the features of a layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.dense import refuse
from idinf.spec.spec import Answer


@dataclass(frozen=True, slots=True)
class OneHotHead:
    """A head: it averages each of its channels over the positions up to the query, by its attention."""

    channels: tuple[tuple[int, ...], ...]  #: at least one value vector, (F,), none of them zero
    pattern: AttentionPattern = UNIFORM  #: what the weights depend on

    def _check(self, where: str, num_features: int) -> None:
        if not self.channels:
            refuse(f"{where}.channels", (), "at least one channel", "drop the head")
        for g, values in enumerate(self.channels):
            name = f"{where}.channels[{g}]"
            _check_vector(name, values, num_features)
            if not any(values):
                refuse(name, values, "a vector that is not zero", "drop the channel")
        logits, phi = self.pattern.logits, self.pattern.phi
        if logits and len(logits) != num_features:
            refuse(f"rows of {where}.logits", len(logits), f"{num_features}", "give one for each feature")
        for key, row in enumerate(logits):
            _check_vector(f"{where}.logits[{key}]", row, num_features)
            _check_logits(f"{where}.logits[{key}]", row)
        if logits and not any(map(any, logits)):
            refuse(f"{where}.logits", logits, "an entry that is not zero", "leave the matrix empty")
        _check_logits(f"{where}.phi", phi)
        if phi and not phi[-1]:
            refuse(f"{where}.phi", phi, "no zero at the end", "shorten it; φ is 0 beyond its end")


@dataclass(frozen=True, slots=True)
class OneHotUnit:
    """One Heaviside unit: [ Σ A · channel average + s · features of its own position + b > 0 ].

    Heads are read in ascending order, at most one channel of each. The entry of A is exactly 2^p (the number
    1) on a channel no other unit reads, and any integer but 0 on a shared one.
    """

    reads: tuple[tuple[int, int, int], ...]  #: (head, channel, A entry)
    s: tuple[int, ...]  #: (F,)
    b: int


@dataclass(frozen=True, slots=True)
class OneHotLayer:
    """Zero or more heads and at least one unit; only these units read the heads."""

    heads: tuple[OneHotHead, ...]
    units: tuple[OneHotUnit, ...]

    def check(self, where: str, num_features: int, precision: int) -> None:
        """Refuse what is not in the family; ``where`` is the place of the layer, F what its heads see.

        Raises
        ------
        HypothesisFormatError
            If it has no unit, a vector or a pattern does not fit the features, a pattern has a negative or
            superfluous entry, or a channel is zero, unread or read with an entry outside the family.
        """
        if not self.units:
            refuse(f"{where}.units", self.units, "at least one unit", "add a unit")
        entries: dict[tuple[int, int], list[int]] = {}
        for place, head in enumerate(self.heads):
            head._check(f"{where}.heads[{place}]", num_features)
            entries |= {(place, g): [] for g in range(len(head.channels))}
        for u, unit in enumerate(self.units):
            _check_vector(f"{where}.units[{u}].s", unit.s, num_features)
            name = f"{where}.units[{u}].reads"
            if any(later[0] <= earlier[0] for earlier, later in pairwise(unit.reads)):
                refuse(name, unit.reads, "ascending heads, each once", "read one channel per head")
            for read, g, entry in unit.reads:
                if (read, g) not in entries:
                    refuse(name, unit.reads, "channels of this layer", "count both from 0")
                entries[read, g].append(entry)
        one = 1 << precision
        for (place, g), readers in entries.items():
            name = f"{where}.heads[{place}].channels[{g}]"
            if not readers:
                refuse(f"readers of {name}", readers, "at least one unit", "drop the channel")
            if len(readers) == 1 and readers[0] != one:
                refuse(f"A entry on {name}", readers[0], f"{one}, the number 1", "scale the channel instead")
            if not all(readers):
                refuse(f"A entries on {name}", readers, "no zero", "drop the read")


@dataclass(frozen=True, slots=True)
class NextReads:
    """Which unit of the last layer each next symbol reads: the rows of U of a hypothesis about next symbols.

    The row of an output is ± the coordinate of one unit, or zero. All rows that are not zero have one sign.
    With + the threshold is 0: a symbol is a member where its unit is 1, and with a zero row never. With − it
    is −1: a member where its unit is 0, and with a zero row always. For one symbol instead of a set no two
    rows read the same unit, the threshold is 0, and the first row of the largest value wins; with + row 0 is
    zero, with − the first rows are not, and all after them are.
    """

    kind: Answer
    units: tuple[int, ...]  #: for every symbol and then end-of-string its unit, −1 for a zero row


def _check_vector(where: str, values: Sequence[int], num_features: int) -> None:
    if len(values) != num_features:
        remedy = "give one for each feature: $, symbols, residues, earlier units"
        refuse(where, values, f"{num_features} entries", remedy)


def _check_logits(where: str, values: Sequence[int]) -> None:
    for place, value in enumerate(values):
        if not isinstance(value, int) or value < 0:
            refuse(f"{where}[{place}]", value, "an integer >= 0", "use larger logits for the other keys")
