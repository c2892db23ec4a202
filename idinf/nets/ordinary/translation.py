"""From Limit Transformers to ordinary ones of any context, which are in Θ_N (Lemma 47)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from idinf.base.linear_algebra import dot, multiply
from idinf.errors import HypothesisFormatError
from idinf.nets.dense import (
    Activation,
    DenseTransformer,
    Head,
    Layer,
    Matrix,
    Mlp,
    Vector,
    refuse,
    sparse_row,
)
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import Aggregate, RTerms, compute_logit_norm, compute_r_terms


@dataclass(frozen=True, slots=True, repr=False)
class CausalTransformer(DenseTransformer):
    """An ordinary transformer of context N; every number is exact.

    Of ``positions`` row i − 1 is p_i, i from 1 to N. An input of |x| symbols, SOS first, may stand at any
    offset o with o + |x| <= N and then meets p_{1+o}, …, p_{|x|+o}. No head has a φ. Implements Section 2 of
    [HYB25], equations (1) to (4); `products.find_variant` decides membership in Θ_N, Definition 4.
    """

    FORMAT = "causal-transformer/1"

    @property
    def context(self) -> int:
        """N, the length of the longest input, SOS counted."""
        return len(self.positions)

    def position_rows(self, length: int, offset: int) -> Matrix:
        """The rows p_{1+o}, …, p_{|x|+o}; refused if the context ends before them."""
        if not 0 <= offset <= self.context - length:
            at = f" at offset {offset}" if offset else ""
            raise HypothesisFormatError(
                f"a word of length {length - 1}{at} needs context {length + offset}, $ counted; expected "
                f"at most {self.context}, the rows of positions; give a shorter word or translate for more"
            )
        return self.positions[offset : offset + length]

    def positional_logits(self, head: Head) -> Vector:
        """p_1^T K^T Q p_j for j = 1..N, of key p_1; exact, O(r d + N d) Fraction operations."""
        key = multiply(head.K, self.positions[0])
        asked = multiply(tuple(zip(*head.Q, strict=True)), key)
        return tuple(dot(asked, row) for row in self.positions)

    def _check_positions(self) -> None:
        for number, layer in enumerate(self.layers):
            for place, head in enumerate(layer.heads):
                if head.phi:
                    where = f"layers[{number}].heads[{place}].phi"
                    shown = [str(entry) for entry in head.phi]
                    refuse(where, shown, "none", "only a Limit Transformer has a φ; leave it out")


_ZERO = Fraction(0)


def translate(limit: LimitTransformer, context: int) -> CausalTransformer:
    """Write a Limit Transformer as an ordinary one that gives the same logits at every offset.

    The input and its offset must fit into the context. Exact; O(L H d N + N²) entries.

    Implements Lemma 47 of [HYB25], more simply than its proof. The stream has regions: I, the d coordinates
    of the Limit Transformer; II, one coordinate for each place, in which p_i is 1 in coordinate i; and, for
    Δ > 1, III and IV, the residues of places, V, which is 1 at SOS, and VI, one coordinate for each head of
    layer 2. A φ becomes K^T Q = Σ_k φ(k) · (shift by k) over region II, so that p_j^T K^T Q p_i = φ(i − j).
    Of Δ = 1 and no φ, NoPE, nothing is added, and without φ region II is left out; for Δ = 1 the one row of
    positions is added to the embeddings, and there is no further layer.

    For Δ > 1 two layers come first, which find i mod Δ for the distance i from SOS. With N the length of the
    input, c = p + 1 and T = 2^(p+1):

    1. One head has the logit c of a place with itself, 0 else, and copies residues from III to IV. Query i
       then has the mass g = (N^c + …)/(N^c + i) on its own residue, and foreign residues have at most 1 − g
       <= (N − 1)/(N^c + N − 1) < 1/T, because N^(p+1) − (T − 1)(N − 1) is convex in N and 1 at N = 1 and 2.
    2. Head δ asks IV of a key for the residue δ less than that of the query. For the key SOS, whose IV is
       exact, the logit rounds to 1 if i ≡ δ, as g > 1 − 1/T, and else to 0. All logits lie in [0, 1], so with
       i ≡ δ SOS has at least the mean weight 1/(i + 1), and more, since key 1 has less weight than N: its
       logit is at most (N^c (1 − g) + g)/(N^c + 1) < 1/2 for p = 0, and < 2/T <= 1 − 1/T else, so it rounds
       below 1, where the weight is at most N − 2^-p. With i ≢ δ SOS has the least weight there is, and so at
       most the mean. A last head attends to all keys alike. All heads write the weight of SOS, its V, to VI;
       unit δ fires iff head δ writes more than the last head, and writes row δ of positions to I. At SOS no
       head writes more; a unit of its own reads V and writes row 0.

    No product with positions is more than a constant but for φ in region II, c at distance 0 in layer 1, and
    1 where residues differ by δ in layer 2, behind V_{1,1}: all of them translation invariant. Equation (8)
    sums Σ φ(k)² and c². By Corollary 26 the width is O(N), while heads, layers and p do not depend on N.
    """
    regions = _Regions.of(limit, context)
    embedding = regions.pad(limit.embedding)
    layers = tuple(regions.emulate(layer) for layer in limit.layers)
    if limit.period == 1:
        constant = regions.pad(limit.positions)[0]
        embedding = tuple(_sum(row, constant) for row in embedding)
    else:
        embedding = (_sum(embedding[0], regions.row({regions.sos: 1})), *embedding[1:])
        layers = (regions.copy_residues(limit.precision + 1), regions.find_distance(limit.positions), *layers)
    unembedding = regions.pad(limit.unembedding)
    return CausalTransformer(
        limit.alphabet,
        limit.precision,
        embedding,
        tuple(map(regions.position, range(context))),
        layers,
        unembedding,
        limit.accept_row,
        limit.threshold,
        limit.output,
    )


@dataclass(frozen=True, slots=True)
class _Regions:
    """Starts of the regions of the stream: I at 0, II at d, III at d + ``places``, then IV, V and VI."""

    d: int
    context: int
    period: int
    places: int  #: N, or 0 without region II

    @classmethod
    def of(cls, limit: LimitTransformer, context: int) -> _Regions:
        has_phi = any(head.phi for layer in limit.layers for head in layer.heads)
        return cls(limit.width, context, limit.period, context if has_phi or limit.period > 1 else 0)

    @property
    def residues(self) -> int:
        return self.d + self.places

    @property
    def copied(self) -> int:
        return self.residues + self.period

    @property
    def sos(self) -> int:
        return self.copied + self.period

    @property
    def width(self) -> int:
        return self.residues if self.period == 1 else self.sos + 1 + self.period + 1

    def row(self, entries: dict[int, int | Fraction]) -> Vector:
        return sparse_row(self.width, entries)

    def pad(self, rows: Matrix) -> Matrix:
        """Rows that read region I as they did."""
        return tuple((*row, *(_ZERO,) * (self.width - self.d)) for row in rows)

    def lengthen(self, rows: Matrix) -> Matrix:
        """A matrix whose columns are written to region I."""
        return rows + ((_ZERO,) * len(rows[0]),) * (self.width - len(rows))

    def position(self, i: int) -> Vector:
        """p_{i+1}."""
        entries: dict[int, int | Fraction] = {self.d + i: 1} if self.places else {}
        return self.row(entries | ({self.residues + i % self.period: 1} if self.period > 1 else {}))

    def emulate(self, layer: Layer) -> Layer:
        """A layer of the Limit Transformer in region I, with its φ in region II."""
        mlp = layer.mlp
        units = Mlp(self.pad(mlp.A), mlp.b, self.lengthen(mlp.B), mlp.activation)
        return Layer(tuple(map(self._emulate_head, layer.heads)), units)

    def _emulate_head(self, head: Head) -> Head:
        places = range(self.context if head.phi else 0)
        keys = tuple(self.row({self.d + j: 1}) for j in places)
        asked = tuple(
            self.row(dict(enumerate(head.phi[: self.context - j], start=self.d + j))) for j in places
        )
        return Head(self.pad(head.K) + keys, self.pad(head.Q) + asked, self.lengthen(self.pad(head.V)))

    def copy_residues(self, logit: int) -> Layer:
        """Layer 1: each place attends to itself, and copies region III to IV."""
        places = range(self.d, self.residues)
        K = tuple(self.row({place: 1}) for place in places)
        Q = tuple(self.row({place: logit}) for place in places)
        V = self._moves({self.copied + r: self.residues + r for r in range(self.period)})
        return Layer((Head(K, Q, V),), Mlp((), (), ((),) * self.width, ()))

    def find_distance(self, written: Matrix) -> Layer:
        """Layer 2: the residue of i from the weights of SOS, and with it a row of positions for region I."""
        weights, residues = self.sos + 1, range(self.period)
        heads = []
        for delta in residues:
            K = tuple(self.row({self.copied + r: 1}) for r in residues)
            Q = tuple(self.row({self.copied + (r + delta) % self.period: 1}) for r in residues)
            heads.append(Head(K, Q, self._moves({weights + delta: self.sos})))
        mean = weights + self.period
        heads.append(Head((self.row({}),), (self.row({}),), self._moves({mean: self.sos})))
        A = (*(self.row({weights + delta: 1, mean: -1}) for delta in residues), self.row({self.sos: 1}))
        B = self.lengthen(tuple(zip(*written, written[0], strict=True)))
        return Layer(tuple(heads), Mlp(A, (_ZERO,) * len(A), B, (Activation.HEAVISIDE,) * len(A)))

    def _moves(self, places: dict[int, int]) -> Matrix:
        """V that copies the values of some places into others."""
        return tuple(self.row({places[c]: 1} if c in places else {}) for c in range(self.width))


def _sum(x: Vector, y: Vector) -> Vector:
    return tuple(a + b for a, b in zip(x, y, strict=True))


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Size and cost of the translation of a Limit Transformer for one context."""

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
    """A Limit Transformer translated to some contexts, and R of each; O(N³) for each.

    Implements Corollary 26 of [HYB25] as numbers: heads, layers and p do not depend on N, the width is O(N).
    """
    found = []
    for context in contexts:
        net = translate(limit, context)
        shape = (net.width, net.depth, net.num_heads, net.precision)
        found.append(CurvePoint(context, *shape, compute_r_terms(net, aggregate)))
    return tuple(found)


def list_contexts(most: int) -> tuple[int, ...]:
    """The powers of two up to a context, and itself."""
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
