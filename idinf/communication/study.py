"""Both sides of the communication of one target: the protocol of its transformer, the rows of its matrix."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from idinf.communication.behaviours import Growth, growth_of
from idinf.communication.protocol import bound, unbounded_heads
from idinf.communication.tables import (
    Law,
    LowerRow,
    UpperRow,
    laws_of,
    lower_rows,
    refuted_below,
    task_rows,
    upper_rows,
)
from idinf.errors import BudgetError
from idinf.targets.machine import Target
from idinf.targets.tasks import Task
from idinf.transformers.limit_transformer import LimitTransformer


@dataclass(frozen=True, slots=True)
class Study:
    """Tables and laws of one target.

    Parameters
    ----------
    name, about : str
    upper : tuple of UpperRow
        Empty without a transformer.
    bound : (int, int) or None
        F and D of `protocol.bound`.
    unbounded : tuple of (int, int, str)
        Heads that leave it open.
    lower : tuple of LowerRow
        Empty without a step machine or a closed form.
    growth : Growth or None
    notes : tuple of str
        What was not done, and why.
    """

    name: str
    about: str
    upper: tuple[UpperRow, ...]
    bound: tuple[int, int] | None
    unbounded: tuple[tuple[int, int, str], ...]
    lower: tuple[LowerRow, ...]
    growth: Growth | None
    notes: tuple[str, ...] = ()

    @property
    def upper_laws(self) -> tuple[Law, ...]:
        """Fits of the bits sent, against log₂ n and against n."""
        return laws_of([(row.n, float(row.bits)) for row in self.upper])

    @property
    def lower_laws(self) -> tuple[Law, ...]:
        """Fits of log₂ of the most behaviours at a length up to n, likewise."""
        most = itertools.accumulate((row.bits for row in self.lower), max)
        return laws_of([(row.n, bits) for row, bits in zip(self.lower, most, strict=True)])

    @property
    def refuted(self) -> float | None:
        """No C below this has C · log₂ n bits suffice at every n shown."""
        return refuted_below(self.lower)

    def rows(self) -> Iterator[tuple[int, UpperRow | None, LowerRow | None]]:
        """Both tables by n."""
        upper, lower = {row.n: row for row in self.upper}, {row.n: row for row in self.lower}
        return ((n, upper.get(n), lower.get(n)) for n in sorted({*upper, *lower}))


def study(
    name: str,
    about: str,
    transformer: LimitTransformer | None,
    target: Target | Task | None,
    lengths: Sequence[int],
    most: int,
    notes: tuple[str, ...] = (),
) -> Study:
    """Measure both sides.

    Parameters
    ----------
    name, about : str
    transformer : LimitTransformer or None
    target : Target, Task or None
    lengths : sequence of int
    most : int
        Words at each length, unless all are few.
    notes : tuple of str

    Examples
    --------
    >>> from idinf.targets.tasks import TASKS
    >>> found = study("equality", "", None, TASKS["equality"], (4, 16, 64), 1)
    >>> found.growth.kind, found.refuted, [row.rows for row in found.lower][:2]
    ('linear', 5.333333333333333, [4, 256])
    """
    upper = () if transformer is None else tuple(upper_rows(transformer, lengths, most))
    lower: list[LowerRow] = []
    growth = None
    if isinstance(target, Task):
        lower.extend(task_rows(target, lengths))
        growth = Growth("linear", "a closed form for every n")
    elif target is not None:
        growth = growth_of(target)
        try:
            lower.extend(lower_rows(target, lengths))
        except BudgetError as error:
            notes = (*notes, str(error))
    return Study(
        name,
        about,
        upper,
        None if transformer is None else bound(transformer),
        () if transformer is None else unbounded_heads(transformer),
        tuple(lower),
        growth,
        notes,
    )
