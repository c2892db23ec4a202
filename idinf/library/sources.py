"""What users name: a target, a spec, a regex, a program, a hypothesis or a report, as one thing each.

How a text is recognised: what begins as `accept iff` or `u1 :=` is a formula, a program in the notation in
which hypotheses are printed; `regex:TEXT` is a regex; a name that ends in .json is a hypothesis or a report,
which stands for its selected hypothesis, in .toml a spec; anything else with a slash, or ending in .crasp or
.cr, is a program. What is left is a shipped program or, where there is none of that name, a shipped target;
`program:NAME` and `target:NAME` say which.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from idinf.crasp import library
from idinf.crasp.library import LoadedProgram
from idinf.crasp.parser import is_formula
from idinf.errors import SpecError
from idinf.experiments import catalogue
from idinf.experiments.parameters import Values
from idinf.experiments.reader import read_table
from idinf.experiments.spec import Spec
from idinf.files import show_path
from idinf.library.operands import Operand, find_common_alphabet
from idinf.quoting import quote, suggest
from idinf.report.files import read_hypothesis
from idinf.words import Symbols, read_alphabet

Path = str | os.PathLike[str]
ProgramLike = Path | LoadedProgram
TargetLike = Path | Spec

#: What is wrong where an alphabet is given in vain.
OWN_ALPHABET = "alphabet= is given, but a target has its own; expected it with regex= or program="


def target_names() -> tuple[str, ...]:
    """List the shipped targets, families among them, sorted.

    Examples
    --------
    >>> "dyck-1" in target_names(), "ge-k-j" in target_names()
    (True, True)
    """
    return tuple(sorted((*catalogue.list_names(), *catalogue.list_family_names())))


def program_names() -> tuple[str, ...]:
    """List the shipped C-RASP programs, sorted.

    Examples
    --------
    >>> "majority" in program_names()
    True
    """
    return library.list_names()


def load_spec(source: Path, *, values: Mapping[str, int] | None = None) -> Spec:
    """Load a shipped spec by name, or any by path; ``values`` choose a member of a family.

    Raises
    ------
    SpecError
        If there is none, or it is wrong.

    Examples
    --------
    >>> load_spec("majority").max_n, load_spec("ge-k-j", values={"k": 3, "j": 2}).name
    (64, 'ge-3-2')
    """
    return catalogue.load(os.fspath(source), tuple((values or {}).items()))


def load_program(program: ProgramLike) -> LoadedProgram:
    """Load a shipped program by name, a file by path, or the text of a program itself.

    Examples
    --------
    >>> load_program("majority").facts.class_name, load_program('accept = # "a" <= 3').facts.symbols
    ('C-RASP[]', ('a',))
    """
    if isinstance(program, LoadedProgram):
        return program
    text = os.fspath(program)
    return library.loads(text) if library.is_text(text) else library.load(text)


def read_operand(
    text: str, values: Values = (), others: tuple[str, ...] = (), record: int | None = None
) -> Operand:
    """Read an operand as a command line gives it; see the module for how it is recognised.

    Values choose a member where it is a family, ``record`` a hypothesis where it is a report, and a message
    about an unknown name tells ``others``, which the caller takes besides.

    Examples
    --------
    >>> read_operand("majority").symbols, read_operand("regex:(ab)*").symbols
    (('0', '1'), ('a', 'b'))
    """
    kind, _, rest = text.partition(":")
    name = show_path(text)
    if is_formula(text):
        return Operand("formula", library.load(text))
    if kind == "regex":
        return Operand(name, rest)
    if kind == "program":
        return Operand(name, library.load(rest))
    if kind == "target":
        return Operand(name, _language_spec(rest, values))
    if text.endswith(".json"):
        return Operand(name, read_hypothesis(text, record))
    if not text.endswith(".toml"):
        if text.endswith((".crasp", ".cr")) or "/" in text or "\\" in text or text in library.list_names():
            return Operand(name, library.load(text))
        if text not in target_names():
            hint = suggest(text, (*library.list_names(), *target_names(), *others))
            known = ", ".join([*others, "a name that 'idinf crasp list' or 'idinf targets' lists"])
            raise SpecError(
                f"unknown operand {quote(text)}; {hint and f'{hint} '}expected {known}, "
                "a file ending in .crasp, .cr, .json or .toml, or regex:TEXT; correct it"
            )
    return Operand(name, _language_spec(text, values))


def _language_spec(name: str, values: Values) -> Spec:
    """A spec of words that are accepted or not; values are for the families among the operands."""
    spec = catalogue.load(name, values if catalogue.is_family(name) else ())
    if spec.mode != "accept" or spec.domain is not None:
        raise SpecError(
            f"{spec.origin}: mode = {quote(spec.mode)}, domain = {quote(spec.domain)}; expected a "
            "language, which every word is in or not; give a target of mode accept without a domain"
        )
    return spec


def take_operand(
    source: TargetLike | None = None,
    *,
    regex: str | None = None,
    program: ProgramLike | None = None,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
) -> Operand:
    """Take a name or path, a regex or a program; a SpecError for more of them, or an alphabet in vain."""
    choices = {"a target": source, "regex": regex, "program": program}
    given = [name for name, what in choices.items() if what is not None]
    if len(given) != 1:
        raise SpecError(
            f"{' and '.join(given) or 'nothing'} given; expected one of a target, regex=, program="
        )
    if regex is not None:
        operand = Operand(regex, regex)
    elif program is not None:
        loaded = load_program(program)
        operand = Operand(loaded.origin, loaded)
    elif isinstance(source, Spec):
        operand = Operand(source.name, source)
    else:
        assert source is not None
        text = os.fspath(source)
        chosen = tuple((values or {}).items())
        if text in target_names():  # rather than the program of that name
            operand = replace(read_operand(f"target:{text}", chosen), name=text)
        else:
            operand = read_operand(text, chosen)
    if alphabet is not None and operand.fixed is not None:
        raise SpecError(OWN_ALPHABET)
    return operand if alphabet is None else replace(operand, given=read_alphabet(alphabet))


def take_spec(
    source: TargetLike | None = None,
    *,
    regex: str | None = None,
    program: ProgramLike | None = None,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    name: str | None = None,
) -> tuple[Spec, str]:
    """Take a target as a spec, and the name or path it was loaded from; parameters as of `identify`.

    Raises
    ------
    SpecError, ProgramError
        If it is not exactly one of them, or it is wrong.

    Examples
    --------
    >>> take_spec(regex="(ab)*")[0].alphabet.symbols, take_spec("majority")[1]
    (('a', 'b'), 'majority')
    """
    if source is not None and regex is None and program is None:
        if alphabet is not None:
            raise SpecError(OWN_ALPHABET)
        if isinstance(source, Spec):  # a shipped one lists its files by its name
            return source, catalogue.find_source(source)
        return load_spec(source, values=values), os.fspath(source)
    operand = take_operand(source, regex=regex, program=program, alphabet=alphabet, values=values)
    symbols = find_common_alphabet(operand, operand)
    kind, text = ("crasp", load_program(program).text) if program is not None else ("regex", regex)
    table: dict[str, object] = {"name": name or kind, "alphabet": list(symbols.symbols), kind: text}
    if symbols.spaced:
        table["tokens"] = "space"
    return read_table(table, kind), kind
