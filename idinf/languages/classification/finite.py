"""The minimal complete DFA of a target, where it is given as a regular language or is shown to be one."""

from __future__ import annotations

from idinf.crasp.inverse_images import LETTER, check_size, find_block_length, unroll
from idinf.crasp.runs import compute_eventual_values
from idinf.errors import BudgetError
from idinf.languages.equivalence.conditions import Conditions, Inequality
from idinf.languages.equivalence.one_layer import (
    Answers,
    BranchLimit,
    compute_answers_at,
    find_least_point,
    find_modulus,
)
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target, accepts, explore, explore_states
from idinf.targets.regular import RegularTarget

#: States after which a machine that counts is no longer followed.
MAX_STATES = 2_000

#: Branches of one integer program.
MAX_BRANCHES = 200

#: Inequalities of a program whose counts are compared; more are left alone.
MAX_INEQUALITIES = 12


def find_finite_machine(target: Target, most: int = MAX_STATES) -> RegularTarget | None:
    """The minimal complete DFA of a target; None if it is not found with ``most`` states.

    A program has finitely many states where its counts are only compared with constants. Where comparisons
    of counts with each other say no more than that, it is proved for programs of one layer. Over one symbol
    all programs are regular. Labels must be truth values, (S,).
    """
    if isinstance(target, RegularTarget):
        return target
    states, table, is_complete = explore_states(target, most)
    if is_complete:
        return RegularTarget.minimal(target.alphabet, table, target.labels(states))
    if not isinstance(target, CountingTarget):
        return None
    return (
        find_one_symbol_machine(target, most)
        if len(target.alphabet) == 1
        else build_threshold_machine(target, most)
    )


def find_one_symbol_machine(target: CountingTarget, most: int) -> RegularTarget | None:
    """The minimal complete DFA of a program over one symbol; None if it has more states before minimization.

    Exact, by Lemmas 37 and 40 of [HYB25]_: read in blocks whose length m every modulus divides, the program
    is one without moduli at each place of a block. Its answers at places are constant from some block on, so
    those to a^n have the period m from there on.
    """
    length = find_block_length(target.program)
    try:
        check_size(target.program, length)
    except BudgetError:
        return None
    # What follows the last operation of a program is nothing: its places are the last rows.
    over_one = unroll(target.program, target.alphabet, (0,) * length)
    places = compute_eventual_values(over_one, LETTER)[-length:]
    blocks = max(1, *(place.since for place in places))
    number = blocks * length  # state n is reached by a^n
    if number >= most:
        return None
    accepted = [bool(places[n % length].at(n // length + 1)) for n in range(number)]
    table = [[n + 1] for n in range(number)] + [[number - length + 1]]
    return RegularTarget.minimal(target.alphabet, table, [accepts(target, ()), *accepted])


def build_threshold_machine(target: CountingTarget, most: int) -> RegularTarget | None:
    """The minimal complete DFA of a program without nested, local or periodic counts, if thresholds suffice.

    Exact: integer programs prove for a K, the least power of two that will do, that the answer is the same
    with one more of a symbol of which there are K. None if that is not proved, or there are more states
    before minimization: counts up to K beside a last symbol.
    """
    symbols = len(target.alphabet)
    if find_modulus(target.circuit) > 1:
        return None
    parts = [compute_answers_at(target, last, 0) for last in range(symbols)]
    answers = [part for part in parts if part is not None and len(part.inequalities) <= MAX_INEQUALITIES]
    if len(answers) < symbols:
        return None
    threshold = 1
    while 1 + symbols * (threshold + 1) ** symbols <= most:
        if all(_suffices(part, code, threshold) for part in answers for code in range(symbols)):
            return _capped(target, threshold, answers)
        threshold *= 2
    return None


def _suffices(answers: Answers, code: int, threshold: int) -> bool:
    """True if one more symbol of a code is proved to change nothing from the threshold on."""
    part, conditions = answers.part, answers.conditions
    wanted = conditions.differ(answers.whole, _with_one_more(conditions, answers.whole, code))
    enough = Inequality(tuple(int(k == code) for k in range(part.size)), threshold)
    try:
        return find_least_point(conditions, wanted, [*part.words(), enough], part.costs, MAX_BRANCHES) is None
    except BranchLimit:
        return False


def _with_one_more(conditions: Conditions, whole: int, code: int) -> int:
    """The condition of the word with one more symbol, as a condition of the word."""
    shifted = [0, 1]
    for node in list(conditions.nodes[2 : whole + 1]):
        if isinstance(node, Inequality):
            moved = node.coefficients[code] - node.bound
            shifted.append(conditions.non_negative((*node.coefficients, moved)))
        elif len(node) == 1:
            shifted.append(conditions.negated(shifted[node[0]]))
        else:
            shifted.append(conditions.both(shifted[node[0]], shifted[node[1]]))
    return shifted[whole]


def _capped(target: CountingTarget, threshold: int, answers: list[Answers]) -> RegularTarget:
    """The machine whose states are the counts up to the threshold and the last symbol."""
    codes = range(len(target.alphabet))
    states, table, _ = explore(
        ((0,) * len(codes), -1),
        lambda found: (
            [(tuple(min(x + (k == code), threshold) for k, x in enumerate(counts)), code) for code in codes]
            for counts, _ in found
        ),
    )
    accepted = [accepts(target, ())]
    for counts, last in states[1:]:
        here = {k: row.holds(counts) for k, row in answers[last].inequalities.items()}
        accepted.append(answers[last].where(here))
    return RegularTarget.minimal(target.alphabet, table, accepted)
