"""The verdicts on the language of a spec, whichever way it is given."""

from __future__ import annotations

from dataclasses import replace

from idinf.base.words import Alphabet
from idinf.crasp.checker import check, read_program
from idinf.crasp.syntax import ProgramTree
from idinf.languages.classification.classes import ClassVerdicts, classify, classify_program
from idinf.languages.classification.finite import find_finite_machine
from idinf.languages.classification.monoid import MAX_ELEMENTS
from idinf.spec.spec import Answer, Kind, Spec
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.supervised import SupervisedTarget


def classify_spec(spec: Spec, most: int = MAX_ELEMENTS) -> ClassVerdicts:
    """Classify what a spec defines; of next symbols, or with a domain, that of its regex or automaton.

    Raises `SpecError` if its target is wrong.

    >>> from idinf.spec.catalogue import load
    >>> str(classify_spec(load("parity")).crasp.verdict)
    'no'
    """
    target = build_target(spec)  # refuses what is wrong, with the file and the key
    if spec.kind is not Kind.CRASP:
        machine = find_finite_machine(build_target(replace(spec, answer=Answer.ACCEPT, next=(), domain=None)))
        assert machine is not None  # given as a regular language
        return classify(machine, most)
    program = read_program(spec.text, spec.alphabet)
    if spec.answer is Answer.ACCEPT:
        return classify_text(spec.name, program, spec.alphabet, most)
    assert isinstance(target, SupervisedTarget)  # of next symbols
    return classify_program(spec.name, check(program, spec.alphabet).class_name, target)


def classify_text(origin: str, program: ProgramTree, alphabet: Alphabet, most: int) -> ClassVerdicts:
    """Classify what the last operation of a program decides; reasons name its origin."""
    target = CountingTarget(program, alphabet)
    machine = find_finite_machine(target)
    written = (origin, check(program, alphabet).class_name)
    return classify_program(*written, target) if machine is None else classify(machine, most, written)
