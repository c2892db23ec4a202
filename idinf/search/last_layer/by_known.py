"""Exclusions that begin with certificates of the repertoire, which are chosen where they are needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from idinf.search.last_layer.exclusion import Exclusion
    from idinf.search.last_layer.pair_exclusion import PairExclusion

#: What makes exclusions for labels and a precision.
ExcludeBy: TypeAlias = "Callable[..., Exclusion | PairExclusion]"


@dataclass(eq=False)
class ByKnown:
    """Makes exclusions by certificates that are chosen once. Mutable: it remembers those."""

    by: ExcludeBy
    choose: Callable[[], object]

    @cached_property
    def known(self) -> object:
        """What is known, chosen where it is needed: that is slow."""
        return self.choose()

    def __call__(self, labels: object, precision: int, count: object) -> Exclusion | PairExclusion:
        """Make an exclusion."""
        return self.by(labels, precision, known=self.known, count=count)
