"""The nets for one step of composition on all inputs, and the table of their bits computed again."""

from __future__ import annotations

import itertools

import pytest

from idinf.composition.depth import measure_depth
from idinf.composition.nets import build_one_layer, build_two_layers, write_prompt
from idinf.errors import ArgumentError, CompositionError
from idinf.library.composition_nets import communicate_net, composition_depth, composition_net
from idinf.transformers import reference


def inputs(m):
    return itertools.product(itertools.product(range(m), repeat=m), range(m))


@pytest.mark.parametrize("build", [build_one_layer, build_two_layers])
@pytest.mark.parametrize("m", [2, 3])
def test_nets_name_the_value(m, build):
    net = build(m)
    for map_, z0 in inputs(m):
        named = reference.name_next_symbols(net, write_prompt(m, map_, z0))[-1]
        assert named == (str(map_[z0]),)


def test_two_layers_look_up_at_larger_sizes_too():
    net = build_two_layers(5)
    for map_, z0 in itertools.islice(inputs(5), 0, None, 397):
        assert reference.name_next_symbols(net, write_prompt(5, map_, z0))[-1] == (str(map_[z0]),)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("m", [2, 3])
def test_the_bits_are_those_of_the_largest_input(m, layers):
    """p of the table is the largest p of all prompts, each run by itself."""
    row, net = measure_depth(m), composition_net(m, layers=layers)
    players = [m + 1, 1, 1] if layers == 1 else [1, m, 1, 1]
    prompts = ["".join(map(str, (*map_, z0))) + "." for map_, z0 in inputs(m)]
    runs = [communicate_net(net, prompt, players=players) for prompt in prompts]
    assert all(run.equal for run in runs)
    assert max(run.protocol.bits for run in runs) == (
        row.one_layer_bits if layers == 1 else row.two_layers_bits
    )
    assert row.inputs == len(prompts) == m ** (m + 1)


def test_the_table():
    """Least B by counting all maps again: 2^(2B) messages have to be at least m^m."""
    for row in composition_depth(3):
        assert row.right
        assert 4**row.least_bits >= row.m**row.m > 4 ** (row.least_bits - 1)
        assert row.one_layer_bits >= row.least_bits  # it is a protocol of one epoch
        assert row.two_layers_bits == (row.m - 1).bit_length()


@pytest.mark.slow
def test_four_values():
    row = measure_depth(4)
    assert (row.least_bits, row.one_layer_bits, row.two_layers_bits, row.right) == (4, 13, 2, True)


def test_what_is_not_built():
    with pytest.raises(CompositionError, match=r"m = 6; expected 2..5"):
        composition_net(6)
    with pytest.raises(ArgumentError, match="layers = 3; expected 1 or 2"):
        composition_net(2, layers=3)
    with pytest.raises(ArgumentError, match="up_to = 9; expected 2 to 4"):
        composition_depth(9)
