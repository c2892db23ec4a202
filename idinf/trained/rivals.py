"""Limit Transformers beside a trained model: as rivals whose answers are compared, or in its place.

The records of a report are the simplest hypotheses that are right up to some length, so trained models are
compared with them. A hypothesis is run as a step machine, exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from idinf.errors import BudgetError, HypothesisFormatError, PrecisionError
from idinf.languages.equivalence.dense import DenseMachine, is_uniform, runs_as_machine
from idinf.nets.limit_transformer import LimitTransformer
from idinf.spec.spec import Answer
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import IntArray, Target
from idinf.trained.decoder import Array, Cache, Decoder, Shape
from idinf.trained.task import NO, SEP, YES, AnswerReader, Task, Tokens
from idinf.translate.formulas.program import decompile_net


def make_machine(net: LimitTransformer) -> Target:
    """Run a hypothesis symbol by symbol: as it is where its weights do not depend on N, else as a program.

    Raises `HypothesisFormatError` if it has no machine: its answers depend on the length of the whole word.

    >>> from idinf.api.programs import compile_source
    >>> from idinf.targets.machine import accepts
    >>> machine = make_machine(compile_source("majority").transformer)
    >>> accepts(machine, (0, 1)), accepts(machine, (0, 1, 0))
    (True, False)
    """
    if is_uniform(net) and runs_as_machine(net):
        return DenseMachine(net)
    try:
        program = decompile_net(net)
    except (BudgetError, PrecisionError) as error:
        raise HypothesisFormatError(f"it is not compared: {error}") from None
    return CountingTarget(program, net.alphabet.apart)


@dataclass(frozen=True, eq=False)
class StateMachineAsDecoder(Decoder):
    """A step machine in the place of a decoder: its logits are 1 for its answers and −1 for all others.

    Its cache are its states, one "layer" with one "head"; it has no positions and no end.
    """

    machine: Target = field(kw_only=True)
    speech: AnswerReader = field(kw_only=True)

    @classmethod
    def of(cls, machine: Target, task: Task, origin: str) -> StateMachineAsDecoder:
        """Let a machine answer a task."""
        tokens = Tokens.of(task.alphabet, answers=task.answer is Answer.ACCEPT)
        width = machine.start().shape[1]
        shape = Shape(len(tokens.names), 1, width, 1, 1, 1)
        table: Mapping[str, Any] = {"wte.weight": np.zeros((1, 1)), "wpe.weight": np.zeros((1, 1))}
        config = {"idinf": {"answer": str(task.answer), "tokens": list(tokens.names)}}
        return cls(shape, table, config, 0.0, origin, machine=machine, speech=AnswerReader(task, tokens))

    def astype(self, kind: DTypeLike) -> StateMachineAsDecoder:
        """Itself: there is nothing to round."""
        return self

    def start(self, rows: int) -> Cache:
        """No states yet."""
        return Cache(((np.zeros((rows, 1, 0, self.shape.width), dtype=np.int64),) * 2,))

    def read(self, past: Cache, tokens: IntArray, offsets: IntArray) -> tuple[Array, Cache]:
        """As `Decoder.read`, of all tokens one after the other."""
        states, answers = past.layers[0][0][:, 0, -1:], []
        is_word = self.speech.task.answer is Answer.ACCEPT
        for column in tokens.T:
            before, states = states, self._step(states, column)
            judged = states[:, -1]
            if is_word and before.shape[1]:  # the last separator is none of the word, which may have others
                ends = column == self.speech.tokens.number(SEP)
                judged = np.where(ends[:, None], before[:, -1], judged)
            answers.append(self._say(judged))
        kept = states[:, None, -1:]
        return np.stack(answers, axis=1), Cache(((kept, kept),))

    def _step(self, states: Array, tokens: IntArray) -> Array:
        """The states behind one more token each; (N, 1, k)."""
        symbols = self.speech.tokens.list_numbers(self.speech.task.alphabet)
        if not states.shape[1]:
            return np.repeat(self.machine.start()[None], len(tokens), axis=0)
        after = states[:, -1].copy()
        for code, token in enumerate(symbols.tolist()):
            here = tokens == token
            if here.any():
                after[here] = self.machine.step(after[here], code)
        return after[:, None]

    def _say(self, states: IntArray) -> Array:
        logits = np.full((len(states), self.shape.vocabulary), -1.0)
        labels = self.machine.labels(states).reshape(len(states), -1)
        if self.speech.task.answer is not Answer.ACCEPT:
            logits[:, self.speech.columns] = np.where(labels, 1.0, -1.0)
            return logits
        no, yes = (self.speech.tokens.number(name) for name in (NO, YES))
        logits[np.arange(len(states)), np.where(labels[:, 0], yes, no)] = 1.0
        return logits
