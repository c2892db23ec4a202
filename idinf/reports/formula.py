"""A found hypothesis as a counting formula that people can read, true to it on every word.

A unit of the family is 1 iff ⟨c·g, counts⟩ + 2^p (i + 1) (⟨s, features of its position⟩ + b) > 0, where
counts include SOS and i + 1 = 1 + Σ #σ. So for every last symbol, and every value of the earlier units at
that position, it is one linear inequality between counts. What follows only simplifies: earlier units that
depend on the last symbol alone become counts of symbols, equal inequalities of several last symbols are
merged, and what always or never holds disappears. All arithmetic is in exact integers.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from idinf.reports.condition import (
    TRUE,
    Condition,
    Constant,
    Prefix,
    UnitHolds,
    all_of,
    any_of,
    inequality,
    negated,
)
from idinf.reports.kept_units import KeptUnits
from idinf.reports.notation import Notation
from idinf.reports.pruning import pruned
from idinf.transformers.gated import GatedTransformer
from idinf.words import Alphabet, Word

__all__ = ["Formula", "formula_of"]


@dataclass(frozen=True, slots=True)
class Formula:
    """Definitions of units, and the condition under which a word is accepted.

    Parameters
    ----------
    alphabet : Alphabet
    units : tuple of Condition
        Each may read the counts and values of those before it.
    accept : Condition
    """

    alphabet: Alphabet
    units: tuple[Condition, ...]
    accept: Condition

    def holds(self, word: Word) -> bool:
        """Whether the formula accepts a word; exact integers. ε is a word like any other."""
        counts = [0] * (len(self.alphabet) + len(self.units))
        prefix = self._at(None, counts)
        for code in word:
            counts[code] += 1
            prefix = self._at(code, counts)
        return self.accept.holds(prefix)

    def _at(self, last: int | None, counts: list[int]) -> Prefix:
        """Evaluate the units at a position, in order, and count them there; SOS is not counted."""
        values: tuple[bool, ...] = ()
        for index, unit in enumerate(self.units):
            value = unit.holds(Prefix(last, tuple(counts), values))
            values += (value,)
            counts[len(self.alphabet) + index] += value and last is not None
        return Prefix(last, tuple(counts), values)

    def __str__(self) -> str:
        """Definitions in order, then the acceptance: ``u1 := …; accept iff …``."""
        notation = Notation(self.alphabet)
        lines = [f"{notation.unit(k)} := {notation.condition(unit)}" for k, unit in enumerate(self.units)]
        return "; ".join([*lines, f"accept iff {notation.condition(self.accept)}"])


def formula_of(hypothesis: GatedTransformer) -> Formula:
    """Write a hypothesis as a formula that accepts the same words.

    Examples
    --------
    >>> from idinf.transformers.gated import GatedHead, GatedLayer, GatedUnit
    >>> head, unit = GatedHead(((0, 1, -1),)), GatedUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    >>> print(
    ...     formula_of(
    ...         GatedTransformer(Alphabet(("0", "1")), 0, (GatedLayer((head,), (unit,)),), (-1,), -1)
    ...     )
    ... )
    accept iff #1 - #0 >= 0
    """
    return _Builder(hypothesis).formula()


@dataclass(frozen=True, slots=True)
class _Signal:
    """An earlier unit, in terms of what the formula counts.

    Attributes
    ----------
    at_start : bool
        Its value at SOS.
    count : tuple of (int, int)
        Its number of non-empty prefixes as (place, factor) pairs.
    now : (|Σ|,) tuple of Condition
        Its value at a position of each symbol: a Constant or a UnitHolds.
    """

    at_start: bool
    count: tuple[tuple[int, int], ...]
    now: tuple[Condition, ...]


class _Builder:
    """Builds one formula. Mutable: the units kept so far."""

    def __init__(self, hypothesis: GatedTransformer) -> None:
        self.hypothesis = hypothesis
        self.symbols = len(hypothesis.alphabet)
        self.signals: list[_Signal] = []
        self.kept = KeptUnits(self.symbols)

    def formula(self) -> Formula:
        """Lower layers become units, the last layer the acceptance."""
        last = len(self.hypothesis.layers) - 1
        for layer in range(last):
            pieces = [self._pieces(layer, u) for u in range(len(self.hypothesis.layers[layer].units))]
            self.signals.extend([self._signal(*piece) for piece in pieces])
        pieces = [self._pieces(last, u) for u in range(len(self.hypothesis.layers[last].units))]
        by_symbol = [self._reading([parts[code] for _, parts in pieces]) for code in range(self.symbols)]
        start = self._reading([Constant(value) for value, _ in pieces])
        accept = self.kept.merged(by_symbol, start == TRUE)
        return Formula(self.hypothesis.alphabet, *pruned(self.kept.conditions, accept, self.symbols))

    def _pieces(self, layer: int, unit: int) -> tuple[bool, list[Condition]]:
        """Value of a unit at SOS, and its condition at positions of each symbol."""
        alone = self._inequality(layer, unit, None, [signal.at_start for signal in self.signals])
        by_symbol = [self._expanded(layer, unit, code, ()) for code in range(self.symbols)]
        return alone == TRUE, by_symbol

    def _expanded(self, layer: int, unit: int, code: int, known: tuple[bool, ...]) -> Condition:
        """Tell apart the values of the earlier units that this unit reads at its own position."""
        if len(known) == len(self.signals):
            return self._inequality(layer, unit, code, known)
        weight = self.hypothesis.layers[layer].units[unit].s[1 + self.symbols + len(known)]
        now = self.signals[len(known)].now[code]
        if not weight:
            return self._expanded(layer, unit, code, (*known, False))
        if isinstance(now, Constant):
            return self._expanded(layer, unit, code, (*known, now.value))
        off, on = (self._expanded(layer, unit, code, (*known, value)) for value in (False, True))
        # The sum grows with weight > 0, so whatever holds without the earlier unit holds with it.
        if weight > 0:
            return any_of([off, all_of([now, on])])
        return any_of([on, all_of([negated(now), off])])

    def _inequality(self, layer: int, unit: int, code: int | None, earlier: Sequence[bool]) -> Condition:
        """The unit's inequality at positions of one symbol (None: SOS), earlier units being as given."""
        hypothesis, symbols = self.hypothesis, self.symbols
        own = hypothesis.layers[layer].units[unit]
        vectors = hypothesis.effective_values(layer, unit)
        values = [sum(entries) for entries in zip(*vectors, strict=True)] or [0] * len(own.s)
        gate = own.s[0 if code is None else 1 + code] + own.b
        gate += sum(weight for weight, value in zip(own.s[1 + symbols :], earlier, strict=True) if value)
        gate <<= hypothesis.precision
        constant, weights = values[0] + gate, {k: values[1 + k] + gate for k in range(symbols)}
        for signal, value in zip(self.signals, values[1 + symbols :], strict=True):
            constant += value * signal.at_start
            for place, factor in signal.count:
                weights[place] = weights.get(place, 0) + value * factor
        return Constant(constant > 0) if code is None else inequality(weights, constant)

    def _signal(self, at_start: bool, by_symbol: list[Condition]) -> _Signal:
        """Turn a finished unit into a signal: of symbols alone, of a unit kept already, or of a new one."""
        kept = self.kept
        now = [kept.under(part, code) for code, part in enumerate(by_symbol)]
        if all(isinstance(part, Constant) for part in now):
            return _Signal(at_start, tuple((k, 1) for k in range(self.symbols) if now[k] == TRUE), tuple(now))
        condition = kept.merged(by_symbol, at_start)
        for index, known in enumerate(kept.conditions):
            place = self.symbols + index
            if known == condition:
                return _Signal(at_start, ((place, 1),), kept.now[index])
            if known == negated(condition):
                # It holds at all positions but those of the known unit.
                count = (*((k, 1) for k in range(self.symbols)), (place, -1))
                return _Signal(at_start, count, tuple(negated(part) for part in kept.now[index]))
        unit = UnitHolds(len(kept.conditions))
        values = tuple(part if isinstance(part, Constant) else unit for part in now)
        kept.add(condition, values)
        return _Signal(at_start, ((self.symbols + unit.unit, 1),), values)

    def _reading(self, units: list[Condition]) -> Condition:
        """Σ sign · unit > threshold: with ¬u for −u, at least k of the literals hold."""
        signs = self.hypothesis.signs
        least = self.hypothesis.threshold + 1 + signs.count(-1)
        literals = [unit if sign > 0 else negated(unit) for unit, sign in zip(units, signs, strict=True)]
        if least <= 0:
            return TRUE
        return any_of(all_of(chosen) for chosen in itertools.combinations(literals, least))
