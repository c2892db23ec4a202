"""Whether a transformer that was written in another way answers as before: a check of what lemmas prove."""

from __future__ import annotations

from idinf.equivalence.comparison import WORDS, compare
from idinf.errors import PrecisionError
from idinf.transformers import reference
from idinf.transformers.causal_transformer import CausalTransformer
from idinf.transformers.dense import DenseTransformer
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import words_up_to

#: Length of words, joint states and words one by one that are looked at, at most: about a second.
MAX_N, MAX_STATES, MAX_WORDS = 10, 2_000, 300


class NotRewritten(RuntimeError):
    """Two forms of one transformer differ: an error of this program."""


def check_rewritten(one: DenseTransformer, other: DenseTransformer) -> tuple[int | None, str]:
    """Compare two forms of one transformer: up to which length (None: on all words), and how that is known.

    Raises
    ------
    NotRewritten
        If they differ on a word.

    Examples
    --------
    >>> from idinf.compilation.compiler import compile_by_any_route
    >>> from idinf.crasp.library import load
    >>> from idinf.transformers.least_scaling import find_least_scaling
    >>> loaded = load("majority")
    >>> net = compile_by_any_route(loaded.program, loaded.alphabet(None)).transformer
    >>> check_rewritten(net, find_least_scaling(net))
    (None, 'integer programs over counts of symbols')
    """
    if isinstance(one, LimitTransformer) and isinstance(other, LimitTransformer) and one.output is None:
        try:
            found = compare(one, other, MAX_N, MAX_STATES, most_words=MAX_WORDS)
        except PrecisionError:  # numbers beyond what step machines hold
            pass
        else:
            if found.word is not None:
                raise NotRewritten(f"the word {one.alphabet.decode(found.word)!r} is answered in another way")
            return found.up_to, found.method
    return _compare_words(one, other), WORDS


def _compare_words(one: DenseTransformer, other: DenseTransformer) -> int:
    symbols, horizon, words = len(one.alphabet), 0, 1
    most = one.context - 1 if isinstance(one, CausalTransformer) else MAX_N
    while horizon < most and words + symbols ** (horizon + 1) <= MAX_WORDS:
        horizon += 1
        words += symbols**horizon
    for word in words_up_to(symbols, horizon):
        old, new = (reference.trace(net, word) for net in (one, other))
        if (old.accepted, old.next_symbols) != (new.accepted, new.next_symbols):
            raise NotRewritten(f"the word {one.alphabet.decode(word)!r} is answered in another way")
    return horizon
