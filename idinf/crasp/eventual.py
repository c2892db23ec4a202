"""C-RASP over one symbol: every count is linear in n from some n on, every Boolean constant.

On words a^n an operation at position i depends on i alone. It is kept as pieces on which it is linear, so
thresholds of 2^40 cost no more than those of 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from idinf.crasp import syntax as s
from idinf.crasp.checker import Sort, check, find_window
from idinf.errors import ProgramError


@dataclass(frozen=True, slots=True)
class Piece:
    """The values slope · i + offset at positions from `start` up to the next piece; Booleans are 0 and 1."""

    start: int
    slope: int
    offset: int

    def at(self, i: int) -> int:
        """The value at position i."""
        return self.slope * i + self.offset


Pieces = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Eventual:
    """One operation on the words a^n."""

    name: str
    sort: Sort
    pieces: Pieces  # by increasing start, the first one at 0, which is SOS; neighbours are not on one line

    @property
    def since(self) -> int:
        """The least n from which the value is linear; of a Boolean: constant."""
        start = self.pieces[-1].start
        # two lines may meet where one piece ends; more than one point they do not share
        meets = len(self.pieces) > 1 and self.pieces[-2].at(start - 1) == self.pieces[-1].at(start - 1)
        return start - meets

    def at(self, n: int) -> int:
        """The value at the last position of a^n."""
        return next(piece.at(n) for piece in reversed(self.pieces) if piece.start <= n)


def compute_eventual_values(program: s.ProgramTree, symbol: str) -> tuple[Eventual, ...]:
    """Every operation on the words a^n, for all n ≥ 0 at once.

    Exact. The last operation decides: the program answers alike on all a^n with n at least its `since`, and
    this is the least such number. Other symbols that the program names hold nowhere.

    Raises
    ------
    ProgramError
        If the program breaks a rule of `check`, or has a modulus above 1.

    Notes
    -----
    Implements Lemma 37 of [HYB25]_ by the induction of its proof, with local counts added: they read a
    Boolean a bounded distance back, which is constant as soon as the Boolean is.

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> program = parse('as = # "a" few = as < 3 accept = 2 * # few >= as')
    >>> [(value.name, value.since) for value in compute_eventual_values(program, "a")]
    [('as', 0), ('few', 3), ('accept', 5)]
    >>> [compute_eventual_values(program, "a")[-1].at(n) for n in range(7)]
    [1, 1, 1, 1, 1, 0, 0]
    """
    sorts = dict(check(program).sorts)
    run = _EventualRun(symbol, {})
    for definition in program.definitions:
        run.table[definition.name] = run.pieces(definition.expression)
    return tuple(Eventual(name, sorts[name], pieces) for name, pieces in run.table.items())


@dataclass(frozen=True, slots=True)
class _EventualRun:
    """The symbol, and the operations so far."""

    symbol: str
    table: dict[str, Pieces]

    def pieces(self, expression: s.Expression) -> Pieces:
        match expression:
            case s.Name(name):
                return self.table[name]
            case s.Symbol(symbol):
                return _merged([Piece(0, 0, 0), Piece(1, 0, int(symbol == self.symbol))])
            case s.Truth(value) | s.Number(value):
                return (Piece(0, 0, int(value)),)
            case s.Periodic(_, modulus, _, _, place):
                if modulus > 1:
                    raise ProgramError(
                        f"{place}: i mod {modulus}; expected no modulus above 1, for then a program over one "
                        "symbol need not become constant; 'idinf crasp fooling-pair' takes such programs"
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
                return _counted(predicate, self.pieces(operand))


def _chosen(condition: Pieces, then: Pieces, otherwise: Pieces) -> Pieces:
    """C if P else C' is P · C + (1 − P) · C'."""
    first = _joined(condition, then, _times)
    return _plus(first, _joined(_mapped(condition, 1, -1), otherwise, _times), 1)


Line = tuple[int, int]


def _plus(one: Pieces, other: Pieces, sign: int) -> Pieces:
    return _joined(one, other, lambda a, b: (a[0] + sign * b[0], a[1] + sign * b[1]))


def _times(one: Line, other: Line) -> Line:
    """The product of two lines of which one is constant: the checker allows no product of counts."""
    if one[0]:
        one, other = other, one
    return one[1] * other[0], one[1] * other[1]


def _joined(one: Pieces, other: Pieces, join: Callable[[Line, Line], Line]) -> Pieces:
    """Two functions piece by piece."""
    own = {piece.start: (piece.slope, piece.offset) for piece in one}
    others = {piece.start: (piece.slope, piece.offset) for piece in other}
    rows = []
    first = second = (0, 0)  # both begin at 0
    for start in sorted({*own, *others}):
        first, second = own.get(start, first), others.get(start, second)
        rows.append(Piece(start, *join(first, second)))
    return _merged(rows)


def _mapped(pieces: Pieces, constant: int, factor: int) -> Pieces:
    """constant + factor · f."""
    return tuple(Piece(p.start, factor * p.slope, constant + factor * p.offset) for p in pieces)


def _merged(rows: Iterable[Piece]) -> Pieces:
    """The same function in as few pieces; a single position joins the line that goes through it."""
    kept: list[Piece] = []
    for row in rows:
        if kept and (kept[-1].slope, kept[-1].offset) == (row.slope, row.offset):
            continue
        while (
            kept and kept[-1].start == row.start - 1 and kept[-1].at(row.start - 1) == row.at(row.start - 1)
        ):
            row = Piece(kept.pop().start, row.slope, row.offset)
        if not kept or (kept[-1].slope, kept[-1].offset) != (row.slope, row.offset):
            kept.append(row)
    return tuple(kept)


def _compared(one: Pieces, relation: s.Relation, other: Pieces) -> Pieces:
    """Where a function stands in a relation to another: the sign of a line changes once."""
    difference = _plus(one, other, -1)
    rows = []
    ends = [piece.start for piece in difference[1:]]
    for piece, end in zip(difference, [*ends, None], strict=True):
        starts = {piece.start}
        if piece.slope:
            before = -piece.offset // piece.slope  # ⌊root⌋: a possible zero, then the other sign
            above = -(piece.offset // piece.slope)  # ⌈root⌉
            starts |= {above, before + 1}
        inside = [k for k in sorted(starts) if k >= piece.start and (end is None or k < end)]
        rows += [Piece(start, 0, int(relation.holds(piece.at(start), 0))) for start in inside]
    return _merged(rows)


def _counted(predicate: s.Predicate | None, held: Pieces) -> Pieces:
    total, rows = 0, [Piece(0, 0, 0)]  # SOS is never counted
    ends = [piece.start for piece in held[1:]]
    for piece, end in zip(held, [*ends, None], strict=True):
        start = max(piece.start, 1)
        if end is not None and end <= start:
            continue
        rows.append(Piece(start, piece.offset, total - piece.offset * (start - 1)))
        total += piece.offset * (0 if end is None else end - start)
    sums = _merged(rows)
    if predicate is None:
        return sums
    low, high = find_window(predicate)
    if low > high:
        return (Piece(0, 0, 0),)
    return _plus(_delayed(sums, low), _delayed(sums, high + 1), -1)


def _delayed(sums: Pieces, distance: int) -> Pieces:
    """f(i − distance), and 0 before."""
    if not distance:
        return sums
    later = (Piece(p.start + distance, p.slope, p.offset - p.slope * distance) for p in sums)
    return _merged([Piece(0, 0, 0), *later])
