"""A function of somebody else, such as a trained net, as a predictor: its floats are taken as they are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeGuard

from idinf.continuity.intervals import Interval
from idinf.continuity.predictors import NO_MODULUS, Distribution, Predictor
from idinf.errors import ArgumentError
from idinf.words import Alphabet, Word

if TYPE_CHECKING:
    import torch

#: Probabilities of a net of floats add up to 1 but for so much.
_TOLERANCE = 1e-3


class Measured(Predictor):
    """A function from a prompt to probabilities. Nothing bounds how far it moves, so it has no modulus.

    Examples
    --------
    >>> always_0 = Measured(lambda prompt: [1.0, 0.0], Alphabet(("0", "1")))
    >>> [float(part.low) for part in always_0.predict((0, 1))]
    [1.0, 0.0]
    """

    growth = NO_MODULUS

    def __init__(self, function: Callable[[str], Any], alphabet: Alphabet, name: str = "function") -> None:
        self.function, self.alphabet, self.name = function, alphabet, name

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
                f"the {self.name} gives no distribution after a prompt of length {len(word)}; expected "
                f"{size} probabilities, which the theorem is about; return one for each symbol, or logits "
                "from a module"
            )
        return tuple(Interval.of(Fraction(value)) for value in values)


def is_module(source: object) -> TypeGuard[torch.nn.Module]:
    """Whether it is a module of PyTorch, which is not imported for the question."""
    return "torch" in sys.modules and isinstance(source, sys.modules["torch"].nn.Module)


def ask_module(module: torch.nn.Module, alphabet: Alphabet) -> Callable[[str], Any]:
    """Make a function from a prompt to probabilities of a module from symbols to logits.

    The module gets the codes of the symbols, in the order of the alphabet, as int64 of shape (1, n), on the
    device of its parameters, in eval mode and without gradients. It gives logits for every symbol, of shape
    (1, n, \\|Σ\\|) or (1, \\|Σ\\|), of which those of the last position are taken; their softmax is
    computed in double precision.
    """
    import torch

    def ask(prompt: str) -> Any:
        first = next(module.parameters(), None)
        codes = torch.tensor([alphabet.encode(prompt)], device=None if first is None else first.device)
        was_training = module.training
        module.eval()
        try:
            with torch.no_grad():
                logits = module(codes)
        finally:
            module.train(was_training)
        if logits.dim() == 3:
            logits = logits[:, -1]
        return torch.softmax(logits.reshape(-1).double(), dim=0)

    return ask
