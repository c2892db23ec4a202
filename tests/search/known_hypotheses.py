"""Hypotheses known to be right, with their R; those of open specs ship as ``specs/known/*.json``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from idinf.transformers import json_format
from idinf.transformers.attention import AttentionPattern
from idinf.transformers.from_dense import gated_of
from idinf.transformers.one_hot import GatedHead, GatedLayer, GatedTransformer, GatedUnit
from idinf.words import Alphabet

SHIPPED = Path(__file__).parents[2] / "specs" / "known"


@dataclass(frozen=True, slots=True)
class Known:
    """A hypothesis that agrees with a shipped target on all words up to length 128, and its R (by max)."""

    target: str
    r: float
    hypothesis: GatedTransformer


def shipped(name: str) -> GatedTransformer:
    """A hypothesis of ``specs/known``."""
    return gated_of(json_format.read(SHIPPED / f"{name}.json"))


KNOWN = (
    Known("aa-bb-cc", 11.931851652578137, shipped("aa-bb-cc")),
    Known("aa-bb-cc-dd-ee", 14.285042255760066, shipped("aa-bb-cc-dd-ee")),
    Known(
        "aaaa-star",
        10.0,
        GatedTransformer(
            alphabet=Alphabet(symbols=("a",)),
            precision=0,
            layers=(GatedLayer(heads=(), units=(GatedUnit(reads=(), s=(0, 0, 1, 0, 0, 0), b=0),)),),
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
        GatedTransformer(
            alphabet=Alphabet(symbols=("a", "b", "c")),
            precision=1,
            layers=(
                GatedLayer(
                    heads=(GatedHead(channels=((0, 1, -1, -1),), pattern=AttentionPattern(phi=(0, 2))),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(0, 1, 0, -1), b=0),),
                ),
                GatedLayer(
                    heads=(GatedHead(channels=((1, 1, 0, 0, -1),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(0, 1, 0, 0, -1), b=0),),
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
        GatedTransformer(
            alphabet=Alphabet(symbols=("a", "b")),
            precision=1,
            layers=(
                GatedLayer(
                    heads=(GatedHead(channels=((-1, 1, -1),)),),
                    units=(
                        GatedUnit(reads=((0, 0, -1),), s=(1, 0, 0), b=0),
                        GatedUnit(reads=((0, 0, 1),), s=(0, 0, 0), b=0),
                    ),
                ),
                GatedLayer(
                    heads=(GatedHead(channels=((0, 0, 1, 1, 1),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(0, 0, 0, -1, 0), b=0),),
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
        GatedTransformer(
            alphabet=Alphabet(symbols=("a", "b")),
            precision=1,
            layers=(
                GatedLayer(
                    heads=(GatedHead(channels=((0, -1, 1),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(-1, 1, 0), b=0),),
                ),
                GatedLayer(
                    heads=(GatedHead(channels=((-1, 1, 0, 1),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(0, 1, -1, 0), b=0),),
                ),
                GatedLayer(
                    heads=(GatedHead(channels=((0, 0, 0, -1, -1),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(1, 0, 1, -1, 0), b=0),),
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
        GatedTransformer(
            alphabet=Alphabet(symbols=("a", "b")),
            precision=1,
            layers=(
                GatedLayer(
                    heads=(GatedHead(channels=((-2, 2, 0),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(0, 1, -1), b=0),),
                ),
                GatedLayer(
                    heads=(GatedHead(channels=((0, -1, 1, 0),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(-1, -1, 0, 0), b=0),),
                ),
                GatedLayer(
                    heads=(GatedHead(channels=((0, 0, -1, 1, 1),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(0, 1, 0, 0, 1), b=0),),
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
        GatedTransformer(
            alphabet=Alphabet(symbols=("a", "b")),
            precision=1,
            layers=(
                GatedLayer(
                    heads=(GatedHead(channels=((0, -1, 1),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(0, 1, 0), b=0),),
                ),
                GatedLayer(
                    heads=(GatedHead(channels=((0, 0, -1, 1),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(0, 0, 0, 1), b=0),),
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
        GatedTransformer(
            alphabet=Alphabet(symbols=("0", "1")),
            precision=1,
            layers=(
                GatedLayer(
                    heads=(GatedHead(channels=((0, -1, 1),)),),
                    units=(
                        GatedUnit(reads=((0, 0, 1),), s=(0, 0, -1), b=0),
                        GatedUnit(reads=((0, 0, -1),), s=(0, 0, 0), b=0),
                    ),
                ),
                GatedLayer(
                    heads=(GatedHead(channels=((0, 0, 0, 1, 1),)),),
                    units=(GatedUnit(reads=((0, 0, 2),), s=(0, 0, 1, 0, 0), b=0),),
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
        GatedTransformer(
            alphabet=Alphabet(symbols=("0", "1")),
            precision=0,
            layers=(
                GatedLayer(
                    heads=(GatedHead(channels=((0, -1, 1),), pattern=AttentionPattern(phi=(0, 1))),),
                    units=(GatedUnit(reads=((0, 0, 1),), s=(0, 0, -1), b=0),),
                ),
                GatedLayer(
                    heads=(GatedHead(channels=((-1, 0, 0, 1),)),),
                    units=(GatedUnit(reads=((0, 0, 1),), s=(0, 0, 0, 0), b=0),),
                ),
            ),
            signs=(-1,),
            threshold=-1,
            period=1,
        ),
    ),
)
