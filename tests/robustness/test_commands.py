"""What every command promises of sound, missing and garbled files, and of mutants of sound ones."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idinf.commands import main
from tests.asked_for import few
from tests.robustness.command_table import ASKING, SOUND, Command, options_of, put_good_files
from tests.robustness.sound_documents import (
    ATT,
    DOCUMENTS,
    ENDINGS,
    PROGRAM,
    TABLE,
    leaves,
    value_at,
    written,
)

#: Lines of stderr and characters of each, at most.
MOST_LINES, MOST_CHARACTERS = 2, 300

#: What lies at the place of a file; None for nothing.
HOSTILE = {
    "missing": None,
    "empty": b"",
    "no text": bytes(range(256)),
    "no such text": b"accept = {[1, 2\n",
    "another object": b'{"format": "another/1", "records": [{}]}',
}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the sound files that command lines name; commands run there."""
    folder = tmp_path_factory.mktemp("here")
    put_good_files(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


def run(command: Command, here: Path, file: str = "", limited: bool = False) -> int:
    """The exit code of a command line that kept what every command promises; its files are removed."""
    before = {path: path.stat().st_mtime_ns for path in here.rglob("*")}
    result = CliRunner().invoke(main, command.line(file, limited), prog_name="idinf")
    said, lines = result.stderr, result.stderr.splitlines()
    told = f"idinf {command.text} ended with {result.exit_code}: {said[:500]!a}"
    assert result.exit_code in ((0, 1, 2, 3, 4) if command.differs else (0, 2, 3, 4)), told
    # A batch has a line for each row.
    assert len(lines) <= MOST_LINES + 3 * command.text.startswith("batch"), told
    assert max(map(len, lines), default=0) <= MOST_CHARACTERS, told
    assert not [word for word in ("Traceback", "internal error", "Warning:") if word in said], told
    assert not [sign for sign in said + result.stdout if sign < " " and sign not in "\n\t"], told
    changed = {path for path in here.rglob("*") if before.get(path) != path.stat().st_mtime_ns}
    if result.exit_code in (2, 3):
        assert said.strip(), told
        assert (result.stdout, changed) == ("", set()), told
    written = tuple(str(here / name) for name in command.writes)
    assert [path for path in changed - before.keys() if not str(path).startswith(written)] == [], told
    for path in sorted(changed - before.keys(), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    return result.exit_code


@pytest.mark.parametrize("name", SOUND)
def test_sound_input_is_answered(name: str, here: Path) -> None:
    if name == "train":
        pytest.importorskip("torch")
    assert run(SOUND[name], here) == 0


def test_every_command_is_asked() -> None:
    """Of the groups each of their commands."""
    assert sorted({*commands(main)} - {*SOUND}) == []


def commands(group: click.Group, before: str = "") -> Iterator[str]:
    """The names of all commands that are no groups."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        else:
            yield before + name


@pytest.mark.parametrize(
    ("kind", "command"),
    [pytest.param(kind, command, id=command.text) for kind in ASKING for command in ASKING[kind]],
)
def test_hostile_files_are_refused(kind: str, command: Command, here: Path) -> None:
    for name, content in HOSTILE.items():
        file = here / f"hostile.{ENDINGS.get(kind, 'json')}"
        if content is not None:
            file.write_bytes(content)
        code = run(command, here, file.name)
        file.unlink(missing_ok=True)
        assert code in (2, 3) or kind == "table", name  # an empty file is a table


def test_help_names_the_limits() -> None:
    """Of whatever may take long."""
    names = ("identify", "batch", "classify", "lab communicate", "verify", "crasp compile", "compare")
    assert [name for name in names if not {"--time-limit", "--memory"} <= options_of(name).keys()] == []


# Mutants

#: In place of a value, and spliced into texts.
VALUES = (0, 1, -1, 2, 7, 10**6, 2**63, 10**30, 0.5, -0.0, 1e300, True, None, "", "a", "x" * 400, "\x1b[31m",
          "\ud800", [], {}, [[]], ["a"], {"a": 1}, "1/2", "1/3", "-1/4", "$", "(", "a*", "0")  # fmt: skip
SPLICES = (
    *'()[]{}"\'\\#=*+-!,ij01', "", " ", "\n", "\0", "\x1b[31m", "\u2028", "é", "==", "&&", "||", "//",
    "if", "else", "mod", "min(", "max(", "-1", "9" * 30, "true", "[j == i - 3]", "opened", "accept",
)  # fmt: skip

#: What is no document of keys and values.
TEXTS = {"att": ATT, "program": PROGRAM, "table": TABLE}


@st.composite
def changed(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """A document with one to four values replaced, removed, doubled or swapped."""
    mutant = copy.deepcopy(document)
    places = list(leaves(document, (object,)))[1:]
    values = [value_at(document, route) for route in places]
    for _ in range(draw(st.integers(1, 4))):
        route = draw(st.sampled_from(places))
        try:
            inner: Any = value_at(mutant, route[:-1])
            how = draw(st.sampled_from(("value", "value", "another", "remove", "double", "add")))
            if how == "value":
                inner[route[-1]] = copy.deepcopy(draw(st.sampled_from(VALUES)))
            elif how == "another":
                inner[route[-1]] = copy.deepcopy(draw(st.sampled_from(values)))
            elif how == "remove":
                del inner[route[-1]]
            elif how == "double":
                inner[route[-1]] *= 2
            else:
                inner["key"] = draw(st.sampled_from(VALUES))
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change removed the place
    return mutant


@st.composite
def spliced(draw: st.DrawFn, text: str) -> str:
    """A text with one to six pieces replaced."""
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.sampled_from(SPLICES)) + text[end:]
    return text


@st.composite
def mutants(draw: st.DrawFn, kind: str) -> str:
    """The text of a mutant of a kind."""
    if kind in TEXTS:
        return draw(spliced(TEXTS[kind]))
    document = draw(st.sampled_from([document for of, document in DOCUMENTS.values() if of == kind]))
    text = written(kind, {key: value for key, value in draw(changed(document)).items() if value is not None})
    return draw(spliced(text)) if draw(st.integers(0, 3)) == 0 else text


@pytest.mark.parametrize("kind", ASKING)
def test_mutants(kind: str, here: Path) -> None:
    @settings(max_examples=few(4, 75), suppress_health_check=list(HealthCheck), print_blob=False)
    @given(text=mutants(kind), turn=st.integers(0, len(ASKING[kind]) - 1))
    def check(text: str, turn: int) -> None:
        file = here / f"mutant.{ENDINGS.get(kind, 'json')}"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        run(ASKING[kind][turn], here, file.name, limited=True)
        file.unlink()

    check()
