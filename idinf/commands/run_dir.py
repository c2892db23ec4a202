"""``--run-dir`` and ``--resume``: finished work kept on disk, so that a run that was killed goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

import idinf
from idinf.search.journal import Journal
from idinf.spec.bounds import SpaceBounds
from idinf.spec.experiment import Spec
from idinf.transformers.regularizer import Aggregate

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


def open_journal(
    directory: str | None,
    resume: bool,
    spec: Spec,
    bounds: SpaceBounds,
    max_n: int,
    aggregate: Aggregate,
    tolerance: float | None,
) -> Journal | None:
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
    identity = run_identity(spec, bounds, max_n, aggregate, tolerance)
    return Journal(directory, identity, resume, follow=True)


def run_identity(
    spec: Spec, bounds: SpaceBounds, max_n: int, aggregate: Aggregate, tolerance: float | None
) -> dict[str, object]:
    """Everything the work of a run depends on. Limits and the number of processes are not among it."""
    language = f"{spec.kind}\n{spec.mode}\n{spec.text}"
    if spec.mode != "accept" or spec.domain is not None:
        language += f"\n{spec.answer}\n{spec.next}\n{spec.domain}\n{spec.judged}"
    return {
        "idinf_version": idinf.__version__,
        "program": _program_digest(),
        "target": spec.name,
        "alphabet": " ".join(spec.alphabet.symbols),
        "digest of the target": hashlib.sha256(language.encode()).hexdigest()[:16],
        **bounds.to_dict(),
        "max_n": max_n,
        "aggregate": aggregate.value,
        "tolerance": "1/(2n)" if tolerance is None else tolerance,
    }


def _program_digest() -> str:
    """Digest of the sources: work of another version of the program must not be mixed with this one's."""
    root = Path(idinf.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
