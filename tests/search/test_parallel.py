"""Several processes give the same batches in the same order as one."""

from __future__ import annotations

import numpy as np
import pytest
from random_nets import random_counter

from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.parallel import Pool
from idinf.spec.bounds import SpaceBounds


def listed(batches):
    return [
        (
            f.structure,
            f.r.tolist(),
            f.fail.tolist(),
            f.outputs.tolist(),
            f.signs.tolist(),
            f.top.tables.tolist(),
        )
        for f in batches
    ]


@pytest.mark.parametrize("jobs", [2, 3])
def test_same_batches_in_the_same_order(jobs):
    target = random_counter(np.random.default_rng(3), 2)
    bounds = SpaceBounds.from_preset("nope", layers=2, units=1, precision=0, max_r=8.5)
    one, several = Search(target, bounds, 8), Search(target, bounds, 8)
    want = listed(one.slice(5.0, 8.5, 1, Mode()))
    with Pool(several, jobs) as pool:
        assert listed(pool.slice(5.0, 8.5, 1, Mode())) == want
    assert want
    assert several.counts.exact == one.counts.exact


def test_stopping_ends_the_workers():
    class Stop(Exception):
        pass

    def stop():
        raise Stop

    target = random_counter(np.random.default_rng(3), 2)
    search = Search(target, SpaceBounds.from_preset("nope", layers=2, max_r=9.5), 16, checkpoint=stop)
    with pytest.raises(Stop), Pool(search, 2) as pool:
        list(pool.slice(3.0, 9.5, 0, Mode()))
