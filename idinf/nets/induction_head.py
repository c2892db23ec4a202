"""The induction head of Section 4.1: next symbols in proportion to how often they followed the present one.

*Lemma.* Let w_i be the present symbol, m ≥ 1 the number of its occurrences before i, and m_σ of how many of
them σ is the successor. With s the scale of the second layer, entry σ of U y_i is within N^(1−s)/m of m_σ/m,
equation (10) of [HYB25], and the largest entries are among the largest m_σ.

Proof. The first head weighs the position before by N and the i others by 1, so its average is N/(N + i) > 1/2
at the symbol before and at most i/(N + i) < 1/2 at every other one, as i < N; units at 1/2 give the symbol
before exactly, and none behind SOS. The second head weighs by N^s the m positions behind an occurrence of
w_i, and by 1 the r = i + 1 − m others, of which r_σ hold σ. With D = m N^s + r, entry σ is
(m_σ N^s + r_σ)/D, and (m_σ N^s + r_σ)/D − m_σ/m = (m r_σ − m_σ r)/(m D) has at most the absolute value
r/D < N/(m N^s). If m_σ > m_τ the entries differ by at least (N^s − r)/D > 0, as r < N ≤ N^s. ∎

All numbers are integers, and so are all weights, so p = 0 and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping

from idinf.base.words import Alphabet
from idinf.nets.dense import Activation, Head, Layer, Matrix, Mlp, NextOutput, matrix, sparse_row, vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.spec.spec import Answer


def build_induction_head(alphabet: Alphabet, scale: int = 2) -> LimitTransformer:
    """The Limit Transformer of two layers with one head each; its function stands in the module.

    It names one next symbol, of the largest entry; ``scale`` ≥ 1 is the logit of the second layer.
    """
    k = len(alphabet)
    seen, units, out = 1 + k, 1 + 2 * k, 1 + 3 * k  # average of the first head, symbol before, output
    width = 1 + 4 * k
    symbols = range(k)

    def placed(entries: Mapping[tuple[int, int], int], rows: int = width) -> Matrix:
        return matrix([[entries.get((row, column), 0) for column in range(width)] for row in range(rows)])

    zero = placed({}, 1)
    before = Head(zero, zero, placed({(seen + c, 1 + c): 1 for c in symbols}), vector([0, 1]))
    at_half = Mlp(
        placed({(c, seen + c): 2 for c in symbols}, k),
        vector([-1] * k),
        tuple(sparse_row(k, {row - units: 1} if units <= row < out else {}) for row in range(width)),
        (Activation.HEAVISIDE,) * k,
    )
    matching = Head(
        placed({(c, units + c): 1 for c in symbols}, k),
        placed({(c, 1 + c): scale for c in symbols}, k),
        placed({(out + c, 1 + c): 1 for c in symbols}),
    )
    nothing = Mlp((), (), ((),) * width, ())
    return LimitTransformer(
        alphabet,
        0,
        tuple(sparse_row(width, {token: 1}) for token in range(1 + k)),
        zero,
        (Layer((before,), at_half), Layer((matching,), nothing)),
        placed({(c, out + c): 1 for c in symbols}, k),
        output=NextOutput(Answer.SYMBOL, alphabet.symbols, tuple(symbols)),
    )
