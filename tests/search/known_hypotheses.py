"""Hypotheses known to be right, with their R; those of open specs ship as ``specs/known/*.json``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from idinf.transformers import json_format
from idinf.transformers.attention import AttentionPattern
from idinf.transformers.from_dense import to_one_hot
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
from idinf.words import Alphabet

SHIPPED = Path(__file__).parents[2] / "specs" / "known"


@dataclass(frozen=True, slots=True)
class Known:
    """A hypothesis that agrees with a shipped target on all words up to length 128, and its R (by max)."""

    target: str
    r: float
    hypothesis: OneHotTransformer


def shipped(name: str) -> OneHotTransformer:
    """A hypothesis of ``specs/known``."""
    return to_one_hot(json_format.read(SHIPPED / f"{name}.json"))


KNOWN = (
    Known("aa-bb-cc", 11.931851652578137, shipped("aa-bb-cc")),
    Known("aa-bb-cc-dd-ee", 14.285042255760066, shipped("aa-bb-cc-dd-ee")),
    Known(
        "aaaa-star",
        10.0,
        OneHotTransformer(
            alphabet=Alphabet(symbols=("a",)),
            precision=0,
            layers=(OneHotLayer(heads=(), units=(OneHotUnit(reads=(), s=(0, 0, 1, 0, 0, 0), b=0),)),),
            signs=(1,),
            threshold=0,
            period=4,
        ),
    ),
    Known("ab-d-bc", 11.090770275176027, shipped("ab-d-bc")),
    Known("abab-star", 15.029982436718843, shipped("abab-star")),
    Known("anbncn", 11.44090964428219, shipped("anbncn")),
    Known(
        "contains-ab-abc",
        11.090770275176027,
        OneHotTransformer(
            alphabet=Alphabet(symbols=("a", "b", "c")),
            precision=1,
            layers=(
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, 1, -1, -1),), pattern=AttentionPattern(phi=(0, 2))),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(0, 1, 0, -1), b=0),),
                ),
                OneHotLayer(
                    heads=(OneHotHead(channels=((1, 1, 0, 0, -1),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(0, 1, 0, 0, -1), b=0),),
                ),
            ),
            signs=(-1,),
            threshold=-1,
            period=1,
        ),
    ),
    Known("d-12", 12.224873734152917, shipped("d-12")),
    Known(
        "d-2",
        10.398272954907428,
        OneHotTransformer(
            alphabet=Alphabet(symbols=("a", "b")),
            precision=1,
            layers=(
                OneHotLayer(
                    heads=(OneHotHead(channels=((-1, 1, -1),)),),
                    units=(
                        OneHotUnit(reads=((0, 0, -1),), s=(1, 0, 0), b=0),
                        OneHotUnit(reads=((0, 0, 1),), s=(0, 0, 0), b=0),
                    ),
                ),
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, 0, 1, 1, 1),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(0, 0, 0, -1, 0), b=0),),
                ),
            ),
            signs=(-1,),
            threshold=-1,
            period=1,
        ),
    ),
    Known(
        "d-3",
        11.188901059316734,
        OneHotTransformer(
            alphabet=Alphabet(symbols=("a", "b")),
            precision=1,
            layers=(
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, -1, 1),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(-1, 1, 0), b=0),),
                ),
                OneHotLayer(
                    heads=(OneHotHead(channels=((-1, 1, 0, 1),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(0, 1, -1, 0), b=0),),
                ),
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, 0, 0, -1, -1),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(1, 0, 1, -1, 0), b=0),),
                ),
            ),
            signs=(1,),
            threshold=0,
            period=1,
        ),
    ),
    Known(
        "d-4",
        11.638958433764683,
        OneHotTransformer(
            alphabet=Alphabet(symbols=("a", "b")),
            precision=1,
            layers=(
                OneHotLayer(
                    heads=(OneHotHead(channels=((-2, 2, 0),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(0, 1, -1), b=0),),
                ),
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, -1, 1, 0),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(-1, -1, 0, 0), b=0),),
                ),
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, 0, -1, 1, 1),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(0, 1, 0, 0, 1), b=0),),
                ),
            ),
            signs=(-1,),
            threshold=-1,
            period=1,
        ),
    ),
    Known(
        "dyck-1",
        9.825140769936443,
        OneHotTransformer(
            alphabet=Alphabet(symbols=("a", "b")),
            precision=1,
            layers=(
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, -1, 1),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(0, 1, 0), b=0),),
                ),
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, 0, -1, 1),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(0, 0, 0, 1), b=0),),
                ),
            ),
            signs=(-1,),
            threshold=-1,
            period=1,
        ),
    ),
    Known(
        "tomita-2",
        10.239354332309537,
        OneHotTransformer(
            alphabet=Alphabet(symbols=("0", "1")),
            precision=1,
            layers=(
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, -1, 1),)),),
                    units=(
                        OneHotUnit(reads=((0, 0, 1),), s=(0, 0, -1), b=0),
                        OneHotUnit(reads=((0, 0, -1),), s=(0, 0, 0), b=0),
                    ),
                ),
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, 0, 0, 1, 1),)),),
                    units=(OneHotUnit(reads=((0, 0, 2),), s=(0, 0, 1, 0, 0), b=0),),
                ),
            ),
            signs=(-1,),
            threshold=-1,
            period=1,
        ),
    ),
    Known(
        "tomita-7",
        10.82842712474619,
        OneHotTransformer(
            alphabet=Alphabet(symbols=("0", "1")),
            precision=0,
            layers=(
                OneHotLayer(
                    heads=(OneHotHead(channels=((0, -1, 1),), pattern=AttentionPattern(phi=(0, 1))),),
                    units=(OneHotUnit(reads=((0, 0, 1),), s=(0, 0, -1), b=0),),
                ),
                OneHotLayer(
                    heads=(OneHotHead(channels=((-1, 0, 0, 1),)),),
                    units=(OneHotUnit(reads=((0, 0, 1),), s=(0, 0, 0, 0), b=0),),
                ),
            ),
            signs=(-1,),
            threshold=-1,
            period=1,
        ),
    ),
)
