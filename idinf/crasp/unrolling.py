"""Lemma 40: a program on the words h(a)^n is a program on a^n, if h(a) is long enough; and what follows.

The block h(a) has a length that every modulus divides and no distance reaches across, so positional relations
turn into places of a block. A program over one symbol becomes constant (Lemma 37), so the one it came from
answers alike on h(a)^n and h(a)^(n+1), and PARITY does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from idinf.base.quoting import list_some, quote
from idinf.base.words import Alphabet, Word
from idinf.crasp import syntax as s
from idinf.crasp.checker import check
from idinf.crasp.eventual import compute_eventual_values
from idinf.crasp.facts import describe_program
from idinf.crasp.inverse_images import Morphism, check_size, pull_back
from idinf.errors import ProgramError

#: The one symbol of unrolled programs.
LETTER = "a"


@dataclass(frozen=True, slots=True)
class FoolingPair:
    """Two words of different parity that a program answers alike.

    `block`: h(a), codes of the alphabet: the counted symbol once, then the other one. `unrolled`: over one
    symbol: it accepts a^n iff the program accepts h(a)^n, for every n. `times, accepted`: the least n ≥ 1
    such that all of h(a)^n, h(a)^(n+1), h(a)^(n+2), … get one answer, and that answer.
    """

    block: Word
    unrolled: s.ProgramTree
    times: int
    accepted: bool

    def __repr__(self) -> str:
        answer = "accepted" if self.accepted else "rejected"
        return f"<FoolingPair h(a)^{self.times}, h(a)^{self.times + 1}: both {answer}>"


def find_block_length(program: s.ProgramTree) -> int:
    """The least multiple of all moduli of a program that is above all its distances.

    >>> from idinf.crasp.parser import parse
    >>> find_block_length(parse('accept = (i mod 3 == 0) && #[j >= i-4] "a" > 0'))
    6
    """
    facts = describe_program(program)
    return facts.period * (facts.reach // facts.period + 1)


def find_fooling_pair(program: s.ProgramTree, alphabet: Alphabet, counted: str) -> FoolingPair:
    """Show that a program is not PARITY: h(a)^n and h(a)^(n+1) differ in the parity of `counted`.

    The program is checked over `alphabet`; periodic and local relations are allowed.

    Raises `ProgramError` if `counted` is no symbol, or the only one. `BudgetError` if the block is too long
    for the size of the program.

    Implements Lemma 41 of [HYB25]_: no program of C-RASP[periodic,local] is PARITY.

    >>> from idinf.crasp.parser import parse
    >>> found = find_fooling_pair(parse('accept = # "1" >= 3 || (i mod 2 == 1)'), Alphabet(("0", "1")), "1")
    >>> found.block, found.times, found.accepted
    ((1, 0), 3, True)
    """
    symbols = list_some(alphabet.symbols)
    if len(alphabet) < 2:
        raise ProgramError(f"alphabet {symbols}; expected at least two symbols; give --alphabet")
    if counted not in alphabet.symbols:
        raise ProgramError(f"symbol {quote(counted)}; expected one of the alphabet {symbols}; give --symbol")
    code = alphabet.symbols.index(counted)
    filler = 0 if code else 1
    check_size(program, find_block_length(program))
    block = (code, *(filler,) * (find_block_length(program) - 1))
    over_one = unroll(program, alphabet, block)
    last = compute_eventual_values(over_one, LETTER)[-1]
    times = max(1, last.since)
    return FoolingPair(block, over_one, times, bool(last.at(times)))


def unroll(program: s.ProgramTree, alphabet: Alphabet, block: Word) -> s.ProgramTree:
    """The program over one symbol that accepts a^n iff the given one accepts block^n, for every n ≥ 0.

    Raises `ProgramError` if the length of the block is no multiple of every modulus, or not above every
    distance.

    Implements Lemma 40 of [HYB25]_ for every n, as a case of Lemma 42: moduli become places of a block, and a
    distance leaves it for the block before at most, so the result is in C-RASP[local]; over one symbol that
    does not matter, see `idinf.crasp.eventual`.
    """
    check(program, alphabet)
    needed = find_block_length(program)
    period = describe_program(program).period
    if not block or len(block) % period or len(block) < needed:
        raise ProgramError(
            f"a block of {len(block)} symbols; expected a multiple of {period}, at least {needed}; "
            "choose a longer one"
        )
    return pull_back(program, Morphism(Alphabet((LETTER,)), alphabet, (block,)))
