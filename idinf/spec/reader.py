"""Read ``idinf-spec/1`` TOML into a `Spec`, or a family of them; a refusal names file, key, value and remedy.

All keys, those of next symbols too, are explained in ``specs/README.md``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

from idinf.base.documents import child, convert, read, telling, unknown_key
from idinf.base.files import show_path
from idinf.base.quoting import MOST_QUOTED, list_some, quote, shorten
from idinf.base.words import Alphabet, split_symbols
from idinf.errors import SpecError, UnsupportedBoundError
from idinf.spec.bounds import FAMILY, RANGES, SpaceBounds
from idinf.spec.parameters import CAP_FACTOR, Parameters, Values, bind, check_count, look_up, read_parameters
from idinf.spec.spec import END, Answer, FiniteAutomaton, Kind, Spec, Verdict

#: max_n of a spec that names none: the length of the majority example, seconds of work for small targets.
DEFAULT_MAX_N = 64

#: Texts in which ``{k}`` stands for the parameter k.
_TEMPLATES = ("name", "crasp", "regex", "domain", "judged", "source")

_NOT_EMPTY = "expected a regex; write () for the empty word alone"

_SPACE_KEYS = ("preset", *RANGES, "max_r", "work")

#: Characters of a name: files are named after it, with a digest, limits and an ending, in 255 bytes.
MAX_NAME = 100

#: Hypotheses that may bound R* from above: every run reads and checks them.
MAX_UPPER = 32

#: Dots outside of quotes on one line; keys of specs have two. Python's reader takes the square of the
#: parts of a key as time and memory.
MOST_DOTS = 8

#: Parts in which dots do not count: texts, also those that are never closed, and comments.
_QUIET = re.compile(
    r"""
      ''' .*? (?: '''(?!') | \Z )
    | ["]{3} (?: \\. | [^\\] )*? (?: ["]{3}(?!["]) | \Z )
    | '[^'\n]*'?
    | "(?: \\. | [^"\\\n] )*"?
    | \#[^\n]*
    """,
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Automaton:
    """The table ``dfa``."""

    states: tuple[str, ...]
    start: str
    accept: tuple[str, ...]
    transitions: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class _Expected:
    """The table ``expected``, in the order in which a `Spec` has its rows."""

    crasp: Verdict | None = None
    crasp_periodic_local: Verdict | None = None


@dataclass(frozen=True, slots=True)
class _SpecFile:
    """The keys of a spec, before they are read together."""

    name: str
    alphabet: str | tuple[str, ...] = ()
    tokens: Literal["space"] | None = None
    crasp: str | None = None
    regex: str | None = None
    dfa: _Automaton | None = None
    mode: Literal["accept", "next"] = "accept"
    output: Literal["set", "symbol"] | None = None
    next: Mapping[str, str] | None = None
    domain: str | None = None
    judged: str | None = None
    source: str = ""
    max_n: int = DEFAULT_MAX_N
    space: Mapping[str, Any] = field(default_factory=dict)
    expected: _Expected = _Expected()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    generator: str | None = None
    upper: tuple[str, ...] = ()

    @property
    def definitions(self) -> dict[str, Any]:
        """Definitions of the language, by kind; a sound spec has one."""
        every = {kind.value: getattr(self, kind) for kind in Kind}
        return {kind: given for kind, given in every.items() if given is not None}


def parse_spec(text: str, origin: str = "<spec>", values: Values = ()) -> Spec:
    """Read a spec from TOML text; messages begin with the file name ``origin``.

    Of a family, ``values`` has one value for every parameter; it is empty for a single target. Raises
    `SpecError` if the text is not TOML or breaks a rule of the format, or the values do not fit its
    parameters.

    >>> spec = parse_spec('name = "all"\\nalphabet = "ab"\\nregex = "(a|b)*"')
    >>> spec.kind.value, spec.alphabet.symbols, spec.max_n
    ('regex', ('a', 'b'), 64)
    """
    origin = show_path(origin)
    return read_table(parse_toml(text, origin), origin, values)


def read_table(table: Mapping[str, object], origin: str, values: Values = ()) -> Spec:
    """Read a spec from the table of its TOML text; the rest, and errors, as for `parse_spec`.

    >>> read_table({"name": "all", "alphabet": "ab", "regex": "(a|b)*"}, "all.toml").name
    'all'
    """
    with telling(origin, SpecError):
        return _build(read(table, _SpecFile, origin, SpecError), origin, values)


def parse_parameters(text: str, origin: str = "<spec>") -> Parameters | None:
    """Read the parameters of a family; None for a single target.

    Raises `SpecError` if the text is not TOML, or breaks a rule of the format.

    >>> parse_parameters('name = "all"') is None
    True
    """
    origin = show_path(origin)
    file = read(parse_toml(text, origin), _SpecFile, origin, SpecError)
    with telling(origin, SpecError):
        return read_parameters(file.parameters, file.generator) if file.parameters else None


def _build(file: _SpecFile, origin: str, given: Values) -> Spec:
    file, values = _member(file, given)
    alphabet = _alphabet(file)
    kind = _kind(file)
    answer = Answer.ACCEPT if file.mode == "accept" else Answer(file.output or "set")
    if file.output is not None and answer is Answer.ACCEPT:
        raise _refusal("output", file.output, 'it with mode = "next" only; leave one of the two out')
    if len(file.upper) > MAX_UPPER:
        raise SpecError(
            f"upper lists {len(file.upper)} files; expected at most {MAX_UPPER}; keep those of the least R"
        )
    return Spec(
        name=check_name(file.name),
        alphabet=alphabet,
        kind=kind,
        answer=answer,
        next=_next(file, answer, kind, alphabet),
        domain=_filled(file.domain, "domain"),
        judged=_judged(file, answer, kind),
        definition=_definition(file, kind, alphabet),
        source=file.source,
        max_n=check_count("max_n", file.max_n),
        space=_space(file.space),
        expected=tuple(
            (key, verdict)
            for key in _Expected.__slots__
            if (verdict := getattr(file.expected, key)) is not None
        ),
        parameters=values,
        upper=file.upper,
        origin=origin,
    )


def _refusal(key: str, value: object, expected: str) -> SpecError:
    return SpecError(f"{shorten(key)} = {quote(value)}; expected {expected}")


def _member(file: _SpecFile, given: Values) -> tuple[_SpecFile, Values]:
    """One member of a family, its values written in; a single target as it is."""
    if not file.parameters:
        if file.generator is not None:
            names = look_up(file.generator).parameters
            raise SpecError(
                f"generator = {quote(file.generator)}; expected [parameters] beside it; add ranges of "
                f"{list_some(names, ', ')}"
            )
        if given:
            raise SpecError(f"no [parameters], so {quote(given[0][0])} cannot be set; leave the value out")
        return file, ()
    parameters = read_parameters(file.parameters, file.generator)
    if not given:
        example = list_some(f"--set {name}={value}" for name, value in next(parameters.members()))
        raise SpecError(
            f"a family with the parameters {list_some(parameters.names, ', ')}; expected a single target; "
            f"use 'idinf batch', or give values such as {example}"
        )
    values = parameters.check(given)
    if file.generator is not None:
        file = _generated(file, look_up(file.generator).make(**dict(values)))
    _check_uses(file, parameters.names)
    texts: dict[str, Any] = {key: getattr(file, key) for key in _TEMPLATES}
    texts = {key: bind(text, values, key) for key, text in texts.items() if text is not None}
    return replace(file, **texts), values


def _generated(file: _SpecFile, made: Mapping[str, object]) -> _SpecFile:
    """The file with the definition of its generator, in place of one written by hand."""
    for key in ("alphabet", "tokens", *Kind):
        if getattr(file, key):
            raise SpecError(f"{key} beside generator, which makes it; expected one of them; leave one out")
    own = convert({"name": file.name, **made}, _SpecFile)
    return replace(file, alphabet=own.alphabet, **own.definitions)


def _check_uses(file: _SpecFile, names: tuple[str, ...]) -> None:
    """Refuse a parameter that is not in both definition and name, in which members have to differ."""
    for name in names:
        if file.generator is None and f"{{{name}}}" not in (file.crasp or file.regex or ""):
            raise SpecError(
                f"parameters.{name}: {{{name}}} is not in the definition; expected it in crasp or regex; "
                "use it or leave the parameter out"
            )
        if f"{{{name}}}" not in file.name:
            raise SpecError(
                f"name = {quote(file.name)}; expected {{{name}}} in it, so that every member has its own name"
            )


def _filled(
    text: str | None, key: str, remedy: str = "expected a regex; write () for the empty word alone"
) -> str | None:
    if text is not None and not text.strip():
        raise SpecError(f"{key} is empty; {remedy}")
    return text


def _next(file: _SpecFile, answer: Answer, kind: Kind, alphabet: Alphabet) -> tuple[tuple[str, str], ...]:
    """The operations of a program by next symbol, in the order of the alphabet, end-of-string last."""
    wanted = answer is not Answer.ACCEPT and kind is Kind.CRASP
    if wanted and not file.next:
        raise SpecError(
            'next is missing: a program with mode = "next" names an operation for every next symbol; add '
            f'a table such as [next] {alphabet.symbols[0][:MOST_QUOTED]} = "operation"'
        )
    if file.next is None:
        return ()
    if not wanted:
        raise SpecError('next: expected it with mode = "next" and a crasp program only; leave the table out')
    outputs = dict.fromkeys((*alphabet.symbols, END))
    for symbol in file.next:
        if symbol not in outputs:
            raise SpecError(
                f"{shorten(child('next', symbol))}: no next symbol; expected one of: {list_some(outputs)}; "
                f"{END} is the end"
            )
    return tuple((symbol, file.next[symbol]) for symbol in outputs if symbol in file.next)


def _judged(file: _SpecFile, answer: Answer, kind: Kind) -> str | None:
    if file.judged is not None and answer is Answer.ACCEPT:
        expected = 'it with mode = "next" only, acceptance is judged at the end of a word; leave it out'
        raise _refusal("judged", file.judged, expected)
    return file.judged if kind is Kind.CRASP else _filled(file.judged, "judged")


def check_name(name: str) -> str:
    """Refuse a name that cannot be that of a target: tables and messages hold it on one line."""
    if not isinstance(name, str) or not name.isprintable() or name != name.strip() or not name:
        expected = "one line of printable characters, without blanks at its ends"
        raise _refusal("name", name, expected)
    if len(name) > MAX_NAME:
        raise SpecError(
            f"name = {quote(name)} has {len(name)} characters; expected at most {MAX_NAME}; shorten it"
        )
    return name


def _alphabet(file: _SpecFile) -> Alphabet:
    spaced = file.tokens is not None
    if file.alphabet == ():
        raise SpecError(
            'alphabet is missing; expected the symbols of words; add a line such as alphabet = "ab"'
        )
    if isinstance(file.alphabet, str):
        return Alphabet(split_symbols(file.alphabet, spaced), spaced)
    return Alphabet(file.alphabet, spaced)


def _kind(file: _SpecFile) -> Kind:
    if len(file.definitions) != 1:
        found = " and ".join(file.definitions) or "none"
        raise SpecError(
            f"{found} given; expected exactly one of the keys crasp, regex, dfa; keep one definition"
        )
    return Kind(*file.definitions)


def _definition(file: _SpecFile, kind: Kind, alphabet: Alphabet) -> str | FiniteAutomaton:
    if file.dfa is not None:
        return _automaton(file.dfa, alphabet)
    remedy = _NOT_EMPTY if kind is Kind.REGEX else "write at least one operation"
    text = _filled(file.definitions[kind], kind, remedy)
    assert text is not None
    return text


def _space(table: Mapping[str, Any]) -> SpaceBounds:
    if unknown := unknown_key(table, _SPACE_KEYS, "space"):
        raise unknown
    given = dict(table)
    try:
        return SpaceBounds.from_preset(given.pop("preset", FAMILY), **given)
    except UnsupportedBoundError as error:
        raise SpecError(f"space.{error}") from None


def _automaton(file: _Automaton, alphabet: Alphabet) -> FiniteAutomaton:
    known: dict[str, None] = {}  # in their order
    for state in file.states:
        if state in known:
            raise SpecError(f"dfa.states: state {quote(state)} is listed twice; list every state once")
        known[state] = None
    _check_name(file.start, "state", known, "dfa.start")
    for state in file.accept:
        _check_name(state, "state", known, "dfa.accept")
    symbols = dict.fromkeys(alphabet.symbols)
    rows = []
    for state, row in file.transitions.items():
        _check_name(state, "state", known, "dfa.transitions")
        key = f"dfa.transitions.{state}"
        for symbol, following in row.items():
            _check_name(symbol, "symbol", symbols, key)
            _check_name(following, "state", known, f"{key}.{symbol}")
            rows.append((state, symbol, following))
    return FiniteAutomaton(file.states, file.start, file.accept, tuple(rows))


def _check_name(name: str, what: str, known: Mapping[str, None], key: str) -> None:
    if name not in known:
        where = "dfa.states" if what == "state" else "the alphabet"
        told = f"{shorten(key)}: {what} {quote(name)} is not in {where}"
        raise SpecError(f"{told}; expected one of: {list_some(known)}")


@lru_cache(maxsize=1)  # a spec is read for its parameters, and again for every member of the family
def parse_toml(text: str, origin: str) -> Mapping[str, object]:
    """Parse the text of a spec; ``origin`` names it in messages.

    Raises `SpecError` if it is not TOML, with the line, or has keys of many parts.
    """
    outside = _QUIET.sub(lambda quiet: "\n" * quiet[0].count("\n"), text)
    for number, line in enumerate(outside.split("\n"), start=1):
        if line.count(".") > MOST_DOTS:
            raise SpecError(
                f"{origin}: line {number}: a key of many parts; expected at most {MOST_DOTS} dots outside of "
                "quotes; correct that line"
            )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        end = f"at line {max(len(text.splitlines()), 1)}, the end of the file"
        reason = shorten(str(error).replace("at end of document", end))  # it may name a key
    except RecursionError:
        raise SpecError(f"{origin}: not valid TOML: nested too deeply; flatten the values") from None
    except ValueError:  # Python's bound on the digits of an integer, and dates that there never were
        reason = "a number of too many digits, or no date"
    raise SpecError(f"{origin}: not valid TOML: {reason}; correct that line") from None


@dataclass(frozen=True, slots=True)
class FamilySpec:
    """A spec with parameters."""

    name: str  #: that in the file without the braces around parameters: ``ge-{k}-{j}`` is ge-k-j
    parameters: Parameters
    first: Spec  #: the first member, which has all that does not depend on parameters, as the alphabet
    text: str  #: of the file
    origin: str  #: its name, for messages

    @property
    def max_n_cap(self) -> int:
        """Greatest ``max_n`` to which a run may raise it for a member."""
        cap = self.parameters.max_n_cap
        return CAP_FACTOR * self.first.max_n if cap is None else cap

    def members(self, chosen: Mapping[str, Sequence[int]] | None = None) -> tuple[Spec, ...]:
        """Give the specs of the members as of `Parameters.members`; a `SpecError` if there is none.

        >>> family = parse_family('name="a-{k}"\\nalphabet="a"\\nregex="a{k}"\\n[parameters]\\nk=[1,3]')
        >>> [spec.name for spec in family.members()]
        ['a-1', 'a-2', 'a-3']
        """
        try:
            for name, values in (chosen or {}).items():
                self.parameters.check_range(name, values)
            every = tuple(self.parameters.members(chosen))
        except SpecError as error:
            raise SpecError(f"{self.origin}: {error}") from None
        found = tuple(parse_spec(self.text, self.origin, values) for values in every)
        if chosen and not found:
            told = "; ".join(f"{key} = {list_some(map(str, some), ', ')}" for key, some in chosen.items())
            raise SpecError(f"{self.origin}: no member with {told}; expected at least one; choose others")
        return found


@lru_cache(maxsize=16)
def parse_family(text: str, origin: str = "<spec>") -> FamilySpec:
    """Read a family from TOML text.

    Raises `SpecError` if the text breaks a rule of the format, or has no parameters.
    """
    origin = show_path(origin)
    parameters = parse_parameters(text, origin)
    if parameters is None:
        parse_spec(text, origin)  # other faults come first: the key may be misspelt
        raise SpecError(
            f"{origin}: no [parameters]; expected a family, with ranges such as k = [1, 12]; a single target "
            "is for 'idinf identify'"
        )
    first = parse_spec(text, origin, next(parameters.members()))
    if parameters.max_n_cap is not None and parameters.max_n_cap < first.max_n:
        raise SpecError(
            f"{origin}: parameters.max_n_cap = {parameters.max_n_cap}; expected at least the max_n of the "
            f"spec, {first.max_n}"
        )
    template = str(parse_toml(text, origin)["name"])
    return FamilySpec(re.sub(r"[{}]", "", template), parameters, first, text, origin)
