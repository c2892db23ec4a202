"""What users name: a target, a program, a hypothesis or a report, read by one function.

How a text is recognised: `regex:TEXT` is a regex and `program:NAME` a shipped program; a name that ends in
.toml is a spec, in .crasp or .cr a program, in .json a hypothesis, or a report, which stands for its selected
hypothesis. Anything else with an = sign is a program or a formula itself. What is left is the name of a
shipped target or, where there is none of that name, of a shipped program.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from idinf.api.languages import Language, Program, write_spec
from idinf.base.files import blaming, show_path
from idinf.base.quoting import quote, suggest
from idinf.base.words import Alphabet, Symbols, read_alphabet
from idinf.crasp import programs
from idinf.crasp.programs import LoadedProgram
from idinf.errors import ArgumentError, SpecError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.translation import CausalTransformer
from idinf.spec import catalogue
from idinf.spec.catalogue import CollectedSpec
from idinf.spec.reader import check_name
from idinf.spec.spec import Spec

if TYPE_CHECKING:
    from idinf.report import value

Path = str | os.PathLike[str]
TargetLike: TypeAlias = (
    "Path | Spec | Language | LoadedProgram | LimitTransformer | CausalTransformer | value.Report"
)

#: A repetition of a regex; and a symbol: behind a backslash any character, else one that is no operator.
_REPETITION, _SYMBOL = re.compile(r"\{[0-9]+\}"), re.compile(r"\\(.)|([^\s|*+?().\\])", re.DOTALL)


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
    return programs.list_names()


def task_names() -> tuple[str, ...]:
    """List the algorithmic tasks that are classified besides targets, sorted.

    Examples
    --------
    >>> "addition" in task_names()
    True
    """
    from idinf.targets.tasks import PROGRAM_TASKS, TASKS

    return tuple(sorted((*PROGRAM_TASKS, *TASKS)))


def read_target(
    source: TargetLike,
    *,
    alphabet: Symbols | None = None,
    name: str | None = None,
    values: Mapping[str, int] | None = None,
    record: int | None = None,
    program_first: bool = False,
) -> Language:
    """Take whatever defines a language, or asks for next symbols.

    Parameters
    ----------
    source : str, path, Spec, Language, Report or transformer
        A name that `target_names` or `program_names` lists; the path of a spec (.toml), a program (.crasp,
        .cr), a hypothesis or a report (.json), which is its selected hypothesis; a formula or the text of a
        program; ``regex:(ab)*``; ``program:NAME``.
    alphabet : str or sequence of str, optional
        Of a regex or a program: symbols written together, or a list; the symbols it names, sorted, if it is
        not given.
    name : str, optional
        What the target is called, in place of its own name or text.
    values : mapping, optional
        The values that choose a member of a family.
    record : int, optional
        Of a report: the number of a record, from 1 on, in place of the selected one.
    program_first : bool
        Whether a name that a target and a program have is that of the program.

    Raises
    ------
    SpecError, ProgramError, HypothesisFormatError, ReportFormatError
        If there is no such target, or it is wrong.
    ArgumentError
        If it is of another type, or an alphabet, values or a record are given for what has none.

    Examples
    --------
    >>> read_target("regex:(ab)*").words(up_to=4)
    ('', 'ab', 'abab')
    >>> "aab" in read_target('accept = # "b" <= # "a"'), "aab" in read_target("accept iff #a >= 2 #b")
    (True, True)
    """
    given = None if alphabet is None else read_alphabet(alphabet)
    found = _read(source, given, values or {}, record, program_first)
    if given is not None and found.alphabet != given:
        raise ArgumentError(f"an alphabet is given, but {show_path(found.name)} has its own; leave it out")
    if values and not found.is_family_member:
        raise ArgumentError(f"values are given, but {show_path(found.name)} is no family; leave them out")
    if record is not None and not isinstance(found.definition, LimitTransformer):
        raise ArgumentError(f"record {record} is asked of {show_path(found.name)}; expected a report")
    if name is not None:
        found = copy(found)
        found.name = name
        vars(found).pop("spec", None)
        if isinstance(found.definition, Spec):
            found.definition = replace(found.definition, name=check_name(name))
    return found


def _read(
    source: TargetLike, given: Alphabet | None, values: Mapping[str, int], record: int | None, first: bool
) -> Language:
    if isinstance(source, str | os.PathLike):
        return _read_text(os.fspath(source), given, values, record, first)
    from idinf.api.hypotheses import hypothesis  # few sources are one
    from idinf.report import value

    match source:
        case Language():
            return source
        case Spec():
            return Language(source.name, source, source.alphabet)
        case LoadedProgram():
            return Program(source, given)
        case value.Report() | LimitTransformer():
            return hypothesis(source, record=record)
        case CausalTransformer():
            return Language("ordinary transformer", source, source.alphabet)
    raise ArgumentError(
        f"{quote(source)} is no target; expected a name, a path, 'regex:(ab)*', a program such as "
        "'accept iff #a >= 2 #b', a spec or a language; write a function of words as one of these"
    )


def _read_text(
    text: str, given: Alphabet | None, values: Mapping[str, int], record: int | None, first: bool
) -> Language:
    kind, _, rest = text.partition(":")
    if kind == "regex":
        return _read_regex(rest, given)
    if kind == "program":
        return Program(programs.load(rest, given), given)
    if text.endswith(".json"):
        return _read_transformer(text, record)
    is_path = "/" in text or "\\" in text
    if text.endswith((".crasp", ".cr")) or (first and (is_path or text in programs.list_names())):
        return Program(programs.load(text, given), given)
    if programs.is_text(text) and not text.endswith(".toml"):
        return Program(programs.loads(text, " ".join(text.split()), given), given)
    if text.endswith(".toml") or is_path or text in target_names():
        spec = catalogue.load(text, tuple(values.items()))
        return Language(text if text.endswith(".toml") else spec.name, spec, spec.alphabet)
    if text in programs.list_names():
        return Program(programs.load(text, given), given)
    hint = suggest(text, (*target_names(), *programs.list_names()))
    if not hint and any(sign in text for sign in "*|()+?"):
        hint = f"did you mean {quote(f'regex:{text}')}?"
    raise SpecError(
        f"unknown target {quote(text)}; {hint and f'{hint} '}expected a name that 'idinf list' shows, a file "
        "(.toml, .crasp, .cr, .json), regex:TEXT, or a program such as 'accept iff #a >= 2 #b'"
    )


def _read_regex(text: str, given: Alphabet | None) -> Language:
    from idinf.targets.regex import to_library_notation

    with blaming(text):
        alphabet = given or _name_symbols(text)
        to_library_notation(text, {symbol: symbol for symbol in alphabet.symbols})
        return Language(text, write_spec(text, alphabet, "regex", text), alphabet, is_fixed=given is not None)


def _name_symbols(text: str) -> Alphabet:
    """The symbols that a regex names, sorted."""
    from idinf.targets.regex import check_notation

    check_notation(text)
    found = {escaped or plain for escaped, plain in _SYMBOL.findall(_REPETITION.sub("", text))}
    if not found:
        raise SpecError("no symbol is named; expected an alphabet; give --alphabet")
    return Alphabet(tuple(sorted(found)))


def _read_transformer(path: str, record: int | None) -> Language:
    """A hypothesis, that of a report, or an ordinary transformer."""
    from idinf.api.hypotheses import Hypothesis
    from idinf.report.files import read_beside_report

    net, report = read_beside_report(path, record, (LimitTransformer, CausalTransformer))
    if isinstance(net, LimitTransformer):
        return Hypothesis(net, path, asked=None if report is None else report.target.spec())
    assert isinstance(net, CausalTransformer)
    return Language(path, net, net.alphabet)


def takes_values(text: str) -> bool:
    """Whether a text names a family, so that values choose a member."""
    return text in catalogue.list_family_names() or (text.endswith(".toml") and catalogue.is_family(text))


def list_targets(
    sources: Sequence[TargetLike], chosen: Mapping[str, Sequence[int]] | None = None
) -> tuple[CollectedSpec, ...]:
    """List the targets of many sources, as `read_target` takes them; and of folders, and whole families.

    Values are ``chosen`` as in `idinf.spec.catalogue.list_entries`.

    Examples
    --------
    >>> [entry.name for entry in list_targets(["tomita-1", "regex:(ab)*"])]
    ['tomita-1', '(ab)*']
    """
    named = [os.fspath(source) if isinstance(source, os.PathLike) else source for source in sources]
    specs = [source if isinstance(source, str) else read_target(source).spec for source in named]
    return catalogue.list_entries(specs, chosen, lambda text: read_target(text).spec)
