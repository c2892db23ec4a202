"""Targets as a page runs them: tables of automata, circuits of programs, both read left to right."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from idinf.experiments.spec import END, Answer
from idinf.json_text import JsonObject
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target
from idinf.targets.next_symbols import Continuations, Operations, SingleSymbol
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import SupervisedTarget


def target_data(target: SupervisedTarget) -> JsonObject:
    """What is asked where, for the script of a page.

    ``answer`` is what is asked, ``outputs`` are the next symbols, empty for acceptance. ``machines`` say what
    is right, truth values of one after those of the other; ``domain`` and ``judged`` are a machine or null.

    Examples
    --------
    >>> from idinf.words import Alphabet
    >>> ones = RegularTarget.from_regex("1*", Alphabet(("0", "1")))
    >>> data = target_data(SupervisedTarget(Continuations(ones), Answer.SET))
    >>> data["outputs"], data["machines"]
    (['0', '1', '$'], [{'table': [[1, 0], [1, 1]], 'labels': [[0, 1, 1], [0, 0, 0]]}])
    """
    outputs = [*target.alphabet.symbols, END] if target.answer is not Answer.ACCEPT else []
    return {
        "answer": target.answer.value,
        "outputs": outputs,
        "machines": _machines(target.machine),
        "domain": None if target.domain is None else _machine(target.domain),
        "judged": None if target.places is None else _machine(target.places),
    }


def _machines(target: Target) -> list[JsonObject]:
    match target:
        case SingleSymbol(sets):
            return _machines(sets)
        case Operations(parts):
            return [{"never": 1} if part is None else _machine(part) for part in parts]
        case _:
            return [_machine(target)]


def _machine(target: Target) -> JsonObject:
    match target:
        case RegularTarget():
            return {"table": target.table.tolist(), "labels": [[int(q)] for q in target.accepting]}
        case Continuations(language):
            states = np.arange(len(language.accepting))[:, None]
            return {"table": language.table.tolist(), "labels": target.labels(states).astype(int).tolist()}
        case CountingTarget(circuit=circuit):
            # Nodes with the name of their class.
            nodes = [[number, type(node).__name__, as_texts(asdict(node))] for number, node in circuit.nodes]
            return {"nodes": nodes, "output": circuit.output}
        case _:
            raise TypeError(f"{type(target).__name__}; expected an automaton or a program")


def as_texts(value: object) -> object:
    """Write the numbers inside a value as texts, so that none passes through a float of the browser.

    Examples
    --------
    >>> as_texts({"row": [1, "1/2"], "right": True})
    {'row': ['1', '1/2'], 'right': True}
    """
    match value:
        case dict():
            return {key: as_texts(item) for key, item in value.items()}
        case tuple() | list():
            return [as_texts(item) for item in value]
        case bool():
            return value
        case _:
            return str(value)
