"""Lemmas 34 to 36 and 40 to 42: programs of inverse images, and what they show.

*Lemma 42:* programs of inverse images under morphisms that map every symbol to a word of one length.
The words h(w) are blocks, one for each symbol of w. What a program says at a place of a block is a Boolean or
a count of its own about the symbols, so positional relations turn into places of a block and distances of
blocks.

*Lemma 40:* a program on the words h(a)^n is a program on a^n, if h(a) is long enough; and what follows.
The block h(a) has a length that every modulus divides and no distance reaches across, so positional relations
turn into places of a block. A program over one symbol becomes constant (Lemma 37), so the one it came from
answers alike on h(a)^n and h(a)^(n+1), and PARITY does not.

*Lemmas 34 to 36:* on words that are padded with a neutral symbol a program needs no positional relation.
Let h map every symbol σ to σ e…e, so long that every modulus divides it and no chain of distances reaches
across. What a distance reads in the block before is then among the padding, which is the same whatever symbol
the block has: it is a Boolean about the counts up to the present block, and no relation between blocks is
left. So a program on h(w) is one of C-RASP[] on w, and with e neutral h(w) is in a language iff w is. A
language with a neutral symbol that has no program of C-RASP[] has none of C-RASP[periodic,local].
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd

from idinf.base.quoting import list_some, quote
from idinf.base.words import Alphabet, Word
from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.checker import check, find_window
from idinf.crasp.runs import compute_eventual_values
from idinf.errors import BudgetError, ProgramError

#: Terms of a program that is made, roughly: a count has three at each place of a block.
MAX_TERMS = 50_000


@dataclass(frozen=True, slots=True)
class Morphism:
    """h: every symbol of an alphabet, mapped to a word of one length over another alphabet.

    Raises `ProgramError` if the words are empty, or of several lengths.
    """

    source: Alphabet
    target: Alphabet
    images: tuple[Word, ...]

    def __post_init__(self) -> None:
        lengths = {len(image) for image in self.images}
        if len(lengths) != 1 or 0 in lengths:
            shown = ", ".join(str(size) for size in sorted(lengths))
            raise ProgramError(f"words of length {shown}; expected nonempty words of one length")

    def __call__(self, word: Word) -> Word:
        """The image of a word."""
        return tuple(letter for code in word for letter in self.images[code])

    @property
    def length(self) -> int:
        """The number of symbols in a block."""
        return len(self.images[0])

    def __str__(self) -> str:
        pairs = zip(self.source.symbols, self.images, strict=True)
        return ", ".join(f"{symbol} → {self.target.decode(image)}" for symbol, image in pairs)


def pull_back(program: s.ProgramTree, morphism: Morphism) -> s.ProgramTree:
    """The program that accepts w iff the given one accepts h(w), for every word w, ε included.

    Operation P becomes P_at_r for each place r of a block, 0 the first. A distance that leaves the block
    reads an earlier one by ``#[j = i-q]``.

    Raises `ProgramError` if the program names a symbol outside the target of h. `BudgetError` if there would
    be more than `MAX_TERMS` terms.

    Implements Lemma 42 of [HYB25]_: C-RASP[periodic,local] is closed under these inverse images.

    >>> from idinf.crasp.checker import read_program
    >>> from idinf.crasp.syntax import format_expression
    >>> h = Morphism(Alphabet(("x", "y")), Alphabet(("a", "b")), ((0, 1), (1, 0)))
    >>> found = pull_back(read_program('accept = "a" && #[j = i-1] "b" >= 1', h.target), h)
    >>> [(row.name, format_expression(row.expression)) for row in found.definitions][-1]
    ('accept_at_1', '"y" && #[j = i] counted1_at_0 >= 1')
    """
    return PullBack(program, morphism).program()


def check_size(program: s.ProgramTree, length: int) -> None:
    """Refuse programs that would be too long with blocks of a length.

    Raises `BudgetError` if there would be more than `MAX_TERMS` terms.
    """
    facts = check(program)
    terms = length * (3 * facts.counts + len(facts.operations) + facts.local_counts * facts.reach)
    if terms > MAX_TERMS:
        raise BudgetError(
            f"a block of {length} symbols makes {terms} terms of this program; expected at most {MAX_TERMS}; "
            "use smaller moduli or distances"
        )


def flatten(program: s.ProgramTree) -> tuple[s.Definition, ...]:
    """The same program with what is counted in operations of their own, so that no place repeats it."""

    def flat(expression: s.Expression, name_part: Callable[[str, s.Expression], s.Name]) -> s.Expression:
        expression = s.replace_parts(expression, lambda part: flat(part, name_part))
        if isinstance(expression, s.Count) and not isinstance(expression.operand, s.Name):
            return replace(expression, operand=name_part("counted", expression.operand))
        return expression

    return s.rebuild(program, flat).definitions


class PullBack:
    """A program, checked over the target of a morphism, as one over its source.

    Subclasses may read earlier blocks in another way, and operations at places before the block: place −t is
    that t symbols before the block begins.
    """

    def __init__(self, program: s.ProgramTree, morphism: Morphism) -> None:
        check(program, morphism.target)
        self.flat, self.h = flatten(program), morphism
        check_size(program, morphism.length)
        self.anywhere = b.any_of(s.Symbol(symbol) for symbol in morphism.source.symbols)

    def first_place(self, name: str) -> int:
        """The first place at which an operation is needed."""
        return 0

    def program(self) -> s.ProgramTree:
        """All operations at all places."""
        rows: list[s.Definition] = []
        counted = {
            part.operand.name
            for row in self.flat
            for part in s.iter_parts(row.expression)
            if isinstance(part, s.Count) and part.predicate is None and isinstance(part.operand, s.Name)
        }
        for row in self.flat:
            places = range(self.first_place(row.name), self.h.length)
            rows.extend(
                s.Definition(name_at(row.name, place), self.at(row.expression, place), row.place)
                for place in places
            )
            if row.name in counted:
                rows.extend(self._sums(row.name))
        return s.ProgramTree(tuple(rows))

    def at(self, expression: s.Expression, place: int) -> s.Expression:
        """An expression at one place of every block; at SOS it has the value of the given one there."""
        match expression:
            case s.Name(name, here):
                return s.Name(name_at(name, place), here)
            case s.Symbol(symbol):
                return self.symbol(self.h.target.symbols.index(symbol), place)
            case s.Periodic(_, modulus, _, residue):
                return self._residue(modulus, residue, place)
            case s.Count(None, s.Name(name)):
                return s.Added(-1, s.Name(f"{name}_of_all"), s.Name(_after(name, place)))
            case s.Count(s.Predicate() as predicate, s.Name(name)):
                low, high = find_window(predicate)
                return _total([self.held(name, place - k) for k in range(low, high + 1)])
        return s.replace_parts(expression, lambda part: self.at(part, place))

    def symbol(self, code: int, place: int) -> s.Expression:
        """A formula that holds where the symbol at a place of the block is that of a code."""
        pairs = zip(self.h.source.symbols, self.h.images, strict=True)
        return b.any_of(s.Symbol(symbol) for symbol, image in pairs if image[place] == code)

    def held(self, name: str, place: int) -> s.Expression:
        """1 if a Boolean holds at a place of this block, or of one before; 0 at SOS, and before it."""
        blocks, inside = divmod(place, self.h.length)
        return b.back(-blocks, s.Name(name_at(name, inside)))

    def _sums(self, name: str) -> Iterator[s.Definition]:
        """Definitions that count a Boolean at all places of the blocks so far, and behind each place."""
        everywhere = [s.Count(None, s.Name(name_at(name, r))) for r in range(self.h.length)]
        yield s.Definition(f"{name}_of_all", _total(everywhere))
        last = self.h.length - 1
        yield s.Definition(_after(name, last), s.Number(0))
        for place in range(last, self.first_place(name), -1):
            later = s.Name(_after(name, place))
            yield s.Definition(_after(name, place - 1), s.Added(1, later, self.held(name, place)))

    def _residue(self, modulus: int, residue: int, place: int) -> s.Expression:
        """k (i − 1) + place + 1 ≡ residue at block i, as a residue of i; at SOS whether the residue is 0."""
        divisor = gcd(self.h.length, modulus)
        wanted, missed = divmod(residue - place - 1 + self.h.length, divisor)
        found: s.Truth | s.Periodic = b.FALSE
        if not missed:
            smaller = modulus // divisor
            own = wanted * pow(self.h.length // divisor, -1, smaller) % smaller
            found = b.TRUE if smaller == 1 else s.Periodic("i", smaller, s.Relation.EQ, own)
        at_sos = found.residue == 0 if isinstance(found, s.Periodic) else found.value
        if at_sos == (residue == 0):
            return found
        return b.all_of((found, self.anywhere)) if at_sos else b.any_of((found, b.negated(self.anywhere)))


def name_at(name: str, place: int) -> str:
    """The name of an operation at a place of a block."""
    return f"{name}_at_{place}" if place >= 0 else f"{name}_before_{-place}"


def _after(name: str, place: int) -> str:
    return f"{name}_after_{place}" if place >= 0 else f"{name}_since_{-place}"


def _total(terms: Sequence[s.Expression]) -> s.Expression:
    """The sum, halved again and again: a chain would be nested as deep as a block is long."""
    if not terms:
        return s.Number(0)
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return s.Added(1, _total(terms[:half]), _total(terms[half:]))


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


def find_block_length(program: s.ProgramTree, reach: int | None = None) -> int:
    """The least multiple of all moduli of a program that is above all its distances, or above a reach."""
    facts = check(program)
    return facts.period * ((facts.reach if reach is None else reach) // facts.period + 1)


def find_fooling_pair(program: s.ProgramTree, alphabet: Alphabet, counted: str) -> FoolingPair:
    """Show that a program is not PARITY: h(a)^n and h(a)^(n+1) differ in the parity of `counted`.

    The program is checked over `alphabet`; periodic and local relations are allowed.

    Raises `ProgramError` if `counted` is no symbol, or the only one. `BudgetError` if the block is too long
    for the size of the program.

    Implements Lemma 41 of [HYB25]_: no program of C-RASP[periodic,local] is PARITY.
    """
    symbols = list_some(alphabet.symbols)
    if len(alphabet) < 2:
        raise ProgramError(f"alphabet {symbols}; expected at least two symbols; give --alphabet")
    if counted not in alphabet.symbols:
        raise ProgramError(f"symbol {quote(counted)}; expected one of the alphabet {symbols}; give --symbol")
    code = alphabet.symbols.index(counted)
    filler = 0 if code else 1
    size = find_block_length(program)
    check_size(program, size)
    block = (code, *(filler,) * (size - 1))
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
    does not matter, see `idinf.crasp.runs`.
    """
    needed, period = find_block_length(program), check(program, alphabet).period
    if not block or len(block) % period or len(block) < needed:
        raise ProgramError(
            f"a block of {len(block)} symbols; expected a multiple of {period}, at least {needed}; "
            "choose a longer one"
        )
    return pull_back(program, Morphism(Alphabet((LETTER,)), alphabet, (block,)))


#: What holds at every position but the first; SOS is no position.
_LATER = b.compared([(b.length, 1)], s.Relation.GE, 2)


def pad(program: s.ProgramTree, alphabet: Alphabet, neutral: str) -> Morphism:
    """The shortest h with h(σ) = σ e…e that leaves `drop_relations` no positional relation.

    Raises `ProgramError` if e is no symbol of the alphabet. `BudgetError` if the words are too long for the
    size of the program.
    """
    if neutral not in alphabet.symbols:
        raise ProgramError(
            f"symbol {quote(neutral)}; expected one of the alphabet {list_some(alphabet.symbols)}; "
            "give --alphabet"
        )
    check(program, alphabet)
    size = find_block_length(program, -min(_find_first_places(flatten(program)).values()))
    check_size(program, size)
    code = alphabet.symbols.index(neutral)
    images = tuple((own, *(code,) * (size - 1)) for own in range(len(alphabet)))
    return Morphism(alphabet, alphabet, images)


def drop_relations(program: s.ProgramTree, h: Morphism) -> s.ProgramTree:
    """The program of C-RASP[] that accepts w iff the given one accepts h(w), for every word w, ε included.

    Implements Lemma 34 of [HYB25]_ for programs; by Proposition 31 their formulas are in MAJ2[<].

    `h`: as `pad` gives it for the program.
    """
    return _WithoutRelations(program, h).program()


def followed_by(program: s.ProgramTree, symbol: str) -> s.ProgramTree:
    """The program that looks for a symbol right behind a beginning which the given one accepts.

    Implements Lemma 36 of [HYB25]_: a program of Σ*be* gives one of Σ*be*bΣ*.

    >>> from idinf.crasp.parser import parse
    >>> from idinf.crasp.syntax import format_program
    >>> print(format_program(followed_by(parse('ends = "b"'), "b")), end="")
    ends = "b"
    followed1 = # ("b" && #[j = i-1] ends >= 1) >= 1
    """
    ends = s.Name(program.definitions[-1].name)
    before = b.compared([(b.back(1, ends), 1)], s.Relation.GE, 1)
    found = s.Count(None, b.all_of((s.Symbol(symbol), before)))
    name = s.fresh_name("followed", {row.name for row in program.definitions})
    last = s.Definition(name, s.Comparison(s.Relation.GE, found, s.Number(1)))
    return s.ProgramTree((*program.definitions, last))


def _find_first_places(flat: Sequence[s.Definition]) -> dict[str, int]:
    """The first place where each operation is needed, at most 0: places before a block are negative."""
    first: defaultdict[str, int] = defaultdict(int)

    def need(expression: s.Expression, place: int) -> None:
        match expression:
            case s.Name(name):
                first[name] = min(first[name], place)
            case s.Count(s.Predicate() as predicate, operand):
                need(operand, place - max(0, find_window(predicate)[1]))
            case _:
                for part in s.list_children(expression):
                    need(part, place)

    for row in reversed(flat):
        need(row.expression, first[row.name])
    return first


class _WithoutRelations(PullBack):
    def __init__(self, program: s.ProgramTree, h: Morphism) -> None:
        super().__init__(program, h)
        self.first = _find_first_places(self.flat)
        padding = {image[1:] for image in h.images}
        period = check(program).period
        if min(self.first.values()) <= -h.length or h.length % period or len(padding) > 1:
            raise ProgramError(f"h: {h}; expected one that pads the program; take it from pad")

    def first_place(self, name: str) -> int:
        return self.first[name]

    def symbol(self, code: int, place: int) -> s.Expression:
        if place >= 0:
            return super().symbol(code, place)
        return s.Truth(self.h.images[0][place] == code)

    def held(self, name: str, place: int) -> s.Expression:
        """In the block before, where there is one; in this one, where this is no SOS."""
        there = _LATER if place < 0 else self.anywhere
        return b.indicator(b.all_of((there, s.Name(name_at(name, place)))), s.Number(1))
