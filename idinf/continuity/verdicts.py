"""A hypothesis as a predictor of the next symbol: its verdict decides, so it has no modulus of continuity."""

from __future__ import annotations

from idinf.continuity.intervals import Interval
from idinf.continuity.predictors import NO_MODULUS, Distribution, Predictor
from idinf.continuity.witnesses import Score
from idinf.words import Alphabet, Word


class Verdicts(Predictor):
    """Sure of the second symbol where a hypothesis accepts the prompt, and of the first where it does not.

    Examples
    --------
    >>> from fractions import Fraction
    >>> ends_in_1 = Verdicts(lambda word: Fraction(word[-1]), Alphabet(("0", "1")), "ends in 1")
    >>> [int(part.low) for part in ends_in_1.predict((0, 1))]
    [0, 1]
    """

    growth = NO_MODULUS

    def __init__(self, score: Score, alphabet: Alphabet, name: str) -> None:
        self.score, self.alphabet, self.name = score, alphabet, name

    def predict(self, word: Word) -> Distribution:
        """Give everything to one symbol."""
        chosen = int(self.score(word) > 0)
        return tuple(Interval.of(int(code == chosen)) for code in range(len(self.alphabet)))
