"""Renaming symbols that the target does not tell apart: one of all renamed lower layers is searched.

A renaming σ is a permutation of the alphabet, and acts on words symbol by symbol; ``$`` stays. The renamed
hypothesis h^σ(w) = h(σ(w)) reads the token a as h reads σ(a): the token columns of every channel and of all
own weights are permuted, everything else stays.

Proof sketch. Let L be the target, and G the renamings with σ(w) ∈ L iff w ∈ L for all words w up to the
horizon; G is a group. For σ in G:

1. h^σ is in the space, with the structure of h where no head has logits M (units in any order): a layer reads
   tokens by channels and own weights only, residues and φ depend on positions, later layers read the same
   units. By induction over layers unit u of h^σ is on w what u of h is on σ(w): lengths, and so N, are equal.
2. R(h^σ) = R(h): columns of V and A are permuted, which changes no norm and no rank; nothing else changes.
3. fail(h^σ) = fail(h): h^σ is wrong on w iff h is wrong on σ(w), which is as long.

So σ maps what a slice lists over first layers of one behaviour b = {u_1, ..., u_m} (a multiset of Boolean
functions of short words) one to one to what it lists over those of the behaviour b^σ. Let b be the least
behaviour of its orbit in some total order. What stands over the orbit is what stands over b, and one renamed
copy of it for every other behaviour in the orbit, by any σ that leads there. Two σ that lead to the same
behaviour differ by one that fixes b, and that one maps what is listed over b to itself, so further copies
would repeat. Pruning by conflicts or bounds loses no listed hypothesis, so it may treat the behaviours of an
orbit unlike.

With logits M the structure itself would be renamed: such structures are searched without this reduction, and
so are slices that admit chosen behaviours only, since those need not hold the least of an orbit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.search.exact_check.merging import distinct_rows
from idinf.search.found import Found
from idinf.search.short_words.prefix_trees import PrefixTree, ShortWords
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices
from idinf.space.structures import Structure
from idinf.space.units import BoolArray, Units
from idinf.targets.machine import Target

#: Code of the symbol that each symbol is renamed to.
Renaming = tuple[int, ...]

#: Alphabets with more symbols have too many renamings to try.
MAX_SYMBOLS = 5

#: Pairs of target states of one length, at most: beyond, a renaming is left out, which only prunes less.
MAX_PAIRS = 20_000

#: Hypotheses whose answers are renamed in one block.
BLOCK = 4096


def keeps_target(target: Target, renaming: Renaming, horizon: int, most: int = MAX_PAIRS) -> bool:
    """Whether the target is proved to give every word up to length ``horizon`` the label of the renamed word.

    Runs the target beside its renamed self and compares labels in every pair of states; pairs are merged at
    every length. Exact if True; False may also mean that a length has more than ``most`` pairs.

    Examples
    --------
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.words import Alphabet
    >>> equal_ends = RegularTarget.from_regex("a(a|b)*a|b(a|b)*b", Alphabet(("a", "b")))
    >>> keeps_target(equal_ends, (1, 0), 20)
    True
    """
    plain = renamed = target.start()
    width = plain.shape[1]
    for length in range(horizon + 1):
        if not np.array_equal(target.labels(plain), target.labels(renamed)):
            return False
        if length == horizon:
            return True
        pairs = np.concatenate(
            [
                np.concatenate([target.step(plain, code), target.step(renamed, image)], axis=1)
                for code, image in enumerate(renaming)
            ]
        )
        pairs = pairs[distinct_rows(pairs)[0]]
        if len(pairs) > most:
            return False
        plain, renamed = pairs[:, :width], pairs[:, width:]
    return True


@dataclass(frozen=True, eq=False)
class Symmetry:
    """Renamings that keep the target, and how they act on short words, layers and hypotheses."""

    words: ShortWords
    #: All of them, the identity first.
    group: tuple[Renaming, ...]

    @staticmethod
    def of(target: Target, words: ShortWords, horizon: int, most: int = MAX_PAIRS) -> Symmetry:
        """Find the renamings that keep the target on all words up to the horizon; short ones rule out most.

        Examples
        --------
        >>> from idinf.targets.regular import RegularTarget
        >>> from idinf.words import Alphabet
        >>> no_c = RegularTarget.from_regex("(a|b)*", Alphabet(("a", "b", "c")))
        >>> Symmetry.of(no_c, ShortWords.of(no_c, 3), 20).group
        ((0, 1, 2), (1, 0, 2))
        """
        identity = tuple(range(words.symbols))
        group = {identity}
        candidates = itertools.permutations(identity) if words.symbols <= MAX_SYMBOLS else iter([identity])
        for renaming in candidates:
            if renaming in group:
                continue
            rows = _renamed_words(words, renaming)
            if np.array_equal(words.labels[rows], words.labels) and keeps_target(
                target, renaming, horizon, most
            ):
                group = _generated(group | {renaming})
        return Symmetry(words, tuple(sorted(group)))

    def acts_on(self, structure: Structure) -> bool:
        """Whether structures like this are searched up to renaming: lower layers, and no logits M."""
        plain = not any(head.logits for layer in structure.layers for head in layer.heads)
        return len(self.group) > 1 and plain and structure.depth > 1

    def is_least(self, units: NDArray[np.generic], tree: PrefixTree) -> bool:
        """Whether units on all rows of a tree, (m, T) values 0 and 1, are the least of their orbit."""
        behaviours = self._orbit(units, tree)
        first = next(behaviours)
        return all(first <= other for other in behaviours)

    def others(self, units: NDArray[np.generic], tree: PrefixTree) -> tuple[Renaming, ...]:
        """One renaming for every other behaviour in the orbit of units, given as for `is_least`."""
        leading: dict[tuple[bytes, ...], Renaming] = {}
        for renaming, behaviour in zip(self.group, self._orbit(units, tree), strict=True):
            leading.setdefault(behaviour, renaming)
        return tuple(leading.values())[1:]

    def _orbit(self, units: NDArray[np.generic], tree: PrefixTree) -> Iterator[tuple[bytes, ...]]:
        """The behaviour of a layer, its units in order, under every renaming."""
        bits = units.astype(np.bool_)
        for rows in self._rows if len(tree) == len(tree.final) else self._rows_of_forest:
            yield tuple(sorted(row.tobytes() for row in np.packbits(bits[:, rows], axis=1)))

    @cached_property
    def _rows(self) -> tuple[IntArray, ...]:
        """For every renaming the row of each renamed word."""
        return tuple(_renamed_words(self.words, renaming) for renaming in self.group)

    @cached_property
    def _rows_of_forest(self) -> tuple[IntArray, ...]:
        """The same for rows (N, prefix): a level lists all words of a length, for one N after the other."""
        word = self.words.forest.word
        return tuple(np.arange(len(word)) + rows[word] - word for rows in self._rows)

    def renamed(self, found: Found, renaming: Renaming) -> Found:
        """The renamed hypotheses of a batch without logits M, with the same R and the same fail lengths."""
        return replace(
            found,
            lower=tuple(_renamed_layer(layer, renaming) for layer in found.lower),
            top=_renamed_layer(found.top, renaming),
            outputs=self._renamed_outputs(found.outputs, self._rows[self.group.index(renaming)]),
        )

    def _renamed_outputs(self, packed: NDArray[np.uint8], rows: IntArray) -> NDArray[np.uint8]:
        outputs = np.empty_like(packed)
        for begin in range(0, len(packed), BLOCK):
            part = slice(begin, begin + BLOCK)
            bits: BoolArray = np.unpackbits(packed[part], axis=1, count=len(rows)).astype(np.bool_)
            outputs[part] = np.packbits(bits[:, rows], axis=1)
        return outputs


def _generated(renamings: set[Renaming]) -> set[Renaming]:
    """The group that renamings generate: in a finite group their products are all of it."""
    group, size = renamings, 0
    while len(group) > size:
        size = len(group)
        group = group | {tuple(one[code] for code in other) for one in group for other in renamings}
    return group


def _renamed_words(words: ShortWords, renaming: Renaming) -> IntArray:
    """Row of the renamed word of every row, (W,)."""
    tree, image = words.tree, np.zeros(len(words.tree), dtype=np.int64)
    new = np.array(renaming, dtype=np.int64)
    for above, begin, end in zip(tree.starts, tree.starts[1:], tree.starts[2:], strict=False):
        place = image[tree.parent[begin:end]] - above
        image[begin:end] = begin + words.symbols * place + new[tree.symbol[begin:end] - 1]
    return image


def _renamed_layer(layer: LayerChoices, renaming: Renaming) -> LayerChoices:
    return replace(layer, units=tuple(_renamed_units(units, renaming) for units in layer.units))


def _renamed_units(units: Units, renaming: Renaming) -> Units:
    """Units that read the token a as the given ones read its renamed symbol; $ is feature 0."""
    features = np.arange(units.own.shape[1])
    features[1 : len(renaming) + 1] = 1 + np.array(renaming)
    channel = units.channels[:, :, features].reshape(units.channel.shape)
    return replace(units, channel=channel, own=units.own[:, features])
