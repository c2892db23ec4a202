"""What every command promises: help, examples, exit codes, light imports, inputs that stay as they are."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from idinf import __version__
from idinf.commands import list_targets, main
from idinf.spec.catalogue import load
from tests.commands.refusals import refused, runner
from tests.trained.nets import by_majority

COMMANDS = main.list_commands(click.Context(main))

run = runner()


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str) -> None:
    for flag in ("-h", "--help"):
        result = run(name, flag)
        assert (result.exit_code, result.stderr) == (0, "")
        assert f"  idinf {name} " in result.stdout or f"  idinf {name}\n" in result.stdout
    assert main.commands_table[name][1] in run("--help").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help(name: str) -> None:
    for parameter in (*command(name).params, *main.params):
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name}"
            assert parameter.help.endswith("."), parameter.help


def test_the_group_lists_commands_and_exit_codes() -> None:
    text = run("-h").stdout
    assert all(f"  {name} " in text for name in COMMANDS)
    assert all(f"\n    {code} " in text for code in (0, 1, 2, 3, 4, 130, 143, 70))
    assert "idinf identify majority --max-n 64" in text


def test_version() -> None:
    result = run("--version")
    assert result.stdout.startswith(f"idinf {__version__} (Python {sys.version_info.major}.")
    assert "numpy" in result.stdout


def test_an_internal_error_asks_for_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(list_targets, "target_names", fail)
    monkeypatch.delenv("IDINF_DEBUG", raising=False)
    refused(run("list"), 70, "internal error", "ZeroDivisionError: planted", "please report it")
    monkeypatch.setenv("IDINF_DEBUG", "1")
    result = run("list")
    assert result.exit_code == 70
    assert "Traceback" in result.stderr


def test_a_keyboard_interrupt_in_any_command_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(list_targets, "target_names", interrupt)
    result = run("list")
    assert (result.exit_code, result.stdout, result.stderr.strip()) == (130, "", "")


def imported(*arguments: str) -> set[str]:
    """Modules that a run of the command line imports."""
    code = (
        "import sys\nfrom idinf.commands import main\n"
        f"try:\n    main({list(arguments)!r})\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment, timeout=240
    )
    return set(done.stderr.split())


def test_help_imports_nothing_heavy() -> None:
    names = imported("--help")
    assert "click" in names
    assert names.isdisjoint({"numpy", "scipy", "cvxpy", "networkx", "automata", "rich"})


#: What a run of a counting program does not need that is soon settled, by one process and without a journal.
UNUSED = {
    "scipy", "cvxpy", "networkx", "automata", "rich", "matplotlib", "numpy.ma", "numpy.random",
    "multiprocessing", "socket", "subprocess", "importlib.resources", "zipfile", "tempfile", "difflib",
    "idinf.tables", "idinf.api.languages", "idinf.languages.classification", "idinf.languages.synthesis",
    "idinf.lab.communication", "idinf.show.html", "idinf.show.figures", "idinf.work.journal",
    "idinf.commands.batch", "idinf.translate.compilation.direct", "idinf.crasp.notation.reader",
}  # fmt: skip

#: Modules of ours that such a run loads, at most: each of them takes about a millisecond.
MOST_MODULES = 192


def test_identify_imports_only_what_a_counting_program_needs() -> None:
    names = imported("identify", "majority", "--max-n", "64")
    assert "numpy" in names
    assert not names & UNUSED
    assert len([name for name in names if name.startswith("idinf.")]) <= MOST_MODULES


def test_no_output_overwrites_an_input_or_another_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'name = "x"\nalphabet = "ab"\nregex = "a*"\n'
    Path("x.toml").write_text(text)
    refused(run("identify", "x.toml", "-o", "./x.toml"), 2, "--output", "an input")
    assert Path("x.toml").read_text() == text
    refused(run("plot", "x.toml", "-o", "x.svg", "--caption", "./x.svg"), 2, "--caption", "--output")


def test_inputs_inside_of_a_folder_are_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = tmp_path / "x.toml"
    by_majority(load("majority").alphabet).save(tmp_path)
    spec.write_text('name = "x"\nalphabet = "ab"\nregex = "a*"\n')
    before = [path.read_bytes() for path in sorted(tmp_path.iterdir())]
    judge = ("--target", "majority", "--length", "2", "--samples", "0", "--no-report", "-o")
    for model in (str(tmp_path), ".", "config.json", "model.safetensors"):
        refused(run("judge", model, *judge, "config.json"), 2, "--output", "an input")
    refused(run("batch", ".", "-o", "x.toml", "--max-n", "1"), 2, "--output", "an input")
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == before
    for _ in range(2):  # what it wrote before is no input
        assert run("judge", ".", *judge, "judgement.json").exit_code == 0
