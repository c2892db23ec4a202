"""Which layers of several units can be right, by the tables of their units, whatever the kind of answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from idinf.search.short_words.behaviours import TableRegistry
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray, Units

#: Layers whose answers are computed in one block, and tables that are looked at in one.
BLOCK = 4096

R = TypeVar("R")


class LayerScreen(ABC, Generic[R]):
    """Masks of tables, and of layers of t tables, that can be right on all words up to a length.

    Mutable: tables are looked at as they are met. ``readings`` are the ways to read an answer off the units.
    """

    def __init__(self, readings: Sequence[R], registry: TableRegistry) -> None:
        self.readings, self.registry = readings, registry

    @abstractmethod
    def alone(self, tables: IntArray) -> BoolArray:
        """Tables that some unit of a right layer can have."""

    @abstractmethod
    def right(self, reading: R, tables: IntArray) -> BoolArray:
        """Layers, (N, t) arrays of tables, for which a reading is right on all screened words."""

    def each_right(self, tables: IntArray) -> Iterator[tuple[R, BoolArray]]:
        """Every reading with the mask of layers, (N, t) arrays of tables, for which it is right."""
        for reading in self.readings:
            yield reading, self.right(reading, tables)

    def together(self, tables: IntArray) -> BoolArray:
        """Layers for which some reading is right on all screened words."""
        mask = np.zeros(len(tables), dtype=np.bool_)
        for _, right in self.each_right(tables):
            mask |= right
        return mask

    def possible(self, units: Units) -> BoolArray:
        """Units that may be right as far as a quick look tells; here it tells nothing."""
        return np.ones(len(units), dtype=np.bool_)

    def missed(self, tables: IntArray) -> NDArray[np.uint8]:
        """Bitsets of what some unit of a layer has to serve and a table does not, (N, bytes); here none."""
        return np.zeros((len(tables), 0), dtype=np.uint8)
