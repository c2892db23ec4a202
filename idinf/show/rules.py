"""Rules that a reader of a page may try, priced by the compiler and compared with the target.

For majority 'accept iff last != 0' costs R = 5 and is first wrong on 10.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from idinf.base.words import Alphabet
from idinf.crasp import programs
from idinf.errors import IdinfError
from idinf.report.value import Report, round_r
from idinf.show.quiz import compare_rule
from idinf.translate.compilation.compiler import compile_cheapest
from idinf.translate.formulas.notation import Notation

#: Rules about no symbol, about one, x, and about x and another one, y; as reports write them.
_OF_NONE = ("true", "empty", "nonempty", "i even", "i odd", "i mod 3 = 0")
_OF_ONE = (
    *("#{x} >= 1", "#{x} >= 2", "#{x} <= 1", "#{x} = 0", "#{x} = 1", "empty or #{x} >= 1"),
    *("last = {x}", "last != {x}", "last-1 = {x}"),
)
_OF_TWO = (
    *("#{x} - #{y} > 0", "#{x} - #{y} >= 0", "2 #{x} - #{y} >= 0"),
    *("last = {x} and #{y} >= 1", "empty or (last = {x} and #{y} >= 1)"),
    *("last = {x} or #{x} - #{y} > 0", "last != {x} and #{x} - #{y} = 0"),
)

#: Of an alphabet with more symbols, the first ones are spoken of.
_SYMBOLS = 3


@dataclass(frozen=True, slots=True)
class OfferedRule:
    """A rule to try."""

    text: str
    r: float | None  #: of the record, or of the compiled rule; None if the compiler does not take it
    fail: int | None  #: length of the first word it gets wrong; None if there is none up to ``checked``
    word: str | None  #: this word
    checked: int  #: up to which length it was compared, if nothing is wrong


def list_rules(report: Report) -> tuple[OfferedRule, ...]:
    """List the records of a report and some forty simple rules, short texts first.

    There are none where the report does not define its target. Cost: some milliseconds a rule.

    >>> from idinf.api.identify import identify
    >>> rules = {rule.text: rule for rule in list_rules(identify("majority", max_n=4, layers=1))}
    >>> rules["accept iff last-1 = 1"].r, rules["accept iff last != 0"].word
    (10.5, '10')
    """
    found: dict[str, OfferedRule] = {}
    with suppress(IdinfError, ValueError, RecursionError):
        alphabet = report.target.spec().alphabet
        found |= {text: _examine(report, alphabet, text) for text in _write_rules(alphabet)}
        for it in report.records:
            found[it.formula] = OfferedRule(it.formula, it.r, it.fail, it.counterexample, report.horizon)
    return tuple(sorted(found.values(), key=lambda rule: (len(rule.text), rule.text)))


def _write_rules(alphabet: Alphabet) -> Iterator[str]:
    notation = Notation(alphabet)
    symbols = [notation.symbol(code) for code in range(min(len(alphabet), _SYMBOLS))]
    parts = list(_OF_NONE)
    for x, y in zip(symbols, symbols[1:] + symbols[:1], strict=True):
        parts += [part.format(x=x, y=y) for part in (_OF_ONE if x == y else _OF_ONE + _OF_TWO)]
    parts += [f"#{x} - #{y} = 0" for x, y in itertools.pairwise(symbols)]
    yield from (f"accept iff {part}" for part in parts)


def _examine(report: Report, alphabet: Alphabet, text: str) -> OfferedRule:
    """Price a rule by the compiler, and find its first wrong word."""
    word, checked = compare_rule(report, text)
    r = None
    with suppress(IdinfError):
        program = programs.loads(text, "rule", alphabet).program
        r = round_r(compile_cheapest(program, alphabet, aggregate=report.regularizer.aggregate)[1])
    fail, shown = (None, None) if word is None else (len(word), alphabet.decode(word))
    return OfferedRule(text, r, fail, shown, checked)
