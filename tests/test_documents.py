"""Documents that cannot drift: sessions and code are run, names and links lead somewhere, versions agree."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import re
import shlex
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import idinf
from idinf.commands import main
from idinf.commands.group import LazyGroup
from idinf.experiments.catalogue import list_family_names, list_names

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


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

#: Every session that a document shows, as document, command and answer.
SESSIONS = [
    (name, command, shown) for name, text in DOCUMENTS.items() for command, shown in _SESSION.findall(text)
]

#: Words of commands that answer in a moment; the other sessions are slow.
_QUICK = {"majority", "continuity", "crasp", "classify"}

#: The spec that the walk of CONTRIBUTING.md asks its reader to write.
NEW_SPEC = "specs/ends-in-1.toml"


@pytest.fixture(scope="module", autouse=True)
def little_annealing() -> None:
    """As long as users do: what is found is compared."""


def test_a_newcomer_can_read_the_readme() -> None:
    assert len(README.splitlines()) <= 120
    assert [command for name, command, _ in SESSIONS if name == "README.md"] == [
        "idinf identify majority --max-n 64"
    ]
    early = "\n".join(README.splitlines()[:20])
    assert "$ make identify" in early
    assert "$ make test" in early


def test_longer_documents_show_sessions() -> None:
    shown = {
        name: [shlex.split(command)[1:3] for it, command, _ in SESSIONS if it == name] for name in DOCUMENTS
    }
    assert [command[0] for command in shown["docs/reading.md"]] == [
        "identify",
        "identify",
        "identify",
        "verify",
        "classify",
    ]
    assert ["crasp", "diff"] in shown["docs/crasp.md"]
    assert shown["docs/searching.md"] == [["identify", "majority"]]


def invoked(command: str):
    """What a command line gives."""
    return CliRunner().invoke(main, shlex.split(command)[1:])


def prepare(document: str, command: str) -> None:
    """Write the files that a command reads, with the commands of the document that write them."""
    for earlier in re.findall(r"^\$ (idinf [^\n]*)$", DOCUMENTS[document], re.MULTILINE):
        if earlier == command:
            return
        written = re.search(r" -o (\S+)", earlier)
        if written and written[1] in command.split():
            assert invoked(earlier).exit_code == 0


@pytest.mark.parametrize(
    ("document", "command", "shown"),
    [
        session if _QUICK & set(session[1].split()) else pytest.param(*session, marks=pytest.mark.slow)
        for session in SESSIONS
    ],
    ids=[f"{document}: {command}" for document, command, _ in SESSIONS],
)
def test_sessions_are_real_output(
    document: str, command: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(document, command)
    result = invoked(command)
    assert result.exit_code == (1 if "crasp diff" in command else 0)
    if os.environ.get("IDINF_GOLDEN") == "1" and _WORK.sub("", shown) != _WORK.sub("", result.stdout):
        path = ROOT / document
        told = result.stdout + "\n" * shown.endswith("\n\n")
        path.write_text(path.read_text(encoding="utf-8").replace(shown, told), encoding="utf-8")
        return
    assert bool(_WORK.search(shown)) == ("identify" in command)
    assert _WORK.sub("", shown).rstrip("\n") == _WORK.sub("", result.stdout).rstrip("\n")


# The library


#: Every block of Python that a document shows, as document and code.
EXAMPLES = [
    (name, code)
    for name, text in DOCUMENTS.items()
    for code in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
]


def examples_that_fail(code: str, name: str) -> str:
    """What doctest says of a block whose examples do not give what they show; nothing if all do."""
    test = doctest.DocTestParser().get_doctest(code, {}, name, name, 0)
    assert test.examples, "a block of Python shows what it gives, with >>>"
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=said.append)
    return "".join(said)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("document", "code"), EXAMPLES, ids=[f"{document}: {code.splitlines()[1]}" for document, code in EXAMPLES]
)
def test_examples_of_the_library_give_what_they_show(
    document: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert examples_that_fail(code, document) == ""


def test_a_planted_wrong_example_is_caught() -> None:
    assert examples_that_fail(">>> 1 + 1\n2\n", "x") == ""
    assert "Expected" in examples_that_fail(">>> 1 + 1\n3\n", "x")


def test_the_examples_use_the_library_alone() -> None:
    """Of the package they import nothing but `idinf` itself."""
    assert {name for name, _ in EXAMPLES} == {"README.md", "docs/python.md", "docs/teaching.ipynb"}
    for _, code in EXAMPLES:
        assert set(re.findall(r"(?:import|from) (\S+)", code)) == {"idinf"}


def test_every_public_name_is_explained() -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", DOCUMENTS["docs/python.md"], re.MULTILINE)
    explained = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(explained) == sorted(set(idinf.__all__) - {"__version__"})


# The walk of CONTRIBUTING.md


def test_the_first_change_works(tmp_path: Path) -> None:
    walk = textwrap.dedent(CONTRIBUTING.split("## Your first change")[1].split("\n## ")[0])
    assert f"`{NEW_SPEC}`" in walk
    path = tmp_path / Path(NEW_SPEC).name
    path.write_text(textwrap.dedent(re.search(r"```toml\n(.*?)```", walk, re.DOTALL)[1]), encoding="utf-8")
    report = idinf.identify(path, max_n=8)
    assert report.n0 == 1  # as its commit says
    empty, definition = eval(re.search(r'`"ends-in-1": (.*?),`', walk)[1])
    accepted = idinf.target(path).words(up_to=4)
    assert empty == ("" in accepted) == definition("")
    assert accepted == tuple(word for word in idinf.target(regex="(0|1)*").words(up_to=4) if definition(word))
    for key, verdict in idinf.load_spec(path).expected:
        assert str(getattr(idinf.classify(path), key).verdict) == verdict.value
    subject, blank, *_ = textwrap.dedent(re.search(r"```text\n(.*?)```", walk, re.DOTALL)[1]).splitlines()
    assert len(subject) <= 72
    assert blank == ""


# Names and files


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
    named = set(re.findall(r"`((?:idinf|tests|tools|specs|docs)/[\w./-]+)`", NAMING)) - {NEW_SPEC}
    assert len(named) > 50
    assert sorted(path for path in named if "STAGE" not in path and not (ROOT / path).exists()) == []


def test_the_picture_of_the_rooms_has_every_folder() -> None:
    picture = CONTRIBUTING.split("## The rooms")[1].split("```")[1]
    drawn = re.findall(r"(?<![\w/])(\w+)/", picture)
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == {path.parent.name for path in (ROOT / "idinf").glob("*/**/__init__.py")}


def test_every_make_target_is_explained() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())
    assert set(re.findall(r"`make ([a-z-]+)`", CONTRIBUTING.split("## Keys")[0])) == targets


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE)[1] == idinf.__version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, re.MULTILINE)[1] in (idinf.__version__, "Unreleased")


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


def test_every_spec_file_ships_and_is_listed() -> None:
    names = sorted((*list_names(), *list_family_names()))
    assert names == sorted(path.stem for path in (ROOT / "specs").glob("*.toml")) != []
    assert re.findall(r"^\| `([^`]+)` \|", DOCUMENTS["specs/README.md"], re.MULTILINE) == names


def test_every_dependency_has_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = sorted(re.split(r"[<>=~! ]", dependency)[0] for dependency in project["dependencies"])
    table = DOCUMENTS["docs/dependencies.md"].split("\n## ")[0]
    assert sorted(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == wanted


# Commands and options


def commands_of(group: LazyGroup, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every command as it is typed after idinf, with its line of help; those of a group follow it."""
    for name, (_, line) in group.commands_table.items():
        yield (*above, name), line
        command = group.get_command(click.Context(group), name)
        if isinstance(command, LazyGroup):
            yield from commands_of(command, (*above, name))


def options_of(command: click.Command) -> set[str]:
    """Every option of a command and of the commands below it."""
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    if isinstance(command, LazyGroup):
        for name in command.commands_table:
            below = command.get_command(click.Context(command), name)
            assert below is not None
            options |= options_of(below)
    return options


def test_documents_name_commands_and_options_that_exist() -> None:
    text = "\n".join(text for name, text in DOCUMENTS.items() if name != "CHANGELOG.md")
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    commands = {path for path, _ in commands_of(main)} | {("crasp",), ("COMMAND",)}
    named = {tuple(re.findall(r"^idinf (crasp [a-z-]+|[a-zA-Z-]+)", span)) for span in spans} - {()}
    assert {tuple(name.split()) for (name,) in named} <= commands
    options = {option for span in spans for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", span)}
    assert {"--max-r", "--anneal-steps", "--upper-bound"} <= options
    assert options - options_of(main) <= {"--strict", "--help", "--version"}
