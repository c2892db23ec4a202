"""R above which nothing in a slice matters, once a right hypothesis is met.

A hypothesis that is right up to the horizon bounds every R*_n from above, so nothing with more R than the
largest end of a window can be selected. And once the first hypothesis is met that is right on all words that
count, more words count above it: the slice may end there, and the next one looks for less. The cheapest
hypotheses of a slice are decided first, and those above the ceiling are left out: the exact check takes
longest on right ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from idinf.space.grid import IntArray
from idinf.space.units import FloatArray
from idinf.transformers.regularizer import EPSILON

#: R of a hypothesis, and its fail length, −1 if it is right, to the R that matters at most.
Ends: TypeAlias = Callable[[float, int], float]


class Ceiling:
    """R up to which hypotheses matter. Mutable: it falls when a right one is met.

    ``high``: where it begins. ``ends``: from R of a hypothesis, and its fail length, −1 if it is right up to
    the horizon, to the largest R that the slice has to list then; infinite where that does not change. It
    never falls if not given.

    >>> import numpy as np
    >>> ceiling = Ceiling(9.0, lambda r, fail: r + 0.25 if fail < 0 else np.inf)
    >>> ceiling.meet(np.array([8.5, 8.0, 7.0]), np.array([-1, -1, 5]))
    >>> round(ceiling.high, 6)
    8.25
    """

    def __init__(self, high: float, ends: Ends | None = None) -> None:
        self.high, self.ends = high, ends

    @property
    def falls(self) -> bool:
        """Whether right hypotheses lower it."""
        return self.ends is not None

    def below(self, high: float) -> Ceiling:
        """One that begins at most at a bound, and falls by itself."""
        return Ceiling(min(self.high, high), self.ends)

    def meet(self, r: FloatArray, fail: IntArray) -> None:
        """Take note of hypotheses with their fail lengths, −1 for right ones; (N,) each."""
        if self.ends is not None:
            for each in set(fail.tolist()):
                end = self.ends(float(r[fail == each].min()), each)
                self.high = min(self.high, end + EPSILON)  # what ties with it counts
