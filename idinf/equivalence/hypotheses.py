"""The shortlex-least word on which a hypothesis of the family differs from a target or from another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from idinf.equivalence.machines import Beat, states_exceeded
from idinf.search.exact_check.frontier import Frontier, FrontierFull, FrontierStep, Trail
from idinf.search.exact_check.joint_layers import joint_layers
from idinf.search.exact_check.merging import word_of
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import decide
from idinf.search.exact_check.summaries import LinearForms
from idinf.targets.machine import Target
from idinf.targets.supervised import NEVER
from idinf.transformers.one_hot import OneHotTransformer
from idinf.words import Word

__all__ = ["first_difference_of_hypotheses"]


def first_difference_of_hypotheses(
    hypotheses: Sequence[OneHotTransformer],
    target: Target | None,
    horizon: int,
    max_states: int,
    beat: Beat = lambda length: None,
) -> Word | None:
    """Shortlex-least word up to length ``horizon`` with two answers; None if there is none.

    Parameters
    ----------
    hypotheses : sequence of OneHotTransformer
        One, compared with the target, or two, compared with each other; all over one alphabet.
    target : Target or None
        None with two hypotheses.
    horizon : int
    max_states : int
        Bound on the summaries of one length.
    beat : callable
        Called after every length.

    Raises
    ------
    StatesExceeded
        If there are more summaries; says up to which length all words were compared.

    Examples
    --------
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.transformers.one_hot_parts import OneHotLayer, OneHotUnit
    >>> from idinf.words import Alphabet
    >>> sigma = Alphabet(("a", "b"))
    >>> unit = OneHotUnit((), s=(0, 0, 1), b=0)
    >>> ends_in_b = OneHotTransformer(sigma, 0, (OneHotLayer((), (unit,)),), (1,), 0)
    >>> first_difference_of_hypotheses([ends_in_b], RegularTarget.from_regex(".*b|bba", sigma), 9, 100)
    (1, 1, 0)
    """
    space, lower, readouts = joint_layers([nets_of(hypothesis) for hypothesis in hypotheses])
    summary = LinearForms(space, [*lower, *(readout.layer for readout in readouts)])

    parts = space, lower, readouts, summary, target, max_states
    frontier = _Watched(*parts)
    frontier.beat = beat
    fail = int(decide(frontier, 1, horizon)[0])
    if fail < 0:
        return None
    block = range(fail + 1, fail + 2) if frontier.depends_on_N else None
    trail: Trail = []
    try:
        for step in Frontier(*parts).steps(fail, block, trail):
            if step.least is not None:
                return word_of(trail, *step.least[:2])
    except FrontierFull as full:
        raise states_exceeded(full.states, max_states, fail - 1) from None
    raise RuntimeError(f"internal error: a word of length {fail} made a difference, now none does")


class _Watched(Frontier):
    """A frontier that tells of every length without a difference. Mutable as its base is."""

    beat: Beat = staticmethod(lambda length: None)

    def steps(self, horizon: int, block: range | None, trail: Trail | None = None) -> Iterator[FrontierStep]:
        """As the base does."""
        for step in super().steps(horizon, block, trail):
            yield step
            if (step.fails == NEVER).all():
                self.beat(step.length)
