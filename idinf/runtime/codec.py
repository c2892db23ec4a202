"""Values as bytes and back, without executing anything: what a run keeps on disk is data, never code.

A packed value is a skeleton, JSON that names dataclasses and enums of a fixed list, followed by the raw
numbers of its arrays. Only what is on the list comes out: a file from elsewhere can be wrong, not dangerous.
Nor can it claim much memory: arrays are views of the bytes that are there, and the skeleton, of which Python
makes up to thirty times its size, has a bound of its own.
"""

from __future__ import annotations

import enum
import json
import re
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.files import MIB

#: Bytes of a packed value, and of the skeleton in it, that are read at most. Units of work of the largest
#: runs that were tried pack into less than 100 KiB, with skeletons of less than 10 KiB.
MOST_PACKED, MOST_SKELETON = 64 * MIB, 4 * MIB

#: Kinds of arrays that are plain numbers: Booleans, integers, floats.
_KINDS = "biuf"

#: Arrays start at multiples of this, the size of the widest number.
_ALIGNMENT = 8

#: Names of their types in a layout, and how many axes an array may have.
_DTYPE, _MOST_AXES = re.compile(rf"[<|][{_KINDS}][0-9]{{1,2}}"), 32


#: By the id of an array its number, and the array itself: an id is a name only as long as the object lives.
_Arrays = dict[int, tuple[int, NDArray[Any]]]


class Codec:
    """Packs nested tuples, lists, plain values, arrays, and values of given classes.

    Parameters
    ----------
    classes : tuple of type
        Dataclasses and enums that may occur; their names must differ.

    Examples
    --------
    >>> codec = Codec(())
    >>> value = (1, 0.1, None, (True, "ε"), b"x", np.arange(3))
    >>> codec.unpack(codec.pack(value))
    (1, 0.1, None, (True, 'ε'), b'x', array([0, 1, 2]))
    """

    def __init__(self, classes: tuple[type, ...]) -> None:
        self._classes = {cls.__name__: cls for cls in classes}
        if len(self._classes) < len(classes):
            raise ValueError("two classes of one name; expected different names; rename one")
        for cls in classes:
            if not (is_dataclass(cls) or issubclass(cls, enum.Enum)):
                raise TypeError(f"{cls.__name__}; expected a dataclass or an enum; take it off the list")

    @property
    def schema(self) -> str:
        """The classes with their fields as text: packed values are understood under the same text only."""
        shapes = {
            name: [str(member) for member in cls] if issubclass(cls, enum.Enum) else _field_names(cls)
            for name, cls in sorted(self._classes.items())
        }
        return json.dumps(shapes, separators=(",", ":"))

    def pack(self, value: object) -> bytes:
        """Write a value.

        Raises
        ------
        TypeError
            If something in it is neither plain nor of a class of the list, nor an array of numbers.
        """
        known: _Arrays = {}
        tree = self._tree(value, known)
        arrays = [array.astype(array.dtype.newbyteorder("<"), copy=False) for _, array in known.values()]
        layout = [(array.dtype.str, array.shape) for array in arrays]
        skeleton = json.dumps([tree, layout], separators=(",", ":")).encode()
        blocks = [_padded(block) for block in (skeleton, *(array.tobytes() for array in arrays))]
        return b"".join([len(skeleton).to_bytes(8, "little"), *blocks])

    def text(self, value: object) -> str:
        """Write a value without arrays as one line of text, equal iff the values are.

        Examples
        --------
        >>> Codec(()).text((1, 0.5, "a"))
        '{"t":[1,0.5,"a"]}'
        """
        known: _Arrays = {}
        tree = self._tree(value, known)
        if known:
            raise TypeError("an array in a key; expected plain values; leave it out")
        return json.dumps(tree, separators=(",", ":"))

    def unpack(self, data: bytes) -> Any:
        """Read a value; its arrays are read-only views of ``data``.

        Raises
        ------
        ValueError
            If the bytes are not a packed value of these classes, or too many.
        """
        try:
            if not fits(data):
                raise ValueError(f"more than {MOST_PACKED} bytes, or {MOST_SKELETON} of a skeleton")
            size = int.from_bytes(data[:8], "little")
            tree, layout = json.loads(data[8 : 8 + size])
            arrays, place = [], 8 + _ceil(size)
            for dtype, shape in layout:
                arrays.append(_array(data, place, dtype, shape))
                place += _ceil(arrays[-1].nbytes)
            return self._value(tree, arrays, {})
        except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
            raise ValueError(f"not a packed value ({type(error).__name__}: {error})") from None

    def _tree(self, value: object, known: _Arrays) -> Any:
        """The skeleton of a value; an array met again is written once."""

        def number(array: NDArray[Any]) -> int:
            if array.dtype.kind not in _KINDS:
                raise TypeError(f"an array of {array.dtype}; expected Booleans, integers or floats")
            return known.setdefault(id(array), (len(known), array))[0]

        if isinstance(value, np.generic):
            return {"s": number(np.asarray(value))}
        if isinstance(value, np.ndarray):
            return {"a": number(value)}
        if isinstance(value, bytes):
            return {"b": number(np.frombuffer(value, dtype=np.uint8))}
        if isinstance(value, list):
            return [self._tree(item, known) for item in value]
        if isinstance(value, tuple):
            return {"t": [self._tree(item, known) for item in value]}
        name = type(value).__name__
        if self._classes.get(name) is type(value):
            if isinstance(value, enum.Enum):
                return {name: self._tree(value.value, known)}
            return {name: [self._tree(getattr(value, field), known) for field in _field_names(value)]}
        if type(value) in (type(None), bool, int, float, str):
            return value
        raise TypeError(f"a {name}; expected plain values, arrays and listed classes; put it on the list")

    def _value(self, tree: Any, arrays: list[NDArray[Any]], texts: dict[int, bytes]) -> Any:
        """What a skeleton stands for; bytes that it names again and again are copied once."""
        if isinstance(tree, list):
            return [self._value(item, arrays, texts) for item in tree]
        if not isinstance(tree, dict):
            return tree
        ((tag, content),) = tree.items()
        match tag:
            case "t":
                return tuple([self._value(item, arrays, texts) for item in content])
            case "a":
                return arrays[content]
            case "s":
                return arrays[content][()]
            case "b":
                if content not in texts:
                    texts[content] = arrays[content].tobytes()
                return texts[content]
        cls = self._classes[tag]
        if issubclass(cls, enum.Enum):
            return cls(self._value(content, arrays, texts))
        values = [self._value(item, arrays, texts) for item in content]
        return cls(**dict(zip(_field_names(cls), values, strict=True)))


def fits(data: bytes) -> bool:
    """Whether a packed value is small enough to be read again."""
    return len(data) <= MOST_PACKED and int.from_bytes(data[:8], "little") <= MOST_SKELETON


def _field_names(cls: Any) -> list[str]:
    return [field.name for field in fields(cls)]


def _array(data: bytes, place: int, dtype: str, shape: list[int]) -> NDArray[Any]:
    if not _DTYPE.fullmatch(dtype) or len(shape) > _MOST_AXES or any(size < 0 for size in shape):
        raise ValueError("no array of numbers")
    kind = np.dtype(dtype)
    count = int(np.prod(shape, dtype=object))
    if not count:
        return np.zeros(shape, dtype=kind)
    return np.frombuffer(data, dtype=kind, count=count, offset=place).reshape(shape)


def _ceil(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _padded(block: bytes) -> bytes:
    return block.ljust(_ceil(len(block)), b"\0")
