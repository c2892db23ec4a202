"""Folded texts hold what was there, fit the window, and keep numbers and comparisons whole."""

import os
import pty
import re
import subprocess
from contextlib import suppress

import click
import pytest
from click.testing import CliRunner

from idinf import crasp
from idinf.commands import main
from idinf.commands.terminal import fold_line
from tests.commands.refusals import IDINF


def fold_text(text: str, width: int) -> str:
    return "\n".join(piece for line in text.split("\n") for piece in fold_line(line, width))


#: What another run takes.
SPENT = re.compile(r"[\d.]+ (s|MB)\b")
NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*\d|\d")


@pytest.mark.parametrize("width", range(16, 40))
def test_a_comparison_and_a_unit_stay_whole(width):
    text = "accept iff #1 - #0 >= 0 or last != 0; 0.32 s, peak 49 MB"
    lines = fold_text(text, width).split("\n")
    for whole in ("#1 - #0 >= 0", "0.32 s,", "49 MB"):
        assert any(whole in line for line in lines)


def on_terminal(monkeypatch, capsys, width, arguments):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with suppress(click.exceptions.Exit):
        main.main(arguments, standalone_mode=False)
    return capsys.readouterr().out


@pytest.mark.thinned(2)
@pytest.mark.parametrize("width", [45, 80])
@pytest.mark.parametrize(
    "line",
    [
        "list",
        "crasp check dyck-1",
        "lab lemma eventual dyck-1 --symbol a",
        "classify tomita-4",
        "identify ge-2-3 --space spec --max-n 6 --layers 1 --max-r 9.5 -q",
        "net period --rank 12",
        "net cost --by-distance NET",
        "net curve NET --max-context 4",
    ],
)
def test_every_table_fits_the_window_without_tabs(line, width, monkeypatch, capsys, tmp_path):
    net = tmp_path / "net.json"
    crasp.compile("majority").save(net)
    arguments = [str(net) if word == "NET" else word for word in line.split()]
    shown = on_terminal(monkeypatch, capsys, width, arguments)
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    with suppress(click.exceptions.Exit):
        main.main(arguments, standalone_mode=False)
    plain, shown = (SPENT.sub("", text) for text in (capsys.readouterr().out, shown))
    assert "\t" not in shown
    assert all(len(row) <= width for row in shown.split("\n"))
    assert set(NUMBER.findall(plain)) <= set(NUMBER.findall(shown))
    assert set(plain.split()) <= set(shown.split())  # nothing is cut; a header may be added


# The standard streams: no command sends an input's control characters on


#: What rings, clears the screen, turns the direction of writing, and half a character.
EVIL = "\x1b[2J\x07\x7f\x9b31m\u202e"


@pytest.mark.parametrize(
    "line",
    [
        "@",
        "run majority --set @",
        "identify majority --memory @",
        "classify @",
        "run majority @",
        "batch @ -o -",
    ],
)
def test_an_argument_is_never_sent_to_the_terminal(line: str) -> None:
    arguments = [EVIL if word == "@" else word for word in line.split()]
    result = CliRunner().invoke(main, arguments, prog_name="idinf")
    assert result.exit_code in (0, 2, 3)
    written = set(result.stdout + result.stderr)
    assert written.isdisjoint({*EVIL.replace("[2J", "").replace("31m", ""), "\r"})
    assert len(result.stderr.splitlines()) <= 2
    assert all(len(line) <= 300 for line in result.stderr.splitlines())


def test_colours_of_its_own_reach_a_terminal() -> None:
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    line = [*IDINF, "demo", "--plain", "--max-n", "1", "--max-r", "5"]
    with subprocess.Popen(line, stdout=child, stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(child)
        shown = b""
        with suppress(OSError):  # a terminal without a child ends so
            while part := os.read(parent, 65536):
                shown += part
        os.close(parent)
    assert process.returncode == 0
    assert b"\x1b[1m" in shown
    assert b"\\u001b" not in shown
