"""A found hypothesis as a counting formula that people can read, true to it on every word.

A unit of the family is 1 iff Σ_h (average of ⟨v_h, features⟩ by head h) + ⟨s, features of its position⟩ + b
is above 0. The *class* of a position is its symbol and its length modulo Δ. At the positions of one class and
given values of the earlier units that is one comparison: between counts if attention is uniform, between
weighted averages if it is not. What follows only simplifies: earlier units that depend on the symbol, or on
the length, alone become counts of these; equal conditions of several classes are merged, and what always or
never holds disappears. All arithmetic is in exact integers and fractions.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from idinf.base.words import Alphabet
from idinf.crasp.notation.averages import find_sign_from, plus
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotTransformer
from idinf.spec.spec import END, Answer
from idinf.translate.formulas import condition as c
from idinf.translate.formulas.condition import (
    FALSE,
    TRUE,
    Condition,
    ConstantCondition,
    all_of,
    any_of,
    negated,
)
from idinf.translate.formulas.notation import Notation

#: A reading with more single conditions than this is no easier to read than the average itself.
MAX_ATOMS = 4

#: Windows of symbols that are read, one by one, and symbols of each; there are |Σ|^τ windows.
MAX_WINDOWS, MAX_WINDOW = 100_000, 100


def read_near(phi: Sequence[int], values: Sequence[int], bound: int, code: int) -> Condition | None:
    """Read "average of values > bound" at positions of one symbol as a condition on the symbols before it.

    `phi`: whole logits by distance, >= 0. `values`: what each symbol counts for; SOS counts 0.

    Equal to the average for every word and N; None if the symbols beyond the window can matter, the
    condition is long, or there are too many windows.

    More than half of an average that looks one back: the symbol before is the first of the alphabet.

    >>> read_near((0, 1), (2, 0), 1, code=1)
    BackIn(distance=1, codes=(0,), positive=True)
    >>> read_near((0, 1), (3, 0), 1, code=1) is None
    True
    """
    if (len(phi) - 1) * math.log(len(values)) > math.log(MAX_WINDOWS) or len(phi) > MAX_WINDOW:
        return None
    condition = _Windows(tuple(phi), tuple(values), bound).read((values[code],))
    short = condition is not None and len(list(c.iter_atoms(condition))) <= MAX_ATOMS
    return condition if short else None


@dataclass(frozen=True, slots=True)
class _Windows:
    """When a local head says no more than which symbols stand just before the last.

    With whole logits φ(0)..φ(τ) and weight 1 everywhere else, whether an average exceeds its bound at a
    position i > τ is the sign of

        Σ_{d <= τ} N^φ(d) (x_d − bound) + (0 − bound) + Σ of the i − τ − 1 symbols in between of (x − bound),

    where x_d is what the symbol d places before the last counts for and SOS counts 0. Given the window, that
    is least or largest for i = τ + 1 or i = N − 1 and one repeated symbol: polynomials in N, whose signs over
    all N are decided exactly. If every window decides, the average is replaced by a condition on the window.
    """

    phi: tuple[int, ...]
    values: tuple[int, ...]
    bound: int

    def read(self, near: tuple[int, ...]) -> Condition | None:
        """Condition on what stands before the ``near`` values at distances 0, 1, …; None if undecided."""
        distance = len(near)
        if distance >= len(self.phi):
            verdict = self._inside(near)
            return None if verdict is None else ConstantCondition(verdict)
        start = find_sign_from(self._near((*near, 0)), distance + 1)
        found = [self.read((*near, value)) for value in self.values]
        conditions = [condition for condition in found if condition is not None]
        if start is None or len(conditions) < len(found):
            return None
        return _by_symbol(distance, conditions, start)

    def _near(self, near: Sequence[int]) -> dict[int, int]:
        """Σ N^φ(d) (x_d − bound), by powers of N."""
        return plus({logit: value - self.bound} for value, logit in zip(near, (*self.phi, 0), strict=False))

    def _inside(self, near: Sequence[int]) -> bool | None:
        """The verdict when SOS lies beyond the window, if it is the same for everything in between."""
        reach = len(near) - 1
        verdicts = set()
        for value in (0, min(self.values) - self.bound, max(self.values) - self.bound):
            # i = τ + 1 leaves nothing in between, i = N − 1 leaves N − 2 − τ symbols.
            sums = plus([self._near(near), {1: value, 0: -self.bound - (2 + reach) * value}])
            verdicts.add(find_sign_from(sums, reach + 2))
        return verdicts.pop() if len(verdicts) == 1 else None


def _by_symbol(distance: int, conditions: Sequence[Condition], start: bool) -> Condition:
    """One condition from those for each symbol at a distance, and the value if SOS is there."""
    groups: dict[Condition, tuple[int, ...]] = {}
    for code, condition in enumerate(conditions):
        groups[condition] = (*groups.get(condition, ()), code)
    # Before SOS there is nothing, which BackIn takes as it takes ε: it is in no set of symbols.
    default = next((condition for condition in groups if c.evaluate_on_empty(condition) is start), None)
    if default is None:
        groups[ConstantCondition(start)] = ()
        default = ConstantCondition(start)
    others = tuple(code for code, condition in enumerate(conditions) if condition != default)
    parts = [
        all_of([c.BackIn(distance, codes), condition])
        for condition, codes in groups.items()
        if condition != default
    ]
    rest = c.BackIn(distance, tuple(others), positive=False) if others else TRUE
    return any_of([*parts, all_of([rest, default])])


def exceeds(
    parts: Mapping[c.Weighting, Mapping[int, int]],
    bound: int,
    symbols: int,
    period: int,
    code: int,
    own: Mapping[int, int] | None = None,
) -> Condition:
    """The condition Σ weighted averages + Σ own units > bound, at positions i >= 1 whose symbol is ``code``.

    `parts`: for each weighting, what every place counts for; SOS counts 0. `symbols, period`: |Σ| and Δ.
    `own`: what each unit adds that holds at the position.

    Exact: an inequality between counts if every weight is the same (1 = share of SOS + shares of the
    symbols), a condition on the symbols before the last where a local head says no more, or an average.

    >>> exceeds({c.UNWEIGHTED: {0: 2, 1: -1}}, 0, symbols=2, period=1, code=0)
    CountInequality(terms=((0, 2), (1, -1)), threshold=1)
    """
    settled = {weighting: reduce_terms(weights, symbols, period) for weighting, weights in parts.items()}
    settled = {weighting: weights for weighting, weights in settled.items() if any(weights.values())}
    if own and any(own.values()):
        return c.read_average(settled, bound, own)
    if all(weighting == c.UNWEIGHTED for weighting in settled):
        counts = dict(settled.get(c.UNWEIGHTED, {}))
        for place in range(symbols):
            counts[place] = counts.get(place, 0) - bound
        return c.reduce_inequality(reduce_terms(counts, symbols, period), -bound)
    if len(settled) == 1:
        ((weighting, weights),) = settled.items()
        only_near = weighting == c.Weighting(phi=weighting.phi)
        if only_near and all(place < symbols for place, _ in c.list_terms(weights)):
            values = [weights.get(place, 0) for place in range(symbols)]
            reading = read_near(weighting.phi, values, bound, code)
            if reading is not None:
                return reading
    return c.read_average(settled, bound)


def find_weighting(weighting: c.Weighting, symbols: int, period: int) -> c.Weighting:
    """Tell how a head weighs positions as simply as its rounding allows, with the same attention.

    A constant is subtracted where the softmax does not see it: weights of whole logits are exact powers of N,
    and others are rounded one by one.
    """
    start, keys = weighting.start, reduce_terms(dict(weighting.keys), symbols, period)
    tokens = [keys.get(place, 0) for place in range(symbols)]
    beyond = [value for place, value in keys.items() if place >= symbols]
    if not (weighting.phi or weighting.asked or any(beyond)) and set(tokens) == {start}:
        return c.UNWEIGHTED
    scale = 1 << weighting.precision
    extra = [value for _, _, more, others in weighting.asked for value in (more, *(x for _, x in others))]
    if any(value % scale for value in (start, *keys.values(), *weighting.phi, *extra)):
        return replace(weighting, keys=c.list_terms(keys))
    # All logits must stay >= 0: N^-1 would be rounded.
    shift = min(start, *tokens) if all(value >= 0 for value in (*beyond, *extra)) else 0
    shifted = {**keys, **{place: value - shift for place, value in enumerate(tokens)}}

    def whole(terms: c.Terms) -> c.Terms:
        """Logits in units of 1."""
        return tuple((place, value // scale) for place, value in terms)

    return c.Weighting(
        (start - shift) // scale,
        whole(c.list_terms(shifted)),
        tuple(value // scale for value in weighting.phi),
        tuple((unit, holds, more // scale, whole(others)) for unit, holds, more, others in weighting.asked),
    )


def reduce_terms(weights: Mapping[int, int], symbols: int, period: int) -> dict[int, int]:
    """Move a constant from the residues to the symbols, both of which sum to 1 at every position but SOS.

    Symbol 0, residues at places 1 and 2.

    >>> reduce_terms({0: -1, 1: 1, 2: 2}, symbols=1, period=2)
    {0: 0, 1: 0, 2: 1}
    """
    if period == 1:
        return dict(weights)
    residues: Sequence[int] = range(symbols, symbols + period)

    def moved(shift: int) -> dict[int, int]:
        """The same sum at every position but SOS."""
        changed = {place: weights.get(place, 0) + shift for place in range(symbols)}
        changed |= {place: weights.get(place, 0) - shift for place in residues}
        return {**weights, **changed}

    shifts = [
        0,
        *(weights.get(place, 0) for place in residues),
        *(-weights.get(k, 0) for k in range(symbols)),
    ]
    return min((moved(shift) for shift in shifts), key=lambda changed: sum(map(bool, changed.values())))


#: Classes and the condition there.
_Row = tuple[tuple[int, ...], Condition]


class KeptUnits:
    """Units in the order of their definition. Mutable: a formula under construction adds to it.

    `num_classes`: number of classes of positions but SOS. `first_unit`: place of the first unit: those of the
    symbols and residues come before. `now`: value of each unit at positions of each class: a Constant, or the
    unit itself. `starts`: values on ε.
    """

    def __init__(self, symbols: int, period: int = 1) -> None:
        self.symbols = symbols
        self.period = period
        self.num_classes = symbols * period
        self.first_unit = symbols + (period if period > 1 else 0)
        self.conditions: list[Condition] = []
        self.now: list[tuple[Condition, ...]] = []
        self.starts: list[bool] = []

    def under(self, condition: Condition, place: int) -> Condition:
        """Simplify a condition that is only asked at positions of one class."""
        code, residue = divmod(place, self.period)
        match condition:
            case c.BackIn(0, codes, positive):
                return ConstantCondition((code in codes) is positive)
            case c.LengthIn(_, residues):
                return ConstantCondition(residue in residues)
            case c.UnitHolds(unit, positive):
                now = self.now[unit][place]
                return now if positive else negated(now)
            case c.CountInequality(terms, threshold):
                ranges = self._ranges(terms)
                low, high = ranges[place]
                if low >= threshold and all(least >= 0 for least, _ in ranges):
                    return TRUE
                return FALSE if high < threshold and all(most <= 0 for _, most in ranges) else condition
            case c.Average():
                return self._settled(condition)
            case c.AtLeastOf(number, parts):
                return c.at_least(number, (self.under(part, place) for part in parts))
            case c.Cases(rows, otherwise):
                fitting = (part for guard, part in rows if self.under(guard, place) == TRUE)
                return self.under(next(fitting, otherwise), place)
        return condition

    def _settled(self, condition: c.Average) -> Condition:
        """An average lies between its least and its largest value at one position, SOS (0) included."""
        low = sum(min(0, factor) for _, factor in condition.own)
        high = sum(max(0, factor) for _, factor in condition.own)
        for _, terms in condition.parts:
            ranges = self._ranges(terms)
            low += min(0, *(least for least, _ in ranges))
            high += max(0, *(most for _, most in ranges))
        if low > condition.bound or high <= condition.bound:
            return ConstantCondition((low > condition.bound) is condition.positive)
        return condition

    def _ranges(self, terms: c.Terms) -> list[tuple[int, int]]:
        """Least and largest value that one position of each class can add to a sum."""
        ranges = []
        for place in range(self.num_classes):
            code, residue = divmod(place, self.period)
            low = high = 0
            for counted, factor in terms:
                values = [int(counted in (code, self.symbols + residue))]
                if counted >= self.first_unit:
                    now = self.now[counted - self.first_unit][place]
                    values = [int(now.value)] if isinstance(now, ConstantCondition) else [0, 1]
                low += min(factor * value for value in values)
                high += max(factor * value for value in values)
            ranges.append((low, high))
        return ranges

    def merged(self, by_class: Sequence[Condition], at_start: bool) -> Condition:
        """One condition for all classes, told apart only where they differ; ε comes last."""
        goals = [self.under(part, place) for place, part in enumerate(by_class)]
        options = list(dict.fromkeys([*goals, *by_class]))

        def rank(row: _Row) -> tuple[int, bool, bool]:
            """The most classes first; a constant if it covers them all, else one that is right on ε."""
            places, option = row
            settled = isinstance(option, ConstantCondition) and len(places) == self.num_classes
            return len(places), settled, self._fits(option, at_start)

        rows: list[_Row] = []
        left = list(range(self.num_classes))
        while left:
            covered = (
                (tuple(place for place in left if self.under(option, place) == goals[place]), option)
                for option in options
            )
            rows.append(max(covered, key=rank))
            left = [place for place in left if place not in rows[-1][0]]
        right_first = sorted(rows, key=lambda row: not self._fits(row[1], at_start))
        for default in right_first:
            merged = self._by_cases(rows, default)
            if self._fits(merged, at_start):
                return merged
        nonempty = c.BackIn(0, tuple(range(self.symbols)))
        merged = self._by_cases(rows, rows[0])
        return any_of([negated(nonempty), merged]) if at_start else all_of([nonempty, merged])

    def _fits(self, condition: Condition, at_start: bool) -> bool:
        """True if a condition has the value ``at_start`` on ε."""
        return c.evaluate_on_empty(condition, self.starts) is at_start

    def add(self, condition: Condition, now: tuple[Condition, ...]) -> None:
        """Keep one more unit, with its value at positions of each class: a Constant or the unit itself."""
        self.starts.append(c.evaluate_on_empty(condition, self.starts))
        self.conditions.append(condition)
        self.now.append(now)

    def _by_cases(self, rows: Sequence[_Row], default: _Row) -> Condition:
        """Cases, the default last; as "and" and "or" where one of two is constant."""
        otherwise = default[1]
        others = sorted((row for row in rows if row is not default), key=lambda row: row[0])
        cases = tuple((self._guard(places), condition) for places, condition in others)
        if len(cases) != 1:
            return c.Cases(cases, otherwise) if cases else otherwise
        guard, condition = cases[0]
        if condition == FALSE:
            return all_of([negated(guard), otherwise])
        if condition == TRUE:
            return any_of([guard, otherwise])
        if otherwise == FALSE:
            return all_of([guard, condition])
        if otherwise == TRUE:
            return any_of([negated(guard), condition])
        return c.Cases(cases, otherwise)

    def _guard(self, places: Iterable[int]) -> Condition:
        """Being in one of some classes, as a condition; it may hold on ε where it is about the length."""
        residues = defaultdict[int, list[int]](list)
        for place in sorted(places):
            code, residue = divmod(place, self.period)
            residues[code].append(residue)
        groups = defaultdict[tuple[int, ...], list[int]](list)
        for code, found in residues.items():
            groups[tuple(found)].append(code)
        return any_of(
            all_of(
                [
                    c.BackIn(0, tuple(codes))
                    if len(codes) < self.symbols or len(found) == self.period
                    else TRUE,
                    c.LengthIn(self.period, found) if len(found) < self.period else TRUE,
                ]
            )
            for found, codes in groups.items()
        )


#: Values of at most so many earlier units are told apart, four comparisons at most; more of them are left in
#: one comparison, whose length does not double with every unit.
MAX_SPLIT = 2

#: Values of the earlier units: known, or a unit of the formula.
_Known = tuple[bool | c.UnitHolds, ...]


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
        return c.prune(self.kept.conditions, accept, self.kept.first_unit)

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
        every = c.AtLeastOf(len(conditions), conditions)
        kept, together = c.prune(self.kept.conditions, every, self.kept.first_unit)
        return kept, together.parts if isinstance(together, c.AtLeastOf) else (together,)

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
        known: list[bool | c.UnitHolds] = []
        for index, signal in enumerate(self.signals):
            now = signal.now[place]
            matters = self._weight(layer, unit, index) or self._is_asked(layer, unit, index)
            known.append(bool(matters) and (now if isinstance(now, c.UnitHolds) else now == TRUE))
        are_many = sum(isinstance(value, c.UnitHolds) for value in known) > MAX_SPLIT
        return (self._comparison if are_many else self._split)(layer, unit, place, tuple(known))

    def _split(self, layer: int, unit: int, place: int, known: _Known) -> Condition:
        """The comparison for either value of each unit that is not known."""
        index = next((k for k, value in enumerate(known) if isinstance(value, c.UnitHolds)), None)
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
        """True if the logits of a head that a unit reads depend on an earlier unit at the query."""
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
        parts: dict[c.Weighting, dict[int, int]] = {}
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
            if isinstance(value, c.UnitHolds):
                weight = self._weight(layer, unit, index) << hypothesis.precision
                # c · (1 − u) = c − c · u
                bound -= 0 if value.positive else weight
                units[value.unit] = units.get(value.unit, 0) + (weight if value.positive else -weight)
        return exceeds(parts, bound, self.symbols, self.period, code, units)

    def _weighting(self, pattern: AttentionPattern, query: Sequence[int], known: _Known) -> c.Weighting:
        """The weights of positions in a head for a query; units whose value is not known stay in it."""
        start, keys = self._by_place([_dot(row, query) for row in pattern.logits])
        asked = []
        for index, value in enumerate(known):
            column = [row[self.fixed + index] for row in pattern.logits]
            if isinstance(value, c.UnitHolds) and any(column):
                more, others = self._by_place(column)
                asked.append((value.unit, value.positive, more, c.list_terms(others)))
        return find_weighting(
            c.Weighting(start, c.list_terms(keys), pattern.phi, tuple(asked), self.hypothesis.precision),
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
        unit = c.UnitHolds(len(kept.conditions))
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


@dataclass(frozen=True, slots=True)
class Formula:
    """Definitions of units, and the condition under which a word is accepted, or those of next symbols.

    `units`: each may read the counts and values of those before it. `accept`: of next symbols all their
    conditions together. `period`: Δ; there are counts of lengths modulo Δ if it is above 1. `outputs`: of
    next symbols: a symbol, or `END`, and where it is one. For one symbol instead of a set the first whose
    condition holds at a prefix is the one.
    """

    alphabet: Alphabet
    units: tuple[Condition, ...]
    accept: Condition
    period: int = 1
    answer: Answer = Answer.ACCEPT
    outputs: tuple[tuple[str, Condition], ...] = ()

    def __str__(self) -> str:
        """Definitions in order, then the acceptance: ``u1 := …; accept iff …``, or the next symbols."""
        return "; ".join(self.list_lines())

    def list_lines(self) -> list[str]:
        """The same, a definition to the line, whatever signs the symbols are."""
        notation = Notation(self.alphabet, self.period)
        lines = [f"{notation.unit(k)} := {notation.condition(unit)}" for k, unit in enumerate(self.units)]
        if self.answer is Answer.ACCEPT:
            return [*lines, f"accept iff {notation.condition(self.accept)}"]
        if self.answer is Answer.SYMBOL:
            *named, (default, _) = self.outputs
            lines += [f"next is {symbol} if {notation.condition(condition)}" for symbol, condition in named]
            return [*lines, f"otherwise {default}" if named else f"next is {default}"]
        alike: dict[Condition, list[str]] = {}
        for symbol, condition in self.outputs:
            alike.setdefault(condition, []).append(symbol)
        lines += [
            f"next {', '.join(symbols)} iff {notation.condition(condition)}"
            for condition, symbols in alike.items()
        ]
        return lines


def write_formula(hypothesis: OneHotTransformer) -> Formula:
    """Write a hypothesis as a formula that accepts the same words.

    >>> from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotUnit
    >>> head, unit = OneHotHead(((0, 1, -1),)), OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    >>> print(
    ...     write_formula(
    ...         OneHotTransformer(Alphabet(("0", "1")), 0, (OneHotLayer((head,), (unit,)),), (-1,), -1)
    ...     )
    ... )
    accept iff #1 - #0 >= 0
    """
    builder = FormulaBuilder(hypothesis)
    if hypothesis.reads is None:
        return Formula(hypothesis.alphabet, *builder.build(), hypothesis.period)
    units, conditions = builder.build_next()
    outputs = tuple(zip(order_next(hypothesis), conditions, strict=True))
    answer, together = hypothesis.reads.kind, c.AtLeastOf(len(conditions), conditions)
    return Formula(hypothesis.alphabet, units, together, hypothesis.period, answer, outputs)
