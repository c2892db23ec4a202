"""Lemmas 34 to 36: on words that are padded with a neutral symbol a program needs no positional relation.

Let h map every symbol σ to σ e…e, so long that every modulus divides it and no chain of distances reaches
across. What a distance reads in the block before is then among the padding, which is the same whatever symbol
the block has: it is a Boolean about the counts up to the present block, and no relation between blocks is
left. So a program on h(w) is one of C-RASP[] on w, and with e neutral h(w) is in a language iff w is. A
language with a neutral symbol that has no program of C-RASP[] has none of C-RASP[periodic,local].
"""

from __future__ import annotations

from collections import defaultdict

from idinf.base.quoting import list_some, quote
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.building import all_of, back, compared, indicator, length, number, truth
from idinf.crasp.checker import check, find_window
from idinf.crasp.facts import describe_program
from idinf.crasp.inverse_images import Morphism, PullBack, check_size, flatten, name_at
from idinf.errors import ProgramError

_HERE = s.TextPlace(1, 1)

#: What holds at every position but the first; SOS is no position.
_LATER = compared([(length, 1)], s.Relation.GE, 2)


def pad(program: s.ProgramTree, alphabet: Alphabet, neutral: str) -> Morphism:
    """The shortest h with h(σ) = σ e…e that leaves `drop_relations` no positional relation.

    Raises `ProgramError` if e is no symbol of the alphabet. `BudgetError` if the words are too long for the
    size of the program.

    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("b", "e"))
    >>> bb = read_program('accept = "b" && #[j = i-1] (#[j = i-1] "b" >= 1 && i mod 2 == 0) >= 1', sigma)
    >>> print(pad(bb, sigma, "e"))
    b → beee, e → eeee
    """
    if neutral not in alphabet.symbols:
        raise ProgramError(
            f"symbol {quote(neutral)}; expected one of the alphabet {list_some(alphabet.symbols)}; "
            "give --alphabet"
        )
    check(program, alphabet)
    period, reach = describe_program(program).period, -min(_find_first_places(flatten(program)).values())
    size = period * (reach // period + 1)
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
    >>> from idinf.crasp.printer import format_program
    >>> print(format_program(followed_by(parse('ends = "b"'), "b")), end="")
    ends = "b"
    followed1 = # ("b" && #[j = i-1] ends >= 1) >= 1
    """
    ends = s.Name(program.definitions[-1].name, _HERE)
    before = compared([(back(1, ends), 1)], s.Relation.GE, 1)
    found = s.Count(None, all_of((s.Symbol(symbol, _HERE), before)), _HERE)
    name = s.fresh_name("followed", {row.name for row in program.definitions})
    last = s.Definition(name, s.Comparison(s.Relation.GE, found, number(1), _HERE), _HERE)
    return s.ProgramTree((*program.definitions, last))


def _find_first_places(flat: list[s.Definition]) -> dict[str, int]:
    """How far before a block each operation is needed, as a place that is at most 0."""
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
        period = describe_program(program).period
        if min(self.first.values()) <= -h.length or h.length % period or len(padding) > 1:
            raise ProgramError(f"h: {h}; expected one that pads the program; take it from pad")

    def first_place(self, name: str) -> int:
        return self.first[name]

    def symbol(self, code: int, place: int) -> s.Expression:
        if place >= 0:
            return super().symbol(code, place)
        return truth(self.h.images[0][place] == code)

    def held(self, name: str, place: int) -> s.Expression:
        """In the block before, where there is one; in this one, where this is no SOS."""
        there = _LATER if place < 0 else self.anywhere
        return indicator(all_of((there, s.Name(name_at(name, place), _HERE))), number(1))
