"""The standard streams: no command sends an input's control characters on."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest
from click.testing import CliRunner

from idinf.commands import main

IDINF = [sys.executable, "-c", "from idinf.commands import main; main(prog_name='idinf')"]

#: What rings, clears the screen, turns the direction of writing, and half a character.
EVIL = "\x1b[2J\x07\x7f\x9b31m\u202e"


def run(*arguments: str, **options: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, list(arguments), prog_name="idinf", **options)
    return result.exit_code, result.stdout, result.stderr


def is_harmless(text: str) -> bool:
    return not any(character in text for character in (*EVIL.replace("[2J", "").replace("31m", ""), "\r"))


@pytest.mark.parametrize(
    "arguments",
    [
        (EVIL,),
        ("label", "majority", "--set", EVIL),
        ("identify", "majority", "--memory", EVIL),
        ("classify", EVIL),
        ("crasp", "run", "majority", EVIL),
        ("lab", "lemma", "eventual", "majority", "--symbol", EVIL),
        ("compare", f"{EVIL}.json", "b"),
        ("batch", EVIL, "-o", "-"),
    ],
)
def test_an_argument_is_never_sent_to_the_terminal(arguments: tuple[str, ...]) -> None:
    code, output, errors = run(*arguments)
    assert code in (0, 2, 3)
    assert is_harmless(output + errors)
    assert len(errors.splitlines()) <= 2
    assert all(len(line) <= 300 for line in errors.splitlines())


def test_colours_of_its_own_reach_a_terminal() -> None:
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    with subprocess.Popen(
        [*IDINF, "demo", "--fast", "--max-n", "1", "--max-r", "5"],
        stdout=child,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env=environment,
    ) as process:
        os.close(child)
        shown = b""
        try:
            while part := os.read(parent, 65536):
                shown += part
        except OSError:  # a terminal without a child ends so
            pass
        os.close(parent)
    assert process.returncode == 0
    assert b"\x1b[1m" in shown
    assert b"\\u001b" not in shown
