"""The hypothesis about next symbols that ships: what it costs, and that it sorts."""

import itertools
from pathlib import Path

import pytest

from idinf.nets import json_format
from idinf.nets.reference import name_next_symbols
from idinf.nets.regularizer import compute_r_terms

SORT = Path(__file__).parents[2] / "specs" / "known" / "sort-next.json"


def test_it_costs_what_the_gallery_says() -> None:
    assert compute_r_terms(json_format.loads(SORT.read_text("utf-8"))).total == pytest.approx(
        14.386665774, abs=1e-9
    )


def test_it_sorts_all_short_words() -> None:
    net = json_format.loads(SORT.read_text("utf-8"))
    for length in range(6):
        for bits in itertools.product((0, 1), repeat=length):
            wanted = sorted(bits)
            named = name_next_symbols(net, (*bits, 2, *wanted))[length + 1 :]
            assert named == (*((str(bit),) for bit in wanted), ("$",))
