"""Packing values: what goes in comes out, nothing else can."""

from __future__ import annotations

import contextlib
import enum
import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from idinf.runtime.codec import Codec
from idinf.transformers.regularizer import Aggregate


@dataclass(frozen=True, slots=True)
class Point:
    x: object
    y: object = None


@dataclass(frozen=True)
class Other:
    x: object


class Colour(enum.Enum):
    RED = (1, "r")


CODEC = Codec((Point, Colour, Aggregate))


def same(one, other):
    """Equal in value, type and, for arrays, in dtype and shape."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()
    elif isinstance(one, tuple | list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b)
    elif isinstance(one, Point):
        same((one.x, one.y), (other.x, other.y))
    else:
        assert one == other or (one != one and other != other)


NUMBERS = arrays.arrays(
    dtype=st.sampled_from(["bool", "uint8", "int16", "<i8", ">i4", "float32", "float64"]),
    shape=arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.binary()
    | st.sampled_from([*Aggregate, *Colour])
    | st.sampled_from([np.int64(3), np.float64(0.1), np.bool_(True)])
)
VALUES = st.recursive(
    PLAIN | NUMBERS.filter(lambda array: array.dtype.byteorder != ">"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple) | st.builds(Point, inner, inner)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_round_trip(value):
    same(CODEC.unpack(CODEC.pack(value)), value)


def test_keys_are_equal_iff_values_are():
    texts = [CODEC.text(key) for key in ((1, 2), (1.0, 2), ((1, 2),), (1, True), ("1", 2), (Point(1), 2))]
    assert len(set(texts)) == len(texts)
    assert CODEC.text((0.1 + 0.2, math.inf)) == CODEC.text((0.30000000000000004, math.inf))
    with pytest.raises(TypeError, match="an array in a key"):
        CODEC.text((np.arange(3),))


PACKED = Codec((Point, Other)).pack((Other(3), np.arange(4)))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        PACKED[:-40],
        PACKED[:10],
        PACKED.replace(b'"a":0', b'"a":9'),
        PACKED.replace(b"<i8", b"|O8"),
        CODEC.pack(Point(1, 2)).replace(b"[1,2]", b"[1]  "),
    ],
)
def test_bytes_that_are_no_packed_value_are_refused(data):
    with pytest.raises(ValueError, match="not a packed value"):
        CODEC.unpack(data)


@given(st.data())
def test_damaged_bytes_never_do_worse_than_a_value_error(data):
    packed = bytearray(CODEC.pack((Point(1, (0.5, "a")), np.arange(5), Colour.RED)))
    for _ in range(data.draw(st.integers(1, 3))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ValueError):
        CODEC.unpack(bytes(packed))
