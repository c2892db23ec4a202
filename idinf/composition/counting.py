"""What player L says in all, counted: sizes at which no protocol of some B can be right.

For example m = n_1 = 16 and B = 3. Let z_1 be the identity. Then each of the 256 arguments of z_2 is asked
for, with some z_0 and some w_1, so the answers of a right protocol tell what z_2 is. But all that player 2
ever writes, to whatever the others hold, is 1,824 bits, and there are 256^256 = 2^2048 maps z_2. So no
protocol of B = 3 is right on all instances, nor is a decoder of two layers with H·d·p <= 3 on prompts of 274
tokens (Lemma 3.1). Theorem 1.1 of [CPW24] begins at 2^448, where it excludes powers of n; counting alone
excludes no more than about log2(N_1)/2, and for more maps the L - 1st part of it.
"""

from __future__ import annotations

import math
from bisect import bisect_left

from idinf.composition.shipped import count_bits
from idinf.composition.task import Sizes


def count_told(sizes: Sizes, token_bits: int) -> int:
    r"""Count the bits that player L writes at most, for all w and z_0 together, if other maps are fixed.

    The number of bits for each token, k, is 2B of the source. Only messages that can matter for the
    answer are counted, those to others than -1 up to epoch L - 1.

    Notes
    -----
    Player i from 1 to L - 1 holds one map; what it hears in an epoch depends on the map z_L alone. These
    are k N_{i-1} bits each. Player 0 holds one of m values, and what it hears depends on that and z_L: m
    messages of k bits. Player -1 holds one of n_1 ⋯ n_{L-1} queries, and what it heard of player 0 before
    epoch e may be as many as min(m, 2^{k(e-1)}) different things; these, w and z_L decide what it heard
    of all others, epoch by epoch. So player L writes one of as many messages in epoch e for each w.

    Examples
    --------
    >>> count_told(Sizes(16, (16,)), 6), count_told(Sizes(3), 5)
    (1824, 5)
    """
    m, epochs = sizes.m, sizes.layers
    tokens = sum(sizes.domains[:-1]) + m
    known = sum(min(m, 1 << min(token_bits * epoch, m.bit_length())) for epoch in range(epochs))
    return token_bits * ((epochs - 1) * tokens + math.prod(sizes.n) * known)


def bound_by_counting(sizes: Sizes) -> int:
    """Find the least B that counting does not exclude; for L = 1 it is the least B of all.

    With identities as z_1 … z_{L-1}, i_{L-1} is w_{L-2} N_{L-3} + …, so that the pairs (w_{L-1}, i_{L-1})
    are all N_{L-1} arguments of z_L. A right protocol answers z_L of them, so it tells all
    N_{L-1}^N_{L-1} maps apart, and 2^`count_told` is at least that many.

    Examples
    --------
    >>> [bound_by_counting(Sizes(m)) for m in (1, 2, 3, 4, 5)]
    [0, 1, 3, 4, 6]
    >>> [bound_by_counting(Sizes(m, (m,))) for m in (2, 8, 16, 64)], bound_by_counting(Sizes(8, (8, 8)))
    ([1, 3, 4, 6], 2)
    """
    needed = count_bits(sizes.count_alternatives(sizes.layers))
    return bisect_left(range(needed), needed, key=lambda b: count_told(sizes, 2 * b))
