"""Continuity through the library and the command line: what is refused, and that both say the same."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

import idinf
from idinf.commands import main
from idinf.continuity.isolation import isolate
from idinf.continuity.net_format import dump_net
from idinf.library.continuity import read_fraction
from idinf.render.html.dilemma import dilemma_page


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["continuity", *arguments])
    return done.exit_code, done.output


def test_command_and_library_agree_on_a_file(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    assert run("draw", "--seed", "4", "-o", str(path))[0] == 0
    net = idinf.draw_compact_net(4)
    assert path.read_text() == dump_net(net)
    (row,) = idinf.modulus(path, n=8)
    assert idinf.modulus(net, n=8) == [row]
    code, text = run("modulus", str(path), "-n", "8", "--differences", "1")
    k, shown, over, *pair, _ = text.split("\t")
    low, high = map(Fraction, shown.split(".."))
    assert (code, k, over, tuple(pair)) == (0, "1", "counts", row.pair)
    assert low <= row.gap.low <= row.gap.high <= high <= low + Fraction(1, 10**9)


def test_feedback_asks_a_program() -> None:
    assert idinf.sequence("feed:tomita-1").prefix(5) == "11111"
    assert idinf.sequence("feed:tomita-1@2").prefix(5) == "10101"
    program = idinf.program("majority")
    word = idinf.sequence("feed:majority").prefix(9)
    assert all((word[:n] in program) == (word[n] == "1") for n in range(9))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("distance", "(ab)", "(0)"), 3, "one alphabet"),
        (("learn", "laplace", "(ab)"), 3, "not in the alphabet"),
        (("learn", "laplace", "(0)", "--epsilon", "1.5"), 3, "eventual learnability"),
        (("modulus", "kt", "--delta", "2"), 3, "d_H is a share"),
        (("modulus", "kt", "--delta", "x"), 2, "expected a fraction"),
        (("modulus", "kt", "--alphabet", "a"), 2, "one symbol"),
        (
            ("modulus", "kt", "--alphabet", "abcdefgh", "-n", "256", "--differences", "6"),
            3,
            "pairs of counts",
        ),
        (("modulus", "verdict:majority"), 3, "use 'continuity witness'"),
        (("contrast", "dyck-1", "laplace"), 3, "one alphabet"),
        (("isolate", "kt", "(0)", "--assume", "0"), 3, "eventual learnability"),
        (("distance", "feed:majority@", "(1)"), 3, "a number from 1 behind @"),
        (("learn", "laplace", "(0)", "--epsilon", "x"), 2, "expected a fraction"),
        (("isolate", "laplace", "fibonacci"), 3, "no confidence is proved"),
        (("predict", "laplace", "012"), 3, "not in the alphabet"),
        (("predict", "frequency", "0"), 2, "random:SEED"),
        (("predict", "random:x", "0"), 2, "seed"),
        (("distance", "feed:nothing", "(0)"), 3, "unknown operand"),
    ],
)
def test_refusals_are_one_line(arguments: tuple[str, ...], code: int, message: str) -> None:
    found, text = run(*arguments)
    assert found == code
    assert message in text
    assert max(map(len, text.splitlines())) <= 300


def test_a_hypothesis_is_no_compact_net(tmp_path: Path) -> None:
    path = tmp_path / "hypothesis.json"
    idinf.compile("majority").save(path)
    code, text = run("modulus", str(path))
    assert code == 3
    assert "needs bounded logits, and hypotheses multiply theirs by log N" in text


def test_the_page_has_every_k_and_escapes_names() -> None:
    found = isolate(idinf.predictor("kt"), idinf.sequence("(0)"), (2, 3, 50))
    page = dilemma_page("<b>", "(0)", found)
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert [f'data-k="{k}"' in page for k in (2, 3, 50, 4)] == [True, True, True, False]
    assert "a is learned, b_50 is not learned." in page
    assert page == dilemma_page("<b>", "(0)", found)


def test_the_figure_shows_the_rows(tmp_path: Path) -> None:
    rows = idinf.contrast("tomita-1", "laplace", lengths=(1, 2, 4))
    figure = rows.plot(tmp_path / "contrast.svg")
    lines = {line.get_gid(): [float(y) for y in line.get_ydata()] for line in figure.axes[0].lines}
    assert lines["jump"] == [float(row.jump) for row in rows] == [1, 1, 1]
    assert lines["gap"] == [float(row.gap.high) for row in rows]
    assert lines["bound"] == [float(row.bound) for row in rows]
    assert (tmp_path / "contrast.svg").read_text().startswith("<?xml")


def test_functions_of_users_are_bounded_from_below() -> None:
    class Tensor:
        def tolist(self) -> list[float]:
            return [0.5, 0.5]

    assert idinf.measure(lambda prompt: Tensor(), n=6)[0] == 0
    gap, pair = idinf.measure(lambda prompt: [1.0, 0.0] if "1" in prompt[:-1] else [0.0, 1.0], n=6)
    assert gap == 1
    assert pair == ("000000", "100000")
    for wrong in ([0.5], [0.7, 0.7], None, [float("nan"), 1.0], [-0.5, 1.5]):
        with pytest.raises(idinf.ArgumentError, match="no distribution"):
            idinf.measure(lambda prompt, answer=wrong: answer, n=4)


def test_a_hypothesis_predicts_by_its_verdict() -> None:
    rule = idinf.predictor("verdict:majority")
    assert [int(part.low) for part in rule.predict(rule.encode("0110"))] == [0, 1]
    assert idinf.learnability(rule, "(1)", up_to=9).confidence.low == 1
    assert idinf.predictor(idinf.compile("dyck-1")).alphabet.symbols == ("a", "b")


def test_a_share_of_places_is_as_many_places() -> None:
    (*_, row) = idinf.modulus("kt", n=16, differences=4)
    assert idinf.modulus("kt", n=16, delta="0.3")[-1] == row
    assert run("modulus", "kt", "-n", "16", "--delta", "1/4")[1].split("\t")[0] == "4"


def test_named_sequences_take_another_alphabet() -> None:
    assert idinf.sequence("thue-morse@3", alphabet="012").prefix(6) == "012011"
    assert idinf.sequence("feed:contains-ab@2", alphabet="abc").prefix(4) == "abab"


def test_fractions_are_read_exactly() -> None:
    assert read_fraction("0.1", "epsilon") == Fraction(1, 10)
    for text in ("1e99999999", "1/0", "9" * 100):
        with pytest.raises(idinf.ArgumentError, match="expected a fraction"):
            read_fraction(text, "epsilon")


def test_a_net_of_many_layers_is_refused_beyond_its_length(tmp_path: Path) -> None:
    net = idinf.draw_compact_net(1, layers=2)
    with pytest.raises(idinf.ArgumentError, match="from 2 to 128"):
        idinf.modulus(net, n=200)
    assert json.loads(dump_net(net))["format"] == "compact-transformer/1"
