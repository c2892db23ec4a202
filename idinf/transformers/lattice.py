"""A cheaper realisation: other coordinates, U reading the stream, equal units, and then powers of two.

Each step leaves what is answered on every word, by the lemmas of `idinf.transformers.stream_factors`,
`idinf.transformers.direct_reading`, `idinf.transformers.equal_units` and `idinf.transformers.scaling`. Which
steps are taken is a bounded search: from each beginning the coordinates of one writer after the other are
replaced by what makes R least, as long as it becomes less. So R is the least of what was tried, and nothing
says that it is the least of all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic, TypeVar

from idinf.transformers.dense import DenseTransformer
from idinf.transformers.direct_reading import list_direct_readings
from idinf.transformers.equal_units import join_equal_heads, join_equal_units, list_split_units
from idinf.transformers.factorizations import list_factorizations, list_moves
from idinf.transformers.least_scaling import find_least_scaling, find_small_r
from idinf.transformers.regularizer import EPSILON, Aggregate, compute_r_terms
from idinf.transformers.scaling import Scaling
from idinf.transformers.stream_factors import list_groups, rewrite, split_off

T = TypeVar("T", bound=DenseTransformer)

#: Nets that are compared from one beginning, at most, times the square of their matrices: some seconds.
WORK = 6_000

#: States that are kept of each matrix while nets are compared.
WIDTH = 5


@dataclass(frozen=True, slots=True)
class LatticeRealisation(Generic[T]):
    """The cheapest realisation that was met."""

    transformer: T
    scaled: T  #: the least by powers of two alone, which costs no less
    steps: tuple[str, ...]  #: what was done beside powers of two, in words


def find_lattice_realisation(
    transformer: T, aggregate: Aggregate = Aggregate.MAX, whole_threshold: bool = False
) -> LatticeRealisation[T]:
    """Find a realisation of small R; what it answers on words stays.

    Options and errors as of `find_least_scaling`.

    Examples
    --------
    >>> from idinf.compilation.compiler import compile_by_any_route
    >>> from idinf.crasp.library import load
    >>> loaded = load("majority")
    >>> net = compile_by_any_route(loaded.program, loaded.alphabet(None)).transformer
    >>> found = find_lattice_realisation(net)
    >>> compute_r_terms(found.transformer).total, found.transformer.width
    (5.5, 2)
    >>> found.steps
    ('U reads the stream', 'embeddings of 1 dimension instead of 3')
    """
    precision = None if Scaling(transformer).keeps_weights() else transformer.precision
    scale = _Scale(aggregate, whole_threshold, precision)
    scaled = find_least_scaling(transformer, aggregate, whole_threshold)
    best, r = scaled, compute_r_terms(scaled, aggregate).total
    steps: tuple[str, ...] = ()
    for beginning, named in _list_beginnings(transformer):
        descent = _Descent(beginning, scale)
        net, is_split = descent.run(beginning)
        if descent.r >= r - EPSILON:
            continue
        made = scale.best(net)
        total = compute_r_terms(made, aggregate).total
        if total < r - EPSILON:
            best, r = made, total
            steps = (
                *named,
                *(["a unit as several equal ones"] if is_split else []),
                _tell(transformer, made),
            )
    return LatticeRealisation(best, scaled, steps)


def _list_beginnings(net: T) -> Iterator[tuple[T, tuple[str, ...]]]:
    """Nets to begin with, and what was done for them."""
    seen = []
    for joined in (net, join_equal_heads(net)):
        tidy = join_equal_units(joined)
        for made, direct in [(tidy, False), *((made, True) for made in list_direct_readings(tidy))]:
            if made in seen:
                continue
            seen.append(made)
            named = [
                ("equal heads as one", joined != net),
                ("equal units as one", not direct and tidy.num_units < net.num_units),
                ("U reads the stream", direct),
            ]
            yield made, tuple(name for name, is_done in named if is_done)


def _tell(before: DenseTransformer, after: DenseTransformer) -> str:
    """What happened to coordinates."""
    old, new = (
        sum(any(row[k] for row in net.embedding) for k in range(net.width)) for net in (before, after)
    )
    if new >= old:
        return "other coordinates of the stream"
    return f"embeddings of {new} dimension{'s' * (new != 1)} instead of {old}"


class _Descent:
    """A search from one beginning. Mutable: it counts its work."""

    def __init__(self, beginning: DenseTransformer, scale: _Scale) -> None:
        self.scale, self.seen = scale, {beginning}
        self.left = WORK // max(1, len([*Scaling(beginning).parts()])) ** 2
        self.r = scale.find_r(beginning, math.inf)

    def run(self, beginning: T) -> tuple[T, bool]:
        """The cheapest net that was met, and whether units of it were split."""
        best, is_split, bases = beginning, False, True
        while True:
            before = best
            for place in reversed(range(len(list_groups(best)))):
                best = self._with_group(best, place, bases)
            for made in list_split_units(best):
                if self._is_less(made):
                    best, is_split = made, True
                    break
            if best == before:
                return best, is_split
            bases = False

    def _with_group(self, net: T, place: int, bases: bool) -> T:
        """The cheapest by other coordinates of one writer."""
        groups = list_groups(net)
        if place >= len(groups):
            return net
        group, best = groups[place], net
        factors = split_off(net, group)
        product = factors.product()
        options = list_factorizations(product) if bases else [*list_moves(factors)]
        if bases and not any(map(any, product)):  # nothing is read, so nothing needs to be there
            best = join_equal_units(rewrite(net, group, options[0]))
            self._is_less(best)
            return best
        while options:
            found = None
            for option in options:
                made = join_equal_units(rewrite(net, group, option))
                if self._is_less(made):
                    best, found = made, option
            options = [] if found is None else [*list_moves(found)]
        return best

    def _is_less(self, net: DenseTransformer) -> bool:
        """Whether a net that was not met costs less than all before it."""
        if net in self.seen or self.left <= 0:
            return False
        self.left -= 1
        self.seen.add(net)
        r = self.scale.find_r(net, self.r)
        self.r = min(r, self.r)
        return r == self.r < math.inf


@dataclass(frozen=True, slots=True)
class _Scale:
    """Powers of two for nets of one function."""

    aggregate: Aggregate
    whole_threshold: bool
    precision: int | None  #: None: any, as weights stay

    def fits(self, net: DenseTransformer) -> bool:
        """Whether the net can be written with the p that it has to have."""
        return self.precision is None or net.precision <= self.precision

    def find_r(self, net: DenseTransformer, below: float) -> float:
        """R of the net scaled in a first look; infinite if it is not below a bound."""
        if not self.fits(net):
            return math.inf
        keeps = self.precision is None
        r = find_small_r(
            self._begin(net),
            self.aggregate,
            self.whole_threshold,
            keeps_weights=keeps,
            below=below,
            width=WIDTH,
        )
        return math.inf if r is None else r

    def best(self, net: T) -> T:
        """The net by the best powers of two."""
        keeps = self.precision is None
        return find_least_scaling(self._begin(net), self.aggregate, self.whole_threshold, keeps_weights=keeps)

    def _begin(self, net: T) -> T:
        if self.precision is not None:
            net = replace(net, precision=self.precision)
        threshold = Fraction(net.threshold)
        if self.whole_threshold and threshold.denominator > 1:
            U = tuple(tuple(entry * threshold.denominator for entry in row) for row in net.unembedding)
            net = replace(net, unembedding=U, threshold=threshold.numerator)
        return net
