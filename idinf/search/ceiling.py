"""R above which nothing in a slice matters, once a right hypothesis is met.

A hypothesis that is right up to the horizon bounds every R*_n from above, so nothing with more R than the
largest end of a window can be selected. And once the first hypothesis is met that is right on all words that
count, more words count above it: the slice may end there, and the next one looks for less. The cheapest
hypotheses of a slice are decided first, and those above the ceiling are left out: the exact check takes
longest on right ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from idinf.nets.regularizer import EPSILON
from idinf.space.grid import IntArray
from idinf.space.units import FloatArray


@dataclass(frozen=True, slots=True)
class EndOfSlice:
    """R up to which a slice has to be complete once a hypothesis of R = ``r`` is met.

    A right one bounds what matters from above. The first one that lasts at the n that is looked for has R*_n,
    and the first one that fails at n + 1 settles n if R*_n is known; above that other words count. It is a
    value, as units of work take it to other processes.
    """

    known: float  #: end of the widest window of the n whose R*_n is known
    reach: float  #: widest window of all other n, −∞ where there is none
    needed: int = 0  #: the n that is looked for
    is_open: bool = False  #: whether R*_n is unknown there
    settles: bool = False  #: whether an early fail settles it

    def __call__(self, r: float, fail: int) -> float:
        """Say where the slice ends for a hypothesis with a fail, −1 for none; infinite: as before."""
        if 0 <= fail <= self.needed:  # wrong on a word that counts, so it says nothing
            return math.inf
        if self.is_open or (self.settles and fail == self.needed + 1):
            return r
        return self.stop_bound(r) if fail < 0 else math.inf

    def stop_bound(self, r: float) -> float:
        """R up to which a right hypothesis leaves anything to look for, in this slice or in later ones."""
        return max(self.known, r + self.reach)


class Ceiling:
    """R up to which hypotheses matter. Mutable: it falls when a right one is met.

    ``high``: where it begins. It never falls without ``ends``.

    >>> import numpy as np
    >>> ceiling = Ceiling(9.0, EndOfSlice(known=8.0, reach=0.25))
    >>> ceiling.meet(np.array([8.5, 8.125, 7.0]), np.array([-1, -1, 5]))
    >>> round(ceiling.high, 6)
    8.375
    """

    def __init__(self, high: float, ends: EndOfSlice | None = None) -> None:
        self.high, self.ends = high, ends
        self._right = math.inf  #: least R of the right hypotheses that were met

    @property
    def last(self) -> float:
        """R up to which this slice and later ones look, where a right hypothesis says it; else `high`."""
        if self.ends is None or self._right == math.inf:
            return self.high
        return max(self.high, self.ends.stop_bound(self._right) + EPSILON)

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
                least = float(r[fail == each].min())
                self.high = min(self.high, self.ends(least, each) + EPSILON)  # what ties with it counts
                self._right = min(self._right, least) if each < 0 else self._right
