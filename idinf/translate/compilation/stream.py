"""The residual stream of the direct construction: one dimension for each operation, and what writes it.

A dimension is written once, by the embedding, the positional encoding, a head or a unit. A Boolean is a
combination of dimensions with the values 0 and 1; a count C is held as C/(i + 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from idinf.base.linear_algebra import ONE, ZERO, Affine, combine, read_feature
from idinf.errors import BudgetError

#: Widest stream: matrices have its square as entries.
MAX_DIMENSIONS = 2000


@dataclass(frozen=True, slots=True)
class ResidueTruth:
    """A Boolean of i mod Δ; false for residue 0, so that SOS needs no positions."""

    held: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class HeadAverage:
    """The output of a head: the average of values over 0..i, for a distance with the local head for it."""

    values: Affine  # over dimensions on the grid: tokens, residues, Heaviside units
    distance: int = 0  # 0 for uniform attention


@dataclass(frozen=True, slots=True)
class UnitOutput:
    """The output of a unit: ReLU or Heaviside of a combination."""

    form: Affine
    relu: bool = False


Source = ResidueTruth | HeadAverage | UnitOutput


@dataclass(frozen=True, slots=True)
class Dimension:
    """Facts about a dimension before any word is read."""

    source: Source | None  # None: 1 at one token
    layer: int  # the one that writes it; 0 for what is there at first
    at_sos: int
    low: int
    high: int

    @property
    def reads(self) -> Affine:
        """The combination that writes it."""
        match self.source:
            case HeadAverage(form) | UnitOutput(form):
                return form
        return ZERO


@dataclass
class Stream:
    """All dimensions so far, each made once; the first ones are the 1 + |Σ| tokens, 0 being SOS.

    #1/(i + 1) is written by a head of layer 1 and may be compared there:

    >>> stream = Stream(3)
    >>> ones = stream.averaged(read_feature(2))
    >>> more = stream.heaviside(ones.times(2) - stream.inverse)
    >>> stream.written(more), stream.at_sos(more), stream.range_of(ones.times(-2))
    (1, 0, (-2, 0))
    """

    num_tokens: int
    dimensions: list[Dimension] = field(default_factory=list)
    _numbers: dict[Source, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.dimensions += [Dimension(None, 0, int(token == 0), 0, 1) for token in range(self.num_tokens)]

    # Dimensions

    def of_token(self, values: Iterable[int]) -> Affine:
        """A number for every token."""
        return Affine(tuple((token, value) for token, value in enumerate(values) if value))

    def of_residue(self, held: tuple[bool, ...]) -> Affine:
        """A Boolean of the residue."""
        if all(held) or not any(held):
            return ONE if held[0] else ZERO
        if held[0]:
            return ONE - self.of_residue(tuple(not value for value in held))
        return self._write(ResidueTruth(held), 0, 0)

    @property
    def inverse(self) -> Affine:
        """1/(i + 1): the average of [$]."""
        return self.averaged(read_feature(0))

    def averaged(self, values: Affine, distance: int = 0) -> Affine:
        """The average of values over the positions so far, in the first layer that can know it."""
        # The constant as a multiple of Σ tokens, which is 1 everywhere.
        values = values.plus(-values.constant) + self.of_token([values.constant] * self.num_tokens)
        if values == ZERO:
            return ZERO
        layer = 1 + self.written(values)
        return self._write(HeadAverage(values, distance), layer, self.at_sos(values), self.range_of(values))

    def heaviside(self, form: Affine) -> Affine:
        """Whether a combination is above 0."""
        low, high = self.range_of(form)
        if low > 0 or high <= 0:
            return ONE if low > 0 else ZERO
        return self._write(UnitOutput(form), self.readable(form), int(self.at_sos(form) > 0))

    def relu(self, form: Affine, high: int) -> Affine:
        """The combination where it is above 0, else 0; `high` bounds it from above."""
        if high <= 0:
            return ZERO
        at_sos = max(0, self.at_sos(form))
        return self._write(UnitOutput(form, True), self.readable(form), at_sos, (0, high))

    def _write(self, source: Source, layer: int, at_sos: int, bounds: tuple[int, int] = (0, 1)) -> Affine:
        if source not in self._numbers:
            if len(self.dimensions) >= MAX_DIMENSIONS:
                raise BudgetError(
                    f"the program needs more than {MAX_DIMENSIONS} dimensions; expected fewer distinct "
                    "operations; split the program"
                )
            self._numbers[source] = len(self.dimensions)
            self.dimensions.append(Dimension(source, layer, at_sos, *bounds))
        return read_feature(self._numbers[source])

    # What is known of a combination

    def written(self, form: Affine) -> int:
        """The last layer that writes a dimension of it: heads above read it, and units above."""
        return max((self.dimensions[d].layer for d, _ in form.terms), default=0)

    def readable(self, form: Affine) -> int:
        """The first layer whose units can read it; what a head writes is read in the same layer."""
        read = [self.dimensions[d] for d, _ in form.terms]
        return max([1, *(dimension.layer + isinstance(dimension.source, UnitOutput) for dimension in read)])

    def at_sos(self, form: Affine) -> int:
        """The value at SOS, which no word changes."""
        return form.constant + sum(c * self.dimensions[d].at_sos for d, c in form.terms)

    def range_of(self, form: Affine) -> tuple[int, int]:
        """Bounds on the value at every position of every word."""
        tokens = [0] * self.num_tokens
        low = high = form.constant
        for number, c in form.terms:
            if number < self.num_tokens:
                tokens[number] = c
                continue
            ends = (c * self.dimensions[number].low, c * self.dimensions[number].high)
            low, high = low + min(ends), high + max(ends)
        return low + min(tokens), high + max(tokens)

    def is_whole(self, form: Affine) -> bool:
        """Whether it reads Booleans alone, so that it is an integer everywhere."""
        sources = [self.dimensions[d].source for d, _ in form.terms]
        return not any(isinstance(s, HeadAverage) or (isinstance(s, UnitOutput) and s.relu) for s in sources)

    def without_sos(self, form: Affine) -> Affine:
        """The same values at positions j ≥ 1, and 0 at SOS."""
        return form - read_feature(0).times(self.at_sos(form))

    # Booleans

    def conjunction(self, parts: Iterable[Affine]) -> Affine:
        """All of some Booleans.

        Where one alone is the last to be known and is made of units, these are gated by the others: no
        layer is added. Else one unit counts the parts, in the first layer that can read all.
        """
        rest = self._joined(list(dict.fromkeys(parts)))
        if ZERO in rest or any(ONE - part in rest for part in rest):
            return ZERO
        if len(rest) <= 1:
            return rest[0] if rest else ONE
        last = max(map(self.written, rest))
        late = [part for part in rest if self.written(part) == last]
        if last and len(late) == 1 and all(self.dimensions[d].layer == last for d, _ in late[0].terms):
            early = [part for part in rest if part is not late[0]]
            gated = [(self._gated(d, early), c) for d, c in late[0].terms]
            return combine([(self.conjunction(early), late[0].constant), *gated])
        return self.heaviside(combine((part, 1) for part in rest).plus(1 - len(rest)))

    def disjunction(self, parts: Iterable[Affine]) -> Affine:
        """Any of some Booleans."""
        return ONE - self.conjunction([ONE - part for part in parts])

    def _joined(self, parts: list[Affine]) -> list[Affine]:
        """The parts, where all of the token alone are one and all of the residue alone another; no ONE."""
        tokens, residues, others = [True] * self.num_tokens, list[tuple[bool, ...]](), list[Affine]()
        for part in parts:
            held = self._of_residue_alone(part)
            if all(number < self.num_tokens for number, _ in part.terms):
                here = dict(part.terms)
                tokens = [old and part.constant + here.get(t, 0) != 0 for t, old in enumerate(tokens)]
            elif held is not None:
                residues.append(held)
            else:
                others.append(part)
        if residues:
            others.insert(0, self.of_residue(tuple(map(all, zip(*residues, strict=True)))))
        if not all(tokens):
            others.insert(0, self.of_token(map(int, tokens)))
        return [part for part in others if part != ONE]

    def _of_residue_alone(self, form: Affine) -> tuple[bool, ...] | None:
        """Its value at every residue, None if it is no single dimension of this kind or 1 less it."""
        if len(form.terms) != 1:
            return None
        ((number, c),) = form.terms
        source = self.dimensions[number].source
        return tuple(held == (c == 1) for held in source.held) if isinstance(source, ResidueTruth) else None

    def _gated(self, number: int, gates: list[Affine]) -> Affine:
        """A Heaviside unit that also asks for Booleans known before its layer."""
        source = self.dimensions[number].source
        if not isinstance(source, UnitOutput) or source.relu:
            raise TypeError(f"dimension {number} is no Boolean of a unit")
        _, high = self.range_of(source.form)
        return self.heaviside(combine([(source.form, 1), *((gate - ONE, high) for gate in gates)]))
