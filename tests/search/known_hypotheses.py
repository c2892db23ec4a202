"""Hypotheses known to be right, with their R; those of open specs ship as ``specs/known/*.json``."""

from dataclasses import dataclass
from pathlib import Path

from idinf.base.words import Alphabet
from idinf.nets import json_format
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit, to_one_hot

SHIPPED = Path(__file__).parents[2] / "specs" / "known"


@dataclass(frozen=True, slots=True)
class Known:
    """A hypothesis that agrees with a shipped target on all words up to length 128, and its R (by max)."""

    target: str
    r: float
    hypothesis: OneHotTransformer


def layer(
    channel: tuple[int, ...], *units: tuple[int, tuple[int, ...]], phi: tuple[int, ...] = ()
) -> OneHotLayer:
    """One head, and units that each read it, times a factor, beside an s."""
    head = OneHotHead((channel,), AttentionPattern(phi=phi))
    return OneHotLayer((head,), tuple(OneHotUnit(((0, 0, factor),), s, 0) for factor, s in units))


def stack(
    symbols: str, precision: int, *layers: OneHotLayer, says: int = -1, period: int = 1
) -> OneHotTransformer:
    """What accepts iff the last unit is 1, or iff it is 0 where ``says`` is -1."""
    return OneHotTransformer(Alphabet(tuple(symbols)), precision, layers, (says,), min(says, 0), period)


def shipped(name: str) -> OneHotTransformer:
    """A hypothesis of ``specs/known``."""
    return to_one_hot(json_format.loads((SHIPPED / f"{name}.json").read_text("utf-8")))


KNOWN = (
    Known("aa-bb-cc", 11.931851652578137, shipped("aa-bb-cc")),
    Known("aa-bb-cc-dd-ee", 14.285042255760066, shipped("aa-bb-cc-dd-ee")),
    Known(
        "aaaa-star",
        10.0,
        stack("a", 0, OneHotLayer((), (OneHotUnit((), (0, 0, 1, 0, 0, 0), 0),)), says=1, period=4),
    ),
    Known("ab-d-bc", 11.090770275176027, shipped("ab-d-bc")),
    Known("abab-star", 15.029982436718843, shipped("abab-star")),
    Known("anbncn", 11.342778860141484, shipped("anbncn")),
    Known("contains-ab-abc", 11.090770275176027, shipped("contains-ab-abc")),
    Known("d-12", 12.224873734152917, shipped("d-12")),
    Known(
        "d-2",
        10.398272954907428,
        stack(
            "ab",
            1,
            layer((-1, 1, -1), (-1, (1, 0, 0)), (1, (0, 0, 0))),
            layer((0, 0, 1, 1, 1), (2, (0, 0, 0, -1, 0))),
        ),
    ),
    Known(
        "d-3",
        11.188901059316734,
        stack(
            "ab",
            1,
            layer((0, -1, 1), (2, (-1, 1, 0))),
            layer((-1, 1, 0, 1), (2, (0, 1, -1, 0))),
            layer((0, 0, 0, -1, -1), (2, (1, 0, 1, -1, 0))),
            says=1,
        ),
    ),
    Known("d-4", 11.44090964428219, shipped("d-4")),
    Known(
        "dyck-1",
        9.825140769936443,
        stack("ab", 1, layer((0, -1, 1), (2, (0, 1, 0))), layer((0, 0, -1, 1), (2, (0, 0, 0, 1)))),
    ),
    Known(
        "tomita-2",
        10.239354332309537,
        stack(
            "01",
            1,
            layer((0, -1, 1), (1, (0, 0, -1)), (-1, (0, 0, 0))),
            layer((0, 0, 0, 1, 1), (2, (0, 0, 1, 0, 0))),
        ),
    ),
    Known("tomita-4", 12.449489742783178, shipped("tomita-4")),
    Known(
        "tomita-7",
        10.82842712474619,
        stack(
            "01", 0, layer((0, -1, 1), (1, (0, 0, -1)), phi=(0, 1)), layer((-1, 0, 0, 1), (1, (0, 0, 0, 0)))
        ),
    ),
)
