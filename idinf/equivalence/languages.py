"""What decides words in a comparison."""

from __future__ import annotations

from idinf.targets.machine import Target
from idinf.targets.machine import accepts as accepted_by_machine
from idinf.transformers import reference
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Word

#: A step machine, or a hypothesis, whose answers may depend on N.
Decider = Target | LimitTransformer


def accepts(language: Decider, word: Word) -> bool:
    """Whether a word is in a language.

    Examples
    --------
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.words import Alphabet
    >>> accepts(RegularTarget.from_regex("ab", Alphabet(("a", "b"))), (0, 1))
    True
    """
    if isinstance(language, LimitTransformer):
        return reference.accepts(language, word)
    return accepted_by_machine(language, word)
