"""Comparing word by word, in shortlex order: for hypotheses that no step machine is known for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, product

import numpy as np

from idinf.equivalence.machines import Beat
from idinf.targets.machine import Target
from idinf.transformers import reference
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Word


def first_difference_one_by_one(
    one: Target | LimitTransformer,
    other: Target | LimitTransformer,
    horizon: int,
    beat: Beat = lambda length: None,
) -> Word | None:
    """Shortlex-least word up to length ``horizon`` that exactly one of two accepts; None if none.

    Every word is run by itself, so the cost is that of |Σ|^n words; ``beat`` is called before each.

    Examples
    --------
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.words import Alphabet
    >>> one, other = (RegularTarget.from_regex(text, Alphabet(("a",))) for text in ("a*", "a?"))
    >>> first_difference_one_by_one(one, other, 9)
    (0, 0)
    """
    size = len(one.alphabet)
    for length, wanted, answers in zip(
        range(horizon + 1), _answers(one, size), _answers(other, size), strict=False
    ):
        for word, left, right in zip(product(range(size), repeat=length), wanted, answers, strict=True):
            beat(length - 1)
            if left != right:
                return word
    return None


def _answers(side: Target | LimitTransformer, size: int) -> Iterator[Iterable[bool]]:
    """For one length after the other, whether each of its words is accepted, in their order."""
    if isinstance(side, LimitTransformer):
        for length in count():
            yield (reference.accepts(side, word) for word in product(range(size), repeat=length))
    else:
        states = side.start()
        while True:
            yield side.labels(states).tolist()
            stepped = np.stack([side.step(states, code) for code in range(size)], axis=1)
            states = stepped.reshape(-1, states.shape[1])
