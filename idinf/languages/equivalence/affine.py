"""A proof that a program decides a regular language: its counts, followed along the automaton.

For every state of the automaton it is computed which affine equations between the counts of the program hold
whenever a word leads there, and how large every count is at least and at most: Karr's analysis of affine
relations (1976) with intervals. A comparison is settled where these decide it; otherwise it is carried along
as unknown. If the last operation is always settled, and right, the program decides the language.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import gcd, inf, lcm

from idinf.crasp import syntax as s
from idinf.crasp.meaning import Algebra
from idinf.crasp.syntax import list_needed_definitions
from idinf.targets.regular import RegularTarget

#: Parts of programs that proofs may look at, one by one at every step: some seconds.
MAX_WORK = 2_000_000

#: Parts that are a step of work, about a millisecond.
PARTS_OF_STEP = 128

#: Values of a Boolean at the last positions, the nearest first; None where it was not settled.
Past = tuple[bool | None, ...]

#: What a linear form adds up: a counter by its number, an unknown Boolean as 0 or 1, any count at all, or 1.
Unit = int | tuple[str, int]

#: The factors of a linear form.
Form = Mapping[Unit, int]

_ONE: Unit = ("1", 0)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A Boolean that is not settled, or its negation."""

    number: int
    holds: bool = True


#: A Boolean as far as it is settled.
Answer = bool | Unknown


@dataclass
class Hull:
    """A set that holds the counters: point + span(directions), each between two bounds. Mutable: it grows.

    `directions`: independent vectors without common divisor, by the place of an entry that no other one has.
    `low, high`: bounds of each counter; ``inf`` is none.

    >>> hull = Hull([0, 0], [0, 0], [0, 0])
    >>> hull.join([1, 1], [], [1, 1], [1, 1]), hull.join([2, 2], [], [2, 2], [2, 2])
    (True, True)
    >>> hull.bounds({0: 1, 1: -1}), hull.bounds({0: 1, _ONE: 5})
    ((0, 0), (5, 7))
    """

    point: list[int]
    low: list[int]
    high: list[float]
    directions: dict[int, list[int]] = field(default_factory=dict)

    def join(
        self,
        point: Sequence[int],
        directions: Sequence[Sequence[int]],
        low: Sequence[int],
        high: Sequence[float],
    ) -> bool:
        """Take in another one; return whether this one has grown."""
        others = [*directions, [a - b for a, b in zip(point, self.point, strict=True)]]
        wider = sum(map(self._widen, others)) > 0
        bounds = list(map(min, self.low, low)), list(map(max, self.high, high))
        wider |= bounds != (self.low, self.high)
        self.low, self.high = bounds
        return wider

    def _widen(self, direction: Sequence[int]) -> bool:
        rest = list(direction)
        for pivot, known in self.directions.items():
            rest = _cleared(rest, known, pivot)
        new = next((k for k, entry in enumerate(rest) if entry), None)
        if new is None:
            return False
        for pivot, known in self.directions.items():
            self.directions[pivot] = _cleared(known, rest, new)
        self.directions[new] = rest
        return True

    def bounds(self, form: Form) -> tuple[float, float]:
        """The least and the largest value that a linear form may have."""
        low: float = form.get(_ONE, 0)  # an integer, or infinite
        high = low
        counters = []
        for key, c in form.items():
            if isinstance(key, int):
                counters.append((key, c))
            elif key != _ONE:
                ends = (0, c) if key[0] == "unknown" else (-inf, inf)
                low, high = low + min(ends), high + max(ends)
        if not any(sum(c * direction[k] for k, c in counters) for direction in self.directions.values()):
            value = sum(c * self.point[k] for k, c in counters)
            return low + value, high + value
        for k, c in counters:
            bounds = c * self.low[k], c * self.high[k]
            low, high = low + min(bounds), high + max(bounds)
        return low, high


def _cleared(row: list[int], other: Sequence[int], place: int) -> list[int]:
    """A combination of two vectors with 0 at a place, without common divisor."""
    if row[place]:
        factors = other[place], row[place]
        row = [factors[0] * a - factors[1] * b for a, b in zip(row, other, strict=True)]
    divisor = gcd(*row) or 1
    return [entry // divisor for entry in row]


class _Position(Algebra[Answer, Form]):
    """One position: its symbol, and what is known of the counters before it. Mutable: counts are collected.

    `counted_here`: what each counter counts, in the order of the program. `pasts`: what each local count has
    to remember.
    """

    def __init__(
        self,
        machine: RegularTarget,
        hull: Hull,
        code: int,
        position: int,
        pasts: Sequence[Past],
        new: Iterator[int],
    ) -> None:
        super().__init__(machine.alphabet)
        self.hull, self.code, self.position = hull, code, position
        self.counted_here: list[Answer] = []
        self.pasts: list[Past] = []
        self._before, self._new = pasts, new
        self._joint: dict[frozenset[Answer], Unknown] = {}

    def symbol(self, code: int) -> Answer:
        return code == self.code

    def truth(self, value: bool) -> Answer:
        return value

    def residue(self, modulus: int, residue: int) -> Answer:
        return self.position % modulus == residue

    def negated(self, operand: Answer) -> Answer:
        return not operand if isinstance(operand, bool) else Unknown(operand.number, not operand.holds)

    def conjunction(self, parts: Sequence[Answer]) -> Answer:
        left = frozenset(part for part in parts if part is not True)
        if False in left or any(self.negated(part) in left for part in left):
            return False
        if len(left) < 2:
            return next(iter(left), True)
        return self._joint.setdefault(left, Unknown(next(self._new)))

    def disjunction(self, parts: Sequence[Answer]) -> Answer:
        return self.negated(self.conjunction([self.negated(part) for part in parts]))

    def positive(self, total: Form) -> Answer:
        low, high = self.hull.bounds(total)
        return True if low > 0 else False if high <= 0 else Unknown(next(self._new))

    def number(self, value: int) -> Form:
        return {_ONE: value}

    def value_of(self, total: Form) -> int | None:
        return None if any(c for key, c in total.items() if key != _ONE) else total.get(_ONE, 0)

    def added(self, left: Form, right: Form, factor: int) -> Form:
        summed = dict(left)
        for key, c in right.items():
            summed[key] = summed.get(key, 0) + factor * c
        return {key: c for key, c in summed.items() if c}

    def counted(self, operand: Answer) -> Form:
        if self.position == 0:  # SOS is never counted
            return {}
        self.counted_here.append(operand)
        return self.added({len(self.counted_here) - 1: 1}, self._indicator(operand), 1)

    def windowed(self, low: int, high: int, operand: Answer) -> Form:
        before = self._before[len(self.pasts)] if self._before else (False,) * (high + 1)
        values: list[Answer | None] = [operand if self.position else False, *before]
        self.pasts.append(tuple(value if isinstance(value, bool) else None for value in values[:high]))
        total: Form = {}
        for value in values[low : high + 1]:
            known = Unknown(next(self._new)) if value is None else value
            total = self.added(total, self._indicator(known), 1)
        return total

    def chosen(self, condition: Answer, then: Form, otherwise: Form) -> Form:
        if isinstance(condition, bool):
            return then if condition else otherwise
        difference = self.value_of(self.added(then, otherwise, -1))
        if difference is None:
            return {("any", next(self._new)): 1}
        return self.added(otherwise, self._indicator(condition), difference)

    def largest(self, left: Form, right: Form) -> Form:
        first = self.positive(self.added(left, right, -1))
        if isinstance(first, Unknown):
            return {("any", next(self._new)): 1}
        return left if first else right

    def _indicator(self, operand: Answer) -> Form:
        if isinstance(operand, bool):
            return {_ONE: int(operand)}
        key: Unit = ("unknown", operand.number)
        return {key: 1} if operand.holds else {_ONE: 1, key: -1}


#: A state of the automaton, the length modulo all moduli, what each counter is known to be (0, at least 1,
#: or neither), and what local counts remember. What holds of the counters is joined for each apart.
_Place = tuple[int, int, tuple[int, ...], tuple[Past, ...]]


class AffineProof:
    """Proofs about programs of one regular language. Mutable: it counts its work.

    `most`: parts of programs that all proofs together may look at, each at every step from one place to the
    next. `count`: called with a number of steps of work before they are done; may raise to stop.

    >>> from idinf.crasp.parser import parse
    >>> from idinf.base.words import Alphabet
    >>> proof = AffineProof(RegularTarget.from_regex("(ab)*", Alphabet(("a", "b"))))
    >>> right = 'accept = # "a" == # "b" && # (# "b" > # "a" || # "a" > # "b" + 1) == 0'
    >>> proof.decides(parse(right)), proof.decides(parse('accept = # "a" == # "b"'))
    (True, False)
    """

    def __init__(
        self, machine: RegularTarget, most: int = MAX_WORK, count: Callable[[int], None] = lambda work: None
    ) -> None:
        self.machine, self.left, self.count = machine, most, count

    def decides(self, program: s.ProgramTree) -> bool:
        """True if it is proved that a program accepts exactly the words of the language.

        `program`: checked over the alphabet of the language.

        Exact integers. False says that no proof was found, not that there is none. What holds at a place only
        becomes weaker while places are visited again, so the first answer that is not settled ends it. Each
        place is visited at most as often as there are counters, twice, times the bound on constants.
        """
        needed = list_needed_definitions(program)
        parts = [part for d in needed for part in s.iter_parts(d.expression)]
        size = sum(isinstance(part, s.Count) and part.predicate is None for part in parts)
        most = 2 + sum(abs(part.value) for part in parts if isinstance(part, s.Number))
        period = lcm(*(part.modulus for part in parts if isinstance(part, s.Periodic)))
        accepting, table = self.machine.accepting.tolist(), self.machine.table.tolist()
        new = count()
        start: _Place = (0, 0, (0,) * size, ())
        hulls = {start: Hull([0] * size, [0] * size, [0] * size)}
        if _Position(self.machine, hulls[start], -1, 0, (), new).decision(needed) is not accepting[0]:
            return False
        waiting = deque([start])
        while waiting:
            place = waiting.popleft()
            for code, after in enumerate(table[place[0]]):
                self.count(self.left // PARTS_OF_STEP - (self.left - len(parts)) // PARTS_OF_STEP)
                self.left -= len(parts)
                run = _Position(self.machine, hulls[place], code, place[1] + 1, place[3], new)
                if run.decision(needed) is not accepting[after] or self.left < 0:
                    return False
                point, directions, low, high = moved(hulls[place], run.counted_here, most)
                known = tuple(0 if not b else 1 if a else 2 for a, b in zip(low, high, strict=True))
                reached = after, (place[1] + 1) % period, known, tuple(run.pasts)
                is_new = reached not in hulls
                hull = hulls.setdefault(reached, Hull(point, low, high))
                if (hull.join(point, directions, low, high) or is_new) and reached not in waiting:
                    waiting.append(reached)
        return True


def moved(
    hull: Hull, counted: Sequence[Answer], most: int
) -> tuple[list[int], list[list[int]], list[int], list[float]]:
    """Point, directions and bounds after a position; bounds above ``most`` are not told apart."""
    point, low, high = list(hull.point), list(hull.low), list(hull.high)
    unknown: dict[int, list[int]] = {}
    for k, answer in enumerate(counted):
        if isinstance(answer, Unknown):
            # Either way: from the one where the unknown does not hold, one step along a direction.
            point[k] += not answer.holds
            unknown.setdefault(answer.number, [0] * len(point))[k] = 1 if answer.holds else -1
        elif answer:
            point[k] += 1
            low[k] = min(low[k] + 1, most)
        if answer is not False:
            high[k] = high[k] + 1 if high[k] < most else inf
    return point, [*hull.directions.values(), *unknown.values()], low, high
