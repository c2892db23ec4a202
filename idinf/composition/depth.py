"""Depth helps: the bits of nets for one step of composition, with one layer and with two, for small m.

For example m = 4. With one epoch player 1 has to tell z_1 in full, so B is at least 4. Our net of one layer
has B = 13, as its numbers hold all values. Our net of two layers has B = 2, as its numbers hold one value:
fewer than any protocol of one epoch needs, and so from m = 3 on. Theorem 1.1 says nothing at these sizes.
"""

from __future__ import annotations

from dataclasses import dataclass

from idinf.composition.least import bound_least
from idinf.composition.nets import build_one_layer, build_two_layers, write_prompt
from idinf.composition.places import Places
from idinf.composition.protocol import simulate
from idinf.composition.reduction import TransformerProtocol, find_format
from idinf.composition.task import Sizes
from idinf.transformers import reference
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

    @property
    def right(self) -> bool:
        """Whether both nets are right on all inputs."""
        return self.one_layer_right == self.two_layers_right == self.inputs


def measure_depth(m: int) -> DepthRow:
    """Build both nets for m, and run them as protocols on all m^(m+1) inputs.

    Raises
    ------
    CompositionError
        If m is out of the range of `nets`.

    Examples
    --------
    >>> measure_depth(2)
    DepthRow(m=2, least_bits=1, one_layer_bits=5, two_layers_bits=1, inputs=8, one_layer_right=8, \
two_layers_right=8)
    """
    one = _run(m, build_one_layer(m), Places((m + 1, 1, 1)))
    two = _run(m, build_two_layers(m), Places((1, m, 1, 1)))
    least = bound_least(Sizes(m)).lower
    return DepthRow(m, least, one[0], two[0], m ** (m + 1), one[1], two[1])


def _run(m: int, net: CausalTransformer, places: Places) -> tuple[int, int]:
    """B of a net, and on how many inputs its protocol is right.

    Numbers of the messages are integers that grow with what the tokens say, so the largest ones are met where
    all say m − 1. One that does not fit would end the run.
    """
    largest = reference.trace(net, write_prompt(m, (m - 1,) * m, m - 1))
    protocol = TransformerProtocol(net, places, find_format(net, places, largest))
    right = 0
    for task in Sizes(m).instances():
        word = write_prompt(m, task.maps[0], task.z0)
        right += simulate(protocol, places.inputs(word)).answer == 1 << task.solve()
    return protocol.bits, right
