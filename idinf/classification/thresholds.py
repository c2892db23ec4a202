"""Programs that compare counts with each other, and yet only see each count up to a threshold."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from idinf.classification.by_counts import Answers, answers_at, modulus_of
from idinf.classification.explored import explored, minimal_machine
from idinf.equivalence.conditions import Conditions, Inequality
from idinf.equivalence.integer_programs import Undecided, least_point
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget

__all__ = ["threshold_machine"]

#: Branches of one integer program.
MAX_BRANCHES = 200

#: Inequalities of a program; more are left alone.
MAX_INEQUALITIES = 12


def threshold_machine(target: CountingTarget, most: int) -> RegularTarget | None:
    """The minimal complete DFA of a program without nested, local or periodic counts, if thresholds suffice.

    Exact: integer programs prove for a K, the least power of two that will do, that the answer is the same
    with one more of a symbol of which there are K.

    Parameters
    ----------
    target : CountingTarget
    most : int
        Most states before minimization: counts up to K beside a last symbol.

    Returns
    -------
    RegularTarget or None
        None if that is not proved.

    Examples
    --------
    >>> from idinf.crasp.checker import read_program
    >>> from idinf.words import Alphabet
    >>> sigma = Alphabet(("0", "1"))
    >>> for text in ('x = # "0" >= # "1" && # "1" >= # "0" + 1', 'x = # "0" >= # "1"'):
    ...     machine = threshold_machine(CountingTarget(read_program(text, sigma), sigma), 1000)
    ...     None if machine is None else machine.table.tolist()
    [[0, 0]]
    """
    symbols = len(target.alphabet)
    if modulus_of(target) > 1:
        return None
    parts = [answers_at(target, last, 0) for last in range(symbols)]
    answers = [part for part in parts if part is not None and len(part.inequalities) <= MAX_INEQUALITIES]
    if len(answers) < symbols:
        return None
    threshold = 1
    while 1 + symbols * (threshold + 1) ** symbols <= most:
        if all(_suffices(part, code, threshold) for part in answers for code in range(symbols)):
            return _machine(target, threshold, answers)
        threshold *= 2
    return None


def _suffices(answers: Answers, code: int, threshold: int) -> bool:
    """Whether one more symbol of a code changes nothing where there are as many as the threshold."""
    part, conditions = answers.part, answers.conditions
    wanted = conditions.differ(answers.whole, _with_one_more(conditions, answers.whole, code))
    enough = Inequality(tuple(int(k == code) for k in range(part.size)), threshold)
    try:
        return least_point(conditions, wanted, [*part.words(), enough], part.costs, MAX_BRANCHES) is None
    except Undecided:
        return False


def _with_one_more(conditions: Conditions, whole: int, code: int) -> int:
    """The condition of the word with one more symbol, as a condition of the word."""
    shifted = [0, 1]
    for node in list(conditions.nodes[2 : whole + 1]):
        if isinstance(node, Inequality):
            moved = Fraction(node.coefficients[code] - node.bound)
            shifted.append(conditions.non_negative((*map(Fraction, node.coefficients), moved)))
        elif len(node) == 1:
            shifted.append(conditions.negated(shifted[node[0]]))
        else:
            shifted.append(conditions.both(shifted[node[0]], shifted[node[1]]))
    return shifted[whole]


def _machine(target: CountingTarget, threshold: int, answers: list[Answers]) -> RegularTarget:
    size = len(target.alphabet)

    def successors(state: tuple[tuple[int, ...], int]) -> Iterator[tuple[tuple[int, ...], int]]:
        """The counts up to the threshold and the last symbol after one more symbol."""
        for code in range(size):
            yield tuple(min(x + (k == code), threshold) for k, x in enumerate(state[0])), code

    found = explored(((0,) * size, -1), successors)
    assert found is not None  # no bound was given
    states, table = found
    accepted = [accepts(target, ())]
    for counts, last in states[1:]:
        here = {k: row.holds(counts) for k, row in answers[last].inequalities.items()}
        accepted.append(answers[last].where(here))
    return minimal_machine(table, accepted, target.alphabet)
