"""Answers of a target on words, as texts: labels, or the next symbols after every prefix."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from idinf.crasp.interpreter import WordBatch
    from idinf.targets.supervised import SupervisedTarget

#: Most different pieces that lines about next symbols are made of.
PIECES = 4096


def next_text(sets: Iterable[Sequence[str] | None]) -> str:
    """Next symbols after every prefix on one line; ``*`` where any will do, as the target does not judge.

    >>> next_text([None, ("1", "$"), ()])
    '* 1,$ -'
    """
    return " ".join("*" if named is None else ",".join(named) or "-" for named in sets)


def label_texts(target: SupervisedTarget, batch: WordBatch) -> tuple[list[str], list[bool]]:
    """Answers of a target on words: accept or reject, or the next symbols after every prefix.

    The second list is True for words in its domain.
    """
    from idinf.targets.supervised import answer_words, name_next

    if target.everywhere:
        sets, numbers, counted = name_next(target, batch)
        return _join_rows([next_text([named]) for named in sets], numbers), counted
    accepted, counted = answer_words(target, batch)
    return ["accept" if each else "reject" for each in accepted], counted


def _join_rows(texts: Sequence[str], numbers: NDArray[np.int64]) -> list[str]:
    """The texts that each row numbers, joined by blanks; −1 is no text.

    Pieces of several texts are joined once, as many as may differ in some thousand ways.
    """
    import numpy as np

    parts = [*(f" {text}" for text in texts), ""]  # the last one for -1
    size = max(1, int(math.log(PIECES, max(2, len(parts)))))
    padded = np.pad(numbers % len(parts), ((0, 0), (0, -numbers.shape[1] % size)), constant_values=len(texts))
    shape = (len(parts),) * size
    codes = np.ravel_multi_index(tuple(padded[:, place::size] for place in range(size)), shape)
    seen = np.flatnonzero(np.bincount(codes.reshape(-1)))
    pieces = np.empty(len(parts) ** size, dtype=object)
    pieces[seen] = [
        "".join(map(parts.__getitem__, each)) for each in zip(*np.unravel_index(seen, shape), strict=True)
    ]
    return ["".join(row)[1:] for row in pieces[codes].tolist()]
