"""``--run-dir`` and ``--resume``: finished work kept on disk, so that a run that was killed goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from idinf.inference.kept_work import journal_of
from idinf.inference.run import Setup
from idinf.runtime.journal import Journal

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
    return journal_of(setup, directory, resume, follow=True)
