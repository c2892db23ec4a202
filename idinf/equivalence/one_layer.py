"""Languages of one layer of counting, compared on all words by integer programs over Parikh counts.

What a program without nested or local counts says of a word, and what one layer of uniform heads does,
depends on its last symbol, its length modulo m, and how often each symbol stands at each residue: in every
slice it is a Boolean combination of linear inequalities.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import lcm

from idinf.equivalence.conditions import Conditions
from idinf.equivalence.integer_programs import Undecided, least_point
from idinf.equivalence.languages import Decider, accepts
from idinf.equivalence.one_layer_hypotheses import condition_of_hypothesis, has_one_layer
from idinf.equivalence.one_layer_programs import condition_of_program, modulus_of
from idinf.equivalence.slices import WordSlice
from idinf.targets import circuit as c
from idinf.targets.counting import CountingTarget
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Word

#: Branches of the integer programs of one comparison, at most: some seconds.
MAX_BRANCHES = 2_000

#: Unknowns of a slice, at most.
MAX_UNKNOWNS = 24

#: Cases of a condition, at most: the parts of it grow with their product.
MAX_CONDITIONS = 4_000


def compare_one_layer(
    one: Decider,
    other: Decider,
    beat: Callable[[], None] = lambda: None,
    *,
    most_branches: int = MAX_BRANCHES,
) -> Word | bool:
    """Compare two languages of one layer on all words.

    Returns
    -------
    tuple of int or bool
        A shortest word that exactly one accepts; True if there is none; False if this cannot be told: not one
        layer, or too many branches.

    Examples
    --------
    >>> from idinf.crasp.checker import read_program
    >>> from idinf.words import Alphabet
    >>> sigma = Alphabet(("0", "1"))
    >>> texts = '# "1" >= # "0"', '3 * # "1" > 3 * # "0" - 2', '7 * # "1" >= 6 * # "0"'
    >>> a, b, c = (CountingTarget(read_program(f"x = {text}", sigma), sigma) for text in texts)
    >>> compare_one_layer(a, b), len(compare_one_layer(a, c))
    (True, 13)
    """
    period = lcm(_period(one), _period(other))
    symbols = len(one.alphabet)
    if period == 0 or WordSlice(symbols, period, 0, 0).size > MAX_UNKNOWNS:
        return False
    if accepts(one, ()) != accepts(other, ()):
        return ()
    least: Word | None = None
    for last, residue in product(range(symbols), range(period)):
        part = WordSlice(symbols, period, last, residue)
        conditions = Conditions()
        sides = _condition(one, part, conditions), _condition(other, part, conditions)
        if sides[0] is None or sides[1] is None or len(conditions.nodes) > MAX_CONDITIONS:
            return False
        wanted = conditions.differ(sides[0], sides[1])
        try:
            point = least_point(
                conditions, wanted, part.words(), part.costs, most_branches // (symbols * period), beat
            )
        except Undecided:
            return False
        if point is not None:
            word = part.least_word(point)
            least = min((word, least), key=lambda w: (len(w), w)) if least is not None else word
    return True if least is None else least


def _period(side: Decider) -> int:
    """The modulus that a language of one layer needs; 0 for any other."""
    match side:
        case CountingTarget(circuit=c.ProgramCircuit() as circuit):
            return modulus_of(circuit)
        case LimitTransformer() as net if has_one_layer(net):
            return net.period
    return 0


def _condition(side: Decider, part: WordSlice, conditions: Conditions) -> int | None:
    """The words of a slice that are accepted; None if that is no condition on counts."""
    match side:
        case CountingTarget(circuit=circuit):
            return condition_of_program(circuit, part, conditions)
        case LimitTransformer() as net:
            return condition_of_hypothesis(net, part, conditions)
    return None
