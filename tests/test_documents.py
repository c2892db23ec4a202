"""Documents that cannot drift: sessions and code are run, named modules and files exist, versions agree."""

from __future__ import annotations

import importlib
import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import idinf
from idinf.commands import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

_SESSION = re.compile(r"^\$ (idinf [^\n]*)\n((?:(?!\$ |```)[^\n]*\n)+)", re.MULTILINE)

#: The last line of an answer says how much work it was, which differs from run to run.
_WORK = re.compile(r"\n\d+ parameter vectors enumerated[^\n]*\n*$")

SESSIONS = _SESSION.findall(README)


def test_the_readme_shows_sessions() -> None:
    assert [shlex.split(command)[:3] for command, _ in SESSIONS] == [
        ["idinf", "identify", "majority"],
        ["idinf", "identify", "dyck-1"],
        ["idinf", "identify", "parity"],
    ]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        session if "majority" in session[0] else pytest.param(*session, marks=pytest.mark.slow)
        for session in SESSIONS
    ],
    ids=[command for command, _ in SESSIONS],
)
def test_sessions_are_real_output(command: str, shown: str) -> None:
    result = CliRunner().invoke(main, shlex.split(command)[1:])
    assert result.exit_code == 0
    if os.environ.get("IDINF_GOLDEN") == "1" and _WORK.sub("", shown) != _WORK.sub("", result.stdout):
        path = ROOT / "README.md"
        told = result.stdout + "\n" * shown.endswith("\n\n")
        path.write_text(path.read_text(encoding="utf-8").replace(shown, told), encoding="utf-8")
        return
    assert _WORK.search(shown)
    assert _WORK.sub("", shown) == _WORK.sub("", result.stdout)


def test_the_library_lines_run() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    expression, shown = re.search(r"Then `([^`]+)` is\s+`([^`]+)`", README).groups()
    assert repr(eval(expression, names)) == shown


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(idinf(?:\.\w+)+)`", README + CONTRIBUTING))))
def test_every_named_module_and_object_exists(name: str) -> None:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[cut:]:
            found = getattr(found, attribute)
        return
    raise AssertionError(name)


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:idinf|tests|specs)/[\w./-]+)`", README + CONTRIBUTING)))
)
def test_every_named_file_exists(path: str) -> None:
    if "STAGE" not in path:
        assert (ROOT / path).exists()


def test_the_readme_has_one_step_per_folder() -> None:
    steps = re.findall(r"^\d+\. `(\w+)/`", README, re.MULTILINE)
    folders = {path.name for path in (ROOT / "idinf").iterdir() if (path / "__init__.py").exists()}
    assert len(steps) == len(folders)
    assert set(steps) == folders


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
