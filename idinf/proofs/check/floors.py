"""All shapes of a space with a floor of at most some R, listed again: a run must have searched them all.

A shape has the numbers that R counts: for each layer its heads and units, the precision p and the period Δ;
for next symbols also how many rows of U read the unit that most of them read. R is the sum of Section 3 of
the theory, and in a one-hot net of that shape ([HYB25] Definition 5, the family of docs/searching.md)

- L + H, p and Δ (0 if Δ = 1) are those of the shape, ‖E‖ = 1, and ‖p_i‖ = 1 if Δ > 1;
- ‖B‖ = √m in a layer of m units, as each writes 1 into a dimension of its own;
- ‖U‖ = √m for acceptance, where every unit of the last layer is read by ±1, and √(rows of the unit that is
  read most) for next symbols;
- every head has a channel that is not 0: rank V ≥ 1 and ‖V‖ ≥ 2^-p for it;
- units read it: one unit by an entry 1 of A, or two or more by entries of 2^-p at least, so a head adds
  min(1, 2 · 4^-p) to ‖A‖² of its layer, and 1 where the layer has one unit;
- ‖b‖, ‖K^T Q‖ and Σ φ² are at least 0.

Rows with several layers or heads are added up by maximum or sum; H is the largest number of heads of a layer
under both. Nothing here comes from the search.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product, takewhile

from idinf.base.numbers import format_up_to
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Report
from idinf.spec.bounds import SpaceBounds
from idinf.spec.spec import Answer, Spec

#: Slack of a comparison of a floor with R.
SLACK = 1e-9


@dataclass(frozen=True, slots=True, order=True)
class NetShape:
    """The numbers of a net that its floor depends on."""

    layers: tuple[tuple[int, int], ...]  #: (heads, units) of each layer, the first one first
    precision: int
    period: int
    readers: int  #: 0 for acceptance

    def __str__(self) -> str:
        layers = " ".join(f"{heads}+{units}" for heads, units in self.layers)
        return f"{layers} p={self.precision} period={self.period} readers={self.readers}"


def list_net_shapes(
    space: SpaceBounds, high: float, answer: Answer, symbols: int, aggregate: Aggregate
) -> Iterator[NetShape]:
    """Every shape of a space with a floor of at most ``high``; without heads, up to `floor_of_a_head`.

    The floor need not grow with p, nor with a second unit of a layer: then channels may be shorter. So p
    and Δ are raised as long as the terms fit that do not depend on channels, and layers, heads and units as
    long as those fit with channels that are as short as they may be with any units.

    >>> space = SpaceBounds(layers=2, heads=1, units=1, precision=0, period=1)
    >>> for shape in list_net_shapes(space, 9.0, Answer.ACCEPT, 2, Aggregate.MAX):
    ...     print(shape, measure_floor(shape, Aggregate.MAX))
    0+1 p=0 period=1 readers=0 4.0
    0+1 0+1 p=0 period=1 readers=0 5.0
    1+1 p=0 period=1 readers=0 8.0
    0+1 1+1 p=0 period=1 readers=0 9.0
    1+1 0+1 p=0 period=1 readers=0 9.0
    1+1 1+1 p=0 period=1 readers=0 9.0
    """

    def has_heads(layers: tuple[tuple[int, int], ...]) -> bool:
        return any(heads for heads, _ in layers)

    def plain(depth: int, most: int, layers: tuple[tuple[int, int], ...] = ()) -> tuple[tuple[int, int], ...]:
        """With more layers of one unit, one of which has a head if one must and none had one before."""
        rest = ((0, 1),) * (depth - len(layers))
        if most and rest and not has_heads(layers):
            rest = (*rest[:-1], (1, 1))
        return layers + rest

    def is_cheap(shape: NetShape) -> bool:
        return _sum_of_roots(shape, aggregate) <= high + SLACK

    def grown(layers: tuple[tuple[int, int], ...], start: NetShape, most: int) -> Iterator[NetShape]:
        """With ``most`` heads a layer, and at least one in all if that is not 0."""
        depth, top = len(start.layers), high if most else min(high, floor_of_a_head(start.period))
        if len(layers) == depth:
            shape = replace(start, layers=layers)
            is_low = measure_floor(shape, aggregate) <= top + SLACK
            if is_low and has_heads(layers) == (most > 0) and _can_read(shape, answer, symbols):
                yield shape
            return
        for heads in range(most + 1):
            for units in range(1, space.units + 1):
                more = (*layers, (heads, units))
                if _measure(replace(start, layers=plain(depth, most, more)), aggregate, True) > top + SLACK:
                    if units == 1:
                        return  # nor do more heads fit
                    break
                yield from grown(more, start, most)

    most_readers = {Answer.ACCEPT: 0, Answer.SYMBOL: 1, Answer.SET: symbols + 1}[answer]
    numbers_of_readers = range(min(1, most_readers), most_readers + 1)
    numbers_of_heads = sorted({0, space.heads})
    for most, readers, depth in product(numbers_of_heads, numbers_of_readers, range(1, space.layers + 1)):
        for precision in range(space.precision + 1):
            if not is_cheap(NetShape(plain(depth, most), precision, 1, readers)):
                break
            starts = (NetShape(plain(depth, most), precision, k + 1, readers) for k in range(space.period))
            for start in takewhile(is_cheap, starts):
                yield from grown((), start, most)


def floor_of_a_head(period: int) -> float:
    """The floor of the cheapest net with a head: 8 without positions.

    A net without heads answers by the last symbol and n mod Δ alone. Beyond this floor such nets have so many
    shapes that they are not listed: 20,000 up to R = 10.
    """
    return measure_floor(NetShape(((1, 1),), 0, period, 0), Aggregate.MAX)


def measure_floor(shape: NetShape, aggregate: Aggregate) -> float:
    """Lower bound of the R of all nets of a shape.

    >>> measure_floor(NetShape(((1, 1), (0, 4)), 0, 2, 0), Aggregate.MAX)  # (2 + 1) + (2 + 1) + 1 + 2 + 2 + 3
    14.0
    """
    return _measure(shape, aggregate, is_shared=False)


def _measure(shape: NetShape, aggregate: Aggregate, is_shared: bool) -> float:
    """The floor; with channels that are shared even where a layer has one unit, it is no larger."""
    joined = sum if aggregate is Aggregate.SUM else max
    short = 2.0**-shape.precision
    ranks = [1.0 for heads, _ in shape.layers for _ in range(heads)]
    norms_A = [
        math.sqrt(heads * (1.0 if units == 1 and not is_shared else min(1.0, 2 * short**2)))
        for heads, units in shape.layers
    ]
    channels = joined([0.0, *ranks]) * (1 + short)  # rank V and ‖V‖
    return _sum_of_roots(shape, aggregate) + channels + joined(norms_A)


def _sum_of_roots(shape: NetShape, aggregate: Aggregate) -> float:
    """The terms that no choice of V and A changes: L + H, p, Δ, ‖p_i‖, ‖E‖, ‖B‖ and ‖U‖."""
    joined = sum if aggregate is Aggregate.SUM else max
    positions = shape.period + 1.0 if shape.period > 1 else 0.0
    norm_B = joined([math.sqrt(units) for _, units in shape.layers])
    norm_U = math.sqrt(shape.readers or shape.layers[-1][1])
    heads = max(heads for heads, _ in shape.layers)
    return len(shape.layers) + heads + shape.precision + positions + 1.0 + norm_B + norm_U


def _can_read(shape: NetShape, answer: Answer, symbols: int) -> bool:
    """True if the rows of U can read every unit of the last layer, at most one unit each.

    There are |Σ| + 1 rows for next symbols; one of those that name a single symbol is 0.
    """
    units = shape.layers[-1][1]
    if answer is Answer.SYMBOL:
        return units <= symbols
    return answer is Answer.ACCEPT or units - 1 + shape.readers <= symbols + 1


def digest_shapes(shapes: Iterable[NetShape]) -> str:
    """SHA-256 of the shapes as lines in ascending order, the same for any order of the argument.

    >>> one, other = NetShape(((0, 1),), 0, 1, 0), NetShape(((1, 1),), 0, 1, 0)
    >>> digest_shapes([one, other]) == digest_shapes([other, one]) != digest_shapes([one])
    True
    """
    lines = "".join(f"{shape}\n" for shape in sorted(shapes))
    return hashlib.sha256(lines.encode("utf-8")).hexdigest()


def find_shape_faults(report: Report, spec: Spec) -> Iterator[str]:
    """Differences between the shapes that a report names and those that are listed again.

    It is not checked here that all of a shape was searched.
    """
    space, given = report.space, report.shapes
    if not isinstance(space, SpaceBounds):
        yield from [] if given is None else ["shapes of a whole class; expected null"]
        return
    high, how = report.complete_up_to_r, (len(spec.alphabet), report.regularizer.aggregate)
    found = list(list_net_shapes(space, high, spec.answer, *how))
    if given is None:
        yield from [f"null; expected {len(found)} with floors of at most {high}"] if found else []
    elif given.number != len(found):
        yield f"number = {given.number}; expected {len(found)} with floors of at most {high}"
    elif given.digest != digest_shapes(found):
        yield f"digest = {given.digest}; expected that of the {len(found)} shapes"


def tell_shapes(report: Report) -> str:
    """Sentence about the claim of a report on shapes."""
    if report.shapes is None:
        return "null, as of a whole class"
    level = f"{format_up_to(report.complete_up_to_r)}, without heads up to that of a head"
    return f"these {report.shapes.number} are all shapes of the space with floors {level}"
