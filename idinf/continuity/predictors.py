"""What continues a prompt by a distribution over symbols, and how fast its answer can change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from idinf.continuity.intervals import Interval, least, log_above
from idinf.errors import AlphabetMismatchError, ArgumentError, SpecError
from idinf.quoting import quote
from idinf.words import Alphabet, Word

#: Probabilities of the symbols, in the order of the alphabet.
Distribution = tuple[Interval, ...]

#: Radii are at least 2 to the minus this.
_LEAST_RADIUS = 1 << 12


@dataclass(frozen=True, slots=True)
class Growth:
    r"""A proved bound ω(δ) of how far two answers are apart, in any probability, for prompts of any length.

    The prompts have one last symbol and d_H <= δ. The bound is δ Σ_m c_m e_m(ln 1/δ), and 1, where e_m(x)
    is the beginning 1 + x + … + x^m / m! of the exponential series. It rises with δ and vanishes with it:
    the derivative by δ of δ e_m(ln 1/δ) is x^m / m!.

    Examples
    --------
    >>> Growth((Fraction(2),)).at(Fraction(1, 8)), Growth((Fraction(2),)).find_radius(Fraction(1))
    (Fraction(1, 4), Fraction(1, 4))
    """

    coefficients: tuple[Fraction, ...]

    def at(self, delta: Fraction) -> Fraction:
        """Bound ω(δ) for 0 <= δ <= 1 from above."""
        if not delta:
            return Fraction(0)
        x = log_above(1 / delta) if len(self.coefficients) > 1 else Fraction(0)
        series, term, value = Fraction(0), Fraction(1), Fraction(0)
        for m, coefficient in enumerate(self.coefficients):
            term = term * x / m if m else Fraction(1)
            series += term
            value += coefficient * series
        return min(Fraction(1), delta * value)

    def find_radius(self, confidence: Fraction) -> Fraction:
        """Find a δ with ω(δ) <= confidence / 2: the largest, or of two layers and more the largest 2^-m met.

        Raises
        ------
        ArgumentError
            If the bound is too weak for any δ of at least 2^-4096.
        """
        if len(self.coefficients) == 1:
            constant = self.coefficients[0]
            return min(Fraction(1), confidence / 2 / constant) if constant else Fraction(1)
        powers = range(1, _LEAST_RADIUS)
        power = 1 + bisect_left(powers, True, key=lambda m: self.at(Fraction(1, 1 << m)) <= confidence / 2)
        if power > len(powers):
            raise ArgumentError("the bound of the net is too weak; expected smaller weights; scale them down")
        return Fraction(1, 1 << power)


#: The bound of what has no modulus: 1, for every d_H above 0.
NO_MODULUS = Growth((Fraction(1 << 64),))


class Predictor(ABC):
    """A continuous sequence predictor f_n, with the bound that makes it one."""

    alphabet: Alphabet
    name: str
    growth: Growth

    @abstractmethod
    def predict(self, word: Word) -> Distribution:
        """Enclose the probabilities of what comes after a prompt of at least one symbol."""

    def count_steps(self, n: int) -> int:
        """Say about how many steps a prompt of length n takes."""
        return n

    def encode(self, text: str) -> Word:
        """Read a prompt.

        Raises
        ------
        AlphabetMismatchError
            If it is empty or has a symbol outside of the alphabet: f_n is about prompts of at least one.
        """
        if not text:
            raise AlphabetMismatchError(
                "the prompt is empty; expected at least one symbol; f_n begins at n = 1"
            )
        return self.alphabet.encode(text)


class CountingPredictor(Predictor):
    """A predictor whose answer depends on the last symbol and on how often each symbol occurs.

    The answer F is continuous in the shares, too: f_n is at most ``offset`` / n away from F of its shares,
    and F is Lipschitz with the one coefficient of ``growth`` in half the sum of differences of shares.
    """

    offset: Fraction = Fraction(0)

    @abstractmethod
    def at(self, last: int, counts: Sequence[int]) -> Distribution:
        """Enclose the probabilities after a prompt that ends in a symbol and has these counts."""

    @abstractmethod
    def limit(self, last: int, shares: Sequence[Fraction]) -> Distribution:
        """Enclose F, what answers tend to on longer and longer prompts of such shares."""

    def predict(self, word: Word) -> Distribution:
        """Enclose the probabilities after a prompt."""
        return self.at(word[-1], [word.count(code) for code in range(len(self.alphabet))])


class AddConstant(CountingPredictor):
    """Counts plus a constant β, in shares: Laplace for β = 1, Krichevsky–Trofimov for β = 1/2.

    Answers of prompts of length n that differ at k places are at most k / (n + β|Σ|) <= k/n apart, and
    |(c + β)/(n + β|Σ|) - c/n| <= β|Σ| / n.

    Examples
    --------
    >>> [str(part.low) for part in laplace(Alphabet(("0", "1"))).predict((0, 1, 1))]
    ['2/5', '3/5']
    """

    def __init__(self, alphabet: Alphabet, constant: Fraction, name: str) -> None:
        self.alphabet, self.constant, self.name = alphabet, constant, name
        self.growth, self.offset = Growth((Fraction(1),)), constant * len(alphabet)

    def at(self, last: int, counts: Sequence[int]) -> Distribution:
        """Compute (c + β) / (n + β|Σ|), exactly."""
        whole = sum(counts) + self.constant * len(self.alphabet)
        return tuple(Interval.of((count + self.constant) / whole) for count in counts)

    def limit(self, last: int, shares: Sequence[Fraction]) -> Distribution:
        """The shares themselves."""
        return tuple(map(Interval.of, shares))


def laplace(alphabet: Alphabet) -> AddConstant:
    """Laplace's rule of succession: β = 1."""
    return AddConstant(alphabet, Fraction(1), "laplace")


def krichevsky_trofimov(alphabet: Alphabet) -> AddConstant:
    """The estimator of Krichevsky and Trofimov: β = 1/2."""
    return AddConstant(alphabet, Fraction(1, 2), "kt")


#: Predictors by name.
SHIPPED = {"laplace": laplace, "kt": krichevsky_trofimov}


def enclose_gap(one: Distribution, other: Distribution) -> Interval:
    """Enclose the largest difference of probabilities.

    Examples
    --------
    >>> halves, sure = (Interval.of(Fraction(1, 2)),) * 2, (Interval.of(1), Interval.of(0))
    >>> str(enclose_gap(halves, sure).low)
    '1/2'
    """
    parts = [abs(x - y) for x, y in zip(one, other, strict=True)]
    return Interval(max(part.low for part in parts), max(part.high for part in parts))


def enclose_confidence(found: Distribution, right: int) -> Interval:
    """Enclose by how much one symbol is above every other one; 1 over one symbol alone.

    Examples
    --------
    >>> str(enclose_confidence((Interval.of(Fraction(2, 3)), Interval.of(Fraction(1, 3))), 1).low)
    '-1/3'
    """
    others = [found[right] - part for code, part in enumerate(found) if code != right]
    return least(others) if others else Interval.of(1)


def check_confidence(epsilon: Fraction) -> Fraction:
    """Refuse an ε that no distribution can have, or that says nothing.

    Raises
    ------
    SpecError
    """
    if not 0 < epsilon <= 1:
        raise SpecError(
            f"epsilon = {quote(str(epsilon))}; expected more than 0 and at most 1, which eventual "
            "learnability asks for; choose one such as 1/2"
        )
    return epsilon
