"""The least R over all powers of two by which the matrices of a transformer can be multiplied.

For each p the matrices are scaled in the order of the forward pass. What has been chosen is a state: the
exponents that later matrices still read, and the norms until now. Norms of what is to come are at least those
of matrices that have 2^-p in place of every entry that is not 0. A state whose R cannot come below the best
one is dropped, and so is one with the exponents of another and no smaller norm, so nothing cheaper is missed.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

from idinf.errors import BudgetError
from idinf.transformers.dense import Head, Matrix
from idinf.transformers.regularizer import (
    EPSILON,
    Aggregate,
    RTerms,
    compute_frobenius_norm,
    compute_logit_norm,
    compute_r_terms,
    compute_spectral_norm,
)
from idinf.transformers.scaling import UNSCALED, Part, Scaling, T, count_halvings, scale

#: States that are kept of one matrix, at most: some seconds of work.
MOST_STATES = 50_000

#: The terms that exponents change.
_NAMES = tuple(field.name for field in fields(RTerms) if field.name.startswith("norm_"))


def find_least_scaling(
    transformer: T, aggregate: Aggregate = Aggregate.MAX, whole_threshold: bool = False
) -> T:
    """Find the realisation of least R by one power of two for each matrix, and a p; what it answers stays.

    Of equal ones it is that of the least p, and the transformer itself if nothing is less. The threshold may
    become a fraction; with ``whole_threshold`` it is a whole number. p stays where a weight could change.

    Raises
    ------
    BudgetError
        If more than ``MOST_STATES`` states would have to be kept.

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
    search = _Search(scaling, aggregate, whole_threshold)
    search.look_everywhere()
    if search.found is None:
        return transformer
    made = scaling.apply(*search.found)
    assert isinstance(made, type(transformer))
    return made


@dataclass(frozen=True, slots=True)
class _State:
    """What has been chosen up to some matrix."""

    exponents: tuple[int, ...]  #: of all groups, 0 where nothing has been chosen
    norms: tuple[float, ...]  #: in the order of the names

    def is_no_worse(self, other: _State) -> bool:
        return all(a <= b for a, b in zip(self.norms, other.norms, strict=True))


class _Search:
    """One search. Mutable: the best until now makes what follows shorter."""

    def __init__(self, scaling: Scaling, aggregate: Aggregate, whole_threshold: bool) -> None:
        terms = compute_r_terms(scaling.transformer, aggregate)
        self.scaling, self.best = scaling, terms.total
        self.found: tuple[tuple[int, ...], int] | None = None
        self.combine: Callable[[float, float], float] = max if aggregate is Aggregate.MAX else operator.add
        self.parts = [_Weighed(part) for part in scaling.parts()]
        self.fixed = terms.total - terms.precision - math.fsum(getattr(terms, name) for name in _NAMES)
        threshold = Fraction(scaling.transformer.threshold)
        self.least_u = -count_halvings(threshold) if whole_threshold and threshold else None

    def look_everywhere(self) -> None:
        """Look at every p, or at the one that there is where weights could change."""
        if not self.scaling.keeps_weights():
            self.look_at(self.scaling.transformer.precision)
            return
        precision = 0
        while self.fixed + precision < self.best - EPSILON:
            self.look_at(precision)
            precision += 1

    def look_at(self, p: int) -> None:
        """Look at all exponents on the grid of 2^-p."""
        floors = self._floors(p)
        states = [_State((0,) * self.scaling.size, (0.0,) * len(_NAMES))]
        for place, part in enumerate(self.parts):
            later = {group for other in self.parts[place + 1 :] for group in (other.group, *other.read)}
            is_new = all(other.group != part.group for other in self.parts[:place])
            kept: dict[tuple[int, ...], list[_State]] = {}
            for state in states:
                for x, norms in self._choices(part, state, p, is_new, part.group in later):
                    total = self._total(norms, floors[place + 1], p)
                    if total >= self.best - EPSILON:
                        break  # larger exponents have larger norms
                    exponents = list(state.exponents)
                    exponents[part.group] = x
                    _keep(kept, tuple(exponents[group] for group in later), _State(tuple(exponents), norms))
            states = [state for group in kept.values() for state in group]
            if len(states) > MOST_STATES:
                raise BudgetError(
                    f"the scaled realisation has more than {MOST_STATES} states to compare; expected fewer, "
                    "as those of a net with fewer layers and heads; use --realisation one-hot"
                )
        if states:
            best = min(states, key=lambda state: self._total(state.norms, floors[-1], p))
            self.best, self.found = self._total(best.norms, floors[-1], p), (best.exponents, p)

    def _choices(
        self, part: _Weighed, state: _State, p: int, is_new: bool, is_read: bool
    ) -> Iterator[tuple[int, tuple[float, ...]]]:
        """The exponents that a matrix can have, ascending, with all norms until now."""
        least = part.find_least(state.exponents, p)
        if least is None:
            return
        if "norm_U" in part.terms and self.least_u is not None:
            least = max(least, self.least_u)
        if not is_new:
            fixed = state.exponents[part.group]
            choices: Iterable[int] = [fixed] if fixed >= least else []
        else:
            choices = itertools.count(least) if is_read else [least]
        values = dict(zip(part.terms, part.weigh(state.exponents), strict=True))
        for x in choices:
            factor = 1.0 if part.is_logits else math.ldexp(1.0, x)
            yield (
                x,
                tuple(
                    self.combine(norm, factor * values[name]) if name in values else norm
                    for name, norm in zip(_NAMES, state.norms, strict=True)
                ),
            )

    def _floors(self, p: int) -> list[tuple[float, ...]]:
        """For each matrix what it and those after it cost at least."""
        floors = [(0.0,) * len(_NAMES)]
        for part in reversed(self.parts):
            values = dict(zip(part.terms, part.least_norms(p), strict=True))
            pairs = zip(_NAMES, floors[0], strict=True)
            floors.insert(0, tuple(self.combine(norm, values.get(name, 0.0)) for name, norm in pairs))
        return floors

    def _total(self, norms: Sequence[float], floors: Sequence[float], p: int) -> float:
        return self.fixed + p + math.fsum(map(self.combine, norms, floors))


def _keep(kept: dict[tuple[int, ...], list[_State]], key: tuple[int, ...], state: _State) -> None:
    """Keep a state unless one that is no worse is kept, and drop what it is no worse than."""
    others = kept.setdefault(key, [])
    if not any(other.is_no_worse(state) for other in others):
        others[:] = [other for other in others if not state.is_no_worse(other)]
        others.append(state)


class _Weighed:
    """A part with its norms for exponents of what it reads, each computed once."""

    def __init__(self, part: Part) -> None:
        self.part, self.group, self.terms = part, part.group, part.terms
        self.is_logits = part.terms == ("norm_KQ",)
        self.read = sorted({group for columns in part.columns for group in columns} - {UNSCALED})
        self._halvings = [
            _least_halvings(rows, columns) for rows, columns in zip(part.matrices, part.columns, strict=True)
        ]
        self._known: dict[tuple[int, ...], tuple[float, ...]] = {}

    def find_least(self, exponents: Sequence[int], p: int) -> int | None:
        """The least exponent with which all entries are on the grid; None if K and Q cannot both be."""
        bounds = [
            max((exponents[group] - halvings - p for group, halvings in of.items()), default=None)
            for of in self._halvings
        ]
        if not self.is_logits:
            return max(bound for bound in bounds if bound is not None)
        of_K, of_Q = bounds  # K has 2^κ and Q has 2^-κ
        if of_K is None or of_Q is None:
            return -of_Q if of_Q is not None else of_K
        return of_K if of_K + of_Q <= 0 else None

    def weigh(self, exponents: Sequence[int]) -> tuple[float, ...]:
        """The terms of R, with 1 in place of the own factor."""
        key = tuple(exponents[group] for group in self.read)
        if key not in self._known:
            made = [
                scale(rows, 0, [exponents[group] for group in columns])
                for rows, columns in zip(self.part.matrices, self.part.columns, strict=True)
            ]
            if self.is_logits:
                self._known[key] = (compute_logit_norm(Head(made[0], made[1], ())),)
            else:
                self._known[key] = tuple(map(_norm, self.terms, made))
        return self._known[key]

    def least_norms(self, p: int) -> tuple[float, ...]:
        """What the terms are at least: those of 2^-p in place of entries that are not 0."""
        if self.is_logits:
            K, Q = self.part.matrices
            return (4.0**-p if Head(K, Q, ()).has_logits else 0.0,)
        return tuple(
            2.0**-p * _norm_of_support(*pair) for pair in zip(self.terms, self.part.matrices, strict=True)
        )


def _least_halvings(rows: Matrix, columns: Sequence[int]) -> dict[int, int]:
    """By the group of columns the least power of two among their entries."""
    found: dict[int, int] = {}
    for row in rows:
        for entry, group in zip(row, columns, strict=True):
            if entry:
                found[group] = min(count_halvings(entry), found.get(group, count_halvings(entry)))
    return found


def _norm(term: str, rows: Matrix) -> float:
    if term in ("norm_E", "norm_p"):  # by columns
        return max(compute_frobenius_norm((row,)) for row in zip(*rows, strict=True))
    return compute_spectral_norm(rows) if term in ("norm_V", "norm_U") else compute_frobenius_norm(rows)


def _norm_of_support(term: str, rows: Matrix) -> float:
    """What a norm is at least if every entry that is not 0 is at least 1."""
    of_rows, of_columns = (
        [sum(map(bool, row)) for row in lines] for lines in (rows, zip(*rows, strict=True))
    )
    if term in ("norm_E", "norm_p", "norm_V", "norm_U"):
        return math.sqrt(max(of_columns) if term in ("norm_E", "norm_p") else max((*of_rows, *of_columns)))
    return math.sqrt(sum(of_rows))
