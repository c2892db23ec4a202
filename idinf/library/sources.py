"""What users name: a target, a spec, a regex, a program, a hypothesis or a report, as one thing each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from idinf.crasp import library
from idinf.crasp.library import LoadedProgram
from idinf.errors import SpecError
from idinf.experiments import catalogue
from idinf.experiments.parameters import Values
from idinf.experiments.reader import read_table
from idinf.experiments.spec import Spec
from idinf.library.operands import Operand, common_alphabet, read_operand
from idinf.words import Alphabet

#: Symbols written together, or as a sequence of symbols.
Symbols = str | Sequence[str] | Alphabet

#: What is wrong where an alphabet is given in vain.
OWN_ALPHABET = "alphabet= is given, but a target has its own; expected it with regex= or program="

#: A path as the standard library takes it.
Path = str | os.PathLike[str]


def alphabet_from(symbols: Symbols | None) -> Alphabet | None:
    """Make an alphabet of symbols; longer ones are written with blanks in words.

    Examples
    --------
    >>> alphabet_from("ab").symbols, alphabet_from(["up", "down"]).spaced
    (('a', 'b'), True)
    """
    if symbols is None or isinstance(symbols, Alphabet):
        return symbols
    if isinstance(symbols, str):
        spaced = any(character.isspace() for character in symbols)
        return Alphabet(tuple(symbols.split() if spaced else symbols), spaced)
    return Alphabet(tuple(symbols), any(len(symbol) > 1 for symbol in symbols))


def values_from(values: Mapping[str, int] | None) -> Values:
    """Make the values that choose a member of a family."""
    return () if values is None else tuple(values.items())


def load_program(program: str | os.PathLike[str] | LoadedProgram) -> LoadedProgram:
    """Load a shipped program by name, a file by path, or the text of a program itself.

    Raises
    ------
    ProgramError
        If there is no such program, or it breaks a rule.

    Examples
    --------
    >>> load_program("majority").facts.class_name, load_program('accept = # "a" <= 3').facts.symbols
    ('C-RASP[]', ('a',))
    """
    if isinstance(program, LoadedProgram):
        return program
    text = os.fspath(program)
    return library.loads(text) if library.is_text(text) else library.load(text)


def operand_of(
    source: object = None,
    *,
    regex: str | None = None,
    program: str | os.PathLike[str] | LoadedProgram | None = None,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
) -> Operand:
    """Take exactly one of a name or path, a regex and a program as something that words are in or not.

    Raises
    ------
    SpecError
        If none or more than one is given, or an alphabet for what has its own.
    """
    operand = _operand(source, regex, program, values)
    if alphabet is not None and operand.fixed is not None:
        raise SpecError(OWN_ALPHABET)
    return replace(operand, given=alphabet_from(alphabet))


def _operand(
    source: object,
    regex: str | None,
    program: str | os.PathLike[str] | LoadedProgram | None,
    values: Mapping[str, int] | None,
) -> Operand:
    given = [
        name
        for name, what in (("a target", source), ("regex", regex), ("program", program))
        if what is not None
    ]
    if len(given) != 1:
        raise SpecError(
            f"{' and '.join(given) or 'nothing'} given; expected one of a target, regex=, program="
        )
    if regex is not None:
        return Operand(regex, regex)
    if program is not None:
        loaded = load_program(program)
        return Operand(loaded.origin, loaded)
    if isinstance(source, Spec):
        return Operand(source.name, source)
    assert isinstance(source, str | os.PathLike)
    text = os.fspath(source)
    if text in (*catalogue.names(), *catalogue.family_names()):  # rather than the program of that name
        return replace(read_operand(f"target:{text}", values_from(values)), name=text)
    return read_operand(text, values_from(values))


def spec_of(
    source: str | os.PathLike[str] | Spec | None = None,
    *,
    regex: str | None = None,
    program: str | os.PathLike[str] | LoadedProgram | None = None,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    name: str | None = None,
) -> tuple[Spec, str]:
    """Take a target as a spec, and the name or path it was loaded from.

    Parameters
    ----------
    source : str, path or Spec, optional
        A shipped name, the path of a spec, or a spec.
    regex, program : optional
        What defines the language, in place of ``source``.
    alphabet : optional
        Of a regex or a program; the symbols it names, sorted, if it is not given.
    values : mapping, optional
        The values that choose a member of a family.
    name : str, optional
        Of a regex or a program, in reports.

    Raises
    ------
    SpecError, ProgramError
        If it is not exactly one of them, or it is wrong.

    Examples
    --------
    >>> spec_of(regex="(ab)*")[0].alphabet.symbols, spec_of("majority")[1]
    (('a', 'b'), 'majority')
    """
    if regex is None and program is None:
        if alphabet is not None:
            raise SpecError(OWN_ALPHABET)
        if isinstance(source, Spec):
            return source, _origin(source)
        if source is None:
            raise SpecError("nothing given; expected one of a target, regex=, program=")
        return catalogue.load(os.fspath(source), values_from(values)), os.fspath(source)
    operand = operand_of(source, regex=regex, program=program, alphabet=alphabet, values=values)
    symbols = common_alphabet(operand, operand)
    kind, text = ("regex", regex) if regex is not None else ("crasp", load_program(program).text)  # type: ignore[arg-type]
    table: dict[str, object] = {"name": name or kind, "alphabet": list(symbols.symbols), kind: text}
    if symbols.spaced:
        table["tokens"] = "space"
    return read_table(table, kind), kind


def _origin(spec: Spec) -> str:
    """From where a spec lists its files: a shipped one by its name."""
    return spec.name if spec.origin == f"specs/{spec.name}.toml" else spec.origin
