"""Words that refute: a few longer words on which hypotheses are tried before their exact check.

Hypotheses that are right on all short words often fail a little later, and on the same words. A hypothesis
that fails on a word of length at most the length that counts is not wanted, whatever its exact fail length.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from idinf.base.words import Word
from idinf.errors import PrecisionError
from idinf.search.exact_check.nets import Nets
from idinf.search.exact_check.reachability import least_mistake
from idinf.search.last_layer.arrays import LastLayers, last_layer_features
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices
from idinf.space.structures import Structure
from idinf.targets.machine import Target

MOST = 48  #: words of one pool; a word costs an exact check


class Refutation:
    """A pool of words up to a length, each a refutation of whatever is wrong on it. Mutable: it learns.

    It begins with what is ``known``; ``refuting`` are the words that it has added.
    """

    def __init__(
        self,
        target: Target,
        length: int,
        max_states: int,
        every_N: bool = False,
        checkpoint: Callable[[], None] = lambda: None,
        known: Sequence[Word] = (),
    ) -> None:
        self.checkpoint = checkpoint
        self.target, self.length, self.max_states, self.every_N = target, length, max_states, every_N
        self._known, self.refuting = known, list[Word]()
        self._words = self._screened()

    def _screened(self) -> ShortWords | None:
        pool = [word for word in (*self._known, *self.refuting) if len(word) <= self.length]
        return ShortWords.and_prefixes(self.target, pool, self.every_N) if pool else None

    def knowing(self, words: Iterable[Word]) -> Refutation:
        """One that begins with further words, and with the last of those that this one began with."""
        known = tuple(dict.fromkeys((*self._known, *words)))[-MOST // 2 :]
        return Refutation(self.target, self.length, self.max_states, self.every_N, self.checkpoint, known)

    def begun(self) -> Refutation:
        """One that begins with the same words, and learns for itself."""
        begun = copy.copy(self)
        begun.refuting = []
        return begun

    def wrong(
        self, structure: Structure, lower: tuple[LayerChoices, ...], last_layers: LastLayers
    ) -> IntArray:
        """Length of some word of the pool on which each last layer is wrong, or −1; (N,).

        ``lower`` are realisations of one exact behaviour of every lower layer.
        """
        none = np.full(len(last_layers), -1)
        if self._words is None:
            return none
        try:
            outputs = last_layers.outputs(last_layer_features(self._words, structure, lower))
        except PrecisionError:  # longer words have larger numbers; the exact check needs no floats
            return none
        return self._words.first_difference(outputs)

    def learn(self, nets: Nets, fail: IntArray) -> None:
        """Add the least word that refutes one of some hypotheses with known fail lengths.

        The pool takes words up to its length; longer ones may be of use to slices that ask for more.
        """
        wrong = np.flatnonzero(fail >= 0)
        if not len(wrong) or len(self._known) + len(self.refuting) >= MOST:
            return
        first = wrong[np.argmin(fail[wrong])]
        wrong_one, length = nets.take(first[None]), int(fail[first])
        word = least_mistake(self.target, wrong_one, length, self.max_states, self.checkpoint)
        self.refuting.append(word)
        if len(word) <= self.length:
            self._words = self._screened()
