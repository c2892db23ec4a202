"""``idinf plot``: files in, one file out; exit codes 2 and 3 in one line, and no network."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main
from idinf.report.family import family_to_dict
from tests.commands.refusals import refused
from tests.render.reports import family_report, golden_dict

MAJORITY, PARITY, DYCK = "majority.json", "parity.json", "dyck-1.json"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["plot", *arguments], prog_name="idinf")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of golden reports."""
    folder = tmp_path_factory.mktemp("reports")
    for name in (MAJORITY, PARITY, DYCK):
        content = golden_dict(name.removesuffix(".json"))
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _inside(reports: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(reports)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a figure must not need the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((DYCK,), "the frontier"),
        ((MAJORITY, PARITY), "the least R"),
        ((DYCK, "--word", "aabb"), "on aabb: record 5"),
        ((DYCK, "--record", "2"), "record 2"),
        ((DYCK, "--word", ""), "on the empty word"),
        ((DYCK, "--kind", "observed"), "Predicted against observed"),
        ((DYCK, "--kind", "curve"), "the least R"),
    ],
)
def test_the_kind_follows_from_the_content(
    arguments: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from idinf.render.figures import canvas

    heads: list[str] = []
    heading = canvas.Sheet.heading
    monkeypatch.setattr(canvas.Sheet, "heading", lambda self, text: (heads.append(text), heading(self, text)))
    figure = tmp_path / "figure.svg"
    result = run(*arguments, "-o", str(figure))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    assert says in heads[0]


@pytest.mark.slow
def test_png_and_svg_are_the_same_bytes_again(tmp_path: Path) -> None:
    for name in ("a.png", "a.svg", "A.SVG"):
        figure = tmp_path / name
        assert run(MAJORITY, PARITY, "-o", str(figure)).exit_code == 0
        first = figure.read_bytes()
        assert run(MAJORITY, PARITY, "-o", str(figure)).exit_code == 0
        assert figure.read_bytes() == first
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "A.SVG").read_bytes()


def test_what_family_writes_can_be_drawn(tmp_path: Path) -> None:
    table = str(tmp_path / "ge.json")
    done = CliRunner().invoke(
        main,
        ["family", "ge-k-j", "--space", "spec", "--up-to", "1", "--layers", "1", "-q", "--json", "-o", table],
    )
    assert done.exit_code == 0
    assert run(table, "-o", str(tmp_path / "ge.svg")).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ((DYCK,), ("Missing option", "'-o'")),
        ((DYCK, "-o", "figure"), ("expected .svg, .pdf or .png",)),
        ((DYCK, "-o", "f.svg", "--width", "2"), ("width = 2 inches; expected from 3 to 40",)),
        ((DYCK, "-o", "f.svg", "--record", "0"), ("--record", "0")),
        (("-o", "f.svg"), ("Missing argument",)),
    ],
)
def test_usage_errors_are_2(arguments: tuple[str, ...], parts: tuple[str, ...], tmp_path: Path) -> None:
    refused(run(*arguments), 2, *parts)


def test_bad_files_are_3_and_leave_nothing_behind(tmp_path: Path) -> None:
    figure = str(tmp_path / "figure.svg")
    broken = json.loads(Path(DYCK).read_text(encoding="utf-8"))
    del broken["stages"]
    empty = {"format": "idinf-family/1"}
    bench = {"format": "idinf-bench/1"}
    paths = {}
    for name, content in (
        ("broken", broken),
        ("family", family_to_dict(family_report())),
        ("empty", empty),
        ("bench", bench),
        ("other", {"format": "x"}),
    ):
        paths[name] = str(tmp_path / f"{name}.json")
        Path(paths[name]).write_text(json.dumps(content), encoding="utf-8")
    text = tmp_path / "text.json"
    text.write_text("no report", encoding="utf-8")
    refused(run(paths["family"], "--word", "a", "-o", figure), 2, "--kind family", "leave one out")
    for arguments, parts in (
        ((paths["broken"],), ("broken.json: stages is missing",)),
        ((paths["family"], "--kind", "frontier"), ('format = "idinf-family/1"', "choose --kind family")),
        ((paths["empty"],), ("empty.json: idinf_version is missing",)),
        ((paths["family"], DYCK), ("2 files for --kind family", "expected one")),
        ((paths["bench"],), ('format = "idinf-bench/1"', 'expected "idinf-report/1"')),
        ((paths["other"],), ('other.json: format = "x"',)),
        ((str(text),), ("text.json: not JSON",)),
        ((str(tmp_path / "absent.json"),), ("absent.json: no such file",)),
        ((DYCK, "--word", "abc"), ("symbol 'c' at position 3", "expected symbols of: a b")),
        ((DYCK, "--record", "9"), ("no record 9", "from 1 to 5")),
        ((DYCK, PARITY, "--kind", "frontier"), ("2 files for --kind frontier", "expected one")),
        ((DYCK, PARITY, "--word", "ab"), ("2 files for --kind hypothesis",)),
    ):
        refused(run(*arguments, "-o", figure), 3, *parts)
        assert not Path(figure).exists()


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused(run(DYCK, "-o", str(tmp_path / "f.svg")), 3, "pip install 'idinf[plot]'")
