"""How often the answer of a net with uniform heads can change along words u y^k, whatever its parameters.

Let q be a common multiple of |y| and Δ. *Block* k are the q positions |u| + k q + 1, ..., |u| + (k + 1) q of
the word u y y y ..., k = 0, 1, 2, ...; the j-th ones of all blocks form a class, in which the token and the
residue are always the same. With uniform heads all units depend on the prefix alone, not on N. Call k a
*break* if some unit of the layers so far has another value in block k than in block k − 1, in any class.

*Lemma.* Between breaks a unit changes at most once in each class. Let the units below have no break in blocks
a + 1, ..., b. Times i + 1, what the unit compares with 0 at position i is

    t(i) = Σ_h Σ_{i' ≤ i} ⟨v_h, features_i'⟩ + (i + 1) (⟨s, features_i⟩ + b),

an affine function of the block from a to b: from one block to the next, the sums grow by q neighbouring
positions, one of every class, all in blocks a to b, so by the same number every time; features_i does not
change, and i + 1 grows by q. The sign of an affine function changes at most once.

*Breaks.* P breaks cut the blocks into P + 1 runs. A new layer with m units and heads has at most one change
inside each run, for every unit and class, and its other changes are at breaks that are there already. So

    P' + 1 ≤ (P + 1) (1 + q m),

beginning with P = 0, as tokens and residues have no breaks. Units without a head are functions of the token,
the residue and the lower units of their position, so in each class they change only where one of those does:
a layer without heads adds no break. In one class a layer with heads over P breaks, and all layers below it,
change at P breaks, and inside the P + 1 runs at most once for each of its units: at (P + 1) (1 + m) − 1
places. Taken of the last layer with heads, this bounds the changes of the answer, a function of the units,
the token and the residue, in each class.
"""

from __future__ import annotations

import math

from idinf.space.structures import Structure


def bound_changes(structure: Structure, q: int) -> int | None:
    """Most changes of the answer from block to block in one class of q; None if some head is not uniform.

    ``q`` is a multiple of Δ; the bound holds for any parameters, precision and R.

    >>> from idinf.space.structures import UNIFORM, LayerShape
    >>> chain = [LayerShape((UNIFORM,), 1)] * 3
    >>> [bound_changes(Structure(tuple(chain[:depth]), 1), 2) for depth in (1, 2, 3)]
    [1, 5, 17]
    """
    if not all(layer.uniform for layer in structure.layers):
        return None
    units = [layer.units for layer in structure.layers if layer.heads]
    if not units:
        return 0
    return math.prod(1 + q * below for below in units[:-1]) * (1 + units[-1]) - 1
