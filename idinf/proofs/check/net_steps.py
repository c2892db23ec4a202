"""Dense Limit Transformers as steps over counters, read off the definition, for words of any length.

With uniform heads every sign is that of a form in the Parikh vector and the counts of lower units. With φ the
weights depend on N; a unit is then followed only where bounds on its sum settle its sign for every N.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import comb
from typing import NamedTuple

from idinf.base.linear_algebra import dot
from idinf.languages.equivalence.conditions import Affine
from idinf.nets.dense import Activation, Vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.proofs.check.target_steps import Arrival, Control, SymbolicRun, Unprovable
from idinf.spec.spec import END, Answer


class _Here(NamedTuple):
    """Features of a position for later ones: its token ($ is 0), i mod Δ, units below the last layer."""

    token: int
    residue: int
    units: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Linear:
    """A linear function of the features of a position: parts by token, by residue, and by each lower unit."""

    tokens: tuple[Fraction, ...]
    residues: tuple[Fraction, ...]
    units: tuple[Fraction, ...]

    def plus(self, number: Fraction) -> _Linear:
        """With a number added to every value."""
        return replace(self, tokens=tuple(token + number for token in self.tokens))

    def at(self, here: _Here) -> Fraction:
        """Its value at a position."""
        units = (unit for unit, bit in zip(self.units, here.units, strict=False) if bit)
        return sum(units, self.tokens[here.token] + self.residues[here.residue])

    def total(self, here: _Here, first: int, size: int) -> Affine:
        """Its sum over positions 0..i as a form in the counters before position i, which is ``here``.

        i is the number of symbols, and the residue r stands at (i − i mod Δ)/Δ + [r ≤ i mod Δ] of 0..i.
        """
        form = [Fraction(0)] * (size + 1)
        each = sum(self.residues, Fraction(0)) / len(self.residues)
        form[: len(self.tokens) - 1] = [token + each for token in self.tokens[1:]]
        begun = sum(self.residues[: here.residue + 1], Fraction(0))
        form[-1] = self.tokens[0] + self.tokens[here.token] + (1 - here.residue) * each + begun
        for place, (unit, bit) in enumerate(zip(self.units, here.units, strict=False)):
            form[first + place] += unit  # a counter that counts SOS
            form[-1] += unit * bit
        return tuple(form)

    def extremes(self) -> tuple[Fraction, Fraction]:
        """Bounds on its values at positions with a symbol."""
        parts = [self.tokens[1:], self.residues, *((Fraction(0), unit) for unit in self.units)]
        return sum(map(min, parts), Fraction(0)), sum(map(max, parts), Fraction(0))


@dataclass(frozen=True, slots=True)
class _Question:
    """The question "row · Y_i + bias > 0?" of one row: its own part, bias included, and its averages."""

    own: _Linear
    #: The linear form that is averaged, by layer and φ. Averages of different layers have one denominator
    #: with uniform heads, but different streams.
    averages: dict[tuple[int, Vector], _Linear]
    where: str


@dataclass(frozen=True, eq=False)
class NetSide:
    """A Limit Transformer as steps over the Parikh vector and the counts of its lower units.

    The control holds i mod Δ and, with φ, the features of the last τ positions. A counter of a unit is the
    number of positions, SOS included, where it is 1; with a period one more counter holds ⌊i / Δ⌋,
    so that i mod Δ is a matter of equations. Everything is multiplied by the sum of the weights.

    Raises `Unprovable` if it is not of this kind.
    """

    #: Heaviside units, no logits K^T Q, and no head reads an average; φ in whole numbers ≥ 0.
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
        layers = enumerate(self.net.layers[:-1], start=1)
        units = [
            f"layer {number} unit {unit}" for number, layer in layers for unit in range(len(layer.mlp.b))
        ]
        return (*units, *([f"i div {self.net.period}"] if self.net.period > 1 else []))

    @cached_property
    def counted(self) -> int:
        """The number of units that have a counter."""
        return sum(len(layer.mlp.b) for layer in self.net.layers[:-1])

    def start(self) -> Arrival:
        """Control, own counters and answers after SOS alone."""
        symbols = len(self.net.alphabet)
        return self._arrival(_Here(0, 0, ()), (), symbols, symbols + len(self.names), SymbolicRun())

    def step(self, control: Control, symbol: int, first: int, size: int, asked: SymbolicRun) -> Arrival:
        """Control after one more symbol, the growth of the own counters, and the answers there."""
        parts = (control[k : k + 2 + self.counted] for k in range(1, len(control), 2 + self.counted))
        window = tuple(_Here(token, residue, tuple(units)) for token, residue, *units in parts)
        here = _Here(1 + symbol, (control[0] + 1) % self.net.period, ())
        return self._arrival(here, window, first, size, asked)

    def _arrival(
        self, here: _Here, window: tuple[_Here, ...], first: int, size: int, asked: SymbolicRun
    ) -> Arrival:
        position = _Position(self, here, window, first, size, asked)
        answers = position.answers()
        # Later positions read this one without the units of the last layer.
        given = here._replace(units=position.here.units[: self.counted])
        whole = (int(here.token > 0 and here.residue == 0),) if self.net.period > 1 else ()
        last = (given, *window)[: self.net.reach]
        control = (here.residue, *chain.from_iterable((one.token, one.residue, *one.units) for one in last))
        return control, given.units + whole, answers

    def linear(self, row: Vector, layer: int) -> _Linear:
        """row · y_j^(layer), but for the averages that are in it."""
        net = self.net
        written = (entries for lower in net.layers[:layer] for entries in zip(*lower.mlp.B, strict=True))
        parts = ([dot(row, entries) for entries in rows] for rows in (net.embedding, net.positions, written))
        return _Linear(*map(tuple, parts))

    def question(self, row: Vector, bias: Fraction, layer: int, where: str) -> _Question:
        """The question "row · Y_i + bias > 0?" in a layer, or for the output after all layers."""
        read: dict[tuple[int, Vector], Vector] = {}
        for number, each in enumerate(self.net.layers[: layer + 1]):
            for head in each.heads:
                values = tuple(dot(row, entries) for entries in zip(*head.V, strict=True))
                known = read.get((number, head.phi), (Fraction(0),) * len(values))
                read[number, head.phi] = tuple(a + b for a, b in zip(known, values, strict=True))
        averages = {key: self.linear(values, key[0]) for key, values in read.items() if any(values)}
        return _Question(self.linear(row, layer).plus(bias), averages, where)

    @cached_property
    def questions(self) -> tuple[tuple[_Question, ...], ...]:
        """Questions of the units of every layer."""
        return tuple(
            tuple(
                self.question(row, bias, number, f"layers[{number}].mlp unit {unit}")
                for unit, (row, bias) in enumerate(zip(layer.mlp.A, layer.mlp.b, strict=True))
            )
            for number, layer in enumerate(self.net.layers)
        )

    @cached_property
    def outputs(self) -> tuple[_Question | None, ...]:
        """Questions that decide the answers; None where the answer is no at every position."""
        net, output = self.net, self.net.output
        rows: list[int | None] = [net.accept_row]
        if output is not None:
            if output.kind is Answer.SYMBOL:
                raise Unprovable("one next symbol is chosen by the largest of several values")
            named = dict(zip(output.symbols, output.rows, strict=True))
            rows = [named.get(symbol) for symbol in (*net.alphabet.symbols, END)]
        threshold = Fraction(-net.threshold)
        return tuple(
            None if row is None else self.question(net.unembedding[row], threshold, net.depth, "the output")
            for row in rows
        )

    @cached_property
    def at_sos(self) -> _Here:
        """Features of SOS that later positions read."""
        return _Here(0, 0, self.start()[1][: self.counted])


@dataclass(eq=False)
class _Position:
    """All units at one position. Mutable: the units of ``here`` fill up layer by layer."""

    side: NetSide
    here: _Here
    window: tuple[_Here, ...]
    first: int
    size: int
    questions: SymbolicRun

    def answers(self) -> tuple[bool, ...]:
        """Evaluate all layers; gives the answers of U here."""
        for number, asked in enumerate(self.side.questions):
            bits = [int(self._above(question, number)) for question in asked]
            self.here = self.here._replace(units=(*self.here.units, *bits))
        depth = self.side.net.depth
        return tuple(asked is not None and self._above(asked, depth) for asked in self.side.outputs)

    def _above(self, asked: _Question, layer: int) -> bool:
        """The answer to a question of a layer, or of the output after all of them."""
        own = asked.own.at(self.here)
        if not asked.averages:
            return own > 0
        if len(asked.averages) > 1:
            raise Unprovable(f"{asked.where} reads heads of different layers or with different φ")
        [((_, phi), each)] = asked.averages.items()
        each = each.plus(own)
        if not self.here.token:  # SOS sees itself alone, with any weight
            return each.at(self.here) > 0
        total = each.total(self.here, self.first, self.size)
        known = (self.here, *self.window)
        near = [(int(e), each.at(here)) for e, here in zip(phi, known, strict=False) if e]
        if not any(value for _, value in near):
            return self.questions.above(total)
        # Acceptance is judged at the last position alone, so averages that only it reads have N = i + 1.
        at_end = self.side.net.output is None and layer >= self.side.net.depth - 1
        if at_end and max(e for e, _ in near) <= 1:
            heavy = sum((g for _, g in near), Fraction(0))  # times N − 1 = i, the number of symbols
            symbols = len(self.side.net.alphabet)
            weighted = (*(entry + heavy for entry in total[:symbols]), *total[symbols:-1], total[-1] + heavy)
            return self.questions.above(weighted)
        light = [
            each.at(here) for distance, here in enumerate(known) if not any(phi[distance : distance + 1])
        ]
        return self._settled(near, each, sum(light, Fraction(0)), asked.where)

    def _settled(self, near: list[tuple[int, Fraction]], each: _Linear, light: Fraction, where: str) -> bool:
        """The sign of Σ N^e g over near positions and the sum of others, where bounds settle it for all N.

        The others are the known ones, ``light`` in all, SOS, and from 0 to N − 1 − (positions known) more.
        """
        known = 1 + len(self.window)
        low = high = (light, Fraction(0))
        if (self.window or (self.here,))[-1].token:  # SOS is not in the window
            (least, most), rest = each.extremes(), light + each.at(self.side.at_sos)
            least, most = min(least, Fraction(0)), max(most, Fraction(0))
            low, high = (rest - (1 + known) * least, least), (rest - (1 + known) * most, most)
        lowest = _shifted(near, low, known)  # N ≥ i + 1 ≥ known
        if lowest[0] > 0 and all(entry >= 0 for entry in lowest):
            return True
        if all(entry <= 0 for entry in _shifted(near, high, known)):
            return False
        raise Unprovable(f"{where}: with φ its sign depends on N in a way that no bound here settles")


def _shifted(
    weights: list[tuple[int, Fraction]], linear: tuple[Fraction, Fraction], start: int
) -> list[Fraction]:
    """Σ g N^e + c + m N, (c, m) being ``linear``, as coefficients of powers of N − start.

    If none of them is negative, it is for N ≥ start at least what it is for N = start.
    """
    degree = max(1, *(e for e, _ in weights))
    powers = [Fraction(0)] * (degree + 1)
    powers[0], powers[1] = linear
    for exponent, g in weights:
        powers[exponent] += g
    return [
        sum((powers[e] * comb(e, k) * start ** (e - k) for e in range(k, degree + 1)), Fraction(0))
        for k in range(degree + 1)
    ]
