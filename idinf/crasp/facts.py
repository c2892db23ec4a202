"""Facts about a C-RASP program: alphabet, sorts, depth, number of counts, and the class it is written in."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.checker import Sort, check, find_window
from idinf.crasp.meaning import list_needed_definitions
from idinf.errors import ProgramError


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: the nesting of its counts, through what it reads, and whether the last one needs it."""

    name: str
    sort: Sort
    depth: int
    used: bool
    place: s.TextPlace


@dataclass(frozen=True, slots=True)
class Facts:
    """A checked program in numbers; unused operations count as well.

    `symbols`: the symbols the program names, sorted. `counts, local_counts`: how often ``#`` is written, and
    how many of them have a predicate. `reach`: the largest distance of a local predicate, 0 if there is none.
    `period`: least common multiple of the moduli, 1 if there is none.
    """

    operations: tuple[Operation, ...]
    symbols: tuple[str, ...]
    counts: int
    local_counts: int
    reach: int
    period: int

    def __repr__(self) -> str:
        return f"<Facts {self.class_name}: depth {self.depth}, {len(self.operations)} operations>"

    @property
    def depth(self) -> int:
        """Nesting of counts of the last operation, which decides."""
        return self.operations[-1].depth

    @property
    def class_name(self) -> str:
        """The class of Definition 8 that the program is written in; the language may be in a smaller one."""
        relations = ["periodic"] * (self.period > 1) + ["local"] * (self.local_counts > 0)
        return f"C-RASP[{','.join(relations)}]"


def describe_program(program: s.ProgramTree, alphabet: Alphabet | None = None) -> Facts:
    """Check a program and describe it.

    Raises `ProgramError` as `check` does.

    Implements the classes of Definition 8 of [HYB25]_; depth is that of its Appendix C.

    >>> from idinf.crasp.parser import parse
    >>> facts = describe_program(parse('below = # "a" < # "b" accept = # below == 0'))
    >>> facts.class_name, facts.depth, facts.counts, facts.symbols
    ('C-RASP[]', 2, 3, ('a', 'b'))
    """
    sorts = dict(check(program, alphabet).sorts)
    needed = list_needed_definitions(program)
    depths: dict[str, int] = {}
    for definition in program.definitions:
        depths[definition.name] = _depth(definition.expression, depths)
    parts = [part for definition in program.definitions for part in s.iter_parts(definition.expression)]
    counts = [part for part in parts if isinstance(part, s.Count)]
    predicates = [count.predicate for count in counts if count.predicate is not None]
    return Facts(
        operations=tuple(
            Operation(d.name, sorts[d.name], depths[d.name], d in needed, d.place)
            for d in program.definitions
        ),
        symbols=_named(parts),
        counts=len(counts),
        local_counts=len(predicates),
        reach=max((find_window(predicate)[1] for predicate in predicates), default=0),
        period=lcm(*(part.modulus for part in parts if isinstance(part, s.Periodic))),
    )


def find_alphabet(program: s.ProgramTree) -> Alphabet:
    """The alphabet of the symbols that a checked program names, sorted.

    Its words are written with blanks if any symbol has more than one character.

    Raises `ProgramError` if the program names no symbol.

    >>> from idinf.crasp.parser import parse
    >>> find_alphabet(parse('accept = # "b" <= # "a"')).symbols
    ('a', 'b')
    """
    named = _named([part for row in program.definitions for part in s.iter_parts(row.expression)])
    if not named:
        raise ProgramError(
            "line 1, column 1: the program names no symbol; expected an alphabet; give one with --alphabet"
        )
    return Alphabet(named, spaced=any(len(symbol) > 1 for symbol in named))


def _named(parts: list[s.Expression]) -> tuple[str, ...]:
    return tuple(sorted({part.symbol for part in parts if isinstance(part, s.Symbol)}))


def _depth(expression: s.Expression, depths: dict[str, int]) -> int:
    if isinstance(expression, s.Name):
        return depths[expression.name]
    inner = max((_depth(child, depths) for child in s.list_children(expression)), default=0)
    return inner + isinstance(expression, s.Count)
