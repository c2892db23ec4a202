"""Units packed into the layers of a hypothesis of the searched family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from idinf.affine import Affine
from idinf.compilation.acceptance import Acceptance
from idinf.compilation.local_counts import local_head
from idinf.compilation.units import NO_HEAD, UNIFORM_HEAD, CompiledUnit, CompiledUnits
from idinf.errors import BudgetError
from idinf.transformers.attention import AttentionPattern
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
from idinf.words import Alphabet

#: Most numbers of the matrices of a result, zeros included: a file of about 50 MB.
MAX_ENTRIES = 20_000_000


def assembled(
    alphabet: Alphabet, units: CompiledUnits, reading: Acceptance, precision: int
) -> OneHotTransformer:
    """The hypothesis that a reading of units is; units it does not need are left out.

    Parameters
    ----------
    alphabet : Alphabet
    units : CompiledUnits
    reading : Acceptance
    precision : int
        p. Values, s and b are divided by 2^p, which changes no sign.

    Raises
    ------
    BudgetError
        If the matrices of the hypothesis have more than `MAX_ENTRIES` numbers.

    Examples
    --------
    >>> units = CompiledUnits(2, 1)
    >>> last_is_a = units.make(CompiledUnit(1, NO_HEAD, Affine(), Affine(((1, 1),))))
    >>> assembled(Alphabet(("a",)), units, Acceptance((last_is_a,), (1,), 0), 0).num_units
    1
    """
    kept = _needed(units, reading)
    depth = units.unit(reading.units[0]).layer
    layers = [[f for f in kept if units.unit(f).layer == 1 + layer] for layer in range(depth)]
    layers[-1] = list(reading.units)
    period = _least_period(units, kept)
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

    Raises
    ------
    BudgetError
        If there are more than `MAX_ENTRIES` numbers.
    """
    entries = width * (heads * (width + 2) + 2 * units + period)
    if entries > MAX_ENTRIES:
        raise BudgetError(
            f"the result has {heads} heads and {width} dimensions, {entries} numbers in all; "
            f"expected at most {MAX_ENTRIES}; {remedy}"
        )


def least_period(rows: Sequence[object]) -> int:
    """The least number of rows that, repeated, are all of them.

    Examples
    --------
    >>> least_period("abab"), least_period("aba")
    (2, 3)
    """
    size = len(rows)
    return next(
        d
        for d in range(1, size + 1)
        if size % d == 0 and all(a == b for a, b in zip(rows, rows[d:], strict=False))
    )


def _needed(units: CompiledUnits, reading: Acceptance) -> tuple[int, ...]:
    """The units read by the output, over any number of steps, ascending."""
    found: set[int] = set()
    waiting = list(reading.units)
    while waiting:
        number = waiting.pop()
        if number >= units.first and number not in found:
            found.add(number)
            unit = units.unit(number)
            waiting.extend(f for form in (unit.values, unit.own) for f, _ in form.terms)
    return tuple(sorted(found))


def _least_period(units: CompiledUnits, kept: tuple[int, ...]) -> int:
    """The least Δ that tells residues apart as far as the units do."""
    forms = [dict(form.terms) for f in kept for form in (units.unit(f).values, units.unit(f).own)]
    return least_period([[form.get(units.num_tokens + r, 0) for form in forms] for r in range(units.period)])


@dataclass(frozen=True, slots=True)
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
            channels = self._channels([self._vector(members[r].values, features)[0] for r in readers])
            for reader, (channel, entry) in zip(readers, channels.entries, strict=True):
                reads[reader] = ((place, channel, entry << self.precision),)
            phi = () if pattern == UNIFORM_HEAD else local_head(*pattern).phi
            heads.append(
                OneHotHead(channels.vectors, AttentionPattern(phi=tuple(v << self.precision for v in phi)))
            )
        return OneHotLayer(
            tuple(heads),
            tuple(
                OneHotUnit(read, *self._vector(unit.own, features))
                for read, unit in zip(reads, members, strict=True)
            ),
        )

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

    @staticmethod
    def _channels(vectors: list[tuple[int, ...]]) -> _Channels:
        """Vectors on one line become one channel, the others have one each."""
        lines: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        for reader, vector in enumerate(vectors):
            divisor = gcd(*vector)
            factor = divisor if next(v for v in vector if v) > 0 else -divisor
            lines.setdefault(tuple(v // factor for v in vector), []).append((reader, factor))
        rows, entries = [], [(0, 0)] * len(vectors)
        for channel, (line, readers) in enumerate(lines.items()):
            alone = len(readers) == 1
            shared = 1 if not alone else readers[0][1]
            rows.append(tuple(shared * v for v in line))
            for reader, factor in readers:
                entries[reader] = (channel, 1 if alone else factor)
        return _Channels(tuple(rows), tuple(entries))


@dataclass(frozen=True, slots=True)
class _Channels:
    """Value vectors, and for every reader its channel and its factor."""

    vectors: tuple[tuple[int, ...], ...]
    entries: tuple[tuple[int, int], ...]
