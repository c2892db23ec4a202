"""The folder of a site: what is written, replaced and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import idinf
from idinf.files import OutputError
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


@pytest.mark.parametrize(
    ("made", "part"),
    [
        (
            "foreign",
            "holds other files; expected a new folder, or a site of idinf; name another, or force it",
        ),
        ("other list", "holds other files"),
        ("file", "is no folder"),
        ("link", "targets in it is a link"),
        ("other link", "pairs in it is a link"),
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
        if "link" in made:
            (folder / ("targets" if made == "link" else "pairs")).symlink_to(tmp_path)
            (folder / LIST).write_text('{"format": "idinf-site/1", "files": []}')
        else:
            (folder / (LIST if made == "other list" else "x")).write_text("{}")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OutputError, match=part):
        site(MAJORITY, folder=folder)
    assert sorted(tmp_path.rglob("*")) == before
