"""What a hypothesis says of many words of one length, exactly: by steps, by prefixes, or in fractions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from idinf.languages.equivalence.dense import DenseMachine, runs_as_machine
from idinf.nets import reference
from idinf.nets.dense import Vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.spec.spec import Answer
from idinf.targets.machine import BoolArray, IntArray
from tests.show.export.prefix_answers import answer_by_prefixes


def runs_fast(net: LimitTransformer, n: int) -> bool:
    """Whether integers of arrays decide words of length n; fractions take seconds for one of length 512."""
    return _is_machine(net) or answer_by_prefixes(net, np.zeros((1, n), dtype=np.int64)) is not None


def answer_words(net: LimitTransformer, words: IntArray) -> BoolArray:
    """Say of words (W, n) whether they are accepted, (W,), or what is named at positions 0..n, (W, n + 1, o).

    Examples
    --------
    >>> from idinf.api.programs import compile_source
    >>> answer_words(compile_source("majority").transformer, np.array([[0, 1, 1], [0, 0, 1]]))
    array([ True, False])
    """
    output, U = net.output, net.unembedding
    if not _is_machine(net):
        said = answer_by_prefixes(net, words)
        if said is None:
            said = np.array([_by_reference(net, tuple(word)) for word in words.tolist()])
        return said
    if output is None:
        return _above(net, words, U[net.accept_row])[:, -1]
    rows = [U[row] for row in output.rows]
    if output.kind is Answer.SET:
        return np.stack([_above(net, words, row) for row in rows], axis=-1)
    named = np.ones((len(words), words.shape[1] + 1, len(rows)), dtype=np.bool_)
    for later, row in enumerate(rows):
        for earlier, other in enumerate(rows[:later]):
            larger = _above(net, words, tuple(a - b for a, b in zip(row, other, strict=True)))
            named[..., later] &= larger
            named[..., earlier] &= ~larger
    return named


def _is_machine(net: LimitTransformer) -> bool:
    return runs_as_machine(net) and net.num_bits <= 53


def _above(net: LimitTransformer, words: IntArray, row: Vector) -> BoolArray:
    """Whether a row of U y_i is above the threshold, at every position of every word; (W, n + 1)."""
    asked = replace(net, unembedding=(row,), accept_row=0, output=None)
    machine = DenseMachine(asked, words.shape[1] + 1)
    states = np.repeat(machine.start(), len(words), axis=0)
    labels = [machine.labels(states)]
    for column in words.T:
        after = np.empty_like(states)
        for symbol in np.unique(column).tolist():
            after[column == symbol] = machine.step(states[column == symbol], symbol)
        states = after
        labels.append(machine.labels(states))
    return np.stack(labels, axis=1)


def _by_reference(net: LimitTransformer, word: tuple[int, ...]) -> list[list[bool]] | bool:
    run = reference.trace(net, word)
    if net.output is None:
        return run.accepted
    return [[symbol in named for symbol in net.output.symbols] for named in run.next_symbols]
