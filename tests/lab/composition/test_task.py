"""The task beside its definition, written out for all small instances, and every refusal of wrong ones."""

import itertools
import re

import pytest

from idinf.errors import CompositionError
from idinf.lab.composition.task import SequentialComposition, Sizes, draw

TWO = Sizes(2, (2,))


def test_all_instances_of_two_maps_beside_the_definition() -> None:
    seen = 0
    for z2 in itertools.product(range(4), repeat=4):
        for z1 in itertools.product(range(2), repeat=2):
            for z0, w1 in itertools.product(range(2), range(2)):
                pairs = {(0, 0): z2[0], (0, 1): z2[1], (1, 0): z2[2], (1, 1): z2[3]}
                task = SequentialComposition(TWO, z0, (z1, z2), (w1,))
                assert task.solve() == pairs[w1, z1[z0]]
                seen += 1
    assert seen == TWO.count() == len(set(TWO.instances())) == 4096


def test_three_maps_beside_pairs_as_keys() -> None:
    sizes = Sizes(2, (3, 2))
    assert sizes.domains == (2, 6, 12)
    for task in itertools.islice(draw(sizes, seed=5), 200):
        (w1, w2), (z1, z2, z3) = task.w, task.maps
        second = dict(zip(itertools.product(range(3), range(2)), z2, strict=True))
        third = dict(zip(itertools.product(range(2), range(6)), z3, strict=True))
        assert task.chain() == (task.z0, z1[task.z0], i2 := second[w1, z1[task.z0]], third[w2, i2])
        assert sizes.assemble(task.inputs()) == task


GOOD = {"m": 2, "n": (2,), "z0": 1, "z": ((1, 0), (3, 2, 1, 0)), "w": (1,)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"m": 0}, "m = 0; expected at least 1"),
        ({"m": 10**9}, "tokens; expected at most 65536"),
        ({"m": 10**30}, "make at least 2^"),
        ({"n": (0,)}, "n[0] = 0; expected at least 1"),
        ({"z0": 2}, "z0 = 2; expected 0..1"),
        ({"z": ((1, 0),)}, "z has 1; expected 2"),
        ({"z": ((1, 0), (3, 2, 1))}, "z[1] has 3; expected 4"),
        ({"z": ((1, 2), (3, 2, 1, 0))}, "z[0][1] = 2; expected 0..1"),
        ({"z": ((1, 0), (3, 2, 1, 4))}, "z[1][3] = 4; expected 0..3"),
        ({"w": ()}, "w has 0; expected 1"),
        ({"w": (-1,)}, "w[0] = -1; expected 0..1"),
    ],
)
def test_wrong_instances_are_refused(change, said: str) -> None:
    given = {**GOOD, **change}
    with pytest.raises(CompositionError, match=re.escape(said)):
        SequentialComposition(Sizes(given["m"], given["n"]), given["z0"], given["z"], given["w"])
