"""R of the ordinary transformers of a Limit Transformer, one for each context N."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.translation import translate
from idinf.nets.regularizer import Aggregate, RTerms, compute_logit_norm, compute_r_terms


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a Limit Transformer becomes in one context."""

    context: int  #: N
    width: int
    depth: int
    num_heads: int
    precision: int
    terms: RTerms

    @property
    def r(self) -> float:
        """R of the transformer (float)."""
        return self.terms.total


def compute_curve(
    limit: LimitTransformer, contexts: Iterable[int], aggregate: Aggregate = Aggregate.MAX
) -> tuple[CurvePoint, ...]:
    """Translate a Limit Transformer to some contexts, and compute R of each; O(N³) for each.

    Notes
    -----
    Implements Corollary 26 of [HYB25] as numbers: heads, layers and p do not depend on N, the width is O(N).

    Examples
    --------
    >>> from idinf.nets.one_hot import OneHotTransformer
    >>> from idinf.nets.one_hot_parts import OneHotLayer, OneHotUnit
    >>> from idinf.base.words import Alphabet
    >>> unit = OneHotUnit((), s=(0, 1), b=0)
    >>> net = OneHotTransformer(Alphabet(("a",)), 0, (OneHotLayer((), (unit,)),), (1,), 0).to_dense()
    >>> [(point.context, point.r) for point in compute_curve(net, (2, 8))]
    [(2, 5.0), (8, 5.0)]
    """
    found = []
    for context in contexts:
        net = translate(limit, context)
        shape = (net.width, net.depth, net.num_heads, net.precision)
        found.append(CurvePoint(context, *shape, compute_r_terms(net, aggregate)))
    return tuple(found)


def list_contexts(most: int) -> tuple[int, ...]:
    """List the powers of two up to a context, and itself.

    Examples
    --------
    >>> list_contexts(8), list_contexts(12)
    ((2, 4, 8), (2, 4, 8, 12))
    """
    return (*(1 << k for k in range(1, most.bit_length()) if 1 << k < most), most)


def bound_curve(limit: LimitTransformer, aggregate: Aggregate = Aggregate.MAX) -> float:
    """A number that R stays at or below for every N (float): the sup that (11) of Lemma 47 speaks of.

    From N = τ + 1 on only ‖K^T Q‖ of heads with a φ still changes. Both stand apart there: region I has that
    of the Limit Transformer, region II a sum of shifts, so its norm is at most Σ |φ(k)|, which it tends to
    where no φ(k) is negative. The norm of a head is the larger of the two. So it has a bound of its own that
    does not depend on N, and the maximum of these bounds, or their sum, bounds the maximum or the sum of the
    norms. All other terms are at most what they are at N = τ + 1: heads and units of the further layers of
    periodic positions have norms and ranks that do not depend on N, nor have V, A, B and b of any layer do,
    which leave region II alone, and equation (8) has summed all φ(k)² by then.

    Examples
    --------
    >>> from idinf.nets.one_hot import OneHotTransformer
    >>> from idinf.nets.one_hot_parts import OneHotLayer, OneHotUnit
    >>> from idinf.base.words import Alphabet
    >>> layers = [OneHotLayer((), (OneHotUnit((), s=s, b=0),)) for s in ((0, 1), (0, 0, 1))]
    >>> net = OneHotTransformer(Alphabet(("a",)), 0, tuple(layers), (1,), 0).to_dense()
    >>> bound_curve(net), bound_curve(net, Aggregate.SUM)
    (6.0, 8.0)
    """
    settled = translate(limit, max(2, limit.reach + 1))
    further = settled.depth - limit.depth
    heads = [head for layer in settled.layers[:further] for head in layer.heads]
    norms = [compute_logit_norm(head) for head in heads]
    for layer, after in zip(limit.layers, settled.layers[further:], strict=True):
        for head, own in zip(layer.heads, after.heads, strict=True):
            shifts = float(sum(map(abs, head.phi)))
            norms.append(max(compute_logit_norm(head), compute_logit_norm(own), shifts))
    return replace(compute_r_terms(settled, aggregate), norm_KQ=aggregate.combine(norms)).total
