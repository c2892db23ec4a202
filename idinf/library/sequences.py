"""Infinite sequences, and how far two of them are apart, in one call each."""

from __future__ import annotations

from dataclasses import dataclass

from idinf.continuity import sequences
from idinf.continuity.distances import (
    EventualEquality,
    LimitDistance,
    PrefixDistance,
    compare_prefixes,
    decide_equality,
    find_limit,
)
from idinf.errors import ArgumentError, SpecError
from idinf.quoting import quote

#: Longest prefixes that are compared, and longest prompts that are followed.
MOST_PREFIX = 1 << 14


@dataclass(frozen=True, slots=True)
class SequenceComparison:
    """Two sequences: prefixes of length n, the limit of their distance, and equality in the end."""

    prefix: PrefixDistance
    limit: LimitDistance
    equal: EventualEquality


def sequence(text: str, *, alphabet: str | None = None) -> sequences.Sequence:
    """Take an infinite sequence.

    ``1(01)`` is 1 and then 01 again and again; ``thue-morse`` and ``fibonacci`` have names. ``@k`` behind one
    of these changes every k-th place.

    Raises
    ------
    SpecError
        If it is none, or has a symbol outside of the alphabet.

    Examples
    --------
    >>> sequence("(0)@3").prefix(7)
    '0010010'
    """
    return sequences.parse_sequence(text, alphabet)


def compare_sequences(
    a: sequences.Sequence | str, b: sequences.Sequence | str, *, n: int = 1024
) -> SequenceComparison:
    """Compare two sequences: prefixes of length n, the limit inferior of d_H, and equality in the end.

    Raises
    ------
    SpecError, ArgumentError
        If one is none, they are over different alphabets, or n is not from 1 to `MOST_PREFIX`.

    Examples
    --------
    >>> found = compare_sequences("(01)", "(0011)", n=8)
    >>> str(found.prefix.hamming), str(found.limit), str(found.equal)
    ('1/2', '1/2', 'no, they differ at infinitely many places')
    """
    one, other = take_sequence(a), take_sequence(b)
    if one.symbols != other.symbols:
        raise SpecError(
            f"sequences {quote(str(one))} over {one.symbols} and {quote(str(other))} over "
            f"{other.symbols}; expected one alphabet, as d_H does; name it by --alphabet"
        )
    check_range("n", n, 1, MOST_PREFIX)
    prefix = compare_prefixes(one.prefix(n), other.prefix(n))
    return SequenceComparison(prefix, find_limit(one, other, n), decide_equality(one, other, n))


def take_sequence(a: sequences.Sequence | str) -> sequences.Sequence:
    """Take a sequence, or read one."""
    return a if isinstance(a, sequences.Sequence) else sequence(str(a))


def check_range(name: str, value: int, least: int, most: int) -> None:
    """Refuse what is no number of a range; ArgumentError."""
    if not isinstance(value, int) or not least <= value <= most:
        raise ArgumentError(f"{name} = {quote(str(value))}; expected one from {least} to {most}; correct it")
