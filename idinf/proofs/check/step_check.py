"""Steps of a proof, replayed on words beside the reference and the definition.

A proof is about steps. Here they are compared with hypothesis and target on every word up to a length. For a
regular language more is checked: that the automaton is right on all words.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from idinf.base.quoting import quote
from idinf.base.words import Word
from idinf.nets.limit_transformer import LimitTransformer
from idinf.proofs.check.definition import State, TargetDefinition
from idinf.proofs.check.joint_steps import JointAnswer, JointPlace, JointSteps
from idinf.proofs.check.word_check import WordCheck
from idinf.report.proof import Key
from idinf.targets.machine import IntArray
from idinf.targets.supervised import SupervisedTarget


def replay(joint: JointSteps, words: WordCheck, upto: int, taken_alone: bool = False) -> tuple[str, set[Key]]:
    """Follow all words up to a length, until steps differ from reference or definition.

    Gives the difference, "" if there is none, and the steps that were taken. At every position just one step
    may be open by each symbol. For acceptance the answers there are those of the prefix as a word; next
    symbols are compared at all positions of every word, since N is that of the whole word. If they are
    ``taken_alone``, other steps than those that words take are not made.

    Raises `Unprovable` if there are no steps.
    """
    place, counters, said = joint.start
    waiting: list[tuple[Word, JointPlace, tuple[int, ...], tuple[JointAnswer, ...]]] = [
        ((), place, counters, (said,))
    ]
    met: set[Key] = set()
    while waiting:
        word, place, counters, path = waiting.pop()
        words.beat()
        if taken_alone:
            steps = joint.open_steps(place, counters)
        else:
            steps = [step for step in joint.steps(place) if all(one.holds(counters) for one in step.guard)]
        fault = _fault(joint, words, word, path)
        if not fault and sorted(step.symbol for step in steps) != list(range(len(joint.net.alphabet))):
            fault = f"{len(steps)} steps are open; expected one by each symbol"
        if fault:
            return f"after {quote(joint.net.alphabet.decode(word))} {fault}", met
        for step in steps if len(word) < upto else ():
            met.add((place.name, step.symbol, step.path))
            grown = tuple(count + more for count, more in zip(counters, step.growth, strict=True))
            waiting.append(((*word, step.symbol), step.to, grown, (*path, step.said)))
    return "", met


def find_automaton_faults(definition: TargetDefinition, target: SupervisedTarget) -> Iterator[str]:
    """Shortest words after which an automaton of the target answers otherwise than its definition.

    A prefix leads to a state of either; there are finitely many pairs of states, and each is met. So where
    nothing is found, the two answer alike after all words.
    """
    machines = {"target": target.machine, "domain": target.domain}
    for name, language, answers in definition.automata():
        machine = machines[name]
        if machine is None:
            yield f"no automaton of the {name}"
            continue
        waiting: list[tuple[Word, State, IntArray]] = [((), language.start, machine.start())]
        met = {(language.start, int(machine.start()[0, 0]))}
        for word, state, states in waiting:  # grows while it is read: breadth-first
            said = tuple(np.atleast_1d(machine.labels(states)[0]).tolist())
            if said != (right := answers(state)):
                shown = definition.alphabet.decode(word)
                yield f"after {quote(shown)} the automaton of the {name} has {said}; expected {right}"
                break
            for code in range(len(definition.alphabet)):
                after, others = language.step(state, code), machine.step(states, code)
                if (key := (after, int(others[0, 0]))) not in met:
                    met.add(key)
                    waiting.append(((*word, code), after, others))


def _fault(joint: JointSteps, words: WordCheck, word: Word, path: tuple[JointAnswer, ...]) -> str:
    """Wrong answer of the steps at the end of a word, or of next symbols before it; "" if all is right."""
    definition, last = words.definition, path[-1]
    if last.target != (right := definition.answers(word)[-1]):
        return f"the steps have {last.target} of the target; expected {right} by its definition"
    if last.counts != (counts := definition.matters(word)):
        return f"the steps have {last.counts} for whether it counts; expected {counts} by the domain"
    assert isinstance(joint.net, LimitTransformer), "the reference runs hypotheses"
    named = words.given(joint.net, word)
    for place, (said, right) in enumerate(zip(path[-len(named) :], named, strict=True)):
        if said.net != right:
            where = f" at position {place}" if definition.everywhere else ""
            return f"the steps have {said.net} of the hypothesis{where}; expected {right} by the reference"
    return ""
