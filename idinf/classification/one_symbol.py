"""Programs over one symbol: regular at any depth, as every operation is constant from some block on."""

from __future__ import annotations

from idinf.classification.explored import minimal_machine
from idinf.crasp.eventual import eventual_values
from idinf.crasp.unrolling import LETTER, block_length, check_size, unrolled
from idinf.errors import BudgetError
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget

__all__ = ["one_symbol_machine"]


def one_symbol_machine(target: CountingTarget, most: int) -> RegularTarget | None:
    """The minimal complete DFA of a program over one symbol; None if it is too large to be found.

    Exact, by Lemmas 37 and 40 of [HYB25]_: read in blocks whose length m every modulus divides, the program
    is one without moduli at each place of a block. Its answers at places are constant from some block on, so
    those to a^n have the period m from there on.

    Parameters
    ----------
    target : CountingTarget
        Over an alphabet of one symbol.
    most : int
        Most states before minimization.

    Examples
    --------
    >>> from idinf.crasp.checker import read_program
    >>> from idinf.words import Alphabet
    >>> sigma = Alphabet(("a",))
    >>> text = 'x = 2 * # (# "a" >= 3) <= # "a" && (i mod 2 == 0)'
    >>> machine = one_symbol_machine(CountingTarget(read_program(text, sigma), sigma), 100)
    >>> machine.table.ravel().tolist(), machine.accepting.nonzero()[0].tolist()   # ε, aa, aaaa
    ([1, 2, 3, 4, 5, 5], [0, 2, 4])
    """
    length = block_length(target.program)
    try:
        check_size(target.program)
    except BudgetError:
        return None
    # What follows the last operation of a program is nothing: its places are the last rows.
    over_one = unrolled(target.program, target.alphabet, (0,) * length)
    places = eventual_values(over_one, LETTER)[-length:]
    blocks = max(1, *(place.since for place in places))
    if blocks * length >= most:
        return None
    number = blocks * length  # state n is reached by a^n
    accepted = [bool(places[n % length].at(n // length + 1)) for n in range(number)]
    table = [[n + 1] for n in range(number)] + [[(blocks - 1) * length + 1]]
    return minimal_machine(table, [accepts(target, ()), *accepted], target.alphabet)
