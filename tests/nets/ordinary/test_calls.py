"""Ordinary transformers in one call each."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from idinf import crasp, errors, nets


def test_there_and_back_again(tmp_path: Path) -> None:
    net = crasp.compile("aa-star")
    ordinary = nets.translate(net, context=8)
    assert repr(ordinary) == "<OrdinaryTransformer aa-star: context 8, R = 18.796545910>"
    assert [ordinary.accepts("a" * n, offset=1) for n in range(4)] == [True, False, True, False]
    assert ordinary.logits("a") == ordinary.logits("a", offset=6) == (Fraction(-1),)
    assert ordinary.variant() is None
    path = tmp_path / "o.json"
    ordinary.save(path)
    lifted = nets.ordinary_transformer(path).lift()
    assert [("a" * n) in lifted for n in range(4)] == [True, False, True, False]
    assert ordinary.r_terms("sum").total > ordinary.r


def test_curves_and_periods() -> None:
    rows = nets.curve("specs/known/abab-star.json", contexts=(2, 8))
    assert rows.to_frame()["width"].diff().tolist()[1] == 6
    assert rows.to_csv().splitlines()[1].startswith("1,2,")
    assert rows[-1].r <= rows.bound
    with pytest.raises(errors.ArgumentError, match="aggregate = 'mean'; expected max or sum"):
        nets.curve("specs/known/abab-star.json", aggregate="mean")
    assert [nets.find_largest_period(rank)[0] for rank in (1, 2, 6)] == [2, 6, 30]
