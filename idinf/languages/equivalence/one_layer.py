"""Languages of one layer of counting, compared on all words by integer programs over Parikh counts.

What a program without nested or local counts says of a word, and what one layer of uniform heads does,
depends on its last symbol, its length modulo m, and how often each symbol stands at each residue: in every
slice it is a Boolean combination of linear inequalities.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from math import lcm

import numpy as np

from idinf.base.words import Word
from idinf.languages.equivalence.conditions import FALSE, TRUE, Conditions, WordSlice
from idinf.languages.equivalence.dense import Decider, accepts, is_uniform, runs_as_machine
from idinf.languages.equivalence.integer_programs import BranchLimit, find_least_point
from idinf.languages.equivalence.one_layer_programs import build_condition_of_program, find_modulus
from idinf.nets.dense import Activation
from idinf.nets.limit_transformer import LimitTransformer
from idinf.targets import circuit as c
from idinf.targets.counting import CountingTarget

#: Units of a net, at most: their answers are told apart one by one.
MAX_UNITS = 8

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

    A shortest word that exactly one accepts; True if there is none; False if this cannot be told: not one
    layer, or too many branches.

    >>> from idinf.crasp.checker import read_program
    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("0", "1"))
    >>> texts = '# "1" >= # "0"', '3 * # "1" > 3 * # "0" - 2', '7 * # "1" >= 6 * # "0"'
    >>> a, b, c = (CountingTarget(read_program(f"x = {text}", sigma), sigma) for text in texts)
    >>> compare_one_layer(a, b), len(compare_one_layer(a, c))
    (True, 13)
    """
    readers = [reader for reader in (_reader(one), _reader(other)) if reader is not None]
    period, symbols = lcm(*(period for period, _ in readers)), len(one.alphabet)
    if len(readers) < 2 or WordSlice(symbols, period, 0, 0).size > MAX_UNKNOWNS:
        return False
    if accepts(one, ()) != accepts(other, ()):
        return ()
    most, words = most_branches // (symbols * period), []
    for last, residue in product(range(symbols), range(period)):
        part, conditions = WordSlice(symbols, period, last, residue), Conditions()
        left, right = (read(part, conditions) for _, read in readers)
        if left is None or right is None or len(conditions.nodes) > MAX_CONDITIONS:
            return False
        try:
            wanted = conditions.differ(left, right)
            point = find_least_point(conditions, wanted, part.words(), part.costs, most, beat)
        except BranchLimit:
            return False
        if point is not None:
            words.append(part.least_word(point))
    return min(words, key=lambda word: (len(word), word)) if words else True


def _reader(side: Decider) -> tuple[int, Callable[[WordSlice, Conditions], int | None]] | None:
    """The modulus that a language of one layer needs, and what gives the accepted words of a slice."""
    match side:
        case CountingTarget(circuit=c.ProgramCircuit() as circuit):
            return find_modulus(circuit), partial(build_condition_of_program, circuit)
        case LimitTransformer() as net if has_one_layer(net):
            return net.period, partial(build_condition_of_hypothesis, net)
    return None


def has_one_layer(net: LimitTransformer, *, most_units: int = MAX_UNITS) -> bool:
    """Whether a net has one layer, whose heads are uniform, and few units."""
    return net.depth == 1 and net.num_units <= most_units and is_uniform(net) and runs_as_machine(net)


def build_condition_of_hypothesis(net: LimitTransformer, part: WordSlice, conditions: Conditions) -> int:
    """Which words of a slice a net accepts that `has_one_layer`; its period divides the modulus of the slice.

    Everything is multiplied by n + 1: Y_n becomes (n + 1) y_n + Σ_h V_h Σ_j y_j, and a unit and the answer
    are signs of forms in the counts once it is settled which units are above 0.

    >>> from idinf.nets.one_hot import OneHotTransformer
    >>> from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotUnit
    >>> from idinf.base.words import Alphabet
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0),))
    >>> more_0 = OneHotTransformer(Alphabet(("0", "1")), 0, (layer,), (1,), 0).to_dense()
    >>> conditions = Conditions()
    >>> conditions.inequalities_in(build_condition_of_hypothesis(more_0, WordSlice(2, 1, 0, 0), conditions))
    {2: Inequality(coefficients=(-1, 1), bound=0)}
    """
    layer, width = net.layers[0], net.width
    embedding, residues = (np.array(rows, dtype=object) for rows in (net.embedding, net.positions))
    A, b, B = (np.array(rows, dtype=object) for rows in (layer.mlp.A, layer.mlp.b, layer.mlp.B))
    U = np.array(net.unembedding[net.accept_row], dtype=object)
    positions = part.positions

    # Forms are rows, with a column for each unknown and one for the constant.
    entering = [
        embedding[1 + code] + residues[rho % net.period]
        for code, rho in product(range(part.symbols), range(part.modulus))
    ]
    columns = [*entering, *[0 * U] * (part.modulus > 1), embedding[0] + residues[0]]
    sums = np.stack(columns, axis=1)
    stream = np.outer(entering[part.last * part.modulus + part.residue], positions)
    for head in layer.heads:
        stream = stream + np.array(head.V, dtype=object) @ sums
    units = A.reshape(-1, width) @ stream + np.outer(b, positions)
    written = U @ B.reshape(width, -1)

    above = [conditions.positive(form) for form in units]
    whole = FALSE
    for fired in product((False, True), repeat=len(units)):
        guard, answer = TRUE, U @ stream - net.threshold * positions
        for unit, fires in enumerate(fired):
            guard = conditions.both(guard, above[unit] if fires else conditions.negated(above[unit]))
            if fires:
                is_relu = layer.mlp.activation[unit] is Activation.RELU
                answer = answer + written[unit] * (units[unit] if is_relu else positions)
        whole = conditions.either(whole, conditions.both(guard, conditions.positive(answer)))
    return whole
