"""``idinf plot``: without matplotlib, with broken settings of it, and with accuracies."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.refusals import refused, runner
from tests.show.reports import golden_dict

MAJORITY, PARITY, DYCK = "majority.json", "parity.json", "dyck-1.json"

run = runner("plot")


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


def test_without_matplotlib_its_name_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused(run(DYCK, "-o", str(tmp_path / "f.svg")), 3, "pip install matplotlib")


def in_a_process(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "idinf", "plot", DYCK, "-o", str(folder / "f.svg")]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)


def test_broken_settings_of_matplotlib_are_one_line(tmp_path: Path) -> None:
    done = in_a_process(tmp_path, MPLBACKEND="nonsense")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "nonsense" in done.stderr
    assert "correct MPLBACKEND" in done.stderr
    settings = tmp_path / "matplotlibrc"
    settings.write_bytes(b"\xff\xfe = 1\n")
    done = in_a_process(tmp_path, MATPLOTLIBRC=str(settings))
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)


def test_accuracies_are_drawn_and_their_coefficients_printed(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("target,accuracy\nmajority,1\nparity,0.5\n", encoding="utf-8")
    mine = str(tmp_path / "mine.csv")
    told = run(MAJORITY, PARITY, "--data", mine)
    assert told.exit_code == 0
    assert "Rank correlations with accuracy, Spearman's ρ" in told.stdout
    drawn = run(MAJORITY, PARITY, "--data", mine, "-o", str(tmp_path / "f.svg"), "--method", "kendall")
    assert "Kendall's τ" in drawn.stdout
    assert (tmp_path / "f.svg").exists()
    classes = run(MAJORITY, PARITY, "--kind", "classes", "-o", str(tmp_path / "c.svg"))
    assert "mean, least and largest accuracy, lengths 101–150" in classes.stdout
    refused(run(MAJORITY, "--data", mine, "--kind", "batch"), 2, "--data is about accuracies")
