"""When a local head says no more than which symbols stand just before the last: an exact short reading.

With whole logits φ(0)..φ(τ) and weight 1 everywhere else, whether an average exceeds its bound at a position
i > τ is the sign of

    Σ_{d <= τ} N^φ(d) (x_d − bound) + (0 − bound) + Σ of the i − τ − 1 symbols in between of (x − bound),

where x_d is what the symbol d places before the last counts for and SOS counts 0. Given the window, that is
least or largest for i = τ + 1 or i = N − 1 and one repeated symbol: polynomials in N, whose signs over all
N are decided exactly. If every window decides, the average is replaced by a condition on the window.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from idinf.crasp.notation.powers import find_sign_from, plus
from idinf.translate.formulas.condition import (
    TRUE,
    BackIn,
    Condition,
    ConstantCondition,
    all_of,
    any_of,
    evaluate_on_empty,
)
from idinf.translate.formulas.pruning import iter_atoms

#: A reading with more single conditions than this is no easier to read than the average itself.
MAX_ATOMS = 4

#: Windows of symbols that are read, one by one, and symbols of each; there are |Σ|^τ windows.
MAX_WINDOWS, MAX_WINDOW = 100_000, 100


def read_near(phi: Sequence[int], values: Sequence[int], bound: int, code: int) -> Condition | None:
    """Read "average of values > bound" at positions of one symbol as a condition on the symbols before it.

    `phi`: whole logits by distance, >= 0. `values`: what each symbol counts for; SOS counts 0.

    Equal to the average for every word and N; None if the symbols beyond the window can matter, the
    condition is long, or there are too many windows.

    More than half of an average that looks one back: the symbol before is the first of the alphabet.

    >>> read_near((0, 1), (2, 0), 1, code=1)
    BackIn(distance=1, codes=(0,), positive=True)
    >>> read_near((0, 1), (3, 0), 1, code=1) is None
    True
    """
    if (len(phi) - 1) * math.log(len(values)) > math.log(MAX_WINDOWS) or len(phi) > MAX_WINDOW:
        return None
    condition = _Windows(tuple(phi), tuple(values), bound).read((values[code],))
    short = condition is not None and len(list(iter_atoms(condition))) <= MAX_ATOMS
    return condition if short else None


@dataclass(frozen=True, slots=True)
class _Windows:
    phi: tuple[int, ...]
    values: tuple[int, ...]
    bound: int

    def read(self, near: tuple[int, ...]) -> Condition | None:
        """Condition on what stands before the ``near`` values at distances 0, 1, …; None if undecided."""
        distance = len(near)
        if distance >= len(self.phi):
            verdict = self._inside(near)
            return None if verdict is None else ConstantCondition(verdict)
        start = find_sign_from(self._near((*near, 0)), distance + 1)
        found = [self.read((*near, value)) for value in self.values]
        conditions = [condition for condition in found if condition is not None]
        if start is None or len(conditions) < len(found):
            return None
        return _by_symbol(distance, conditions, start)

    def _near(self, near: Sequence[int]) -> dict[int, int]:
        """Σ N^φ(d) (x_d − bound), by powers of N."""
        return plus({logit: value - self.bound} for value, logit in zip(near, (*self.phi, 0), strict=False))

    def _inside(self, near: Sequence[int]) -> bool | None:
        """The verdict when SOS lies beyond the window, if it is the same for everything in between."""
        reach = len(near) - 1
        verdicts = set()
        for value in (0, min(self.values) - self.bound, max(self.values) - self.bound):
            # i = τ + 1 leaves nothing in between, i = N − 1 leaves N − 2 − τ symbols.
            sums = plus([self._near(near), {1: value, 0: -self.bound - (2 + reach) * value}])
            verdicts.add(find_sign_from(sums, reach + 2))
        return verdicts.pop() if len(verdicts) == 1 else None


def _by_symbol(distance: int, conditions: Sequence[Condition], start: bool) -> Condition:
    """One condition from those for each symbol at a distance, and the value if SOS is there."""
    groups: dict[Condition, tuple[int, ...]] = {}
    for code, condition in enumerate(conditions):
        groups[condition] = (*groups.get(condition, ()), code)
    # Before SOS there is nothing, which BackIn takes as it takes ε: it is in no set of symbols.
    default = next((condition for condition in groups if evaluate_on_empty(condition) is start), None)
    if default is None:
        groups[ConstantCondition(start)] = ()
        default = ConstantCondition(start)
    others = tuple(code for code, condition in enumerate(conditions) if condition != default)
    parts = [
        all_of([BackIn(distance, codes), condition])
        for condition, codes in groups.items()
        if condition != default
    ]
    rest = BackIn(distance, tuple(others), positive=False) if others else TRUE
    return any_of([*parts, all_of([rest, default])])
