"""Depth helps: the bits of nets for one step of composition, with one layer and with two, for small m.

For example m = 4. With one epoch player 1 has to tell z_1 in full, so B is at least 4. Our net of one layer has
B = 16, its numbers hold all values. Our net of two layers has B = 2, its numbers hold one value. So from m = 3 on
two layers do with fewer bits than any protocol of one epoch. These are sizes at which Theorem 1.1 says nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from idinf.composition.nets import build_one_layer, build_two_layers, write_prompt
from idinf.composition.places import Places
from idinf.composition.protocol import simulate
from idinf.composition.reduction import TransformerProtocol, find_format
from idinf.transformers.causal_transformer import CausalTransformer


@dataclass(frozen=True, slots=True)
class DepthRow:
    """One m: what one epoch needs at least, and what the two nets send."""

    m: int
    least_bits: int  #: the least B of any protocol of one epoch
    one_layer_bits: int  #: B = H d p of the net with one layer, p being that of all inputs
    two_layers_bits: int
    inputs: int  #: how many there are; both nets were run on all of them as protocols
    one_layer_right: int  #: on how many the answer was z_1(z_0)
    two_layers_right: int
