"""What every command promises: help, examples, exit codes, one line per error, stdout as pure data."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from idinf import __version__
from idinf.commands import main
from idinf.commands import targets as targets_module
from tests.commands.refusals import refused

COMMANDS = main.list_commands(click.Context(main))
ROOT = Path(__file__).resolve().parents[2]
IDINF = [sys.executable, "-c", "from idinf.commands import main; main(prog_name='idinf')"]


def run(*arguments: str, **options: object) -> Result:
    return CliRunner().invoke(main, list(arguments), prog_name="idinf", **options)


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


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("identfy", "majority"), ("no such command 'identfy'", "did you mean 'identify'")),
        (("identify",), ("neither TARGET nor --regex", "see 'idinf identify --help'")),
        (("identify", "majority", "--max-n", "0"), ("--max-n", "0 is not in the range")),
        (
            ("identify", "majority", "--max-n", "x"),
            ("'x' is not a whole number; expected 1<=x<=1000",),
        ),
        (("identify", "majority", "--max-n", "-3"), ("--max-n", "-3")),
        (("identify", "majority", "--max-n", "two"), ("--max-n", "'two'")),
        (("identify", "majority", "--precision", "99"), ("precision = 99", "from 0 to", "lower it to")),
        (("identify", "majority", "--layers", "0"), ("layers = 0", "from 1 to", "at least 1")),
        (("identify", "majority", "--layers", "99"), ("layers = 99", "lower it to")),
        (("identify", "majority", "--heads", "99"), ("heads = 99", "lower it to")),
        (("identify", "majority", "--units", "9999"), ("units = 9999", "lower it to")),
        (("identify", "majority", "--space", "locl"), ("'locl'", "did you mean 'local'")),
        (
            ("identify", "majority", "--space", "nope", "--content-max", "1"),
            ("content_max = 1", "logit_max = 0"),
        ),
        (("identify", "majority", "--max-r", "2"), ("the space is empty", "raise --max-r")),
        (("identify", "majority", "--space", "nop"), ("'nop'", "did you mean 'nope'")),
        (("identify", "majority", "--max-r", "0"), ("--max-r", "above 0")),
        (("identify", "majority", "--max-r", "nan"), ("--max-r", "'nan'")),
        (("identify", "majority", "--max-r", "inf"), ("--max-r", "'inf'")),
        (("identify", "majority", "--tolerance", "-0.1"), ("--tolerance", "at least 0")),
        (("identify", "majority", "--tolerance", "inf"), ("--tolerance", "'inf'")),
        (("identify", "majority", "--time-limit", "0"), ("--time-limit", "above 0")),
        (("identify", "majority", "--memory", "4X"), ("--memory", "'4X'", "4G or 512M")),
        (("identify", "majority", "--memory", "0"), ("--memory", "above 0")),
        (("identify", "majority", "--jobs", "0"), ("--jobs", "0 is not in the range")),
        (("identify", "majority", "--aggregate", "mean"), ("--aggregate", "'mean'")),
        (("identify", "majority", "--resume"), ("--resume", "without --run-dir", "add --run-dir DIR")),
        (("identify", "majority", "--what"), ("No such option", "--what")),
        (("label", "majority"), ("no word given",)),
        (("label", "ge-k-j", "--set", "k"), ("--set", "'k'", "k=3")),
        (("identify", "ge-k-j", "--set", "k=x"), ("--set", "'k=x'", "k=3")),
        (("family", "ge-k-j", "--up-to", "-1"), ("--up-to", "-1 is not in the range")),
        (("family", "ge-k-j", "--max-n", "0"), ("--max-n", "0 is not in the range")),
        (("family", "ge-k-j", "--max-n", "1001", "--up-to", "1"), ("--max-n", "1001 is not in the range")),
        (("family", "ge-k-j", "--layers", "99"), ("layers = 99", "lower it to")),
        (("family", "ge-k-j", "--space", "nop"), ("'nop'", "did you mean 'nope'")),
        (("family", "ge-k-j", "--max-r", "nan"), ("--max-r", "'nan'")),
        (("family", "ge-k-j", "--time-limit", "0"), ("--time-limit", "above 0")),
        (("family", "ge-k-j", "--memory", "4X"), ("--memory", "'4X'")),
        (("family", "ge-k-j", "--jobs", "0"), ("--jobs", "0 is not in the range")),
        (("family",), ("Missing argument", "see 'idinf family --help'")),
        (("compare", "a.json"), ("Missing argument", "see 'idinf compare --help'")),
        (("compare", "a.json", "b.json", "--factor", "0"), ("--factor", "0")),
        (("compare", "a.json", "b.json", "--factor", "nan"), ("--factor", "finite")),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], parts: tuple[str, ...], tmp_path: Path) -> None:
    if arguments[0] in ("identify", "family"):
        arguments = (*arguments, "-o", str(tmp_path / "report.json"))
    refused(run(*arguments), 2, *parts)
    assert list(tmp_path.iterdir()) == []


def test_no_command_at_all_shows_the_help() -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Exit codes:" in result.stderr


#: A spec that is right, to be spoilt at one place at a time.
SPEC = 'name = "t"\nalphabet = ["a", "b"]\ncrasp = "accept = # \\"a\\" <= # \\"b\\""\nmax_n = 2\n'


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("max_n = 2", "max_n = = 2", ("not valid TOML", "line 4")),
        ("max_n", "max_m", ("unknown key 'max_m'", "did you mean 'max_n'")),
        ('["a", "b"]', "[]", ("alphabet = []", "at least one symbol")),
        ('["a", "b"]', '["a", "$"]', ("'$'", "start symbol")),
        ('["a", "b"]', '["a", "bb"]', ("'bb'", "more than one character", 'tokens = "space"')),
        ("max_n = 2", "max_n = 0", ("max_n = 0", "at least 1")),
        ("max_n = 2", "[space]\nprecision = 99", ("space.precision = 99", "from 0 to")),
        ("max_n = 2", '[space]\npreset = "locl"', ("space.preset = 'locl'", "did you mean 'local'")),
        ("<=", "<= <=", ("crasp", "line 1, column")),
        ("accept =", "accept = nothing &&", ("crasp", "nothing", "line 1, column")),
    ],
)
def test_bad_specs(old: str, new: str, parts: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(SPEC.replace(old, new))
    for arguments in (
        ("identify", str(path), "-o", str(tmp_path / "report.json")),
        ("label", str(path), "a"),
    ):
        refused(run(*arguments), 3, str(path), *parts)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("identify", "majorty"), ("unknown target 'majorty'", "did you mean 'majority'")),
        (("identify", "nowhere/t.toml"), ("nowhere/t.toml", "no such file")),
        (("label", "majority", "012"), ("'012'", "symbol '2' at position 3")),
        (("eval", "nowhere.json", "0"), ("nowhere.json", "no such file")),
        (("regularizer", "nowhere.json"), ("nowhere.json", "no such file")),
        (("compare", "nowhere.json", "nowhere.json"), ("nowhere.json", "no such file")),
        (
            ("identify", "ge-k-j"),
            ("family with the parameters k, j", "--set k=1 --set j=1"),
        ),
        (("label", "ge-k-j", "01"), ("family with the parameters k, j", "'idinf family'")),
        (("label", "ge-k-j", "--set", "k=1", "01"), ("parameter 'j' has no value",)),
        (("label", "ge-k-j", "--set", "k=1", "--set", "j=99", "01"), ("j = 99", "from 1 to 16")),
        (("label", "ge-k-j", "--set", "k=2", "--set", "j=4", "01"), ("k = 2, j = 4", "divisor is not 1")),
        (("label", "majority", "--set", "k=1", "01"), ("no [parameters]", "'k' cannot be set")),
        (("family", "majority"), ("no [parameters]", "'idinf identify'")),
        (("family", "ge-k-j", "--up-to", "0"), ("no member up to T = 0",)),
        (("family", "ge-k-j", "--up-to", "99"), ("up to T = 99", "at most 16")),
        (("family", "ge-kj"), ("unknown target 'ge-kj'", "did you mean 'ge-k-j'")),
    ],
)
def test_bad_input(arguments: tuple[str, ...], parts: tuple[str, ...]) -> None:
    refused(run(*arguments), 3, *parts)


@pytest.fixture(scope="module")
def hypothesis_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The last record of a small run, as a file of its own."""
    report = json.loads(run("identify", "majority", "--max-n", "3", "--layers", "1", "--json").stdout)
    path = tmp_path_factory.mktemp("hypothesis") / "majority.json"
    path.write_text(json.dumps(report["records"][-1]["hypothesis"]))
    return path


@pytest.mark.parametrize(
    ("key", "value", "parts"),
    [
        ("unembedding", [[0, 1]], ("unembedding",)),
        ("unembedding", [[0, 0, 0, 0, "1/2"]], ("1/2",)),
        ("precision", -1, ("precision",)),
        ("format", "limit-transformer/9", ("limit-transformer/1",)),
    ],
)
def test_bad_hypothesis_files(
    key: str, value: object, parts: tuple[str, ...], hypothesis_file: Path, tmp_path: Path
) -> None:
    content = json.loads(hypothesis_file.read_text())
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({**content, key: value}))
    refused(run("eval", str(path), "01"), 3, str(path), *parts)
    refused(run("regularizer", str(path)), 3, str(path), *parts)


def test_commands_fit_together(hypothesis_file: Path) -> None:
    words = ("", "0", "01", "001", "1")
    assert run("eval", str(hypothesis_file), *words).stdout == run("label", "majority", *words).stdout
    assert run("regularizer", str(hypothesis_file)).stdout.endswith("R\t8.414213562\n")


def test_an_output_that_cannot_be_written_is_refused_before_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = tmp_path / "nowhere" / "report.json"
    monkeypatch.setattr("idinf.inference.run.Procedure", None)  # the search must not even be made
    refused(run("identify", "majority", "-o", str(missing)), 3, str(missing), "no folder")
    refused(run("identify", "majority", "-o", str(tmp_path)), 3, str(tmp_path), "is a folder")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    locked = tmp_path / "locked.json"
    refused(run("identify", "majority", "-o", str(locked)), 3, str(locked), "may not be written")
    assert list(tmp_path.iterdir()) == []


def test_an_internal_error_asks_for_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(targets_module, "list_names", fail)
    monkeypatch.delenv("IDINF_DEBUG", raising=False)
    refused(run("targets"), 70, "internal error", "ZeroDivisionError: planted", "please report it")
    monkeypatch.setenv("IDINF_DEBUG", "1")
    result = run("targets")
    assert result.exit_code == 70
    assert "Traceback" in result.stderr


def test_a_full_disk_is_no_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(targets_module, "list_names", fail)
    refused(run("targets"), 3, "output: No space left on device; expected room to write")


def test_a_keyboard_interrupt_in_any_command_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(targets_module, "list_names", interrupt)
    result = run("targets")
    assert (result.exit_code, result.stdout, result.stderr.strip()) == (130, "", "")


def test_a_closed_pipe_is_no_error() -> None:
    process = subprocess.Popen(
        [*IDINF, "label", "majority", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(b"01\n" * 20_000, timeout=240)
    assert (process.returncode, errors) == (0, b"")


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
    assert names.isdisjoint({"numpy", "scipy", "cvxpy", "networkx", "automata", "lark", "rich"})


#: What a run of a counting program does not need that is soon settled, by one process and without a journal.
UNUSED = {
    *("scipy", "cvxpy", "networkx", "automata", "rich", "lark", "matplotlib", "numpy.ma", "numpy.random"),
    *("multiprocessing", "socket", "subprocess", "importlib.resources", "zipfile", "tempfile", "difflib"),
    *("idinf.classification", "idinf.synthesis", "idinf.sweeps", "idinf.library", "idinf.communication"),
    *("idinf.render.html", "idinf.render.figures", "idinf.runtime.journal"),
    *("idinf.upper_bound.finder", "idinf.compilation.direct", "idinf.crasp.notation.reader"),
    *("idinf.search.exact_check.saturation", "idinf.commands.batch"),
}

#: Modules of ours that such a run loads, at most: each of them takes about a millisecond.
MOST_MODULES = 186


def test_identify_imports_only_what_a_counting_program_needs() -> None:
    names = imported("identify", "majority", "--max-n", "64")
    assert "numpy" in names
    assert not names & UNUSED
    assert len([name for name in names if name.startswith("idinf.")]) <= MOST_MODULES


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("demo", "--fast", "--max-n", "1", "--max-r", "5"), b"  \\u03b5       accept"),
        pytest.param(
            ("report", str(ROOT / "tests" / "golden" / "majority.json")),
            "n ≤ 64".encode(),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_locale_without_greek_is_no_error(arguments: tuple[str, ...], shown: bytes) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run([*IDINF, *arguments], capture_output=True, timeout=240, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert shown in done.stdout
