"""Documents that cannot drift: sessions and code are run, names and links lead somewhere, versions agree."""

import doctest
import fcntl
import importlib
import itertools
import json
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import idinf
from idinf.commands import main
from idinf.spec.catalogue import list_family_names, list_names

ROOT = Path(__file__).resolve().parents[1]


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
    for pattern in ("*.md", "docs/*.md", "docs/*.ipynb", "docs/results/*.md", "specs/*.md")
    for path in sorted(ROOT.glob(pattern))
}
README, CONTRIBUTING = DOCUMENTS["README.md"], DOCUMENTS["CONTRIBUTING.md"]
ALL = "\n".join(DOCUMENTS.values())

_LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
_KEY = re.compile(r"\[([A-Z]{1,5}[0-9]{2})\]")
_BLOCK = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
_SESSION = re.compile(r"^\$ (idinf [^\n]*)\n((?:(?!\$ |```)[^\n]*\n)+)", re.MULTILINE)

#: The last lines of an answer say how much work it was, which differs from run to run.
_WORK = re.compile(r"\n\d+ parameter vectors enumerated[^\n]*(\n +[^\n]*)*\n*$")

#: Every session that a document shows, as document, command and answer.
SESSIONS = [
    (name, command, shown) for name, text in DOCUMENTS.items() for command, shown in _SESSION.findall(text)
]

#: Words of commands that answer in a moment; the other sessions are slow.
_QUICK = {"majority", "continuity", "compose", "crasp", "classify", "run", "compare", "verify"}

#: Columns of the terminal in which sessions are shown.
_COLUMNS = 100

#: The spec that the walk of CONTRIBUTING.md asks its reader to write.
NEW_SPEC = "specs/ends-in-1.toml"


def test_a_newcomer_can_read_the_readme() -> None:
    assert len(README.splitlines()) <= 100
    [(_, command, shown)] = [session for session in SESSIONS if session[0] == "README.md"]
    assert command == "idinf identify majority --max-n 64"
    assert max(map(len, shown.splitlines())) <= _COLUMNS
    assert "\nmake identify" in README
    assert "\nmake test" in README
    title = (ROOT / "CITATION.cff").read_text(encoding="utf-8").rpartition("    title: ")[2].splitlines()[0]
    assert f'"{title}"' in README


# Sessions


def answer(command: str) -> tuple[int, str]:
    """The exit code of a command and the text that it shows on a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, _COLUMNS, 0, 0))
    with subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), *shlex.split(command)[1:]],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": str(_COLUMNS), "NO_COLOR": "1", "TERM": "dumb"},
    ) as process:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                part = b""
            if not part:
                break
            parts.append(part)
    os.close(ours)
    return process.returncode, b"".join(parts).decode("utf-8").replace("\r\n", "\n")


def is_shown(shown: str, given: str) -> bool:
    """Whether a document shows an answer: all of it, but for lines that ``...`` stands for, and its work.

    Examples
    --------
    >>> is_shown("a\\n...\\nd\\n", "a\\nb\\nc\\nd\\n"), is_shown("a\\n...\\nc\\n", "a\\nb\\nc\\nd\\n")
    (True, False)
    """
    shown, given = (_WORK.sub("", text).rstrip("\n") + "\n" for text in (shown, given))
    pieces = [re.escape(piece) for piece in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:[^\n]*\n)*".join(pieces), given) is not None


def prepare(document: str, command: str) -> None:
    """Write the files that a command reads, with the commands of the document that write them."""
    for earlier in re.findall(r"^\$ (idinf [^\n]*)$", DOCUMENTS[document], re.MULTILINE):
        if earlier == command:
            return
        written = re.search(r" -o (\S+)", earlier)
        if written and written[1] in command.split():
            assert answer(earlier)[0] == 0


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
    if "majority-model" in command:  # a trained model, which stands beside its document
        shutil.copytree(ROOT / "docs" / "majority-model", "majority-model")
    prepare(document, command)
    code, given = answer(command)
    assert code == (1 if {"compare", "judge"} & set(command.split()) else 0)
    if os.environ.get("IDINF_GOLDEN") == "1" and "\n...\n" not in shown and not is_shown(shown, given):
        path = ROOT / document
        told = given + "\n" * shown.endswith("\n\n")
        path.write_text(path.read_text(encoding="utf-8").replace(shown, told), encoding="utf-8")
        return
    assert is_shown(shown, given), given


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
    ("document", "code"),
    EXAMPLES,
    ids=[f"{document}: {code.splitlines()[1]}" for document, code in EXAMPLES],
)
def test_examples_of_the_library_give_what_they_show(
    document: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert examples_that_fail(code, document) == ""
    assert set(re.findall(r"(?:import|from) (\S+)", code)) == {"idinf"}  # the library alone


def test_planted_wrong_examples_are_caught() -> None:
    assert examples_that_fail(">>> 1 + 1\n2\n", "x") == ""
    assert "Expected" in examples_that_fail(">>> 1 + 1\n3\n", "x")
    assert {name for name, _ in EXAMPLES} == {"README.md", "docs/python.md"}
    assert is_shown("a\n...\nd\n", "a\nb\nc\nd\n")
    assert not is_shown("a\n...\nc\n", "a\nb\nc\nd\n")
    assert not is_shown("a\n...\nd\n", "a\nb\nc\nxd\n")


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
    assert accepted == tuple(word for word in all_words(up_to=4) if definition(word))
    for key, verdict in tomllib.loads(path.read_text(encoding="utf-8"))["expected"].items():
        assert str(getattr(idinf.classify(path), key).verdict) == verdict
    subject, blank, *_ = textwrap.dedent(re.search(r"```text\n(.*?)```", walk, re.DOTALL)[1]).splitlines()
    assert len(subject) <= 72
    assert blank == ""


def all_words(up_to: int) -> Iterator[str]:
    """The words over 0 and 1, by length and then in order."""
    for length in range(up_to + 1):
        yield from map("".join, itertools.product("01", repeat=length))


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
    named = set(re.findall(r"`(idinf(?:\.\w+)+)`", ALL))
    assert len(named) > 60
    assert sorted(name for name in named if not exists(name)) == []
    assert not exists("idinf.nowhere")


def test_every_named_file_exists() -> None:
    named = set(re.findall(r"`((?:idinf|tests|tools|specs|docs)/[\w./-]+)`", ALL)) - {NEW_SPEC}
    assert len(named) > 50
    drawn = re.findall(r"\b(\w+(?:/\w+)+\.py)\b", (ROOT / "docs/figures/slice.svg").read_text("utf-8"))
    assert len(drawn) > 10
    named |= {f"idinf/{name}" for name in drawn}
    assert sorted(path for path in named if "NAME" not in path and not (ROOT / path).exists()) == []


def test_the_picture_of_the_rooms_has_every_folder() -> None:
    picture = CONTRIBUTING.split("## The rooms")[1].split("```")[1]
    drawn = re.findall(r"(?<![\w/])(\w+)/", picture)
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == {path.parent.name for path in (ROOT / "idinf").glob("*/**/__init__.py")}


def test_every_make_target_is_explained() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())
    assert set(re.findall(r"`make ([a-z-]+)(?: AUTOMATA=FOLDER)?`", CONTRIBUTING)) == targets


# Links and citations


def anchors(text: str) -> set[str]:
    """What the headings of a document are called in links."""
    headings = re.findall(r"^#+ (.*)$", _BLOCK.sub("", text), re.MULTILINE)
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
def test_links_and_citations_lead_somewhere(name: str) -> None:
    assert dead_links(name, DOCUMENTS[name]) == []
    known = set(re.findall(r"^\| \[([A-Z0-9]+)\] \|", CONTRIBUTING, re.MULTILINE))
    assert set(_KEY.findall(DOCUMENTS[name])) <= known


@pytest.mark.parametrize(
    ("link", "dead"),
    [
        ("../README.md", False),
        ("../README.md#a-session", False),
        ("../README.md#no-such-heading", True),
        ("missing.md", True),
        ("#the-class", False),
        ("#elsewhere", True),
        ("http:/broken", True),
        ("https://arxiv.org/abs/2410.02140", False),
    ],
)
def test_a_planted_dead_link_is_caught(link: str, dead: bool) -> None:
    assert bool(dead_links("docs/what-it-means.md", f"[x]({link})")) == dead


def test_every_document_is_listed() -> None:
    listed = {f"docs/{link}" for link in _LINK.findall(DOCUMENTS["docs/README.md"])}
    assert {name for name in DOCUMENTS if name.startswith("docs/")} - {"docs/README.md"} <= listed


def test_the_theory_map_has_every_definition_that_the_code_implements() -> None:
    source = " ".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "idinf").rglob("*.py")))
    cited = {
        " ".join(found)
        for sentence in re.findall(r"Implements [^.]*?\[HYB25\]|\[HYB25\] Definition \d+", source)
        for found in re.findall(r"(Definition|Theorem) (\d+)", sentence)
    }
    assert {"Definition 2", "Definition 6"} <= cited
    rows = re.findall(r"\b(Definition|Theorem)s? ([\d, and]+)", DOCUMENTS["docs/theory-map.md"])
    told = {f"{kind} {number}" for kind, numbers in rows for number in re.findall(r"\d+", numbers)}
    assert sorted(cited - told) == []


@pytest.mark.parametrize("name", ["docs/glossary.md", "docs/theory-map.md"])
def test_no_row_is_explained_twice(name: str) -> None:
    rows = re.findall(r"^\| (?!word \||theory \||---)([^|]+?) \|", DOCUMENTS[name], re.MULTILINE)
    assert len(rows) > 20
    assert len(rows) == len(set(rows))


def test_every_spec_file_ships_and_is_listed() -> None:
    names = sorted((*list_names(), *list_family_names()))
    assert names == sorted(path.stem for path in (ROOT / "specs").glob("*.toml")) != []
    assert re.findall(r"^\| `([^`]+)` \|", DOCUMENTS["specs/README.md"], re.MULTILINE) == names


def test_every_dependency_has_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = sorted(re.split(r"[<>=~! ]", dependency)[0] for dependency in project["dependencies"])
    table = CONTRIBUTING.split("\n## Dependencies")[1].split("\n## ")[0]
    assert sorted(re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE)) == wanted


# Commands and options


def commands_of(group: click.Group, above: str = "idinf") -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that call it; those of a group follow it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{above} {name}", command
        if isinstance(command, click.Group):
            yield from commands_of(command, f"{above} {name}")


def test_documents_name_commands_and_options_that_exist() -> None:
    commands = dict(commands_of(main))
    blocks = "\n".join(_BLOCK.findall(ALL))
    spans = re.findall(r"`([^`\n]+)`", _BLOCK.sub("", ALL))
    spans += re.findall(r"^(?:\$ )?(idinf .*)$", blocks, re.MULTILINE)
    assert sorted({span for span in spans if span.startswith("idinf ") and not calls(span, commands)}) == []
    known = {name for it in commands.values() for parameter in it.params for name in parameter.opts}
    known |= {
        name for it in commands.values() for parameter in it.params for name in parameter.secondary_opts
    }
    options = {option for span in spans for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", span)}
    assert {"--max-r", "--upper-bound"} <= options
    assert sorted(options - known - {"--strict", "--help", "--help-all", "--version"}) == []
    assert not calls("idinf nowhere", commands)
    assert not calls("idinf crasp nowhere x", commands)


def calls(line: str, commands: dict[str, click.Command]) -> bool:
    """Whether a line names a group, or begins with a command that is none."""
    words = line.split()
    for length in range(len(words), 1, -1):
        command = commands.get(" ".join(words[:length]))
        if command is not None:
            return length == len(words) or not isinstance(command, click.Group)
    return len(words) == 2 and words[1].startswith("-")
