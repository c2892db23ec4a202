"""What continues a prompt by a distribution over symbols, and how fast its answer can change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from idinf.base.quoting import quote
from idinf.base.words import Alphabet, Word
from idinf.errors import AlphabetMismatchError, SpecError
from idinf.lab.continuity.intervals import Interval, least

#: Probabilities of the symbols, in the order of the alphabet.
Distribution = tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class Growth:
    """A proved bound ω(δ) = c δ of how far two answers are apart, in any probability, for any length.

    The prompts have one last symbol and d_H <= δ.

    >>> Growth(Fraction(2)).at(Fraction(1, 8)), Growth(Fraction(2)).find_radius(Fraction(1))
    (Fraction(1, 4), Fraction(1, 4))
    """

    constant: Fraction

    def at(self, delta: Fraction) -> Fraction:
        """Bound ω(δ) for 0 <= δ <= 1 from above; 1 bounds it as well."""
        return min(Fraction(1), self.constant * delta)

    def find_radius(self, confidence: Fraction) -> Fraction:
        """Find the largest δ with ω(δ) <= confidence / 2."""
        return min(Fraction(1), confidence / 2 / self.constant) if self.constant else Fraction(1)


class Predictor(ABC):
    """A continuous sequence predictor f_n whose answer depends on the last symbol and on counts of symbols.

    The answer F is continuous in the shares, too: f_n is at most ``offset`` / n away from F of its shares,
    and F is Lipschitz with the constant of ``growth`` in half the sum of differences of shares.
    """

    alphabet: Alphabet
    name: str
    growth: Growth
    offset: Fraction = Fraction(0)

    @abstractmethod
    def at(self, last: int, counts: Sequence[int]) -> Distribution:
        """Enclose the probabilities after a prompt that ends in a symbol and has these counts."""

    @abstractmethod
    def limit(self, last: int, shares: Sequence[Fraction]) -> Distribution:
        """Enclose F, what answers tend to on longer and longer prompts of such shares."""

    def predict(self, word: Word) -> Distribution:
        """Enclose the probabilities of what comes after a prompt of at least one symbol."""
        return self.at(word[-1], [word.count(code) for code in range(len(self.alphabet))])

    def encode(self, text: str) -> Word:
        """Read a prompt.

        Raises AlphabetMismatchError if it is empty or has a symbol outside of the alphabet: f_n is
        about prompts of at least one.
        """
        if not text:
            raise AlphabetMismatchError(
                "the prompt is empty; expected at least one symbol; f_n begins at n = 1"
            )
        return self.alphabet.encode(text)


class AddConstant(Predictor):
    """Counts plus a constant β, in shares: Laplace for β = 1, Krichevsky–Trofimov for β = 1/2.

    Answers of prompts of length n that differ at k places are at most k / (n + β|Σ|) <= k/n apart, and
    |(c + β)/(n + β|Σ|) - c/n| <= β|Σ| / n.

    >>> [str(part.low) for part in laplace(Alphabet(("0", "1"))).predict((0, 1, 1))]
    ['2/5', '3/5']
    """

    def __init__(self, alphabet: Alphabet, constant: Fraction, name: str) -> None:
        self.alphabet, self.constant, self.name = alphabet, constant, name
        self.growth, self.offset = Growth(Fraction(1)), constant * len(alphabet)

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

    >>> halves, sure = (Interval.of(Fraction(1, 2)),) * 2, (Interval.of(1), Interval.of(0))
    >>> str(enclose_gap(halves, sure).low)
    '1/2'
    """
    parts = [abs(x - y) for x, y in zip(one, other, strict=True)]
    return Interval(max(part.low for part in parts), max(part.high for part in parts))


def enclose_confidence(found: Distribution, right: int) -> Interval:
    """Enclose by how much one symbol is above every other one; 1 over one symbol alone.

    >>> str(enclose_confidence((Interval.of(Fraction(2, 3)), Interval.of(Fraction(1, 3))), 1).low)
    '-1/3'
    """
    others = [found[right] - part for code, part in enumerate(found) if code != right]
    return least(others) if others else Interval.of(1)


def check_confidence(epsilon: Fraction) -> Fraction:
    """Refuse an ε that no distribution can have, or that says nothing.

    Raises SpecError.
    """
    if not 0 < epsilon <= 1:
        raise SpecError(
            f"epsilon = {quote(str(epsilon))}; expected more than 0 and at most 1, which eventual "
            "learnability asks for; choose one such as 1/2"
        )
    return epsilon
