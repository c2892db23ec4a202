"""Words on which a program is tried before a proof is."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.crasp import syntax as s
from idinf.crasp.interpreter import WordBatch, compute_prefix_labels, lay_out_words
from idinf.targets.pumping import draw_pumped_words
from idinf.targets.regular import RegularTarget

#: Short words, at most: all of one length, and so all shorter ones as their prefixes. At most so long.
MOST_SHORT, LONGEST = 1000, 12

#: Pumped words, at most, and their length in numbers of states.
MOST_PUMPED, LAPS = 200, 3

#: Parts of programs times prefixes that are a step of work, about a millisecond; at most so many steps.
CELLS_OF_STEP, MAX_STEPS = 400_000, 1_000_000

#: Prefixes that take as long as to make the program that is tried.
MAKING_CELLS = 10_000


class Sample:
    """Words and all their prefixes, with what a regular language says of each. Mutable: it counts its work.

    `steps`: steps of work after which nothing is admitted any more. `count`: called with a number of steps of
    work before they are done; may raise to stop.

    >>> from idinf.crasp.parser import parse
    >>> from idinf.base.words import Alphabet
    >>> sample = Sample(RegularTarget.from_regex("(ab)*", Alphabet(("a", "b"))))
    >>> sample.admits(parse('accept = # "a" == # "b" && # (# "b" > # "a" || # "a" > # "b" + 1) == 0'))
    True
    >>> sample.admits(parse('accept = # "a" == # "b"'))
    False
    """

    def __init__(
        self,
        machine: RegularTarget,
        steps: int = MAX_STEPS,
        count: Callable[[int], None] = lambda work: None,
    ) -> None:
        self.alphabet, size = machine.alphabet, len(machine.alphabet)
        self.left, self.count = steps, count
        length = next(n for n in itertools.count(1) if size ** (n + 1) > MOST_SHORT or n == LONGEST)
        longest = LAPS * len(machine.table) + length
        words = list(itertools.product(range(size), repeat=length))
        words += draw_pumped_words(machine, length + 1, longest, MOST_PUMPED)
        self.batch: WordBatch = lay_out_words(words)
        self._labels = _labels(machine, self.batch)

    def admits(self, program: s.ProgramTree) -> bool:
        """Whether a program says on all of these words what the language does, as far as work is left."""
        parts = sum(1 for row in program.definitions for _ in s.iter_parts(row.expression))
        steps = 1 + parts * (self.batch.codes.size + MAKING_CELLS) // CELLS_OF_STEP if self.left > 0 else 0
        self.left -= steps
        self.count(steps)
        if not steps:
            return False
        place = 0
        for found in compute_prefix_labels(program, self.alphabet, self.batch):
            inside = np.arange(len(found))[:, None] <= self.batch.lengths[place : place + found.shape[1]]
            expected = self._labels[: len(found), place : place + found.shape[1]]
            if ((found != expected) & inside).any():
                return False
            place += found.shape[1]
        return True


def _labels(machine: RegularTarget, batch: WordBatch) -> NDArray[Any]:
    """What the language says of every prefix, shape (positions + 1, words)."""
    states = np.zeros((batch.codes.shape[1] + 1, len(batch)), dtype=np.int64)
    for position, codes in enumerate(batch.codes.T):
        states[position + 1] = machine.table[states[position], codes]
    return machine.accepting[states]
