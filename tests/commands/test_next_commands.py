"""Next symbols on the command line: identify and run."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from idinf.commands import main

SPEC = 'name = "ones"\nalphabet = "01"\nmode = "next"\nregex = "1*"\nmax_n = 6\n'
SPEC += "[space]\nlayers = 1\nprecision = 0\n"


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("next")
    spec, path = folder / "ones.toml", folder / "ones.json"
    spec.write_text(SPEC)
    text = run("identify", str(spec), "--max-r", "9", "-q", "-o", str(path))
    assert "next 0 iff false; next 1, $ iff #0 = 0" in text
    assert "n0 = 2" in text
    return spec, path


def test_run_names_the_sets_after_every_prefix(report: tuple[Path, Path], tmp_path: Path) -> None:
    assert run("run", str(report[0]), "10", "") == "10\t1,$ 1,$ -\n\t1,$\n"
    last = json.loads(report[1].read_text())["records"][-1]["hypothesis"]
    (tmp_path / "net.json").write_text(json.dumps(last))
    assert run("run", str(tmp_path / "net.json"), "10") == "10\t1,$ 1,$ -\n"
    assert run("run", "tomita-2-next", "11") == "11\t1,$ 0 -\toutside the domain\n"
