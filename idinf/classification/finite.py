"""The minimal complete DFA of a target, where it is given as a regular language or has few states."""

from __future__ import annotations

import numpy as np

from idinf.classification.explored import minimal_machine
from idinf.classification.one_symbol import one_symbol_machine
from idinf.classification.thresholds import threshold_machine
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget

__all__ = ["MAX_STATES", "finite_machine"]

#: States after which a machine that counts is no longer followed.
MAX_STATES = 2_000


def finite_machine(target: Target, most: int = MAX_STATES) -> RegularTarget | None:
    """The minimal complete DFA of a target; None if it is not found with ``most`` states.

    A program has finitely many states where its counts are only compared with constants. Where comparisons
    of counts with each other say no more than that, it is proved for programs of one layer. Over one symbol
    all programs are regular.

    Parameters
    ----------
    target : Target
        Labels are truth values, (S,).
    most : int

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> finite_machine(build_target(load("at-least-3-ones"))).table.tolist()
    [[0, 1], [1, 2], [2, 3], [3, 3]]
    >>> finite_machine(build_target(load("majority"))) is None
    True
    """
    if isinstance(target, RegularTarget):
        return target
    size = len(target.alphabet)
    rows = target.start()
    numbers = {rows[0].tobytes(): 0}
    accepting = target.labels(rows).tolist()
    table: list[list[int]] = []
    while len(rows):
        stepped = np.stack([target.step(rows, code) for code in range(size)], axis=1)
        new = []
        for successors in stepped:
            line = []
            for row in successors:
                key = row.tobytes()
                if key not in numbers:
                    numbers[key] = len(numbers)
                    new.append(row)
                line.append(numbers[key])
            table.append(line)
        if len(numbers) > most:
            return _despite_counters(target, most)
        rows = np.array(new, dtype=np.int64).reshape(len(new), rows.shape[1])
        accepting += target.labels(rows).tolist()
    return minimal_machine(table, accepting, target.alphabet)


def _despite_counters(target: Target, most: int) -> RegularTarget | None:
    if not isinstance(target, CountingTarget):
        return None
    return one_symbol_machine(target, most) if len(target.alphabet) == 1 else threshold_machine(target, most)
