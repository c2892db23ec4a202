"""Records of arrays: one value holds N things of a kind as parallel arrays, to be picked from and joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

#: Metadata of a field that all N things have in common, and of an array that has them along its second axis.
SHARED: Mapping[str, Any] = {"axis": None}
COLUMNS: Mapping[str, Any] = {"axis": 1}

_known: dict[Any, tuple[tuple[str, int | None], ...]] = {}


class ArrayRecord:
    """Base of frozen dataclasses whose fields hold one entry for each of N things.

    A field is an array with the things along its first axis, None, another such record, or a tuple of them,
    unless its metadata say otherwise: `SHARED` for what stays as it is, `COLUMNS` for the second axis.

    >>> from dataclasses import dataclass, field
    >>> @dataclass(frozen=True)
    ... class Points(ArrayRecord):
    ...     place: NDArray[np.int64]
    ...     unit: str = field(metadata=SHARED)
    >>> points = Points(np.array([3, 1, 2]), "mm")
    >>> len(points), points.take(points.place > 1)
    (3, Points(place=array([3, 2]), unit='mm'))
    >>> Points.concatenate([points.take(slice(2)), points.take(slice(0, 1))]).place
    array([3, 1, 3])
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __len__(self) -> int:
        for name, axis in _axes(type(self)):
            if axis is not None and isinstance(value := getattr(self, name), np.ndarray):
                return int(value.shape[axis])
        raise TypeError(f"{type(self).__name__} has no array along which its length could be read")

    def take(self, index: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Self:
        """The things at the given places."""
        taken: list[Any] = []
        for name, axis in _axes(type(self)):
            value = getattr(self, name)
            if axis is None or value is None:
                taken.append(value)
            elif isinstance(value, np.ndarray):
                taken.append(value[index] if axis == 0 else value[:, index])
            elif isinstance(value, tuple):
                taken.append(tuple([part.take(index) for part in value]))
            else:
                taken.append(value.take(index))
        return type(self)(*taken)

    def take_runs(self, index: NDArray[np.int64], width: int) -> Self:
        """The things at the given places if each is a run of ``width`` neighbours."""
        return self.take((index[:, None] * width + np.arange(width)).reshape(-1))

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join at least one record; what is shared is that of the first."""
        return cls(*[_joined([getattr(part, name) for part in parts], axis) for name, axis in _axes(cls)])


def _axes(record: Any) -> tuple[tuple[str, int | None], ...]:
    """The fields of a class with the axis of the things in each; None where they have it in common."""
    known = _known.get(record)
    if known is None:
        known = _known[record] = tuple((item.name, item.metadata.get("axis", 0)) for item in fields(record))
    return known


def _joined(values: list[Any], axis: int | None) -> Any:
    first = values[0]
    if axis is None or first is None:
        return first
    if isinstance(first, np.ndarray):
        return np.concatenate(values, axis=axis)
    if isinstance(first, tuple):
        return tuple([type(column[0]).concatenate(column) for column in zip(*values, strict=True)])
    return type(first).concatenate(values)
