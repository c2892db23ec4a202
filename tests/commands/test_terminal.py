"""The standard streams: no command sends an input's control characters on, and closed streams are told."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from idinf.commands import main
from idinf.commands.terminal import as_it_is, silence_stdout, visible_streams
from idinf.files import OutputError

IDINF = [sys.executable, "-c", "from idinf.commands import main; main(prog_name='idinf')"]
ROOT = Path(__file__).resolve().parents[2]

#: What rings, clears the screen, turns the direction of writing, and half a character.
EVIL = "\x1b[2J\x07\x7f\x9b31m\u202e"

SPEC = f'name = "evil"\nalphabet = "ab"\nregex = "a*"\nsource = "{chr(0x202E)}"\nmax_n = 1\n'


def run(*arguments: str, **options: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, list(arguments), prog_name="idinf", **options)
    return result.exit_code, result.stdout, result.stderr


def is_harmless(text: str) -> bool:
    return not any(character in text for character in (*EVIL.replace("[2J", "").replace("31m", ""), "\r"))


def shell(command: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    """A command line run by a shell, whose redirections close streams."""
    line = f'exec "$@" {command}'
    words = ["sh", "-c", line, "sh", *IDINF, *arguments]
    return subprocess.run(words, capture_output=True, timeout=240, cwd=ROOT, **options)


@pytest.mark.parametrize(
    "arguments",
    [
        (EVIL,),
        ("label", EVIL, "a"),
        ("label", f"{EVIL}.toml", "a"),
        ("label", "majority", EVIL),
        ("label", "majority", "--set", EVIL),
        ("label", "majority", f"--{EVIL}"),
        ("identify", "majority", "--max-n", EVIL),
        ("identify", "majority", "--memory", EVIL),
        ("identify", "majority", "--space", EVIL),
        ("identify", "majority", "-o", f"{EVIL}/x"),
        ("classify", "--regex", EVIL),
        ("classify", EVIL),
        ("crasp", EVIL),
        ("crasp", "check", EVIL),
        ("crasp", "check", f"{EVIL}.crasp"),
        ("crasp", "run", "majority", EVIL),
        ("crasp", "trace", "majority", EVIL),
        ("crasp", "diff", EVIL, "majority"),
        ("crasp", "diff", f"regex:{EVIL}", "majority"),
        ("crasp", "eventual", "majority", "--symbol", EVIL),
        ("eval", f"{EVIL}.json", "a"),
        ("verify", f"{EVIL}.json"),
        ("compare", f"{EVIL}.json", "b"),
        ("report", f"{EVIL}.json"),
        ("plot", f"{EVIL}.json", "-o", "x.svg"),
        ("communicate", EVIL),
        ("batch", EVIL, "-o", "-"),
    ],
)
def test_an_argument_is_never_sent_to_the_terminal(arguments: tuple[str, ...]) -> None:
    code, output, errors = run(*arguments)
    assert code in (0, 2, 3)
    assert is_harmless(output + errors)
    assert len(errors.splitlines()) <= 2
    assert all(len(line) <= 300 for line in errors.splitlines())


def test_what_a_file_holds_is_never_sent_to_the_terminal(tmp_path: Path) -> None:
    program = tmp_path / f"{EVIL}.crasp"
    program.write_text(f'// {EVIL}\naccept = # "a" > 0\n')
    spec = tmp_path / f"{EVIL}.toml"
    spec.write_text(SPEC)
    broken = tmp_path / "broken.toml"
    broken.write_text(SPEC + f'"{EVIL[-1]}" = 1\n')
    for arguments in (
        ("crasp", "check", str(program)),
        ("crasp", "check", "--json", str(program)),
        ("crasp", "trace", str(program), "a"),
        ("crasp", "trace", "--html", str(program), "a"),
        ("crasp", "fooling-pair", str(program), "--alphabet", "ab"),
        ("crasp", "compile", str(program)),
        ("communicate", str(program), "--max-n", "2"),
        ("label", str(spec), "a"),
        ("batch", str(tmp_path), "-o", "-", "--max-n", "1", "--max-r", "4"),
        ("identify", str(spec), "--max-r", "5", "--anneal-steps", "0", "--json"),
        ("label", str(broken), "a"),
    ):
        code, output, errors = run(*arguments)
        assert code in (0, 3), errors
        assert is_harmless(output + errors), arguments


def test_a_page_on_stdout_is_harmless_too(tmp_path: Path) -> None:
    report = (ROOT / "tests" / "golden" / "majority.json").read_text()
    path = tmp_path / "evil.json"
    path.write_text(report.replace('"formula": "', '"formula": "\\u001b[2J\\u009b\\u202e'))
    code, output, errors = run("report", str(path))
    assert (code, errors) == (0, "")
    assert is_harmless(output)
    assert "\\u001b[2J\\u009b\\u202e" in output


def test_a_word_beside_a_locale_that_lacks_it() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = shell("", "crasp", "run", "majority", "--alphabet", "01ε", "ε0", env=environment)
    assert (done.returncode, done.stdout) == (0, "ε0\treject\n".encode())


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("command", "arguments", "code", "message"),
    [
        (">&-", ("label", "majority", "01"), 3, "stdout is closed"),
        (">&-", ("label", "majority", "02"), 3, "symbol '2'"),
        (">/dev/full", ("targets",), 3, "No space left on device; expected room to write"),
        ("1</dev/null", ("targets",), 3, "output: Bad file descriptor"),
        ("<&-", ("label", "majority", "-"), 2, "stdin is closed"),
        ("0>/dev/null", ("label", "majority", "-"), 2, "stdin cannot be read"),
        ("</dev/zero", ("label", "majority", "-"), 3, "stdin, line 1: more than 4194304 bytes"),
    ],
)
def test_streams_that_are_no_use(command: str, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = shell(command, *arguments)
    assert (done.returncode, done.stdout) == (code, b"")
    assert message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_a_closed_stream_that_nobody_needs_is_no_error(tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    arguments = ("identify", "majority", "--max-n", "1", "--max-r", "5", "--anneal-steps=0", "--json", "-o")
    done = shell("<&- >&- 2>&-", *arguments, str(output))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert output.read_text().startswith("{")
    done = shell("2>&-", "label", "majority", "02")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"")


def test_what_is_written_passes_and_streams_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    below = io.BytesIO()
    stream = io.TextIOWrapper(below, encoding="utf-8")
    monkeypatch.setattr("sys.stdout", stream)
    with visible_streams():
        click.echo("a\x1b[31m", color=True)
        sys.stdout.flush()
        as_it_is(sys.stdout).write("\x1b[0m")
        as_it_is(sys.stdout).flush()
        with visible_streams():
            click.echo("\x07")
    assert sys.stdout is stream
    assert below.getvalue() == b"a\\u001b[31m\n\x1b[0m\\u0007\n"
    silence_stdout()  # a stream without a number is left alone


def test_a_stdout_that_is_closed_refuses_texts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    with visible_streams():
        click.echo("", nl=False)
        with pytest.raises(OutputError, match="stdout is closed"):
            click.echo("a")
    assert sys.stdout is None


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
