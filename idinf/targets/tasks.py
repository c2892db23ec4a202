"""The algorithmic tasks of [HYB25], Appendix E.2 and Remark 21, as languages beside the targets of specs.

Some are given by a C-RASP program. Of the others no Limit Transformer decides any: each has a closed form
for the rows of its communication matrix at the midpoint (Corollary 13), whose proof stands beside it. Binary
numbers are written most significant digit first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from idinf.base.words import Alphabet


@dataclass(frozen=True, slots=True)
class Task:
    """A language with a closed form. Words of it have the lengths least, least + step, least + 2 · step, …"""

    name: str
    alphabet: Alphabet
    about: str  #: the language, in one line
    least: int
    step: int
    rows: Callable[[int], int]  #: number of behaviours of first halves at such a length n
    part: int  #: d such that there are at least 2^(⌊n/d⌋ − 1)
    circuit: str  #: why circuits of constant depth and polynomial size decide it, or do not
    in_ac0: bool = True  #: whether they do

    def length_up_to(self, n: int) -> int | None:
        """The largest length of a member that is at most n; None if there is none.

        >>> TASKS["addition"].length_up_to(16), TASKS["addition"].length_up_to(5)
        (15, None)
        """
        return None if n < self.least else n - (n - self.least) % self.step


def _square_rows(n: int) -> int:
    """n = 2k. v = u is accepted after u alone, so all 2^k words u differ."""
    return 1 << n // 2


def _copy_rows(n: int) -> int:
    """n = 2k + 1, |u| = k. Of the u without '#', v = #u is accepted after u alone: 2^k rows.

    A u with '#' has it before the middle, so no word of length n that begins with u is a copy: one more row,
    all 0, if k > 0.
    """
    k = n // 2
    return (1 << k) + (k > 0)


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


def _product_rows(n: int) -> int:
    """n = 3k + 2, x, y and z of k digits; u is x, '*' and the first j = ⌊n/2⌋ − k − 1 digits y' of y.

    The rest y'' = z of v asks for x 2^(k−j) y' + x y'' modulo 2^k, which a well-formed u tells for every y'';
    y'' = 0 and 1 tell x and x y' modulo 2^j, and with these all of it. If 2^t is the largest power of 2 in
    x, then x y' takes 2^(j−t) values, and one if t > j. There are 2^(k−1−t) such x for t < k, and x = 0. So
    t < j gives the sum of 2^(k+j−1−2t), which is (2^(k+j+1) − 2^(k−j+1))/3, and the 2^(k−j) other x one row
    each. All other u are one row, all 0.
    """
    k = n // 3
    j = n // 2 - k - 1
    return ((1 << (k + j + 1)) - (1 << (k - j + 1))) // 3 + (1 << (k - j)) + 1


def _balanced_rows(n: int) -> int:
    """n = 2m, |u| = m. A u that begins a word leaves h brackets open, h ≤ m and h − m even.

    What closes them, and pairs behind it, is of length m and fits no other open brackets: the sum of 2^h
    over these h, which is (2^(m+2) − 2^(m mod 2))/3. All other u are one row, all 0, if m > 0.
    """
    m = n // 2
    return ((1 << (m + 2)) - (1 << m % 2)) // 3 + (m > 0)


@dataclass(frozen=True, slots=True)
class ProgramTask:
    """A task that a C-RASP program decides."""

    name: str
    alphabet: Alphabet
    about: str  #: the language, in one line
    text: str  #: the program
    scope: str = ""  #: what the alphabet stands for; empty where the task has no other


def build_majority(alphabet: Alphabet) -> ProgramTask:
    """The majority task over any alphabet.

    >>> build_majority(Alphabet(("0", "1", "2"))).text
    'accept = # "0" >= # "1" && # "0" >= # "2"'
    """
    first, *others = alphabet.symbols
    return ProgramTask(
        f"majority-{len(alphabet)}",
        alphabet,
        f"{first} is at least as frequent as every other symbol",
        "accept = " + " && ".join(f'# "{first}" >= # "{other}"' for other in others),
    )


def sort(symbols: tuple[str, ...]) -> ProgramTask:
    """The sort task over symbols in increasing order, with the separator #.

    After the symbols of one side comes each of them once, in order. Where none is repeated that is sorting;
    without repetitions there were finitely many words.

    >>> sort(("a", "b")).alphabet.symbols
    ('a', 'b', '#')
    """
    lines = ['reading = # "#" == 0']
    for k, symbol in enumerate(symbols):
        lines.append(f'read{k} = # ("{symbol}" && reading) >= 1')
        lines.append(f'written{k} = # ("{symbol}" && ! reading)')
    for k, symbol in enumerate(symbols):
        larger = [f"written{j}" for j in range(k + 1, len(symbols))]
        lines.append(f'late{k} = # ("{symbol}" && ! reading && {" + ".join(larger) or 0} >= 1)')
        lines.append(f"once{k} = read{k} && written{k} == 1 || ! read{k} && written{k} == 0")
    right = " && ".join(f"once{k} && late{k} == 0" for k in range(len(symbols)))
    return ProgramTask(
        "sort",
        Alphabet((*symbols, "#")),
        "u#v, where v are the symbols of u in increasing order, each once",
        "\n".join([*lines, f'accept = # "#" == 1 && {right}']),
        f"over {len(symbols)} symbols and #; over more the same program with as many lines for each",
    )


def build_copy_unique(symbols: tuple[str, ...]) -> ProgramTask:
    """The induction head that copies distinct symbols one by one, asked whether the first symbol is next.

    >>> build_copy_unique(("a", "b")).text.splitlines()[0]
    'after0 = #[j = i-1] "a" >= 1'
    """
    lines = [f'after{k} = #[j = i-1] "{symbol}" >= 1' for k, symbol in enumerate(symbols)]
    seen = [f'("{symbol}" && # ("{symbols[0]}" && after{k}) >= 1)' for k, symbol in enumerate(symbols)]
    return ProgramTask(
        "copy-unique",
        Alphabet(symbols),
        f"{symbols[0]} has followed the last symbol before, so the induction head copies it",
        "\n".join([*lines, "accept = " + " || ".join(seen)]),
        f"over {len(symbols)} symbols; over more the same program with a line for each, and these among them",
    )


_BINARY = Alphabet(("0", "1"))

_MAJORITIES = ProgramTask(
    "majority-interleave",
    _BINARY,
    "each of 3 interleaved sequences has at least as many 1s as 0s",
    "accept = " + " && ".join(f'# ("0" && i mod 3 == {r}) <= # ("1" && i mod 3 == {r})' for r in (1, 2, 0)),
)
_EQUALITY = Task(
    "equality",
    _BINARY,
    "ww with w over 01",
    least=0,
    step=2,
    rows=_square_rows,
    part=2,
    circuit="for each n the symbols i and i + n/2 are compared, all at once",
)
_COPY = Task(
    "copy-repeat",
    Alphabet(("0", "1", "#")),
    "w#w with w over 01",
    least=1,
    step=2,
    rows=_copy_rows,
    part=2,
    circuit="for each n the symbols i and i + (n + 1)/2 are compared and # is looked for, all at once",
)
_ADDITION = Task(
    "addition",
    Alphabet(("0", "1", "+", "=")),
    "x+y=z in binary, x and y of k ≥ 1 digits, z of k + 1",
    least=6,
    step=3,
    rows=_sum_rows,
    part=3,
    circuit="for each n the places of the digits are known, and a carry is there iff some place to the right "
    "has two 1s and no place between has two 0s",
)

_MULTIPLICATION = Task(
    "multiplication",
    Alphabet(("0", "1", "*", "=")),
    "x*y=z in binary, x, y and z of k ≥ 1 digits, z the last k of the product",
    least=5,
    step=3,
    rows=_product_rows,
    part=3,
    circuit="to check a product is as hard as to count (Buss 1992)",
    in_ac0=False,
)
_DYCK_2 = Task(
    "dyck-2",
    Alphabet(("(", ")", "[", "]")),
    "balanced words of two kinds of brackets",
    least=0,
    step=2,
    rows=_balanced_rows,
    part=2,
    circuit="with n times ( before and ) behind it, a word w over () of length n is in it iff it has as many "
    "( as )",
    in_ac0=False,
)

#: By name: those with a closed form.
TASKS = {task.name: task for task in (_EQUALITY, _COPY, _ADDITION, _MULTIPLICATION, _DYCK_2)}

#: By name: those with a program.
PROGRAM_TASKS = {
    task.name: task
    for task in (
        build_majority(Alphabet(tuple("abcdefghijklmnopqrstuvwxyz"))),
        _MAJORITIES,
        sort(("a", "b", "c")),
        build_copy_unique(("a", "b", "c")),
    )
}
