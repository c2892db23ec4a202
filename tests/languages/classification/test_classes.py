"""Whole classifications: the tables of [HYB25], random regexes by definition, closures."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import check, read_program
from idinf.languages.classification.classes import ClassVerdicts, classify
from idinf.languages.classification.finite import find_finite_machine
from idinf.spec.catalogue import list_names, load
from idinf.spec.spec import FiniteAutomaton, Kind
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import (
    is_aperiodic,
    is_in_crasp,
    is_in_da,
    is_j_trivial,
    is_quasi_aperiodic,
    is_r_trivial,
    minimal,
    monoid,
)

KEYS = ("crasp", "crasp_periodic_local", "star_free", "ac0", "r_trivial", "piecewise_testable", "da")


def verdicts(found: ClassVerdicts) -> dict[str, str]:
    return {key: str(finding.verdict) for key, finding in found.findings}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", [name for name in list_names() if load(name).kind is not Kind.CRASP])
def test_expected_verdicts_of_shipped_regular_specs(name: str) -> None:
    spec = load(name)
    machine = (
        RegularTarget.from_automaton(spec.definition, spec.alphabet)
        if isinstance(spec.definition, FiniteAutomaton)
        else RegularTarget.from_regex(spec.definition, spec.alphabet)
    )
    said = verdicts(classify(machine))
    assert {key: str(verdict) for key, verdict in spec.expected}.items() <= said.items()


# Random regexes


def random_regex(rng: random.Random, depth: int) -> str:
    """Means the same to `re`."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(["a", "a", "b", "b", "ab", "."])
    inner = [random_regex(rng, depth - 1) for _ in range(rng.choice((1, 2, 2, 3)))]
    return rng.choice(["".join(inner), f"({'|'.join(inner)})", f"({''.join(inner)})*", f"({inner[0]})*"])


def random_machines(count: int, seed: int, depth: int = 3) -> Iterator[tuple[str, RegularTarget]]:
    rng = random.Random(seed)
    seen: set[bytes] = set()
    while len(seen) < count:
        text = random_regex(rng, depth)
        machine = RegularTarget.from_regex(text, Alphabet(("a", "b")))
        key = machine.table.tobytes() + machine.accepting.tobytes()
        if key not in seen and 2 <= len(machine.table) <= 7:
            seen.add(key)
            yield text, machine


@pytest.mark.slow
def test_random_regexes_agree_with_the_definitions() -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for text, machine in random_machines(310, 61):
        pattern = re.compile(text)
        for word in words_up_to(2, 4):
            assert accepts(machine, word) is (pattern.fullmatch(machine.alphabet.decode(word)) is not None)
        table = tuple(map(tuple, machine.table.tolist()))
        elements = monoid(table)
        expected = {"crasp": is_in_crasp(table, tuple(machine.accepting.tolist()))}
        if len(elements) <= 60:
            expected |= {"star_free": is_aperiodic(elements), "r_trivial": is_r_trivial(elements)}
            expected |= {"ac0": is_quasi_aperiodic(table)}
        if len(elements) <= 20:
            expected |= {"piecewise_testable": is_j_trivial(elements), "da": is_in_da(elements)}
        found = classify(machine)
        assert (found.states, found.monoid_size) == (len(table), len(elements))
        said = verdicts(found)
        assert {key: "yes" if value else "no" for key, value in expected.items()}.items() <= said.items(), (
            text
        )
        counts.update(said.items())
        check_inclusions(said)
    for key in KEYS:
        assert counts[key, "yes"] + counts[key, "no"] == 310
        assert counts[key, "no"] >= 4


def check_inclusions(said: dict[str, str]) -> None:
    """Yes to the first implies yes to the second."""
    for smaller, larger in (
        ("piecewise_testable", "r_trivial"),
        ("r_trivial", "da"),
        ("da", "star_free"),
        ("star_free", "ac0"),
        ("piecewise_testable", "crasp"),
        ("crasp", "star_free"),
        ("crasp", "crasp_periodic_local"),
    ):
        assert said[smaller] != "yes" or said[larger] == "yes", (smaller, larger)
    # Regular languages of C-RASP[periodic,local] are in AC0: groups of words of one length are refuted.
    assert said["crasp_periodic_local"] != "yes" or said["ac0"] == "yes"


# Closure properties


def combined(one: RegularTarget, other: RegularTarget, rule: Callable[[bool, bool], bool]) -> RegularTarget:
    """The minimal DFA of a Boolean combination."""
    width, size = len(other.table), len(one.alphabet)
    table = tuple(
        tuple(int(one.table[p, code]) * width + int(other.table[q, code]) for code in range(size))
        for p in range(len(one.table))
        for q in range(width)
    )
    accepting = tuple(rule(bool(x), bool(y)) for x in one.accepting for y in other.accepting)
    return made(table, accepting)


def made(table: tuple[tuple[int, ...], ...], accepting: tuple[bool, ...]) -> RegularTarget:
    rows, ends = minimal(table, accepting)
    return RegularTarget(Alphabet(tuple("abc"[: len(rows[0])])), np.array(rows), np.array(ends))


def test_boolean_combinations() -> None:
    found = [(machine, verdicts(classify(machine))) for _, machine in random_machines(few(15, 30), 62)]
    rng, both = random.Random(63), 0
    for machine, said in found:
        complement = RegularTarget(machine.alphabet, machine.table.copy(), ~machine.accepting)
        assert verdicts(classify(complement)) == said
    for _ in range(few(20, 40)):
        (one, said), (other, said_too) = rng.sample(found, 2)
        rule = rng.choice((bool.__and__, bool.__or__, bool.__xor__))
        result = verdicts(classify(combined(one, other, rule)))
        for key in KEYS:
            if said[key] == said_too[key] == "yes":
                assert result[key] == "yes"
                both += 1
            if rule is bool.__xor__ and {said[key], said_too[key]} == {"yes", "no"}:
                assert result[key] == "no"  # else the one would be in the class as well
    assert both > few(20, 50)


# Programs


def random_finite_program(rng: random.Random, predicates: bool) -> str:
    """Counts are compared with constants only, so there are finitely many states."""
    booleans, lines = ['"a"', '"b"'], []
    if predicates:
        booleans.append(f"i mod {rng.choice((2, 3))} == {rng.choice((0, 1))}")
    for number in range(rng.randint(2, 5)):
        one, other = (rng.choice(booleans[-4:]) for _ in range(2))
        near = f"[j == i - {rng.randint(0, 2)}]" if predicates and rng.random() < 0.5 else ""
        counted = f"#{near} (({one}) {rng.choice(('&&', '||'))} ({other}))"
        lines.append(f"x{number} = {counted} {rng.choice(('>=', '==', '<'))} {rng.randint(1, 2)}")
        booleans.append(f"x{number}")
    return "\n".join([*lines, f"accept = ({booleans[-1]}) && !({rng.choice(booleans)})"])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("predicates", [False, True])
def test_languages_of_programs_are_never_refuted(predicates: bool) -> None:
    rng, sigma = random.Random(67), Alphabet(("a", "b"))
    counts: Counter[str] = Counter()
    for _ in range(few(40, 120)):
        program = read_program(random_finite_program(rng, predicates), sigma)
        machine = find_finite_machine(CountingTarget(program, sigma), 400)
        if machine is None or len(machine.table) > 40:
            continue
        written = ("it", check(program, sigma))
        said = verdicts(classify(machine, program=written))  # a refutation is an error
        check_inclusions(said)
        counts[said["crasp"]] += 1
        counts["without program " + verdicts(classify(machine))["crasp_periodic_local"]] += 1
    assert counts["without program no"] == 0
    assert counts["without program yes"] > few(20, 60)
    assert (counts["no"] > few(3, 10)) is predicates
