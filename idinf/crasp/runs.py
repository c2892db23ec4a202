"""C-RASP on words of runs, such as a^i b^j: every operation is linear on few pieces of positions.

On such words an operation at position i depends on i and the lengths alone. It is kept as pieces on which it
is linear, so long runs cost no more than short ones, and lengths may be linear in parameters: then one
reading holds for all words of a kind.

One run may be free: so many a's and so many b's in any order. There an operation has to have one truth value
wherever the present symbol is a, and one wherever it is b; a count is linear in the numbers of a's and b's so
far. What follows behind then does not depend on the order.

*One symbol.* On words a^n every count is linear in n from some n on, every Boolean constant. They are words
of one run, as an operation at position i depends on i alone. Thresholds of 2^40 cost no more than those of 2.

*Lengths* such as 2i + d + 1 are compared where the parameters are known to lie. A comparison that is not the
same everywhere in the region asks for the region to be split. So whoever computes with lengths computes as
with integers, once for each part of a region on which all goes one way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import gcd

from idinf.crasp import syntax as s
from idinf.crasp.checker import Sort, check, find_window
from idinf.errors import ProgramError

#: constant + Σ slope · parameter, as (constant, slope, slope, …).
Row = tuple[int, ...]

#: Parts into which a region is split, at most.
MAX_PARTS = 60


@dataclass(frozen=True, slots=True)
class Region:
    """The integer points at which every row is at least 0.

    >>> i, d = Region(((-1, 1, 0), (-1, 0, 1))).parameters  # i ≥ 1 and d ≥ 1
    >>> i + d >= 2
    True
    """

    rows: tuple[Row, ...]

    @property
    def parameters(self) -> tuple[Length, ...]:
        """Each parameter as a length."""
        number = len(self.rows[0]) - 1
        return tuple(Length(self, (0, *(int(k == own) for k in range(number)))) for own in range(number))

    def where(self, row: Row) -> Region:
        """The part in which one more row is at least 0."""
        divisor = gcd(*row[1:]) or 1
        return Region((*self.rows, tuple(entry // divisor for entry in row)))  # of the constant the floor

    def is_empty(self) -> bool:
        """True if no rational point is left, by Fourier's elimination; then no integer point is."""
        rows = set(self.rows)
        for k in range(1, len(self.rows[0])):
            above = [row for row in rows if row[k] > 0]
            below = [row for row in rows if row[k] < 0]
            rows = {row for row in rows if not row[k]}
            for one, other in product(above, below):
                joined = tuple(
                    one[k] * y - other[k] * x for x, y in zip(one, other, strict=True)
                )  # entry k is 0
                divisor = gcd(*joined) or 1
                rows.add(tuple(entry // divisor for entry in joined))
        return any(row[0] < 0 for row in rows)

    def decide(self, row: Row) -> bool:
        """Say whether a row is at least 0 everywhere, or nowhere; raise a `Split` if it is neither."""
        if self.where(_negated(row)).is_empty():
            return True
        if self.where(row).is_empty():
            return False
        raise Split(row)


class Split(Exception):
    """A row is at least 0 at some points of a region only."""

    def __init__(self, row: Row) -> None:
        super().__init__(row)
        self.row = row


class Indivisible(Exception):
    """A length has to be divided by a number that does not divide its slopes."""

    def __init__(self, divisor: int) -> None:
        super().__init__(divisor)
        self.divisor = divisor


@dataclass(frozen=True, slots=True, eq=False)
class Length:
    """A length in a region; one without slopes is an ordinary integer.

    ``==`` is that of objects: ask for ``<=`` and ``>=``.
    """

    region: Region
    row: Row

    def __add__(self, other: Length | int) -> Length | int:
        more = other.row if isinstance(other, Length) else (other, *(0,) * (len(self.row) - 1))
        return self._with(tuple(x + y for x, y in zip(self.row, more, strict=True)))

    def __sub__(self, other: Length | int) -> Length | int:
        return self + -other

    def __rsub__(self, other: int) -> Length | int:
        return -self + other

    def __mul__(self, factor: int) -> Length | int:
        return self._with(tuple(factor * entry for entry in self.row))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Length:
        return replace(self, row=tuple(-entry for entry in self.row))

    def __floordiv__(self, divisor: int) -> Length | int:
        if any(slope % divisor for slope in self.row[1:]):
            raise Indivisible(abs(divisor))
        return self._with(tuple(entry // divisor for entry in self.row))

    def __ge__(self, other: Length | int) -> bool:
        difference = self - other
        return self.region.decide(difference.row) if isinstance(difference, Length) else difference >= 0

    def __le__(self, other: Length | int) -> bool:
        difference = self - other
        return self.region.decide((-difference).row) if isinstance(difference, Length) else difference <= 0

    def __lt__(self, other: Length | int) -> bool:
        return not self >= other

    def __gt__(self, other: Length | int) -> bool:
        return not self <= other

    def _with(self, row: Row) -> Length | int:
        return replace(self, row=row) if any(row[1:]) else row[0]


def is_everywhere(region: Region, ask: Callable[[Region], bool]) -> bool:
    """True if the answer is yes in every part of a region; False as well if there are too many parts."""
    waiting, most = [region], MAX_PARTS
    while waiting:
        part = waiting.pop()
        if part.is_empty():
            continue
        try:
            if not ask(part):
                return False
        except Split as split:
            if most <= 0:
                return False
            most -= 1
            waiting += [part.where(split.row), part.where(_negated(split.row))]
    return True


def _negated(row: Row) -> Row:
    """At least 0 where the row is below 0, that is at most −1."""
    return (-1 - row[0], *(-slope for slope in row[1:]))


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
    """The value at position i."""
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
    """The runs of a word, and the operations so far. Mutable: the tables fill up in the order of a program.

    `runs`: the last one never ends, so its length does not matter. `inside`: the operations at positions of
    the free run, where the present symbol is its first, its second one: one piece, one value.
    """

    runs: Sequence[Run]
    table: dict[str, Pieces] = field(default_factory=dict)
    inside: tuple[dict[str, Pieces], dict[str, Pieces]] = field(default_factory=lambda: ({}, {}))

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
        """Add one operation to the tables."""
        self.table[definition.name] = self.pieces(definition.expression)
        if self.free is not None:
            for present, values in enumerate(self.inside):
                values[definition.name] = self.pieces(definition.expression, present)

    def pieces(self, expression: s.Expression, present: int | None = None) -> Pieces:
        """An expression outside of the free run, or inside, where the present symbol is one of its two.

        What stands outside for positions inside has no meaning.
        """
        match expression:
            case s.Name(name):
                return (self.table if present is None else self.inside[present])[name]
            case s.Symbol(symbol):
                return self._symbol(symbol, present)
            case s.Truth(value) | s.Number(value):
                return _constant(int(value))
            case s.Periodic(_, modulus, _, _, place):
                if modulus > 1:
                    raise ProgramError(
                        f"{place}: i mod {modulus}; expected no modulus above 1, for then a program over one "
                        "symbol need not become constant; 'idinf lab lemma fooling-pair' takes such programs"
                    )
                return _constant(1)
            case s.Negated(operand):
                return _mapped(self.pieces(operand, present), 1, -1)
            case s.Negative(operand):
                return _mapped(self.pieces(operand, present), 0, -1)
            case s.Count(predicate, operand):
                return self._counted(predicate, operand, present)
            case s.Conditional(then, condition, otherwise):
                held = self.pieces(condition, present)
                if present is not None:
                    return self.pieces(then if held[0].offset else otherwise, present)
                return _chosen(held, self.pieces(then), self.pieces(otherwise))
        first, second = (self.pieces(part, present) for part in s.list_children(expression))
        match expression:
            case s.Conjunction() | s.Multiplied():
                return _joined(first, second, _times)
            case s.Disjunction():
                neither = _joined(_mapped(first, 1, -1), _mapped(second, 1, -1), _times)
                return _mapped(neither, 1, -1)
            case s.Comparison(relation):
                return _compared(first, relation, second)
            case s.Added(sign):
                return _plus(first, second, sign)
            case s.Extremum(largest):
                if present is not None:
                    return first if (first[0].offset >= second[0].offset) == largest else second
                relation = s.Relation.GE if largest else s.Relation.LE
                return _chosen(_compared(first, relation, second), first, second)
        raise TypeError(f"{expression.place}: {type(expression).__name__} is no construct")

    def _symbol(self, symbol: str, present: int | None) -> Pieces:
        if present is not None and self.free is not None:
            return _constant(int(self.free.symbols[present] == symbol))
        held = (
            Piece(start, 0, int(isinstance(run, tuple) and run[0] == symbol))
            for start, run in zip(self.starts, self.runs, strict=True)
        )
        return _merged([Piece(0, 0, 0), *held])

    def _counted(self, predicate: s.Predicate | None, operand: s.Expression, present: int | None) -> Pieces:
        free = self.free
        if predicate is not None:
            low, high = find_window(predicate)
            if low > high:
                return _constant(0)
            if free is not None:
                raise DependentRun
            sums = self._sums(operand)
            return _plus(_delayed(sums, low), _delayed(sums, high + 1), -1)
        if present is None or free is None:
            return self._sums(operand)
        before = value_at(self._sums(operand), self.starts[self.runs.index(free)] - 1)
        return _constant(before + self._times_inside(operand, free.so_far))

    def _sums(self, operand: s.Expression) -> Pieces:
        """The count of a Boolean up to each position outside of the free run."""
        held, free = self.pieces(operand), self.free
        if free is None:
            return _summed(held)
        place = self.runs.index(free)
        outside, start, *after = [Piece(0, 0, 1)], self.starts[place], *self.starts[place + 1 : place + 2]
        outside += [Piece(start, 0, 0), *(Piece(end, 0, 1) for end in after)]
        total = self._times_inside(operand, free.numbers)
        jump = (Piece(0, 0, 0), *(Piece(end, 0, total) for end in after))
        return _plus(_summed(_joined(tuple(outside), held, _times)), jump, 1)

    def _times_inside(self, operand: s.Expression, numbers: tuple[Number, Number]) -> Number:
        """The count of a Boolean at so many positions of the free run with each of its two symbols."""
        held = [self.pieces(operand, present)[0].offset for present in (0, 1)]
        return sum(_times((0, truth), (0, number))[1] for truth, number in zip(held, numbers, strict=True))


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
        read = [] if reading.free is None else [n.row for n in reading.free.so_far if isinstance(n, Length)]
        if any(split.row[k] and row[k] for row in read for k in range(1, len(row))):
            raise DependentRun from split  # not alike at all positions
        raise
    return reading


def accepts_runs(program: s.ProgramTree, runs: Sequence[Run]) -> bool:
    """True if a program accepts the word of these runs; the last one is not free."""
    reading = read_runs(program, runs)
    last = runs[-1]
    assert isinstance(last, tuple)
    return bool(value_at(reading.table[program.definitions[-1].name], reading.starts[-1] + last[1] - 1))


def _chosen(condition: Pieces, then: Pieces, otherwise: Pieces) -> Pieces:
    """C if P else C' is P · C + (1 − P) · C'."""
    first = _joined(condition, then, _times)
    return _plus(first, _joined(_mapped(condition, 1, -1), otherwise, _times), 1)


Line = tuple[int, Number]


def _constant(value: Number) -> Pieces:
    return (Piece(0, 0, value),)


def _plus(one: Pieces, other: Pieces, sign: int) -> Pieces:
    return _joined(one, other, lambda a, b: (a[0] + sign * b[0], a[1] + sign * b[1]))


def _times(one: Line, other: Line) -> Line:
    """The product of two lines of which one is a number: the checker allows no product of counts."""
    if one[0] or not isinstance(one[1], int):
        one, other = other, one
    assert isinstance(one[1], int)
    return one[1] * other[0], one[1] * other[1]


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
    """True for the number 0 alone: two lengths that agree at some points only are kept apart."""
    return isinstance(value, int) and value == 0


def _compared(one: Pieces, relation: s.Relation, other: Pieces) -> Pieces:
    """The truth of a relation of two functions at each position: the sign of a line changes once."""
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
    """The count of a Boolean up to each position."""
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


@dataclass(frozen=True, slots=True)
class Eventual:
    """One operation on the words a^n."""

    name: str
    sort: Sort
    pieces: Pieces  # by increasing start, the first one at 0, which is SOS; neighbours are not on one line

    def __repr__(self) -> str:
        return f"<Eventual {self.name}: on one line from n = {self.since}>"

    @property
    def since(self) -> int:
        """The least n from which the value is linear; of a Boolean: constant."""
        start = self.pieces[-1].start
        assert isinstance(start, int)  # no parameters
        # two lines may meet where one piece ends; more than one point they do not share
        meets = len(self.pieces) > 1 and self.pieces[-2].at(start - 1) == self.pieces[-1].at(start - 1)
        return start - meets

    def at(self, n: int) -> int:
        """The value at the last position of a^n."""
        value = value_at(self.pieces, n)
        assert isinstance(value, int)  # no parameters
        return value


def compute_eventual_values(program: s.ProgramTree, symbol: str) -> tuple[Eventual, ...]:
    """Every operation on the words a^n, for all n ≥ 0 at once.

    Exact. The last operation decides: the program answers alike on all a^n with n at least its `since`, and
    this is the least such number. Other symbols that the program names hold nowhere.

    Raises `ProgramError` if the program breaks a rule of `check`, or has a modulus above 1.

    Implements Lemma 37 of [HYB25]_ by the induction of its proof, with local counts added: they read a
    Boolean a bounded distance back, which is constant as soon as the Boolean is.

    >>> from idinf.crasp.parser import parse
    >>> program = parse('as = # "a" few = as < 3 accept = 2 * # few >= as')
    >>> [(value.name, value.since) for value in compute_eventual_values(program, "a")]
    [('as', 0), ('few', 3), ('accept', 5)]
    >>> [compute_eventual_values(program, "a")[-1].at(n) for n in range(7)]
    [1, 1, 1, 1, 1, 0, 0]
    """
    operations = check(program).operations
    table = read_runs(program, ((symbol, 0),)).table
    return tuple(Eventual(row.name, row.sort, table[row.name]) for row in operations)
