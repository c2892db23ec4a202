"""Calls on nets of both classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING

from idinf.api.languages import Hypothesis, HypothesisLike, WordLike, hypothesis
from idinf.base.files import blaming, take_path, write_whole
from idinf.base.json_text import MOST_REPORT
from idinf.base.numbers import format_r
from idinf.base.options import check_integer
from idinf.base.quoting import quote
from idinf.errors import ArgumentError, BudgetError
from idinf.nets import json_format, reference
from idinf.nets.dense import DenseTransformer
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.lifting import lift
from idinf.nets.ordinary.products import Products, Variant, find_variant
from idinf.nets.ordinary.translation import (
    CausalTransformer,
    CurvePoint,
    bound_curve,
    compute_curve,
    list_contexts,
)
from idinf.nets.ordinary.translation import translate as translated
from idinf.nets.regularizer import Aggregate, RTerms, compute_r_terms
from idinf.report.files import read_net
from idinf.report.rows import Rows
from idinf.report.value import Path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Contexts go up to here: matrices of a φ have that many rows and columns.
MOST_CONTEXT = 512

#: Contexts of a curve, where nothing else is said.
MAX_CONTEXT = 64


class OrdinaryTransformer:
    """An ordinary transformer of context N: learned absolute positions, and no φ."""

    def __init__(self, transformer: CausalTransformer, name: str = "ordinary") -> None:
        self.transformer, self.name = transformer, name

    def __repr__(self) -> str:
        return f"<OrdinaryTransformer {self.name}: context {self.context}, R = {format_r(self.r)}>"

    @property
    def context(self) -> int:
        """N, the length of the longest input, SOS counted."""
        return self.transformer.context

    @property
    def r(self) -> float:
        """R by Definition 5 with equation (8), terms of layers and heads by their maximum (float)."""
        return self.r_terms().total

    def r_terms(self, aggregate: str = "max") -> RTerms:
        """Compute the terms of R; ``aggregate`` is ``max`` or ``sum``."""
        return compute_r_terms(self.transformer, _rule(aggregate))

    def accepts(self, word: WordLike, offset: int = 0) -> bool:
        """True if a word is accepted that begins behind ``offset`` places of the context.

        Raises HypothesisFormatError if the context ends before the word does.
        """
        return reference.accepts(self.transformer, self.transformer.alphabet.encode(word), offset)

    def logits(self, word: WordLike, offset: int = 0) -> tuple[Fraction, ...]:
        """Compute U y at the last position of a word; parameters and errors as of `accepts`."""
        return reference.trace(self.transformer, self.transformer.alphabet.encode(word), offset).logits

    def products(self) -> Products:
        """Its product functions (Definition 43 of [HYB25]_): their numbers, and their factors."""
        return Products(self.transformer)

    def variant(self) -> Variant | None:
        """Find the first product that is not translation invariant; None if it is a member of Θ_N."""
        return find_variant(self.products())

    def lift(self) -> Hypothesis:
        """Write it as a Limit Transformer with the same logits on all inputs up to N (Lemma 52 of [HYB25]_).

        Raises HypothesisFormatError, PrecisionError or BudgetError if it is no member of Θ_N, its products
        need a finer grid, or there are too many of them.
        """
        with blaming(self.name):
            return Hypothesis(lift(self.transformer), self.name)

    def text(self) -> str:
        """Write a ``causal-transformer/1`` text; a BudgetError if it is too long to be read again."""
        text = json_format.dumps(self.transformer)
        if len(text) > MOST_REPORT:
            raise BudgetError(
                f"the transformer takes {len(text)} bytes; expected at most {MOST_REPORT}, which are read "
                "again; choose a smaller context"
            )
        return text

    def save(self, path: Path) -> None:
        """Write a ``causal-transformer/1`` file; errors as of `text`."""
        write_whole(take_path(path), self.text())


NetLike = Path | DenseTransformer | Hypothesis | OrdinaryTransformer


def net(source: NetLike, *, record: int | None = None) -> Hypothesis | OrdinaryTransformer:
    """Take a net of either class: a file, the matrices, or the selected hypothesis of a report, or a record.

    Examples
    --------
    >>> from idinf.api.programs import compile_source
    >>> net(compile_source("majority").transformer).r_terms().layers_plus_heads
    2.0
    """
    if isinstance(source, Hypothesis | OrdinaryTransformer):
        return source
    found: DenseTransformer
    if isinstance(source, DenseTransformer):
        found, name = source, "net"
    else:
        found, _ = read_net(source, (LimitTransformer, CausalTransformer), record)
        name = take_path(source)
    if isinstance(found, CausalTransformer):
        return OrdinaryTransformer(found, name)
    assert isinstance(found, LimitTransformer)
    return Hypothesis(found, name)


def ordinary_transformer(source: Path | CausalTransformer) -> OrdinaryTransformer:
    """Take an ordinary transformer: a ``causal-transformer/1`` file, or the matrices.

    Raises HypothesisFormatError if there is none, or it is wrong.
    """
    if isinstance(source, CausalTransformer):
        return OrdinaryTransformer(source)
    path = take_path(source)
    return OrdinaryTransformer(json_format.read_as((CausalTransformer,), path), path)


def translate(source: HypothesisLike, *, context: int, record: int | None = None) -> OrdinaryTransformer:
    """Write a hypothesis as an ordinary transformer of some context, a member of Θ_N (Lemma 47 of [HYB25]_).

    It gives the same logits for every word at every offset that the context has room for. Source and record
    are as for `hypothesis`.

    Raises
    ------
    ArgumentError
        If the context is not from 1 to `MOST_CONTEXT`.

    Examples
    --------
    >>> from idinf.api.programs import compile_source
    >>> net = translate(compile_source("tomita-7-local"), context=8)
    >>> net.accepts("0101"), net.accepts("0101", offset=3), net.variant()
    (True, True, None)
    >>> round(net.r - compile_source("tomita-7-local").r, 6)
    2.0
    """
    _check_context(context)
    found = hypothesis(source, record=record)
    return OrdinaryTransformer(translated(found.transformer, context), found.name)


class Curve(Rows[CurvePoint]):
    """R of the ordinary transformers of a hypothesis, one row for each context, and a bound for all."""

    bound: float  #: R is at most that for every N

    def to_csv(self) -> str:
        """Write a row for each context: n, the longest word that fits, N = n + 1, the width, R, its terms."""
        names = [field.name for field in fields(RTerms)]
        lines = [",".join(("n", "context", "width", "R", *names))]
        for point in self:
            values = map(format_r, (point.r, *point.terms.as_dict().values()))
            lines.append(",".join((str(point.context - 1), str(point.context), str(point.width), *values)))
        return "\n".join(lines) + "\n"

    def plot(self, path: Path | None = None) -> Figure:
        """Draw R by context with the bound, and write the figure to a file if one is named.

        Raises PlotError if matplotlib is not installed, or the file has another suffix than .svg, .pdf, .png.
        """
        from idinf.show.figures.canvas import write_figure
        from idinf.show.figures.lines import draw_contexts

        return write_figure(lambda: draw_contexts(self, self.bound), path)


def curve(
    source: HypothesisLike,
    *,
    contexts: Iterable[int] | None = None,
    record: int | None = None,
    aggregate: str = "max",
) -> Curve:
    """Compute R of the ordinary transformers of a hypothesis, for each context, 2, 4, 8 … 64 by default.

    Source and record are as for `hypothesis`, errors as of `translate`; ``aggregate`` is ``max`` or ``sum``.

    Examples
    --------
    >>> from idinf.api.programs import compile_source
    >>> [(point.context, point.width, round(point.r, 6)) for point in curve(compile_source("majority"))][-1]
    (64, 5, 8.414214)
    """
    chosen = list_contexts(MAX_CONTEXT) if contexts is None else tuple(contexts)
    for context in chosen:
        _check_context(context)
    limit, rule = hypothesis(source, record=record).transformer, _rule(aggregate)
    found = Curve(compute_curve(limit, chosen, rule))
    found.bound = bound_curve(limit, rule)
    return found


def _rule(aggregate: str) -> Aggregate:
    if aggregate not in ("max", "sum"):
        raise ArgumentError(f"aggregate = {quote(aggregate)}; expected max or sum; choose one")
    return Aggregate(aggregate)


def _check_context(context: int) -> None:
    check_integer("context", context, 1, MOST_CONTEXT)
