"""Do two hypotheses agree on all words up to a length? Both are run over one list of summaries."""

from __future__ import annotations

from collections.abc import Callable

from idinf.search.exact_check.frontier import DEFAULT_MAX_STATES, Frontier
from idinf.search.exact_check.joint_layers import joint_layers
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import decide
from idinf.search.exact_check.sizes import DEFAULT_SIZES, CheckSizes
from idinf.search.exact_check.summaries import LinearForms
from idinf.targets.machine import Target
from idinf.transformers.one_hot import OneHotTransformer


def agree(
    one: OneHotTransformer,
    other: OneHotTransformer,
    horizon: int,
    max_states: int = DEFAULT_MAX_STATES,
    target: Target | None = None,
    checkpoint: Callable[[], None] = lambda: None,
    sizes: CheckSizes = DEFAULT_SIZES,
) -> bool:
    """Whether two hypotheses over one alphabet answer alike on every word up to length ``horizon``; exact.

    They may differ in everything else, period and precision too. A target says which words and positions
    count, as it must for next symbols; without one the ends of all words do.

    Raises
    ------
    StatesExceeded
        If the joint summaries are more than ``max_states`` before a difference is met.

    Examples
    --------
    >>> from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
    >>> from idinf.words import Alphabet
    >>> def more_b(weight, precision):
    ...     head = OneHotHead(((0, -weight, weight),))
    ...     unit = OneHotUnit(((0, 0, 2**precision),), s=(0, 0, 0), b=0)
    ...     layer = OneHotLayer((head,), (unit,))
    ...     return OneHotTransformer(Alphabet(("a", "b")), precision, (layer,), (1,), 0)
    >>> agree(more_b(1, 0), more_b(3, 1), 40)
    True
    """
    space, lower, readouts = joint_layers([nets_of(one), nets_of(other)])
    summary = LinearForms(space, [*lower, *(readout.layer for readout in readouts)])
    frontier = Frontier(space, lower, readouts, summary, target, max_states, checkpoint, sizes)
    return bool(decide(frontier, 1, horizon)[0] < 0)
