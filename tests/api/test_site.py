"""The folder of a site: what is written and replaced."""

import json
from pathlib import Path

import idinf
from idinf.api.pages import LIST, site
from tests.show.reports import golden, golden_dict

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
