"""What a release says: versions and days, licences, the paper. `make release` builds and installs it."""

import re
import tomllib
from pathlib import Path

import pytest

import idinf
from tools.release import disagreements, licence_of, list_dependencies, plain_name, unwanted

ROOT = Path(__file__).resolve().parents[1]
CITATION, CHANGELOG, LICENCES, PAPER = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("CITATION.cff", "CHANGELOG.md", "docs/licences.md", "docs/paper.md")
)


NOW = idinf.__version__


def test_version_citation_and_changelog_agree() -> None:
    assert disagreements(idinf.__version__, CITATION, CHANGELOG) == []


@pytest.mark.parametrize(
    ("version", "citation", "changelog", "said"),
    [
        ("9.9.9", CITATION, CHANGELOG, f"CITATION.cff has version {NOW}; expected 9.9.9"),
        (NOW, CITATION.replace("\ntitle:", "\nx:"), CHANGELOG, "CITATION.cff has no title"),
        (NOW, CITATION.replace("date-released", "x"), CHANGELOG, "CITATION.cff has no date-released"),
        (NOW, CITATION, "## 9 (unreleased)", "CHANGELOG.md begins with '9 (unreleased)'"),
        (NOW, CITATION, "", "CHANGELOG.md begins with None"),
    ],
)
def test_what_disagrees_is_told(version: str, citation: str, changelog: str, said: str) -> None:
    first, *_ = disagreements(version, citation, changelog)
    assert first.startswith(said)


def test_what_no_package_should_have_is_found() -> None:
    bad = ["idinf-0.1.0/idinf/__pycache__/x.pyc", "idinf-0.1.0/build/x", "a/b/.venv/x", "a/docs/dist/y"]
    good = ["idinf-0.1.0/idinf/x.py", "idinf-0.1.0/docs/figures/page.png", "idinf/specs/majority.toml"]
    assert unwanted([*bad, *good]) == bad


def test_every_dependency_has_a_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = {plain_name(re.split(r"[<>=~! \[]", line)[0]) for line in project["dependencies"]}
    rows = re.findall(r"^\| (\*\*)?([a-z0-9-]+)(?:\*\*)? \| (\S+) \| (.+) \|$", LICENCES, re.MULTILINE)
    assert {name for bold, name, *_ in rows if bold} == core
    listed = {name: licence for _, name, _, licence in rows}
    assert set(list_dependencies()) <= listed.keys()
    assert "not said" not in listed.values()
    assert {name: licence_of(name) for name in ("click", "msgspec")} == {
        name: listed[name] for name in ("click", "msgspec")
    }


def test_every_number_of_the_paper_stands_in_the_document_that_it_names() -> None:
    results = PAPER.partition("\n## Three results\n")[2].partition("\n## ")[0].strip().split("\n\n")
    assert len(results) == 3
    for text in results:
        assert re.search(r"`make \w+", text)
        [link] = re.findall(r"\]\((results/\w+\.md)\)", text)
        known = (ROOT / "docs" / link).read_text(encoding="utf-8")
        numbers = re.findall(r"(?<![\w.-])\d[\d,]*(?<!,)", text)
        assert len(numbers) > 3
        assert [number for number in numbers if not re.search(rf"(?<!\d){number}(?!\d)", known)] == []


def test_the_paper_is_short_and_has_its_sections() -> None:
    assert len(PAPER.split()) <= 900
    sections = ["Summary", "Statement of need", "What it computes", "Three results", "References"]
    assert re.findall(r"^## (.*)$", PAPER, re.MULTILINE) == sections
    assert PAPER.split("---")[1].count("The idinf developers") == 1
    title = re.search(r'^title: "(.*)"$', CITATION, re.MULTILINE)
    assert title is not None
    assert f'title: "{title[1]}"' in PAPER
