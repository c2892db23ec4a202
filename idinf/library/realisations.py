"""One function written with other matrices: as it stands, times powers of two, or as something cheaper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from idinf.errors import ArgumentError
from idinf.quoting import quote
from idinf.transformers.dense import DenseTransformer
from idinf.transformers.lattice import find_lattice_realisation
from idinf.transformers.least_scaling import find_least_scaling
from idinf.transformers.regularizer import Aggregate

T = TypeVar("T", bound=DenseTransformer)

#: How the matrices of a function can be written: as they stand, each times the best power of two, or as the
#: cheapest that was met with other coordinates, without a last unit or with equal units.
REALISATIONS = ("one-hot", "scaled", "lattice")


@dataclass(frozen=True, slots=True)
class Realised(Generic[T]):
    """A transformer written with other matrices."""

    transformer: T
    scaled: T | None = None  #: of ``lattice``: the least by powers of two alone
    steps: tuple[str, ...] = ()  #: of ``lattice``: what was done beside powers of two
    same: str = ""  #: of ``lattice``: how far both were compared, and how


def realise(net: T, realisation: str, aggregate: Aggregate, whole_threshold: bool) -> Realised[T]:
    """Write a transformer as one of `REALISATIONS`; a ``lattice`` is compared with what it was made of.

    Raises
    ------
    ArgumentError
        If there is no such realisation.
    BudgetError
        If there is too much to compare, in nets of many layers and heads.

    Examples
    --------
    >>> from idinf.compilation.compiler import compile_by_any_route
    >>> from idinf.crasp.library import load
    >>> loaded = load("tomita-1")
    >>> net = compile_by_any_route(loaded.program, loaded.alphabet(None)).transformer
    >>> made = realise(net, "lattice", Aggregate.MAX, False)
    >>> made.steps
    ('U reads the stream', 'embeddings of 1 dimension instead of 3')
    >>> made.same
    'on all words, by integer programs over counts of symbols'
    """
    if realisation not in REALISATIONS:
        raise ArgumentError(
            f"realisation = {quote(realisation)}; expected one of {', '.join(REALISATIONS)}; choose one"
        )
    if realisation == "one-hot":
        return Realised(net)
    if realisation == "scaled":
        return Realised(find_least_scaling(net, aggregate, whole_threshold))
    from idinf.equivalence.rewritten import check_rewritten

    found = find_lattice_realisation(net, aggregate, whole_threshold)
    up_to, method = check_rewritten(net, found.transformer)
    words = "on all words" if up_to is None else f"on words up to length {up_to}"
    return Realised(found.transformer, found.scaled, found.steps, f"{words}, by {method}")
