"""Lemma 40: a program on the words h(a)^n is a program on a^n, if h(a) is long enough; and what follows.

The block h(a) has a length that every modulus divides and no distance reaches across, so positional relations
turn into places of a block. A program over one symbol becomes constant (Lemma 37), so the one it came from
answers alike on h(a)^n and h(a)^(n+1), and PARITY does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from idinf.crasp import syntax as s
from idinf.crasp.checker import check, find_window
from idinf.crasp.eventual import compute_eventual_values
from idinf.crasp.facts import describe_program
from idinf.errors import BudgetError, ProgramError
from idinf.quoting import list_some, quote
from idinf.words import Alphabet, Word

#: The one symbol of unrolled programs.
LETTER = "a"

#: Terms of an unrolled program, roughly: a count has three at each place of a block.
MAX_TERMS = 50_000


@dataclass(frozen=True, slots=True)
class FoolingPair:
    """Two words of different parity that a program answers alike.

    Parameters
    ----------
    block : tuple of int
        h(a), codes of the alphabet: the counted symbol once, then the other one.
    unrolled : Program
        Over one symbol: it accepts a^n iff the program accepts h(a)^n, for every n.
    times, accepted : int, bool
        The least n ≥ 1 such that all of h(a)^n, h(a)^(n+1), h(a)^(n+2), … get one answer, and that answer.
    """

    block: Word
    unrolled: s.ProgramTree
    times: int
    accepted: bool


def find_block_length(program: s.ProgramTree) -> int:
    """The least multiple of all moduli of a program that is above all its distances.

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> find_block_length(parse('accept = (i mod 3 == 0) && #[j >= i-4] "a" > 0'))
    6
    """
    facts = describe_program(program)
    return facts.period * (facts.reach // facts.period + 1)


def find_fooling_pair(program: s.ProgramTree, alphabet: Alphabet, counted: str) -> FoolingPair:
    """Show that a program is not PARITY: h(a)^n and h(a)^(n+1) differ in the parity of `counted`.

    The program is checked over `alphabet`; periodic and local relations are allowed.

    Raises
    ------
    ProgramError
        If `counted` is no symbol, or the only one.
    BudgetError
        If the block is too long for the size of the program.

    Notes
    -----
    Implements Lemma 41 of [HYB25]_: no program of C-RASP[periodic,local] is PARITY.

    Examples
    --------
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
    check_size(program)
    block = (code, *(filler,) * (find_block_length(program) - 1))
    over_one = unroll(program, alphabet, block)
    last = compute_eventual_values(over_one, LETTER)[-1]
    times = max(1, last.since)
    return FoolingPair(block, over_one, times, bool(last.at(times)))


def unroll(program: s.ProgramTree, alphabet: Alphabet, block: Word) -> s.ProgramTree:
    """The program over one symbol that accepts a^n iff the given one accepts block^n, for every n ≥ 0.

    Raises
    ------
    ProgramError
        If the length of the block is no multiple of every modulus, or not above every distance.

    Notes
    -----
    Implements Lemma 40 of [HYB25]_ for every n: operation P becomes P_at_r for each place r of a block, 0 the
    first. A distance that leaves the block reads the block before by ``#[j = i-1]``, so the result is in
    C-RASP[local]; over one symbol that does not matter, see `idinf.crasp.eventual`.
    """
    check(program, alphabet)
    needed = find_block_length(program)
    facts = describe_program(program)
    if not block or len(block) % facts.period or len(block) < needed:
        raise ProgramError(
            f"a block of {len(block)} symbols; expected a multiple of {facts.period}, at least {needed}; "
            "choose a longer one"
        )
    letters = tuple(alphabet.symbols[code] for code in block)
    rows: list[s.Definition] = []
    flat = _flat(program)
    counted = {
        part.operand.name
        for row in flat
        for part in s.iter_parts(row.expression)
        if isinstance(part, s.Count) and part.predicate is None and isinstance(part.operand, s.Name)
    }
    for row in flat:
        rows.extend(
            s.Definition(_name(row.name, place), _at(row.expression, place, letters), row.place)
            for place in range(len(block))
        )
        if row.name in counted:
            rows.extend(_sums(row.name, len(block), row.place))
    return s.ProgramTree(tuple(rows))


def _sums(name: str, length: int, here: s.TextPlace) -> Iterator[s.Definition]:
    """How often a Boolean held at any place of the blocks so far, and behind each place of this block."""
    everywhere = [s.Count(None, s.Name(_name(name, place), here), here) for place in range(length)]
    yield s.Definition(f"{name}_of_all", _total(everywhere, here), here)
    yield s.Definition(f"{name}_after_{length - 1}", s.Number(0, here), here)
    for place in range(length - 1, 0, -1):
        later = s.Name(f"{name}_after_{place}", here)
        held = _held(s.Name(name, here), place, (), 0, here)
        yield s.Definition(f"{name}_after_{place - 1}", s.Added(1, later, held, here), here)


def check_size(program: s.ProgramTree) -> None:
    """Refuse programs that `unrolled` would make too long.

    Raises
    ------
    BudgetError
        If there would be more than `MAX_TERMS` terms.
    """
    length, facts = find_block_length(program), describe_program(program)
    terms = length * (3 * facts.counts + len(facts.operations) + facts.local_counts * facts.reach)
    if terms > MAX_TERMS:
        raise BudgetError(
            f"a block of {length} symbols makes {terms} terms of this program; expected at most {MAX_TERMS}; "
            "use smaller moduli or distances"
        )


def _flat(program: s.ProgramTree) -> list[s.Definition]:
    """The same program with what is counted in operations of their own, so that no place repeats it."""
    rows: list[s.Definition] = []
    taken = {row.name for row in program.definitions}

    def flat(expression: s.Expression) -> s.Expression:
        match expression:
            case s.Count(predicate, operand, here):
                inner = flat(operand)
                if not isinstance(inner, s.Name):
                    name = s.fresh_name("counted", taken)
                    rows.append(s.Definition(name, inner, here))
                    inner = s.Name(name, here)
                return s.Count(predicate, inner, here)
        return s.replace_parts(expression, flat)

    for row in program.definitions:
        own = flat(row.expression)  # which appends what it counts
        rows.append(replace(row, expression=own))
    return rows


def _name(name: str, place: int) -> str:
    return f"{name}_at_{place}"


def _at(expression: s.Expression, place: int, letters: tuple[str, ...]) -> s.Expression:
    """An expression at one place of every block; at SOS it has the value of the given one there."""
    here = expression.place
    match expression:
        case s.Name(name):
            return s.Name(_name(name, place), here)
        case s.Symbol(symbol):
            return s.Symbol(LETTER, here) if letters[place] == symbol else s.Truth(False, here)
        case s.Periodic(_, modulus, _, residue):
            return _constant((place + 1) % modulus == residue, residue == 0, here)
        case s.Count(predicate, operand):
            return _counted(predicate, operand, place, letters, here)
    return s.replace_parts(expression, lambda part: _at(part, place, letters))


def _constant(value: bool, at_sos: bool, here: s.TextPlace) -> s.Expression:
    """A Boolean with one value at every position, and one at SOS."""
    if value == at_sos:
        return s.Truth(value, here)
    letter = s.Symbol(LETTER, here)
    return letter if value else s.Negated(letter, here)


def _counted(
    predicate: s.Predicate | None,
    operand: s.Expression,
    place: int,
    letters: tuple[str, ...],
    here: s.TextPlace,
) -> s.Expression:
    """All places of the blocks so far less those behind this one, or places of a window one by one."""
    if predicate is None:
        assert isinstance(operand, s.Name)  # of a flat program
        everywhere, behind = f"{operand.name}_of_all", f"{operand.name}_after_{place}"
        return s.Added(-1, s.Name(everywhere, here), s.Name(behind, here), here)
    low, high = find_window(predicate)
    places = [place - distance for distance in range(low, high + 1)]
    return _total([_held(operand, r % len(letters), letters, int(r < 0), here) for r in places], here)


def _held(
    operand: s.Expression, place: int, letters: tuple[str, ...], back: int, here: s.TextPlace
) -> s.Count:
    """1 if a Boolean holds at a place of this block, or of the one before; 0 at SOS, and before it."""
    distance = s.Predicate("j", s.Relation.EQ, "i", -back, here)
    return s.Count(distance, _at(operand, place, letters), here)


def _total(terms: list[s.Count], here: s.TextPlace) -> s.Expression:
    """The sum, halved again and again: a chain would be nested as deep as a block is long."""
    if not terms:
        return s.Number(0, here)
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return s.Added(1, _total(terms[:half], here), _total(terms[half:], here), here)
