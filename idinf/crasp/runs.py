"""C-RASP on words of runs, such as a^i b^j: every operation is linear on few pieces of positions.

On such words an operation at position i depends on i and the lengths alone. It is kept as pieces on which it
is linear, so long runs cost no more than short ones, and lengths may be linear in parameters
(`idinf.crasp.lengths`): then one reading holds for all words of a kind.

One run may be free: so many a's and so many b's in any order. There an operation has to have one truth value
wherever the present symbol is a, and one wherever it is b; a count is linear in the numbers of a's and b's so
far. What follows behind then does not depend on the order.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from idinf.crasp import syntax as s
from idinf.crasp.checker import find_window
from idinf.crasp.lengths import Length, Row, Split
from idinf.errors import ProgramError

#: A position, or an offset.
Number = int | Length


@dataclass(frozen=True, slots=True)
class Piece:
    """The values slope · i + offset at positions from `start` up to the next piece; Booleans are 0 and 1."""

    start: Number
    slope: int
    offset: Number

    def at(self, i: Number) -> Number:
        """The value at position i."""
        return self.slope * i + self.offset


Pieces = tuple[Piece, ...]  #: by increasing start, the first one at 0, which is SOS


def value_at(pieces: Pieces, i: Number) -> Number:
    """The value at position i.

    >>> value_at((Piece(0, 0, 5), Piece(3, 2, 0)), 4)
    8
    """
    return next(piece.at(i) for piece in reversed(pieces) if piece.start <= i)


class DependentRun(Exception):
    """Something inside a free run depends on more than the present symbol, or looks back into it."""


@dataclass(frozen=True, slots=True)
class FreeRun:
    """A run of two symbols in any order.

    `symbols, numbers`: how often each of them occurs. `so_far`: how many of each of them there are up to some
    position inside, that one included: parameters between 0 and the numbers.
    """

    symbols: tuple[str, str]
    numbers: tuple[Number, Number]
    so_far: tuple[Number, Number]


Run = tuple[str, Number] | FreeRun  #: a symbol and how often it occurs, at least once


@dataclass(slots=True)
class RunsReading:
    """The runs of a word, and the operations so far. Mutable: the table fills up in the order of a program.

    `runs`: the last one never ends, so its length does not matter.
    """

    runs: Sequence[Run]
    table: dict[str, Pieces] = field(default_factory=dict)
    #: The value of each operation inside the free run, where the present symbol is its first, its second one.
    inside: dict[str, tuple[Number, Number]] = field(default_factory=dict)

    @property
    def starts(self) -> tuple[Number, ...]:
        """The first position of each run."""
        found: list[Number] = [1]
        for run in self.runs[:-1]:
            length = run.numbers[0] + run.numbers[1] if isinstance(run, FreeRun) else run[1]
            found.append(found[-1] + length)
        return tuple(found)

    @property
    def free(self) -> FreeRun | None:
        """The free run, if there is one."""
        return next((run for run in self.runs if isinstance(run, FreeRun)), None)

    def read(self, definition: s.Definition) -> None:
        """Add one operation to the table."""
        self.table[definition.name] = self.pieces(definition.expression)
        if self.free is not None:
            one, other = (self.value_inside(definition.expression, place) for place in (0, 1))
            self.inside[definition.name] = one, other

    def pieces(self, expression: s.Expression) -> Pieces:
        """An expression outside of the free run; what stands for positions inside of it has no meaning."""
        match expression:
            case s.Name(name):
                return self.table[name]
            case s.Symbol(symbol):
                held = (
                    Piece(start, 0, int(run == (symbol, run[1]) if isinstance(run, tuple) else False))
                    for start, run in zip(self.starts, self.runs, strict=True)
                )
                return _merged([Piece(0, 0, 0), *held])
            case s.Truth(value) | s.Number(value):
                return (Piece(0, 0, int(value)),)
            case s.Periodic(_, modulus, _, _, place):
                if modulus > 1:
                    raise ProgramError(
                        f"{place}: i mod {modulus}; expected no modulus above 1, for then a program over one "
                        "symbol need not become constant; 'idinf lab lemma fooling-pair' takes such programs"
                    )
                return (Piece(0, 0, 1),)
            case s.Negated(operand):
                return _mapped(self.pieces(operand), 1, -1)
            case s.Negative(operand):
                return _mapped(self.pieces(operand), 0, -1)
            case s.Conjunction(left, right) | s.Multiplied(left, right):
                return _joined(self.pieces(left), self.pieces(right), _times)
            case s.Disjunction(left, right):
                first, second = (_mapped(self.pieces(part), 1, -1) for part in (left, right))
                return _mapped(_joined(first, second, _times), 1, -1)
            case s.Comparison(relation, left, right):
                return _compared(self.pieces(left), relation, self.pieces(right))
            case s.Added(sign, left, right):
                return _plus(self.pieces(left), self.pieces(right), sign)
            case s.Conditional(then, condition, otherwise):
                return _chosen(self.pieces(condition), self.pieces(then), self.pieces(otherwise))
            case s.Extremum(largest, left, right):
                first, second = self.pieces(left), self.pieces(right)
                relation = s.Relation.GE if largest else s.Relation.LE
                return _chosen(_compared(first, relation, second), first, second)
            case s.Count(predicate, operand):
                sums = self.sums(operand)
                if predicate is None:
                    return sums
                low, high = find_window(predicate)
                if low > high:
                    return (Piece(0, 0, 0),)
                if self.free is not None:
                    raise DependentRun
                return _plus(_delayed(sums, low), _delayed(sums, high + 1), -1)

    def sums(self, operand: s.Expression) -> Pieces:
        """How often a Boolean held up to each position outside of the free run."""
        held, free = self.pieces(operand), self.free
        if free is None:
            return _summed(held)
        place = self.runs.index(free)
        outside, start, *after = [Piece(0, 0, 1)], self.starts[place], *self.starts[place + 1 : place + 2]
        outside += [Piece(start, 0, 0), *(Piece(end, 0, 1) for end in after)]
        total = sum(self._once(operand, k) * free.numbers[k] for k in (0, 1))
        jump = (Piece(0, 0, 0), *(Piece(end, 0, total) for end in after))
        return _plus(_summed(_joined(tuple(outside), held, _times)), jump, 1)

    def _once(self, operand: s.Expression, place: int) -> int:
        """Whether a Boolean holds inside the free run, where the present symbol is one of its two."""
        value = self.value_inside(operand, place)
        assert isinstance(value, int)  # a Boolean
        return value

    def value_inside(self, expression: s.Expression, place: int) -> Number:
        """An expression inside the free run, where the present symbol is one of its two."""
        free = self.free
        assert free is not None
        match expression:
            case s.Name(name):
                return self.inside[name][place]
            case s.Symbol(symbol):
                return int(symbol == free.symbols[place])
            case s.Truth(value) | s.Number(value):
                return int(value)
            case s.Negated(operand):
                return 1 - self._once(operand, place)
            case s.Negative(operand):
                return -self.value_inside(operand, place)
            case s.Conjunction(left, right):
                return self._once(left, place) * self._once(right, place)
            case s.Disjunction(left, right):
                return max(self._once(left, place), self._once(right, place))
            case s.Multiplied(left, right):
                return _product(self.value_inside(left, place), self.value_inside(right, place))
            case s.Comparison(relation, left, right):
                difference = self.value_inside(left, place) - self.value_inside(right, place)
                return int(relation.holds(_sign(difference), 0))
            case s.Added(sign, left, right):
                return self.value_inside(left, place) + sign * self.value_inside(right, place)
            case s.Conditional(then, condition, otherwise):
                return self.value_inside(then if self._once(condition, place) else otherwise, place)
            case s.Extremum(largest, left, right):
                one, other = self.value_inside(left, place), self.value_inside(right, place)
                return one if (one >= other) == largest else other
            case s.Count(None, operand):
                before = value_at(self.sums(operand), self.starts[self.runs.index(free)] - 1)
                return before + sum(self._once(operand, k) * free.so_far[k] for k in (0, 1))
        raise DependentRun  # a modulus, or a look back


def read_runs(program: s.ProgramTree, runs: Sequence[Run]) -> RunsReading:
    """Every operation on the words of these runs; the last one may have any length.

    Raises `ProgramError` if a modulus is above 1. `Split, Indivisible` if lengths have parameters, and not
    all goes one way in their region. `DependentRun` if something inside a free run depends on more than the
    present symbol.

    >>> from idinf.crasp.parser import parse
    >>> program = parse('late = "a" && # "b" >= 1 accept = # "a" == # "b" && # late == 0')
    >>> accept = read_runs(program, (("a", 1000), ("b", 1))).table["accept"]
    >>> [value_at(accept, 1000 + n) for n in (999, 1000, 1001)]
    [0, 1, 0]
    """
    reading = RunsReading(tuple(runs))
    try:
        for definition in program.definitions:
            reading.read(definition)
    except Split as split:
        if reading.free is not None and any(map(operator.and_, *_supports(split.row, reading.free))):
            raise DependentRun from split  # not alike at all positions
        raise
    return reading


def accepts_runs(program: s.ProgramTree, runs: Sequence[Run]) -> bool:
    """Whether a program accepts the word of these runs; the last one is not free.

    >>> from idinf.crasp.parser import parse
    >>> accepts_runs(parse('accept = # "a" == # "b"'), (("a", 10**9), ("b", 10**9)))
    True
    """
    reading = read_runs(program, runs)
    last = runs[-1]
    assert isinstance(last, tuple)
    return bool(value_at(reading.table[program.definitions[-1].name], reading.starts[-1] + last[1] - 1))


def _supports(row: Row, free: FreeRun) -> tuple[list[bool], list[bool]]:
    """Which parameters a row depends on, and which of them say how far a free run is read."""
    read = [length.row for length in free.so_far if isinstance(length, Length)]
    return [slope != 0 for slope in row[1:]], [any(slopes) for slopes in zip(*read, strict=True)][1:]


def _chosen(condition: Pieces, then: Pieces, otherwise: Pieces) -> Pieces:
    """C if P else C' is P · C + (1 − P) · C'."""
    first = _joined(condition, then, _times)
    return _plus(first, _joined(_mapped(condition, 1, -1), otherwise, _times), 1)


Line = tuple[int, Number]


def _plus(one: Pieces, other: Pieces, sign: int) -> Pieces:
    return _joined(one, other, lambda a, b: (a[0] + sign * b[0], a[1] + sign * b[1]))


def _times(one: Line, other: Line) -> Line:
    """The product of two lines of which one is a number: the checker allows no product of counts."""
    if one[0] or not isinstance(one[1], int):
        one, other = other, one
    assert isinstance(one[1], int)
    return one[1] * other[0], one[1] * other[1]


def _product(one: Number, other: Number) -> Number:
    return _times((0, one), (0, other))[1]


def _sign(value: Number) -> int:
    """−1, 0 or 1."""
    return (value >= 1) - (value <= -1)


def _joined(one: Pieces, other: Pieces, join: Callable[[Line, Line], Line]) -> Pieces:
    """Two functions piece by piece."""
    rows = []
    first = second = 0  # both begin at 0
    start: Number = 0
    while True:
        lines = [(piece.slope, piece.offset) for piece in (one[first], other[second])]
        rows.append(Piece(start, *join(lines[0], lines[1])))
        if first + 1 == len(one) and second + 1 == len(other):
            return _merged(rows)
        if second + 1 == len(other):
            order = -1
        elif first + 1 == len(one):
            order = 1
        else:
            order = _sign(one[first + 1].start - other[second + 1].start)
        first, second = first + (order <= 0), second + (order >= 0)
        start = one[first].start if order <= 0 else other[second].start


def _mapped(pieces: Pieces, constant: int, factor: int) -> Pieces:
    """constant + factor · f."""
    return tuple(Piece(p.start, factor * p.slope, constant + factor * p.offset) for p in pieces)


def _merged(rows: Iterable[Piece]) -> Pieces:
    """The same function in as few pieces; a single position joins the line that goes through it."""
    kept: list[Piece] = []
    for row in rows:
        if kept and _is_same_line(kept[-1], row):
            continue
        while (
            kept
            and _is_zero(kept[-1].start - row.start + 1)
            and _is_zero(kept[-1].at(row.start - 1) - row.at(row.start - 1))
        ):
            row = Piece(kept.pop().start, row.slope, row.offset)
        if not kept or not _is_same_line(kept[-1], row):
            kept.append(row)
    return tuple(kept)


def _is_same_line(one: Piece, other: Piece) -> bool:
    return one.slope == other.slope and _is_zero(one.offset - other.offset)


def _is_zero(value: Number) -> bool:
    """Whether it is the number 0: two lengths that agree at some points only are kept apart."""
    return isinstance(value, int) and value == 0


def _compared(one: Pieces, relation: s.Relation, other: Pieces) -> Pieces:
    """Where a function stands in a relation to another: the sign of a line changes once."""
    difference = _plus(one, other, -1)
    rows = []
    ends = [piece.start for piece in difference[1:]]
    for piece, end in zip(difference, [*ends, None], strict=True):
        starts = [piece.start]
        if piece.slope:
            before = -piece.offset // piece.slope  # ⌊root⌋: a possible zero, then the other sign
            above = -(piece.offset // piece.slope)  # ⌈root⌉
            starts += [k for k in (above, before + 1) if end is None or k < end]
        inside = starts[:1]
        for k in starts[1:]:
            if k > inside[-1]:
                inside.append(k)
        rows += [Piece(start, 0, int(relation.holds(_sign(piece.at(start)), 0))) for start in inside]
    return _merged(rows)


def _summed(held: Pieces) -> Pieces:
    """How often a Boolean held up to each position."""
    total: Number = 0
    rows = [Piece(0, 0, 0)]  # SOS is never counted
    ends = [piece.start for piece in held[1:]]
    for piece, end in zip(held, [*ends, None], strict=True):
        start = piece.start if piece.start >= 1 else 1
        if end is not None and end <= start:
            continue
        assert isinstance(piece.offset, int)  # a Boolean
        rows.append(Piece(start, piece.offset, total - piece.offset * (start - 1)))
        total += piece.offset * (0 if end is None else end - start)
    return _merged(rows)


def _delayed(sums: Pieces, distance: int) -> Pieces:
    """f(i − distance), and 0 before."""
    if not distance:
        return sums
    later = (Piece(p.start + distance, p.slope, p.offset - p.slope * distance) for p in sums)
    return _merged([Piece(0, 0, 0), *later])
