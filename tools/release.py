"""A release, tried: `make release` builds, checks and installs it, and prints the command that would tag it.

`python -m tools.release licences` writes docs/licences.md from the metadata of what is installed.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement

from idinf.version import __version__
from tools.suite import ROOT, write_between

LICENCES = ROOT / "docs" / "licences.md"
BEGIN, END = (
    "<!-- licences: written by `python -m tools.release licences` -->",
    "<!-- end of licences -->",
)

#: What a user does first with a new installation.
FIRST = (("--version",), ("identify", "majority", "--max-n", "64"))

#: Parts of paths that no package of ours has.
UNWANTED = re.compile(
    r"__pycache__|\.pyc$|\.(venv|git|pytest_cache|mypy_cache|ruff_cache)/|(^|/)(build|dist)/|\.ipynb_checkpoints"
)


# Licences


def list_dependencies(name: str = "idinf") -> list[str]:
    """The packages that a package needs here, and those that they need; of extras only what is asked for."""
    found: set[tuple[str, str]] = set()
    waiting = [(name, "")]
    while waiting:
        package, extra = waiting.pop()
        for line in metadata.requires(package) or ():
            wanted = Requirement(line)
            if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
                asked = {(plain_name(wanted.name), each) for each in ("", *wanted.extras)}
                waiting += asked - found
                found |= asked
    return sorted({package for package, _ in found})


def plain_name(name: str) -> str:
    """The name by which an index knows a package.

    Examples
    --------
    >>> plain_name("Foo.bar_baz")
    'foo-bar-baz'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_of(package: str) -> str:
    """What the metadata of a package says: an SPDX expression, else a classifier, else a short text."""
    about = metadata.metadata(package)
    if expression := about.get("License-Expression"):
        return str(expression)
    classifiers = [
        line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or () if "License ::" in line
    ]
    text = (about.get("License") or "").strip().partition("\n")[0]
    return text if 0 < len(text) <= 40 else ", ".join(classifiers) or "not said"


def render_licences() -> str:
    """A row for each dependency; those that pyproject.toml names are bold."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    core = {plain_name(Requirement(line).name) for line in project["dependencies"]}
    lines = ["| package | version | licence |", "|---|---|---|"]
    for name in list_dependencies():
        shown = f"**{name}**" if name in core else name
        lines.append(f"| {shown} | {metadata.version(name)} | {licence_of(name)} |")
    return "\n".join(lines)


# Checks


def disagreements(version: str, citation: str, changelog: str) -> list[str]:
    """What CITATION.cff and CHANGELOG.md say that is not of this version and one day, a line each."""
    found = []
    if (cited := re.search(r"^version: (\S+)$", citation, re.MULTILINE)) is None or cited[1] != version:
        found.append(f"CITATION.cff has version {cited and cited[1]}; expected {version}; correct it")
    if re.search(r"^title: \S", citation, re.MULTILINE) is None:
        found.append("CITATION.cff has no title; expected one; add it")
    day = re.search(r"^date-released: (\d{4}-\d\d-\d\d)$", citation, re.MULTILINE)
    if day is None:
        found.append("CITATION.cff has no date-released; expected a day as in 2026-11-28; add it")
    head = re.search(r"^## (.*)$", changelog, re.MULTILINE)
    if day and (head is None or head[1] != f"{version} ({day[1]})"):
        found.append(
            f"CHANGELOG.md begins with {head and head[1]!r}; expected '{version} ({day[1]})'; correct it"
        )
    return found


def unwanted(names: list[str]) -> list[str]:
    """The paths of an archive that should not be in it."""
    return [name for name in names if UNWANTED.search(name.partition("/")[2] or name)]


def answer(*command: str | Path, folder: Path = ROOT) -> str:
    """What a command prints; it ends this one if it fails."""
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(
            f"{' '.join(map(str, command[:4]))} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def megabytes(path: Path) -> float:
    """The size of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files) / 1e6


def check_tree(tag: str) -> list[str]:
    """What git says against a release."""
    found = []
    if changed := answer("git", "status", "--porcelain").splitlines():
        found.append(
            f"{len(changed)} files are changed or new, as {changed[0][3:]}; expected none; commit them"
        )
    if answer("git", "tag", "--list", tag).strip():
        found.append(f"the tag {tag} is there; expected a new one; raise the version in idinf/version.py")
    return found


def is_there(module: str) -> bool:
    """Whether a module can be imported; a folder of that name is none."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def report_faults(against: list[str]) -> int:
    """Say what is against a release; the exit code."""
    for line in against:
        print(f"not yet: {line}", file=sys.stderr)
    return 1


def try_release(tags: bool) -> int:
    """Build, check, install and run what would be released; 0 if nothing is against it."""
    tag = f"v{__version__}"
    texts = [(ROOT / name).read_text("utf-8") for name in ("CITATION.cff", "CHANGELOG.md")]
    against = disagreements(__version__, *texts) + check_tree(tag)
    missing = [package for package in ("build.__main__", "twine") if not is_there(package)]
    if missing:
        against += [
            f"{name.split('.')[0]} is not installed; a release needs it; use make release" for name in missing
        ]
        return report_faults(against)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.monotonic()
        answer(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist")
        wheel, sdist = sorted((folder / "dist").iterdir())  # .tar.gz comes behind .whl: "-" < "."
        said = answer(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
        for path in (wheel, sdist):
            print(f"{path.name}: {megabytes(path):.2f} MB")
            names = answer(
                sys.executable, "-m", "zipfile" if path.suffix == ".whl" else "tarfile", "-l", path
            )
            listed = [line.split()[0] for line in names.splitlines() if line.strip()]
            if found := unwanted(listed):
                against.append(f"{path.name} has {found[0]}; expected no such file; see pyproject.toml")
        if said.count("PASSED") != 2:
            against.append(f"twine check says {said.strip()!r}; expected PASSED twice; correct the metadata")
        print(f"twine check --strict: {said.count('PASSED')} of 2 passed; {time.monotonic() - began:.0f} s")

        began = time.monotonic()
        venv.create(folder / "env", with_pip=True)
        python = folder / "env" / "bin" / "python"
        install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        answer(python, *install, "-c", ROOT / "constraints.txt", wheel, folder=folder)
        count = len(answer(python, "-m", "pip", "list", "--format", "freeze").splitlines())
        size = f"{megabytes(folder / 'env'):.0f} MB, {count} packages"
        print(f"installed in {time.monotonic() - began:.0f} s: {size}")
        for words in FIRST:
            began = time.monotonic()
            lines = answer(folder / "env" / "bin" / "idinf", *words, folder=folder).splitlines()
            print(f"$ idinf {' '.join(words)}: {time.monotonic() - began:.1f} s\n  {lines[0]}")
    if against:
        return report_faults(against)
    command = ["git", "tag", "--annotate", tag, "--message", f"idinf {__version__}"]
    if tags:
        answer(*command)
    print("done:" if tags else "nothing is against it; `make release TAG=yes` runs", shlex.join(command))
    return 0


def main() -> int:
    """Do what the first word says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("licences", "try", "tag"))
    what = parser.parse_args().what
    if what == "licences":
        write_between(BEGIN, END, render_licences(), LICENCES)
        return 0
    return try_release(what == "tag")


if __name__ == "__main__":
    sys.exit(main())
