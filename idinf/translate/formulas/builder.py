"""From the layers of a hypothesis to the units and the acceptance of a formula.

Positions are told apart by their class: the symbol and the length modulo Δ. Earlier units that depend on the
symbol, or on the length, alone become counts of these; equal conditions of several classes are merged, and
what always or never holds disappears.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotTransformer
from idinf.spec.spec import END, Answer
from idinf.translate.formulas import condition as c
from idinf.translate.formulas.average import Weighting, list_terms
from idinf.translate.formulas.condition import TRUE, AllOf, Condition, ConstantCondition, UnitHolds, negated
from idinf.translate.formulas.inequalities import exceeds, find_weighting
from idinf.translate.formulas.kept_units import KeptUnits
from idinf.translate.formulas.pruning import prune

#: Values of at most so many earlier units are told apart, four comparisons at most; more of them are left in
#: one comparison, whose length does not double with every unit.
MAX_SPLIT = 2

#: Values of the earlier units: known, or a unit of the formula.
_Known = tuple[bool | UnitHolds, ...]


@dataclass(frozen=True, slots=True)
class _Signal:
    """An earlier unit, in terms of what the formula counts."""

    at_start: bool  # its value at SOS
    count: tuple[tuple[int, int], ...]  # its value at every other position: Σ factor · place, (place, factor)
    now: tuple[Condition, ...]  # its value at a position of each class: a Constant or a UnitHolds


class FormulaBuilder:
    """Builds one formula. Mutable: the units kept so far."""

    def __init__(self, hypothesis: OneHotTransformer) -> None:
        self.hypothesis = hypothesis
        self.symbols = len(hypothesis.alphabet)
        self.period = hypothesis.period
        self.signals: list[_Signal] = []
        self.kept = KeptUnits(self.symbols, self.period)
        #: Features before the units: $, symbols, residues.
        self.fixed = 1 + self.kept.first_unit

    def build(self) -> tuple[tuple[Condition, ...], Condition]:
        """Lower layers become units, the last layer the acceptance."""
        pieces = self._last_pieces()
        by_class = [self._reading([parts[k] for _, parts in pieces]) for k in range(self.kept.num_classes)]
        start = self._reading([ConstantCondition(value) for value, _ in pieces])
        accept = self.kept.merged(by_class, start == TRUE)
        return prune(self.kept.conditions, accept, self.kept.first_unit)

    def build_next(self) -> tuple[tuple[Condition, ...], tuple[Condition, ...]]:
        """Lower layers become units, the last layer the conditions of the outputs of `order_next`."""
        reads = self.hypothesis.reads
        if reads is None:
            raise TypeError("a hypothesis about acceptance; expected one about next symbols; use build")
        pieces, sign = self._last_pieces(), self.hypothesis.signs[0]
        units = [self.kept.merged(by_class, start) for start, by_class in pieces]
        literals = units if sign > 0 else [negated(unit) for unit in units]
        read = dict(zip(_outputs(self.hypothesis), reads.units, strict=True))
        # A zero row never names its symbol with +, always with −; the default of a single symbol is last.
        single = reads.kind is Answer.SYMBOL
        conditions = tuple(
            literals[read[symbol]] if read[symbol] >= 0 else ConstantCondition(single or sign < 0)
            for symbol in order_next(self.hypothesis)
        )
        kept, together = prune(self.kept.conditions, AllOf(conditions), self.kept.first_unit)
        return kept, together.parts if isinstance(together, AllOf) else (together,)

    def _last_pieces(self) -> list[tuple[bool, list[Condition]]]:
        """Lower layers become units; the pieces of the units of the last layer."""
        last = len(self.hypothesis.layers) - 1
        for layer in range(last):
            pieces = [self._pieces(layer, u) for u in range(len(self.hypothesis.layers[layer].units))]
            self.signals.extend([self._signal(*piece) for piece in pieces])
        return [self._pieces(last, u) for u in range(len(self.hypothesis.layers[last].units))]

    def _pieces(self, layer: int, unit: int) -> tuple[bool, list[Condition]]:
        """Value of a unit at SOS, and its condition at positions of each class."""
        by_class = [self._told_apart(layer, unit, place) for place in range(self.kept.num_classes)]
        return self._at_start(layer, unit), by_class

    def _at_start(self, layer: int, unit: int) -> bool:
        """Only SOS is there to attend to, with weight 1."""
        own = self.hypothesis.layers[layer].units[unit]
        earlier = [signal.at_start for signal in self.signals]
        features = [1, *[0] * self.symbols, *_one_hot(self.period, 0), *map(int, earlier)]
        total = sum(_dot(vector, features) for vector in self.hypothesis.effective_values(layer, unit))
        return total + ((_dot(own.s, features) + own.b) << self.hypothesis.precision) > 0

    def _told_apart(self, layer: int, unit: int, place: int) -> Condition:
        """Tell apart the values of the earlier units that matter at the position of this one."""
        known: list[bool | UnitHolds] = []
        for index, signal in enumerate(self.signals):
            now = signal.now[place]
            matters = self._weight(layer, unit, index) or self._is_asked(layer, unit, index)
            known.append(bool(matters) and (now if isinstance(now, UnitHolds) else now == TRUE))
        are_many = sum(isinstance(value, UnitHolds) for value in known) > MAX_SPLIT
        return (self._comparison if are_many else self._split)(layer, unit, place, tuple(known))

    def _split(self, layer: int, unit: int, place: int, known: _Known) -> Condition:
        """The comparison for either value of each unit that is not known."""
        index = next((k for k, value in enumerate(known) if isinstance(value, UnitHolds)), None)
        if index is None:
            return self._comparison(layer, unit, place, known)
        now, weight = self.signals[index].now[place], self._weight(layer, unit, index)
        off, on = (
            self._split(layer, unit, place, (*known[:index], value, *known[index + 1 :]))
            for value in (False, True)
        )
        if self._is_asked(layer, unit, index):
            return on if off == on else c.any_of([c.all_of([now, on]), c.all_of([negated(now), off])])
        # The sum grows with weight > 0, so whatever holds without the earlier unit holds with it.
        if weight > 0:
            return c.any_of([off, c.all_of([now, on])])
        return c.any_of([on, c.all_of([negated(now), off])])

    def _weight(self, layer: int, unit: int, index: int) -> int:
        """The entry of s for an earlier unit."""
        return self.hypothesis.layers[layer].units[unit].s[self.fixed + index]

    def _is_asked(self, layer: int, unit: int, index: int) -> bool:
        """Whether the logits of a head that a unit reads depend on an earlier unit at the query."""
        heads = self.hypothesis.layers[layer].heads
        reads = self.hypothesis.layers[layer].units[unit].reads
        return any(row[self.fixed + index] for head, _, _ in reads for row in heads[head].pattern.logits)

    def _comparison(self, layer: int, unit: int, place: int, known: _Known) -> Condition:
        """The unit's comparison at positions of one class; units whose value is not known stay in it."""
        hypothesis = self.hypothesis
        own, heads = hypothesis.layers[layer].units[unit], hypothesis.layers[layer].heads
        vectors = hypothesis.effective_values(layer, unit)
        code, residue = divmod(place, self.period)
        query = [0, *_one_hot(self.symbols, code, always=True), *_one_hot(self.period, residue)]
        query += [int(value is True) for value in known]
        bound = -((_dot(own.s, query) + own.b) << hypothesis.precision)
        parts: dict[Weighting, dict[int, int]] = {}
        for head, _, _ in own.reads:
            weighting = self._weighting(heads[head].pattern, query, known)
            at_start, values = self._by_place(vectors[head])
            # An average is what it is at SOS, plus the average of the differences from that.
            bound -= at_start
            weights = parts.setdefault(weighting, {})
            for k, worth in values.items():
                weights[k] = weights.get(k, 0) + worth - at_start * (k < self.symbols)
        units: dict[int, int] = {}
        for index, value in enumerate(known):
            if isinstance(value, UnitHolds):
                weight = self._weight(layer, unit, index) << hypothesis.precision
                # c · (1 − u) = c − c · u
                bound -= 0 if value.positive else weight
                units[value.unit] = units.get(value.unit, 0) + (weight if value.positive else -weight)
        return exceeds(parts, bound, self.symbols, self.period, code, units)

    def _weighting(self, pattern: AttentionPattern, query: Sequence[int], known: _Known) -> Weighting:
        """How a head weighs positions for a query; units whose value is not known stay in it."""
        start, keys = self._by_place([_dot(row, query) for row in pattern.logits])
        asked = []
        for index, value in enumerate(known):
            column = [row[self.fixed + index] for row in pattern.logits]
            if isinstance(value, UnitHolds) and any(column):
                more, others = self._by_place(column)
                asked.append((value.unit, value.positive, more, list_terms(others)))
        return find_weighting(
            Weighting(start, list_terms(keys), pattern.phi, tuple(asked), self.hypothesis.precision),
            self.symbols,
            self.period,
        )

    def _by_place(self, vector: Sequence[int]) -> tuple[int, dict[int, int]]:
        """A vector over features as its value at SOS, and weights of the places at all other positions."""
        if not vector:
            return 0, {}
        start = vector[0] + (vector[1 + self.symbols] if self.period > 1 else 0)
        weights = dict(enumerate(vector[1 : self.fixed]))
        for signal, value in zip(self.signals, vector[self.fixed :], strict=True):
            start += value * signal.at_start
            for place, factor in signal.count:
                weights[place] = weights.get(place, 0) + value * factor
        return start, weights

    def _signal(self, at_start: bool, by_class: list[Condition]) -> _Signal:
        """Turn a finished unit into a signal: of the class alone, of a unit kept already, or of a new one."""
        kept = self.kept
        now = [kept.under(part, place) for place, part in enumerate(by_class)]
        if all(isinstance(part, ConstantCondition) for part in now):
            count = self._class_count([part == TRUE for part in now])
            if count is not None:
                return _Signal(at_start, count, tuple(now))
        condition = kept.merged(by_class, at_start)
        for index, known in enumerate(kept.conditions):
            place = kept.first_unit + index
            if known == condition:
                return _Signal(at_start, ((place, 1),), kept.now[index])
            if known == negated(condition):
                # It holds at all positions but those of the known unit.
                count = (*((k, 1) for k in range(self.symbols)), (place, -1))
                return _Signal(at_start, count, tuple(negated(part) for part in kept.now[index]))
        unit = UnitHolds(len(kept.conditions))
        values = tuple(part if isinstance(part, ConstantCondition) else unit for part in now)
        kept.add(condition, values)
        return _Signal(at_start, ((kept.first_unit + unit.unit, 1),), values)

    def _class_count(self, values: Sequence[bool]) -> tuple[tuple[int, int], ...] | None:
        """The places to count if a value depends on the symbol alone, or on the residue alone."""
        period = self.period
        if all(values[k] == values[k - k % period] for k in range(len(values))):
            return tuple((code, 1) for code in range(self.symbols) if values[code * period])
        if all(values[k] == values[k % period] for k in range(len(values))):
            return tuple((self.symbols + residue, 1) for residue in range(period) if values[residue])
        return None

    def _reading(self, units: list[Condition]) -> Condition:
        """Σ sign · unit > threshold: with ¬u for −u, at least k of the literals hold."""
        signs = self.hypothesis.signs
        least = self.hypothesis.threshold + 1 + signs.count(-1)
        return c.at_least(
            least, (unit if sign > 0 else negated(unit) for unit, sign in zip(units, signs, strict=True))
        )


def order_next(hypothesis: OneHotTransformer) -> tuple[str, ...]:
    """Next symbols as a formula lists them.

    For sets all of them, end-of-string last. For one symbol those that can be it, in the order in which rows
    win, and last the one whose row is zero and that is named where no other is.
    """
    symbols = _outputs(hypothesis)
    if hypothesis.reads is None or hypothesis.reads.kind is Answer.SET:
        return symbols
    read = [symbol for symbol, unit in zip(symbols, hypothesis.reads.units, strict=True) if unit >= 0]
    return (*read, next(symbol for symbol in symbols if symbol not in read))


def _outputs(hypothesis: OneHotTransformer) -> tuple[str, ...]:
    return (*hypothesis.alphabet.symbols, END)


def _one_hot(size: int, place: int, always: bool = False) -> list[int]:
    """A one at a place; nothing for a size of 1, unless ``always``."""
    return [int(k == place) for k in range(size)] if size > 1 or always else []


def _dot(x: Sequence[int], y: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(x, y, strict=True))
