"""Documents that cannot drift: sessions and code are run, names and links lead somewhere, versions agree."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import idinf
from idinf.commands import main
from idinf.commands.group import LazyGroup

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
COMMANDS = ROOT / "docs" / "commands.md"


def _markdown(path: Path) -> str:
    """The text of a document; of a notebook, its text cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


#: Every document by its path from the root.
DOCUMENTS = {
    str(path.relative_to(ROOT)): _markdown(path)
    for path in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/*.*"), *ROOT.glob("specs/*.md")))
}
#: Those that explain how the project is built; the others may speak of files of the reader.
NAMING = "\n".join(
    text
    for name, text in DOCUMENTS.items()
    if name in ("README.md", "CONTRIBUTING.md") or name.startswith("docs/")
)

_LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
_KEY = re.compile(r"\[([A-Z]{1,5}[0-9]{2})\]")

_SESSION = re.compile(r"^\$ (idinf [^\n]*)\n((?:(?!\$ |```)[^\n]*\n)+)", re.MULTILINE)

#: The last line of an answer says how much work it was, which differs from run to run.
_WORK = re.compile(r"\n\d+ parameter vectors enumerated[^\n]*\n*$")

SESSIONS = _SESSION.findall(README)


def test_the_readme_shows_sessions() -> None:
    assert [shlex.split(command)[:3] for command, _ in SESSIONS] == [
        ["idinf", "identify", "majority"],
        ["idinf", "identify", "dyck-1"],
        ["idinf", "identify", "parity"],
        ["idinf", "classify", "--regex"],
        ["idinf", "crasp", "trace"],
        ["idinf", "crasp", "diff"],
    ]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        session
        if {"majority", "crasp", "classify"} & set(session[0].split())
        else pytest.param(*session, marks=pytest.mark.slow)
        for session in SESSIONS
    ],
    ids=[command for command, _ in SESSIONS],
)
def test_sessions_are_real_output(command: str, shown: str) -> None:
    result = CliRunner().invoke(main, shlex.split(command)[1:])
    assert result.exit_code == (1 if "diff" in command else 0)
    if os.environ.get("IDINF_GOLDEN") == "1" and _WORK.sub("", shown) != _WORK.sub("", result.stdout):
        path = ROOT / "README.md"
        told = result.stdout + "\n" * shown.endswith("\n\n")
        path.write_text(path.read_text(encoding="utf-8").replace(shown, told), encoding="utf-8")
        return
    assert bool(_WORK.search(shown)) == ("identify" in command)
    assert _WORK.sub("", shown).rstrip("\n") == _WORK.sub("", result.stdout).rstrip("\n")


def test_the_library_lines_run() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    expression, shown = re.search(r"Then `([^`]+)` is\s+`([^`]+)`", README).groups()
    assert repr(eval(expression, names)) == shown


def exists(name: str) -> bool:
    """Whether a dotted name is that of a module, or of what a module has."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[cut:]:
            if not hasattr(found, attribute):
                return False
            found = getattr(found, attribute)
        return True
    return False


def test_every_named_module_and_object_exists() -> None:
    named = set(re.findall(r"`(idinf(?:\.\w+)+)`", NAMING))
    assert len(named) > 100
    assert sorted(name for name in named if not exists(name)) == []
    assert not exists("idinf.nowhere")


def test_every_named_file_exists() -> None:
    named = set(re.findall(r"`((?:idinf|tests|specs|docs)/[\w./-]+)`", NAMING))
    assert len(named) > 50
    assert sorted(path for path in named if "STAGE" not in path and not (ROOT / path).exists()) == []


def test_the_picture_of_the_rooms_has_every_folder() -> None:
    picture = CONTRIBUTING.split("## The rooms")[1].split("```")[1]
    drawn = re.findall(r"(?<![\w/])(\w+)/", picture)
    folders = [path.parent.name for path in (ROOT / "idinf").glob("*/**/__init__.py")]
    assert sorted(drawn) == sorted(name for name in folders if name != "library")


def test_every_make_target_is_explained() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())
    assert set(re.findall(r"`make ([a-z-]+)`", CONTRIBUTING.split("## Keys")[0])) == targets


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE)[1] == idinf.__version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, re.MULTILINE)[1] in (idinf.__version__, "Unreleased")
    assert "### Changes that can alter a reported n0" in changelog


# Links and citations


def anchors(text: str) -> set[str]:
    """What the headings of a document are called in links."""
    headings = re.findall(
        r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.M
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(name: str, text: str) -> list[str]:
    """Links of a document that lead to no file, or to no heading of a file. Addresses are not called."""
    dead = []
    for link in _LINK.findall(text):
        path, _, anchor = link.partition("#")
        if re.match(r"https?://\S+\.\S+$|mailto:", link):
            continue
        target = (ROOT / name).parent / path if path else ROOT / name
        if not target.exists() or (anchor and anchor not in anchors(_markdown(target))):
            dead.append(link)
    return dead


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    assert dead_links(name, DOCUMENTS[name]) == []


@pytest.mark.parametrize(
    ("link", "dead"),
    [
        ("../README.md", False),
        ("../README.md#a-session", False),
        ("../README.md#no-such-heading", True),
        ("missing.md", True),
        ("#what-this-does-not-show", False),
        ("#elsewhere", True),
        ("http:/broken", True),
        ("https://arxiv.org/abs/2410.02140", False),
    ],
)
def test_a_planted_dead_link_is_caught(link: str, dead: bool) -> None:
    assert bool(dead_links("docs/limits.md", f"[x]({link})")) == dead


@pytest.mark.parametrize("name", DOCUMENTS)
def test_citation_keys_are_resolved(name: str) -> None:
    known = set(re.findall(r"^\| \[([A-Z0-9]+)\] \|", CONTRIBUTING, re.MULTILINE))
    assert set(_KEY.findall(DOCUMENTS[name])) <= known


def test_every_document_is_listed() -> None:
    listed = set(_LINK.findall(DOCUMENTS["docs/README.md"]))
    assert {Path(name).name for name in DOCUMENTS if name.startswith("docs/")} - {"README.md"} <= listed


def test_the_theory_map_has_every_definition_that_the_code_implements() -> None:
    source = " ".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "idinf").rglob("*.py")))
    cited = {
        " ".join(found)
        for sentence in re.findall(r"Implements [^.]*?\[HYB25\]|\[HYB25\] Definition \d+", source)
        for found in re.findall(r"(Definition|Theorem) (\d+)", sentence)
    }
    assert {"Definition 2", "Definition 6"} <= cited
    assert (
        sorted(item for item in cited if not re.search(rf"{item}\b", DOCUMENTS["docs/theory-map.md"])) == []
    )


@pytest.mark.parametrize("name", ["docs/glossary.md", "docs/theory-map.md"])
def test_no_row_is_explained_twice(name: str) -> None:
    rows = re.findall(r"^\| (?!word \||theory \||---)([^|]+?) \|", DOCUMENTS[name], re.MULTILINE)
    assert len(rows) > 20
    assert len(rows) == len(set(rows))
    assert "| word | meaning |" not in CONTRIBUTING
    assert "| theory | code |" not in CONTRIBUTING


# The command reference


def commands_of(group: LazyGroup, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every command as it is typed after idinf, with its line of help; those of a group follow it."""
    for name, (_, line) in group.commands_table.items():
        yield (*above, name), line
        command = group.get_command(click.Context(group), name)
        if isinstance(command, LazyGroup):
            yield from commands_of(command, (*above, name))


def command_reference() -> str:
    """Every help text, as Markdown."""
    commands = list(commands_of(main))
    lines = [
        "# Command reference",
        "",
        "What `--help` says, command by command; `make golden` writes this file.",
        "",
        *(f"- [idinf {' '.join(path)}](#idinf-{'-'.join(path)}): {line}" for path, line in commands),
    ]
    for arguments in ((), *(path for path, _ in commands)):
        shown = CliRunner().invoke(main, [*arguments, "--help"], prog_name="idinf", terminal_width=100).stdout
        lines += ["", f"## {' '.join(['idinf', *arguments])}", "", "```text", shown.strip("\n"), "```"]
    return "\n".join(lines) + "\n"


def test_the_command_reference_is_what_help_says() -> None:
    if os.environ.get("IDINF_GOLDEN") == "1":
        COMMANDS.write_text(command_reference(), encoding="utf-8")
    assert COMMANDS.read_text(encoding="utf-8") == command_reference(), (
        "docs/commands.md is stale; 'make golden' writes it, or alone: "
        "IDINF_GOLDEN=1 python -m pytest tests/test_documents.py -k command_reference"
    )
