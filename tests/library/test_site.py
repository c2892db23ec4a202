"""The folder of a site: what is written, replaced and refused."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

import idinf
from idinf.errors import ReportFormatError
from idinf.files import OutputError
from idinf.library import site as module
from idinf.library.site import LIST, site
from tests.render.reports import golden, golden_dict

MAJORITY, PARITY = golden("majority"), golden("parity")


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_the_same_reports_give_the_same_bytes(tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    for name in ("parity", "majority"):
        (reports / f"{name}.json").write_text(json.dumps(golden_dict(name)))
    (reports / "notes.txt").write_text("left out")
    assert idinf.site(reports, folder=tmp_path / "a") == tmp_path / "a" / "index.html"
    site(str(reports / "majority.json"), PARITY, folder=str(tmp_path / "b" / "c"))
    one = files(tmp_path / "a")
    assert one == files(tmp_path / "b" / "c")
    pages = [f"targets/{name}.html" for name in ("majority", "parity")]
    assert sorted(one) == [LIST, "index.html", "pairs/majority+parity.html", *pages]


def test_a_site_is_replaced_and_what_is_not_its_own_stays(tmp_path: Path) -> None:
    site(MAJORITY, PARITY, folder=tmp_path)
    (tmp_path / "own.txt").write_text("mine")
    (tmp_path / "targets" / "own.html").write_text("mine")
    site(PARITY, folder=tmp_path)
    assert sorted(files(tmp_path)) == [
        LIST,
        "index.html",
        "own.txt",
        "targets/own.html",
        "targets/parity.html",
    ]


def test_a_list_that_was_tampered_with_deletes_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    site(MAJORITY, folder=folder)
    (tmp_path / "precious.html").write_text("mine")
    listed = {"format": "idinf-site/1", "files": ["../precious.html", "targets/../../precious.html", 7]}
    (folder / LIST).write_text(json.dumps(listed))
    site(MAJORITY, folder=folder)
    assert (tmp_path / "precious.html").read_text() == "mine"


def test_names_of_pages_are_plain_and_their_own(tmp_path: Path) -> None:
    names = ["../../x", "A", "a", "a", "", "ε" * 300, "con/con"]
    reports = [replace(MAJORITY, target=replace(MAJORITY.target, name=name)) for name in names]
    site(*reports, folder=tmp_path)
    pages = {path.name for path in (tmp_path / "targets").iterdir()}
    assert pages == {f"{n}.html" for n in ("x", "A", "a-2", "a-3", "target", "target-2", "con-con")}
    assert "a (2)" in (tmp_path / "index.html").read_text()


@pytest.mark.parametrize(
    ("made", "part"),
    [
        (
            "foreign",
            "holds other files; expected a new folder, or a site of idinf; name another, or force it",
        ),
        ("other list", "holds other files"),
        ("file", "is no folder"),
        ("below a file", "cannot be made a folder"),
    ],
)
def test_a_folder_that_is_refused_is_not_touched(made: str, part: str, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    if made == "file":
        folder.write_text("mine")
    elif made == "below a file":
        (tmp_path / "plain").write_text("mine")
        folder = tmp_path / "plain" / "site"
    else:
        folder.mkdir()
        (folder / (LIST if made == "other list" else "x")).write_text("{}")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OutputError, match=part):
        site(MAJORITY, folder=folder)
    assert sorted(tmp_path.rglob("*")) == before


def test_force_writes_beside_other_files(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    site(MAJORITY, folder=tmp_path, force=True)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert (tmp_path / "targets" / "majority.html").is_file()


@pytest.mark.skipif(os.geteuid() == 0, reason="everything can be written by root")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="may not be written"):
        site(MAJORITY, folder=tmp_path / "site")


def test_a_failure_in_the_middle_leaves_the_old_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site(MAJORITY, folder=tmp_path)
    before = files(tmp_path)

    def full(entries: object, pairs: object) -> str:
        raise OutputError("index.html: cannot be written (No space left on device)")

    monkeypatch.setattr(module, "render_gallery", full)
    with pytest.raises(OutputError, match="No space"):
        site(PARITY, folder=tmp_path)
    assert files(tmp_path) == before


def test_sources_that_are_no_reports(tmp_path: Path) -> None:
    empty, wrong = tmp_path / "empty", tmp_path / "wrong"
    empty.mkdir()
    wrong.mkdir()
    (wrong / "x.json").write_text('{"format": "idinf-bench/1"}')
    for sources, part in [
        ((), "no reports are given"),
        ((empty,), "holds no \\*.json"),
        ((wrong,), 'x.json: format = "idinf-bench/1"; expected "idinf-report/1"'),
        ((tmp_path / "missing.json",), "no such file"),
    ]:
        with pytest.raises(ReportFormatError, match=part):
            site(*sources, folder=tmp_path / "site")
    assert not (tmp_path / "site").exists()
