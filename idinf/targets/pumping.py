"""Long words of a regular language that short words say nothing about: pumped ones, and near misses.

For example, up to length 11 the language D_12 is Dyck-1. What tells them apart are words such as a^13 b^13:
the way to the deepest state, something short put in there, and the way back.
"""

from __future__ import annotations

from collections.abc import Iterator

from idinf.base.words import Word
from idinf.targets.regular import RegularTarget

#: Words that are put in, at most: the shortest that lead from some state back to it.
LOOPS = 6

#: States of the largest automaton that words are drawn from: a way is looked for between any two of them.
MOST_STATES = 100


def draw_pumped_words(target: RegularTarget, shortest: int, longest: int, number: int) -> tuple[Word, ...]:
    """Draw words u y^k z with u to a state, z from there to acceptance, and y short, in shortlex order.

    Where y leads back to the state, the word is accepted; other y, or a symbol of u y^k z that is changed or
    left out, make near misses, which may be accepted or not. The words have lengths from ``shortest`` to
    ``longest``; if there are more than ``number``, some are taken at even distances, the last one among them.
    Equal arguments give equal words. Of automata with more than ``MOST_STATES`` states there are none.

    >>> from idinf.base.words import Alphabet
    >>> ab = RegularTarget.from_regex("(ab)*", Alphabet(("a", "b")))
    >>> words = draw_pumped_words(ab, 5, 6, 4)
    >>> ["".join("ab"[code] for code in word) for word in words]
    ['aabbb', 'aababb', 'aabbbb', 'ababab']
    """
    if len(target.table) > MOST_STATES:
        return ()
    found = {
        word
        for drawn in _drawn(target, longest)
        for word in (drawn, *_changed(drawn, len(target.alphabet)))
        if shortest <= len(word) <= longest
    }
    ordered = sorted(found, key=lambda word: (len(word), word))
    if len(ordered) <= number:
        return tuple(ordered)
    return tuple(ordered[(k + 1) * len(ordered) // number - 1] for k in range(number))


def _drawn(target: RegularTarget, longest: int) -> Iterator[Word]:
    """All u y^k z up to a length, for powers k that double."""
    table = target.table.tolist()
    access = _shortest_ways(table, 0)
    ways = {state: _shortest_ways(table, state) for state in access}
    accepting = [state for state in access if target.accepting[state]]
    leaving = {
        state: min((way[end] for end in accepting if end in way), key=lambda word: (len(word), word))
        for state, way in ways.items()
        if any(end in way for end in accepting)
    }
    returns: set[Word] = set()
    for state in leaving:
        back = [(code, *ways[r][state]) for code, r in enumerate(table[state]) if state in ways[r]]
        returns.update(sorted(back, key=lambda word: (len(word), word))[:1])
    loops = sorted(returns, key=lambda word: (len(word), word))[:LOOPS]
    for state, end in leaving.items():
        for loop in loops:
            k, room = 1, longest - len(access[state]) - len(end)
            while k * len(loop) <= room:
                yield access[state] + loop * k + end
                k *= 2


def _shortest_ways(table: list[list[int]], start: int) -> dict[int, Word]:
    """The shortlex-least word from a state to every state that it reaches, breadth first."""
    ways: dict[int, Word] = {start: ()}
    queue = [start]
    for state in queue:
        for code, following in enumerate(table[state]):
            if following not in ways:
                ways[following] = (*ways[state], code)
                queue.append(following)
    return ways


def _changed(word: Word, symbols: int) -> Iterator[Word]:
    """A word with its middle symbol changed, and without it."""
    middle = len(word) // 2
    yield (*word[:middle], (word[middle] + 1) % symbols, *word[middle + 1 :]) if word else ()
    yield (*word[:middle], *word[middle + 1 :])
