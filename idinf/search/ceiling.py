"""R above which nothing in a slice matters, once a right hypothesis is met.

A hypothesis that is right up to the horizon bounds every R*_n from above, so nothing with more R than the
largest end of a window can be selected. The cheapest hypotheses of a slice are decided first, and those above
the ceiling are left out: the exact check takes longest on right ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from idinf.space.grid import IntArray
from idinf.space.units import FloatArray
from idinf.transformers.regularizer import EPSILON


class Ceiling:
    """R up to which hypotheses matter. Mutable: it falls when a right one is met.

    Parameters
    ----------
    high : float
        Where it begins.
    ends : callable, optional
        From R of a right hypothesis to the largest R that can be selected then. It never falls if not given.

    Examples
    --------
    >>> import numpy as np
    >>> ceiling = Ceiling(9.0, lambda r: r + 0.25)
    >>> ceiling.meet(np.array([8.5, 8.0, 7.0]), np.array([-1, -1, 5]))
    >>> round(ceiling.high, 6)
    8.25
    """

    def __init__(self, high: float, ends: Callable[[float], float | None] | None = None) -> None:
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
        if self.ends is None or not (fail < 0).any():
            return
        end = self.ends(float(r[fail < 0].min()))
        self.high = min(self.high, math.inf if end is None else end + EPSILON)  # what ties with it counts
