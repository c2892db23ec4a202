"""Generated families: each member against a plain definition on short words, and counts by brute force."""

import itertools
from collections import Counter
from collections.abc import Callable

import pytest

import idinf
from idinf.spec.catalogue import list_entries, load, load_family
from idinf.spec.parameters import draw_minimal_automaton, list_minimal_automata
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget

LETTERS = "abcdefgh"


def nested(word: str, depth: int) -> bool:
    """Balanced brackets by a stack."""
    stack: list[str] = []
    for letter in word:
        if letter in "ace":
            stack.append(letter)
        elif not stack or ord(stack.pop()) + 1 != ord(letter):
            return False
        if len(stack) > depth:
            return False
    return not stack


def blocks(word: str, number: int, least: int) -> bool:
    """Letters in order, each often enough."""
    return list(word) == sorted(word) and all(word.count(letter) >= least for letter in LETTERS[:number])


def alternating(word: str, number: int) -> bool:
    """As many runs, the first of a."""
    return [letter for letter, _ in itertools.groupby(word)] == list(("ab" * number)[:number])


#: By family: the members that are tried, and the language by its parameters.
PLAIN: dict[str, tuple[list[tuple[int, ...]], Callable[..., bool]]] = {
    "ge-k-j": (
        [(1, 1), (1, 3), (2, 3), (3, 2), (5, 1)],
        lambda w, k, j: k * w.count("1") >= j * w.count("0"),
    ),
    "threshold-t-s": ([(0, 1), (1, 1), (3, 2), (2, 3), (9, 2)], lambda w, t, s: w.count("a") >= t),
    "share-k-s": (
        [(1, 2), (3, 2), (2, 3), (1, 4)],
        lambda w, k, s: k * w.count("a") >= len(w) - w.count("a"),
    ),
    "blocks-m-t": ([(1, 0), (1, 2), (2, 0), (3, 1), (3, 0), (4, 2)], blocks),
    "modulus-m-r": ([(2, 0), (2, 1), (3, 0), (3, 2), (5, 4)], lambda w, m, r: w.count("1") % m == r),
    "chain-k-s": (
        [(2, 1), (3, 1), (2, 2), (2, 3), (3, 2)],
        lambda w, k, s: w == LETTERS[:s] * (len(w) // s) and len(w) % (k * s) == 0,
    ),
    "alternating-k": ([(1,), (2,), (5,)], alternating),
    "nested-d-b": ([(1, 1), (2, 1), (4, 1), (1, 2), (2, 2), (3, 2), (2, 3)], lambda w, d, b: nested(w, d)),
}


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("family", "values"), [(family, values) for family, (members, _) in PLAIN.items() for values in members]
)
def test_a_member_is_the_language_of_its_parameters(family: str, values: tuple[int, ...]) -> None:
    names = load_family(family).parameters.names
    spec = load(family, tuple(zip(names, values, strict=True)))
    assert spec.name == "-".join([family[: -sum(map(len, names)) - len(names)], *map(str, values)])
    target, symbols = build_target(spec), spec.alphabet.symbols
    longest = {1: 12, 2: 8, 3: 7, 4: 5}.get(len(symbols), 4)
    for length in range(longest + 1):
        for word in itertools.product(range(len(symbols)), repeat=length):
            text = "".join(symbols[code] for code in word)
            assert accepts(target, word) == PLAIN[family][1](text, *values), text


@pytest.mark.parametrize(("states", "letters", "longest"), [(1, 2, 3), (2, 2, 5), (3, 1, 6), (2, 3, 3)])
def test_all_languages_are_listed_once(states: int, letters: int, longest: int) -> None:
    """Against every table with so many states: which words of some length each accepts, and no other."""
    words = [
        word for length in range(longest + 1) for word in itertools.product(range(letters), repeat=length)
    ]

    def language(table: tuple[tuple[int, ...], ...], accepting: int) -> tuple[bool, ...]:
        said = []
        for word in words:
            state = 0
            for code in word:
                state = table[state][code]
            said.append(bool(accepting >> state & 1))
        return tuple(said)

    def all_of(size: int) -> set[tuple[bool, ...]]:
        rows = list(itertools.product(range(size), repeat=letters))
        tables = itertools.product(rows, repeat=size)
        return {language(table, accepting) for table in tables for accepting in range(2**size)}

    smaller = set().union(*(all_of(size) for size in range(1, states)))
    listed = [language(*one) for one in list_minimal_automata(states, letters)]
    assert len(set(listed)) == len(listed)
    assert set(listed) == all_of(states) - smaller


@pytest.mark.parametrize(("states", "number"), [(1, 2), (2, 24), (3, 1028)])
def test_the_number_of_languages(states: int, number: int) -> None:
    entries = list_entries(["regular-k-i"], {"k": [states]})
    assert len(entries) == number
    tables = set()
    for entry in entries[:: 1 if states < 3 else 25]:
        target = build_target(entry.spec)
        assert isinstance(target, RegularTarget)
        assert len(target.table) == states
        tables.add((str(target.table.tolist()), str(target.accepting.tolist())))
    assert len(tables) == len(entries[:: 1 if states < 3 else 25])


def test_random_languages_are_uniform_and_the_same_everywhere() -> None:
    assert draw_minimal_automaton(3, 2, 1) == (((1, 2), (1, 2), (2, 0)), 5)  # a golden value
    drawn = Counter(draw_minimal_automaton(2, 2, seed) for seed in range(2400))
    assert set(drawn) == set(list_minimal_automata(2))
    # Expected 100 each, with a standard deviation below 10: 5 of them, and chance 1e-5 for 24.
    assert all(50 < count < 150 for count in drawn.values())
    for k, s in ((2, 2), (5, 3), (12, 2)):
        target = build_target(idinf.target("random-k-s-seed", values={"k": k, "s": s, "seed": 3}).spec)
        assert isinstance(target, RegularTarget)
        assert target.table.shape == (k, s)
