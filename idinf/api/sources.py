"""Sources that users name: a target, a program, a hypothesis or a report, read by one function.

How a text is recognised: `regex:TEXT` is a regex and `program:NAME` a shipped program; a name that ends in
.toml is a spec, in .att or .jff an automaton, in .crasp or .cr a program, in .json a hypothesis, or a
report, which stands for its selected hypothesis. Anything else with an = sign is a program or a formula
itself. Any other text is the name of a shipped target or, where there is none of that name, of a shipped
program.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import Any, NoReturn

from idinf.base.files import blaming, show_path, take_path
from idinf.base.quoting import list_some, quote, shorten, suggest
from idinf.base.words import Alphabet, Symbols, read_alphabet
from idinf.crasp import programs
from idinf.crasp.programs import LoadedProgram
from idinf.errors import ArgumentError, HypothesisFormatError, SpecError
from idinf.nets.dense import DenseTransformer
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.translation import CausalTransformer
from idinf.report.files import read_net, take_hypothesis
from idinf.report.value import Path as Path
from idinf.report.value import Report
from idinf.spec import catalogue
from idinf.spec.automata import is_automaton, load_automaton
from idinf.spec.catalogue import CollectedSpec
from idinf.spec.reader import MAX_NAME, check_name, read_table
from idinf.spec.spec import Spec

#: Definition of a language.
Definition = Spec | LoadedProgram | LimitTransformer | CausalTransformer

#: A repetition of a regex; and a symbol: behind a backslash any character, else one that is no operator.
_REPETITION, _SYMBOL = re.compile(r"\{[0-9]+\}"), re.compile(r"\\(.)|([^\s|*+?().\\])", re.DOTALL)


class Source:
    """A source that a user named: a target, program or transformer, and the alphabet it is over.

    An alphabet that is not fixed may be replaced by any other that has the named symbols. For a hypothesis,
    ``asked`` is the target that it was selected for, where a report says so.
    """

    def __init__(
        self,
        name: str,
        definition: Definition,
        alphabet: Alphabet,
        is_fixed: bool = True,
        asked: Spec | None = None,
    ) -> None:
        self.name, self.definition, self.alphabet = name, definition, alphabet
        self.is_fixed, self.asked = is_fixed, asked

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {shorten(self.name, 60)} over {list_some(self.alphabet.symbols)}>"

    @property
    def is_family_member(self) -> bool:
        """True if values were needed to choose it."""
        return isinstance(self.definition, Spec) and bool(self.definition.parameters)

    @cached_property
    def spec(self) -> Spec:
        """The language as the procedure takes it; of a hypothesis, that of the program it is read as."""
        match self.definition:
            case Spec() as spec:
                return spec
            case LoadedProgram(text=text):
                return write_spec(self.name, self.alphabet, "crasp", text)
            case LimitTransformer() as net:
                from idinf.crasp.syntax import format_program
                from idinf.translate.formulas.program import decompile_net

                with blaming(self.name):
                    text = format_program(decompile_net(net))
                    return write_spec(self.name, self.alphabet.apart, "crasp", text)
        self.refuse_ordinary()

    def refuse_ordinary(self) -> NoReturn:
        """Refuse an ordinary transformer, which is no language."""
        raise HypothesisFormatError(
            f"{self.name}: an ordinary transformer, which answers words that its context has room for; "
            "expected a language of words of every length; use 'idinf run'"
        )


TargetLike = Path | Spec | Source | LoadedProgram | LimitTransformer | CausalTransformer | Report


def write_spec(name: str, alphabet: Alphabet, kind: str, text: str) -> Spec:
    """Write the spec of a target of one's own: its name is its text, or that of its file."""
    title = PurePath(name).stem if name.endswith((".crasp", ".cr", ".json")) else " ".join(name.split())
    title = shorten(title, MAX_NAME)
    table: dict[str, object] = {"name": title, "alphabet": list(alphabet.symbols), kind: text}
    if alphabet.spaced:
        table["tokens"] = "space"
    return read_table(table, title)


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


def read_source(
    source: TargetLike,
    *,
    alphabet: Symbols | None = None,
    name: str | None = None,
    values: Mapping[str, int] | None = None,
    record: int | None = None,
    program_first: bool = False,
) -> Source:
    """Read the source of a target; parameters and errors as of `idinf.api.languages.read_target`.

    ``program_first`` is True if a name that a target and a program share is that of the program.
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
) -> Source:
    match source:
        case str() | os.PathLike():
            return _read_text(take_path(source), given, values, record, first)
        case Source():
            return source
        case Spec():
            return Source(source.name, source, source.alphabet)
        case LoadedProgram():
            return _of_program(source, given)
        case Report():
            net = take_hypothesis(source, record)
            return Source(source.target.name, net, net.alphabet, asked=source.target.spec())
        case LimitTransformer():
            return Source("hypothesis", source, source.alphabet)
        case CausalTransformer():
            return Source("ordinary transformer", source, source.alphabet)
    raise ArgumentError(
        f"{quote(source)} is no target; expected a name, a path, 'regex:(ab)*', a program such as "
        "'accept iff #a >= 2 #b', a spec or a language; write a function of words as one of these"
    )


def _of_program(loaded: LoadedProgram, given: Alphabet | None) -> Source:
    return Source(loaded.origin, loaded, loaded.alphabet(given), is_fixed=given is not None)


def _read_text(
    text: str, given: Alphabet | None, values: Mapping[str, int], record: int | None, first: bool
) -> Source:
    kind, _, rest = text.partition(":")
    if kind == "regex":
        return _read_regex(rest, given)
    if kind == "program":
        return _of_program(programs.load(rest, given), given)
    if text.endswith(".json"):
        return read_transformer(text, record)
    if is_automaton(text):
        spec = load_automaton(text, given)
        return Source(text, spec, spec.alphabet, is_fixed=given is not None)
    is_path = "/" in text or "\\" in text
    if text.endswith((".crasp", ".cr")) or (first and (is_path or text in programs.list_names())):
        return _of_program(programs.load(text, given), given)
    if programs.is_text(text) and not text.endswith(".toml"):
        return _of_program(programs.loads(text, " ".join(text.split()), given), given)
    if text.endswith(".toml") or is_path or text in target_names():
        spec = catalogue.load(text, tuple(values.items()))
        return Source(text if text.endswith(".toml") else spec.name, spec, spec.alphabet)
    if text in programs.list_names():
        return _of_program(programs.load(text, given), given)
    raise _unknown(text, " a file (.toml, .att, .jff, .crasp, .json),")


def read_typed(text: str, alphabet: Symbols | None = None) -> Source:
    """Read a language that somebody wrote into a page: a name, a regex or a program, and never a file.

    Examples
    --------
    >>> read_typed("regex:(ab)*").name
    '(ab)*'
    >>> read_typed("../secrets.toml")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    idinf.errors.SpecError: unknown target '../secrets.toml'; expected a name that 'idinf list' shows, ...
    """
    if text.startswith("regex:") or text in (*target_names(), *programs.list_names()):
        return read_source(text, alphabet=alphabet)
    if not programs.is_text(text):
        raise _unknown(text)
    given = None if alphabet is None else read_alphabet(alphabet)
    return read_source(programs.loads(text, " ".join(text.split()), given), alphabet=alphabet)


def _unknown(text: str, files: str = "") -> SpecError:
    """The error of a text that is no target; ``files`` are further expected sources."""
    hint = suggest(text, (*target_names(), *programs.list_names()))
    if not hint and any(sign in text for sign in "*|()+?"):
        hint = f"did you mean {quote(f'regex:{text}')}?"
    return SpecError(
        f"unknown target {quote(text)}; {hint and f'{hint} '}expected a name that 'idinf list' shows,{files} "
        "regex:TEXT, or a program such as 'accept iff #a >= 2 #b'"
    )


def _read_regex(text: str, given: Alphabet | None) -> Source:
    from idinf.targets.regex import to_library_notation

    with blaming(text):
        alphabet = given or _name_symbols(text)
        to_library_notation(text, {symbol: symbol for symbol in alphabet.symbols})
        return Source(text, write_spec(text, alphabet, "regex", text), alphabet, is_fixed=given is not None)


def _name_symbols(text: str) -> Alphabet:
    """The symbols that a regex names, sorted."""
    from idinf.targets.regex import check_notation

    check_notation(text)
    found = {escaped or plain for escaped, plain in _SYMBOL.findall(_REPETITION.sub("", text))}
    if not found:
        raise SpecError("no symbol is named; expected an alphabet; give --alphabet")
    return Alphabet(tuple(sorted(found)))


def read_transformer(
    path: Path,
    record: int | None = None,
    kinds: tuple[type[DenseTransformer], ...] = (LimitTransformer, CausalTransformer),
) -> Source:
    """Read a hypothesis, that of a report, or an ordinary transformer."""
    net, report = read_net(path, kinds, record)
    assert isinstance(net, LimitTransformer | CausalTransformer)
    return Source(take_path(path), net, net.alphabet, asked=None if report is None else report.target.spec())


def read_hypothesis(source: object, record: int | None = None) -> Source:
    """Read a Limit Transformer: one there is, a file, or the selected one of a report, or its ``record``."""
    match source:
        case Source(definition=LimitTransformer()):
            return source
        case LimitTransformer():
            return read_source(source)
        case Report():
            return read_source(source, record=record)
    return read_transformer(take_path(source), record, (LimitTransformer,))


def several(given: Any) -> Sequence[Any]:
    """Give one source as a list of one: a path is no list of its letters."""
    return given if isinstance(given, list | tuple) else (given,)


def takes_values(text: str) -> bool:
    """True if a text names a family, so that values choose a member."""
    return text in catalogue.list_family_names() or (text.endswith(".toml") and catalogue.is_family(text))


def list_targets(
    sources: Sequence[TargetLike], chosen: Mapping[str, Sequence[int]] | None = None
) -> tuple[CollectedSpec, ...]:
    """List the targets of many sources, as `read_source` takes them; and of folders, and whole families.

    Values are ``chosen`` as in `idinf.spec.catalogue.list_entries`.

    Examples
    --------
    >>> [entry.name for entry in list_targets(["tomita-1", "regex:(ab)*"])]
    ['tomita-1', '(ab)*']
    """
    named = [take_path(source) if isinstance(source, os.PathLike) else source for source in sources]
    specs = [source if isinstance(source, str) else read_source(source).spec for source in named]
    entries = catalogue.list_entries(specs, chosen, lambda text: read_source(text).spec)
    is_none_read = all(entry.error is not None for entry in entries)
    for entry in entries:
        if entry.error is not None and (is_none_read or not os.path.exists(entry.source)):
            raise entry.error
    return entries
