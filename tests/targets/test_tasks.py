"""Closed forms of the tasks against all words, or against all their members; programs against all words."""

import itertools
from collections.abc import Callable

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import read_program
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.targets.tasks import PROGRAM_TASKS, TASKS, ProgramTask, build_copy_unique, build_majority, sort


def is_square(word: str) -> bool:
    return word == 2 * word[: len(word) // 2]


def is_copy(word: str) -> bool:
    first, mark, second = word.partition("#")
    return bool(mark) and first == second


def is_sum(word: str) -> bool:
    left, _, rest = word.partition("+")
    right, equals, total = rest.partition("=")
    if not equals or not left or len(right) != len(left) or len(total) != len(left) + 1:
        return False
    if not set(left + right + total) <= {"0", "1"}:
        return False
    return int(left, 2) + int(right, 2) == int(total, 2)


def is_product(word: str) -> bool:
    left, _, rest = word.partition("*")
    right, equals, product = rest.partition("=")
    if not equals or not left or not len(left) == len(right) == len(product):
        return False
    if not set(left + right + product) <= {"0", "1"}:
        return False
    return int(left, 2) * int(right, 2) % (1 << len(left)) == int(product, 2)


def is_balanced(word: str) -> bool:
    waiting: list[str] = []
    for symbol in word:
        if symbol in "([":
            waiting.append(symbol)
        elif not waiting or waiting.pop() + symbol not in ("()", "[]"):
            return False
    return not waiting


#: Whether a word is in the language of a task.
IS_MEMBER: dict[str, Callable[[str], bool]] = {
    "equality": is_square,
    "copy-repeat": is_copy,
    "addition": is_sum,
    "multiplication": is_product,
    "dyck-2": is_balanced,
}


def behaviours_by_words(task, length: int) -> int:
    """The number of distinct rows f(u·) at the midpoint, by all words: what the closed form must equal."""
    first = itertools.product(task.alphabet.symbols, repeat=length // 2)
    second = list(itertools.product(task.alphabet.symbols, repeat=length - length // 2))
    return len({tuple(IS_MEMBER[task.name]("".join(u + v)) for v in second) for u in first})


def balanced(length: int) -> list[str]:
    """Balanced words by their first pair of brackets."""
    if not length:
        return [""]
    return [
        f"{opening}{inner}{closing}{rest}"
        for opening, closing in ("()", "[]")
        for size in range(0, length - 1, 2)
        for inner in balanced(size)
        for rest in balanced(length - 2 - size)
    ]


def members(name: str, length: int) -> list[str]:
    """All words of a task of one length, written from its definition in words."""

    def binary(width: int) -> list[str]:
        return [f"{value:0{width}b}" if width else "" for value in range(1 << width)]

    match name:
        case "equality":
            return [w + w for w in binary(length // 2)] if length % 2 == 0 else []
        case "copy-repeat":
            return [f"{w}#{w}" for w in binary(length // 2)] if length % 2 else []
        case "multiplication":
            k, rest = divmod(length - 2, 3)
            if rest or k < 1:
                return []
            last = 1 << k
            return [f"{x}*{y}={int(x, 2) * int(y, 2) % last:0{k}b}" for x in binary(k) for y in binary(k)]
        case "dyck-2":
            return balanced(length)
        case _:
            k = length // 3 - 1
            if length % 3 or k < 1:
                return []
            return [f"{x}+{y}={int(x, 2) + int(y, 2):0{k + 1}b}" for x in binary(k) for y in binary(k)]


def rows_by_members(name: str, length: int) -> int:
    """First halves that begin a member, by what completes them, and one more if there is any other."""
    after: dict[str, set[str]] = {}
    for word in members(name, length):
        after.setdefault(word[: length // 2], set()).add(word[length // 2 :])
    dead = len(after) < len(TASKS[name].alphabet) ** (length // 2)
    return len({frozenset(found) for found in after.values()}) + dead


@pytest.mark.parametrize(
    ("name", "most"),
    [("equality", 20), ("copy-repeat", 21), ("addition", 24), ("multiplication", 23), ("dyck-2", 12)],
)
def test_closed_forms(name: str, most: int) -> None:
    task = TASKS[name]
    for length in range(task.least, most + 1, task.step):
        assert task.rows(length) == rows_by_members(name, length), length


@pytest.mark.parametrize(
    ("name", "most"),
    [("equality", 8), ("copy-repeat", 7), ("addition", 6), ("multiplication", 5), ("dyck-2", 6)],
)
def test_all_words_at_small_lengths(name: str, most: int) -> None:
    task = TASKS[name]
    for length in range(task.least, most + 1, task.step):
        assert behaviours_by_words(task, length) == task.rows(length)
        assert all(IS_MEMBER[name](word) for word in members(name, length))


def least_halves(word: str) -> bool:
    """Each of the three sequences has at least as many 1s as 0s."""
    return all(2 * word[k::3].count("1") >= len(word[k::3]) for k in range(3))


def sorted_once(word: str) -> bool:
    left, mark, right = word.partition("#")
    return bool(mark) and right == "".join(sorted(set(left)))


def followed(word: str) -> bool:
    return any(word[k] == word[-1] and word[k + 1] == "a" for k in range(len(word) - 1))


def most_frequent(word: str) -> bool:
    return all(word.count("a") >= word.count(letter) for letter in word)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("task", "member", "length"),
    [
        (PROGRAM_TASKS["majority-interleave"], least_halves, 11),
        (PROGRAM_TASKS["sort"], sorted_once, 7),
        (sort(("a", "b")), sorted_once, 9),
        (PROGRAM_TASKS["copy-unique"], followed, 8),
        (build_copy_unique(("a", "b")), followed, 10),
        (build_majority(Alphabet(("a", "b", "c"))), most_frequent, 8),
    ],
)
def test_programs_on_all_short_words(task: ProgramTask, member: Callable[[str], bool], length: int) -> None:
    words = list(words_up_to(len(task.alphabet), length))
    found = compute_labels(read_program(task.text, task.alphabet), task.alphabet, lay_out_words(words))
    assert found.tolist() == [member(task.alphabet.decode(word)) for word in words]
    assert found.any()
    assert not found.all()
