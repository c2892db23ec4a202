"""Lemma 4.4 for two maps, run on a protocol: an indistinguishable decomposition by its proof, not by search.

For example a protocol in which player 1 tells -1 one bit of z_1. At least half of the maps z_1 say the same
bit, and player -1 cannot tell them apart. Some of them are taken as Z_1, such that together they reach many
values. Then the maps z_2 are sorted by all that player 2 says to whoever holds a kept input, and the largest
class is R.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass

from idinf.composition.decomposition import Inputs, Largest, check_runs, hear_all, take_largest
from idinf.composition.protocol import Communication, simulate
from idinf.composition.task import Sizes
from idinf.errors import CompositionError
from idinf.quoting import quote


@dataclass(frozen=True)
class Construction:
    """A decomposition beside what counting promises of every protocol with this B.

    Attributes
    ----------
    frozen : int
        How many maps z_1 share the most frequent transcript, which is what 1 tells -1 in the first epoch.
    frozen_promised : int
        How many have to: m^m / 2^(2B n_1), rounded up.
    delta_bits : int
        R holds at least |A_2| / Δ maps, where Δ is 2 to the power of this.
    promised : int
        |A_2| / Δ, rounded up.
    largest : Largest
        R and Z, and the cover.
    """

    frozen: int
    frozen_promised: int
    delta_bits: int
    promised: int
    largest: Largest


def construct(protocol: Communication, sizes: Sizes, starts: int, maps: int) -> Construction:
    r"""Construct R and Z for L = 2, with so many inputs of player 0 kept, and so many of player 1 at most.

    Z_0 are the first starts. Fewer maps are kept if no more say the same.

    Raises
    ------
    CompositionError
        If L is not 2, more is to be kept than there is, or there is too much to run.

    Notes
    -----
    Let k = 2B. In the two epochs player 2 writes, for each w, start and map that is kept:

    - to player 1, twice m tokens of k bits for each map;
    - to player 0, k bits for each start, and then for each thing that it may have heard of player 1, which
      are at most min(\|Z_1\|, 2^k);
    - to player -1, k bits for each w, and then for each thing that it may have heard of player 0, at most
      min(\|Z_0\|, 2^k), as what it heard of player 1 is the frozen transcript.

    Δ is 2 to the sum of these: so many classes of maps z_2 there are at most.

    Examples
    --------
    >>> from idinf.composition.shipped import ship
    >>> sizes = Sizes(2, (2,))
    >>> found = construct(ship("silent", sizes), sizes, starts=2, maps=2)
    >>> found.frozen, found.largest.cover, len(found.largest.decomposition.upper), found.promised
    (4, 2, 256, 256)
    """
    _check(sizes, starts, maps)
    queries, kept = sizes.n[0], tuple(itertools.islice(sizes.alternatives(0), starts))
    check_runs(queries * sizes.count_alternatives(1))
    frozen = _find_frozen(protocol, sizes)
    lower = (kept, _choose(frozen, [value for (value,) in kept], maps))
    maps = len(lower[1])
    check_runs(queries * starts * maps * (uppers := sizes.count_alternatives(2)))
    largest = take_largest(hear_all(protocol, sizes, 2, lower), sizes, 2, lower)
    bits = 2 * protocol.bits
    told = 2 * sizes.m * maps + starts * (1 + min(maps, 1 << bits)) + queries * (1 + min(starts, 1 << bits))
    return Construction(
        len(frozen),
        -(-sizes.count_alternatives(1) >> bits * queries),
        bits * told,
        -(-uppers >> bits * told),
        largest,
    )


def _check(sizes: Sizes, starts: int, maps: int) -> None:
    if sizes.layers != 2:
        raise CompositionError(
            f"L = {sizes.layers}; expected 2, for which the proof is one step; for more maps it is an "
            "induction, which is not run; give one n"
        )
    for player, kept, most in ((0, starts, sizes.m), (1, maps, sizes.count_alternatives(1))):
        if not 1 <= kept <= most:
            raise CompositionError(f"|Z_{player}| = {quote(kept)}; expected 1..{most}; choose another number")


def _find_frozen(protocol: Communication, sizes: Sizes) -> Inputs:
    """The maps z_1 of which player -1 hears the same in the first epoch, most of all, for every w."""
    fixed = {player: next(sizes.alternatives(player)) for player in (0, 2)}
    classes: dict[object, list[tuple[int, ...]]] = defaultdict(list)
    for tokens in sizes.alternatives(1):
        runs = (simulate(protocol, {**fixed, -1: w, 1: tokens}) for w in sizes.alternatives(-1))
        classes[tuple(run.message(1, 1, -1).whole for run in runs)].append(tokens)
    most = max(classes.values(), key=len)
    return tuple(most)


def _choose(maps: Inputs, starts: list[int], number: int) -> Inputs:
    """Maps that reach many values of the starts, one after the other; each reaches as many more as any."""
    chosen: list[tuple[int, ...]] = []
    left, seen = list(maps), set[int]()
    while left and len(chosen) < number:
        best = max(left, key=lambda tokens: len({tokens[z] for z in starts} - seen))
        left.remove(best)
        chosen.append(best)
        seen |= {best[z] for z in starts}
    return tuple(sorted(chosen))
