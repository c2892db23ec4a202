"""``idinf plot``: the same bytes again, and exit code 2 in one line."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main
from tests.commands.refusals import refused
from tests.render.reports import golden_dict

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


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ((DYCK,), ("Missing option", "'-o'")),
        ((DYCK, "-o", "figure"), ("expected .svg, .pdf or .png",)),
        ((DYCK, "-o", "f.svg", "--record", "0"), ("--record", "0")),
        (("-o", "f.svg"), ("Missing argument",)),
    ],
)
def test_usage_errors_are_2(arguments: tuple[str, ...], parts: tuple[str, ...], tmp_path: Path) -> None:
    refused(run(*arguments), 2, *parts)


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused(run(DYCK, "-o", str(tmp_path / "f.svg")), 3, "pip install 'idinf[plot]'")
