from __future__ import annotations

import pytest
from click.testing import CliRunner

from idinf import crasp
from idinf.base.words import Alphabet
from idinf.commands import main
from idinf.commands.net import cost
from idinf.nets import json_format
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit


@pytest.fixture
def majority(tmp_path):
    """A file with majority over 01, ties and ε accepted."""
    layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0),))
    net = OneHotTransformer(Alphabet(("0", "1")), 0, (layer,), (-1,), -1)
    path = tmp_path / "majority.json"
    path.write_text(json_format.dumps(net.to_dense()))
    return str(path)


def run(command, *args, **kwargs):
    # A command keeps the names that its help has when it is first run.
    names = main.context_settings["help_option_names"]
    return CliRunner().invoke(command, args, help_option_names=names, **kwargs)


MAX_TERMS = """\
layers_plus_heads\t2.000000000
precision\t0.000000000
rank_V\t1.000000000
norm_KQ\t0.000000000
norm_V\t1.414213562
norm_A\t1.000000000
norm_B\t1.000000000
norm_U\t1.000000000
norm_p\t0.000000000
norm_E\t1.000000000
norm_b\t0.000000000
phi\t0.000000000
period\t0.000000000
R\t8.414213562
"""


@pytest.mark.parametrize("option", [(), ("--aggregate", "max"), ("--aggregate", "sum")])
def test_r_prints_terms_and_total(majority, option):
    result = run(cost, majority, *option)
    assert result.exit_code == 0
    assert result.stdout == MAX_TERMS  # one layer with one head: both aggregates agree


def test_r_sums_over_layers(tmp_path):
    layers = (OneHotLayer((), (OneHotUnit((), (0, 3), 0),)), OneHotLayer((), (OneHotUnit((), (0, 0, 2), 0),)))
    path = tmp_path / "two.json"
    path.write_text(json_format.dumps(OneHotTransformer(Alphabet(("a",)), 0, layers, (1,), 0).to_dense()))
    assert "norm_A\t3.000000000" in run(cost, str(path)).stdout
    assert "norm_A\t5.000000000" in run(cost, str(path), "--aggregate", "sum").stdout


def test_r_by_distance(majority, tmp_path):
    assert run(cost, majority, "--by-distance").stdout == "0\t0.000000000\t8.414213562\n"
    path = tmp_path / "local.json"
    path.write_text(json_format.dumps(crasp.compile("tomita-4").transformer))
    rows = [line.split("\t") for line in run(cost, str(path), "--by-distance").stdout.splitlines()]
    assert [row[:2] for row in rows] == [[str(k), f"{k}.000000000"] for k in range(3)]
    assert float(rows[2][2]) - float(rows[0][2]) == pytest.approx(2)


def test_r_by_definition_50(majority):
    rows = run(cost, majority, "--regularizer", "definition-50").stdout.splitlines()
    assert [row.split("\t")[0] for row in rows] == [
        "layers_plus_heads",
        "precision",
        "largest_norm",
        "phi",
        "period",
        "R",
    ]
    assert rows[-1] == "R\t3.414213562"


@pytest.mark.parametrize("options", [("--aggregate", "sum"), ("--by-distance",)], ids=lambda x: x[0])
def test_definition_50_is_of_the_largest_norm(majority, options):
    result = run(cost, majority, "--regularizer", "definition-50", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has one maximum of the norms" in result.stderr
