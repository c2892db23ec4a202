"""Dense Limit Transformers as steps over counters, read off the definition, for words of any length.

With uniform heads every sign is that of a form in the Parikh vector and the counts of lower units. With φ the
weights depend on N; a unit is then followed only where bounds on its sum settle its sign for every N.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import NamedTuple

from idinf.equivalence.conditions import Affine
from idinf.spec.experiment import END, Answer
from idinf.transformers.limit_transformer import Activation, Head, LimitTransformer, Vector
from idinf.verification.questions import Questions
from idinf.verification.target_steps import Control, Unprovable

__all__ = ["NetSide"]


class _Here(NamedTuple):
    """What a position gives to later ones: its token ($ is 0), i mod Δ, the units below the last layer."""

    token: int
    residue: int
    units: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class NetSide:
    """A Limit Transformer as steps over the Parikh vector and the counts of its lower units.

    Parameters
    ----------
    net : LimitTransformer
        Heaviside units, no logits K^T Q, and no head reads an average; φ in whole numbers ≥ 0.

    Raises
    ------
    Unprovable
        If it is not of this kind.

    Notes
    -----
    The control holds i mod Δ and, with φ, what the last τ positions give. A counter of a unit is the number
    of positions, SOS included, where it is 1; with a period one more counter holds the whole part of i / Δ,
    so that i mod Δ is a matter of equations. Everything is multiplied by the sum of the weights.
    """

    net: LimitTransformer

    def __post_init__(self) -> None:
        averages: set[int] = set()
        for number, layer in enumerate(self.net.layers):
            where = f"layers[{number}]"
            if any(kind is not Activation.HEAVISIDE for kind in layer.mlp.activation):
                raise Unprovable(f"{where} has ReLU units")
            for head in layer.heads:
                if head.has_logits:
                    raise Unprovable(f"{where} has a head with logits K^T Q, whose weights depend on content")
                if any(e < 0 or e.denominator != 1 for e in head.phi):
                    raise Unprovable(f"{where} has a φ that is not in whole numbers >= 0")
                if averages & {c for row in head.V for c, entry in enumerate(row) if entry}:
                    raise Unprovable(f"{where} has a head that reads an average")
            averages |= {row for head in layer.heads for row, entries in enumerate(head.V) if any(entries)}

    @property
    def names(self) -> tuple[str, ...]:
        """A counter for every unit of every layer but the last, and one for whole periods."""
        widths = [len(layer.mlp.b) for layer in self.net.layers[:-1]]
        units = [
            f"layer {number} unit {unit}" for number, width in enumerate(widths, 1) for unit in range(width)
        ]
        return (*units, *([f"i div {self.net.period}"] if self.net.period > 1 else []))

    @cached_property
    def counted(self) -> int:
        """The number of units that have a counter."""
        return sum(len(layer.mlp.b) for layer in self.net.layers[:-1])

    def start(self) -> tuple[Control, tuple[int, ...], tuple[bool, ...]]:
        """Control, own counters and answers after SOS alone."""
        at_sos = Questions()
        size = len(self.net.alphabet) + len(self.names)
        run = _Position(self, _Here(0, 0, ()), (), len(self.net.alphabet), size, at_sos)
        answers = run.answers()
        here = _Here(0, 0, tuple(run.units[: self.counted]))
        return self._control((here,)), here.units + self._turns(1), answers

    def step(
        self, control: Control, symbol: int, first: int, size: int, questions: Questions
    ) -> tuple[Control, tuple[int, ...], tuple[bool, ...]]:
        """Control after one more symbol, what the own counters grow by, and the answers there."""
        residue, window = self._read(control)
        here = _Here(1 + symbol, (residue + 1) % self.net.period, ())
        run = _Position(self, here, window, first, size, questions)
        answers = run.answers()
        units = tuple(run.units[: self.counted])
        return (
            self._control((here._replace(units=units), *window)),
            units + self._turns(here.residue),
            answers,
        )

    def _turns(self, residue: int) -> tuple[int, ...]:
        """What the counter of whole periods grows by."""
        return (int(residue == 0),) if self.net.period > 1 else ()

    def stream(self, here: _Here, layer: int) -> list[Fraction]:
        """y^(layer) of a position but for its averages, (d,)."""
        pairs = zip(self.net.embedding[here.token], self.net.positions[here.residue], strict=True)
        total, start = [e + p for e, p in pairs], 0
        for lower in self.net.layers[:layer]:
            width = len(lower.mlp.b)
            for place, row in enumerate(lower.mlp.B):
                own = here.units[start : start + width]
                total[place] += sum((e for e, bit in zip(row, own, strict=True) if bit), Fraction(0))
            start += width
        return total

    @cached_property
    def at_sos(self) -> _Here:
        """What SOS gives."""
        return _Here(0, 0, self.start()[1][: self.counted])

    def _control(self, window: tuple[_Here, ...]) -> Control:
        flat = [window[0].residue]
        for here in window[: self.net.reach]:
            flat += [here.token, here.residue, *here.units]
        return tuple(flat)

    def _read(self, control: Control) -> tuple[int, tuple[_Here, ...]]:
        width = 2 + self.counted
        parts = [control[k : k + width] for k in range(1, len(control), width)]
        return control[0], tuple(_Here(part[0], part[1], part[2:]) for part in parts)


class _Average:
    """Σ w_ij V y_j of one coordinate and one φ, as a row that reads y_j; several heads add up. Mutable."""

    def __init__(self, width: int) -> None:
        self.row = [Fraction(0)] * width

    def add(self, factor: Fraction, row: Vector) -> None:
        """Take in a multiple of a row of V."""
        self.row = [entry + factor * more for entry, more in zip(self.row, row, strict=True)]


class _Position:
    """All units at one position. Mutable: they fill up layer by layer."""

    def __init__(
        self,
        side: NetSide,
        here: _Here,
        window: tuple[_Here, ...],
        first: int,
        size: int,
        questions: Questions,
    ) -> None:
        self.side, self.net, self.here, self.window = side, side.net, here, window
        self.first, self.size, self.questions = first, size, questions
        self.units: list[int] = []
        # What is left of y_i beside averages, and the rows of V by layer and φ that wrote the averages.
        self.stream = side.stream(here, 0)
        self.written: list[tuple[int, Head]] = []

    def answers(self) -> tuple[bool, ...]:
        """Evaluate all layers; what U says here."""
        for number, layer in enumerate(self.net.layers):
            self.written += [(number, head) for head in layer.heads]
            last = number == len(self.net.layers) - 1 and self.net.output is None
            bits = [
                self._above(row, bias, last, f"layers[{number}].mlp unit {unit}")
                for unit, (row, bias) in enumerate(zip(layer.mlp.A, layer.mlp.b, strict=True))
            ]
            self.units += [int(bit) for bit in bits]
            for place, row in enumerate(layer.mlp.B):
                self.stream[place] += sum((e for e, bit in zip(row, bits, strict=True) if bit), Fraction(0))
        return self._read_output()

    def _read_output(self) -> tuple[bool, ...]:
        net, output = self.net, self.net.output
        threshold = Fraction(-net.threshold)
        if output is None:
            return (self._above(net.unembedding[net.accept_row], threshold, True, "the output"),)
        rows = dict(zip(output.symbols, output.rows, strict=True))
        if output.kind is Answer.SYMBOL:
            raise Unprovable("one next symbol is chosen by the largest of several values")
        return tuple(
            symbol in rows and self._above(net.unembedding[rows[symbol]], threshold, True, "the output")
            for symbol in (*net.alphabet.symbols, END)
        )

    def _above(self, row: Vector, bias: Fraction, last: bool, where: str) -> bool:
        """Whether row · Y_i + bias > 0."""
        own = bias + sum((a * y for a, y in zip(row, self.stream, strict=True)), Fraction(0))
        read = self._reads(row)
        if not read:
            return own > 0
        if len(read) > 1:
            raise Unprovable(f"{where} reads heads of different layers or with different φ")
        [((layer, phi), average)] = read.items()
        if not self.here.token:  # SOS sees itself alone, whatever its weight
            return self._given(layer, average.row, own, self._here) > 0
        total = self._total(layer, average.row, own)
        exponents = {distance: int(e) for distance, e in enumerate(phi) if e}
        if not exponents:
            return self.questions.above(total)
        return self._weighted(layer, average.row, own, total, exponents, last, where)

    def _reads(self, row: Vector) -> dict[tuple[int, Vector], _Average]:
        """The averages that a row reads, by layer and φ."""
        read: dict[tuple[int, Vector], _Average] = {}
        for layer, head in self.written:
            for factor, entries in zip(row, head.V, strict=True):
                if factor and any(entries):
                    read.setdefault((layer, head.phi), _Average(self.net.width)).add(factor, entries)
        # Uniform averages of different layers have one denominator, but different streams.
        return {key: average for key, average in read.items() if any(average.row)}

    def _total(self, layer: int, row: Sequence[Fraction], own: Fraction) -> Affine:
        """Σ_{j ≤ i} (row · y_j + own) as a form in the counters before this position."""
        net, symbols = self.net, len(self.net.alphabet)
        form = [Fraction(0)] * (self.size + 1)

        def read(entries: Sequence[Fraction]) -> Fraction:
            return sum((a * b for a, b in zip(row, entries, strict=True)), Fraction(0))

        each = [read(entries) + own for entries in net.embedding]
        form[:symbols] = each[1:]
        form[-1] = each[0] + each[self.here.token]
        start = 0
        for lower in net.layers[:layer]:
            for unit in range(len(lower.mlp.b)):
                written = read([entries[unit] for entries in lower.mlp.B])
                form[self.first + start + unit] += written  # counts SOS
                form[-1] += written * self.units[start + unit]
            start += len(lower.mlp.b)
        self._add_positions(form, [read(entries) for entries in net.positions])
        return tuple(form)

    def _add_positions(self, form: list[Fraction], each: list[Fraction]) -> None:
        """Σ_{j ≤ i} row · p_j: i = Σ_σ #σ, and the residue r stands at (i − i mod Δ)/Δ + [r ≤ i mod Δ]."""
        period, residue = self.net.period, self.here.residue
        whole = sum(each, Fraction(0)) / period
        for code in range(len(self.net.alphabet)):
            form[code] += whole
        form[-1] += (1 - residue) * whole + sum(each[: residue + 1], Fraction(0))

    def _weighted(
        self,
        layer: int,
        row: Sequence[Fraction],
        own: Fraction,
        total: Affine,
        exponents: dict[int, int],
        last: bool,
        where: str,
    ) -> bool:
        """The sign of Σ_j N^φ(i−j) (row · y_j + own).

        It is settled if a bound on the positions whose weight is 1 settles it for every N ≥ i + 1; or, where
        N = i + 1 and the exponents are at most 1, by a form again.
        """
        known = (self._here, *self.window)
        given = [self._given(layer, row, own, here) for here in known]
        near = {k: e for k, e in exponents.items() if k < len(known)}
        if not any(given[k] for k in near):
            return self.questions.above(total)
        if last and max(near.values()) <= 1:
            heavy = sum((given[k] for k in near), Fraction(0))  # (N − 1) · heavy + total, and N − 1 = i
            form = [entry + heavy for entry in total[: len(self.net.alphabet)]]
            form += total[len(self.net.alphabet) :]
            form[-1] += heavy
            return self.questions.above(tuple(form))
        low, high = self._bounds(layer, row, own, near, given)
        at_least = len(known)  # N ≥ i + 1
        weights = [(e, given[k]) for k, e in near.items()]
        if _positive_from(weights, low, at_least):
            return True
        if _not_positive_from(weights, high, at_least):
            return False
        raise Unprovable(f"{where}: with φ its sign depends on N in a way that no bound here settles")

    @property
    def _here(self) -> _Here:
        """This position with the units evaluated so far."""
        return self.here._replace(units=tuple(self.units))

    def _given(self, layer: int, row: Sequence[Fraction], own: Fraction, here: _Here) -> Fraction:
        stream = self.side.stream(here, layer)
        return own + sum((a * y for a, y in zip(row, stream, strict=True)), Fraction(0))

    def _bounds(
        self,
        layer: int,
        row: Sequence[Fraction],
        own: Fraction,
        near: dict[int, int],
        given: list[Fraction],
    ) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """Bounds c + m · N, for every N ≥ i + 1, on the sum over positions of weight 1, as (c, m)."""
        known = (self._here, *self.window)
        light = sum((g for k, g in enumerate(given) if k not in near), Fraction(0))
        if known[-1].token == 0:  # all positions up to this one are known
            return (light, Fraction(0)), (light, Fraction(0))
        sos = self._given(layer, row, own, self.side.at_sos)
        least, most = self._extremes(layer, row, own)
        # Between SOS and the window there are from 0 to N − 1 − (positions known) others.
        low, high = min(least, Fraction(0)), max(most, Fraction(0))
        others = -1 - len(known)
        return (light + sos + others * low, low), (light + sos + others * high, high)

    def _extremes(self, layer: int, row: Sequence[Fraction], own: Fraction) -> tuple[Fraction, Fraction]:
        """The least and the largest value that a position of a word can give."""

        def read(entries: Sequence[Fraction]) -> Fraction:
            return sum((a * b for a, b in zip(row, entries, strict=True)), Fraction(0))

        tokens = [read(entries) for entries in self.net.embedding[1:]]
        residues = [read(entries) for entries in self.net.positions]
        units = [
            read([entries[unit] for entries in lower.mlp.B])
            for lower in self.net.layers[:layer]
            for unit in range(len(lower.mlp.b))
        ]
        least = min(tokens) + min(residues) + sum(min(u, Fraction(0)) for u in units)
        most = max(tokens) + max(residues) + sum(max(u, Fraction(0)) for u in units)
        return own + least, own + most


def _positive_from(weights: list[tuple[int, Fraction]], low: tuple[Fraction, Fraction], start: int) -> bool:
    """Whether Σ g N^e + c + m N > 0 is seen for all N ≥ start: no term in powers of N − start is negative."""
    shifted = _shifted(weights, low, start)
    return shifted[0] > 0 and all(entry >= 0 for entry in shifted)


def _not_positive_from(
    weights: list[tuple[int, Fraction]], high: tuple[Fraction, Fraction], start: int
) -> bool:
    """Whether Σ g N^e + c + m N ≤ 0 is seen for all N ≥ start."""
    return all(entry <= 0 for entry in _shifted(weights, high, start))


def _shifted(
    weights: list[tuple[int, Fraction]], linear: tuple[Fraction, Fraction], start: int
) -> list[Fraction]:
    """The coefficients of Σ g N^e + c + m N in powers of N − start."""
    degree = max(1, *(e for e, _ in weights))
    powers = [Fraction(0)] * (degree + 1)
    powers[0], powers[1] = linear
    for exponent, g in weights:
        powers[exponent] += g
    return [
        sum((powers[e] * comb(e, k) * start ** (e - k) for e in range(k, degree + 1)), Fraction(0))
        for k in range(degree + 1)
    ]
