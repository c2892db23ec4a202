"""What is published: wheel and sdist are built, checked, and used in an empty environment (slow)."""

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import idinf
from idinf.api.sources import program_names
from tools.release import unwanted

for needed in ("build.env", "hatchling", "twine"):  # a folder build/ would do for "build"
    pytest.importorskip(needed, reason=f"{needed} is missing: pip install -e '.[release]'")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]


def answer(*command: str | Path, folder: Path = ROOT) -> str:
    """What a command prints; it sees nothing of this checkout."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    line = [str(part) for part in command]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The sdist, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    answer(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder)
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def installed(packages: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """The wheel in an environment that has nothing else, but sees the packages that idinf depends on."""
    folder = tmp_path_factory.mktemp("empty")
    home = folder / "env"
    venv.create(home)
    python = home / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index"]
    answer(*install, packages[0])
    there = Path(answer(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # A folder that a .pth file names is read for packages alone: the checkout stays out of sight.
    seen = [path for path in sys.path if path.endswith("site-packages")]
    (there / "dependencies.pth").write_text("\n".join(seen), encoding="utf-8")

    def run(program: str, *arguments: str) -> str:
        return answer(home / "bin" / program, *arguments, folder=folder)

    return run


def test_both_are_built_and_sound(packages: list[Path]) -> None:
    name = f"idinf-{idinf.__version__}"
    assert [path.name for path in packages] == [f"{name}-py3-none-any.whl", f"{name}.tar.gz"]
    assert answer(sys.executable, "-m", "twine", "check", "--strict", *packages).count("PASSED") == 2


def test_nothing_is_in_them_that_should_not_be(packages: list[Path]) -> None:
    wheel, sdist = packages
    with zipfile.ZipFile(wheel) as archive, tarfile.open(sdist) as other:
        inside, source = archive.namelist(), other.getnames()
    assert unwanted([*inside, *source]) == []
    assert {name.split("/")[0] for name in inside} == {"idinf", f"idinf-{idinf.__version__}.dist-info"}
    asked = {"idinf/specs/majority.toml", "idinf/show/html/sorted.js", "idinf/py.typed"}
    assert asked <= set(inside)
    named = {name.partition("/")[2] for name in source}
    assert {"docs/site/front.md", "docs/paper.md", "CITATION.cff", "tests/test_packages.py"} <= named
    assert sum(path.stat().st_size for path in packages) < 10_000_000


def test_the_command_answers(installed: Callable[..., str]) -> None:
    assert installed("idinf", "--version").startswith(f"idinf {idinf.__version__} ")
    said = installed("idinf", "identify", "majority", "--max-n", "8")
    assert said.startswith("n0 = 3 in the one-hot family, for every n\n")


def test_the_shipped_targets_and_programs_are_in_it(installed: Callable[..., str]) -> None:
    listed = installed("idinf", "list")
    assert [name for name in idinf.target_names() if name not in listed] == []
    code = "import idinf, json; from idinf.api.sources import program_names; "
    code += "print(json.dumps([idinf.target_names(), program_names()]))"
    names = json.loads(installed("python", "-c", code))
    assert names == [list(idinf.target_names()), list(program_names())]
