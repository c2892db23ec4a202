"""The keys of a spec about next symbols: ``mode``, ``output`` and the table ``next``.

``mode = "next"`` asks for the next symbols at every position instead of acceptance at the last one. A
``regex`` or ``dfa`` defines the language whose legal continuations are meant: at a prefix w the symbol a is
one if some word of the language begins with wa, end-of-string if w is in the language. Whether a prefix of a
C-RASP language can be completed is undecidable in general, so a program names an operation for every next
symbol:

    [next]
    a = "alive"      # a is a next symbol where the operation alive holds
    "$" = "accept"   # end-of-string

A symbol without an operation is never one.
"""

from __future__ import annotations

from collections.abc import Mapping

from idinf.errors import SpecError
from idinf.experiments.spec import END, Answer, Kind
from idinf.quoting import MOST_QUOTED, listed, quoted, shortened
from idinf.words import Alphabet


def read_answer(table: Mapping[str, object]) -> Answer:
    """What a spec asks for.

    Parameters
    ----------
    table : Mapping
        The whole spec.

    Raises
    ------
    SpecError
        If ``mode`` or ``output`` is unknown, or ``output`` is given for acceptance.

    Examples
    --------
    >>> read_answer({}).value, read_answer({"mode": "next"}).value
    ('accept', 'set')
    """
    mode = table.get("mode", "accept")
    if mode not in ("accept", "next"):
        raise SpecError(f'mode = {quoted(mode)}; expected "accept" or "next"; leave the key out for "accept"')
    if "output" not in table:
        return Answer.ACCEPT if mode == "accept" else Answer.SET
    output = table["output"]
    if mode == "accept":
        raise SpecError(
            f'output = {quoted(output)}; expected it with mode = "next" only; leave one of the two out'
        )
    if output not in (Answer.SET, Answer.SYMBOL):
        raise SpecError(f'output = {quoted(output)}; expected "set" or "symbol"; leave the key out for "set"')
    return Answer(str(output))


def read_next(
    table: Mapping[str, object], answer: Answer, kind: Kind, alphabet: Alphabet
) -> tuple[tuple[str, str], ...]:
    """The operations of a program by next symbol, in the order of the alphabet, end-of-string last.

    Raises
    ------
    SpecError
        If the table is missing or misplaced, or has a key that is no symbol or a value that is no text.

    Examples
    --------
    >>> sigma = Alphabet(("a", "b"))
    >>> read_next({"next": {"$": "done", "a": "open"}}, Answer.SET, Kind.CRASP, sigma)
    (('a', 'open'), ('$', 'done'))
    """
    wanted = answer is not Answer.ACCEPT and kind is Kind.CRASP
    if "next" not in table:
        if wanted:
            raise SpecError(
                'next is missing: a program with mode = "next" names an operation for every next symbol; add '
                f'a table such as [next] {alphabet.symbols[0][:MOST_QUOTED]} = "operation"'
            )
        return ()
    if not wanted:
        raise SpecError('next: expected it with mode = "next" and a crasp program only; leave the table out')
    given = table["next"]
    if not isinstance(given, dict) or not given:
        raise SpecError(
            f"next = {quoted(given)}; expected a table of next symbols and operations; name at least one"
        )
    outputs = dict.fromkeys((*alphabet.symbols, END))
    for symbol, operation in given.items():
        if symbol not in outputs:
            raise SpecError(
                f"{shortened(f'next.{symbol}')}: no next symbol; expected one of: {listed(outputs)}; {END} "
                "is "
                "the end"
            )
        if not isinstance(operation, str):
            raise SpecError(
                f"{shortened(f'next.{symbol}')} = {quoted(operation)}; expected the name of an operation "
                "in quotes"
            )
    return tuple((symbol, given[symbol]) for symbol in outputs if symbol in given)
