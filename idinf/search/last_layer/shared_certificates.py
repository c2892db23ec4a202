"""Certificates that excluded much before: what later units of work begin with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from idinf.search.last_layer.certificates import Certificate
from idinf.search.last_layer.exclusion import Known
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.words import Word

#: Certificates of each reading that a unit of work begins with, and that it hands on.
CARRIED, HANDED_ON = 32, 6

#: For one of the two readings a certificate by its words, which every slice knows, and how often it was used.
SharedCertificate = tuple[int, tuple[Word, ...], tuple[int, ...], int]


def share_certificates(
    used: Iterable[Iterable[tuple[Certificate, int]]], words: ShortWords
) -> tuple[SharedCertificate, ...]:
    """What a unit of work hands on: of each reading the certificates that were of use most often."""
    return tuple(
        (reading, tuple(words.word(int(k)) for k in kept.words), tuple(kept.weights.tolist()), times)
        for reading, of_reading in enumerate(used)
        for kept, times in sorted(of_reading, key=lambda item: -item[1])[:HANDED_ON]
    )


class SharedCertificates:
    """Certificates by how often they were of use lately. Mutable: it learns."""

    def __init__(self) -> None:
        self._uses = Counter[tuple[int, tuple[Word, ...], tuple[int, ...]]]()

    def learn(self, learned: Iterable[SharedCertificate]) -> None:
        """Take in what a unit of work hands on."""
        for reading, words, weights, times in learned:
            self._uses[reading, words, weights] += times

    def fade(self) -> None:
        """Let uses so far count half."""
        self._uses = Counter({key: times // 2 for key, times in self._uses.items() if times > 1})

    def known(self, words: ShortWords, count: int) -> Known:
        """The most useful certificates on the first ``count`` of some words, for each reading."""
        chosen: tuple[list[Certificate], list[Certificate]] = ([], [])
        for (reading, of_words, weights), _ in sorted(
            self._uses.items(), key=lambda item: (-item[1], item[0])
        ):
            if len(chosen[reading]) == CARRIED:
                continue
            index = [words.index(word) for word in of_words]
            if all(0 <= k < count for k in index):
                chosen[reading].append(Certificate(np.array(index), np.array(weights)))
        return tuple(chosen[0]), tuple(chosen[1])
