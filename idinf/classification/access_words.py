"""States of a minimal DFA by words: what a reader can check, unlike the numbers of states."""

from __future__ import annotations

from idinf.classification.findings import shown
from idinf.targets.regular import RegularTarget


def word_to(machine: RegularTarget, state: int) -> str:
    """A least word that leads to a state, written for a reason.

    Parameters
    ----------
    machine : RegularTarget
    state : int
        Reached from the start, as all states of a minimal DFA are.

    Examples
    --------
    >>> from idinf.words import Alphabet
    >>> machine = RegularTarget.from_regex("(ab)*", Alphabet(("a", "b")))
    >>> [word_to(machine, state) for state in range(3)]
    ['ε', 'a', 'b']
    """
    steps: dict[int, tuple[int, int]] = {0: (0, -1)}
    order = [0]
    for source in order:  # grows while it is read: breadth-first
        for code, target in enumerate(machine.table[source].tolist()):
            if target not in steps:
                steps[target] = (source, code)
                order.append(target)
    codes = []
    while steps[state][1] >= 0:
        state, code = steps[state]
        codes.append(code)
    return shown(machine.alphabet.decode(tuple(reversed(codes))))
