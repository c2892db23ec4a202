"""``--run-dir`` and ``--resume``: finished work kept on disk, so that a run that was killed goes on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import click

from idinf.inference.kept_work import journals_of
from idinf.inference.run import JournalOf, RunSettings

if TYPE_CHECKING:
    from idinf.sweeps.kept_reports import BatchDirectory

Command = TypeVar("Command", bound=Callable[..., Any])


def run_dir_options(kept: str, what: str) -> Callable[[Command], Command]:
    """Make the two options, with the help of the first and the name of what is resumed."""

    def decorate(command: Command) -> Command:
        """Add both."""
        command = click.option(
            "--resume",
            is_flag=True,
            help=f"Go on with the {what} that was ended or killed; start it if there is none.",
        )(command)
        return click.option("--run-dir", metavar="DIR", help=f"Keep finished work in DIR{kept}.")(command)

    return decorate


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
        _refuse_resume(resume)
        return lambda max_n: nullcontext()
    return journals_of(settings, directory, resume, follow=True)


def kept_answers(directory: str | None, resume: bool) -> AbstractContextManager[BatchDirectory | None]:
    """Say where answers about many targets are kept; nowhere without a directory. Errors as `journals`."""
    if directory is None:
        _refuse_resume(resume)
        return nullcontext()
    from idinf.sweeps.kept_reports import BatchDirectory

    return BatchDirectory(directory, resume)


def _refuse_resume(resume: bool) -> None:
    if resume:
        raise click.UsageError("--resume is given without --run-dir; expected both; add --run-dir DIR")
