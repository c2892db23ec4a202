"""How long the period of a product of bounded rank can be, whatever precision and norms are (Lemma 48)."""

from __future__ import annotations

from collections.abc import Iterator

from idinf.errors import ArgumentError

#: Ranks above this are beyond every transformer that is written down.
MOST_RANK = 200


def find_largest_period(rank: int) -> tuple[int, tuple[int, ...]]:
    """Find the largest period of a translation-invariant product of at most this rank, and how it is reached.

    The second value has the numbers m_i whose cyclotomic polynomials multiply to the recurrence of the
    product: their least common multiple is the period, and Σ φ(m_i) is at most the rank. Exact.

    Raises
    ------
    ArgumentError
        If the rank is not from 1 to `MOST_RANK`.

    Notes
    -----
    Implements Lemma 48 of [HYB25] in a sharp form. Let G be a function on the integers such that for every N
    the matrix G(i − j), i and j from 1 to N, is p_i^T A p_j with bounded p_i, A of rank at most k, and values
    in 2^-q ℤ. Claim: G is periodic, and its period is at most the largest finite order of a matrix in
    GL(k, ℤ), which does not depend on q or the norms.

    1. The matrices have rank at most k for all N, so the shifts of G span a space of some dimension r <= k:
       otherwise k + 1 independent shifts would be independent on some finite window already. So G satisfies
       a linear recurrence of order r over ℚ, forwards and backwards, and no shorter one.
    2. Its values have bounded denominators. By Fatou's lemma a rational power series with integer
       coefficients, in lowest terms, has a denominator with integer coefficients and constant term 1; so the
       recurrence is monic with integer coefficients, and, read backwards, its last coefficient is ±1.
    3. G is bounded in both directions, so all roots of its characteristic polynomial lie on the unit circle
       and are simple; by Kronecker's theorem they are roots of unity. So the polynomial is a product of
       distinct cyclotomic polynomials Φ_m, r = Σ φ(m_i), and the period is lcm(m_i).
    4. The companion matrix of the product is in GL(r, ℤ) and has that order. In turn an element of finite
       order of GL(k, ℤ) is diagonalizable with such roots, so the largest orders are the same, and the bound
       is met: the recurrence has a bounded integer solution of just that period.

    So the most that is possible is the largest m whose cost is at most k, where the cost of m is the sum of
    φ(q^a) over its prime powers, but nothing for the 2 of an m that is twice an odd number above 1, because
    φ(2 q^a) = φ(q^a).

    Examples
    --------
    >>> [find_largest_period(k)[0] for k in range(1, 9)]
    [2, 6, 6, 12, 12, 30, 30, 60]
    >>> find_largest_period(4)
    (12, (3, 4))
    """
    if not 1 <= rank <= MOST_RANK:
        raise ArgumentError(f"rank = {rank}; expected one from 1 to {MOST_RANK}; correct it")
    odd: dict[int, tuple[int, tuple[int, ...]]] = {0: (1, ())}  # the largest odd product of each cost
    for prime in (q for q in range(3, rank + 2) if all(q % r for r in range(2, q))):
        for spent in sorted(odd, reverse=True):
            value, parts = odd[spent]
            for power, cost in _list_powers(prime, rank - spent):
                if value * power > odd.get(spent + cost, (0, ()))[0]:
                    odd[spent + cost] = (value * power, (*parts, power))
    found: list[tuple[int, tuple[int, ...]]] = [(2, (2,))]
    for spent, (value, parts) in odd.items():
        found += [(value * power, (*parts, power)) for power, _ in _list_powers(2, rank - spent) if power > 2]
        found += [(2 * value, (2 * parts[0], *parts[1:]))] if parts else []
    value, parts = max(found)
    return value, tuple(sorted(parts))


def _list_powers(prime: int, most: int) -> Iterator[tuple[int, int]]:
    """Powers q^a with φ(q^a), which is at most ``most``."""
    power = prime
    while (cost := power - power // prime) <= most:
        yield power, cost
        power *= prime
