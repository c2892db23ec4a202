"""Inputs of player L that sound alike, counted again from whole transcripts."""

from __future__ import annotations

import itertools

import pytest

from idinf.composition.alike import list_alike
from idinf.composition.protocol import simulate
from idinf.composition.shipped import ship
from idinf.composition.task import Sizes, draw
from idinf.errors import CompositionError
from tests.asked_for import few

SIZES = Sizes(2, (2,))


def heard(protocol, task, epoch):
    return {m for m in simulate(protocol, task.inputs()).messages if m.epoch <= epoch}


@pytest.mark.parametrize("name", ["reveal", "slice", "compose", "silent"])
def test_counts_and_twins(name):
    protocol = ship(name, SIZES)
    for task in itertools.islice(draw(SIZES, 5), few(1, 3)):
        others = [SIZES.assemble({**task.inputs(), 2: z}) for z in SIZES.alternatives(2)]
        for one in list_alike(protocol, task):
            own = heard(protocol, task, one.epoch)
            alike = [other for other in others if heard(protocol, other, one.epoch) == own]
            assert (one.count, one.total) == (len(alike), 256)
            assert (one.twin is None) == all(other.solve() == task.solve() for other in alike)
            if one.twin is not None:
                assert one.twin in alike
                assert one.twin.inputs() | {2: 0} == task.inputs() | {2: 0}
                assert one.twin.solve() != task.solve()
        settled = list_alike(protocol, task)[-1].twin is None
        assert settled == (name != "silent")


def test_too_many_inputs():
    sizes = Sizes(3, (3,))
    with pytest.raises(CompositionError, match=r"player 2 has .* inputs; expected at most 65536"):
        list_alike(ship("reveal", sizes), next(draw(sizes, 1)))
