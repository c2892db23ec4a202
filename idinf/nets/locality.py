"""Lemma 17: what φ costs by distance, and hypotheses whose φ is cut off beyond one.

D(τ) adds up φ(k)² over all heads and distances k ≤ τ. In the proof D_n(τ) belongs to the n-th hypothesis that
is selected; as φ is on a grid of 2^-p, it grows in steps of at least 4^-p, so as long as R is bounded it can
grow at finitely many τ, and what is beyond them is attention that a cheaper hypothesis does without.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from idinf.nets.limit_transformer import LimitTransformer


@dataclass(frozen=True, slots=True)
class Cut:
    """A hypothesis with φ = 0 beyond a distance τ.

    Its answers are those of the whole one on all words up to length τ, where no two positions, SOS counted,
    are further apart.
    """

    reach: int
    penalty: Fraction  #: D(τ), what its φ costs
    saved: Fraction  #: by how much its R is less
    transformer: LimitTransformer

    def __repr__(self) -> str:
        return f"<Cut at {self.reach}: D = {self.penalty}, saves {self.saved}>"


def list_cuts(transformer: LimitTransformer) -> tuple[Cut, ...]:
    """Cut a hypothesis off at every distance up to its own reach, which leaves it whole.

    Notes
    -----
    Implements D_n(τ) of Lemma 17 of [HYB25]_, and its comparison: with φ(k) ≠ 0 for some k > τ at least 4^-p
    is saved. So what is selected at n from a space that holds its cut at τ = n has φ(k) = 0 for all k > n, as
    soon as the tolerance 1/(2n) is below 4^-p.

    Examples
    --------
    >>> from idinf.translate.compilation.compiler import compile_by_any_route
    >>> from idinf.crasp.programs import load
    >>> ends = load("tomita-4")
    >>> net = compile_by_any_route(ends.program, ends.alphabet(), 0, False).transformer
    >>> [(cut.reach, cut.penalty, cut.saved) for cut in list_cuts(net)][-1]
    (2, Fraction(2, 1), Fraction(0, 1))
    """
    heads = [head for layer in transformer.layers for head in layer.heads]
    distances = range(max(1, *(len(head.phi) for head in heads)) if heads else 1)
    squares = [sum((head.phi[k] ** 2 for head in heads if head.phi[k:]), Fraction(0)) for k in distances]
    total = sum(squares, Fraction(0))
    return tuple(
        Cut(reach, penalty, total - penalty, cut_off(transformer, reach))
        for reach, penalty in enumerate(accumulate(squares))
    )


def cut_off(transformer: LimitTransformer, reach: int) -> LimitTransformer:
    """The same hypothesis with φ = 0 beyond a distance.

    Examples
    --------
    >>> from idinf.translate.compilation.compiler import compile_by_any_route
    >>> from idinf.crasp.programs import load
    >>> ends = load("tomita-4")
    >>> net = compile_by_any_route(ends.program, ends.alphabet(), 0, False).transformer
    >>> net.reach, cut_off(net, 1).reach
    (2, 1)
    """
    layers = tuple(
        replace(layer, heads=tuple(replace(head, phi=head.phi[: reach + 1]) for head in layer.heads))
        for layer in transformer.layers
    )
    return replace(transformer, layers=layers)
