"""A function of somebody else, such as a trained net, as a predictor: its floats are taken as they are."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from idinf.continuity.intervals import Interval
from idinf.continuity.predictors import Distribution, Growth, Predictor
from idinf.errors import ArgumentError
from idinf.words import Alphabet, Word

#: Probabilities of a net of floats add up to 1 but for so much.
_TOLERANCE = 1e-3


class Measured(Predictor):
    """A function from a prompt to probabilities. Nothing bounds how far it moves, so its ω is 1.

    Examples
    --------
    >>> always_0 = Measured(lambda prompt: [1.0, 0.0], Alphabet(("0", "1")))
    >>> [float(part.low) for part in always_0.predict((0, 1))]
    [1.0, 0.0]
    """

    def __init__(self, function: Callable[[str], Any], alphabet: Alphabet) -> None:
        self.function, self.alphabet, self.name = function, alphabet, "function"
        self.growth = Growth((Fraction(1 << 64),))

    def predict(self, word: Word) -> Distribution:
        """Ask the function; a tensor is read by its ``tolist``.

        Raises
        ------
        ArgumentError
            If the answer is no distribution over the alphabet.
        """
        prompt = self.alphabet.decode(word)
        given = self.function(prompt)
        try:
            values = [float(value) for value in (given.tolist() if hasattr(given, "tolist") else given)]
        except (TypeError, ValueError):
            values = []
        size = len(self.alphabet)
        if (
            len(values) != size
            or not all(value >= 0 for value in values)
            or abs(sum(values) - 1) > _TOLERANCE
        ):
            raise ArgumentError(
                f"the function gives no distribution after a prompt of length {len(word)}; expected {size} "
                "probabilities, which the theorem is about; return the softmax of the logits"
            )
        return tuple(Interval.of(Fraction(value)) for value in values)
