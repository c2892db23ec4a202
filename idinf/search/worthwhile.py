"""Up to which R a structure is worth a visit: above that it holds nothing right, or no new function.

**No heads.** Above a small R each net without any head is a costlier way to write a cheaper one.

*Lemma.* Without heads a unit sees the class of its own position alone, and with Δ = 1 that is the token: in
every layer it is a function of the token, a set S of tokens out of `$` and Σ. For acceptance so is the whole
net. One unit of one layer with p = 0 is any set S: s = 1 on S, b = 0, or, with the complement reading, s = 1
on all other tokens. One of the two has at most ⌊(|Σ| + 1)/2⌋ tokens, hence

    R ≤ 4 + √⌊(|Σ| + 1)/2⌋,    4 = L + ‖B‖ + ‖U‖ + ‖E‖.

For next symbols the rows of U name the units of the last layer. Units with the same sets in one layer with
p = 0, read by the same rows, give the same answers. A unit costs |S| in ‖A‖² alone, or at most ⌊(|Σ| + 1)/2⌋
in ‖A‖² and 1 in ‖b‖² (s = −1 outside of S and b = 1); so m units cost at most the smaller of √(m (|Σ| + 1))
and √(m ⌊(|Σ| + 1)/2⌋) + √m beside what the shape does.

So a net without heads and with more R than that is a function which the space holds for less: one layer, no
more units than the net's last layer, p = 0 and Δ = 1 are within the bounds of any space. It has no row of its
own in the table (R, fail), no record and no place in a selected set, and it is no canonical pick, which has
the least R of its function.

*Lemma for Δ > 1, acceptance.* The net is a set of pairs (token, residue): for each residue r a set S_r of
tokens. One layer with p = 0 and one unit for each residue is that set, if U asks for one of them: the unit of
r has s = 1 on r and on the tokens of S_r, and b = −1, so it is 1 iff the residue is r and the token in S_r.
That costs ‖B‖ = ‖U‖ = ‖b‖ = √Δ and ‖A‖ ≤ √(Δ (|Σ| + 2)). Where a space admits Δ units, so a set of pairs is
new for

    R ≤ 3 + Δ + 3 √Δ + √(Δ (|Σ| + 2)),    3 = L + ‖E‖ + ‖p_i‖.
"""

from __future__ import annotations

import math
from dataclasses import replace

from idinf.experiments.spec import Answer
from idinf.search.found import Mode
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.structures import LayerShape, Structure
from idinf.targets.supervised import SupervisedTarget
from idinf.transformers.regularizer import EPSILON, Aggregate


def bound_headless(structure: Structure, symbols: int, aggregate: Aggregate) -> float:
    """R up to which hypotheses of a structure may be new functions; infinite unless the lemma says more.

    Above it, each hypothesis agrees on every word with one of at most this R.

    >>> deep = Structure((LayerShape((), 2), LayerShape((), 1)), precision=2)
    >>> bound_headless(deep, 2, Aggregate.MAX), bound_headless(deep, 7, Aggregate.MAX)
    (5.0, 6.0)
    """
    if structure.heads or structure.period > 1:
        return math.inf
    tokens = symbols + 1
    units = 1 if structure.answer is Answer.ACCEPT else structure.layers[-1].units
    one_layer = replace(structure, layers=(LayerShape((), units),), precision=0)
    norms = math.sqrt(units * (tokens // 2))
    if structure.answer is not Answer.ACCEPT:
        norms = min(math.sqrt(units * tokens), norms + math.sqrt(units))
    return one_layer.base(aggregate) + norms


def bound_headless_class(
    period: int, symbols: int, aggregate: Aggregate, answer: Answer, units: int
) -> float:
    """R up to which any net without heads of a period may be a new function, where layers have ``units``.

    >>> bound_headless_class(1, 2, Aggregate.MAX, Answer.ACCEPT, 4)
    5.0
    >>> round(bound_headless_class(2, 2, Aggregate.MAX, Answer.ACCEPT, 4), 6)
    12.071068
    >>> bound_headless_class(2, 2, Aggregate.MAX, Answer.ACCEPT, 1)
    inf
    """
    if period == 1 and answer is Answer.ACCEPT:
        return bound_headless(Structure((LayerShape((), 1),), 0), symbols, aggregate)
    if period == 1:  # the last layer has one unit for each output at most, read by all of them at most
        outputs = symbols + 1
        most = (Structure((LayerShape((), m),), 0, 1, answer, outputs) for m in range(1, outputs + 1))
        return max(bound_headless(structure, symbols, aggregate) for structure in most)
    if answer is not Answer.ACCEPT or units < period:
        return math.inf
    return 3.0 + period + 3 * math.sqrt(period) + math.sqrt(period * (symbols + 2))


class Worthwhile:
    """Judges structures against one target, on short words. What it has counted of both is remembered.

    Layers have ``units`` at most, and ``complements`` says whether a hypothesis and its complement cost the
    same, as they do with any threshold.
    """

    def __init__(
        self,
        target: SupervisedTarget,
        aggregate: Aggregate,
        words: ShortWords,
        units: int,
        complements: bool = True,
    ) -> None:
        self.words, self.units, self.complements = words, units, complements
        self.aggregate, self.symbols = aggregate, len(target.alphabet)
        self.answer = target.answer

    def up_to(self, structure: Structure, consistent: int, mode: Mode) -> float:
        """R up to which the structure is worth a visit for what is right on words up to a length.

        Nothing has so small an R if nothing there is right. Of headless nets, what ties with the bound of
        `bound_headless` is worth it, and chosen structures are whatever their R; its lemma reads complements.
        """
        if mode.use_confusion and self._is_confused(structure, consistent):
            return -math.inf
        if not (mode.use_headless_bound and self.complements) or mode.only is not None:
            return math.inf
        useful = bound_headless(structure, self.symbols, self.aggregate) + EPSILON
        return useful if structure.floor(self.aggregate) < useful else -math.inf

    def headless_up_to(self, period: int, consistent: int, mode: Mode) -> float:
        """The same for all structures without heads of one period at once."""
        if mode.use_confusion and self.words.is_confused(period, consistent):
            return -math.inf
        if not (mode.use_headless_bound and self.complements):
            return math.inf
        bound = bound_headless_class(period, self.symbols, self.aggregate, self.answer, self.units)
        return bound + EPSILON

    def _is_confused(self, structure: Structure, consistent: int) -> bool:
        """Whether words that count leave no right net, where uniform heads stand in one layer at most."""
        with_heads = [layer for layer in structure.layers if layer.heads]
        if len(with_heads) > 1 or not all(layer.uniform for layer in with_heads):
            return False
        return self.words.is_confused(structure.period, consistent, counts=bool(with_heads))
