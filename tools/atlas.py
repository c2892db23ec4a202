"""The atlas, `docs/results/atlas.md`: families and all small languages, and tables of what was found.

For example, `python -m tools.atlas ge chain` runs the sweeps of these two tables, and `--document`
writes the document anew from all CSV files in `docs/results/atlas`. A sweep that was ended goes on: what is
finished lies in `build/atlas`.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.atlas_rows import FOLDER, RUNS
from tools.atlas_sections import SECTIONS
from tools.suite import ROOT, write_between

#: Where the tables are shown.
DOCUMENT = ROOT / "docs" / "results" / "atlas.md"

#: Where finished rows lie, for `--resume`.
KEPT = ROOT / "build" / "atlas"


def marks(name: str) -> tuple[str, str]:
    """The lines of the document that a section stands between.

    Examples
    --------
    >>> marks("ge")
    ('<!-- atlas ge: written by `make atlas` -->', '<!-- end of atlas ge -->')
    """
    return f"<!-- atlas {name}: written by `make atlas` -->", f"<!-- end of atlas {name} -->"


def run(name: str, jobs: int) -> None:
    """Run a sweep, or go on with it; its CSV grows with every row."""
    path = FOLDER / f"{name}.csv"
    kept = ["-o", str(path), "--run-dir", str(KEPT / name), "--resume", "-j", str(jobs)]
    KEPT.mkdir(parents=True, exist_ok=True)
    FOLDER.mkdir(exist_ok=True)
    done = subprocess.run([sys.executable, str(ROOT / "cli.py"), *command(name), *kept], check=False)
    if done.returncode not in (0, 4):  # 4: a bound ended some row, which is in the table as open
        raise SystemExit(f"{name}: exit code {done.returncode}")


def command(name: str) -> list[str]:
    """The arguments that make a CSV, but for where to write it.

    Examples
    --------
    >>> command("chain")
    ['batch', 'chain-k-s', '--spaces', 'spec', '--set', 'k=2..8', '--set', 's=1']
    """
    return ["batch", *shlex.split(RUNS[name])]


def write_document(document: Path = DOCUMENT) -> None:
    """Write every section between its marks, from the CSV files."""
    for name, section in SECTIONS.items():
        write_between(*marks(name), section(), document)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is asked for, and write the document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"only these tables, of: {', '.join(RUNS)}; all if none is")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--no-run", action="store_true", help="run nothing; the CSV files are there")
    parser.add_argument("--document", action="store_true", help=f"write the tables into {DOCUMENT.name}")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.names) - set(RUNS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: no such table; expected some of {', '.join(RUNS)}")
    for name in () if chosen.no_run else chosen.names or RUNS:
        run(name, chosen.jobs)
    if chosen.document:
        write_document()


if __name__ == "__main__":
    main()
