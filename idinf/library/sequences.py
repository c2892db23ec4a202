"""Infinite sequences, and how far two of them are apart, in one call each."""

from __future__ import annotations

from collections.abc import Callable
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
from idinf.library.languages import Language
from idinf.library.operands import Operand, find_common_alphabet, language
from idinf.library.sources import read_operand
from idinf.quoting import quote
from idinf.transformers.limit_transformer import LimitTransformer

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

    ``1(01)`` is 1 and then 01 again and again; ``thue-morse``, ``fibonacci`` and ``blocks`` have names;
    ``feed:NAME`` is what a program or another language says of what it said before, its first symbol for
    no. ``@k`` behind one of these changes every k-th place.

    Raises
    ------
    SpecError
        If it is none, or has a symbol outside of the alphabet.

    Examples
    --------
    >>> sequence("(0)@3").prefix(7), sequence("feed:majority").prefix(4)
    ('0010010', '1111')
    """
    if not text.startswith("feed:"):
        return sequences.parse_sequence(text, alphabet)
    name, at, changes = text.removeprefix("feed:").partition("@")
    operand = read_operand(name)
    symbols = find_common_alphabet(operand, operand).symbols
    if len(symbols) < 2 or any(len(symbol) > 1 for symbol in symbols):
        raise SpecError(
            f"sequence {quote(text)}: expected a language over at least two letters; name another"
        )
    letters = "".join(symbols)
    fed = sequences.over(sequences.Fed(letters, operand.name, letters[:2], _follow(operand)), alphabet, text)
    if not at:
        return fed
    if not changes.isdecimal() or not 1 <= int(changes[:9]) <= sequences.MOST_PLACES:
        raise SpecError(f"sequence {quote(text)}: expected a number from 1 behind @; correct it")
    return sequences.change(fed, int(changes))


def _follow(operand: Operand) -> Callable[[str], bool]:
    """Decide words that grow by a symbol each time, from where the last one ended."""
    alphabet = find_common_alphabet(operand, operand)
    machine = language(operand, alphabet)
    if isinstance(machine, LimitTransformer):
        return Language(operand).__contains__
    states, read = machine.start(), ""

    def decide(word: str) -> bool:
        nonlocal states, read
        if not word.startswith(read):
            states, read = machine.start(), ""
        for code in alphabet.encode(word[len(read) :]):
            states = machine.step(states, code)
        read = word
        return bool(machine.labels(states)[0])

    return decide


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
