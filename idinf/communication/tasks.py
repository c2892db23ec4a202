"""Tasks of Corollary 13 that no Limit Transformer expresses, as languages, with their number of behaviours.

Each is defined on words and has a closed form for the rows of its communication matrix at the midpoint,
whose proof stands beside it. Binary numbers are written most significant digit first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from idinf.words import Alphabet

__all__ = ["TASKS", "Task", "behaviours_by_words"]


@dataclass(frozen=True, slots=True)
class Task:
    """A language with a closed form.

    Parameters
    ----------
    name : str
    alphabet : Alphabet
    about : str
        The language, in one line.
    member : callable (str) → bool
        Whether a word is in it.
    least, step : int
        Words of it have the lengths least, least + step, least + 2 · step and so on.
    rows : callable (int) → int
        Number of behaviours of first halves at such a length.
    """

    name: str
    alphabet: Alphabet
    about: str
    member: Callable[[str], bool]
    least: int
    step: int
    rows: Callable[[int], int]

    def length_up_to(self, n: int) -> int | None:
        """The largest length of a member that is at most n; None if there is none.

        Examples
        --------
        >>> TASKS["addition"].length_up_to(16), TASKS["addition"].length_up_to(5)
        (15, None)
        """
        return None if n < self.least else n - (n - self.least) % self.step


def behaviours_by_words(task: Task, length: int) -> int:
    """The number of distinct rows f(u·) at the midpoint, by all words: what the closed form must equal.

    Exponential: for tests and small n.

    Examples
    --------
    >>> behaviours_by_words(TASKS["equality"], 4), TASKS["equality"].rows(4)
    (4, 4)
    """
    first = _words(task.alphabet.symbols, length // 2)
    second = _words(task.alphabet.symbols, length - length // 2)
    return len({tuple(task.member(u + v) for v in second) for u in first})


def _words(symbols: tuple[str, ...], length: int) -> list[str]:
    words = [""]
    for _ in range(length):
        words = [word + symbol for word in words for symbol in symbols]
    return words


def _is_square(word: str) -> bool:
    half = len(word) // 2
    return len(word) % 2 == 0 and word[:half] == word[half:]


def _square_rows(n: int) -> int:
    """n = 2k. v = u is accepted after u alone, so all 2^k words u differ."""
    return 1 << n // 2


def _is_copy(word: str) -> bool:
    first, mark, second = word.partition("#")
    return bool(mark) and first == second


def _copy_rows(n: int) -> int:
    """n = 2k + 1, |u| = k. Of the u without '#', v = #u is accepted after u alone: 2^k rows.

    A u with '#' has it before the middle, so no word of length n that begins with u is a copy: one more row,
    all 0, if k > 0.
    """
    k = n // 2
    return (1 << k) + (k > 0)


def _is_sum(word: str) -> bool:
    left, _, rest = word.partition("+")
    right, equals, total = rest.partition("=")
    if not equals or not left or len(right) != len(left) or len(total) != len(left) + 1:
        return False
    if not set(left + right + total) <= {"0", "1"}:
        return False
    return int(left, 2) + int(right, 2) == int(total, 2)


def _sum_rows(n: int) -> int:
    """n = 3k + 3, x and y of k digits, z of k + 1; u is x, '+' and the first j = ⌊n/2⌋ − k − 1 digits of y.

    The rest y'' = z of v asks for x + 2^(k−j) y' + y'', so a well-formed u acts by s = x + 2^(k−j) y' alone,
    and v = 0…0=z with z = s is accepted for this s only. As x < 2^k is any number and 2^(k−j) ≤ 2^k, s
    takes every value from 0 to 2^k − 1 + (2^j − 1) 2^(k−j): that are 2^(k+1) − 2^(k−j). All other u are one
    row, all 0.
    """
    k = n // 3 - 1
    j = n // 2 - k - 1
    return (1 << (k + 1)) - (1 << (k - j)) + 1


_BINARY = Alphabet(("0", "1"))

#: By name.
TASKS = {
    task.name: task
    for task in (
        Task("equality", _BINARY, "ww with w over 01", _is_square, 0, 2, _square_rows),
        Task("copy-repeat", Alphabet(("0", "1", "#")), "w#w with w over 01", _is_copy, 1, 2, _copy_rows),
        Task(
            "addition",
            Alphabet(("0", "1", "+", "=")),
            "x+y=z in binary, x and y of k ≥ 1 digits, z of k + 1",
            _is_sum,
            6,
            3,
            _sum_rows,
        ),
    )
}
