"""``idinf composition`` communicate, net, depth and page: what they print, and what they refuse."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from idinf.commands import main
from idinf.library.composition_nets import composition_net
from tests.commands.refusals import refused


def run(*arguments):
    return CliRunner().invoke(main, ["composition", *arguments], prog_name="idinf")


@pytest.fixture
def net(tmp_path):
    path = tmp_path / "net.json"
    composition_net(3).save(path)
    return str(path)


def test_a_run_as_text_and_as_json(net):
    text = run("communicate", net, "2011.", "--players", "1,3,1,1").stdout
    assert "p          1, the bits of the largest number met" in text
    assert "2     0  -1     2       2  10" in text
    assert "check   all 240 activations equal those of the whole forward pass\nanswer  0\n" in text
    shown = json.loads(run("communicate", net, "2011.", "--players", "1,3,1,1", "--json").stdout)
    assert shown["format"] == "idinf-composition-run/1"
    assert (shown["B"], shown["equal"], shown["answer"], shown["total_bits"]) == (1, True, "0", 32)
    assert shown["players"][1] == {"player": 1, "tokens": ["2", "0", "1"]}
    assert sum(len(message["bits"]) for message in shown["messages"]) == 32
    assert all(len(message["bits"]) <= message["at_most"] for message in shown["messages"])


def test_a_net_is_written_and_read_again(net, tmp_path):
    assert run("net", "--m", "3").stdout == (tmp_path / "net.json").read_text(encoding="utf-8")
    assert run("net", "--m", "2", "--layers", "1", "-o", str(tmp_path / "flat.json")).exit_code == 0
    found = run("communicate", str(tmp_path / "flat.json"), "101.")
    assert found.stdout.endswith(
        "answer  0\nnote    p is that of this prompt: other prompts may have larger numbers\n"
    )


def test_the_table():
    lines = run("depth").stdout.splitlines()
    assert [line.split()[:5] for line in lines[1:3]] == [
        ["2", "1", "5", "1", "8"],
        ["3", "3", "9", "2", "81"],
    ]
    assert "below what any protocol of one epoch needs, for m = 3" in lines[4]
    rows = json.loads(run("depth", "--up-to", "2", "--json").stdout)["rows"]
    assert rows[0]["least_b_one_epoch"] == 1


def test_a_page_of_a_drawn_instance_and_of_a_file(tmp_path):
    drawn = run("page", "slice", "--m", "2", "--n", "2", "--seed", "3")
    (tmp_path / "task.jsonl").write_text(run("generate", "--m", "2", "--n", "2", "--seed", "3").stdout)
    assert drawn.stdout == run("page", "slice", "--task", str(tmp_path / "task.jsonl")).stdout
    assert drawn.stdout.startswith("<!doctype html>")


def test_refusals(net, tmp_path):
    refused(run("communicate", net, "2011.", "--players", "1,3,1"), 3, "players have 5 tokens; expected 6")
    refused(run("communicate", net, "2011.", "--players", "2,3,1"), 3, "expected 4 numbers of tokens")
    refused(run("communicate", net, "2011.", "--players", "0,4,1,1"), 3, "at least 1 token for each")
    refused(run("communicate", net, "2011.", "--players", "x"), 2, "as in 4,1,1")
    refused(run("communicate", net, "2019."), 3, "symbol '9' at position 4")
    refused(run("communicate", net, "01"), 3, "expected at least 4, one for each of the players -1..2")
    refused(run("communicate", net, "2011.0"), 3, "needs context 7")
    refused(run("communicate", str(tmp_path / "none.json"), "0"), 3, "none.json")
    refused(run("page", "slice"), 2, "without m")
    refused(run("page", "slice", "--m", "3", "--n", "3"), 3, "player 2 has", "expected at most 65536")
    refused(run("page", "slice", "--m", "2", "--task", "x"), 2, "--task and --m are both given")
    (tmp_path / "empty.jsonl").write_text("")
    refused(run("page", "slice", "--task", str(tmp_path / "empty.jsonl")), 3, "empty.jsonl")
    refused(run("net", "--m", "6"), 2, "6")
    refused(run("depth", "--up-to", "9"), 2, "9")
