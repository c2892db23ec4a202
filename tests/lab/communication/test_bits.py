"""Numbers as bits and back."""

from __future__ import annotations

import random
from fractions import Fraction

from idinf.lab.communication.protocol import BitReader, write_fixed, write_positive, write_rational


def test_what_is_written_is_read() -> None:
    rng = random.Random(1)
    parts, wanted = [], []
    for _ in range(300):
        match rng.randrange(3):
            case 0:
                width = rng.randrange(12)
                wanted.append(("fixed", rng.randrange(1 << width), width))
                parts.append(write_fixed(*wanted[-1][1:]))
            case 1:
                wanted.append(("positive", rng.randrange(1, 10**6)))
                parts.append(write_positive(wanted[-1][1]))
            case _:
                wanted.append(("rational", Fraction(rng.randrange(-999, 999), rng.randrange(1, 99))))
                parts.append(write_rational(wanted[-1][1]))
    reader = BitReader("".join(parts))
    for kind, value, *width in wanted:
        assert getattr(reader, kind)(*width) == value
    assert reader.done
