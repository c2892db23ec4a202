"""A stream written as matrices: the dense Limit Transformer of the direct construction."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from idinf.base.linear_algebra import ONE, ZERO, Affine
from idinf.base.words import Alphabet
from idinf.nets.dense import Activation, Head, Layer, Matrix, Mlp, Vector, matrix
from idinf.nets.limit_transformer import LimitTransformer, find_least_period
from idinf.translate.compilation.assembly import check_size
from idinf.translate.compilation.diagrams import find_reached
from idinf.translate.compilation.local_counts import build_local_head
from idinf.translate.compilation.stream import HeadAverage, ResidueTruth, Stream, UnitOutput


def stack_layers(alphabet: Alphabet, stream: Stream, decision: Affine, precision: int) -> LimitTransformer:
    """The Limit Transformer that accepts where a Boolean holds; what that does not need is left out.

    What Heaviside units read is divided by 2^precision, which changes no sign.

    Raises `BudgetError` if it has more than `MAX_ENTRIES` numbers.

    >>> stream = Stream(2)
    >>> last_is_a = stack_layers(Alphabet(("a",)), stream, Affine(((1, 1),)), 0)
    >>> last_is_a.depth, last_is_a.num_units, last_is_a.threshold
    (1, 0, 0)
    """
    read = _read_by_output(stream, decision)
    first = [*range(stream.num_tokens), *(d for d, _ in read.terms)]
    kept = find_reached(first, lambda number: [d for d, _ in stream.dimensions[number].reads.terms])
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
        if isinstance(source, UnitOutput) and stream.is_whole(source.form):
            return source.form if c > 0 else ONE - source.form
    return decision


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
        sources = [self.stream.dimensions[number].source for number in self.places]
        held = [source.held if isinstance(source, ResidueTruth) else (False,) for source in sources]
        period = max(map(len, held))
        rows = matrix([int(holds[i % len(holds)]) for holds in held] for i in range(period))
        return rows[: find_least_period(rows)]

    def check_size(self, period: int) -> None:
        """Refuse what would not fit a file."""
        sources = [self.stream.dimensions[number] for number in self.places]
        heads = {(d.layer, d.source.distance) for d in sources if isinstance(d.source, HeadAverage)}
        units = sum(isinstance(d.source, UnitOutput) for d in sources)
        check_size(len(heads), len(self.places), units, period, "use shorter windows")

    def layer(self, number: int) -> Layer:
        """The output of one layer: heads by distance, units in the order in which they were made."""
        averages: dict[int, dict[int, HeadAverage]] = {}
        units: dict[int, UnitOutput] = {}
        for dimension, place in self.places.items():
            written = self.stream.dimensions[dimension]
            if written.layer == number and isinstance(written.source, HeadAverage):
                averages.setdefault(written.source.distance, {})[place] = written.source
            if written.layer == number and isinstance(written.source, UnitOutput):
                units[place] = written.source
        return Layer(tuple(self._head(k, averages[k]) for k in sorted(averages)), self._mlp(units))

    def _head(self, distance: int, averages: dict[int, HeadAverage]) -> Head:
        zero = self.row(ZERO)
        V = tuple(self.row(averages[p].values) if p in averages else zero for p in range(len(self.places)))
        phi = build_local_head(distance).phi if distance else ()
        return Head((zero,), (zero,), V, tuple(map(Fraction, phi)))

    def _mlp(self, units: dict[int, UnitOutput]) -> Mlp:
        A, b, activation = [], [], []
        for unit in units.values():
            scale = 1 if unit.relu else 1 << self.precision
            A.append(self.row(unit.form, scale))
            b.append(Fraction(unit.form.constant, scale))
            activation.append(Activation.RELU if unit.relu else Activation.HEAVISIDE)
        B = matrix([int(place == written) for written in units] for place in range(len(self.places)))
        return Mlp(tuple(A), tuple(b), B, tuple(activation))
