"""Numbers as bits and back."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from idinf.communication.bits import BitReader, BitWriter


def test_what_is_written_is_read() -> None:
    rng = random.Random(1)
    writer, wanted = BitWriter(), []
    for _ in range(300):
        match rng.randrange(3):
            case 0:
                width = rng.randrange(12)
                wanted.append(("fixed", rng.randrange(1 << width), width))
                writer.fixed(*wanted[-1][1:])
            case 1:
                wanted.append(("positive", rng.randrange(1, 10**6)))
                writer.positive(wanted[-1][1])
            case _:
                wanted.append(("rational", Fraction(rng.randrange(-999, 999), rng.randrange(1, 99))))
                writer.rational(wanted[-1][1])
    reader = BitReader(writer.text())
    for kind, value, *width in wanted:
        assert getattr(reader, kind)(*width) == value
    assert reader.done


def test_lengths() -> None:
    writer = BitWriter()
    writer.fixed(0, 0)
    assert writer.text() == ""
    writer.positive(1)
    assert writer.text() == "1"
    writer.positive(5)
    assert writer.text() == "1" + "00101"


@pytest.mark.parametrize(("value", "width"), [(4, 2), (-1, 8), (1, 0)])
def test_what_does_not_fit(value: int, width: int) -> None:
    with pytest.raises(ValueError, match=f"{value} does not fit into {width} bits"):
        BitWriter().fixed(value, width)


def test_a_message_that_is_cut() -> None:
    with pytest.raises(ValueError, match="the message ends after 2 bits, before bit 3"):
        BitReader("01").fixed(3)
