"""Programs that compare counts with each other, and yet only see each count up to a threshold."""

from __future__ import annotations

from fractions import Fraction

from idinf.classification.by_counts import Answers, answers_at, modulus_of
from idinf.equivalence.conditions import Conditions, Inequality
from idinf.equivalence.integer_programs import Undecided, least_point
from idinf.experiments.spec import FiniteAutomaton
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
    symbols = target.alphabet.symbols
    start = ((0,) * len(symbols), -1)
    states, accepted, moves = {start: "0"}, ["0"] if accepts(target, ()) else [], []
    order = [start]
    for state in order:  # grows while it is read: breadth-first
        for code, symbol in enumerate(symbols):
            counts = tuple(min(x + (k == code), threshold) for k, x in enumerate(state[0]))
            following = (counts, code)
            if following not in states:
                states[following] = str(len(states))
                order.append(following)
                here = {k: row.holds(counts) for k, row in answers[code].inequalities.items()}
                if answers[code].where(here):
                    accepted.append(states[following])
            moves.append((states[state], symbol, states[following]))
    automaton = FiniteAutomaton(tuple(states.values()), "0", tuple(accepted), tuple(moves))
    return RegularTarget.from_automaton(automaton, target.alphabet)
