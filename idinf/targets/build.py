"""From a spec to its step machine."""

from __future__ import annotations

from idinf.base.quoting import list_some, quote, shorten, suggest
from idinf.crasp.checker import read_program
from idinf.crasp.syntax import ProgramTree
from idinf.errors import ProgramError, SpecError
from idinf.spec.spec import END, Answer, FiniteAutomaton, Kind, Spec
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import (
    Continuations,
    Operations,
    SingleSymbol,
    SupervisedTarget,
    check_places,
    check_single,
)


def build_target(spec: Spec) -> Target:
    """Build the step machine of a spec's target.

    Raises `ProgramError` if the program is wrong; the message begins with file and key, and gives line and
    column. `SpecError` if a regex, the domain or what is judged is wrong, likewise, or an operation of next
    symbols is, or a prefix that is judged does not have one next symbol where one is asked for.

    >>> from idinf.spec.catalogue import load
    >>> build_target(load("majority")).start().tolist()   # #0 - #1, label of ε
    [[0, 1]]
    """
    domain = None if spec.domain is None else _regular(spec, "domain", spec.domain)
    if spec.judged is not None:
        domain = domain or RegularTarget.every_word(spec.alphabet)
    if spec.kind is Kind.CRASP:
        machine, places = _from_program(spec)
    else:
        machine, places = _from_language(spec, domain)
    if spec.answer is Answer.ACCEPT and domain is None:
        return machine
    keys = {"domain": spec.domain, "judged": spec.judged}
    named = ", ".join(f"{key} = {quote(text)}" for key, text in keys.items() if text is not None)
    return SupervisedTarget(machine, spec.answer, domain, places, f"{spec.origin}: {named}")


def _from_language(spec: Spec, domain: RegularTarget | None) -> tuple[Target, Target | None]:
    """The machine of a regex or an automaton, and where it is judged."""
    language = _regular(spec, str(spec.kind), spec.definition)
    if spec.answer is Answer.ACCEPT:
        return language, None
    legal = Continuations(language)
    places = None if spec.judged is None else _regular(spec, "judged", spec.judged)
    try:
        if places is not None:
            check_places(SupervisedTarget(legal, Answer.SET, domain, places))
        if spec.answer is Answer.SYMBOL:
            check_single(SupervisedTarget(legal, Answer.SET, domain, places))
    except SpecError as error:
        raise SpecError(f"{spec.origin}: {error}") from None
    return SingleSymbol(legal) if spec.answer is Answer.SYMBOL else legal, places


def _regular(spec: Spec, key: str, definition: str | FiniteAutomaton) -> RegularTarget:
    try:
        if isinstance(definition, FiniteAutomaton):
            return RegularTarget.from_automaton(definition, spec.alphabet)
        return RegularTarget.from_regex(definition, spec.alphabet)
    except SpecError as error:
        raise SpecError(f"{spec.origin}: {key}: {error}") from None


def _from_program(spec: Spec) -> tuple[Target, Target | None]:
    """The machine of a program, and where it is judged."""
    try:
        program = read_program(spec.text, spec.alphabet)
    except ProgramError as error:
        raise ProgramError(f"{spec.origin}: crasp program, {error}") from None
    if spec.answer is Answer.ACCEPT:
        return CountingTarget(program, spec.alphabet), None
    named = dict(spec.next)
    sets = Operations(
        tuple(
            _operation(spec, program, shorten(f"next.{symbol}"), named[symbol]) if symbol in named else None
            for symbol in (*spec.alphabet.symbols, END)
        ),
    )
    places = None if spec.judged is None else _operation(spec, program, "judged", spec.judged)
    return sets if spec.answer is Answer.SET else SingleSymbol(sets), places


def _operation(spec: Spec, program: ProgramTree, key: str, name: str) -> CountingTarget:
    """The target that one operation of a program decides."""
    names = {definition.name: place for place, definition in enumerate(program.definitions)}
    if name not in names:
        hint = suggest(name, names) or f"expected one of: {list_some(names, ', ')}"
        raise SpecError(f"{spec.origin}: {key} = {quote(name)}; the program has no such operation; {hint}")
    try:
        own = ProgramTree(program.definitions[: names[name] + 1])
        return CountingTarget(own, spec.alphabet)
    except KeyError:
        raise SpecError(
            f"{spec.origin}: {key} = {quote(name)}; a count; expected a Boolean operation; compare it"
        ) from None
