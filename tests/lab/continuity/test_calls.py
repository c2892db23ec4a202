"""Continuity through the library and the command line: both say the same."""

from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from idinf import errors, lab
from idinf.base.words import Alphabet
from idinf.commands import main
from tests.lab.continuity.drawn_nets import draw_net, dump_net


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["lab", "continuity", *arguments])
    return done.exit_code, done.output


def test_command_and_library_agree_on_a_file(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    net = draw_net(Alphabet(("0", "1")), 4)
    path.write_text(dump_net(net))
    (row,) = lab.modulus(path, n=8)
    assert lab.modulus(net, n=8) == [row]
    code, text = run("modulus", str(path), "-n", "8", "--differences", "1")
    k, shown, *pair, _ = text.split("\t")
    low, high = map(Fraction, shown.split(".."))
    assert (code, k, tuple(pair)) == (0, "1", row.pair)
    assert low <= row.gap.low <= row.gap.high <= high <= low + Fraction(1, 10**9)


def test_a_share_of_places_is_as_many_places() -> None:
    (*_, row) = lab.modulus("kt", n=16, differences=4)
    assert lab.modulus("kt", n=16, delta="0.3")[-1] == row
    assert run("modulus", "kt", "-n", "16", "--delta", "1/4")[1].split("\t")[0] == "4"


def test_named_sequences_take_another_alphabet() -> None:
    assert lab.sequence("thue-morse@3", alphabet="012").prefix(6) == "012011"


def test_fractions_are_read_exactly() -> None:
    assert lab.learnability("laplace", "(0)", epsilon="0.1").epsilon == Fraction(1, 10)
    for text in ("1e99999999", "1/0", "9" * 100):
        with pytest.raises(errors.ArgumentError, match="expected a fraction"):
            lab.learnability("laplace", "(0)", epsilon=text)
