"""Regular languages that no net of the one-hot family decides, whatever its size, weights and R.

*Theorem.* Let z be a word that acts on the states of the minimal DFA as an idempotent, and let *letters* be
words of one length t, a multiple of |z|, a power of z among them. They act on the states that z keeps, by
w·z. If counts of letters cannot tell apart two states A ≠ B of one component there, as the procedure of
[D26]_ finds out, no one-hot Limit Transformer decides the language: neither φ of any finite reach, nor M,
nor any Δ, nor weights that depend on N help. Nets of any given numbers of layers, heads and units, Δ and
reach are all wrong on some word of each large length of one residue class.

The languages that `membership.in_crasp_periodic_local` refutes are such languages: where a
symbol is neutral that is z and t = 1, elsewhere z is a word of the idempotent. All regular languages outside
AC0 are among them: there two words of one length permute states in a cycle and leave them.

*Proof*, in short; docs/never.md has all of it. Put so many z behind every letter that all letters end alike
further than heads look back, and let Δ divide their length. Go through the layers. Suppose that in some
interval of letters what units say at a position depends only on the place inside the letter, on the letter,
and on the class of the state before it, whatever the letters are; and behind the interval, on the class at
its end. Then sums over earlier positions are affine in how often each letter was read from each class, and a
unit of the next layer asks for the sign of a polynomial of them, of no larger degree than the number of its
heads. Words that lead to states of one class differ by counts of cycles, so let a beginning of the interval
be cycles, as many of each as keep all these polynomials from changing their sign further on: of finitely
many polynomials of bounded degree some large box of integers meets no change. Then the next layer depends on
the same few things, and on how many letters are left; along these each sign changes a bounded number of
times, so a part of the interval, long beside what is left behind it, sees no change. After the last layer
the answer depends on the class of the state at the end of that part, and not on the state: A or B.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from idinf.base.words import Word
from idinf.languages.classification.by_automaton import number_components, show_word
from idinf.languages.classification.membership import find_inseparable, in_crasp, in_crasp_periodic_local
from idinf.languages.classification.monoid import TransitionMonoid, build_monoid
from idinf.targets.machine import BoolArray, IntArray, Target, accepts, explore, find_least_word
from idinf.targets.regular import RegularTarget

#: Longest letters that are looked for; without them the reason names no words.
LONGEST = 24

#: Most elements that letters are looked for among, and entries of a table of their actions.
MOST_ELEMENTS, MOST_CELLS = 500, 200_000


@dataclass(frozen=True, slots=True)
class Confusion:
    """Words to which the theorem applies.

    `neutral`: z, idempotent on the states. `letters`: words of one length, a multiple of |z|; some power of z
    acts as one of them. `one, other`: they lead to states that z keeps, that letters lead to from each other,
    and that no counts tell apart. `suffix`: behind exactly one of the two it ends a word of the language.
    """

    neutral: Word
    letters: tuple[Word, ...]
    one: Word
    other: Word
    suffix: Word

    def told(self, machine: RegularTarget) -> str:
        """It in words, for the language that the machine accepts.

        >>> from idinf.spec.catalogue import load
        >>> from idinf.targets.build import build_target
        >>> Confusion((0,), ((0,), (1,)), (), (1,), (1,)).told(build_target(load("parity")))
        'no counts of words of length 1, with 0 between them, tell the place after ε from the place after 1
        (arXiv 2608.13433); add 1, and 1 is rejected, 11 is accepted'
        """
        show = partial(show_word, machine.alphabet)
        first, second = (
            f"{show(word)} is {'accepted' if accepts(machine, word) else 'rejected'}"
            for word in (self.one + self.suffix, self.other + self.suffix)
        )
        return (
            f"no counts of words of length {len(self.letters[0])}, with {show(self.neutral)} between them, "
            f"tell the place after {show(self.one)} from the place after {show(self.other)} (arXiv "
            f"2608.13433); {f'add {show(self.suffix)}, and' if self.suffix else 'yet'} {first}, {second}"
        )


def find_obstacle(target: Target) -> str | None:
    """Say why no net of the one-hot family decides a regular language; None if that is not known."""
    if not isinstance(target, RegularTarget):
        return None
    crasp = in_crasp(target)
    if crasp.is_yes:
        return None
    monoid = build_monoid(target.table)
    found = in_crasp_periodic_local(target, monoid, crasp)
    if not found.is_no:
        return None
    confusion = find_confusion(target, monoid)
    return found.reason if confusion is None else confusion.told(target)


def find_confusion(machine: RegularTarget, monoid: TransitionMonoid) -> Confusion | None:
    """The words of the theorem with the shortest letters; None if there are none up to `LONGEST`.

    The monoid is that of the machine's table; where it is incomplete or large nothing is looked for.
    """
    if not monoid.is_complete or len(monoid) > MOST_ELEMENTS:
        return None
    levels = [np.arange(len(monoid)) == 0]  # the elements that have a word of length 0, 1, …
    first = dict[int, int]()  # the least lengths of the idempotents as images of words that are not empty
    for length in range(1, LONGEST + 1):
        levels.append(np.isin(np.arange(len(monoid)), monoid.right[levels[-1]]))
        for idempotent in monoid.idempotents:
            if levels[length][idempotent]:
                first.setdefault(idempotent, length)
            if length % first.get(idempotent, length + 1) == 0:
                found = _confuse(machine, monoid, levels, idempotent, first[idempotent])
                if found is not None:
                    return found
    return None


def _confuse(
    machine: RegularTarget, monoid: TransitionMonoid, levels: list[BoolArray], idempotent: int, size: int
) -> Confusion | None:
    """The words of the theorem with letters of the last level, z being a word of the idempotent."""
    own = monoid.rows[idempotent].astype(np.int64)
    image = np.unique(own)
    elements = np.flatnonzero(levels[-1])
    if len(image) < 2 or len(image) * len(elements) > MOST_CELLS:
        return None
    table = np.searchsorted(image, own[monoid.rows[elements][:, image]]).T  # (states of the image, elements)
    _, kept = np.unique(table, axis=1, return_index=True)
    elements, table = elements[np.sort(kept)], table[:, np.sort(kept)]
    pair = find_inseparable(table)
    if pair is None:
        return None
    component = number_components(table)
    part = component == component[pair[0]]
    inside = part[table[part]].any(axis=0)
    one, other = (int(image[place]) for place in pair)
    return Confusion(
        neutral=_word(monoid, levels[: size + 1], idempotent),
        letters=tuple(_word(monoid, levels, element) for element in elements[inside].tolist()),
        one=find_least_word(machine.table, one),
        other=find_least_word(machine.table, other),
        suffix=tell_apart(machine, one, other),
    )


def _word(monoid: TransitionMonoid, levels: list[BoolArray], element: int) -> Word:
    """A word of an element that is as long as there are levels after that of ε."""
    codes = list[int]()
    for level in levels[-2::-1]:
        element, code = np.argwhere((monoid.right == element) & level[:, None])[0].tolist()
        codes.append(code)
    return tuple(reversed(codes))


def tell_apart(machine: RegularTarget, one: int, other: int) -> Word:
    """The least word that is accepted from exactly one of two states of a minimal DFA.

    >>> from idinf.base.words import Alphabet
    >>> tell_apart(RegularTarget.from_regex("ab*", Alphabet(("a", "b"))), 0, 2)
    (0,)
    """
    table: IntArray = machine.table
    pairs, edges, _ = explore(
        (one, other), lambda found: (list(zip(*table[list(pair)].tolist(), strict=True)) for pair in found)
    )
    splits = [bool(machine.accepting[p] != machine.accepting[q]) for p, q in pairs]
    return find_least_word(np.array(edges), splits.index(True))
