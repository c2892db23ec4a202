"""``--run-dir`` and ``--resume``: finished work kept on disk, so that a run that was killed goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

import idinf
from idinf.inference.run import Setup
from idinf.search.journal import Journal

__all__ = ["open_journal", "run_dir_options"]

Command = TypeVar("Command", bound=Callable[..., Any])


def run_dir_options(command: Command) -> Command:
    """Add the two options to a command."""
    resume = click.option(
        "--resume", is_flag=True, help="Go on with the run that --run-dir holds; start it if there is none."
    )
    directory = click.option(
        "--run-dir",
        metavar="DIR",
        help="Keep finished work in DIR, so that a run that ended, or was killed, can be resumed.",
    )
    return directory(resume(command))


def open_journal(directory: str | None, resume: bool, setup: Setup) -> Journal | None:
    """Open the directory of a run; None without one.

    Raises
    ------
    click.UsageError
        If ``--resume`` is given alone.
    RunDirectoryError
        If the directory cannot be used for this question.
    """
    if directory is None:
        if resume:
            raise click.UsageError("--resume is given without --run-dir; expected both; add --run-dir DIR")
        return None
    return Journal(directory, run_identity(setup), resume, follow=True)


def run_identity(setup: Setup) -> dict[str, object]:
    """Everything the work of a run depends on. Limits and the number of processes are not among it."""
    spec = setup.spec
    language = f"{spec.kind}\n{spec.mode}\n{spec.text}"
    if spec.mode != "accept" or spec.domain is not None:
        language += f"\n{spec.answer}\n{spec.next}\n{spec.domain}\n{spec.judged}"
    return {
        "idinf_version": idinf.__version__,
        "program": _program_digest(),
        "target": spec.name,
        "alphabet": " ".join(spec.alphabet.symbols),
        "digest of the target": hashlib.sha256(language.encode()).hexdigest()[:16],
        **setup.bounds.to_dict(),
        "max_n": setup.max_n,
        "aggregate": setup.aggregate.value,
        "tolerance": "1/(2n)" if setup.tolerance is None else setup.tolerance,
    }


def _program_digest() -> str:
    """Digest of the sources: work of another version of the program must not be mixed with this one's."""
    root = Path(idinf.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
