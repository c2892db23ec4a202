"""The least R over all powers of two by which the matrices of a transformer can be multiplied.

For each p the matrices are scaled in the order of the forward pass. What has been chosen is a state: the
exponents that later matrices still read, and the norms until now. Norms of what is to come are at least those
of the columns whose exponents are chosen, on the grid, and those of 2^-p in place of every entry that is not
0. A state whose R cannot come below the best one is dropped, and so is one with the exponents of another and
no smaller norm, so nothing cheaper is missed.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from fractions import Fraction

from idinf.errors import BudgetError
from idinf.transformers.dense import DenseTransformer
from idinf.transformers.regularizer import EPSILON, Aggregate, RTerms, compute_r_terms
from idinf.transformers.scaled_norms import Exponents, ScaledNorms
from idinf.transformers.scaling import UNSCALED, Scaling, T, count_halvings

#: States that are kept of one matrix, at most: some seconds of work.
MOST_STATES = 20_000

#: Matrices that are scaled, at most, by how their norms are combined: more would take minutes.
MOST_MATRICES = {Aggregate.MAX: 32, Aggregate.SUM: 16}

#: States that are kept in a first look, which mostly finds the best ones; what follows can drop more then.
NARROW = 20

Norms = tuple[float, ...]

#: The terms that exponents change.
_NAMES = tuple(field.name for field in fields(RTerms) if field.name.startswith("norm_"))


def find_least_scaling(
    transformer: T,
    aggregate: Aggregate = Aggregate.MAX,
    whole_threshold: bool = False,
    *,
    same_outputs: bool = False,
    keeps_weights: bool | None = None,
) -> T:
    """Find the realisation of least R by one power of two for each matrix, and a p; what it answers stays.

    Of equal ones it is that of the least p, and the transformer itself if nothing is less. The threshold may
    become a fraction; with ``whole_threshold`` it is a whole number. With ``same_outputs`` U y and the
    threshold are what they were. p stays where a weight could change; who knows better says whether the net
    ``keeps_weights``.

    Raises
    ------
    BudgetError
        If there are more than ``MOST_MATRICES``, or more than ``MOST_STATES`` states would have to be kept.

    Notes
    -----
    R as `idinf.transformers.regularizer`; what is found is exact but for ties within 1e-9. That the function
    is the same is proved in `idinf.transformers.scaling`.

    Examples
    --------
    >>> from idinf.compilation.compiler import compile_by_any_route
    >>> from idinf.crasp.library import load
    >>> loaded = load("majority")
    >>> net = compile_by_any_route(loaded.program, loaded.alphabet(None)).transformer
    >>> for found in (find_least_scaling(net), find_least_scaling(net, whole_threshold=True)):
    ...     print(round(compute_r_terms(found).total, 6), found.precision, found.threshold)
    6.353553 2 -1/16
    7.707107 1 -1
    """
    scaling = Scaling(transformer)
    search = _Search(scaling, aggregate, whole_threshold, same_outputs, keeps_weights)
    search.look_everywhere(NARROW)
    search.look_everywhere(MOST_STATES + 1)
    if search.found is None:
        return transformer
    made = search.scaling.apply(*search.found)
    assert isinstance(made, type(transformer))
    return made


def find_small_r(
    transformer: DenseTransformer,
    aggregate: Aggregate,
    whole_threshold: bool,
    *,
    keeps_weights: bool,
    below: float,
    width: int,
) -> float | None:
    """R of some realisation by powers of two that costs less than ``below``; None if none was met.

    At most ``width`` states of each matrix are kept, so this is fast. The rest is as in `find_least_scaling`.
    """
    search = _Search(Scaling(transformer), aggregate, whole_threshold, False, keeps_weights)
    search.best = min(search.best, below)
    search.look_everywhere(width)
    return search.best if search.best < below - EPSILON else None


@dataclass(frozen=True, slots=True)
class _State:
    """What has been chosen up to some matrix; norms are in the order of the names."""

    exponents: Exponents
    norms: Norms

    def is_no_worse(self, other: _State) -> bool:
        return all(a <= b for a, b in zip(self.norms, other.norms, strict=True))


class _Search:
    """One search. Mutable: the best until now makes what follows shorter."""

    def __init__(
        self,
        scaling: Scaling,
        aggregate: Aggregate,
        whole_threshold: bool,
        same_outputs: bool,
        keeps_weights: bool | None,
    ) -> None:
        terms = compute_r_terms(scaling.transformer, aggregate)
        self.scaling, self.best = scaling, terms.total
        self.found: tuple[tuple[int, ...], int] | None = None
        self.combine: Callable[[float, float], float] = max if aggregate is Aggregate.MAX else operator.add
        threshold = Fraction(scaling.transformer.threshold) if whole_threshold else Fraction(0)
        least_u = -count_halvings(threshold) if threshold else None
        self.parts = [
            ScaledNorms(part, least_u if "norm_U" in part.terms else None) for part in scaling.parts()
        ]
        most = MOST_MATRICES[aggregate]
        if len(self.parts) > most:
            raise BudgetError(
                f"the net has {len(self.parts)} matrices that are not 0, K and Q together; expected at most "
                f"{most} where realisations are compared; use --realisation one-hot"
            )
        self.keeps_weights = scaling.keeps_weights() if keeps_weights is None else keeps_weights
        given = {UNSCALED, scaling.unembedding} if same_outputs else {UNSCALED}
        self.given = tuple(0 if group in given else None for group in range(scaling.size))
        self.fixed = terms.total - terms.precision - math.fsum(getattr(terms, name) for name in _NAMES)

    def look_everywhere(self, width: int) -> None:
        """Look at every p, or at the one that there is where weights could change."""
        if not self.keeps_weights:
            self.look_at(self.scaling.transformer.precision, width)
            return
        precision = 0
        while self.fixed + precision < self.best - EPSILON:
            before = self.best
            self.look_at(precision, width)
            if width <= NARROW and self.found is not None and self.best == before:
                return  # a first look only
            precision += 1

    def look_at(self, p: int, width: int) -> None:
        """Look at all exponents on the grid of 2^-p, or at ``width`` states of each matrix, the best ones."""
        states = [_State(self.given, (0.0,) * len(_NAMES))]
        for place, part in enumerate(self.parts):
            rest = self.parts[place + 1 :]
            later = sorted({group for other in rest for group in (other.part.group, *other.read)})
            floors = self._with_rest((0.0,) * len(_NAMES), rest, self.given, p)
            kept: dict[Exponents, list[_State]] = {}
            for state in states:
                for made in self._extended(state, part, floors, p, part.part.group in later):
                    _keep(kept, tuple(made.exponents[group] for group in later), made)
                if width > NARROW and sum(map(len, kept.values())) > MOST_STATES:
                    raise BudgetError(
                        f"the scaled realisation of {len(self.parts)} matrices has more than {MOST_STATES} "
                        "states to compare; expected fewer, as those of a net with fewer layers and heads; "
                        "use --realisation one-hot"
                    )
            totals = [
                (total, state)
                for group in kept.values()
                for state in group
                if (total := self._total(self._with_rest(state.norms, rest, state.exponents, p), p))
                < self.best - EPSILON
            ]
            states = [state for _, state in sorted(totals, key=lambda pair: pair[0])[:width]]
        if states:
            self.best = self._total(states[0].norms, p)
            self.found = tuple(x or 0 for x in states[0].exponents), p

    def _extended(
        self, state: _State, part: ScaledNorms, floors: Norms, p: int, is_read: bool
    ) -> Iterator[_State]:
        """A state with each exponent that a matrix can have, as long as it can become the best."""
        least, fixed = part.find_least(state.exponents, p) or 0, state.exponents[part.part.group]
        choices: Iterable[int] = [least] if fixed is None else [fixed]
        if fixed is None and is_read:
            choices = itertools.count(least)
        before, after = state.exponents[: part.part.group], state.exponents[part.part.group + 1 :]
        for x in choices:
            exponents = (*before, x, *after)
            norms = self._combined(state.norms, part, part.find(exponents, p))
            if self._total(map(self.combine, norms, floors), p) >= self.best - EPSILON:
                return  # larger exponents have larger norms
            yield _State(exponents, norms)

    def _with_rest(self, norms: Norms, rest: Iterable[ScaledNorms], exponents: Exponents, p: int) -> Norms:
        """Norms with what matrices to come cost at least."""
        for part in rest:
            norms = self._combined(norms, part, part.find(exponents, p))
        return norms

    def _combined(self, norms: Norms, part: ScaledNorms, values: Norms) -> Norms:
        found = list(norms)
        for place, value in zip(map(_NAMES.index, part.part.terms), values, strict=True):
            found[place] = self.combine(found[place], value)
        return tuple(found)

    def _total(self, norms: Iterable[float], p: int) -> float:
        return self.fixed + p + math.fsum(norms)


def _keep(kept: dict[Exponents, list[_State]], key: Exponents, state: _State) -> None:
    """Keep a state unless one that is no worse is kept, and drop what it is no worse than."""
    others = kept.setdefault(key, [])
    if not any(other.is_no_worse(state) for other in others):
        others[:] = [other for other in others if not state.is_no_worse(other)]
        others.append(state)
