"""``--run-dir`` and ``--resume``: finished work kept on disk, so that a run that was killed goes on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

import click

from idinf.inference.kept_work import journals_of
from idinf.inference.run import JournalOf, RunSettings

__all__ = ["journals", "run_dir_options"]

Command = TypeVar("Command", bound=Callable[..., Any])


def run_dir_options(command: Command) -> Command:
    """Add the two options to a command."""
    resume = click.option(
        "--resume", is_flag=True, help="Go on with the run that --run-dir holds; start it if there is none."
    )
    directory = click.option(
        "--run-dir",
        metavar="DIR",
        help="Keep finished work in DIR, so that a run that ended, or was killed, can be resumed; where "
        "max_n is raised to N, that of the larger run in DIR-N.",
    )
    return directory(resume(command))


def journals(directory: str | None, resume: bool, settings: RunSettings) -> JournalOf:
    """Say where finished work of a run is kept; nowhere without a directory.

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
        return lambda max_n: nullcontext()
    return journals_of(settings, directory, resume, follow=True)
