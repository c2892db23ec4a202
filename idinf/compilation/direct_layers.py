"""A stream written as matrices: the dense Limit Transformer of the direct construction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from idinf.affine import ONE, Affine
from idinf.compilation.assembly import check_size, least_period
from idinf.compilation.local_counts import local_head
from idinf.compilation.stream import Averaged, Computed, OfResidue, Stream
from idinf.transformers.limit_transformer import (
    Activation,
    Head,
    Layer,
    LimitTransformer,
    Matrix,
    Mlp,
    Vector,
    matrix,
)
from idinf.words import Alphabet


def stacked(alphabet: Alphabet, stream: Stream, decision: Affine, precision: int) -> LimitTransformer:
    """The Limit Transformer that accepts where a Boolean holds; what that does not need is left out.

    Parameters
    ----------
    alphabet : Alphabet
    stream : Stream
    decision : Affine
        A Boolean.
    precision : int
        p. What Heaviside units read is divided by 2^p, which changes no sign.

    Raises
    ------
    BudgetError
        If it has more than `MAX_ENTRIES` numbers.

    Examples
    --------
    >>> stream = Stream(2)
    >>> last_is_a = stacked(Alphabet(("a",)), stream, stream.token(1), 0)
    >>> last_is_a.depth, last_is_a.num_units, last_is_a.threshold
    (1, 0, 0)
    """
    read = _read_by_output(stream, decision)
    kept = _needed(stream, read)
    matrices = _Matrices(stream, {number: place for place, number in enumerate(kept)}, precision)
    depth = max(1, stream.written(read))
    positions = matrices.positions()
    matrices.check_size(len(positions))
    return LimitTransformer(
        alphabet,
        precision,
        matrix([[int(place == token) for place in range(len(kept))] for token in range(stream.num_tokens)]),
        positions,
        tuple(matrices.layer(number) for number in range(1, depth + 1)),
        (matrices.row(read),),
        threshold=-read.constant,
    )


def _read_by_output(stream: Stream, decision: Affine) -> Affine:
    """A combination that is above 0 iff a Boolean holds: a last unit that adds up Booleans is left to U."""
    if len(decision.terms) == 1:
        ((number, c),) = decision.terms
        source = stream.dimensions[number].source
        if isinstance(source, Computed) and stream.is_whole(source.form):
            return source.form if c > 0 else ONE - source.form
    return decision


def _reads(stream: Stream, number: int) -> Iterable[int]:
    source = stream.dimensions[number].source
    match source:
        case Averaged():
            return (d for d, _ in source.values.terms)
        case Computed():
            return (d for d, _ in source.form.terms)
        case _:
            return ()


def _needed(stream: Stream, decision: Affine) -> list[int]:
    """The tokens, and the dimensions that the decision reads over any number of steps; ascending."""
    found = set(range(stream.num_tokens))
    waiting = [d for d, _ in decision.terms]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting.extend(_reads(stream, number))
    return sorted(found)


@dataclass(frozen=True)
class _Matrices:
    """Dimensions of a stream at their places in the result."""

    stream: Stream
    places: dict[int, int]
    precision: int

    def row(self, form: Affine, scale: int = 1) -> Vector:
        """The coefficients over a scale."""
        entries = [Fraction(0)] * len(self.places)
        for number, c in form.terms:
            entries[self.places[number]] = Fraction(c, scale)
        return tuple(entries)

    def positions(self) -> Matrix:
        """p_i for one least period."""
        held = {
            place: source.held
            for number, place in self.places.items()
            if isinstance(source := self.stream.dimensions[number].source, OfResidue)
        }
        period = max(map(len, held.values()), default=1)
        rows = matrix(
            [int(place in held and held[place][i]) for place in range(len(self.places))]
            for i in range(period)
        )
        return rows[: least_period(rows)]

    def check_size(self, period: int) -> None:
        """Refuse what would not fit a file."""
        sources = [self.stream.dimensions[number] for number in self.places]
        heads = {(d.layer, d.source.distance) for d in sources if isinstance(d.source, Averaged)}
        units = sum(isinstance(d.source, Computed) for d in sources)
        check_size(len(heads), len(self.places), units, period, "use shorter windows")

    def layer(self, number: int) -> Layer:
        """What one layer writes: heads by distance, units in the order in which they were made."""
        written = [d for d in self.places if self.stream.dimensions[d].layer == number]
        by_distance: dict[int, list[int]] = {}
        units = []
        for dimension in written:
            source = self.stream.dimensions[dimension].source
            if isinstance(source, Averaged):
                by_distance.setdefault(source.distance, []).append(dimension)
            else:
                units.append(dimension)
        heads = tuple(self._head(distance, by_distance[distance]) for distance in sorted(by_distance))
        return Layer(heads, self._mlp(units))

    def _head(self, distance: int, dimensions: list[int]) -> Head:
        zero = self.row(Affine())
        V = [zero] * len(self.places)
        for number in dimensions:
            source = self.stream.dimensions[number].source
            if isinstance(source, Averaged):
                V[self.places[number]] = self.row(source.values)
        phi = local_head(distance).phi if distance else ()
        return Head((zero,), (zero,), tuple(V), tuple(map(Fraction, phi)))

    def _mlp(self, dimensions: list[int]) -> Mlp:
        A, b, activation = [], [], []
        for number in dimensions:
            source = self.stream.dimensions[number].source
            if isinstance(source, Computed):
                scale = 1 if source.relu else 1 << self.precision
                A.append(self.row(source.form, scale))
                b.append(Fraction(source.form.constant, scale))
                activation.append(Activation.RELU if source.relu else Activation.HEAVISIDE)
        places = {self.places[number]: unit for unit, number in enumerate(dimensions)}
        B = matrix(
            [int(places.get(place) == unit) for unit in range(len(dimensions))]
            for place in range(len(self.places))
        )
        return Mlp(tuple(A), tuple(b), B, tuple(activation))
