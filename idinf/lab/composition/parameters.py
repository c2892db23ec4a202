"""The sizes of the lower bound of [CPW24], and what Theorem 1.1 says of a decoder, in integers.

For example L = 2 and H = d = p = 1: K = 2^32, m = K^10 = 2^320, n_1 = K^4 = 2^128, so that z_2 has
N_1 = 2^448 values. A prompt shorter than that holds no instance, and the theorem says nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from idinf.base.quoting import quote
from idinf.errors import CompositionError

#: Layers, at most: the sizes of five take a million bits.
MOST_LAYERS = 5

#: H, d and p, at most; and bits of n.
MOST_PART, MOST_N_BITS = 2**64, 2**22

#: What the theorem may say of a decoder on a prompt of n tokens.
EXCLUDED, NOT_COVERED, OUT_OF_RANGE = "excluded", "not covered", "out of range"


@dataclass(frozen=True)
class Parameters:
    """K, m, n_l and N_l of a decoder with L layers, H heads of dimension d, and p bits a number.

    Implements the sizes below Definition 2.1 of [CPW24]_: K = (HdpL)^8 · 8^(2L²), m = K^(Σ_{l<L} 8^l + 1) and
    n_l = K^(4·8^(L-l-1)). All are powers of K; the attributes called exponents are those of K.

    Raises
    ------
    CompositionError
        If a number is not in its range.

    Examples
    --------
    >>> two = Parameters(layers=2, heads=1, width=1, precision=1)
    >>> two.k == 2**32, two.m_exponent, two.n_exponents, two.domain_exponents
    (True, 10, (4,), (10, 14))
    >>> two.prompt_length == 2**448 + 2**320 + 2
    True
    """

    layers: int
    heads: int
    width: int
    precision: int

    def __post_init__(self) -> None:
        for name, value, most in (
            ("L", self.layers, MOST_LAYERS),
            ("H", self.heads, MOST_PART),
            ("d", self.width, MOST_PART),
            ("p", self.precision, MOST_PART),
        ):
            if not 1 <= value <= most:
                raise CompositionError(
                    f"{name} = {quote(value)}; expected 1..{most}; the sizes of larger ones are not "
                    "written out, "
                    "choose a smaller one"
                )

    @property
    def b(self) -> int:
        """B = H·d·p, the bits of a message for each token, halved."""
        return self.heads * self.width * self.precision

    @property
    def k(self) -> int:
        """K = (HdpL)^8 · 8^(2L²)."""
        return int((self.b * self.layers) ** 8 * 8 ** (2 * self.layers**2))

    @property
    def m_exponent(self) -> int:
        """The exponent of m, as it is printed: Σ 8^l + 1 over l < L."""
        return int(sum(8**level for level in range(self.layers))) + 1

    @property
    def x_exponents(self) -> tuple[int, ...]:
        """Exponents of x_0 … x_{L-1}, how many inputs of each player the proof keeps: 8^(L-l-1)."""
        return tuple(8 ** (self.layers - level - 1) for level in range(self.layers))

    @property
    def n_exponents(self) -> tuple[int, ...]:
        """Exponents of n_1 … n_{L-1}: 4·8^(L-l-1), so that n_l = x_l^4."""
        return tuple(4 * exponent for exponent in self.x_exponents[1:])

    @property
    def domain_exponents(self) -> tuple[int, ...]:
        """Exponents of N_0 … N_{L-1}."""
        return tuple(self.m_exponent + sum(self.n_exponents[:level]) for level in range(self.layers))

    @property
    def prompt_length(self) -> int:
        """Tokens of an instance: N_{L-1} + … + N_0 for the maps, one for z_0 and one for w."""
        return int(sum(self.k**exponent for exponent in self.domain_exponents)) + 2

    def judge(self, n: int) -> str:
        """Say what Theorem 1.1 of [CPW24]_ says of such decoders on prompts of n tokens.

        ``excluded``: Hdp ≤ n^(2^-4L), and an instance of these sizes fits into n tokens, so no such decoder
        solves it. ``not covered``: Hdp is larger. ``out of range``: Hdp is small enough, but no instance
        fits; the theorem asks for L of at most the order of log log n, and no constant is known.

        Examples
        --------
        >>> two = Parameters(2, 1, 1, 1)
        >>> two.judge(2**449), two.judge(10**6), Parameters(1, 8, 64, 16).judge(10**6)
        ('excluded', 'out of range', 'not covered')
        """
        if not 1 <= n <= 1 << MOST_N_BITS:
            raise CompositionError(
                f"n = {quote(n)}; expected 1 to 2^{MOST_N_BITS}, tokens of a prompt; choose another"
            )
        if not at_most_root(self.b, n, 16**self.layers):
            return NOT_COVERED
        return EXCLUDED if self.prompt_length <= n else OUT_OF_RANGE


def at_most_root(value: int, n: int, degree: int) -> bool:
    """Decide whether ``value`` ≤ n^(1/degree), that is value^degree ≤ n; powers are made only if it is close.

    >>> at_most_root(2, 256, 8), at_most_root(2, 255, 8), at_most_root(3, 2**12, 10**9)
    (True, False, False)
    """
    bits = value.bit_length()
    if (bits - 1) * degree >= n.bit_length():  # value ≥ 2^(bits-1), n < 2^(its bits)
        return False
    if bits * degree < n.bit_length():
        return True
    return bool(value**degree <= n)
