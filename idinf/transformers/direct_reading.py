"""U reads the stream: what the last unit asks is what is accepted, so the unit is not needed.

*Lemma.* Let one unit u of the last layer, a Heaviside unit with question a y + b, be all that U reads, with
the factor c. A word is accepted iff c u > θ, and a y + b > 0 iff u = 1.

1. If 0 <= θ < c it is accepted iff a y > -b: U' = a, with the threshold -b, says the same of every word.
2. If c <= θ < 0 it is accepted iff a y + b <= 0, that is -(a y + b) >= 0. Here a threshold cannot tell, as it
   is 0 for all n, so what a y + b can be decides.

   a. If a y + b has values in q ℤ alone, as without averages, -(a y + b) >= 0 iff -(a y) > b - q.
   b. If all heads that a reads are uniform, and they and a read nothing but what lies on the grid, then
      N (a y + b) is a sum over the N positions whose terms have a common divisor q > 0, as has N b. So
      -N (a y + b) >= 0 iff -N (a y + b) + δ > 0, for every δ with 0 < δ <= q. The sum becomes larger by δ if
      one of these heads reads δ more at SOS, which each word has once.

With averages of uniform heads, N (a y + b) > 0 iff N (a y + b) - δ > 0 for 0 <= δ < q, too. Of the real
numbers δ those are tried that are 0, q/2 and q.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from idinf.linear_algebra import dot, multiply
from idinf.transformers.dense import Activation, DenseTransformer, Head, Layer, Mlp, Vector
from idinf.transformers.factorizations import find_unit, transpose
from idinf.transformers.stream_factors import with_matrices

T = TypeVar("T", bound=DenseTransformer)

_ZERO = Fraction(0)


def list_direct_readings(net: T) -> list[T]:
    """Nets in which U reads the stream of the last layer; none where no rule of the lemma is known to hold.

    Examples
    --------
    >>> from idinf.compilation.compiler import compile_by_any_route
    >>> from idinf.crasp.library import load
    >>> loaded = load("majority")
    >>> net = compile_by_any_route(loaded.program, loaded.alphabet(None)).transformer
    >>> [(made.num_units, made.precision) for made in list_direct_readings(net)]
    [(0, 0), (0, 1)]
    """
    found = _find_question(net)
    if found is None:
        return []
    question, is_complement = found
    form = question.negated() if is_complement else question
    plain = _reading(net, form, [])
    step = _find_step(net, question)
    if step is None:
        return [] if is_complement else [plain]
    q, head = step
    if head is None:
        return [replace(plain, threshold=_between(question.b - q, question.b))] if is_complement else [plain]
    more = (q, q / 2) if is_complement else (_ZERO, -q / 2)
    return [_reading(net, form, [(head, δ)] if δ else []) for δ in more]


@dataclass(frozen=True, slots=True)
class _Question:
    """a y + b."""

    a: Vector
    b: Fraction

    def negated(self) -> _Question:
        return _Question(tuple(-entry for entry in self.a), -self.b)


def _find_question(net: DenseTransformer) -> tuple[_Question, bool] | None:
    """What the only unit asks that U reads, and whether words are accepted where its answer is no."""
    if net.output is not None:
        return None
    U, mlp = net.unembedding[net.accept_row], net.layers[-1].mlp
    below = [*net.embedding, *net.positions]
    for layer in net.layers:
        below += (column for head in layer.heads for column in transpose(head.V))
    for layer in net.layers[:-1]:
        below += transpose(layer.mlp.B)
    factors = [dot(U, column) for column in transpose(mlp.B)]
    read = [unit for unit, factor in enumerate(factors) if factor]
    if any(dot(U, column) for column in below) or len(read) != 1:
        return None
    unit, theta = read[0], net.threshold
    c = factors[unit]
    if mlp.activation[unit] is not Activation.HEAVISIDE or not (0 <= theta < c or c <= theta < 0):
        return None
    return _Question(mlp.A[unit], mlp.b[unit]), theta < 0


def _find_step(net: DenseTransformer, question: _Question) -> tuple[Fraction, int | None] | None:
    """q, and the head that reads more at SOS (None: a reads no average); None where the lemma is silent."""
    heads = net.layers[-1].heads
    values = [multiply(transpose(head.V), question.a) for head in heads]
    used = [place for place, row in enumerate(values) if any(row)]
    if any(heads[place].has_logits or heads[place].phi for place in used):
        return None
    rough = _list_rough(net)
    if any(row[k] for row in (question.a, *values) for k in rough):
        return None
    written = [*net.embedding, *net.positions]
    for layer in net.layers[:-1]:
        written += transpose(layer.mlp.B)
    rows = [question.a, *(values[place] for place in used)]
    q = find_unit([question.b, *(dot(row, column) for row in rows for column in written)])
    return (q or Fraction(1)), (used[0] if used else None)


def _between(least: Fraction, above: Fraction) -> Fraction:
    """A threshold t with least <= t < above: 0 if it can be."""
    return _ZERO if least <= 0 < above else least


def _list_rough(net: DenseTransformer) -> set[int]:
    """Coordinates that need not be on the grid before the last layer: averages, and what ReLU units write."""
    found = set()
    for layer in net.layers[:-1]:
        for head in layer.heads:
            found |= {k for k, row in enumerate(head.V) if any(row)}
        for unit, kind in enumerate(layer.mlp.activation):
            if kind is Activation.RELU:
                found |= {k for k, row in enumerate(layer.mlp.B) if row[unit]}
    return found


def _reading(net: T, question: _Question, at_sos: list[tuple[int, Fraction]]) -> T:
    """U reads the question; with a head that reads more at SOS, by two coordinates of their own."""
    more = 2 * len(at_sos)
    zeros = (_ZERO,) * more

    def wide(rows: tuple[Vector, ...]) -> tuple[Vector, ...]:
        return tuple((*row, *zeros) for row in rows)

    first, *others = wide(net.embedding)
    U = (*question.a, *zeros)
    layers = [
        Layer(
            tuple(
                Head(wide(head.K), wide(head.Q), (*wide(head.V), *((_ZERO,) * len(U),) * more), head.phi)
                for head in layer.heads
            ),
            replace(layer.mlp, A=wide(layer.mlp.A), B=(*layer.mlp.B, *((_ZERO,) * len(layer.mlp.b),) * more)),
        )
        for layer in net.layers
    ]
    last = replace(layers[-1], mlp=Mlp((), (), ((),) * len(U), ()))
    for place, δ in at_sos:
        flag, sum_ = len(U) - 2, len(U) - 1
        first = (*first[:flag], Fraction(1), _ZERO)
        U = (*U[:sum_], δ)
        heads = [*last.heads]
        V = [list(row) for row in heads[place].V]
        V[sum_][flag] = Fraction(1)
        heads[place] = replace(heads[place], V=tuple(map(tuple, V)))
        last = replace(last, heads=tuple(heads))
    made = replace(net, accept_row=0, threshold=-question.b)
    return with_matrices(made, (first, *others), wide(net.positions), (*layers[:-1], last), (U,))
