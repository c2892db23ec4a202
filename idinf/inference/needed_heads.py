"""Which words of a target a net without heads, or a very small one, cannot tell apart."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from idinf.experiments.spec import Answer, Spec
from idinf.verification.definition import TargetDefinition
from idinf.words import Word

#: Words of one length that are looked at.
MOST_WORDS = 5_000


@dataclass(frozen=True, slots=True)
class NeededHeads:
    """Lengths up to which words show what a net needs; None: not met among the words that were looked at.

    Examples
    --------
    Majority needs a head for 01 beside 11, and more than one symbol that occurs for 001.

    >>> from idinf.experiments.catalogue import load
    >>> find_needed_heads(load("majority"), 8)
    NeededHeads(mixed=2, beyond_one_symbol=3)
    >>> find_needed_heads(load("tomita-1"), 8)
    NeededHeads(mixed=2, beyond_one_symbol=None)
    """

    #: Two words of this length with one last symbol have other labels. A net without heads knows nothing
    #: but the last symbol and the residue of the length.
    mixed: int | None = None
    #: Up to here the labels of words, but for ε, are neither those of "σ occurs" nor of "σ does not occur",
    #: for any σ, nor are they all equal.
    beyond_one_symbol: int | None = None


def find_needed_heads(spec: Spec, most: int) -> NeededHeads:
    """Find what words up to a length show; nothing unless the target accepts words, all of which count."""
    if spec.answer is not Answer.ACCEPT or spec.domain is not None:
        return NeededHeads()
    definition, size = TargetDefinition.of(spec), len(spec.alphabet)
    readings = {(symbol, sign) for symbol in range(size + 1) for sign in (False, True)}
    mixed = beyond = None
    for length in range(1, most + 1):
        if size**length > MOST_WORDS or (mixed and beyond):
            break
        labels: dict[int, bool] = {}
        word: Word
        for word in itertools.product(range(size), repeat=length):
            ((label,)) = definition.answers(word)[-1]
            if labels.setdefault(word[-1], label) != label:
                mixed = mixed or length
            readings = {(symbol, sign) for symbol, sign in readings if ((symbol in word) ^ sign) == label}
        if not readings:
            beyond = beyond or length
    return NeededHeads(mixed, beyond)
