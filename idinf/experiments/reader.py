"""Read ``idinf-spec/1`` TOML into a `Spec`; every refusal names file, key, value and expectation.

What the keys mean, those of next symbols too, is explained in ``specs/README.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from idinf.errors import SpecError, UnsupportedBoundError
from idinf.experiments import toml
from idinf.experiments.bounds import FAMILY, RANGES, SpaceBounds
from idinf.experiments.parameters import Parameters, Values, bind, look_up, read_parameters
from idinf.experiments.spec import END, Answer, FiniteAutomaton, Kind, Spec, Verdict
from idinf.files import show_path
from idinf.quoting import MOST_QUOTED, list_some, quote, shorten, suggest
from idinf.words import Alphabet

#: max_n of a spec that names none: the length of the majority example, seconds of work for small targets.
DEFAULT_MAX_N = 64

_KEYS = (
    *("name", "alphabet", "tokens", "crasp", "regex", "dfa", "mode", "output", "next", "domain", "judged"),
    *("source", "max_n", "space", "expected", "parameters", "generator", "upper"),
)
#: Texts in which ``{k}`` stands for the parameter k.
_TEMPLATES = ("name", "crasp", "regex", "domain", "judged", "source")
_SPACE_KEYS = ("preset", *RANGES, "max_r", "work")
_EXPECTED_KEYS = ("crasp", "crasp_periodic_local")
_DFA_KEYS = ("states", "start", "accept", "transitions")

#: Characters of a name: files are named after it, with a digest, limits and an ending, in 255 bytes.
MAX_NAME = 100

#: Hypotheses that may bound R* from above: every run reads and checks them.
MAX_UPPER = 32


def parse_spec(text: str, origin: str = "<spec>", values: Values = ()) -> Spec:
    """Read a spec from TOML text; messages begin with the file name ``origin``.

    Of a family, ``values`` has one value for every parameter; it is empty for a single target.

    Raises
    ------
    SpecError
        If the text is not TOML or breaks a rule of the format, or the values do not fit its parameters.

    Examples
    --------
    >>> spec = parse_spec('name = "all"\\nalphabet = "ab"\\nregex = "(a|b)*"')
    >>> spec.kind.value, spec.alphabet.symbols, spec.max_n
    ('regex', ('a', 'b'), 64)
    """
    origin = show_path(origin)
    return read_table(toml.parse(text, origin), origin, values)


def read_table(table: Mapping[str, object], origin: str, values: Values = ()) -> Spec:
    """Read a spec from what its TOML text holds; the rest, and errors, as for `parse_spec`.

    Examples
    --------
    >>> read_table({"name": "all", "alphabet": "ab", "regex": "(a|b)*"}, "all.toml").name
    'all'
    """
    try:
        return _build(table, origin, values)
    except SpecError as error:
        raise SpecError(f"{origin}: {error}") from None


def parse_parameters(text: str, origin: str = "<spec>") -> Parameters | None:
    """Read the parameters of a family; None for a single target.

    Raises
    ------
    SpecError
        If the text is not TOML, or the table of parameters is wrong.

    Examples
    --------
    >>> parse_parameters('name = "all"') is None
    True
    """
    origin = show_path(origin)
    table = toml.parse(text, origin)
    try:
        given = toml.read_subtable(table.get("parameters", {}), "parameters")
        return read_parameters(given, table.get("generator")) if given else None
    except SpecError as error:
        raise SpecError(f"{origin}: {error}") from None


def _build(table: Mapping[str, object], origin: str, given: Values) -> Spec:
    _check_keys(table, _KEYS, "")
    table, values = _member(table, given)
    alphabet = _alphabet(table)
    kind = _kind(table)
    answer = _answer(table)
    return Spec(
        name=_name(table),
        alphabet=alphabet,
        kind=kind,
        answer=answer,
        next=_next(table, answer, kind, alphabet),
        domain=_regex(table, "domain"),
        judged=_judged(table, answer, kind),
        definition=_definition(table, kind, alphabet),
        source=toml.read_string(table.get("source", ""), "source"),
        max_n=toml.read_sign(table.get("max_n", DEFAULT_MAX_N), "max_n"),
        space=_space(table.get("space", {})),
        expected=_expected(table.get("expected", {})),
        parameters=values,
        upper=_upper(table.get("upper", [])),
        origin=origin,
    )


def _member(table: Mapping[str, object], given: Values) -> tuple[Mapping[str, object], Values]:
    """The table of one member of a family, its values written in; a single target as it is."""
    ranges = toml.read_subtable(table.get("parameters", {}), "parameters")
    if not ranges:
        if "generator" in table:
            names = look_up(table["generator"]).parameters
            raise SpecError(
                f"generator = {quote(table['generator'])}; expected [parameters] beside it; add ranges of "
                f"{list_some(names, ', ')}"
            )
        if given:
            raise SpecError(f"no [parameters], so {quote(given[0][0])} cannot be set; leave the value out")
        return table, ()
    generator = table.get("generator")
    parameters = read_parameters(ranges, generator)
    if not given:
        example = list_some(f"--set {name}={value}" for name, value in next(parameters.members()))
        raise SpecError(
            f"a family with the parameters {list_some(parameters.names, ', ')}; expected a single target; "
            f"use 'idinf family', or give values such as {example}"
        )
    values = parameters.check(given)
    if generator is not None:
        table = _generated(table, look_up(generator).make(**dict(values)))
    _check_uses(table, parameters.names, generator is not None)
    texts = {key: table[key] for key in _TEMPLATES if isinstance(table.get(key), str)}
    return {**table, **{key: bind(str(text), values, key) for key, text in texts.items()}}, values


def _generated(table: Mapping[str, object], made: Mapping[str, object]) -> Mapping[str, object]:
    """The table with what its generator made, in place of what is written by hand else."""
    for key in ("alphabet", "tokens", *Kind):
        if key in table:
            raise SpecError(f"{key} beside generator, which makes it; expected one of them; leave one out")
    return {**{key: value for key, value in table.items() if key != "generator"}, **made}


def _check_uses(table: Mapping[str, object], names: tuple[str, ...], is_generated: bool) -> None:
    """Members differ in what they define and in name: every parameter appears in both."""
    definition = table.get(Kind.CRASP, table.get(Kind.REGEX, ""))
    own = table.get("name")
    for name in names:
        if not is_generated and (not isinstance(definition, str) or f"{{{name}}}" not in definition):
            raise SpecError(
                f"parameters.{name}: {{{name}}} is not in the definition; expected it in crasp or regex; "
                "use it or leave the parameter out"
            )
        if isinstance(own, str) and f"{{{name}}}" not in own:
            raise SpecError(
                f"name = {quote(own)}; expected {{{name}}} in it, so that every member has its own name"
            )


def _check_keys(table: Iterable[str], known: tuple[str, ...], prefix: str) -> None:
    for key in table:
        if key not in known:
            hint = suggest(key, known, prefix) or f"expected one of: {', '.join(known)}"
            raise SpecError(f"unknown key {quote(prefix + key)}; {hint}")


def _filled(value: object, key: str, remedy: str) -> str:
    text = toml.read_string(value, key)
    if not text.strip():
        raise SpecError(f"{key} is empty; {remedy}")
    return text


def _regex(table: Mapping[str, object], key: str) -> str | None:
    if key not in table:
        return None
    return _filled(table[key], key, "expected a regex; write () for the empty word alone")


def _answer(table: Mapping[str, object]) -> Answer:
    modes = ("accept", "next")
    mode = toml.read_choice(table.get("mode", "accept"), "mode", modes, '; leave the key out for "accept"')
    if "output" not in table:
        return Answer.ACCEPT if mode == "accept" else Answer.SET
    output = table["output"]
    if mode == "accept":
        raise toml.refuse("output", output, 'it with mode = "next" only; leave one of the two out')
    return Answer(toml.read_choice(output, "output", ("set", "symbol"), '; leave the key out for "set"'))


def _next(
    table: Mapping[str, object], answer: Answer, kind: Kind, alphabet: Alphabet
) -> tuple[tuple[str, str], ...]:
    """The operations of a program by next symbol, in the order of the alphabet, end-of-string last."""
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
        raise toml.refuse("next", given, "a table of next symbols and operations; name at least one")
    outputs = dict.fromkeys((*alphabet.symbols, END))
    for symbol, operation in given.items():
        key = f"next.{symbol}"
        if symbol not in outputs:
            raise SpecError(
                f"{shorten(key)}: no next symbol; expected one of: {list_some(outputs)}; {END} is the end"
            )
        if not isinstance(operation, str):
            raise toml.refuse(key, operation, "the name of an operation in quotes")
    return tuple((symbol, given[symbol]) for symbol in outputs if symbol in given)


def _judged(table: Mapping[str, object], answer: Answer, kind: Kind) -> str | None:
    if "judged" not in table:
        return None
    judged = table["judged"]
    if answer is Answer.ACCEPT:
        expected = 'it with mode = "next" only, acceptance is judged at the end of a word; leave it out'
        raise toml.refuse("judged", judged, expected)
    return toml.read_string(judged, "judged") if kind is Kind.CRASP else _regex(table, "judged")


def _name(table: Mapping[str, object]) -> str:
    if "name" not in table:
        raise SpecError('name is missing; expected a text; add a line such as name = "majority"')
    return check_name(toml.read_string(table["name"], "name"))


def check_name(name: str) -> str:
    """Refuse what cannot be the name of a target: tables and messages hold it on one line."""
    if not name.isprintable() or name != name.strip() or not name:
        raise toml.refuse("name", name, "one line of printable characters, without blanks at its ends")
    if len(name) > MAX_NAME:
        raise SpecError(
            f"name = {quote(name)} has {len(name)} characters; expected at most {MAX_NAME}; shorten it"
        )
    return name


def _upper(value: object) -> tuple[str, ...]:
    files = toml.read_strings(value, "upper")
    if len(files) > MAX_UPPER:
        raise SpecError(
            f"upper lists {len(files)} files; expected at most {MAX_UPPER}; keep those of the least R"
        )
    return files


def _alphabet(table: Mapping[str, object]) -> Alphabet:
    if "alphabet" not in table:
        raise SpecError(
            'alphabet is missing; expected a list of symbols; add a line such as alphabet = ["0", "1"]'
        )
    spaced = "tokens" in table
    if spaced and table["tokens"] != "space":
        raise toml.refuse("tokens", table["tokens"], '"space"; leave it out for one-character symbols')
    value = table["alphabet"]
    if isinstance(value, str):
        return Alphabet(tuple(value.split() if spaced else value), spaced)
    return Alphabet(toml.read_strings(value, "alphabet"), spaced)


def _kind(table: Mapping[str, object]) -> Kind:
    given = [kind for kind in Kind if kind in table]
    if len(given) != 1:
        found = " and ".join(given) if given else "none"
        raise SpecError(
            f"{found} given; expected exactly one of the keys crasp, regex, dfa; keep one definition"
        )
    return given[0]


def _definition(table: Mapping[str, object], kind: Kind, alphabet: Alphabet) -> str | FiniteAutomaton:
    if kind is Kind.DFA:
        return _automaton(table["dfa"], alphabet)
    remedy = "write () for the empty word alone" if kind is Kind.REGEX else "write at least one operation"
    return _filled(table[kind], kind, remedy)


def _space(value: object) -> SpaceBounds:
    given = dict(toml.read_subtable(value, "space"))
    _check_keys(given, _SPACE_KEYS, "space.")
    preset = toml.read_string(given.pop("preset", FAMILY), "space.preset")
    try:
        return SpaceBounds.from_preset(preset, **given)
    except UnsupportedBoundError as error:
        raise SpecError(f"space.{error}") from None


def _expected(value: object) -> tuple[tuple[str, Verdict], ...]:
    given = toml.read_subtable(value, "expected")
    _check_keys(given, _EXPECTED_KEYS, "expected.")
    verdicts = {
        key: Verdict(toml.read_choice(value, f"expected.{key}", Verdict)) for key, value in given.items()
    }
    return tuple((key, verdicts[key]) for key in _EXPECTED_KEYS if key in verdicts)


def _automaton(value: object, alphabet: Alphabet) -> FiniteAutomaton:
    given = toml.read_subtable(value, "dfa")
    _check_keys(given, _DFA_KEYS, "dfa.")
    for key in _DFA_KEYS:
        if key not in given:
            raise SpecError(f"dfa.{key} is missing; expected the keys {', '.join(_DFA_KEYS)}")
    states = toml.read_strings(given["states"], "dfa.states")
    known: dict[str, None] = {}  # in their order
    for state in states:
        if state in known:
            raise SpecError(f"dfa.states: state {quote(state)} is listed twice; list every state once")
        known[state] = None
    start = toml.read_string(given["start"], "dfa.start")
    accept = toml.read_strings(given["accept"], "dfa.accept")
    _check_name(start, "state", known, "dfa.start")
    for state in accept:
        _check_name(state, "state", known, "dfa.accept")
    return FiniteAutomaton(states, start, accept, _transitions(given["transitions"], known, alphabet))


def _transitions(
    value: object, states: Mapping[str, None], alphabet: Alphabet
) -> tuple[tuple[str, str, str], ...]:
    rows = []
    symbols = dict.fromkeys(alphabet.symbols)
    for state, row in toml.read_subtable(value, "dfa.transitions").items():
        _check_name(state, "state", states, "dfa.transitions")
        key = f"dfa.transitions.{state}"
        for symbol, following in toml.read_subtable(row, key).items():
            _check_name(symbol, "symbol", symbols, key)
            _check_name(toml.read_string(following, f"{key}.{symbol}"), "state", states, f"{key}.{symbol}")
            rows.append((state, symbol, str(following)))
    return tuple(rows)


def _check_name(name: str, what: str, known: Mapping[str, None], key: str) -> None:
    if name not in known:
        where = "dfa.states" if what == "state" else "the alphabet"
        told = f"{shorten(key)}: {what} {quote(name)} is not in {where}"
        raise SpecError(f"{told}; expected one of: {list_some(known)}")
