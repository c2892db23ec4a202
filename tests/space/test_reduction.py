"""Which units of a list are kept, whatever the parts it comes in."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from idinf.space.units import find_undominated


@given(st.data())
def test_undominated_keeps_exactly_the_pareto_points(data):
    size = data.draw(st.integers(0, 14))
    columns = [data.draw(hnp.arrays(np.int64, size, elements=st.integers(0, 3))) for _ in range(3)]
    groups, first, second = columns
    want = []
    for i in range(size):
        beaten = any(
            groups[j] == groups[i]
            and first[j] <= first[i]
            and second[j] <= second[i]
            and ((first[j], second[j]) != (first[i], second[i]) or j < i)
            for j in range(size)
            if j != i
        )
        if not beaten:
            want.append(i)
    assert find_undominated(groups, first, second).tolist() == want
    assert find_undominated(groups, np.sqrt(first), np.sqrt(second)).tolist() == want
