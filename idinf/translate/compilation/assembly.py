"""Units packed into the layers of a hypothesis of the searched family."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from idinf.base.linear_algebra import Affine
from idinf.base.words import Alphabet
from idinf.errors import BudgetError
from idinf.nets.attention import AttentionPattern
from idinf.nets.limit_transformer import find_least_period
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
from idinf.translate.compilation.acceptance import Acceptance
from idinf.translate.compilation.diagrams import find_reached
from idinf.translate.compilation.local_counts import build_local_head
from idinf.translate.compilation.units import NO_HEAD, UNIFORM_HEAD, CompiledUnit, CompiledUnits

#: Most numbers of the matrices of a result, zeros included: a file of about 50 MB.
MAX_ENTRIES = 20_000_000


def assemble(
    alphabet: Alphabet, units: CompiledUnits, reading: Acceptance, precision: int
) -> OneHotTransformer:
    """The hypothesis that a reading of units is; units it does not need are left out.

    Values, s and b are divided by 2^precision, which changes no sign.

    Raises `BudgetError` if the matrices of the hypothesis have more than `MAX_ENTRIES` numbers.

    >>> units = CompiledUnits(2, 1)
    >>> last_is_a = units.make(CompiledUnit(1, NO_HEAD, Affine(), Affine(((1, 1),))))
    >>> assemble(Alphabet(("a",)), units, Acceptance((last_is_a,), (1,), 0), 0).num_units
    1
    """

    def read(number: int) -> list[int]:
        unit = units.unit(number)
        return [f for form in (unit.values, unit.own) for f, _ in form.terms if f >= units.first]

    kept = find_reached(reading.units, read)
    depth = units.unit(reading.units[0]).layer
    layers = [[f for f in kept if units.unit(f).layer == 1 + layer] for layer in range(depth)]
    layers[-1] = list(reading.units)
    forms = [dict(form.terms) for f in kept for form in (units.unit(f).values, units.unit(f).own)]
    # The least Δ that tells residues apart as far as the units do.
    residues = range(units.num_tokens, units.first)
    period = find_least_period([[form.get(residue, 0) for form in forms] for residue in residues])
    packing = _Packing(units, period, tuple(f for layer in layers for f in layer), precision)
    features = units.num_tokens + (period if period > 1 else 0)
    layers_so_far = []
    for layer in layers:
        layers_so_far.append(packing.layer([units.unit(f) for f in layer], features))
        features += len(layer)
    heads = [head for layer in layers_so_far for head in layer.heads]
    width = features + sum(len(head.channels) for head in heads)
    check_size(len(heads), width, len(packing.order), period, "shorten the program")
    return OneHotTransformer(
        alphabet, precision, tuple(layers_so_far), reading.signs, reading.threshold, period
    )


def check_size(heads: int, width: int, units: int, period: int, remedy: str) -> None:
    """Refuse matrices that take minutes to write: V alone is as large as the square of the width.

    Raises `BudgetError` if there are more than `MAX_ENTRIES` numbers.
    """
    entries = width * (heads * (width + 2) + 2 * units + period)
    if entries > MAX_ENTRIES:
        raise BudgetError(
            f"the result has {heads} heads and {width} dimensions, {entries} numbers in all; "
            f"expected at most {MAX_ENTRIES}; {remedy}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Packing:
    """Where features stand in the hypothesis."""

    units: CompiledUnits
    period: int
    order: tuple[int, ...]
    precision: int

    def layer(self, members: list[CompiledUnit], features: int) -> OneHotLayer:
        """Units over a number of features: one head for each distance, units on one line share a channel."""
        patterns = sorted({unit.head for unit in members} - {NO_HEAD})
        heads = []
        reads = [tuple[tuple[int, int, int], ...]()] * len(members)
        for place, pattern in enumerate(patterns):
            readers = [number for number, unit in enumerate(members) if unit.head == pattern]
            vectors, entries = _channels([self._vector(members[r].values, features)[0] for r in readers])
            for reader, (channel, entry) in zip(readers, entries, strict=True):
                reads[reader] = ((place, channel, entry << self.precision),)
            phi = () if pattern == UNIFORM_HEAD else build_local_head(*pattern).phi
            heads.append(OneHotHead(vectors, AttentionPattern(phi=tuple(v << self.precision for v in phi))))
        own = (self._vector(unit.own, features) for unit in members)
        units = tuple(OneHotUnit(read, *vector) for read, vector in zip(reads, own, strict=True))
        return OneHotLayer(tuple(heads), units)

    def _vector(self, form: Affine, features: int) -> tuple[tuple[int, ...], int]:
        """Coefficients in file order, and the constant; with Δ = 1 every token has the one residue."""
        coefficients = dict(form.terms)
        first = self.units.num_tokens
        residues = [coefficients.get(first + r, 0) for r in range(self.period)]
        row = [coefficients.get(token, 0) for token in range(first)]
        if self.period > 1:
            row += residues
        else:
            row = [entry + residues[0] for entry in row]
        row += [coefficients.get(f, 0) for f in self.order[: features - len(row)]]
        return tuple(row), form.constant


def _channels(vectors: list[tuple[int, ...]]) -> tuple[tuple[tuple[int, ...], ...], list[tuple[int, int]]]:
    """Vectors on one line become one channel, the others have one each; for each its channel and factor."""
    lines: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for reader, vector in enumerate(vectors):
        divisor = gcd(*vector)
        factor = divisor if next(v for v in vector if v) > 0 else -divisor
        lines.setdefault(tuple(v // factor for v in vector), []).append((reader, factor))
    channels, entries = [], [(0, 0)] * len(vectors)
    for channel, (line, readers) in enumerate(lines.items()):
        if len(readers) == 1:
            ((reader, factor),) = readers
            line, readers = vectors[reader], [(reader, 1)]
        channels.append(line)
        for reader, factor in readers:
            entries[reader] = (channel, factor)
    return tuple(channels), entries
