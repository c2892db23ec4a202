"""``idinf classify``: which classes a language is in, with a reason for every verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from idinf.commands.bounded import bounded
from idinf.commands.crasp_program import alphabet_option
from idinf.commands.numbers import WholeNumber
from idinf.commands.parameters import set_option
from idinf.errors import SpecError
from idinf.experiments.parameters import Values
from idinf.files import shown_path
from idinf.quoting import quoted, suggestion
from idinf.words import Alphabet

if TYPE_CHECKING:
    from idinf.classification.classes import Classification
    from idinf.crasp.syntax import Program

__all__ = ["classify_command"]

#: Most elements of a syntactic monoid that may be asked for: seconds where states are few.
LARGEST_MONOID = 100_000

#: How the text names the verdicts.
TITLES = {
    "star_free": "star-free",
    "ac0": "in AC0",
    "r_trivial": "R-trivial",
    "piecewise_testable": "piecewise testable",
    "da": "in DA",
    "crasp": "C-RASP[]",
    "crasp_periodic_local": "C-RASP[periodic,local]",
}


@click.command("classify", short_help="Say in which classes a language is.")
@click.argument("target", required=False)
@click.option("--regex", metavar="REGEX", help="Classify the language of a regular expression instead.")
@partial(alphabet_option, default="the symbols the regex or program names, sorted")
@set_option
@click.option(
    "--max-monoid",
    "most",
    type=WholeNumber(min=1, max=LARGEST_MONOID),
    metavar="N",
    default=20_000,
    show_default=True,
    help="Say unknown where the syntactic monoid is needed and has more than N elements.",
)
@click.option("--json", "as_json", is_flag=True, help="Print an idinf-classification/1 object instead.")
@bounded
def classify_command(
    target: str | None,
    regex: str | None,
    given: Alphabet | None,
    values: Values,
    most: int,
    as_json: bool,
) -> None:
    """Say which classes TARGET is in: yes, no or unknown, each with its reason.

    TARGET is a name that `idinf targets` lists, the path of a spec, or that of a C-RASP program ending in
    .crasp or .cr; --set chooses a member of a family. Of a regular language the minimal complete DFA and the
    syntactic monoid decide whether it is star-free, in AC0, R-trivial, piecewise testable, in DA, in
    C-RASP[], and small dot-depths; a program is followed to its states, if they are at most 2000. For
    C-RASP[periodic,local] no procedure is known, so it may stay unknown. Of a target of next symbols, or with
    a domain, the language its regex or automaton defines is classified.

    A program without nested or local counts that is not regular is searched for a proof of that: two symbols
    whose counts are compared, which also keeps it out of AC0. Algorithmic tasks known besides targets:
    addition, copy-repeat, copy-unique, equality, majority-26, majority-interleave, sort.

    \b
    Examples:
      idinf classify tomita-4
      idinf classify copy-repeat
      idinf classify --regex '.*ab.*' --alphabet abc --json
      idinf classify ge-k-j --set k=3 --set j=2
    """
    if (target is None) == (regex is None):
        raise click.UsageError(
            "TARGET and --regex are both given; expected one of them; leave one out"
            if regex is not None
            else "neither TARGET nor --regex is given; expected one of them; name a target"
        )
    about = ""
    if target is None:
        assert regex is not None
        name, (alphabet, found) = regex, _of_regex(regex, given, values, most)
    elif target in _tasks():
        name, (alphabet, about, found) = target, _of_task(target, given, values, most)
    elif target.endswith((".crasp", ".cr")) or _is_formula(target):
        name, (alphabet, found) = target, _of_program(target, given, values, most)
    else:
        name, alphabet, found = _of_spec(target, given, values, most)
    click.echo(
        json.dumps(_object(name, alphabet, found), indent=2, ensure_ascii=False)
        if as_json
        else _text(name, alphabet, found, about)
    )


def _is_formula(text: str) -> bool:
    from idinf.crasp.parser import is_formula

    return is_formula(text)


def _check_name(target: str) -> None:
    from idinf.experiments.catalogue import family_names, names

    known = (*names(), *family_names(), *_tasks())
    if target in known or target.endswith(".toml") or "/" in target or "\\" in target:
        return
    hint = suggestion(target, known)
    raise SpecError(
        f"unknown target {quoted(target)}; {hint and f'{hint} '}expected a name that 'idinf targets' "
        "lists, one of the tasks "
        f"{', '.join(_tasks())}, or the path of a spec (.toml) or a program (.crasp, .cr); correct it"
    )


def _tasks() -> tuple[str, ...]:
    from idinf.targets.tasks import PROGRAM_TASKS, TASKS

    return tuple(sorted((*PROGRAM_TASKS, *TASKS)))


def _of_regex(
    regex: str, given: Alphabet | None, values: Values, most: int
) -> tuple[Alphabet, Classification]:
    from idinf.classification.classes import classify
    from idinf.equivalence.operands import read_operand
    from idinf.targets.regular import RegularTarget

    if values:
        raise click.UsageError("--set is given with --regex; expected a family as TARGET; leave --set out")
    symbols = read_operand(f"regex:{regex}").symbols
    if given is None and not symbols:
        raise click.UsageError(
            f"--regex {quoted(regex)} names no symbol; expected an alphabet; give --alphabet"
        )
    alphabet = Alphabet(symbols) if given is None else given
    try:
        machine = RegularTarget.from_regex(regex, alphabet)
    except SpecError as error:
        raise SpecError(f"--regex {quoted(regex)}: {error}") from None
    return alphabet, classify(machine, most)


def _of_program(
    path: str, given: Alphabet | None, values: Values, most: int
) -> tuple[Alphabet, Classification]:
    from idinf.crasp.library import load

    if values:
        raise click.UsageError(
            f"--set is given, but {shown_path(path)} is a program; expected a family; leave --set out"
        )
    loaded = load(path)
    alphabet = loaded.alphabet(given)
    return alphabet, _of_text(loaded.origin, loaded.program, alphabet, most)


def _of_text(origin: str, program: Program, alphabet: Alphabet, most: int) -> Classification:
    """What the last operation of a program decides."""
    from idinf.classification.classes import classify, classify_program
    from idinf.classification.finite import finite_machine
    from idinf.crasp.facts import facts_of
    from idinf.targets.counting import CountingTarget

    target = CountingTarget(program, alphabet)
    machine = finite_machine(target)
    written = (origin, facts_of(program, alphabet).class_name)
    return classify_program(*written, target) if machine is None else classify(machine, most, written)


def _of_task(
    name: str, given: Alphabet | None, values: Values, most: int
) -> tuple[Alphabet, str, Classification]:
    from idinf.classification.classes import classify_task
    from idinf.crasp.checker import read_program
    from idinf.targets.tasks import PROGRAM_TASKS, TASKS

    if given is not None or values:
        option = "--set" if values else "--alphabet"
        raise click.UsageError(
            f"{option} is given, but {name} is a task of its own; expected none; leave it out"
        )
    if name in TASKS:
        return TASKS[name].alphabet, TASKS[name].about, classify_task(TASKS[name])
    task = PROGRAM_TASKS[name]
    found = _of_text(task.name, read_program(task.text, task.alphabet), task.alphabet, most)
    return task.alphabet, task.about, found.scoped(task.scope) if task.scope else found


def _of_spec(
    target: str, given: Alphabet | None, values: Values, most: int
) -> tuple[str, Alphabet, Classification]:
    from idinf.classification.classes import classify, classify_program
    from idinf.classification.finite import finite_machine
    from idinf.crasp.checker import read_program
    from idinf.crasp.facts import facts_of
    from idinf.experiments.catalogue import load
    from idinf.experiments.spec import Answer, Kind
    from idinf.targets.build import build_target

    _check_name(target)
    if given is not None:
        raise click.UsageError(
            f"--alphabet is given, but {shown_path(target)} has an alphabet; expected it with --regex or a "
            "program; "
            "leave it out"
        )
    spec = load(target, values)
    build_target(spec)  # refuses what is wrong, with the file and the key
    language = replace(spec, answer=Answer.ACCEPT, next=(), domain=None)
    if spec.kind is not Kind.CRASP:
        machine = finite_machine(build_target(language))
        assert machine is not None  # given as a regular language
        return spec.name, spec.alphabet, classify(machine, most)
    program = read_program(spec.text, spec.alphabet)
    if spec.answer is Answer.ACCEPT:
        return spec.name, spec.alphabet, _of_text(spec.name, program, spec.alphabet, most)
    found = classify_program(spec.name, facts_of(program, spec.alphabet).class_name)
    return spec.name, spec.alphabet, found


def _depth(found: Classification) -> str:
    if found.dot_depth is not None:
        return str(found.dot_depth)
    return "none" if found.star_free.is_no else "unknown"


def _object(name: str, alphabet: Alphabet, found: Classification) -> dict[str, object]:
    rows: dict[str, object] = {key: finding.to_dict() for key, finding in found.findings}
    return {
        "format": "idinf-classification/1",
        "target": name,
        "alphabet": list(alphabet.symbols),
        "states": found.states,
        "monoid_size": found.monoid_size,
        **rows,
        "dot_depth": {"verdict": _depth(found), "reason": found.dot_depth_reason},
    }


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _text(name: str, alphabet: Alphabet, found: Classification, about: str) -> str:
    symbols = " ".join(alphabet.symbols)
    if found.states is None:
        size = "not a regular language" if found.star_free.is_no else "not given as a regular language"
    else:
        elements = (
            "too many elements" if found.monoid_size is None else _counted(found.monoid_size, "element")
        )
        size = f"minimal complete DFA {_counted(found.states, 'state')}, syntactic monoid {elements}"
    rows = [(TITLES[key], str(finding.verdict), finding.reason) for key, finding in found.findings]
    rows.insert(5, ("dot-depth", _depth(found), found.dot_depth_reason))
    lines = [f"language: {about}"] * bool(about)
    lines += [f"{title:<23} {verdict:<8} {reason}" for title, verdict, reason in rows]
    return "\n".join([f"{name} over {symbols}: {size}", *lines])
